"""Merging: what will happen, and making it so without touching what the person has checked out and changed.

Begin with `merge.py`: `Merger.merge` makes a merge in git's object store, pushes it, and only then moves the default
branch here; whatever goes wrong before the push leaves everything as it was. `strategies.py` has the merge strategies,
`half_moves.py` finishes what was killed on the way.
"""

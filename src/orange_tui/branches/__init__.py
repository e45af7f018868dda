"""Branches of tasks: how far they are from the default branch, what would not merge, what they change.

Begin with `distance.py` and `conflicts.py`.
"""

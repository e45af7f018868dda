"""Delivering work: merging it, opening and following a pull request, sending it back with feedback.

Begin with `merge.py`: `Merger.merge` makes a merge without touching a checkout, pushes it, and only then moves the
default branch here; whatever goes wrong before the push leaves everything as it was. `strategies.py` has the merge
strategies, `pull_requests.py` opens pull requests, `pr_status.py` knows what became of them and ends their tasks,
`pr_watcher.py` polls them, `feedback.py` sends work back. `hooks.py` is what workflows may name.
"""

"""The branches of tasks: how far they are from the default branch, what would conflict, what they change.

It promises to touch no checkout but where a task is renamed, and to say the same as git. Everything that reads a
repository takes its time, so callers run it off the event loop.

Begin with `distance.py`, then `conflicts.py`, which builds on it; `ref_watch.py` says when to measure again.
`task_diff.py` reads what a task changes, `task_threads.py` finds the lines of its comments again, `rename.py` has a
task follow its branch.
"""

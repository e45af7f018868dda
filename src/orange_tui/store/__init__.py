"""Tasks on disk: the journal, TASK.md, recovery, and an index of all tasks.

Promises: a change is in the journal before it is in TASK.md; a reader never sees half a file; what an agent writes to
TASK.md at the same time is merged or kept beside it; what a killed process left is repaired when the task is opened.

A task has two directories: its agents write in one, below tasks, and the engine alone in the other, below state.

Begin with `store.py` (finding, reading and opening tasks), then `open_task.py` (changing one) and `journal.py`.
The app and `orange serve` look at all tasks through `index.py`, and hear of changes through `feed.py`.
"""

"""One task on disk: its journal, its TASK.md, and how both survive crashes, races and agents that write too.

Begin with `store.py` (finding and reading tasks), then `open_task.py`: the only thing that writes one.
"""

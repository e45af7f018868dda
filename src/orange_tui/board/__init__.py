"""What a screen needs to know of all tasks, worked out from the index, tmux and git: one row a task, in order.

It promises that a snapshot never changes, that a row which has not changed is the same object as before, and that only
what changed is read. It decides nothing and writes nothing.

Begin with `board.py`; `rows.py` has what is in a row; `needs.py` says why a person should look at a task.
"""

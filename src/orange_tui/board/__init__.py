"""What a screen needs to know, worked out from the files: one row a task, in order.

Begin with `board.py`; `needs.py` says why a person should look.
"""

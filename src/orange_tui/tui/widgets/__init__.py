"""The parts of the screens. None reads a file or knows a screen: they show what they are given, and post messages.

Begin with `task_list.py`; a new column of the list is one entry in `columns.py`.
"""

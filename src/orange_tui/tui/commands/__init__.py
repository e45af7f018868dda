"""The keys: a table of commands, and what each of them does.

Begin with `keys.py`: a new key is one entry there. `_tasks.py`, `_delivery.py` and `_views.py` hold the functions, each
next to the rule that says why it can't be used now. `search.py` puts the same table into the command palette.
"""

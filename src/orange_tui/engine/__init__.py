"""The one way a task moves: transition, gates, hooks, and the verbs that people and agents use.

Begin with `engine.py`; `hooks.py` maps the actions of a workflow to the functions that do them.
"""

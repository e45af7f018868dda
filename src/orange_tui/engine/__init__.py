"""The one way a task moves: transitions, gates, hooks, and the verbs that people and agents use.

Promise: a move is made completely or not at all. Whatever was interrupted is finished from the journal by the next
command on that task, and each hook takes effect once.

Begin with `engine.py`: `Engine.transition` follows SPEC 5 step by step, and `Engine.start` lets a task begin.
`tasks.py` and `agents.py` hold the verbs of the command line and the app, `creation.py` and `starting.py` what they do
to new and waiting tasks. A hook is an entry in `domain/actions.py`; `hooks.py` finds its code, most in `actions/`.
"""

"""What the scripted agent plays: worker, reviewer or orchestrator, and what may go wrong on the way.

`behaviours.py` is the table of ways an agent can behave, which a task asks for with a line `demo: <words>`; a new one
is one entry there. Begin with `worker.py`.
"""

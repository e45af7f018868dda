"""Who is alive in tmux, and what it is doing.

Begin with `liveness.py`, the one judge of whether a task's agent is alive.
"""

"""What follows when an agent has ended, is missing or was lost, and when a task's files say that it should go on.

Begin with `rules.py`, which the supervisor asks about a task; `deaths.py` has what an agent's death leads to, and
`lost_agents.py` brings back those that were lost with tmux. Nothing here knows the loop.
"""

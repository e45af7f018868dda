"""Agents: which there are, what they need in a worktree, how they are started and spoken to.

Begin with `harnesses.py`, then `launch.py` and `messages.py`.
"""

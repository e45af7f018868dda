"""Agents that work alone: who does a task, what its report means, what it delegates, another attempt.

Begin with `routing.py` and `report_hooks.py`.
"""

"""Autopilot: what lets agents work unattended: routing, reports, delegation to subtasks, another attempt.

A person's own choice always wins over a router's, and whatever goes wrong with routing falls back to an agent that is
installed. `route_hook.py`, `report_hooks.py` and `delegation.py` are the hooks that workflows name; `attempts.py` is
what a person does with a task that failed or is blocked.
"""

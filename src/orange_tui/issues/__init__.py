"""GitHub issues become tasks, and what becomes of the tasks is told on the issues.

Begin with `issue_sync.py`: one round for one project.
"""

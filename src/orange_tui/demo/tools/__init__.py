"""What the scripted agent works with: a task's files and commands, changes to a repository, its terminal and inbox.

Nothing here knows which role the agent plays. Begin with `task_tools.py`.
"""

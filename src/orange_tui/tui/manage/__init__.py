"""Looking after what is around the tasks: projects, workspaces, jobs, the check-up, moving a task, the welcome.

Begin with `_list_screen.py`: a list of things with keys for the one under the cursor, the same for each.
"""

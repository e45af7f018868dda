"""Text that the command line and the app both show: workflows, jobs, log entries, costs, ages and icons of tasks.

It lies below both, so that neither has to know the other. Plain text only: no colours, no printing, no files read
or written here. Begin with `workflow_picture.py`, the largest, or `tasks.py`, the smallest.
"""

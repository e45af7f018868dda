"""Tasks by schedule: jobs.json, adding jobs, and making their tasks by the clock.

Begin with `schedule.py`. A scheduled run becomes one task, whatever is killed.
"""

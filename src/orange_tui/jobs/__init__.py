"""Jobs: tasks that are created on a schedule, by cron expressions, in jobs.json.

Each run that is due becomes one task, once, however many processes run and whenever one is killed. A run is skipped,
with the reason, while the job's last task is unfinished. Begin with `jobs.py` (what people do with jobs), then
`scheduler.py` (what happens when one is due); `job_file.py` is the file.
"""

"""Issues on a forge become tasks, and what becomes of a task is posted on its issue.

Begin with `sync.py`: one round for one project. `rules.py` says which issues become tasks, `links.py` which issue
became which task (`.issues.json`). A round imports (`_importer.py`: issues → tasks) and publishes (`_publisher.py`:
results → comments and labels); `watcher.py` makes one every minute. An issue never makes a second task, and a result
is never posted twice, also after a crash. What an agent wrote does nothing on the forge but be read.
"""

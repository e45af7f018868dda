"""The rules of tasks and workflows, as pure functions and records: no files, no processes, no screen.

Begin with `task.py` and `workflow.py`. `gates/` says what a move needs, `workflow_file/` reads a workflow, `text/`
reads and writes TASK.md, `harnesses/` describes the agents.
"""

"""ORANGE_HOME: where its files are, how they are read, locked and replaced, and how changes to them are noticed.

It promises that a file is replaced in one step, and that one which cannot be read is never rewritten. Begin with
`paths.py`, `files.py` and `json_file.py`; `settings.py`, `projects.py` and `workflows.py` read the person's files.
"""

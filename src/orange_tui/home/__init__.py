"""ORANGE_HOME: where its files are, how they are read, locked and replaced, and how changes to them are noticed.

Begin with `paths.py`, then `files.py`. Settings, projects and workflows are each one file (or folder) of the person's.
"""

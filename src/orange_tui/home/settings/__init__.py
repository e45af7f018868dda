"""The settings of a person, config.yml: which there are (`table.py`) and how they are read (`config_file.py`).

A mistake in the file is an error with file and line, never ignored. Begin with `table.py`.
"""

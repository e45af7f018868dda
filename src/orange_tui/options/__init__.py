"""What a person can change of a task, a project and the settings: one table each, for both front ends.

The options of `orange task update` and `orange project update` are made from these tables, and so are the app's forms:
a new option is one entry, and is in both. Begin with `project_options.py`.
"""

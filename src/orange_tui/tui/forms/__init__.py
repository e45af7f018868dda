"""Forms over the list: a new task, a new job, the projects.

Begin with `_form.py`: title, fields, what is wrong, the two buttons, and saving in a thread are the same in each.
"""

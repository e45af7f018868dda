"""What each command does: one function for each, which gets the parsed words and Orange and returns a reply.

A module is imported only when one of its commands runs. Each has the name of the module in `table/` that describes its
commands. Begin with `tasks.py`.
"""

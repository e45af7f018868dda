"""A workflow file read into a `Workflow`, or into the list of all that is wrong with it.

Begin with `loader.py`.
"""

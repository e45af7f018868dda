"""Gates: what must be there before a task may move, and what exactly is missing.

Begin with `gate.py`. A kind of gate is one class, listed in `kinds.py`: how it is read from a workflow file, what is
missing, and how it is described. Nothing here runs anything or reads a file: what a gate looks at is its evidence.
"""

"""The code of the built-in hooks that need nothing above the engine: workspaces, agents, tasks.

A hook may be run again after a crash, so each is idempotent. `domain/actions.py` maps names to the code here.
"""

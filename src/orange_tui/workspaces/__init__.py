"""The pool of worktrees: acquire, release, and the work that is saved before anything is reset.

Begin with `pool.py`. Nothing here deletes what it has not saved.
"""

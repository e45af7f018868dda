"""The pool of workspaces: git worktrees that are acquired by tasks, released, and reused.

It promises that no work is lost: before a workspace is reset, everything in it is saved; one that cannot be saved, or
in which a process runs, is quarantined. `pool.py` is where to begin; `pool_file.py` says which task holds which
workspace; `saved_work.py` lists what was saved, restores it, and lets it expire long after its task was deleted.
"""

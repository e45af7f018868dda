"""The sandbox's rules: which agents run in one, and what is there for them, as data.

`tables.py` has what is hidden and why; `rules.py` turns rules about paths into mounts; `repository.py` is what a git
repository needs so that commits work and nothing of it can be made to run. Nothing here touches a file: who plans is
given a `Tree` to look at. Begin with `tables.py`.
"""

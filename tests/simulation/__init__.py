"""A simulation of Orange: whole worlds in one process, driven by a seed, with faults at every system call.

`scheduler.py` runs virtual processes one at a time, `system.py` stands between them and the operating system and
makes it fail, `tmux.py` is a tmux in memory, `world.py` and `agents.py` play persons, agents and supervisors with
Orange's own code, and `model.py` knows what must be true afterwards. `bugs.py` puts old bugs back, to see them found.
"""

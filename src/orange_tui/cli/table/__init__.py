"""Every command of `orange` as data: what it takes, what it does, what runs it, and its help.

Parser, help, completion and documentation all read this one table. Begin with `root.py`.
"""

"""Every command of `orange` as data: what it takes, what it does, what runs it, and its help.

`cli/all_commands.py` makes one table of them, which parser, help, completion and documentation all read. Begin there.
"""

"""Every command of `orange` as data: what it takes, what it does, what runs it.

Begin with `root.py`.
"""

"""Notices: the person who is away is told of each need, once, by the services in `notify` of config.yml (Apprise).

A notice names the task, its status and the kind of need, in words of ours: nothing that stands in a file, no question,
no reason and no output of an agent. None is sent while the person is at the app, or at an agent's session; what
began then and still stands is told once they have been away for a while. A need is told at least once, also across a
kill: it is written down before a notice is sent and after it, and a repeated notice does less harm than a lost one.
Begin with `watcher.py`.
"""

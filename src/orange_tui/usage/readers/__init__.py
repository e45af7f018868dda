"""What each agent writes down of its use, line by line: one small module for each agent, and a table of them.

Promises: a reader is a function of one line and of what it remembers of the file, knows no files itself, believes no
number that cannot be one, and raises `NotUnderstood` where it would have to guess. Begin with `table.py`.

The demo agent writes what pi writes, into `.orange-status/<window>.usage.jsonl` in its task's directory: one line for
each answer, appended as a whole, such as

    {"type": "message", "id": "d1", "timestamp": "2026-11-16T20:00:00.000Z", "message": {"role": "assistant",
     "provider": "demo", "model": "demo-1", "usage": {"input": 900, "output": 42, "cacheRead": 300, "cacheWrite": 0,
     "cost": {"total": 0.0123}}}}

with another `id` for each.
"""

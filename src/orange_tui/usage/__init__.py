"""What agents use: tokens, cost and limits, read from the files that they keep themselves.

Promises: no message is counted twice, what is not known is never shown as 0, and nothing of an agent's is written to.
Begin with `usage_file.py` (what is stored of a task).
"""

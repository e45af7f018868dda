"""Permissions that agents ask for, and a person's answers to them.

An agent's own permission hook runs `orange task ask`, which writes the question down and waits (`asking.py`); opencode,
which has no such hook, has an extension of ours instead, and nobody else knows the difference. A person answers in the
app or with `orange task approve` (`approvals.py`). A question is open for exactly as long as the process that asks it
lives: `question_files.py` says how that is known. Begin there.
"""

"""Harnesses: the command-line agents as data, those Orange ships and those of `harnesses.yml`.

Begin with `harness.py`; `shipped.py` has the agents Orange knows.
"""

"""An agent as data: what Orange ships, and what `harnesses.yml` may add or change.

Begin with `harness.py`; `shipped.py` has the agents Orange knows.
"""

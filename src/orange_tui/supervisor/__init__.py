"""The loop: deaths, signals, starts, recovery, and doctor.

Begin with `supervisor.py`; `monitor.py` says what an agent's death leads to.
"""

"""Running a program in bubblewrap: `plan.py` is what is planned and written down, `enter.py` what a window runs.

`bwrap.py` turns a plan into bubblewrap's words, and says why there can be no sandbox where there cannot; `kernel.py` is
what the kernel is asked for besides. What is mounted how is decided in `domain/sandbox`.
"""

"""The review of a task's pull request on its forge: comments and failed checks ⇄ the task's threads.

`sync.py` is one task's round: what is new there becomes threads here, answers here go there, each once; then `rules.py`
does what the workflow says about that (`on`). What was seen of the forge is in `memory.py`. Comments are other people's
words, and logs those of programs: both are data here, cleaned and cut to a size, and an agent gets them as quotations.
"""

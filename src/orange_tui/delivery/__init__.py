"""Delivering work: merging it, opening and following a pull request, sending it back with feedback.

Begin with `merging/merge.py`. `pull_requests.py` opens pull requests, `pr_status.py` knows what became of them and ends
their tasks, `pr_watcher.py` polls them, `feedback.py` sends work back. `review_pr.py` makes a task of somebody else's
pull request, and `send_review.py` sends its comments there. `hooks.py` is what workflows may name.
"""

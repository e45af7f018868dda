"""What a review is about, as text and rules: the diff taken apart (`diff.py`), comments and answers (`thread.py`).

`hunks.py` tells by content whether a change was seen before, `interdiff.py` what changed between two forms of one, and
`anchor.py` where the code is now that a comment quotes.
"""

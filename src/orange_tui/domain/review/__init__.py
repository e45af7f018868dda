"""What a review is about, as text and rules: the diff taken apart (`diff.py`), comments and answers (`thread.py`)."""

"""What a review is about, as text and rules: the diff taken apart into files and hunks. Begin with `diff.py`."""

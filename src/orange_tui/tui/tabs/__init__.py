"""What the tabs of the preview show.

Begin with `sources.py`: each tab a title and a function that makes lines, in a thread.
"""

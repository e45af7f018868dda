"""What the tabs of the preview show, read and drawn in a thread.

Begin with `preview_tabs.py`: a new tab is one entry there.
"""

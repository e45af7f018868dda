"""What an agent asks to be allowed, on a screen of its own: `contents.py` is what it says, `dialog.py` the keys.

No key approves by accident: those typed before the question could be read do not count, Enter does nothing, and what is
answered is the question that is shown, or none.
"""

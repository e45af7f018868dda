"""Text and facts as lines and colours: nothing here knows a widget or a file.

Begin with `lines.py` and `palette.py`.
"""

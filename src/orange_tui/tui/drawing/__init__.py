"""Text and facts as lines and colours: nothing here knows a widget or reads a file.

Begin with `lines.py` (text made safe and wrapped) and `palette.py` (styles by what they mean). The sentence for an
event of a task's history is one entry in `event_sentences.py`.
"""

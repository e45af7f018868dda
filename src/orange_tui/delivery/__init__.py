"""Getting work out: merging it, opening and following a pull request, sending it back.

Begin with `merge.py`. A merge is made without touching a checkout, and pushed before it is here.
"""

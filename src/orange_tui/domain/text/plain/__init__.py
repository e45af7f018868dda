"""Markdown as far as a look at its lines tells: no parser is loaded for it.

Begin with `outline.py`.
"""

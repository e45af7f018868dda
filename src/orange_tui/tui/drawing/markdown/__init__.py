"""Markdown as lines for a Line-API view.

Begin with `page.py`.
"""

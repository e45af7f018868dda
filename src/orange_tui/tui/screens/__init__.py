"""Screens besides the dashboard: dialogs, pages to read, a diff, a workspace, saved work.

Each is given what it shows, or the `AppContext`. Begin with `dialogs.py` and `page.py`.
"""

"""The full-screen app: what the person sees, and what each key does.

It shows one reactive `snapshot` and changes it in one way only: a key moves a task, files change, the watch notices,
and the board is read again. Nothing here reads a file or starts a program in the event loop.

Begin with `app.py`, then `dashboard.py`. Layers, from the top: app, dashboard, commands, screens, forms, tabs, widgets,
drawing; what is below never knows what is above (a contract in pyproject.toml holds it). Parts below the app are given
an `AppContext` (`context.py`), tabs or callables, and post messages.
"""

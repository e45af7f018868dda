"""tmux: sessions and windows of tasks. Begin with `server.py`; `windows.py` has how tmux is told what to open.

`screens.py` reads many windows in one call, and `libtmux_runner.py` lets libtmux run the commands.
"""

"""Who is alive in tmux, and what it is doing.

Promise: there is one judge of liveness, `Sessions.judge` in `liveness.py`, for the board, the command line and the
monitor; begin there. `deaths.py` waits for agents' processes to end. What an agent does is
judged in `agent_state.py`, from its reports and from its screen; `screen_watcher.py` looks at screens that change.
`attaching.py` shows a session to a person, with one key that leads back.
"""

"""The door: the one way in which a confined agent reaches Orange.

An agent without full permission, or in a sandbox, is granted nothing of the engine's: not its files, not tmux, not the
pool. Its window runs `server.py` around it, a small process of its own that needs no daemon and no app. The agent's
`orange` (`client.py`) sends its words there, and they are carried out outside, as the task and window that the door
was made for, whatever the words or their environment say. `protocol.py` is all that passes between the two. What an
agent may say is decided where it always is, by the table of commands (`cli/permissions.py`).

Begin with `protocol.py`; `starting.py` is how a window gets its door.
"""

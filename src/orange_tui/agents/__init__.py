"""Agents: which there are, how they are launched, what is sent to them and what they report.

No shell parses a prompt, no message is typed into an open dialog, and a message counts as delivered only when the
agent's window accepted it. Begin with `harnesses.py` (the agents of a home); `agent_files.py` and `launch.py` are what
a window needs before it starts, `messages.py` and `reports.py` what goes in and out, `chat.py` and `skill.py` are for
orchestrators.
"""

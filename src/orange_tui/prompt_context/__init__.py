"""The context of a prompt: what an agent is told about its task besides the workflow's own words.

Everything in it is other people's text, so it is quoted: no line of it can pose as a heading of ours. Begin with
`rows.py`, the table of what there is and how long each row may get; `skills.py` reads the person's skills.
"""

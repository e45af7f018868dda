"""What a person does with one task besides moving it: answering its agent, editing TASK.md, copying its names.

`answer.py` is the dialog for a message, with the agent's screen above it; `hand_edit.py` takes over what was edited;
`copy_menu.py` is the small menu of what can be copied.
"""

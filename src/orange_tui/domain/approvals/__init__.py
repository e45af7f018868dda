"""What an agent asks to be allowed, and what a person has allowed for a task: the words, and what counts as the same.

Begin with `question.py`. Nothing here touches a file: `agents/approvals` does.
"""

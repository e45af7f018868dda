"""Reviews of tasks on disk: comments on lines, the code they quote, and what the person has looked at.

Promises: a comment is never lost, a file that cannot be read is never rewritten, and nothing that an agent could have
configured runs when its code is looked at. Begin with `threads_file.py`.
"""

"""The pages in `docs/`: where they are, and how they look in a terminal.

They are Markdown, shipped with Orange, and the same text is on GitHub, in `orange help TOPIC` and in the man pages.
Nothing here is imported before somebody asks for a page. Begin with `library.py`.
"""

"""Text and data: TASK.md, frontmatter, Markdown sections, YAML with line numbers, quoting.

Begin with `task_file.py`.
"""

"""Text formats: TASK.md, its frontmatter and Markdown sections, YAML with line numbers, text for prompts.

Begin with `task_file.py`.
"""

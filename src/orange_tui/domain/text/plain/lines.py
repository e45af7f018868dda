"""The lines of Markdown, whatever they end with, and the text of a heading."""

from __future__ import annotations

import re

LINE_END = re.compile(r"\r\n|\r|\n")


def split_lines(body: str) -> list[str]:
    """The lines of a body with their ends, split where Markdown splits them and nowhere else."""
    lines, start = [], 0
    for end in LINE_END.finditer(body):
        lines.append(body[start : end.end()])
        start = end.end()
    return [*lines, body[start:]] if start < len(body) else lines


def without_closing_marks(title: str) -> str:
    """The text of a heading without the `##` that may close it."""
    title = title.strip()
    bare = title.rstrip("#")
    are_marks = not bare or bare[-1] in " \t"
    return bare.rstrip() if are_marks else title

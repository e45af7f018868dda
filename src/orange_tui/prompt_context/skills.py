"""The skills under `<ORANGE_HOME>/skills`: one folder each, with a SKILL.md whose frontmatter says what it is for.

A skill is known by its folder's name, which is unique; no path is ever built from a name that an agent wrote. One
that cannot be read is left out and logged: it stops neither the others nor the task.
"""

from __future__ import annotations

import os

from orange_tui.domain.errors import OrangeError, Unreadable
from orange_tui.domain.records import record
from orange_tui.domain.task import printable
from orange_tui.domain.text import frontmatter
from orange_tui.home.files import read_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.home.log import Log
    from orange_tui.home.paths import Home

_MAX_BYTES = 200_000
_MAX_SKILLS = 200
_MAX_NAME_CHARACTERS = 100
_MAX_DESCRIPTION_CHARACTERS = 300


@record
class Skill:
    """One skill: its folder's name, what it is for in a line, and what it teaches."""

    name: str
    description: str
    text: str


def read_skills(home: Home, log: Log) -> list[Skill]:
    """Every skill that can be used, by name."""
    folder, skills = os.path.join(home.root, "skills"), []
    for name in _folders(folder)[:_MAX_SKILLS]:
        path = os.path.join(folder, name, "SKILL.md")
        try:
            skills.append(_read(name, path))
        except OrangeError as problem:
            log.write("warning", f"skill left out: {problem}", file=path)
    return skills


def _folders(path: str) -> list[str]:
    """The folders that could be skills; one without a SKILL.md is something else."""
    try:
        names = sorted(os.listdir(path))
    except OSError:
        return []
    return [name for name in names if name[0] != "." and os.path.lexists(os.path.join(path, name, "SKILL.md"))]


def _read(name: str, path: str) -> Skill:
    if not name.isprintable() or len(name) > _MAX_NAME_CHARACTERS:
        raise Unreadable(f"the name of its folder is not a valid skill name: {printable(name[:_MAX_NAME_CHARACTERS])}")
    data = read_bytes(path, max_bytes=_MAX_BYTES)
    if len(data) > _MAX_BYTES:
        raise Unreadable(f"{path} is longer than {_MAX_BYTES:,} bytes")
    try:
        head = frontmatter.split(data.decode())
    except UnicodeDecodeError:
        raise Unreadable(f"{path} is not UTF-8 text") from None
    description = frontmatter.read(head).get("description")
    text = " ".join(str(description.value).split()) if description and description.value else ""
    if not text:
        raise Unreadable(f"{path} has no `description`; add one that says what it is for")
    return Skill(name, printable(text)[:_MAX_DESCRIPTION_CHARACTERS], head.body.strip())

"""`.orange.yml` at the root of a repository: how its workspaces are set up, so that a team shares it.

It says what a project in projects.json can: `copy`, `setup`, `keep`, `run`, `ports`, `instructions`. A value in
projects.json wins over the one here, a list too: nothing adds up, so that a person can always say no.

Most repositories have none, and every start asks: what reads YAML is imported by the functions.
"""

from __future__ import annotations

import json
import os

from orange_tui.domain.errors import Unreadable
from orange_tui.domain.records import record
from orange_tui.home.projects import MAX_PORTS
from orange_tui.outside.git_guard.brought import brought

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from orange_tui.domain.text.findings import Problem
    from orange_tui.domain.text.yaml_nodes import Item
    from orange_tui.outside.git_guard.brought import Brought

NAME = ".orange.yml"
MAX_BYTES = 64_000
MAX_INSTRUCTIONS = 12_000  # characters, of a prompt
_MAX_COMMAND = 4_000
_MAX_PATHS = 200
KIND = "file"


@record
class OrangeFile:
    """What a file says, by key; nothing of it where there is any problem."""

    values: Mapping[str, object]
    problems: tuple[Problem, ...] = ()

    def items(self) -> list[Brought]:
        """Each key as something to be seen and trusted."""
        return [item_of(key, value) for key, value in self.values.items()]


NOTHING = OrangeFile({})


def item_of(key: str, value: object) -> Brought:
    """One key of it, as something to be seen and trusted."""
    return brought(KIND, f"{NAME}: {key}", shown(value))


def shown(value: object) -> str:
    """A value as a person reads it: a text as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def parse(text: str, file: str = NAME) -> OrangeFile:
    """Read a whole file; all its problems are reported together, each with its line, and nothing raises."""
    from orange_tui.domain.text import yaml_text
    from orange_tui.domain.text.findings import Findings
    from orange_tui.domain.text.yaml_nodes import Item

    findings = Findings(file)
    try:
        node = yaml_text.compose(text, max_bytes=MAX_BYTES)
    except Unreadable as fault:
        findings.add_unreadable(fault, 1)
        return OrangeFile({}, findings.problems)
    if node is None or yaml_text.is_null(node):
        return OrangeFile({})
    entries = Item(node, "the file", findings).entries(KEYS)
    values = {key: KEYS[key].read(item) for key, item in entries.items()}
    return OrangeFile({} if findings.problems else values, findings.problems)


def too_long() -> OrangeFile:
    """One that nobody reads: it was not written by a person."""
    from orange_tui.domain.text.findings import Findings

    findings = Findings(NAME)
    findings.add_problem(1, f"the file is longer than {MAX_BYTES:,} bytes", "make it shorter")
    return OrangeFile({}, findings.problems)


def _paths(item: Item) -> list[str] | None:
    items = item.items(f"a path of {item.name}")
    found = [text for each in items if (text := _path(each)) is not None]
    if len(items) > _MAX_PATHS:
        item.add_problem(f"has {len(items)} paths", f"name at most {_MAX_PATHS}")
    return found


def _path(item: Item) -> str | None:
    text = item.text()
    if text is None:
        return None
    path = os.path.normpath(text)
    if os.path.isabs(path) or path.split(os.sep)[0] in {"..", ".", ".git"} or not text.isprintable():
        from orange_tui.domain.text.findings import quoted

        item.add_problem(f"is {quoted(text)}", "write a path inside the repository, such as .env")
        return None
    return path


def _command(item: Item) -> str | None:
    return _limited(item, _MAX_COMMAND)


def _instructions(item: Item) -> str | None:
    return _limited(item, MAX_INSTRUCTIONS)


def _limited(item: Item, most: int) -> str | None:
    text = item.text()
    if text is not None and len(text) > most:
        item.add_problem(f"has {len(text):,} characters", f"write at most {most:,}")
    return text


def _ports(item: Item) -> int | None:
    value = item.value()
    if type(value) is int and 0 <= value <= MAX_PORTS:
        return value
    item.add_problem("is no number of ports", f"write a whole number from 0 to {MAX_PORTS}")
    return None


@record
class OrangeFileKey:
    """How the value of a key is read, and what it means."""

    read: Callable[[Item], object]
    meaning: str


KEYS: Mapping[str, OrangeFileKey] = {
    "copy": OrangeFileKey(_paths, "Files that git does not have and every workspace needs, such as `.env`."),
    "setup": OrangeFileKey(_command, "A command that runs in a workspace before its agent starts, such as `npm ci`."),
    "keep": OrangeFileKey(
        _paths, "Ignored files that stay for the next task (default: dependency folders such as `node_modules`)."
    ),
    "run": OrangeFileKey(
        _command, "A command such as a development server, which `orange task run` starts in a task's workspace."
    ),
    "ports": OrangeFileKey(
        _ports, "How many free ports each workspace gets: `ORANGE_PORT` is the first, `ORANGE_PORTS` all of them."
    ),
    "instructions": OrangeFileKey(_instructions, "What every agent should know about this repository."),
}

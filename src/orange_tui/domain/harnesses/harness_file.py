"""`harnesses.yml`, the person's own agents: a mapping of names, each with the fields that differ from ours.

A name Orange knows changes only the fields that are given; a new one needs at least `binary` and `full`. As with
workflows, all problems are reported together, each with its line and the way out, and nothing raises.
"""

from __future__ import annotations

import re

from orange_tui.domain.errors import Unreadable
from orange_tui.domain.harnesses.fields import FIELDS, IGNORED, read_fields
from orange_tui.domain.harnesses.harness import Harness
from orange_tui.domain.records import record, replace
from orange_tui.domain.text import yaml_text
from orange_tui.domain.text.findings import Findings, quoted
from orange_tui.domain.text.yaml_nodes import Item

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from orange_tui.domain.text.findings import Problem

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}", re.ASCII)
_NEEDED = ("binary", "full")
_RESERVED_NAME = "demo"  # the tests and the demo depend on it


@record
class LoadedHarnesses:
    """The valid harnesses of a file, and everything that is wrong with the others."""

    harnesses: Mapping[str, Harness]
    problems: tuple[Problem, ...]


def load_harnesses(text: str, file: str, shipped: Mapping[str, Harness]) -> LoadedHarnesses:
    """Read a whole file. An entry with a problem is left out; the others can be used."""
    findings = Findings(file)
    try:
        node = yaml_text.compose(text)
    except Unreadable as fault:
        findings.add_unreadable(fault, 1)
        return LoadedHarnesses({}, findings.problems)
    if node is None or yaml_text.is_null(node):
        return LoadedHarnesses({}, ())
    harnesses: dict[str, Harness] = {}
    problems: list[Problem] = []
    for name, item in Item(node, "the file", findings).entries().items():
        item.findings = Findings(file)  # its own: an entry with a problem is left out, the others are not
        harness = _read(name, item, shipped)
        problems += item.findings.problems
        if harness is not None:
            harnesses[name] = harness
    return LoadedHarnesses(harnesses, tuple(sorted([*findings.problems, *problems], key=lambda found: found.line)))


def _read(name: str, item: Item, shipped: Mapping[str, Harness]) -> Harness | None:
    item.name = f"the agent {quoted(name)}"
    _check_name(name, item)
    known = shipped.get(name)
    entries = item.entries((*FIELDS, *IGNORED), required=() if known else _NEEDED)
    given = read_fields(entries)
    if item.findings.problems:
        return None
    harness = replace(known, **given) if known else _new(name, given)
    _check_options(harness, given, item, entries)
    return None if item.findings.problems else harness


def _new(name: str, given: dict[str, object]) -> Harness:
    binary = str(given["binary"])
    values = {"title": name, "install": f"Install `{binary}` so that it is on your PATH.", **given, "name": name}
    return Harness(**values)  # type: ignore[arg-type]  # each reader gave its field the right type


def _check_name(name: str, item: Item) -> None:
    if name == _RESERVED_NAME:
        item.add_problem("cannot be changed", "choose another name for yours")
    elif not _NAME.fullmatch(name):
        item.add_problem(
            "has a name that does not work on a command line",
            "use lower-case letters, digits, - and _, such as my-agent",
        )


def _check_options(harness: Harness, given: dict[str, object], item: Item, entries: Mapping[str, Item]) -> None:
    """A model or an effort that is asked for must not be dropped silently."""
    if not harness.model and not harness.effort:
        return
    for mode in ("full", "reduced", "resume", "root_full"):
        words = getattr(harness, mode)
        if words and "{options}" not in words and (mode in given or "model" in given or "effort" in given):
            entries.get(mode, item).add_problem(
                f"has no word {{options}} in `{mode}`, so `model` and `effort` would never reach the agent",
                "add it where their words belong, or write `model: []` and `effort: []`",
            )

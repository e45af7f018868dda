"""The list as a tree: every task below the one that it is a part of, with guides that lead to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orange_tui.domain.records import record

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from orange_tui.services.board import Row

    Key = tuple[str, str]

_BRANCH, _LAST, _LINE, _BLANK = "├─ ", "└─ ", "│  ", "   "


@record
class Listed:
    """The rows to show, from the top; in a tree each with what leads to it, and what leads past its second line."""

    rows: Sequence[Row]
    guides: Sequence[str] = ()
    below: Sequence[str] = ()


def as_tree(rows: Sequence[Row], shown: Sequence[Row]) -> Listed:
    """Parents before their parts, the parts oldest first; those to be shown come with all that lead to them."""
    by_key = {(row.ref.project, row.ref.id): row for row in rows}
    by_id = {row.ref.id: key for key, row in by_key.items()}
    parents = {key: parent for key, row in by_key.items() if (parent := _parent(row, by_key, by_id)) is not None}
    kept = _with_those_above([(row.ref.project, row.ref.id) for row in shown], parents)
    parts: dict[Key, list[Key]] = {}
    for key, parent in parents.items():
        if key in kept:
            parts.setdefault(parent, []).append(key)
    for each in parts.values():  # only the age counts: a part that is done keeps its place
        each.sort(key=lambda key: by_key[key].order[1:])
    return _walk([key for key in by_key if key in kept], parents, parts, by_key)


def _parent(row: Row, by_key: dict[Key, Row], by_id: dict[str, Key]) -> Key | None:
    parent = row.task.parent if row.task is not None else None
    if parent is None:
        return None
    own = (row.ref.project, parent)
    return own if own in by_key else by_id.get(parent)


def _with_those_above(found: Iterable[Key], parents: dict[Key, Key]) -> set[Key]:
    kept: set[Key] = set()
    for each in found:
        key: Key | None = each
        while key is not None and key not in kept:
            kept.add(key)
            key = parents.get(key)
    return kept


def _walk(keys: list[Key], parents: dict[Key, Key], parts: dict[Key, list[Key]], by_key: dict[Key, Row]) -> Listed:
    """From the tops down. Tasks that are parts of each other have no top: then the first of them serves as one."""
    rows: list[Row] = []
    guides: list[str] = []
    below: list[str] = []
    seen: set[Key] = set()
    for top in (*(key for key in keys if key not in parents), *keys):
        waiting = [(top, "", "")]
        while waiting:
            key, guide, beside = waiting.pop()
            if key in seen:
                continue
            seen.add(key)
            own = parts.get(key, ())
            rows.append(by_key[key])
            guides.append(guide)
            below.append(beside + (_LINE if own else ""))
            inner = [(each, beside + _BRANCH, beside + _LINE) for each in own[:-1]]
            inner += [(each, beside + _LAST, beside + _BLANK) for each in own[-1:]]
            waiting += reversed(inner)
    return Listed(rows, guides, below)

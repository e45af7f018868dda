"""Changing one value in a person's YAML file, in place.

The file is theirs: its comments, its order, its quoting and what Orange does not know stay, byte by byte. The new text
is read again and compared; what does not come out as it was meant is refused.
"""

from __future__ import annotations

import json
import re

from orange_tui.domain.errors import Refused, Unreadable
from orange_tui.domain.text.frontmatter import write_value
from orange_tui.domain.text.yaml_text import BYTE_ORDER_MARK, compose, mapping_entries, to_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    import yaml

_COMMENT = re.compile(r"#[^\r\n\x85\u2028\u2029]*")


def set_value(text: str, key: str, value: object) -> str:
    """The text of a mapping with another value for one of its keys; every other byte stays, comments included.

    A key that is not there is added at the end. What cannot be written so is refused: a person's file is never dumped
    anew. Comments within the old value stand above the key afterwards.
    """
    before = len(text) - len(text.removeprefix(BYTE_ORDER_MARK))  # what is not part of the YAML
    mark, body = text[:before], text[before:]
    node = compose(body)
    entries = mapping_entries(node) if node is not None else []
    written = write_value(value)
    old = next((at for at, (name, _, _) in enumerate(entries) if name == key), None)
    if node is None or old is None:
        changed = _added(body, node, f"{write_value(key)}: {written}")
    else:
        key_node, old_value = node.value[old]
        changed = _replaced(body, key_node, old_value, written)
    wanted = {name: to_value(found) for name, _, found in entries} | {key: value}
    if changed is None or not _holds(changed, wanted):
        raise Refused(f"`{key}` can't be changed there without rewriting what stands around it; change it by hand")
    return mark + changed


def _holds(text: str, wanted: dict[str, object]) -> bool:
    """Whether a text reads as exactly these values, in this order and of these types."""
    try:
        node = compose(text)
        found = {name: to_value(value) for name, _, value in mapping_entries(node)} if node is not None else {}
    except Unreadable:
        return False
    return json.dumps(found) == json.dumps(wanted)


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _added(text: str, node: yaml.Node | None, line: str) -> str | None:
    """The text with one more line; a mapping in braces has no place for one."""
    if node is not None and getattr(node, "flow_style", None):
        return None
    indent = " " * (node.start_mark.column if node is not None else 0)
    gap = "" if not text or text.endswith(("\n", "\r")) else _line_end(text)
    return f"{text}{gap}{indent}{line}{_line_end(text)}"


def _replaced(text: str, key: yaml.Node, value: yaml.Node, written: str) -> str | None:
    """The text with a value written in the place of another, and the comments of that one above its key."""
    colon = text.index(":", key.end_mark.index) + 1
    end = max(colon, _last_index(text, value))
    comments = _comments_in(text, colon, end, value)
    line = text.rfind("\n", 0, key.start_mark.index) + 1
    indent = text[line : key.start_mark.index]
    if comments and indent.strip(" "):
        return None  # the key does not begin its line
    above = "".join(f"{indent}{comment}{_line_end(text)}" for comment in comments)
    return f"{text[:line]}{above}{text[line:colon]} {written}{text[end:]}"


def _parts(node: yaml.Node) -> list[yaml.Node]:
    """What a list or a mapping is made of; a single value has no parts."""
    if isinstance(node.value, str):
        return []
    return [each for part in node.value for each in (part if isinstance(part, tuple) else (part,))]


def _leaves(node: yaml.Node) -> Iterator[yaml.Node]:
    """The single values in a value."""
    if isinstance(node.value, str):
        yield node
    for part in _parts(node):
        yield from _leaves(part)


def _last_index(text: str, node: yaml.Node) -> int:
    """Where a value ends: YAML ends a block at the token after it, with all that is between."""
    if getattr(node, "flow_style", None) or isinstance(node.value, str):
        return int(node.start_mark.index) + len(_written(text, node).rstrip())
    return max((_last_index(text, part) for part in _parts(node)), default=node.end_mark.index)


def _written(text: str, node: yaml.Node) -> str:
    return text[node.start_mark.index : node.end_mark.index]


def _comments_in(text: str, start: int, end: int, value: yaml.Node) -> list[str]:
    """The comments between two places: what follows a `#` that is in no single value."""
    between = list(text)
    for leaf in _leaves(value):
        first = leaf.start_mark.index
        if getattr(leaf, "style", None) in {"|", ">"}:  # the line that begins a block may have a comment
            first += len(_written(text, leaf).splitlines()[0])
        between[first : leaf.end_mark.index] = "\n" * (leaf.end_mark.index - first)
    return [found.rstrip() for found in _COMMENT.findall("".join(between[start:end]))]

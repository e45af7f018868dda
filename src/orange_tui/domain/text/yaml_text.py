"""How Orange reads YAML: into nodes that know their line, after checking the size of what they would become.

The quick C loader overflows the process's stack on deep nesting, and a few hundred bytes of aliases or
merge keys expand to millions of values. Both show in the stream of events, which is flat and cheap, so
that is checked first, and nothing is built from a text that looks like an attack. YAML 1.1's readings of
`0123`, `1:30` and dates are not what people mean in these files; here they stay text.

`yaml` is imported by the functions, not by the module: a command that needs none of it should not wait for it.
"""

from __future__ import annotations

import re

from orange_tui.domain.errors import Unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    import yaml

    Entries = list[tuple[str, int, yaml.Node]]

MAX_BYTES = 1024 * 1024
BYTE_ORDER_MARK = "\ufeff"
_MAX_DEPTH = 32
_MAX_EVENTS = 100_000
_MAX_NUMBER_CHARACTERS = 40  # no count, port or timeout is longer, and Python refuses to print very long ones

# Compiled when they are first needed: that takes longer than everything else this module does.
_UNPRINTABLE = r"[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
_UNUSABLE = r"[\x00\ud800-\udfff]"
_WHOLE = r"[-+]?(?:0|[1-9][0-9]*|0x[0-9a-fA-F]+|0b[01]+)"
_FRACTION = r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
_TAG = "tag:yaml.org,2002:"


def compose(text: str, *, max_bytes: int = MAX_BYTES) -> yaml.Node | None:
    """Parse a text into a tree of nodes; None for an empty one. Every error is `Unreadable`."""
    import yaml

    text = text.removeprefix(BYTE_ORDER_MARK)
    _check_size(text, max_bytes)
    _check_characters(text)
    loader = _loader()
    try:
        _check_events(yaml.parse(text, Loader=loader))
        node: yaml.Node | None = yaml.compose(text, Loader=loader)
    except yaml.YAMLError as error:
        raise _unreadable(error) from None
    except (ArithmeticError, LookupError, ValueError, RecursionError) as error:
        # The pure Python scanner raises some of these, for escapes and version numbers out of range.
        raise Unreadable(f"this is not YAML that can be read ({error})") from None
    return node


def _loader() -> type[yaml.SafeLoader | yaml.CSafeLoader]:
    import yaml

    return getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _check_size(text: str, most: int) -> None:
    if len(text) > most or len(text.encode(errors="surrogatepass")) > most:
        raise Unreadable(f"this is longer than {most:,} bytes; make it shorter")


def _check_characters(text: str) -> None:
    found = re.search(_UNPRINTABLE, text)
    if found:
        raise Unreadable(
            f"YAML does not allow the character U+{ord(found[0]):04X}; remove it",
            line=text.count("\n", 0, found.start()) + 1,
        )


def _check_events(events: Iterable[yaml.Event]) -> None:
    import yaml

    depth = documents = 0
    for number, event in enumerate(events):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        documents += isinstance(event, yaml.DocumentStartEvent)
        reason = _unsupported(event) if isinstance(event, yaml.NodeEvent) else None
        if depth > _MAX_DEPTH:
            reason = f"this is nested more than {_MAX_DEPTH} levels deep; make it flatter"
        elif documents > 1:
            reason = "a second document begins here, and only one is read; remove the `---`"
        elif number > _MAX_EVENTS:
            reason = f"there are more than {_MAX_EVENTS:,} values up to here; make it shorter"
        if reason:
            raise Unreadable(reason, line=event.start_mark.line + 1 if event.start_mark else None)


def _unsupported(event: yaml.NodeEvent) -> str | None:
    import yaml

    if event.anchor is not None:
        return "anchors and aliases (`&` and `*`) are not supported; write the value out, or quote it if it is text"
    if getattr(event, "tag", None) is not None:
        return "tags (`!`) are not supported; write the value without one, or quote it if it is text"
    if isinstance(event, yaml.ScalarEvent) and re.search(_UNUSABLE, event.value):
        return "an escape here stands for a character that is not allowed; remove it"
    return None


def _unreadable(error: yaml.YAMLError) -> Unreadable:
    """The parser's error, with its line."""
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "it cannot be parsed"
    context = getattr(error, "context", None)
    hint = "; indent with spaces, not with tabs" if "cannot start any token" in problem else ""
    reason = f"this is not YAML: {problem}{f' ({context})' if context else ''}{hint}"
    return Unreadable(reason, line=mark.line + 1 if mark else None)


def line_of(node: yaml.Node) -> int:
    """The line a value begins on, counted from 1 as editors do."""
    line: int = node.start_mark.line
    return line + 1


def kind_of(node: yaml.Node) -> str:
    """`scalar`, `sequence` or `mapping`."""
    import yaml

    if isinstance(node, yaml.ScalarNode):
        return "scalar"
    return "sequence" if isinstance(node, yaml.SequenceNode) else "mapping"


def is_null(node: yaml.Node) -> bool:
    """Whether the value is empty or `null`."""
    return node.tag == _TAG + "null"


def mapping_entries(node: yaml.Node) -> Entries:
    """The keys of a mapping as they were typed, with their lines; a duplicate key is refused."""
    entries, errors = mapping_entries_and_errors(node)
    for error in errors:
        raise error
    return entries


def mapping_entries_and_errors(node: yaml.Node) -> tuple[Entries, list[Unreadable]]:
    """The valid keys and what is wrong with the others, for a reader that reports all problems at once."""
    import yaml

    entries: Entries = []
    errors: list[Unreadable] = []
    seen: dict[str, int] = {}
    if not isinstance(node, yaml.MappingNode):
        return entries, [Unreadable("this must be a mapping, lines of `key: value`", line=line_of(node))]
    for key_node, value in node.value:
        problem = _key_problem(key_node, seen)
        if problem:
            errors.append(Unreadable(problem, line=line_of(key_node)))
        else:
            seen[key_node.value] = line_of(key_node)
            entries.append((key_node.value, line_of(key_node), value))
    return entries, errors


def _key_problem(key: yaml.Node, seen: dict[str, int]) -> str | None:
    import yaml

    if not isinstance(key, yaml.ScalarNode) or is_null(key):
        return "a key must be text; if it has brackets, braces or nothing in it, quote it"
    if key.value in seen:
        return f"the key '{key.value[:60]}' is already on line {seen[key.value]}; keep one of the two"
    return None


def sequence_items(node: yaml.Node) -> list[yaml.Node]:
    """The values of a list."""
    import yaml

    if not isinstance(node, yaml.SequenceNode):
        raise Unreadable("this must be a list, lines that begin with `- `", line=line_of(node))
    return list(node.value)


def text_of(node: yaml.Node) -> str:
    """A single value as it was typed, whatever YAML would have made of it."""
    import yaml

    if not isinstance(node, yaml.ScalarNode):
        raise Unreadable("this must be a single value, not a list or a mapping", line=line_of(node))
    return str(node.value)


def to_value(node: yaml.Node) -> object:
    """Plain data: texts, numbers, true and false, None, lists and dictionaries with text for keys."""
    import yaml

    if isinstance(node, yaml.MappingNode):
        return {key: to_value(value) for key, _, value in mapping_entries(node)}
    if isinstance(node, yaml.SequenceNode):
        return [to_value(item) for item in node.value]
    return _scalar(node.tag.removeprefix(_TAG), node.value)


def _scalar(kind: str, text: str) -> object:
    if kind == "null":
        return None
    if kind == "bool":
        return text.lower() in {"yes", "true", "on"}
    if len(text) > _MAX_NUMBER_CHARACTERS:
        return text
    if kind == "int" and re.fullmatch(_WHOLE, text):
        return int(text, 0)
    if kind == "float" and re.fullmatch(_FRACTION, text):
        return _finite(text)
    return text


def _finite(text: str) -> object:
    """A number as it is, but infinity as text: JSON, into which these values also go, has none."""
    number = float(text)
    return text if number in {float("inf"), float("-inf")} else number

"""One value on one line of frontmatter: how Orange writes it, and how it is known again.

A line that is exactly as Orange would write it needs no YAML parser to be read. That is the whole of the quick
way, and it is quick: no regular expression is compiled for it, because that alone takes longer than the reading.
"""

from __future__ import annotations

import json

from orange_tui.domain.errors import Refused
from orange_tui.domain.records import record

MAX_YAML_BYTES = 256 * 1024
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_WORD_CHARACTERS = _LETTERS + "0123456789/_.-"
_KEY_CHARACTERS = _LETTERS + "_"
_NOT_WORDS = frozenset({"null", "true", "false", "yes", "no", "on", "off", "y", "n"})
_LONGEST_KEY = 100
_LONGEST_NUMBER = 15
_DEEPEST = 4  # of what we write in one line; YAML reads deeper ones
_LAST_OF_TWO_BYTES = 0xFFFF


@record
class FrontmatterEntry:
    """One top-level key: its value as data, its text as written, and the lines it takes."""

    value: object
    text: str | None  # a scalar exactly as typed: dates and numbers in text fields stay what they were
    first: int
    after: int
    texts: tuple[str, ...] | None = None  # likewise the items of a list of scalars


def write_key(key: str) -> str:
    """Keys read as text whatever they look like, except for null."""
    bare = key.replace("-", "_")
    is_plain = bare.isascii() and bare.isidentifier() and not key.startswith("-") and key.lower() not in _NOT_WORDS
    return key if is_plain else write_value(key)


def write_value(value: object) -> str:
    """A value on one line, such that YAML 1.1, YAML 1.2 and people read the same."""
    if isinstance(value, str) and _is_word(value):
        return value
    text = json.dumps(value, ensure_ascii=False)
    if "\\u0000" in text or not text.isprintable():
        _refuse_unwritable(value)
        return "".join(c if c.isprintable() else _escaped(c) for c in text)
    return text


def _escaped(character: str) -> str:
    """JSON lets through some characters that YAML, or a terminal, does not."""
    code = ord(character)
    return f"\\u{code:04x}" if code <= _LAST_OF_TWO_BYTES else f"\\U{code:08x}"


def _refuse_unwritable(value: object) -> None:
    """No escape makes these readable: YAML has none for half a character, and Orange reads no NUL."""
    if isinstance(value, dict):
        value = [*value, *value.values()]
    if isinstance(value, list | tuple):
        for part in value:
            _refuse_unwritable(part)
        return
    for character in value if isinstance(value, str) else "":
        if character == "\0" or "\ud800" <= character <= "\udfff":
            raise Refused(f"no text here may have the character U+{ord(character):04X}; remove it")


def _is_word(text: str) -> bool:
    return text[:1] in _LETTERS and text != "" and not text.strip(_WORD_CHARACTERS) and text not in _NOT_WORDS


def read_simple(line: str) -> tuple[str, object] | None:
    """Key and value of a line that is just as we write it; None for any other."""
    if not line.endswith("\n"):
        return None
    key, colon, rest = line[: -2 if line.endswith("\r\n") else -1].partition(":")
    is_key = colon and key and not key.strip(_KEY_CHARACTERS) and len(key) <= _LONGEST_KEY and key not in _NOT_WORDS
    if not is_key or (rest and rest[0] != " "):
        return None
    if rest in {"", " null"}:
        return key, None
    value = _simple_value(rest[1:])
    return None if value is None else (key, value)


def _simple_value(text: str) -> object | None:
    if _is_word(text):
        return text
    if text[:1] not in {'"', "[", "{"}:
        is_number = text.isascii() and text.isdigit() and len(text) <= _LONGEST_NUMBER
        return int(text) if is_number and (text[0] != "0" or text == "0") else None
    try:
        value = json.loads(text)
        is_ours = write_value(value) == text
    except (ValueError, RecursionError, Refused):
        return None
    if isinstance(value, dict):
        return value if is_ours and _reads_alike(value) else None
    texts = value if isinstance(value, list) else [value]
    return value if is_ours and all(isinstance(item, str) for item in texts) else None


def _reads_alike(value: object, depth: int = 0) -> bool:
    """Whether JSON and YAML agree on a value: on texts, flags and what is made of them; of numbers, on few."""
    if depth > _DEEPEST:
        return False
    if isinstance(value, dict):
        are_keys = all(len(key) <= _LONGEST_KEY for key in value)
        return are_keys and all(_reads_alike(part, depth + 1) for part in value.values())
    if isinstance(value, list):
        return all(_reads_alike(part, depth + 1) for part in value)
    return value is None or isinstance(value, str | bool)

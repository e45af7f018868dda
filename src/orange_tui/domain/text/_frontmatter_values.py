"""One value on one line of frontmatter: how Orange writes it, and how such a line is read without a YAML parser.

This is the fast path: only a line that is exactly as Orange would write it takes it. No regular expression is used,
because compiling one takes longer than the reading.
"""

from __future__ import annotations

import json

from orange_tui.domain.errors import Refused
from orange_tui.domain.records import record

MAX_YAML_BYTES = 256 * 1024
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_WORD_CHARACTERS = _LETTERS + "0123456789/_.-"
_KEY_CHARACTERS = _LETTERS + "_"
_RESERVED_WORDS = frozenset({"null", "true", "false", "yes", "no", "on", "off", "y", "n"})
_MAX_KEY_CHARACTERS = 100
_MAX_DIGITS = 15
_MAX_DEPTH = 4  # deeper values take the YAML parser
_LAST_TWO_BYTE_CHARACTER = 0xFFFF


@record
class FrontmatterEntry:
    """One top-level key: its value as data, its text as written, and the lines it takes."""

    value: object
    text: str | None  # a scalar exactly as typed: dates and numbers in text fields stay as they are
    first: int
    after: int
    texts: tuple[str, ...] | None = None  # likewise the items of a list of scalars


def write_key(key: str) -> str:
    """Keys read as text whatever they look like, except for null."""
    bare = key.replace("-", "_")
    is_plain = bare.isascii() and bare.isidentifier() and not key.startswith("-") and key.lower() not in _RESERVED_WORDS
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
    """An escape for a character that JSON allows, but YAML or a terminal does not."""
    code = ord(character)
    return f"\\u{code:04x}" if code <= _LAST_TWO_BYTE_CHARACTER else f"\\U{code:08x}"


def _refuse_unwritable(value: object) -> None:
    """Refuse what no escape can express: YAML has none for half a surrogate pair, and Orange reads no NUL."""
    if isinstance(value, dict):
        value = [*value, *value.values()]
    if isinstance(value, list | tuple):
        for part in value:
            _refuse_unwritable(part)
        return
    for character in value if isinstance(value, str) else "":
        if character == "\0" or "\ud800" <= character <= "\udfff":
            raise Refused(f"the character U+{ord(character):04X} is not allowed here; remove it")


def _is_word(text: str) -> bool:
    return text[:1] in _LETTERS and text != "" and not text.strip(_WORD_CHARACTERS) and text not in _RESERVED_WORDS


def read_simple(line: str) -> tuple[str, object] | None:
    """Key and value of a line that is exactly as Orange writes it; None for any other."""
    if not line.endswith("\n"):
        return None
    key, colon, rest = line[: -2 if line.endswith("\r\n") else -1].partition(":")
    is_key = (
        colon
        and key
        and not key.strip(_KEY_CHARACTERS)
        and len(key) <= _MAX_KEY_CHARACTERS
        and key not in _RESERVED_WORDS
    )
    if not is_key or (rest and rest[0] != " "):
        return None
    if rest in {"", " null"}:
        return key, None
    value = _simple_value(rest[1:])
    return None if value is None else (key, value)


def _simple_value(text: str) -> object | None:
    if _is_word(text):
        return text
    if _is_plain_quoted(text):
        return None if _is_word(text[1:-1]) else text[1:-1]  # as JSON would read it, in a tenth of the time
    if text[:1] not in {'"', "[", "{"}:
        is_number = text.isascii() and text.isdigit() and len(text) <= _MAX_DIGITS
        return int(text) if is_number and (text[0] != "0" or text == "0") else _simple_decimal(text)
    try:
        value = json.loads(text)
        is_as_written = write_value(value) == text
    except (ValueError, RecursionError, Refused):
        return None
    if isinstance(value, dict):
        return value if is_as_written and _reads_alike(value) else None
    texts = value if isinstance(value, list) else [value]
    return value if is_as_written and all(isinstance(item, str) for item in texts) else None


def _simple_decimal(text: str) -> float | None:
    """A number such as 2.5, which JSON and YAML read alike."""
    whole, _, rest = text.partition(".")
    digits = whole + rest
    if not (whole and rest and digits.isascii() and digits.isdigit() and len(digits) <= _MAX_DIGITS):
        return None
    value = float(text)
    return value if write_value(value) == text else None


def _is_plain_quoted(text: str) -> bool:
    """Whether a text is in quotes, with nothing in it that needs an escape."""
    inside = text[1:-1]
    is_quoted = len(text) > 1 and text[0] == text[-1] == '"'
    return is_quoted and inside.isprintable() and '"' not in inside and "\\" not in inside


def _reads_alike(value: object, depth: int = 0) -> bool:
    """Whether JSON and YAML agree on a value: they do on texts, flags and collections of these, not on all numbers."""
    if depth > _MAX_DEPTH:
        return False
    if isinstance(value, dict):
        are_keys = all(len(key) <= _MAX_KEY_CHARACTERS for key in value)
        return are_keys and all(_reads_alike(part, depth + 1) for part in value.values())
    if isinstance(value, list):
        return all(_reads_alike(part, depth + 1) for part in value)
    return value is None or isinstance(value, str | bool)

"""TASK.md as text and as a `Task`.

A file that cannot be read is refused with the reason and the line, and never rewritten.
"""

from __future__ import annotations

from orange_tui.domain.errors import Refused, Unreadable
from orange_tui.domain.records import record
from orange_tui.domain.task import FIELDS, is_dollars, make_task
from orange_tui.domain.text import frontmatter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from orange_tui.domain.task import Task
    from orange_tui.domain.text.frontmatter import FrontmatterEntry, Head

MAX_BYTES = 5_000_000


@record
class TaskFile:
    """A TASK.md that was read: the task in its frontmatter, and the text it came from."""

    task: Task
    head: Head

    @property
    def body(self) -> str:
        """Everything after the frontmatter, byte for byte."""
        return self.head.body

    @property
    def text(self) -> str:
        """The whole file."""
        return frontmatter.join(self.head)

    def encode(self) -> bytes:
        """The bytes of the file; refused if they could not be read again."""
        try:
            data = self.text.encode()
        except UnicodeEncodeError as problem:
            broken = self.text[problem.start]
            raise Refused(
                f"TASK.md cannot hold the lone surrogate U+{ord(broken):04X}; was the text not UTF-8?"
            ) from None
        if len(data) > MAX_BYTES:
            raise Refused(f"TASK.md would grow over {MAX_BYTES // 1_000_000} MB; put long material into another file")
        return data

    def with_fields(self, changes: Mapping[str, object]) -> TaskFile:
        """The same file with some frontmatter fields set."""
        return _read_head(frontmatter.change(self.head, changes))

    def with_body(self, body: str) -> TaskFile:
        """The same frontmatter over another body."""
        return TaskFile(self.task, frontmatter.with_body(self.head, body))


def decode(data: bytes) -> TaskFile:
    """Read a TASK.md from its bytes."""
    if len(data) > MAX_BYTES:
        raise Unreadable(f"the file is over {MAX_BYTES // 1_000_000} MB; move most of it to another file")
    try:
        text = data.decode()
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + 1
        raise Unreadable("this is not UTF-8 text; save the file as UTF-8", line=line) from None
    return parse(text)


def parse(text: str) -> TaskFile:
    """Read a TASK.md from its text."""
    return _read_head(frontmatter.split(text))


def new(values: Mapping[str, object], body: str) -> TaskFile:
    """The TASK.md of a new task, with every known field, and any others that are given."""
    full = {name: values.get(name, field.default) for name, field in FIELDS.items()}
    full |= {name: value for name, value in values.items() if name not in FIELDS}
    lines = tuple(f"{name}: {frontmatter.write_value(value)}\n" for name, value in full.items())
    return _read_head(frontmatter.Head("---\n", lines, "---\n", body))


def _read_head(head: Head) -> TaskFile:
    values: dict[str, object] = {}
    for name, entry in frontmatter.read(head).items():
        reader = _READERS_BY_FIELD.get(name)
        value = entry.value if reader is None else reader(name, entry)
        if value is not None or reader is None:
            values[name] = value
    return TaskFile(make_task(values), head)


def _text(name: str, entry: FrontmatterEntry) -> str | None:
    if entry.value is None:
        return None
    if entry.text is None:
        raise _wrong_kind(name, entry, "one line of text")
    return entry.text


def _number(name: str, entry: FrontmatterEntry) -> int | None:
    if entry.value is None or type(entry.value) is int:
        return entry.value
    raise _wrong_kind(name, entry, "a whole number")


def _dollars(name: str, entry: FrontmatterEntry) -> float | None:
    if entry.value is None or is_dollars(entry.value):
        return entry.value  # type: ignore[return-value]  # just checked
    raise _wrong_kind(name, entry, "a number of dollars, such as 5 or 2.50")


def _texts(name: str, entry: FrontmatterEntry) -> tuple[str, ...] | None:
    if entry.value is None:
        return None
    if entry.text is not None:
        return (entry.text,) if entry.text else ()
    if entry.texts is None:
        raise _wrong_kind(name, entry, "a list of texts, such as [one, two]")
    return entry.texts


def _wrong_kind(name: str, entry: FrontmatterEntry, wanted: str) -> Unreadable:
    return Unreadable(f"`{name}` must be {wanted}", line=entry.first + 2)


_READERS = {"text": _text, "number": _number, "dollars": _dollars, "texts": _texts}
_READERS_BY_FIELD = {name: _READERS[field.kind] for name, field in FIELDS.items()}

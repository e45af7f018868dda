"""A YAML value that reports what is wrong with it: asked for text, a number or a list, it is that or None.

Reading goes on after a problem, because all problems of a file are reported together.
"""

from __future__ import annotations

from orange_tui.domain.errors import Unreadable
from orange_tui.domain.text import yaml_text
from orange_tui.domain.text.findings import listed, quoted, suggest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    import yaml

    from orange_tui.domain.text.findings import Findings


class Item:
    """One value: its node, its name in messages, and its line."""

    def __init__(self, node: yaml.Node, name: str, findings: Findings, key_line: int | None = None) -> None:
        self.node = node
        self.kind = yaml_text.kind_of(node)
        self.name = name
        self.findings = findings
        # A block begins below its key, and an empty value has no line of its own: people look at the key.
        at_key = key_line is not None and (self.kind != "scalar" or not node.value)
        self.line = key_line if key_line is not None and at_key else yaml_text.line_of(node)

    @property
    def is_null(self) -> bool:
        """Whether nothing was written, or `null`."""
        return yaml_text.is_null(self.node)

    @property
    def is_text(self) -> bool:
        """Whether it is a single value, and not null."""
        return self.kind == "scalar" and not self.is_null

    @property
    def could_be_mapping(self) -> bool:
        """Whether it is a mapping, or null, which counts as an empty one."""
        return self.kind == "mapping" or self.is_null

    @property
    def is_list(self) -> bool:
        """Whether it is a list."""
        return self.kind == "sequence"

    def line_inside(self, below: int) -> int:
        """The line of something so many lines down a text; only a block keeps its lines."""
        return self.line + 1 + below if getattr(self.node, "style", None) == "|" else self.line

    def add_problem(self, what: str, fix: str) -> None:
        """Report a problem with this value."""
        self.findings.add_problem(self.line, f"{self.name} {what}", fix)

    def text(self) -> str | None:
        """A single value as typed: `on`, `1` and `true` are text here."""
        if self.is_text and self.node.value.strip():
            return yaml_text.text_of(self.node)
        found = "is empty" if self.kind == "scalar" else f"is a {self.kind}"
        self.add_problem(found, "write text; quote it if it begins with # or has a colon in it")
        return None

    def flag(self) -> bool | None:
        """`true` or `false`."""
        value = self.value()
        if isinstance(value, bool):
            return value
        self.add_problem(f"is {self._shown()}", "write true or false")
        return None

    def whole(self) -> int | None:
        """A whole number above zero."""
        value = self.value()
        if isinstance(value, int) and not isinstance(value, bool) and value > 0:
            return value
        self.add_problem(f"is {self._shown()}", "write a whole number above 0")
        return None

    def seconds(self) -> float | None:
        """A number above zero."""
        value = self.value()
        if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
            return value
        self.add_problem(f"is {self._shown()}", "write a number of seconds above 0")
        return None

    def word(self, choices: Collection[str]) -> str | None:
        """One of a few words."""
        text = self.text()
        if text is None or text in choices:
            return text
        self.add_problem(f"is {quoted(text)}", suggest(text, choices))
        return None

    def value(self) -> object:
        """Plain data of any kind; None also when it cannot be read."""
        try:
            return yaml_text.to_value(self.node)
        except Unreadable as error:
            self.findings.add_unreadable(error, self.line)
            return None

    def items(self, each: str) -> list[Item]:
        """The values of a list, each with this name in messages; null is an empty list."""
        if self.is_null:
            return []
        if self.is_list:
            return [Item(node, each, self.findings) for node in yaml_text.sequence_items(self.node)]
        self.add_problem(f"is {self._shown()}", "write a list, lines that begin with `- `")
        return []

    def one_or_more(self, each: str) -> list[Item]:
        """A list, or a single value in its place; at least one."""
        if not self.is_list:
            return [self]
        found = self.items(each)
        if not found:
            self.add_problem("is an empty list", "name at least one")
        return found

    def entries(self, allowed: Collection[str] | None = None, required: Collection[str] = ()) -> dict[str, Item]:
        """The entries of a mapping that are allowed; null is an empty mapping."""
        if self.kind != "mapping":
            if not self.is_null:
                self.add_problem(f"is {self._shown()}", "write a mapping, lines of `key: value`")
                return {}
            found: dict[str, Item] = {}
        else:
            found = self._known(allowed)
        for key in required:
            if key not in found:
                self.add_problem(f"has no `{key}`", f"add it; {_needed(required)}")
        return found

    def _known(self, allowed: Collection[str] | None) -> dict[str, Item]:
        entries, errors = yaml_text.mapping_entries_and_errors(self.node)
        for error in errors:
            self.findings.add_unreadable(error, self.line)
        for key, line, _ in entries:
            if allowed is not None and key not in allowed:
                what = f"{self.name} has the unknown key {quoted(key)}"
                self.findings.add_problem(line, what, suggest(key, allowed))
        return {
            key: Item(node, f"`{key[:60]}`", self.findings, line)
            for key, line, node in entries
            if allowed is None or key in allowed
        }

    def _shown(self) -> str:
        if self.is_null:
            return "empty"
        return quoted(self.node.value) if self.kind == "scalar" else f"a {self.kind}"


def _needed(required: Collection[str]) -> str:
    if len(required) == 1:
        return "it is required"
    return f"required are: {listed(required)}"


def only_one(owner: Item, entries: dict[str, Item], keys: Collection[str]) -> str | None:
    """Which of these keys is given, when at most one may be; the first where there are more."""
    found = [key for key in keys if key in entries]
    for extra in found[1:]:
        entries[extra].findings.add_problem(
            entries[extra].line,
            f"{owner.name} has both `{found[0]}` and `{extra}`",
            "keep one of the two",
        )
    return found[0] if found else None

"""The part of GraphQL that gh and Orange use: aliases, arguments, variables, fragments, errors with their path.

Answers come from plain mappings. A value that can be called is given the arguments; one that raises `Missing`
becomes null, with an error beside the data, as GitHub does it.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|\.\.\.|[A-Za-z_]\w*|-?\d+(?:\.\d+)?|[{}()\[\]:!$=@|]')
_WORDS = {"true": True, "false": False, "null": None}


class Missing(Exception):
    """There is nothing of that name or number (any more)."""


@dataclass
class Selection:
    """One field that is asked for; `spread` is the name of a fragment instead."""

    name: str = ""
    alias: str = ""
    arguments: dict[str, Any] = field(default_factory=dict)
    parts: list[Selection] = field(default_factory=list)
    spread: str = ""
    on_type: str = ""


@dataclass
class Variable:
    """A placeholder for a variable."""

    name: str


class Query:
    """A parsed query."""

    def __init__(self, text: str) -> None:
        self._tokens: list[str] = _TOKEN.findall(text)
        self.fragments: dict[str, Selection] = {}
        self.parts: list[Selection] = []
        while self._tokens:
            self._definition()

    def _take(self, wanted: str | None = None) -> str:
        token = self._tokens.pop(0)
        assert wanted in {None, token}, (wanted, token, self._tokens[:9])
        return token

    def _peek(self) -> str:
        return self._tokens[0] if self._tokens else ""

    def _definition(self) -> None:
        if self._peek() == "fragment":
            self._take()
            name = self._take()
            self._take("on")
            self.fragments[name] = Selection(on_type=self._take(), parts=self._selections())
            return
        while self._peek() != "{":  # `query Name($variables: …)`: the values come beside the text
            self._take()
        self.parts = self._selections()

    def _selections(self) -> list[Selection]:
        self._take("{")
        found = []
        while self._peek() != "}":
            found.append(self._selection())
        self._take("}")
        return found

    def _selection(self) -> Selection:
        name = self._take()
        if name == "...":
            if self._peek() != "on":
                return Selection(spread=self._take())
            self._take()
            return Selection(on_type=self._take(), parts=self._selections())
        alias = name
        if self._peek() == ":":
            self._take()
            name = self._take()
        arguments = self._arguments() if self._peek() == "(" else {}
        return Selection(name, alias, arguments, self._selections() if self._peek() == "{" else [])

    def _arguments(self) -> dict[str, Any]:
        self._take("(")
        found = {}
        while self._peek() != ")":
            name = self._take()
            self._take(":")
            found[name] = self._value()
        self._take(")")
        return found

    def _value(self) -> Any:
        token = self._take()
        if token == "$":
            return Variable(self._take())
        if token == "[":
            return list(self._until("]", self._value))
        if token == "{":
            return dict(self._until("}", self._pair))
        return _WORDS[token] if token in _WORDS else json.loads(token) if token[0] in '"-0123456789' else token

    def _pair(self) -> tuple[str, Any]:
        name = self._take()
        self._take(":")
        return name, self._value()

    def _until(self, end: str, one: Any) -> Iterator[Any]:
        while self._peek() != end:
            yield one()
        self._take(end)


class Answer:
    """The answer to a query, read from a mapping."""

    def __init__(self, text: str, variables: Mapping[str, Any], root: Mapping[str, Any]) -> None:
        self._query, self._variables = Query(text), variables
        self.errors: list[dict[str, Any]] = []
        self.data = self._object(self._query.parts, root, [])

    def as_json(self) -> dict[str, Any]:
        return {"data": self.data, **({"errors": self.errors} if self.errors else {})}

    def _object(self, parts: list[Selection], found: Mapping[str, Any], path: list[Any]) -> dict[str, Any]:
        answer: dict[str, Any] = {}
        for part in parts:
            if not part.name:
                inner = self._query.fragments[part.spread] if part.spread else part
                if inner.on_type == found.get("__typename", inner.on_type):
                    answer.update(self._object(inner.parts, found, path))
                continue
            answer[part.alias] = self._field(part, found, [*path, part.alias])
        return answer

    def _field(self, part: Selection, found: Mapping[str, Any], path: list[Any]) -> Any:
        if part.name not in found:
            problem = f"Field '{part.name}' doesn't exist on type '{found.get('__typename', '?')}'"
            self.errors.append({"message": problem, "path": path, "type": "undefinedField"})
            return None
        value = found[part.name]
        try:
            value = value(**self._filled(part.arguments)) if callable(value) else value
        except Missing as missing:
            self.errors.append({"type": "NOT_FOUND", "path": path, "message": str(missing)})
            return None
        return self._shaped(part, value, path)

    def _shaped(self, part: Selection, value: Any, path: list[Any]) -> Any:
        if isinstance(value, list):
            return [self._shaped(part, each, [*path, place]) for place, each in enumerate(value)]
        return self._object(part.parts, value, path) if isinstance(value, dict) and part.parts else value

    def _filled(self, value: Any) -> Any:
        match value:
            case Variable():
                return self._variables.get(value.name)
            case dict():
                return {name: self._filled(each) for name, each in value.items()}
            case list():
                return [self._filled(each) for each in value]
        return value

"""The source of Orange as tests about its shape look at it: read once, each module parsed once, no tree kept."""

from __future__ import annotations

import ast
import functools
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import orange_tui

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(orange_tui.__file__).parent
_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")  # where a statement can be in another one


@dataclass(frozen=True)
class Import:
    """`import module` or `from module import name`: one for each name."""

    module: str
    name: str | None
    for_types: bool  # it stands under TYPE_CHECKING


@dataclass(frozen=True)
class Source:
    """What is asked of a module, by those who look at all of them."""

    path: Path
    text: str
    docstring: str | None
    statements: int  # at its head
    classes: tuple[str, ...]  # at its head
    imports: tuple[Import, ...]  # wherever they stand
    functions: tuple[tuple[str, int], ...]  # each with its length, wherever it stands


@functools.cache
def sources() -> dict[str, Source]:
    """Every module by its name below the package; that of a package itself ends with `__init__`."""
    paths = sorted(ROOT.rglob("*.py"))
    return {".".join(path.relative_to(ROOT).with_suffix("").parts): source_of(path) for path in paths}


def source_of(path: Path) -> Source:
    text = path.read_text()
    tree = ast.parse(text)
    imports: list[Import] = []
    functions: list[tuple[str, int]] = []
    for node, for_types in _statements(tree):
        if isinstance(node, ast.Import):
            imports += [Import(alias.name, None, for_types) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            imports += [Import(node.module or "", alias.name, for_types) for alias in node.names]
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            functions.append((node.name, (node.end_lineno or 0) - node.lineno + 1))
    return Source(
        path,
        text,
        ast.get_docstring(tree),
        len(tree.body),
        tuple(node.name for node in tree.body if isinstance(node, ast.ClassDef)),
        tuple(imports),
        tuple(functions),
    )


def _statements(tree: ast.Module) -> Iterator[tuple[ast.AST, bool]]:
    """Every statement, and whether it is for types only; what is within an expression is none."""
    left: list[tuple[ast.AST, bool]] = [(tree, False)]
    while left:
        node, for_types = left.pop()
        yield node, for_types
        for_types = for_types or _is_for_types(node)
        for block in _BLOCKS:
            inner = getattr(node, block, ())
            if isinstance(inner, list):  # that of a lambda or of `a if b else c` is an expression
                left += [(each, for_types) for each in inner]


def _is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"

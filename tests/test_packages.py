"""The shape of the source: packages a reader can take in at a glance, private modules that are private, no cycles."""

from __future__ import annotations

import ast
import functools
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

import orange_tui

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

ROOT = Path(orange_tui.__file__).parent
MOST_MODULES = 12
MOST_LINES = 320  # about 300
FEWEST_LINES = 20
MOST_LINES_OF_A_FUNCTION = 40


def _name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


PATHS = {_name(path): path for path in sorted(ROOT.rglob("*.py"))}
PACKAGES = {name for name, path in PATHS.items() if path.name == "__init__.py" and name}
MODULES = {name: path for name, path in PATHS.items() if path.name != "__init__.py"}


@functools.cache
def trees() -> dict[str, ast.Module]:
    return {name: ast.parse(path.read_text()) for name, path in PATHS.items()}


def package_of(module: str) -> str:
    return module.rpartition(".")[0]


def room_of(name: str) -> str:
    """The package a module counts to, subpackages included; those of the two front ends count by themselves."""
    top, _, rest = name.partition(".")
    if top not in {"tui", "cli"}:
        return top
    return f"{top}.{rest.partition('.')[0]}"


def is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def imports_of(name: str, *, with_types: bool) -> set[str]:
    """The modules of ours that a module imports, at its head or when a function runs."""
    tree = trees()[name]
    skipped: set[int] = set()
    if not with_types:
        skipped = {id(inner) for node in ast.walk(tree) if is_for_types(node) for inner in ast.walk(node)}
    found: set[str] = set()
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.ImportFrom)
            and id(node) not in skipped
            and (node.module or "").startswith("orange_tui")
        ):
            base = str(node.module).removeprefix("orange_tui").lstrip(".")
            named = {f"{base}.{alias.name}".lstrip(".") for alias in node.names}
            found |= {each if each in PATHS else base for each in named}
    return found - {name, ""}


def cycles(edges: Mapping[str, Iterable[str]]) -> list[str]:
    """A way round for each place where imports lead back to where they began."""
    found: list[str] = []
    done: set[str] = set()

    def walk(name: str, way: list[str]) -> None:
        if name in way:
            found.append(" → ".join([*way[way.index(name) :], name]))
            return
        if name not in done:
            for each in sorted(edges.get(name, ())):
                walk(each, [*way, name])
            done.add(name)

    for name in sorted(edges):
        walk(name, [])
    return found


def test_no_package_has_more_modules_than_a_reader_can_take_in() -> None:
    count = Counter(package_of(name) for name in MODULES)
    assert {name: number for name, number in count.items() if number > MOST_MODULES} == {}
    assert {name for name, number in count.items() if number == 1 and name} <= {
        package_of(name) for name in PACKAGES
    }, "a package of one module"


def test_no_module_is_long_and_none_is_a_scrap() -> None:
    lines = {name: len(path.read_text().splitlines()) for name, path in MODULES.items()}
    assert {name: number for name, number in lines.items() if number > MOST_LINES} == {}
    users = Counter(used for name in PATHS for used in imports_of(name, with_types=True))
    scraps = {name: number for name, number in lines.items() if number < FEWEST_LINES and users[name] < 2}
    assert scraps.keys() <= {"__main__"}


def test_no_function_is_longer_than_a_screen() -> None:
    long = {
        f"{name}.{node.name}": length
        for name, tree in trees().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (length := (node.end_lineno or 0) - node.lineno + 1) > MOST_LINES_OF_A_FUNCTION
    }
    assert long == {}


def test_private_modules_are_imported_by_their_own_package_only() -> None:
    trespassing = {
        f"{name} imports {used}"
        for name in PATHS
        for used in imports_of(name, with_types=True)
        if used.rpartition(".")[2].startswith("_") and not f"{name}.".startswith(f"{package_of(used)}.")
    }
    assert trespassing == set()


def test_a_package_begins_with_what_it_is_for_and_nothing_else() -> None:
    for name in PACKAGES:
        assert ast.get_docstring(trees()[name]), f"{name} does not say what it is for"
        assert len(trees()[name].body) == 1, f"{name}/__init__.py holds code"


def test_modules_do_not_import_each_other_in_a_circle() -> None:
    assert cycles({name: imports_of(name, with_types=False) for name in PATHS}) == []


def test_packages_do_not_know_each_other_in_a_circle_not_even_by_types() -> None:
    edges: dict[str, set[str]] = defaultdict(set)
    for name in MODULES:
        for used in imports_of(name, with_types=True):
            edges[room_of(name)].add(room_of(used))
    assert cycles({name: used - {name, ""} for name, used in edges.items() if name}) == []


def test_no_two_public_classes_have_one_name() -> None:
    where = defaultdict(list)
    for name, tree in trees().items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                where[node.name].append(name)
    assert {each: places for each, places in where.items() if len(places) > 1} == {}


def test_the_finder_of_circles_finds_one() -> None:
    assert cycles({"a": ["b"], "b": ["c"], "c": ["a"]}) == ["a → b → c → a"]
    assert cycles({"a": ["b", "c"], "b": ["c"]}) == []

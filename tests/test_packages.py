"""The shape of the source: packages a reader can take in at a glance, private modules that are private, no cycles."""

from __future__ import annotations

import functools
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from support.source import sources

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from support.source import Source

MOST_MODULES = 12
MOST_LINES = 320  # about 300
FEWEST_LINES = 20
MOST_LINES_OF_A_FUNCTION = 40


@functools.cache
def paths() -> dict[str, Source]:
    """Every module and every package by its name."""
    return {name.removesuffix("__init__").removesuffix("."): source for name, source in sources().items()}


def packages() -> dict[str, Source]:
    return {name: source for name, source in paths().items() if source.path.name == "__init__.py" and name}


def modules() -> dict[str, Source]:
    return {name: source for name, source in paths().items() if source.path.name != "__init__.py"}


def package_of(module: str) -> str:
    return module.rpartition(".")[0]


def room_of(name: str) -> str:
    """The package a module counts to, subpackages included; those of the two front ends count by themselves."""
    top, _, rest = name.partition(".")
    if top not in {"tui", "cli"}:
        return top
    return f"{top}.{rest.partition('.')[0]}"


@functools.cache
def imports_of(name: str, *, with_types: bool) -> set[str]:
    """The modules of ours that a module imports, at its head or when a function runs."""
    found: set[str] = set()
    for each in paths()[name].imports:
        if each.name is not None and each.module.startswith("orange_tui") and (with_types or not each.for_types):
            base = each.module.removeprefix("orange_tui").lstrip(".")
            named = f"{base}.{each.name}".lstrip(".")
            found.add(named if named in paths() else base)
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
    count = Counter(package_of(name) for name in modules())
    assert {name: number for name, number in count.items() if number > MOST_MODULES} == {}
    assert {name for name, number in count.items() if number == 1 and name} <= {
        package_of(name) for name in packages()
    }, "a package of one module"


def test_no_module_is_long_and_none_is_a_scrap() -> None:
    lines = {name: len(source.text.splitlines()) for name, source in modules().items()}
    assert {name: number for name, number in lines.items() if number > MOST_LINES} == {}
    users = Counter(used for name in paths() for used in imports_of(name, with_types=True))
    scraps = {name: number for name, number in lines.items() if number < FEWEST_LINES and users[name] < 2}
    assert scraps.keys() <= {"__main__"}


def test_no_function_is_longer_than_a_screen() -> None:
    long = {
        f"{name}.{function}": length
        for name, source in paths().items()
        for function, length in source.functions
        if length > MOST_LINES_OF_A_FUNCTION
    }
    assert long == {}


def test_private_modules_are_imported_by_their_own_package_only() -> None:
    trespassing = {
        f"{name} imports {used}"
        for name in paths()
        for used in imports_of(name, with_types=True)
        if used.rpartition(".")[2].startswith("_") and not f"{name}.".startswith(f"{package_of(used)}.")
    }
    assert trespassing == set()


def test_a_package_begins_with_what_it_is_for_and_nothing_else() -> None:
    for name, source in packages().items():
        assert source.docstring, f"{name} does not say what it is for"
        assert source.statements == 1, f"{name}/__init__.py holds code"


def test_modules_do_not_import_each_other_in_a_circle() -> None:
    assert cycles({name: imports_of(name, with_types=False) for name in paths()}) == []


def test_packages_do_not_know_each_other_in_a_circle_not_even_by_types() -> None:
    edges: dict[str, set[str]] = defaultdict(set)
    for name in modules():
        for used in imports_of(name, with_types=True):
            edges[room_of(name)].add(room_of(used))
    assert cycles({name: used - {name, ""} for name, used in edges.items() if name}) == []


def test_no_two_public_classes_have_one_name() -> None:
    where = defaultdict(list)
    for name, source in paths().items():
        for each in source.classes:
            if not each.startswith("_"):
                where[each].append(name)
    assert {each: places for each, places in where.items() if len(places) > 1} == {}


def test_the_finder_of_circles_finds_one() -> None:
    assert cycles({"a": ["b"], "b": ["c"], "c": ["a"]}) == ["a → b → c → a"]
    assert cycles({"a": ["b", "c"], "b": ["c"]}) == []

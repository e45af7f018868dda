"""ARCHITECTURE.md and CONTRIBUTING.md name files and names that are there, and every package is in the table."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import orange_tui

PACKAGE = Path(orange_tui.__file__).parent
REPOSITORY = PACKAGE.parent.parent
PAGES = ("ARCHITECTURE.md", "CONTRIBUTING.md")
SOURCE = "\n".join(path.read_text() for path in sorted(PACKAGE.rglob("*.py")))


def named(page: str) -> list[str]:
    """What stands in backticks there."""
    text = re.sub(r"```.*?```", "", (REPOSITORY / page).read_text(), flags=re.DOTALL)
    return re.findall(r"`([^`\n]+)`", text)


@pytest.mark.parametrize("page", PAGES)
def test_every_file_that_a_page_names_is_there(page: str) -> None:
    files = {name.rstrip("/") for name in named(page) if re.fullmatch(r"[\w./]+(\.py|\.md|/)", name)}
    assert files
    missing = {name for name in files if not (PACKAGE / name).exists() and not (REPOSITORY / name).exists()}
    assert missing - {"TASK.md"} == set()


@pytest.mark.parametrize("page", PAGES)
def test_every_class_and_method_that_a_page_names_is_there(page: str) -> None:
    names = {name for name in named(page) if re.fullmatch(r"[A-Z]\w+(\.\w+)?", name) and not name.endswith(".md")}
    parts = {part for name in names for part in name.split(".")}
    assert {part for part in parts if not re.search(rf"(class|def) {part}\b", SOURCE)} == set()


def test_every_package_is_in_the_table_of_the_architecture() -> None:
    packages = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists()}
    assert packages <= set(named("ARCHITECTURE.md"))


def test_places_to_change_something_are_numbered() -> None:
    rows = re.findall(r"^\| (\d+) \|", (REPOSITORY / "ARCHITECTURE.md").read_text(), flags=re.MULTILINE)
    assert rows == [str(number) for number in range(1, 25)]

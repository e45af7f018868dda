"""Every example on the pages works as it stands there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.page_examples import DOCS, Example, Reader, examples_of

if TYPE_CHECKING:
    from pathlib import Path

PAGES = {path.stem: path for path in [DOCS.parent / "README.md", *sorted(DOCS.glob("*.md"))]}
EXAMPLES = {page: list(examples_of(path.read_text())) for page, path in PAGES.items()}
RUN = {page: [each for each in found if each.kind and not each.cannot_run] for page, found in EXAMPLES.items()}
MOST_THAT_CANNOT_RUN = 11


@pytest.mark.parametrize("page", [page for page in PAGES if RUN[page]])
def test_reader_who_follows_a_page_from_the_top_is_never_stopped(page: str, tmp_path: Path) -> None:
    found = RUN[page]
    reader = Reader(tmp_path, registers=any("orange project add\n" in example.text for example in found))
    try:
        for example in found:
            follow(reader, page, example)
    finally:
        reader.close()


def follow(reader: Reader, page: str, example: Example) -> None:
    try:
        reader.follow(example)
    except Exception as problem:
        problem.add_note(f"{PAGES[page]}:{example.line}")
        raise


def test_examples_that_cannot_be_run_say_why_and_are_few() -> None:
    cannot = [example for found in EXAMPLES.values() for example in found if example.cannot_run]
    assert 0 < len(cannot) <= MOST_THAT_CANNOT_RUN


def test_only_generated_parts_and_a_refusal_have_blocks_of_no_kind() -> None:
    """The README's refusal is an agent's, and has a test of its own."""
    without = {page for page, found in EXAMPLES.items() if any(not example.kind for example in found)}
    assert without <= {"commands", "README"}


def test_example_that_is_wrong_is_found(tmp_path: Path) -> None:
    reader = Reader(tmp_path, registers=True)
    wrong = [
        Example("sh", "", "orange task frobnicate", 1),
        Example("console", "", "$ orange --version\nlemon …\n", 1),
        Example("yaml", "workflows/x.yml", "name: x\nstates: {}\n", 1),
        Example("yaml", "config.yml", "budgit: 5\n", 1),
        Example("yaml", "workflows/x.yml (with mistakes)", (DOCS.parent / "workflows" / "minimal.yml").read_text(), 1),
    ]
    for example in wrong:
        with pytest.raises(Exception, match=r".+"):
            reader.follow(example)

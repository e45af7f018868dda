"""The man pages that are made of the pages: one for each, and `man` shows them."""

from __future__ import annotations

import re
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from tools.man import man_page, pages

from orange_tui.pages.library import titles, topics

if TYPE_CHECKING:
    from pathlib import Path

NARROW = re.compile(r"can(?:'t break|not adjust) line|can't (?:break|adjust)")  # a long word in a narrow column


def test_there_is_one_for_the_commands_and_one_for_each_topic() -> None:
    expected = {f"man7/orange-{topic}.7" for topic in topics() if topic != "commands"} | {"man1/orange.1"}
    assert set(pages()) == expected


def test_each_says_what_it_is_so_that_it_is_found() -> None:
    made = pages()
    for topic, title in titles():
        if topic != "commands":
            name = f"orange-{topic}".replace("-", "\\-")
            assert f".SH NAME\n{name} \\- {title}".replace("'", "\\(aq") in made[f"man7/orange-{topic}.7"]


def test_list_of_words_begins_with_the_first_of_them_and_not_with_its_heading() -> None:
    for heading in ("| variable | |\n|---|---|", "| | |\n|---|---|"):
        text = man_page("x", 7, f"# X\n\n{heading}\n| `HOME` | yours |\n| `TERM` | its |\n")
        assert ".SH DESCRIPTION\n.TP\n\\fBHOME\\fR\nyours\n.TP\n\\fBTERM" in text


def test_text_that_roff_would_obey_is_only_text() -> None:
    text = man_page("x", 7, "# X\n\n.so /etc/passwd and \\fBbold\n\n'\n\n```\n.sy rm -rf ~\n\\*[x]\n```\n")
    body = text.partition(".SH DESCRIPTION\n")[2]
    assert not re.search(r"^[.'](?:so|sy)", body, re.MULTILINE)
    assert "\\efBbold" in body
    assert "\\e*[x]" in body


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
def test_groff_has_nothing_to_complain_about(tmp_path: Path) -> None:
    for name, text in pages().items():
        path = tmp_path / name.partition("/")[2]
        path.write_text(text)
        done = subprocess.run(
            ["groff", "-man", "-t", "-Tutf8", "-Kutf8", "-ww", str(path)], capture_output=True, text=True, check=False
        )
        complaints = [line for line in done.stderr.splitlines() if not NARROW.search(line)]
        assert (done.returncode, complaints) == (0, []), name
        assert "\nNAME\n" in re.sub(".\x08", "", done.stdout)

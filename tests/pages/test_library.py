"""`orange help TOPIC`: a page in the terminal."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orange_tui.pages.library import read_page, titles, topics
from orange_tui.pages.terminal_text import render

if TYPE_CHECKING:
    from pathlib import Path

    from support.driver import Cli

SMALL = """# Small

Some **bold** words, `code`, and [the keys](keys.md).

- one
- two that is longer than the line and goes on in the next one

| key | what it does |
|---|---|
| `a` | answers \\| waits |

```sh
orange task list   # never broken, however long the line is
```

<!-- not for readers -->

![A picture](x.svg)
"""


def test_help_shows_a_page_without_a_pager_where_nobody_looks(cli: Cli) -> None:
    text = cli.ok("help", "keys").out
    assert text.startswith("Keys\n")
    assert "\x1b" not in text
    assert "Merge the branch and finish the task" in text
    assert "<!--" not in text


def test_topic_may_be_shortened_while_it_is_clear_which(cli: Cli) -> None:
    assert cli.ok("help", "config").out == cli.ok("help", "configuration").out
    assert cli("help", "com").code == 2  # commands, or comparison
    assert cli.ok("help", "workflow").out.startswith("Look at the workflows")  # a command comes first


def test_every_page_fits_its_width_and_begins_with_its_title() -> None:
    assert {"getting-started", "keys", "commands", "security"} <= set(topics())
    for topic, title in titles():
        shown = render(read_page(topic), 80, styled=False)
        assert shown.startswith(f"{title}\n"), topic
        prose = [line for line in shown.splitlines() if not line.startswith("      ")]
        assert [line for line in prose if len(line) > 80 and " " in line.strip()] == [], topic


def test_page_is_aligned_wrapped_and_without_comments() -> None:
    assert render(SMALL, 40, styled=False) == (
        "Small\n"
        "\n"
        "  Some bold words, code, and the keys\n"
        "  (orange help keys).\n"
        "\n"
        "  - one\n"
        "  - two that is longer than the line and\n"
        "    goes on in the next one\n"
        "\n"
        "  key  what it does\n"
        "  a    answers | waits\n"
        "\n"
        "      orange task list   # never broken, however long the line is\n"
    )


def test_styles_change_nothing_but_the_look() -> None:
    styled = render(SMALL, 40, styled=True)
    assert "\x1b[1mbold\x1b[0m" in styled
    assert "\x1b[36mcode\x1b[0m" in styled
    for sign in ("\x1b[1m", "\x1b[36m", "\x1b[0m"):
        styled = styled.replace(sign, "")
    assert styled == render(SMALL, 40, styled=False)


@given(st.text(alphabet="ab `*_#|-\n[]()<>!\x1b\x01", max_size=200), st.integers(1, 60))
def test_no_text_is_too_odd_to_be_shown(text: str, width: int) -> None:
    assert render(text, width, styled=False).endswith("\n")


def test_unknown_topic_is_told_the_commands_and_the_pages(cli: Cli) -> None:
    said = cli("help", "kees")
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith("orange: there is no command 'kees'. Did you mean help keys?\n")
    assert "Pages: getting-started, keys, " in said.err


def test_list_of_commands_ends_with_the_pages(cli: Cli) -> None:
    text = cli.ok("help").out
    for topic, title in titles():
        assert f"  {topic}" in text
        assert title in text


def test_completion_offers_topics_after_help(cli: Cli) -> None:
    assert "keys\tKeys" in cli.ok("__complete", "help", "k").out.splitlines()
    assert "keys" not in cli.ok("__complete", "k").out


@pytest.mark.parametrize(
    ("pager", "shown"),
    [("sed s/Keys/PAGED/", b"PAGED"), ("no-such-pager", b"Keys"), ("less '", b"Keys"), ("", b"Keys")],
)
def test_terminal_gets_the_page_in_the_persons_pager(pager: str, shown: bytes, tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    environment = {**os.environ, "PAGER": pager, "TERM": "xterm-256color"}
    words = [sys.executable, "-m", "orange_tui", "help", "keys"]
    process = subprocess.Popen(words, stdout=theirs, stdin=theirs, stderr=theirs, env=environment)
    os.close(theirs)
    printed = b""
    try:
        while chunk := os.read(ours, 65536):
            printed += chunk
    except OSError:  # Linux says so when the last writer is gone
        pass
    assert process.wait(timeout=30) == 0
    assert shown in printed
    assert b"\x1b[1m" in printed
    os.close(ours)


def test_nothing_of_a_page_is_loaded_on_the_way_of_other_commands() -> None:
    script = (
        "import sys; from orange_tui.cli.main import main; main(['task', 'list', '--all'])\n"
        "late = ('orange_tui.pages', 'mistune', 'textwrap')\n"
        "print('loaded:', *[name for name in sys.modules if name.startswith(late)])"
    )
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1].rstrip() == "loaded:"

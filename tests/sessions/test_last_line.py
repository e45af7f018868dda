"""The last line that an agent has printed: not its input line, not its status bar, and never more than text."""

from __future__ import annotations

import pytest

from orange_tui.domain.harnesses.shipped import SHIPPED
from orange_tui.sessions.last_line import last_line

CLAUDE = """
● Bash(npm test)
  ⎿  31 passed

✻ Pondering… (12s · esc to interrupt)

╭──────────────────────────────────────╮
│ ❯                                    │
╰──────────────────────────────────────╯
  ? for shortcuts
"""
CODEX = """
• Ran pytest -q
  └ 3 failed

• Working (12s • esc to interrupt)

› Ask Codex to do anything

  gpt-5 · 98% context left
"""
ANSWERED = """
● I have two questions. I'll wait for you here.
> All sizes, and yes.
● Take orders for iced latte
  └ edited coffee/iced_latte.py
● Handed over. I'll wait here.
>
"""
AT_WORK = (
    "● I have two questions.\n> All sizes, and yes.\n● Take orders\n  └ edited a.py\n  └ edited b.py\n  └ 3 passed\n"
)
BOXED = """
❯ Fix the tests, please.

● Bash(npm test)
  ⎿  31 passed

────────────────────────────────────────
❯ Now the docs, they say
  > run make
────────────────────────────────────────
  ? for shortcuts
"""
PLAIN = "compiling …\n[bold]done[/] in 3 s\n\n\n"


@pytest.mark.parametrize(
    ("agent", "screen", "line"),
    [
        ("claude", CLAUDE, "31 passed"),
        ("codex", CODEX, "3 failed"),
        ("demo", ANSWERED, "Handed over. I'll wait here."),
        ("demo", AT_WORK, "3 passed"),
        ("claude", BOXED, "31 passed"),
        ("pi", PLAIN, "[bold]done[/] in 3 s"),
        ("demo", "", ""),
        ("demo", "─" * 40 + "\n❯ \n", ""),
        ("demo", "x" * 5000, f"{'x' * 300}…"),
        ("demo", "red \x1b[31malert\x07", "red \\x1b[31malert\\x07"),
    ],
)
def test_last_line_is_what_was_printed_and_not_the_agents_furniture(agent: str, screen: str, line: str) -> None:
    assert last_line(SHIPPED[agent], screen) == line

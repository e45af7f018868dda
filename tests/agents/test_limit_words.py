"""What an agent says of its limit, as Claude Code 2.1.325 shows it: above a menu in which nothing is pressed."""

from __future__ import annotations

from orange_tui.agents.limit_words import limit_words
from orange_tui.domain.harnesses.shipped import SHIPPED

CLAUDE = """\
  ⎿  You've hit your 5-hour limit · resets 10:29pm (Europe/Zurich)

✻ Brewed for 2s · done 10:28 PM
▔▔▔▔▔▔▔▔▔▔▔▔
   What do you want to do?

   ❯ 1. Stop and wait for limit to reset
     2. Wait here, then continue automatically shortly
     3. Upgrade your plan

   Enter to confirm · Esc to cancel
"""


def test_words_above_the_menu_are_found() -> None:
    assert "resets 10:29pm (Europe/Zurich)" in (limit_words(SHIPPED["claude"], CLAUDE) or "")
    assert limit_words(SHIPPED["claude"], "● Done.\n\n❯ ") is None

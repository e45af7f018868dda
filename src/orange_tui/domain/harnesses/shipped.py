"""The agents Orange knows by itself, a module for each. A new agent is a module and an entry here, or an entry in the
person's `harnesses.yml`. Every flag was tried with the version that its module names; the reasons stand beside them.
"""

from __future__ import annotations

from orange_tui.domain.harnesses._claude import CLAUDE
from orange_tui.domain.harnesses._codex import CODEX
from orange_tui.domain.harnesses._opencode import OPENCODE
from orange_tui.domain.harnesses._pi import PI
from orange_tui.domain.harnesses.harness import Harness, ScreenPatterns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["CLAUDE", "CODEX", "DEMO", "OPENCODE", "PI", "SHIPPED"]

# It comes with Orange, and needs neither a network nor a key.
DEMO = Harness(
    name="demo",
    binary="{python}",
    title="The demo agent",
    install="It comes with Orange.",
    full=("{python}", "-m", "orange_tui.demo.agent", "{prompt}"),
    reduced=("{python}", "-m", "orange_tui.demo.agent", "{prompt}"),
    one_shot=("{python}", "-m", "orange_tui.demo.one_shot", "{prompt}"),
    one_shot_work=("{python}", "-m", "orange_tui.demo.one_shot", "{prompt}"),
    # Its limit counts while it is the last thing above an empty input line.
    screen=ScreenPatterns(limit=(r"You've hit your demo limit · resets \S+\n>\s*\Z",)),
    window_title=ScreenPatterns(busy=(r"^demo · busy",), idle=(r"^demo · (?:idle|asks)",), limit=(r"^demo · limit",)),
)

SHIPPED: Mapping[str, Harness] = {harness.name: harness for harness in (CLAUDE, CODEX, OPENCODE, PI, DEMO)}

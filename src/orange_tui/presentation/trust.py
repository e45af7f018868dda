"""What a repository brings along, as text: for the question whether the person trusts it."""

from __future__ import annotations

from orange_tui.domain.task import printable
from orange_tui.outside.git_guard.brought import HOOK, SETTING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from orange_tui.outside.git_guard.brought import Brought

_TITLES = {SETTING: "git setting", HOOK: "git hook"}
_MOST_NAMED = 3
_MOST_LINES = 200  # of one thing; all of it counts for what is remembered
WHAT_IT_MEANS = "Its commands run as you: when workspaces are set up, and when git checks out, merges and pushes."


def title(item: Brought) -> str:
    """What kind of thing it is, and what it is called."""
    kind = _TITLES.get(item.kind)
    return printable(f"{kind} {item.name}" if kind else item.name)


def lines(items: Sequence[Brought]) -> list[str]:
    """Each thing with all it says, nothing in it that a terminal would obey."""
    found: list[str] = []
    for item in items:
        text = item.text.rstrip("\n").split("\n")
        found += [title(item), *(f"    {printable(line.expandtabs())}" for line in text[:_MOST_LINES])]
        found += [f"    … and {len(text) - _MOST_LINES} more lines"] if len(text) > _MOST_LINES else []
    return found


def nothing_new(everything: Sequence[Brought]) -> str:
    """What is said where there is nothing to ask."""
    return "all that it brings along is trusted" if everything else "it brings nothing along that would run"


def sentence(project: str, items: Sequence[Brought]) -> str:
    """That a repository brings something along, and how to see it."""
    count = f"{len(items)} thing{'s' if len(items) != 1 else ''}"
    named = ", ".join(map(title, items[:_MOST_NAMED])) + (", …" if len(items) > _MOST_NAMED else "")
    way = f"Its tasks wait until you have seen that: `orange project trust {project}`"
    return f"{project} brings along {count} that would run as you ({named}). {way}"

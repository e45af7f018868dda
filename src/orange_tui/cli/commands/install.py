"""`orange install`."""

from __future__ import annotations

from orange_tui.agents import skill
from orange_tui.agents.harnesses import Harnesses
from orange_tui.cli.reply import Reply, safe
from orange_tui.domain.errors import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.cli.parsing.grammar import Parsed
    from orange_tui.orange import Orange

_SAID = {"written": "installed", "unchanged": "up to date", "kept": "left as it is"}


def install(parsed: Parsed, orange: Orange) -> Reply:
    """Put the orchestrator skill into the agents' skill folders."""
    harnesses = Harnesses(orange.home)
    chosen = skill.select_harnesses(harnesses, parsed.text("harness"))
    done = [skill.install(harness, overwrite=parsed.flag("yes")) for harness in chosen]
    lines = [f"{each.harness}  {_SAID[each.outcome]}  {each.path}" for each in done]
    notes = [*harnesses.problems()]
    notes += [
        f"{harness.title} itself is not installed. {harness.install}"
        for harness in chosen
        if not harnesses.installed(harness.name)
    ]
    notes += [
        f"{each.path} was changed after it was installed, or is not Orange's; --yes replaces it"
        for each in done
        if each.outcome == "kept"
    ]
    data = [{"harness": each.harness, "path": each.path, "outcome": each.outcome} for each in done]
    kept = any(each.outcome == "kept" for each in done)
    return Reply("\n".join(map(safe, lines)), data, tuple(notes), Refused.exit_code if kept else 0)

"""Setting Orange up and looking after it: `install`, `doctor`, `service`, `log`, and completion in shells."""

from __future__ import annotations

from contextlib import suppress

from orange_tui.cli.all_commands import COMMANDS
from orange_tui.cli.parsing.completion import candidates, script
from orange_tui.cli.reply import Reply, printable_text
from orange_tui.domain.errors import OrangeError, Refused
from orange_tui.store.store import readable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from orange_tui.cli.parsing.grammar import Parsed
    from orange_tui.orange import Orange

_OUTCOMES = {"written": "installed", "unchanged": "up to date", "kept": "left as it is"}
_MARKS = {"good": "✓", "note": "·", "bad": "✗"}
_DEFAULT_LOG_ENTRIES = 200


def install(parsed: Parsed, orange: Orange) -> Reply:
    """`orange install`: put the orchestrator skill into the agents' skill folders."""
    from orange_tui.agents import skill
    from orange_tui.agents.harnesses import Harnesses

    harnesses = Harnesses(orange.home)
    chosen = skill.select_harnesses(harnesses, parsed.text("harness"))
    done = [skill.install(harness, overwrite=parsed.flag("yes")) for harness in chosen]
    lines = [f"{each.harness}  {_OUTCOMES[each.outcome]}  {each.path}" for each in done]
    notes = [*harnesses.problems()]
    notes += [
        f"{harness.title} itself is not installed. {harness.install}"
        for harness in chosen
        if not harnesses.installed(harness.name)
    ]
    notes += [
        f"{each.path} was changed since it was installed, or is not from Orange; --yes replaces it"
        for each in done
        if each.outcome == "kept"
    ]
    data = [{"harness": each.harness, "path": each.path, "outcome": each.outcome} for each in done]
    kept = any(each.outcome == "kept" for each in done)
    return Reply("\n".join(map(printable_text, lines)), data, tuple(notes), Refused.exit_code if kept else 0)


def doctor(parsed: Parsed, orange: Orange) -> Reply:
    """`orange doctor`: every finding, the good ones too."""
    from orange_tui.domain.records import replace
    from orange_tui.supervisor.doctor import examine

    findings = examine(replace(orange.doctor, sends_notice=parsed.flag("notify")))
    lines = []
    for finding in findings:
        lines.append(f"{_MARKS[finding.level]} {printable_text(finding.what)}")
        lines.extend(f"    {printable_text(line)}" for line in finding.repair.splitlines())
    code = 1 if any(finding.level == "bad" for finding in findings) else 0
    return Reply("\n".join(lines), code=code)


def service_install(parsed: Parsed, orange: Orange) -> Reply:
    """`orange service install`."""
    from orange_tui.service.service import service_of

    return _lines_reply(service_of(orange.home).install(force=parsed.flag("force")))


def service_remove(parsed: Parsed, orange: Orange) -> Reply:
    """`orange service remove`."""
    from orange_tui.service.service import service_of

    return _lines_reply(service_of(orange.home).remove(force=parsed.flag("force")))


def service_status(_parsed: Parsed, orange: Orange) -> Reply:
    """`orange service status`."""
    from orange_tui.service.service import service_of

    is_well, lines = service_of(orange.home).status()
    return _lines_reply(lines, code=0 if is_well else 1)


def _lines_reply(lines: Iterable[str], code: int = 0) -> Reply:
    return Reply("\n".join(map(printable_text, lines)), code=code)


def log(parsed: Parsed, orange: Orange) -> Reply:
    """`orange log`: the last entries that match."""
    import json
    from collections import deque

    from orange_tui.home.log import LEVELS
    from orange_tui.presentation.log import log_line

    level, text = parsed.text("level") or LEVELS[0], parsed.text("grep") or ""
    wanted = set(LEVELS[LEVELS.index(level) :])
    last: deque[dict[str, Any]] = deque(
        maxlen=_DEFAULT_LOG_ENTRIES if parsed.number("lines") is None else parsed.number("lines")
    )
    for entry in orange.log.entries():
        if str(entry.get("level")) in wanted and text in json.dumps(entry, ensure_ascii=False):
            last.append(entry)
    return Reply("\n".join(printable_text(log_line(entry)) for entry in last))


def completion(parsed: Parsed, _orange: Orange) -> Reply:
    """`orange completion SHELL`."""
    return Reply(script(parsed.required("shell")).rstrip("\n"))


def complete(words: Sequence[str], orange: Orange) -> str:
    """The candidates for the last word, one on each line."""
    return "\n".join(candidates(list(words), COMMANDS, lambda kind: _names(kind, orange)))


def _names(kind: str, orange: Orange) -> Iterable[str]:
    try:
        return _SOURCES[kind](orange) if kind in _SOURCES else ()
    except OrangeError:
        return ()  # a broken file must not disturb a person who is typing


def _tasks(orange: Orange) -> list[str]:
    return [f"{found.ref.id}\t{found.task.summary}" for found in readable(orange.store.read_all())]


def _branches(orange: Orange) -> list[str]:
    return [found.task.branch for found in readable(orange.store.read_all())]


def _statuses(orange: Orange) -> list[str]:
    states: set[str] = set()
    for name in orange.workflows.names():
        with suppress(OrangeError):  # one broken workflow hides its own states only
            states.update(orange.workflows.load(name).states)
    return sorted(states)


_SOURCES: Mapping[str, Callable[[Orange], Iterable[str]]] = {
    "task": _tasks,
    "branch": _branches,
    "status": _statuses,
    "project": lambda orange: [project.name for project in orange.projects.all()],
    "workflow": lambda orange: orange.workflows.names(),
    "job": lambda orange: [f"{job.id}\t{job.summary}" for job in orange.jobs.file.all()],
    "harness": lambda orange: orange.harnesses.names(),
}

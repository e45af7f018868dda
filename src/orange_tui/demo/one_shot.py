"""The demo agent that works alone: `python -m orange_tui.demo.one_shot PROMPT`. It works once, reports, and ends.

How it goes is asked for as for the other one, by a line `demo: <word>` in the task's context or a label of that form;
the words are in `ENDINGS`.
"""

from __future__ import annotations

import json
import os
import re
import sys

from orange_tui.demo import work as repository_work
from orange_tui.demo.desk import find_desk
from orange_tui.demo.router import FIRST_LINE, answer
from orange_tui.demo.variants import asked_words, behaviour_of
from orange_tui.domain.errors import OrangeError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from orange_tui.demo.desk import Desk

    Report = dict[str, object]
    Ending = Callable[[Desk, Report], "Report | str | None"]  # what to report, what to print instead, or nothing

_REPORT_FILE = re.compile(r"write your report to (\S+/\.orange-outcome)", re.IGNORECASE)
_CRASHED = 3


def main(argv: Sequence[str] | None = None) -> int:
    """Route where that is the question; anything else is work. Returns the exit code."""
    prompt = "\n".join(sys.argv[1:] if argv is None else argv)
    return answer(prompt) if prompt.startswith(f"{FIRST_LINE}\n") else work(prompt)


def work(prompt: str) -> int:
    """Work as the prompt says, and leave a report where it says: in the file it names, or as the last thing printed."""
    file = _REPORT_FILE.search(prompt)
    try:
        desk = find_desk(os.environ, os.getcwd())
        task = desk.task()
        _say(f"demo · {task.summary or task.branch}")
        report = _changed(desk) if file else {"files_changed": []}
        report |= {
            "status": "done",
            "summary": f"Did it: {task.summary}",
            "accomplished": [task.summary or "all of it"],
        }
        words = asked_words(desk.section("Context"), task.labels)
        ending = next((ENDINGS[word] for word in words if word in ENDINGS), _well)
        return _leave(ending(desk, report), file[1] if file else None)
    except OrangeError as problem:
        _say(f"demo · {problem}")
        return 1


def _changed(desk: Desk) -> Report:
    """The change itself, left uncommitted: an agent with few permissions cannot commit."""
    task = desk.task()
    planned = repository_work.plan_work(desk, task, behaviour_of(desk.section("Context"), task.labels))
    for step in planned.steps:
        repository_work.edit_files(desk, step)
    return {"files_changed": [path for step in planned.steps for path in step.edits]}


def _leave(report: Report | str | None, path: str | None) -> int:
    if report is None:
        return _CRASHED
    text = report if isinstance(report, str) else json.dumps(report, ensure_ascii=False)
    if path is None:
        _say(f"Here is my report.\n\n```json\n{text}\n```")
        return 0
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{text}\n")
    return 0


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _well(_desk: Desk, report: Report) -> Report:
    return report


def _with(**changes: object) -> Ending:
    return lambda _desk, report: {**report, **changes}


def _crash_once(desk: Desk, report: Report) -> Report | None:
    return None if desk.task().number("attempts") <= 1 else report


def _delegate(desk: Desk, report: Report) -> Report:
    """Three parts, the first time; with their results in its hands, it is done."""
    if desk.section("Report"):
        return report
    parts = ("the beans", "the grinder", "the cups")
    delegations = [{"title": f"Order {part}", "body": f"Only {part}.", "labels": ["part"]} for part in parts]
    return {**report, "status": "blocked", "reason": "waits for its parts", "delegations": delegations}


ENDINGS: Mapping[str, Ending] = {
    "blocked": _with(status="blocked", reason="No key for the coffee machine", blockers=["No key"]),
    "needs-review": _with(status="needs_review", reason="Tea or coffee? I cannot tell"),
    "needs-help": _with(status="in_progress", needs_help=True, reason="I do not understand the question"),
    "unfinished": _with(status="in_progress", reason="Half of it is done", remaining=["The other half"]),
    "not-done": _with(remaining=["All of it"], files_changed=[]),
    "no-status": _with(status=None),
    "bad-json": lambda _desk, _report: "{ status: done",
    "no-report": lambda _desk, _report: "",
    "crash": lambda _desk, _report: None,
    "crash-once": _crash_once,
    "delegate": _delegate,
}


if __name__ == "__main__":
    sys.exit(main())

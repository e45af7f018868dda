"""The demo agent that works alone: `python -m orange_tui.demo.one_shot PROMPT`. It works once, reports, and ends.

A task says how it should end by a line `demo: <word>` in its context, or a label of that form; the words are in
`ENDINGS`.
"""

from __future__ import annotations

import json
import os
import re
import sys

from orange_tui.demo._router import FIRST_LINE, answer
from orange_tui.demo.roles.behaviours import requested_behaviour, requested_words
from orange_tui.demo.tools import changes
from orange_tui.demo.tools.task_tools import find_task_tools
from orange_tui.demo.tools.usage_log import UsageLog
from orange_tui.domain.errors import OrangeError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from orange_tui.demo.tools.task_tools import TaskTools

    Report = dict[str, object]
    Ending = Callable[[TaskTools, Report], "Report | str | None"]  # what to report, what to print instead, or nothing

_REPORT_FILE = re.compile(r"write your report to (\S+/\.orange-outcome)", re.IGNORECASE)
_CRASH_EXIT_CODE = 3


def main(argv: Sequence[str] | None = None) -> int:
    """Answer a routing question; anything else is work. Returns the exit code."""
    prompt = "\n".join(sys.argv[1:] if argv is None else argv)
    return answer(prompt) if prompt.startswith(f"{FIRST_LINE}\n") else work(prompt)


def work(prompt: str) -> int:
    """Do the work, and leave a report where the prompt says: in a file, or as the last thing printed."""
    file = _REPORT_FILE.search(prompt)
    try:
        tools = find_task_tools(os.environ, os.getcwd())
        task = tools.task()
        _print(f"demo · {task.summary or task.branch}")
        UsageLog(os.environ).add_thought(task.summary, thoughts=5.0)
        report = _edit_repository(tools) if file else {"files_changed": []}
        report |= {
            "status": "done",
            "summary": f"Did it: {task.summary}",
            "accomplished": [task.summary or "all of it"],
        }
        words = requested_words(tools.section("Context"), task.labels)
        ending = next((ENDINGS[word] for word in words if word in ENDINGS), _succeed)
        return _write_report(ending(tools, report), file[1] if file else None)
    except OrangeError as problem:
        _print(f"demo · {problem}")
        return 1


def _edit_repository(tools: TaskTools) -> Report:
    """Make the change itself and leave it uncommitted: an agent with few permissions cannot commit."""
    behaviour = requested_behaviour(tools.section("Context"), tools.task().labels)
    plan = changes.plan_changes(tools, behaviour.has)
    for step in plan.steps:
        changes.edit_files(tools, step)
    return {"files_changed": [path for step in plan.steps for path in step.edits]}


def _write_report(report: Report | str | None, path: str | None) -> int:
    if report is None:
        return _CRASH_EXIT_CODE
    text = report if isinstance(report, str) else json.dumps(report, ensure_ascii=False)
    if path is None:
        _print(f"Here is my report.\n\n```json\n{text}\n```")
        return 0
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{text}\n")
    return 0


def _print(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _succeed(_tools: TaskTools, report: Report) -> Report:
    return report


def _with(**changes: object) -> Ending:
    return lambda _tools, report: {**report, **changes}


def _crash_once(tools: TaskTools, report: Report) -> Report | None:
    return None if tools.task().number("attempts") <= 1 else report


def _delegate(tools: TaskTools, report: Report) -> Report:
    """Ask for three subtasks the first time; with their results it is done."""
    if tools.section("Report"):
        return report
    orders = ("the beans", "the grinder", "the cups")
    delegations = [{"title": f"Order {order}", "body": f"Only {order}.", "labels": ["part"]} for order in orders]
    return {**report, "status": "blocked", "reason": "waits for its subtasks", "delegations": delegations}


ENDINGS: Mapping[str, Ending] = {
    "blocked": _with(status="blocked", reason="No key for the coffee machine", blockers=["No key"]),
    "needs-review": _with(status="needs_review", reason="Tea or coffee? I cannot tell"),
    "needs-help": _with(status="in_progress", needs_help=True, reason="I do not understand the question"),
    "unfinished": _with(status="in_progress", reason="Half of it is done", remaining=["The other half"]),
    "not-done": _with(remaining=["All of it"], files_changed=[]),
    "no-status": _with(status=None),
    "bad-json": lambda _tools, _report: "{ status: done",
    "no-report": lambda _tools, _report: "",
    "crash": lambda _tools, _report: None,
    "crash-once": _crash_once,
    "delegate": _delegate,
}


if __name__ == "__main__":
    sys.exit(main())

"""`orange task event` and `orange task ask`, which agents' hooks run: silent, and never a failure.

Whatever goes wrong here must not disturb the agent in whose hook it runs: its state is then read from its screen.
"""

from __future__ import annotations

import json
import os
import sys

from orange_tui.agents.door.piped_input import read_piped
from orange_tui.agents.harnesses import Harnesses
from orange_tui.cli.permissions import is_own_task
from orange_tui.cli.reply import Reply
from orange_tui.home import clock
from orange_tui.sessions.agent_state import event_name, request_of, session_of, state_from_event
from orange_tui.sessions.runtime import Runtime
from orange_tui.store.store import TaskRef

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from orange_tui.cli.parsing.grammar import Parsed
    from orange_tui.domain.harnesses.harness import Harness
    from orange_tui.orange import Orange

_MAX_REPORT_BYTES = 1_000_000
_STORED_PROMPT_CHARS = 300  # enough to recognize a prompt
_COMPARED_PROMPT_CHARS = 100
_WORKER = "worker"
_ASKS = "PermissionRequest"
_NOT_TAKEN_BACK = ("limit", "error")  # by the notice that nobody has said anything since
# Sources of the reports with which Claude Code and pi tell that a conversation begins.
_SWITCHES = {"SessionStart": ("clear", "resume", "compact"), "session_start": ("new", "resume", "fork")}


def event(parsed: Parsed, orange: Orange) -> Reply:
    """Record what an agent reports about itself."""
    try:
        _record_event(parsed, orange)
    except Exception as problem:  # noqa: BLE001 - see above
        orange.log.write("debug", f"an agent's report was not understood: {problem}")
    return Reply("", {})


def ask(parsed: Parsed, orange: Orange) -> Reply:
    """Have a person asked for the permission that an agent's hook is about; prints the answer, or nothing."""
    try:
        answer = _ask(parsed, orange)
    except Exception as problem:  # noqa: BLE001 - see above: the agent has a dialog of its own
        orange.log.write("debug", f"an agent's question was not understood: {problem}")
        answer = None
    return Reply("" if answer is None else json.dumps(answer), answer or {})


def _ask(parsed: Parsed, orange: Orange) -> dict[str, object] | None:
    task = os.environ.get("ORANGE_TASK")
    if not task:
        return None  # a person started the agent by hand
    from orange_tui.agents.approvals.asking import Asker
    from orange_tui.domain.approvals.question import make_question

    payload = parsed.required("payload")
    report = _report(_ASKS, sys.stdin.read(_MAX_REPORT_BYTES) if payload == "-" else payload)
    harness, ref = Harnesses(orange.home).get(parsed.text("agent") or ""), orange.store.find(task)
    _record(orange.store.made_state(ref), harness, report)
    window = os.environ.get("ORANGE_WINDOW") or _WORKER
    known_as = {"question_id": os.urandom(6).hex(), "window": window, "agent": harness.name, "asked_at": clock.now()}
    question = make_question(report, **known_as)
    return None if question is None else Asker(orange.approvals, ref, harness.hides_dialog).ask(question)


def _record_event(parsed: Parsed, orange: Orange) -> None:
    task, payload = parsed.text("id"), parsed.text("payload")
    if payload is None and (task or "").startswith("{"):
        task, payload = None, task  # codex appends its report to the words it was given
    ref = _task(task, orange) if is_own_task(task, None, orange) else None
    if ref is not None:
        harness = Harnesses(orange.home).get(parsed.text("agent") or "")
        _record(orange.store.made_state(ref), harness, _report(parsed.text("event"), payload))


def _record(state_directory: str, harness: Harness, report: Mapping[str, Any]) -> None:
    runtime, window = Runtime(state_directory), os.environ.get("ORANGE_WINDOW") or _WORKER
    changes = _changes(harness, report, runtime.window(window))
    if changes:
        runtime.update(window, **changes)


def _task(task: str | None, orange: Orange) -> TaskRef | None:
    """Which task; None for an agent that a person started in a worktree by hand."""
    mine, directory = os.environ.get("ORANGE_TASK"), os.path.dirname(os.environ.get("ORANGE_TASK_FILE", ""))
    is_mine = os.path.basename(directory) == mine and _is_task_directory(directory, orange.home.tasks)
    if task is None and mine and is_mine:
        return TaskRef(
            os.path.basename(os.path.dirname(os.path.realpath(directory))), mine
        )  # without listing all tasks
    name = task or mine
    return orange.store.find(name) if name else None


def _is_task_directory(directory: str, tasks: str) -> bool:
    return os.path.dirname(os.path.dirname(os.path.realpath(directory))) == os.path.realpath(tasks)


def _report(name: str | None, payload: str | None) -> dict[str, Any]:
    """The agent's own JSON, or at least the name of what happened."""
    text = payload.encode() if payload is not None else read_piped(_MAX_REPORT_BYTES)
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    report: dict[str, Any] = found if isinstance(found, dict) else {}
    return report if event_name(report) else {**report, "hook_event_name": name or ""}


def _changes(harness: Harness, report: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, object]:
    """What to store: the state, and what is needed to resume the conversation and to see that a message arrived."""
    session = session_of(report)
    ours = known.get("session_id")
    if _switches_conversation(report) or not ours:
        ours = session if _has_prompt(report, known.get("prompt")) else "another"
    state = state_from_event(harness, report, ours)
    if state is None or (event_name(report) == "Notification" and known.get("state") in _NOT_TAKEN_BACK):
        return {}
    stamp = clock.now()
    changes: dict[str, object] = {"agent": harness.name, "state": state, "event": event_name(report)}
    if event_name(report) != "Notification" or state != known.get("state"):  # one that repeats it says less
        changes |= {"event_at": stamp, "asks": request_of(report) if state == "permission" else None}
    if session:
        changes["session_id"] = session
    if isinstance(report.get("transcript_path"), str):
        changes["transcript"] = report["transcript_path"]
    if isinstance(report.get("prompt"), str):
        changes |= {"submitted": report["prompt"][:_STORED_PROMPT_CHARS], "submitted_at": stamp}
    return changes


def _switches_conversation(report: Mapping[str, Any]) -> bool:
    """Whether the window switches to another conversation. A plain start is an agent that the agent itself runs."""
    return report.get("source") in _SWITCHES.get(event_name(report), ())


def _has_prompt(report: Mapping[str, Any], prompt: object) -> bool:
    """Whether a report that lists its messages contains the prompt that this window was started with."""
    messages = report.get("input-messages")
    if not isinstance(messages, list) or not isinstance(prompt, str):
        return True
    begin = _normalized(prompt)
    return any(_normalized(message) == begin for message in messages if isinstance(message, str))


def _normalized(text: str) -> str:
    return " ".join(text[:_STORED_PROMPT_CHARS].split())[:_COMPARED_PROMPT_CHARS]

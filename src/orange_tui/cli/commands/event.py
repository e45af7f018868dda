"""`orange task event`, which agents' hooks run: quick, silent, and never a failure.

Whatever goes wrong here must not disturb the agent in whose hook it runs: the state is then told from its screen.
"""

from __future__ import annotations

import json
import os
import select
import time

from orange_tui.agents.harnesses import Harnesses
from orange_tui.cli.reply import Reply
from orange_tui.home import clock
from orange_tui.sessions.agent_state import event_name, session_of, state_from_event
from orange_tui.sessions.runtime import Runtime

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from orange_tui.cli.parsing.grammar import Parsed
    from orange_tui.domain.harnesses.harness import Harness
    from orange_tui.orange import Orange

_MOST_BYTES = 1_000_000
_PATIENCE = 0.5  # seconds for the agent to hand over its report
_MOST_TEXT = 300  # of a prompt: enough to know it again
_ENOUGH = 100
_WORKER = "worker"


def event(parsed: Parsed, orange: Orange) -> Reply:
    """Note what an agent reports about itself."""
    try:
        _note(parsed, orange)
    except Exception as problem:  # noqa: BLE001 - see above
        orange.log.write("debug", f"an agent's report was not understood: {problem}")
    return Reply("", {})


def _note(parsed: Parsed, orange: Orange) -> None:
    task, payload = parsed.text("id"), parsed.text("payload")
    if payload is None and (task or "").startswith("{"):
        task, payload = None, task  # codex puts its report behind the words it was given
    directory = _directory(task, orange)
    if directory is None:
        return
    report = _report(parsed.text("event"), payload)
    harness = Harnesses(orange.home).get(parsed.text("agent") or "")
    runtime, window = Runtime(directory), os.environ.get("ORANGE_WINDOW") or _WORKER
    changes = _changes(harness, report, runtime.window(window))
    if changes:
        runtime.update(window, **changes)


def _directory(task: str | None, orange: Orange) -> str | None:
    """The task's directory. An agent that a person started in a worktree by hand is not the task's."""
    mine, file = os.environ.get("ORANGE_TASK"), os.environ.get("ORANGE_TASK_FILE", "")
    directory = os.path.dirname(file)
    if task is None and mine and os.path.basename(directory) == mine and _is_below(directory, orange.home.tasks):
        return directory  # without a look at all the tasks there are
    name = task or mine
    return orange.store.directory(orange.store.find(name)) if name else None


def _is_below(directory: str, tasks: str) -> bool:
    return os.path.dirname(os.path.dirname(os.path.realpath(directory))) == os.path.realpath(tasks)


def _report(name: str | None, payload: str | None) -> dict[str, Any]:
    """The agent's own JSON, or at least the name of what happened."""
    text = payload.encode() if payload is not None else _standard_input()
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    report: dict[str, Any] = found if isinstance(found, dict) else {}
    return report if event_name(report) else {**report, "hook_event_name": name or ""}


def _standard_input() -> bytes:
    """What was piped in; a pipe that nobody closes keeps us only for a moment."""
    pieces: list[bytes] = []
    deadline = time.monotonic() + _PATIENCE
    while not os.isatty(0) and sum(map(len, pieces)) < _MOST_BYTES:
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([0], [], [], left)[0]:
            break
        piece = os.read(0, 65536)
        if not piece:
            break
        pieces.append(piece)
    return b"".join(pieces)


def _changes(harness: Harness, report: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, object]:
    """What to write down: the state, and what helps to resume the conversation and to know a message arrived."""
    session = session_of(report)
    ours = known.get("session_id")
    if _begins(report) or not ours:
        ours = session if _is_about(report, known.get("prompt")) else "another"
    state = state_from_event(harness, report, ours)
    if state is None:
        return {}
    stamp = clock.now()
    changes: dict[str, object] = {"agent": harness.name, "state": state, "event": event_name(report), "event_at": stamp}
    if session:
        changes["session_id"] = session
    if isinstance(report.get("transcript_path"), str):
        changes["transcript"] = report["transcript_path"]
    if isinstance(report.get("prompt"), str):
        changes |= {"submitted": report["prompt"][:_MOST_TEXT], "submitted_at": stamp}
    return changes


def _begins(report: Mapping[str, Any]) -> bool:
    """Whether the window goes over to another conversation. A plain start of one is an agent that the agent runs."""
    return event_name(report) == "SessionStart" and report.get("source") in {"clear", "resume", "compact"}


def _is_about(report: Mapping[str, Any], prompt: object) -> bool:
    """Whether a report that lists its messages has the prompt among them that this window was started with."""
    messages = report.get("input-messages")
    if not isinstance(messages, list) or not isinstance(prompt, str):
        return True
    begin = _squeezed(prompt)
    return any(_squeezed(message) == begin for message in messages if isinstance(message, str))


def _squeezed(text: str) -> str:
    return " ".join(text[:_MOST_TEXT].split())[:_ENOUGH]

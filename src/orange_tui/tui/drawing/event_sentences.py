"""What each event of a task's history says to a person, in a sentence.

One entry a type: a new event is one line in `EVENT_LINES`, and one that is not there is shown as it stands. Sentences
are templates filled from the event, and what is filled in is data: it is never a template again, nor markup.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from orange_tui.presentation.tasks import state_words

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Event = Mapping[str, Any]

_LONGEST_VALUE = 300
_HIDDEN_KEYS = frozenset({"type", "timestamp", "engine", "body"})
_SHORT_COMMIT = 10
_BEFORE_AND_AFTER = 2


@dataclass(frozen=True, slots=True)
class EventLine:
    """An icon, the name of a style in the palette, and the sentence or how to make it."""

    icon: str
    style: str
    sentence: str | Callable[[Event], str]


def describe_event(event: Event) -> EventLine:
    """How an event is shown, its sentence filled in."""
    found = EVENT_LINES.get(str(event.get("type")))
    if found is None:
        return EventLine("·", "dim", _raw_sentence(event))
    sentence = found.sentence
    made = sentence.format_map(TemplateValues(event)) if isinstance(sentence, str) else sentence(event)
    return EventLine(found.icon, found.style, made)


class TemplateValues(dict[str, str]):
    """An event's values for a template, as text; what is not there is a question mark."""

    def __init__(self, event: Event) -> None:
        super().__init__({str(key): value_text(value) for key, value in event.items()})
        if "status" in self:
            self["status"] = state_words(self["status"])

    def __missing__(self, key: str) -> str:
        return "?"


def value_text(value: object) -> str:
    """A value on one line and of bearable length."""
    text = "nothing" if value is None else str(value)
    line = " ⏎ ".join(part for part in text.splitlines() if part.strip()) if "\n" in text else text
    return line if len(line) <= _LONGEST_VALUE else f"{line[:_LONGEST_VALUE]}…"


def actor_text(by: object) -> str:
    """Who made a move."""
    known = {
        "agent": "by the agent",
        "person": "by a person",
        "engine": "by Orange",
        "force": "by a person, unreviewed",
        "create": "at creation",
    }
    return known.get(str(by), f"by {value_text(by)}")


def _raw_sentence(event: Event) -> str:
    rest = [f"{value_text(key)} {value_text(value)}" for key, value in event.items() if key not in _HIDDEN_KEYS]
    return " · ".join([value_text(event.get("type")), *rest])


def _updated(event: Event) -> str:
    changes = event.get("changes")
    noted = changes if isinstance(changes, dict) else {}
    pairs = {key: pair[1] for key, pair in noted.items() if isinstance(pair, list) and len(pair) == _BEFORE_AND_AFTER}
    fields = event.get("fields")
    values = {**pairs, **(fields if isinstance(fields, dict) else {})}
    if set(values) == {"attention"}:
        reason = values["attention"]
        return "No longer needs a person" if reason is None else f"Needs a person: {value_text(reason)}"
    return f"{', '.join(f'{value_text(key)} is now {value_text(value)}' for key, value in values.items()) or 'Updated'}"


def _tampered(event: Event) -> str:
    fields, reasons = event.get("fields"), event.get("reasons")
    if isinstance(reasons, list) and reasons:
        return f"A line that Orange did not write into the history was not believed: {value_text(reasons[0])}"
    names = ", ".join(map(value_text, fields)) if isinstance(fields, dict | list) else "A field"
    return f"{names} changed by hand in TASK.md; restored"


def _merged(event: Event) -> str:
    commit = event.get("commit")
    return f"Merged as {commit[:_SHORT_COMMIT]}" if isinstance(commit, str) and commit else "Merged"


def _pull_request(what: str) -> Callable[[Event], str]:
    def sentence(event: Event) -> str:
        address = event.get("url") or event.get("pr_url")
        return f"Pull request {what}{f': {value_text(address)}' if address else ''}"

    return sentence


def _gate(event: Event) -> str:
    code = event.get("exit_code")
    result = "passed" if code == 0 else f"failed ({'timed out' if code is None else f'exit {value_text(code)}'})"
    return f"Check {result}: {value_text(event.get('command'))}"


def _created(event: Event) -> str:
    engine = event.get("engine")
    status = engine.get("status") if isinstance(engine, dict) else None
    return f"Created, {state_words(value_text(status))}" if status else "Created"


def _routed(event: Event) -> str:
    route = event.get("route")
    known = route if isinstance(route, dict) else {}
    to = " · ".join(value_text(known[key]) for key in ("executor", "model") if known.get(key)) or "nobody"
    why = event.get("fallback")
    split = ", to be split" if known.get("decompose") is True else ""
    return f"Routed to {to}{split}{f', the fallback: {value_text(why)}' if why else ''}"


def _reported(event: Event) -> str:
    report = event.get("report")
    known = report if isinstance(report, dict) else {}
    why = known.get("why") or known.get("reason") or known.get("summary")
    return f"The agent reports {value_text(known.get('status'))}{f': {value_text(why)}' if why else ''}"


def _labelled(event: Event) -> str:
    labels = event.get("labels")
    names = ", ".join(map(value_text, labels)) if isinstance(labels, list) else ""
    return f"Label on the issue: {names}" if names else "Our labels were removed from the issue"


def _moved(event: Event) -> str:
    source, target = (state_words(value_text(event.get(end))) for end in ("from", "to"))
    return f"{source} → {target}, {actor_text(event.get('by'))}"


def _limit_reached(event: Event) -> str:
    until = _local_time(event.get("until"))
    what = f"{value_text(event.get('harness'))} reached its limit in {value_text(event.get('window'))}"
    return f"{what}, until {until}" if until else what


def _local_time(stamp: object) -> str:
    """A time as the person's clock shows it; nothing for what is no time."""
    try:
        return f"{datetime.fromisoformat(str(stamp)).astimezone():%Y-%m-%d %H:%M}"
    except (ValueError, OverflowError):
        return ""


def _handed_over(event: Event) -> str:
    why = event.get("reason")
    source, target = value_text(event.get("from")), value_text(event.get("to"))
    return f"Handed over from {source} to {target}{f': {value_text(why)}' if why else ''}"


def _allowed_or_denied(event: Event) -> str:
    what = f"{value_text(event.get('tool'))}: {value_text(event.get('what'))}"
    decision, words = event.get("decision"), event.get("words")
    if decision == "elsewhere":
        return f"No longer asked here, answered in its window or given up: {what}"
    who = "Allowed before, so allowed again" if event.get("by") == "rule" else f"You {value_text(decision)}"
    return f"{who}: {what}{f' ({value_text(words)})' if words else ''}"


_COMMENTERS = {"person": "You", "reviewer": "The reviewer", "github": "Somebody on GitHub", "checks": "A check"}


def _commented(event: Event) -> str:
    path, line = event.get("path"), event.get("line")
    place = f"{value_text(path)}:{value_text(line)}" if line is not None else value_text(path or "the task")
    who = _COMMENTERS.get(str(event.get("by")), value_text(event.get("by")))
    return f"{who} commented on {place} ({value_text(event.get('thread'))})"


def _answered(event: Event) -> str:
    who = {**_COMMENTERS, "agent": "The agent"}.get(str(event.get("by")), value_text(event.get("by")))
    state = event.get("state")
    return f"{who} answered {value_text(event.get('thread'))}{f': {value_text(state)}' if state else ''}"


def _thread_changed(what: str) -> Callable[[Event], str]:
    def sentence(event: Event) -> str:
        who = _COMMENTERS.get(str(event.get("by", "person")), value_text(event.get("by")))
        return f"{who} {what} {value_text(event.get('thread'))}"

    return sentence


def _sent_back(event: Event) -> str:
    why = value_text(event.get("event")).replace("_", " ")
    return f"Sent back by itself, {value_text(event.get('count'))} of {value_text(event.get('limit'))}: {why}"


def _changes_requested(event: Event) -> str:
    threads = event.get("threads")
    names = ", ".join(map(value_text, threads)) if isinstance(threads, list) else ""
    who = "Orange" if event.get("by") == "engine" else "You"
    return f"{who} asked for changes{f' ({value_text(names)})' if names else ''}"


EVENT_LINES: Mapping[str, EventLine] = {
    "task.created": EventLine("+", "accent", _created),
    "task.adopted": EventLine("+", "accent", "Adopted as it was"),
    "task.updated": EventLine("~", "text", _updated),
    "task.edited": EventLine("~", "text", "You edited TASK.md"),
    "task.routed": EventLine("»", "info", _routed),
    "task.delegated": EventLine("»", "info", "Delegated: {summary} ({child})"),
    "task.waiting": EventLine("…", "dim", "Waits: {reason}"),
    "task.merged": EventLine("✓", "good", _merged),
    "merge.started": EventLine("→", "dim", "Merge started"),
    "merge.failed": EventLine("✗", "bad", "Merge failed: {reason}"),
    "next.chosen": EventLine("»", "dim", "Next task: {task}"),
    "task.cancelled": EventLine("-", "dim", "Cancelled (was {from})"),
    "task.restored": EventLine("✓", "good", "The cancel was undone"),
    "work.put_back": EventLine("✓", "good", "Uncommitted work is back in {workspace}"),
    "task.tampered": EventLine("!", "warning", _tampered),
    "task.link_restored": EventLine(
        "~", "dim", "{file} in the workspace was no longer a link; its text was kept and the link restored"
    ),
    "router.asked": EventLine("»", "dim", "{harness} is asked who should do it"),
    "agent.spawned": EventLine("▸", "info", "{harness} started in window {window}"),
    "agent.respawned": EventLine("▸", "info", "Agent restarted ({status})"),
    "agent.notified": EventLine("»", "info", "Message delivered to {window}"),
    "agent.nudged": EventLine("◐", "warning", "{window} had stopped without handing in, and was reminded"),
    "agent.crashed": EventLine("✗", "bad", "The agent crashed in {status} ({reason}), crash {crash_count}"),
    "agent.not_restarted": EventLine("✗", "bad", "The agent could not be restarted: {reason}"),
    "agent.failed": EventLine("✗", "bad", "The agent failed ({reason}), failure {repeats} in a row"),
    "agent.handed_over": EventLine("»", "accent", _handed_over),
    "approval.asked": EventLine("?", "warning", "{window} asks for permission: {tool}: {what}"),
    "approval.answered": EventLine("✓", "info", _allowed_or_denied),
    "limit.reached": EventLine("◷", "warning", _limit_reached),
    "limit.ended": EventLine("▸", "info", "The limit is over; {window} goes on"),
    "budget.reached": EventLine("!", "warning", "Its budget is used up: Orange starts nothing more for it by itself"),
    "agent.reported": EventLine("»", "accent", _reported),
    "agent.died": EventLine("✗", "bad", "The agent ended in {status}"),
    "session.lost": EventLine("!", "warning", "Its tmux server is gone"),
    "message.queued": EventLine("»", "text", "Message for {window}: {text}"),
    "message.dropped": EventLine("»", "dim", "Message for {window} not delivered: {reason}"),
    "transition.started": EventLine("→", "accent", _moved),
    "status.changed": EventLine("→", "accent", _moved),
    "auto.refused": EventLine("!", "warning", "Could not go on to {to}: {reason}"),
    "auto.advanced": EventLine("→", "dim", "because {reason}"),
    "hook.done": EventLine("✓", "good", "{action}"),
    "hook.failed": EventLine("✗", "bad", "{action} failed: {reason}"),
    "gate.command": EventLine("◆", "text", _gate),
    "thread.added": EventLine("¶", "text", _commented),
    "thread.edited": EventLine("¶", "dim", _thread_changed("edited")),
    "thread.deleted": EventLine("¶", "dim", "You deleted the draft {thread}"),
    "thread.replied": EventLine("¶", "info", _answered),
    "thread.resolved": EventLine("¶", "good", _thread_changed("resolved")),
    "thread.reopened": EventLine("¶", "warning", _thread_changed("reopened")),
    "changes.requested": EventLine("¶", "accent", _changes_requested),
    "rule.used": EventLine("↩", "accent", _sent_back),
    "rule.exhausted": EventLine("!", "warning", "Sent back {limit} times by itself; now it is for you to look at"),
    "person.notified": EventLine("»", "accent", "Notified you ({via}): {message}"),
    "branch.registered": EventLine("»", "dim", "Branch {branch} registered with issue #{issue}"),
    "issue.changed": EventLine("~", "text", "Updated from its issue: {url}"),
    "issue.closed": EventLine("-", "warning", "Its issue was closed: {url}"),
    "issue.reopened": EventLine("+", "text", "Its issue was reopened: {url}"),
    "issue.commented": EventLine("»", "info", "Commented on the issue ({status}): {url}"),
    "issue.labelled": EventLine("»", "dim", _labelled),
    "work.saved": EventLine("✓", "good", "Uncommitted work in {workspace} saved as {ref}; S restores it to a branch"),
    "work.restored": EventLine("✓", "good", "Saved work restored to branch {branch}"),
    "pr.created": EventLine("↑", "info", _pull_request("created")),
    "review.sending": EventLine("→", "dim", "A review is sent"),
    "review.sent": EventLine("↑", "info", "Review sent ({verdict}): {url}"),
    "pr.adopted": EventLine("↑", "info", _pull_request("adopted")),
    "pr.moved": EventLine("~", "dim", _pull_request("moved to its new address")),
    "pr.merged": EventLine("✓", "good", _pull_request("merged")),
    "pr.closed": EventLine("-", "dim", _pull_request("closed")),
}

HOOK_SENTENCES: Mapping[str, str] = {
    "acquire_workspace": "acquired a workspace",
    "restore_workspace": "brought its workspace back",
    "release_workspace": "released the workspace",
    "spawn_agent": "started the agent",
    "spawn_reviewer": "started a reviewer",
    "route": "chose the agent",
    "register_branch": "registered the branch with its issue, if there is one",
    "take_report": "read the report",
    "commit_work": "committed what was left",
    "delegate": "created the subtasks, if any",
    "kill_session": "ended the session",
    "kill_reviewer": "ended the reviewer",
    "clear_outcome": "put the outcome of the last round aside",
    "notify_worker": "notified the worker",
    "spawn_next": "started the next task, if one was ready",
    "push_branch": "pushed the branch",
    "create_pr": "created the pull request",
    "delete_remote_branch": "deleted the remote branch",
    "increment": "incremented {field}",
    "set_field": "set {field} to {value}",
    "run_command": "ran {command}",
    "notify": "notified you",
}

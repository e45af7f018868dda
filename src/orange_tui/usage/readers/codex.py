"""Codex: `sessions/<year>/<month>/<day>/rollout-<time>-<thread>.jsonl`.

Each answer has a `token_usage_record` with an id of its own, which agents below it repeat with their beginning.
Before 0.166 there were only sums of the thread so far (`token_count`): there the thread is one message that grows. Its
input includes what came from the cache and what went there, and its output what was only thought.
"""

from __future__ import annotations

from orange_tui.domain.usage.limit import UsedWindow
from orange_tui.domain.usage.prices import Tokens
from orange_tui.usage.readers import values
from orange_tui.usage.readers.items import ContextSeen, LimitSeen, Message, NotUnderstood

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from orange_tui.usage.readers.items import Item, Memory

MARKS = (b'"token_usage_record"', b'"token_count"', b'"turn_context"', b'"session_meta"')
_LIMITS = ("primary", "secondary")


def read(line: bytes, memory: Memory) -> Iterator[Item]:
    """What a line says of use."""
    entry = values.parse(line)
    kind, payload = entry.get("type"), values.mapping(entry, "payload")
    if kind == "session_meta":
        memory.setdefault("thread", values.text(payload, "id"))
        memory.setdefault("below", isinstance(payload.get("source"), dict))  # an agent that an agent has started
    elif kind == "turn_context":
        memory["model"] = values.text(payload, "model") or memory.get("model", "")
    elif kind == "token_usage_record":
        memory["records"] = True
        yield _record(entry, payload, memory)
    elif kind == "event_msg" and payload.get("type") == "token_count":
        yield from _count(entry, payload, memory)


def _record(entry: dict[str, Any], payload: dict[str, Any], memory: Memory) -> Message:
    usage, response = payload.get("usage"), values.text(payload, "response_id")
    if not isinstance(usage, dict) or not response:
        raise NotUnderstood("a `token_usage_record` has no `usage` or `response_id`")
    return Message(response, "", _model(memory), values.text(entry, "timestamp"), _tokens(usage))


def _count(entry: dict[str, Any], payload: dict[str, Any], memory: Memory) -> Iterator[Item]:
    limits = _limits(values.mapping(payload, "rate_limits"))
    if limits:
        yield LimitSeen(limits)
    info = values.mapping(payload, "info")
    if not info:
        return
    total = info.get("total_token_usage")
    if not isinstance(total, dict):
        raise NotUnderstood("a `token_count` has no `total_token_usage`")
    if not memory.get("records"):
        yield from _sum(entry, total, memory)
    window = values.count(info, "model_context_window")
    used = values.count(values.mapping(info, "last_token_usage"), "total_tokens")
    if window and used and not memory.get("below"):  # how full the agent's own memory is
        yield ContextSeen(min(100.0, 100.0 * used / window))


def _sum(entry: dict[str, Any], total: dict[str, Any], memory: Memory) -> Iterator[Item]:
    if memory.get("below"):
        raise NotUnderstood("it repeats the sums of the agent above it")
    tokens, thread = _tokens(total), memory.get("thread")
    if not thread:
        raise NotUnderstood("it has no `session_meta` with an `id`")
    counted = values.count(total, "total_tokens")
    if counted > memory.get("total", 0):
        memory["total"] = counted
        memory["turns"] = memory.get("turns", 0) + 1
        stamp = values.text(entry, "timestamp")
        yield Message(f"thread {thread}", "", _model(memory), stamp, tokens, turns=memory["turns"])


def _tokens(usage: dict[str, Any]) -> Tokens:
    sent = values.count(usage, "input_tokens", required=True)
    read_, written = values.count(usage, "cached_input_tokens"), values.count(usage, "cache_write_input_tokens")
    output = values.count(usage, "output_tokens", required=True)
    if read_ + written > sent:
        raise NotUnderstood("more came from the cache than was sent")
    return Tokens(input=sent - read_ - written, output=output, cache_read=read_, cache_write=written)


def _model(memory: Memory) -> str:
    model = memory.get("model")
    if not isinstance(model, str) or not model:
        raise NotUnderstood("it has no `turn_context` with a `model`")
    return model


def _limits(limits: dict[str, Any]) -> tuple[UsedWindow, ...]:
    found = []
    for name in _LIMITS:
        window = values.mapping(limits, name)
        used, ends = values.percent(window, "used_percent"), window.get("resets_at")
        if used is not None:
            found.append(UsedWindow(name, used, values.stamp(ends)))
    return tuple(found)

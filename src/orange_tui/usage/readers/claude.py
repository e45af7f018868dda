"""Claude Code: `projects/<directory>/<session>.jsonl`, and `<session>/subagents/*.jsonl` beside it.

A message stands in one line for each of its blocks, and again in the file of a conversation that was forked: it is one
by its id and its request's. While it is streamed its numbers grow, so the highest count. When it ends, Claude Code
writes what the conversation has cost (`cost-state`), which includes what it asked without noting it here.
"""

from __future__ import annotations

from orange_tui.domain.usage.limit import UsedWindow
from orange_tui.domain.usage.prices import Tokens
from orange_tui.usage.readers import values
from orange_tui.usage.readers.items import ContextSeen, CostReport, LimitSeen, Message, NotUnderstood

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from orange_tui.usage.readers.items import Item, Memory

MARKS = (b'"type":"assistant"', b'"type": "assistant"', b'"cost-state"')
_NOT_A_MODEL = "<synthetic>"  # an error that is shown as an answer
_MOST_LIMITS, _MOST_NAME_CHARACTERS = 10, 40


def read(line: bytes, memory: Memory) -> Iterator[Item]:
    """What a line says of use."""
    entry = values.parse(line)
    kind = entry.get("type")
    if kind == "assistant":
        yield from _message(entry, memory)
    elif kind == "cost-state":
        yield from _cost(entry, memory)


def _message(entry: dict[str, Any], memory: Memory) -> Iterator[Item]:
    message = values.mapping(entry, "message")
    model, message_id = values.text(message, "model"), values.text(message, "id")
    if model == _NOT_A_MODEL or entry.get("isApiErrorMessage") is True:
        return
    usage = message.get("usage")
    if not isinstance(usage, dict) or not model or not message_id:
        raise NotUnderstood("an answer has no `usage`, `model` or `id`")
    written = values.count(usage, "cache_creation_input_tokens")
    kept = values.count(values.mapping(usage, "cache_creation"), "ephemeral_1h_input_tokens")
    tokens = Tokens(
        input=values.count(usage, "input_tokens", required=True),
        output=values.count(usage, "output_tokens", required=True),
        cache_read=values.count(usage, "cache_read_input_tokens"),
        cache_write=written,
        hour_write=min(kept, written),
    )
    memory["at"] = values.text(entry, "timestamp")
    key = f"{message_id} {values.text(entry, 'requestId')}"
    yield Message(key, values.text(entry, "sessionId"), model, memory["at"], tokens)


def _cost(entry: dict[str, Any], memory: Memory) -> Iterator[Item]:
    """What the conversation has cost up to here, all that it was resumed from included."""
    session = values.text(entry, "sessionId")
    for model, used in values.mapping(entry, "modelUsage").items():
        cost = values.dollars(used, "costUSD") if isinstance(used, dict) else None
        if not session or cost is None:
            continue
        written = values.count(used, "cacheCreationInputTokens")
        tokens = Tokens(
            input=values.count(used, "inputTokens"),
            output=values.count(used, "outputTokens"),
            cache_read=values.count(used, "cacheReadInputTokens"),
            cache_write=written,
            hour_write=min(values.count(used, "cacheCreationEphemeral1hInputTokens"), written),
        )
        yield CostReport(session, model, values.text(memory, "at"), tokens, cost)


def read_status(data: bytes) -> Iterator[Item]:
    """What Claude Code tells its status line: how full its memory is, and with a subscription how much is used."""
    status = values.parse(data)
    used = values.percent(values.mapping(status, "context_window"), "used_percentage")
    if used is not None:
        yield ContextSeen(used)
    limits = values.mapping(status, "rate_limits")
    windows = [(name, values.mapping(limits, name)) for name in limits if len(name) <= _MOST_NAME_CHARACTERS]
    found = [
        UsedWindow(name, percent, values.stamp(window.get("resets_at")))
        for name, window in windows[:_MOST_LIMITS]
        if (percent := values.percent(window, "used_percentage")) is not None
    ]
    if found:
        yield LimitSeen(tuple(found))

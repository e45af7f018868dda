"""pi: `sessions/--<directory>--/<time>_<session>.jsonl`; a copy of a conversation has the same messages once more."""

from __future__ import annotations

from orange_tui.domain.usage.prices import Tokens
from orange_tui.usage.readers import values
from orange_tui.usage.readers.items import Message, NotUnderstood

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from orange_tui.usage.readers.items import Item, Memory

MARKS = (b'"assistant"',)


def read(line: bytes, _memory: Memory) -> Iterator[Item]:
    """What a line says of use."""
    entry = values.parse(line)
    message = values.mapping(entry, "message")
    if entry.get("type") != "message" or message.get("role") != "assistant":
        return
    usage, model, entry_id = message.get("usage"), values.text(message, "model"), values.text(entry, "id")
    if not isinstance(usage, dict) or not model or not entry_id:
        raise NotUnderstood("an answer has no `usage`, `model` or `id`")
    tokens = Tokens(
        input=values.count(usage, "input", required=True),
        output=values.count(usage, "output", required=True),
        cache_read=values.count(usage, "cacheRead"),
        cache_write=values.count(usage, "cacheWrite"),
    )
    stamp = values.text(entry, "timestamp")
    cost = values.dollars(values.mapping(usage, "cost"), "total")
    yield Message(f"{entry_id} {stamp}", "", model, stamp, tokens, cost)

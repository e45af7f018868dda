"""Sending notices to the addresses in config.yml, within a time limit, and never with an address in what is said."""

from __future__ import annotations

import json
import os
import re
import sys
from hashlib import sha256

from orange_tui.domain.errors import OrangeError
from orange_tui.outside.programs import run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from orange_tui.notices.words import Notice

    # (address, notice) → what is wrong; None: it was sent. Both by their place in what was given.
    Outcomes = Mapping[tuple[int, int], str | None]

_SEND_SECONDS = 15.0  # for all of it, once Apprise is imported
_IMPORT_SECONDS = 45.0  # on a busy machine, without compiled files
_NO_ANSWER = f"it did not answer within {_SEND_SECONDS:g} s"
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,20}(?=://)")


def masked(addresses: Sequence[str], index: int) -> str:
    """An address for a person: which service and the how manieth it is; the rest of it is a secret."""
    scheme = _SCHEME.match(addresses[index])
    return f"{scheme[0] if scheme else ''}://… (number {index + 1} in notify)"


def fingerprint(address: str) -> str:
    """What tells an address from others without being one."""
    return sha256(address.encode(errors="surrogateescape")).hexdigest()[:16]


def check_addresses(addresses: Sequence[str]) -> list[str | None]:
    """What is wrong with each address, as far as can be told without sending anything."""
    found, problem = _run(addresses, [])
    return [found.get((index, None), problem or _NO_ANSWER) for index in range(len(addresses))]


def send(addresses: Sequence[str], notices: Sequence[tuple[Notice, Sequence[int]]]) -> Outcomes:
    """Send each notice to these addresses of all; returns what came of it. It can take a minute at worst."""
    orders = [{"title": notice.title, "body": notice.body, "to": list(to)} for notice, to in notices]
    found, problem = _run(addresses, orders)
    return {
        (index, number): found.get((index, None)) or found.get((index, number), problem or _NO_ANSWER)
        for number, (_, to) in enumerate(notices)
        for index in to
    }


def _run(
    addresses: Sequence[str], notices: Sequence[Mapping[str, object]]
) -> tuple[dict[tuple[int, int | None], str | None], str | None]:
    """What the other program says of each address and notice, and why it says nothing."""
    # Not from the current directory (-P): anybody may have put an `apprise` there.
    words = [sys.executable, "-P", "-m", "orange_tui.notices.send_program"]
    order = {"seconds": _SEND_SECONDS, "addresses": list(addresses), "notices": list(notices)}
    try:
        done = run(
            words, directory=os.path.sep, stdin=json.dumps(order).encode(), timeout=_SEND_SECONDS + _IMPORT_SECONDS
        )
    except OrangeError:
        return {}, "the program that sends notices did not end"
    found: dict[tuple[int, int | None], str | None] = {}
    for line in done.output.splitlines():
        try:
            said = json.loads(line)
            found[said["address"], said["notice"]] = said["problem"]
        except (ValueError, KeyError, TypeError):
            continue  # a library that prints; it may be anything
    return found, None if done.code == 0 else "the program that sends notices failed"

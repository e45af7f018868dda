"""A program of its own that sends notices through Apprise: `python -m orange_tui.notices.send_program`.

Apprise takes a second to import and 40 MB, a service can hang for as long as it likes, and its log may say tokens. So
all of that is in another process, which is given addresses on its standard input, prints what came of each as JSON and
nothing else, and ends by itself when its time is over.
"""

from __future__ import annotations

import importlib
import json
import logging
import os
import re
import sys
import threading
import time
from contextvars import ContextVar
from typing import Any

_NOT_AN_ADDRESS = "no service of Apprise's has such an address, or a part of it is missing"
_NOT_REACHED = "it could not be reached, or refused the notice"
_STATUS = re.compile(r"error=(\d{3})\b")


_codes: ContextVar[list[str] | None] = ContextVar("codes", default=None)  # which goes along into Apprise's own threads


class _CodeHandler(logging.Handler):
    """Of what Apprise logs, the numbers that services answered with; the rest may hold tokens."""

    def emit(self, record: logging.LogRecord) -> None:
        found, codes = _STATUS.search(record.getMessage()), _codes.get()
        if found is not None and codes is not None:
            codes.append(found[1])


def main() -> None:
    """Read what to send from standard input, and print a line for each notice and address."""
    order: dict[str, Any] = json.load(sys.stdin)
    problem = _import_problem()
    if problem is not None:
        for index in range(len(order["addresses"])):
            _report(index, None, problem)
        return
    for name in ("apprise", "requests", "urllib3"):
        logger = logging.getLogger(name)
        logger.propagate = False
        logger.handlers[:] = [_CodeHandler()]
    threads = [
        threading.Thread(target=_serve, args=(index, address, order["notices"]), daemon=True)
        for index, address in enumerate(order["addresses"])
    ]
    deadline = time.monotonic() + float(order["seconds"])
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))
    sys.stdout.flush()
    os._exit(0)  # whoever hangs is not waited for


def _import_problem() -> str | None:
    """Import Apprise, before the time begins to count."""
    try:
        importlib.import_module("apprise")
    except Exception as problem:  # noqa: BLE001 - a damaged installation, whatever is wrong with it
        return f"Apprise cannot be loaded ({type(problem).__name__})"
    return None


def _serve(index: int, address: str, notices: list[dict[str, Any]]) -> None:
    """Send one address what is for it, one after the other."""
    from apprise import Apprise, AppriseAsset, NotifyFormat

    service = Apprise(asset=AppriseAsset(app_id="Orange", app_desc="Orange", async_mode=False))
    try:
        is_known = bool(service.add(address))
    except Exception:  # noqa: BLE001 - a service that trips over it; what it says may have a token in it
        is_known = False
    _report(index, None, None if is_known else _NOT_AN_ADDRESS)
    for number, notice in enumerate(notices) if is_known else ():
        if index not in notice["to"]:
            continue
        codes: list[str] = []
        _codes.set(codes)
        try:
            is_sent = bool(service.notify(notice["body"], notice["title"], body_format=NotifyFormat.TEXT))
        except Exception:  # noqa: BLE001 - likewise
            is_sent = False
        _report(index, number, None if is_sent else f"it answered {codes[-1]}" if codes else _NOT_REACHED)


def _report(address: int, notice: int | None, problem: str | None) -> None:
    sys.stdout.write(json.dumps({"address": address, "notice": notice, "problem": problem}) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()

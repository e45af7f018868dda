"""A service on loopback that takes notices, and time that passes quickly."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest

from orange_tui.notices import ledger, watcher

if TYPE_CHECKING:
    from collections.abc import Iterator


class Inbox:
    """What has arrived, and how the service answers."""

    def __init__(self) -> None:
        self.arrived: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.codes: dict[str, int] = {}  # by path; else 200
        self.hangs = threading.Event()
        self.hangs.set()  # set: nothing hangs
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        inbox = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                content = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                inbox.hangs.wait(60)
                code = inbox.codes.get(self.path, 200)
                inbox.paths.append(self.path)
                if code == 200:
                    inbox.arrived.append(content)
                self.send_response(code)
                self.end_headers()

            def log_message(self, *words: object) -> None:
                pass

        return Handler

    def address(self, path: str = "token-1234") -> str:
        """An address of this service as a person writes it, with a secret in it."""
        return f"json://127.0.0.1:{self._server.server_address[1]}/{path}"

    @property
    def titles(self) -> list[str]:
        return [each["title"] for each in self.arrived]

    def close(self) -> None:
        self.hangs.set()
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def inbox(monkeypatch: pytest.MonkeyPatch) -> Iterator[Inbox]:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    inbox = Inbox()
    yield inbox
    inbox.close()


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Needs settle within a moment, and boards are looked at all the time."""
    for module, names in (
        (ledger, {"SETTLE_SECONDS": 0.1, "SETTLE_LOST_SECONDS": 0.1, "GONE_SECONDS": 0.05}),
        (watcher, {"_LOOK_SECONDS": 0.02, "_WAITING_SECONDS": 0.05, "_CONFIG_SECONDS": 0.05}),
    ):
        for name, value in names.items():
            monkeypatch.setattr(module, name, value)

"""A GitHub server on this machine: the real `gh` reaches it through an HTTPS proxy and talks to it as to github.com.

So addresses, hosts and logins are the real ones. `github` is the fixture. What is on it is plain data (`pull_requests`,
`issues`), the requests it got are in `requests`, and a word in `trouble` makes it fail. Its answers are in `schema.py`.
"""

from __future__ import annotations

import atexit
import json
import shutil
import ssl
import subprocess
import tempfile
import threading
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingTCPServer
from typing import TYPE_CHECKING, Any

import pytest

from support.github.graphql import Answer
from support.github.schema import Schema
from support.github.state import Issue, PullRequest

if TYPE_CHECKING:
    from support.github.reviews import CheckRun

HOST, OTHER_HOST = "github.com", "github.example"
WANTED = ("gh", "openssl")
MISSING = [program for program in WANTED if shutil.which(program) is None]
needs_gh = pytest.mark.skipif(bool(MISSING), reason=f"{' and '.join(MISSING)} not installed")


@dataclass
class Request:
    """A request that the server got."""

    method: str
    host: str
    path: str
    body: dict[str, Any]

    @property
    def query(self) -> str:
        return str(self.body.get("query", ""))


class GitHub:
    """One repository on one host, and the switches that make it fail."""

    def __init__(self, folder: Path) -> None:
        self.owner, self.name = "o", "r"
        self.earlier_names: list[tuple[str, str]] = []
        self.pull_requests: dict[int, PullRequest] = {}
        self.issues: dict[int, Issue] = {}
        self.labels: dict[str, str] = {}  # the repository's, with their colours
        self.default_checks: list[CheckRun] = []  # of its default branch
        self.logs: dict[int, str] = {}  # of jobs
        self.remote: Path | None = None  # where branches are made, if anywhere
        self.requests: list[Request] = []
        self.trouble: str | None = None  # "rate limited", "slow down", "unauthorized", "broken"
        self.trouble_at: str | None = None  # one host only
        self.retry_after: int | None = None
        self._folder = folder
        shutil.copytree(_certificate(), folder, dirs_exist_ok=True)
        self._numbers = iter(range(7, 10_000))
        self._seconds = iter(range(1, 3600))
        self._server = self._started()
        self._port = int(self._server.server_address[1])

    # What the stories do

    def open_pull_request(self, head: str, **more: Any) -> PullRequest:
        """Somebody opens one for a branch."""
        made = PullRequest(next(self._numbers), head, title=more.pop("title", head), **more)
        self.pull_requests[made.number] = made
        return made

    def merge(self, number: int, commit: str) -> None:
        """Somebody merges one on the web page."""
        found = self.pull_requests[number]
        found.state, found.commit = "MERGED", commit

    def close_pull_request(self, number: int) -> None:
        """Somebody closes one unmerged."""
        self.pull_requests[number].state = "CLOSED"

    def open_issue(self, title: str, **more: Any) -> Issue:
        """Somebody opens an issue."""
        made = Issue(next(self._numbers), title, **more)
        self.issues[made.number] = made
        self.touch(made)
        return made

    def touch(self, issue: Issue) -> None:
        """Note that an issue was changed just now."""
        minutes, seconds = divmod(next(self._seconds), 60)
        issue.updated_at = f"2026-11-16T09:{minutes:02}:{seconds:02}Z"

    def edit_issue(self, number: int, **changes: Any) -> None:
        """Somebody changes one, closes it, opens it again."""
        for name, value in changes.items():
            setattr(self.issues[number], name, value)
        self.touch(self.issues[number])

    def rename(self, owner: str, name: str) -> None:
        """Rename the repository; the old name redirects."""
        self.earlier_names.append((self.owner, self.name))
        self.owner, self.name = owner, name

    def go_offline(self) -> None:
        """Stop answering."""
        self._server.shutdown()
        self._server.server_close()

    def come_back(self) -> None:
        """Answer again."""
        self._server = self._started(self._port)

    def queries(self, word: str = "") -> list[str]:
        """The GraphQL queries that were asked, with this word in them."""
        return [request.query for request in self.requests if request.query and word in request.query]

    # Where it is

    @property
    def repository(self) -> str:
        """For gh's `-R` and GH_REPO."""
        return f"{HOST}/{self.owner}/{self.name}"

    @property
    def environment(self) -> dict[str, str]:
        """The variables that make gh talk to this server, logged in."""
        proxy = f"http://127.0.0.1:{self._port}"
        hurry = {"GOGC": "off", "GOMAXPROCS": "1"}  # gh is over before there is anything to tidy up
        return {
            "HTTPS_PROXY": proxy,
            "SSL_CERT_FILE": str(self._folder / "server.pem"),
            "GH_TOKEN": "anything",
            **hurry,
        }

    def adopt(self, repository: Path) -> None:
        """Let gh take a clone for one of this repository: gh goes by the URLs of all remotes, git only by origin's."""
        words = ["git", "-C", str(repository), "remote", "add", "github", f"https://{self.repository}.git"]
        subprocess.run(words, check=True)

    def url(self, number: int, kind: str = "pull", host: str = HOST) -> str:
        return f"https://{host}/{self.owner}/{self.name}/{kind}/{number}"

    # The server

    def answer(self, request: Request) -> tuple[int, dict[str, str], Any]:
        """Status, headers and body for a request."""
        headers = {"X-Oauth-Scopes": "repo, read:org", "Content-Type": "application/json; charset=utf-8"}
        if self.retry_after is not None:
            headers["Retry-After"] = str(self.retry_after)
        match self.trouble if self.trouble_at in {None, request.host} else None:
            case "rate limited":
                error = {"type": "RATE_LIMITED", "message": "API rate limit exceeded for user ID 1."}
                return 200, {**headers, "X-Ratelimit-Remaining": "0"}, {"errors": [error]}
            case "slow down":
                return 403, headers, {"message": "You have exceeded a secondary rate limit. Please wait a few minutes."}
            case "unauthorized":
                return 401, headers, {"message": "Bad credentials", "documentation_url": "https://docs.github.com"}
            case "broken":
                return 502, {"Content-Type": "text/html"}, "<html>Unicorn!</html>"
        schema = Schema(self, OTHER_HOST if request.host == OTHER_HOST else HOST)
        if request.path.removeprefix("/api") == "/graphql":
            variables = request.body.get("variables") or {}
            return 200, headers, Answer(request.query, variables, schema.root()).as_json()
        status, found = schema.rest(request.method, request.path.removeprefix("/api/v3"), request.body)
        return status, headers, found

    def _started(self, port: int = 0) -> ThreadingTCPServer:
        server = _Proxy(("127.0.0.1", port), _Tunnel)
        server.github = self
        server.context.load_cert_chain(self._folder / "server.pem", self._folder / "server.key")
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return server

    def close(self) -> None:
        """Stop for good."""
        self.go_offline()


class _Proxy(ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True
    github: GitHub

    def __init__(self, *words: Any) -> None:
        super().__init__(*words)
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)


class _Tunnel(StreamRequestHandler):
    """A CONNECT to any host is answered by this server."""

    server: _Proxy

    def handle(self) -> None:
        while self.rfile.readline().strip():
            pass  # `CONNECT api.github.com:443` and what comes with it
        self.wfile.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        with suppress(OSError), self.server.context.wrap_socket(self.request, server_side=True) as encrypted:
            _Handler(encrypted, self.client_address, self.server)


class _Handler(BaseHTTPRequestHandler):
    server: _Proxy

    def _answer(self) -> None:
        body = json.loads(self._body() or b"{}")
        request = Request(self.command, self.headers["Host"], self.path, body)
        self.server.github.requests.append(request)
        status, headers, found = self.server.github.answer(request)
        data = found.encode() if isinstance(found, str) else json.dumps(found).encode()
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(data))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        found = b""
        while size := int(self.rfile.readline(), 16):
            found += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return found

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = _answer  # noqa: N815 - the library's names

    def log_message(self, *_words: object) -> None:
        """Tests read `requests` instead."""


@cache
def _certificate() -> Path:
    """A certificate that only tests trust, made once by each worker; returns where it is."""
    folder = Path(tempfile.mkdtemp(prefix="orange-certificate-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    curve = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2")
    names = ("-subj", f"/CN={HOST}", "-addext", f"subjectAltName=DNS:{HOST},DNS:api.{HOST},DNS:{OTHER_HOST}")
    files = ("-keyout", str(folder / "server.key"), "-out", str(folder / "server.pem"))
    subprocess.run(["openssl", "req", "-x509", *curve, *names, *files], check=True, capture_output=True)
    return folder

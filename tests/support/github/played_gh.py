"""A stand-in for `gh`, for stories about rules of ours: starting the real one takes most of the time of each call.

It stands where Orange starts gh, reads the same words and variables, sends the same requests through the same proxy to
the same server, and answers as gh does; `tests/outside/forge/test_played_gh.py` holds it to that. What it does not know
(another gh in the path, no login, `gh pr create`) is left to the real one. Only control characters come as they are:
which of them gh replaces, each of its versions decides anew.
"""

from __future__ import annotations

import json
import re
import shutil
import ssl
from functools import cache
from http.client import HTTPException, HTTPSConnection
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from orange_tui.domain.errors import Refused
from orange_tui.outside import programs
from orange_tui.outside.forge import _gh
from orange_tui.outside.programs import Finished
from support.github.server import HOST

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pytest

_GH = shutil.which("gh")
_TOKENS = ("GH_TOKEN", "GH_ENTERPRISE_TOKEN")
_REMOTE = re.compile(rf"^\s*url = https://{re.escape(HOST)}/([\w.-]+)/([\w.-]+?)(?:\.git)?$", re.MULTILINE)
_REPOSITORY = (
    "query RepositoryInfo($owner: String!, $name: String!) {\n\t\trepository(owner: $owner, name: $name) {url}\n\t}"
)
_FAILED, _MULTIPLE_CHOICES, _BAD_REQUEST = 1, 300, 400


class _Reply:
    """What the server answers, or why it did not."""

    def __init__(self, method: str, host: str, path: str, body: bytes, environment: Mapping[str, str]) -> None:
        place = f"api.{HOST}" if host == HOST else host
        self.url = f"https://{place}/{path}" if host == HOST else f"https://{place}/api/{_below(path)}"
        proxy = urlsplit(environment["HTTPS_PROXY"])
        context = _trusting(environment["SSL_CERT_FILE"])
        connection = HTTPSConnection(str(proxy.hostname), proxy.port, timeout=30, context=context)
        connection.set_tunnel(place)
        self.problem = ""
        self.status, self.text, self.head, self.is_json = 0, "", "", False
        try:
            connection.request(method, self.url.removeprefix(f"https://{place}"), body or None)
            self._read(connection.getresponse())
        except (OSError, HTTPException) as problem:
            self.problem = f'{method.title()} "{self.url}": {problem}\n'
        finally:
            connection.close()

    def _read(self, response: Any) -> None:
        headers = "".join(f"{name}: {value}\r\n" for name, value in sorted(response.getheaders()))
        self.status, self.reason = response.status, response.reason
        self.head = f"HTTP/1.{response.version % 10} {response.status} {response.reason}\n{headers}\r\n"
        self.is_json = "json" in response.getheader("Content-Type", "")
        self.text = response.read().decode()

    def error(self, *, is_graphql: bool) -> str:
        """What `gh api` says about it, if anything."""
        if self.is_json and (is_graphql or self.status >= _BAD_REQUEST):
            found = json.loads(self.text)
            if message := found.get("message"):
                return f"{message} (HTTP {self.status})"
            if errors := found.get("errors"):
                return "\n".join(each["message"] for each in errors)
        return f"HTTP {self.status}" if self.status >= _MULTIPLE_CHOICES else ""


def _below(path: str) -> str:
    return path if path == "graphql" else f"v3/{path}"


@cache
def _trusting(certificate: str) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=certificate)


def play(monkeypatch: pytest.MonkeyPatch) -> None:
    """From here on, Orange starts this in place of gh."""

    def run(words: Sequence[str], **options: Any) -> Finished:
        return played(words, **options) or programs.run(words, **options)

    def run_capped(words: Sequence[str], **options: Any) -> Finished:
        return played(words, **options) or programs.run_capped(words, **options)

    monkeypatch.setattr(_gh, "run", run)
    monkeypatch.setattr(_gh, "run_capped", run_capped)


def played(
    words: Sequence[str],
    *,
    environment: Mapping[str, str],
    directory: str | None = None,
    stdin: bytes = b"",
    most: int | None = None,
    **_limits: float,
) -> Finished | None:
    """What gh would have answered; None where only gh can tell."""
    if _GH is None or shutil.which("gh", path=environment.get("PATH")) != _GH or "HTTPS_PROXY" not in environment:
        return None
    match list(words[1:]):
        case ["repo", "view", "--json", "url"] if _TOKENS[0] in environment:
            return _repository(directory, environment)
        case ["api", "graphql", "--hostname", host, "--include", "--input", "-"] if _knows(host, environment):
            return _api(_Reply("POST", host, "graphql", stdin, environment), is_graphql=True)
        case ["api", "--hostname", host, "--include", "--method", method, path, *_] if _knows(host, environment):
            return _api(_Reply(method, host, path, stdin, environment))
        case ["api", "--hostname", host, path] if _knows(host, environment):
            return _capped(_api(_Reply("GET", host, path, b"", environment), has_head=False), most)
    return None


def _capped(finished: Finished, most: int | None) -> Finished:
    if most is not None and len(finished.output.encode()) > most:
        raise Refused("gh printed too much and was ended")
    return finished


def _knows(host: str, environment: Mapping[str, str]) -> bool:
    return _TOKENS[host != HOST] in environment


def _api(reply: _Reply, *, is_graphql: bool = False, has_head: bool = True) -> Finished:
    if reply.problem:
        return Finished(_FAILED, "", reply.problem)
    error = reply.error(is_graphql=is_graphql)
    printed = (reply.head if has_head else "") + reply.text
    return Finished(_FAILED, printed, f"gh: {error}\n") if error else Finished(0, printed, "")


def _repository(directory: str | None, environment: Mapping[str, str]) -> Finished | None:
    """`gh repo view`, for a clone with one remote on GitHub."""
    config = Path(directory or ".", ".git", "config")
    text = config.read_text() if config.is_file() else ""
    remotes = _REMOTE.findall(text)
    if len(remotes) != 1 or text.count(HOST) > 1 or "gh-resolved" in text:
        return None
    owner, name = remotes[0]
    body = {"query": _REPOSITORY, "variables": {"owner": owner, "name": name}}
    reply = _Reply("POST", HOST, "graphql", json.dumps(body).encode(), environment)
    if reply.problem:
        return Finished(_FAILED, "", reply.problem)
    return _viewed(reply)


def _viewed(reply: _Reply) -> Finished:
    found = json.loads(reply.text) if reply.is_json else {}
    if reply.status >= _MULTIPLE_CHOICES:
        message = found.get("message", f"{reply.status} {reply.reason}")
        hint = "Try authenticating with:  gh auth login\n" if reply.status == 401 else ""
        return Finished(_FAILED, "", f"HTTP {reply.status}: {message} ({reply.url})\n{hint}")
    if errors := found.get("errors"):
        said = [f"{each['message']}{_place(each.get('path'))}" for each in errors]
        return Finished(_FAILED, "", f"GraphQL: {', '.join(said)}\n")
    return Finished(0, json.dumps({"url": found["data"]["repository"]["url"]}, separators=(",", ":")) + "\n", "")


def _place(path: Sequence[str] | None) -> str:
    return f" ({'.'.join(path)})" if path else ""

"""GitHub, through its own `gh`: it knows the person's logins. What keeps it from answering is a sentence."""

from __future__ import annotations

import json
import os
import time

from orange_tui.domain.errors import NotFound, Refused
from orange_tui.domain.pull_request import NO_PULL_REQUEST, NO_REPOSITORY
from orange_tui.outside.git import REMOTE
from orange_tui.outside.programs import run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from orange_tui.outside.programs import Finished

NO_GH = "gh is not installed, and pull requests go through it: see cli.github.com"
NOT_LOGGED_IN = "gh is not logged in to GitHub; run `gh auth login`"
_UNREACHABLE = "GitHub cannot be reached"
_NOT_LOGGED_IN = 4
# What gh says, and what it means. In its own words these lead nowhere, or to the wrong place.
_MEANINGS = {
    "none of the git remotes": f"{REMOTE} is not on GitHub, or on a host that gh does not know (see `gh auth login`)",
    "no git remotes": f"the repository has no remote {REMOTE}; pull requests need one",
    "x509": "GitHub's certificate is not trusted here; is there a proxy in between?",
    "error connecting": _UNREACHABLE,
    '"https://': _UNREACHABLE,  # `Post "https://…": ` and whatever happened on the way
    "took longer than": _UNREACHABLE,
    "HTTP 401": "GitHub does not take gh's login any more; run `gh auth login`",
    "rate limit": "GitHub answers no more for now (rate limit)",
    "Could not resolve to a PullRequest": NO_PULL_REQUEST,
    "Could not resolve to a Repository": NO_REPOSITORY,
}
_OF_THE_HOST = ("x509", "error connecting", '"https://', "HTTP 401", "rate limit", "HTTP 429", "HTTP 5")
_PATIENCE = 30.0  # seconds for one question


class Unanswered(Refused):
    """GitHub did not answer; `pause` is how many seconds it wants to be left alone, where it says so."""

    def __init__(self, problem: str, pause: float = 0.0) -> None:
        super().__init__(problem)
        self.pause = pause


def gh(*words: str, directory: str | None = None, stdin: str = "", timeout: float = _PATIENCE) -> Finished:
    """Run gh, which asks nobody anything."""
    environment = {**os.environ, "GH_PROMPT_DISABLED": "1", "NO_COLOR": "1", "GH_NO_UPDATE_NOTIFIER": "1"}
    try:
        return run(["gh", *words], directory=directory, environment=environment, stdin=stdin.encode(), timeout=timeout)
    except NotFound:
        raise Refused(NO_GH) from None


def asked(*words: str, directory: str | None = None) -> Any:
    """What gh answers, as data."""
    finished = gh(*words, directory=directory)
    if finished.code != 0:
        raise Refused(meaning(finished))
    try:
        return json.loads(finished.output)
    except ValueError:
        raise Refused("gh gave an answer that is not JSON; is it up to date?") from None


def query(host: str, text: str) -> dict[str, Any]:
    """Ask a host in GraphQL: `data`, and `errors` where some of it could not be told. Or `Unanswered`."""
    try:
        finished = gh("api", "graphql", "--hostname", host, "--include", "--raw-field", f"query={text}")
    except Refused as problem:
        raise Unanswered(_meant(str(problem))) from None
    head, _, body = finished.output.replace("\r\n", "\n").partition("\n\n")
    try:
        reply = json.loads(body)
    except ValueError:
        reply = None
    if isinstance(reply, dict) and isinstance(reply.get("data"), dict):
        return reply  # gh also fails where one of many was not found
    raise Unanswered(meaning(finished), _pause(head))


def rest(host: str, method: str, path: str, body: object = None) -> Any:
    """Use the older interface: what it answers. `Unanswered` where that is the host's trouble, else a plain refusal."""
    words = ["api", "--hostname", host, "--include", "--method", method, path]
    words += ["--input", "-"] if body is not None else []
    try:
        finished = gh(*words, stdin="" if body is None else json.dumps(body))
    except Refused as problem:
        raise Unanswered(_meant(str(problem))) from None
    head, _, text = finished.output.replace("\r\n", "\n").partition("\n\n")
    if finished.code != 0:
        said = meaning(finished)
        if finished.code == _NOT_LOGGED_IN or any(words in finished.message for words in _OF_THE_HOST):
            raise Unanswered(said, _pause(head))
        raise Refused(said)
    try:
        return json.loads(text) if text.strip() else None
    except ValueError:
        raise Unanswered("gh gave an answer that is not JSON; is it up to date?") from None


def _pause(head: str) -> float:
    """How long GitHub wants to be left alone, by what stands above its answer."""
    lines = (line.partition(":") for line in head.lower().splitlines())
    values = {name.strip(): value.strip() for name, _, value in lines}
    if values.get("retry-after", "").isdigit():
        return float(values["retry-after"])
    if values.get("x-ratelimit-remaining") == "0" and values.get("x-ratelimit-reset", "").isdigit():
        return max(0.0, float(values["x-ratelimit-reset"]) - time.time())
    return 0.0


def meaning(finished: Finished) -> str:
    """Why gh failed, in words that lead somewhere."""
    if finished.code == _NOT_LOGGED_IN:
        return NOT_LOGGED_IN
    return _meant(finished.message, f"gh says: {finished.message}")


def _meant(said: str, otherwise: str | None = None) -> str:
    return next((meaning for words, meaning in _MEANINGS.items() if words in said), otherwise or said)

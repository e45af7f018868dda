"""Running `gh`, GitHub's own program, which knows the person's logins. Its failures become sentences that help."""

from __future__ import annotations

import json
import os
import time

from orange_tui.domain.errors import NotFound, Refused
from orange_tui.outside.forge.interface import ForgeUnavailable
from orange_tui.outside.git import REMOTE
from orange_tui.outside.programs import run, run_capped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from orange_tui.outside.programs import Finished

NO_PULL_REQUEST = "this pull request is no longer on GitHub"
NO_REPOSITORY = "this repository is no longer on GitHub, or you have no access to it"
_NOT_INSTALLED = "gh is not installed, and Orange needs it for GitHub: see cli.github.com"
_NOT_LOGGED_IN = "gh is not logged in to GitHub; run `gh auth login`"
_UNREACHABLE = "GitHub cannot be reached"
_NOT_JSON = "gh gave an answer that is not JSON; is it up to date?"
_NOT_LOGGED_IN_CODE = 4
_PARSE_ERRORS = (ValueError, RecursionError)  # the second one where lists in lists never end
# What gh prints, and what it means. In gh's own words these lead nowhere, or to the wrong place.
_EXPLANATIONS = {
    "none of the git remotes": f"{REMOTE} is not on GitHub, or on a host that gh does not know (see `gh auth login`)",
    "no git remotes": f"the repository has no remote {REMOTE}; pull requests need one",
    "x509": "GitHub's certificate is not trusted here; is there a proxy in between?",
    "error connecting": _UNREACHABLE,
    '"https://': _UNREACHABLE,  # `Post "https://…": ` and whatever happened on the way
    "took longer than": _UNREACHABLE,
    "HTTP 401": "GitHub no longer accepts gh's login; run `gh auth login`",
    "rate limit": "GitHub's rate limit is used up for now",
    "Could not resolve to a PullRequest": NO_PULL_REQUEST,
    "Could not resolve to a Repository": NO_REPOSITORY,
}
_HOST_TROUBLE = ("x509", "error connecting", '"https://', "HTTP 401", "rate limit", "HTTP 429", "HTTP 5")
_TIMEOUT_SECONDS = 30.0


def run_gh(*words: str, directory: str | None = None, stdin: str = "", timeout: float = _TIMEOUT_SECONDS) -> Finished:
    """Run gh without any prompts."""
    try:
        return run(
            ["gh", *words], directory=directory, environment=_environment(), stdin=stdin.encode(), timeout=timeout
        )
    except NotFound:
        raise Refused(_NOT_INSTALLED) from None


def _environment() -> dict[str, str]:
    return {**os.environ, "GH_PROMPT_DISABLED": "1", "NO_COLOR": "1", "GH_NO_UPDATE_NOTIFIER": "1"}


def download(host: str, path: str, most: int) -> str:
    """A text that the REST interface has; a plain refusal where it is not there (any more), or too long."""
    try:
        finished = run_capped(
            ["gh", "api", "--hostname", host, path],
            directory="/",
            environment=_environment(),
            timeout=_TIMEOUT_SECONDS,
            most=most,
        )
    except NotFound:
        raise ForgeUnavailable(_NOT_INSTALLED) from None
    if finished.code == 0:
        return finished.output
    if finished.code == _NOT_LOGGED_IN_CODE or any(words in finished.errors for words in _HOST_TROUBLE):
        raise ForgeUnavailable(explain(finished))
    raise Refused(explain(finished))


def read_json(*words: str, directory: str | None = None) -> Any:
    """What gh prints, as data."""
    finished = run_gh(*words, directory=directory)
    if finished.code != 0:
        raise Refused(explain(finished))
    try:
        return json.loads(finished.output)
    except _PARSE_ERRORS:
        raise Refused(_NOT_JSON) from None


def read_json_pages(*words: str, directory: str, timeout: float) -> list[list[Any]]:
    """What `gh api --paginate` prints: a list for each page, one after the other."""
    finished = run_gh(*words, directory=directory, timeout=timeout)
    if finished.code != 0:
        raise Refused(explain(finished))
    decoder, text, pages = json.JSONDecoder(), finished.output, []
    while text := text.lstrip():
        try:
            page, end = decoder.raw_decode(text)
        except _PARSE_ERRORS:
            raise Refused(_NOT_JSON) from None
        pages.append(page if isinstance(page, list) else [])
        text = text[end:]
    return pages


def graphql(host: str, query: str, **variables: str) -> dict[str, Any]:
    """A GraphQL query's reply: `data`, and `errors` where some of it could not be read. Or `ForgeUnavailable`."""
    body = json.dumps({"query": query, "variables": variables})  # which may be longer than a word of a command
    try:
        finished = run_gh("api", "graphql", "--hostname", host, "--include", "--input", "-", stdin=body)
    except Refused as problem:
        raise ForgeUnavailable(_explained(str(problem))) from None
    headers, text = _split(finished.output)
    try:
        reply = json.loads(text)
    except _PARSE_ERRORS:
        reply = None
    if isinstance(reply, dict) and isinstance(reply.get("data"), dict):
        return reply  # gh also fails where one of many was not found
    reason = _NOT_JSON if finished.code == 0 and reply is None else explain(finished)
    raise ForgeUnavailable(reason, _retry_after(headers))


def rest(host: str, method: str, path: str, body: object = None) -> Any:
    """A REST call's reply. `ForgeUnavailable` where the host has trouble, else a plain refusal."""
    words = ["api", "--hostname", host, "--include", "--method", method, path]
    words += ["--input", "-"] if body is not None else []
    try:
        finished = run_gh(*words, stdin="" if body is None else json.dumps(body))
    except Refused as problem:
        raise ForgeUnavailable(_explained(str(problem))) from None
    headers, text = _split(finished.output)
    if finished.code != 0:
        if finished.code == _NOT_LOGGED_IN_CODE or any(words in finished.message for words in _HOST_TROUBLE):
            raise ForgeUnavailable(explain(finished), _retry_after(headers))
        raise Refused(f"{explain(finished)}{_details(text)}")
    try:
        return json.loads(text) if text.strip() else None
    except _PARSE_ERRORS:
        raise ForgeUnavailable(_NOT_JSON) from None


def _details(body: str) -> str:
    """What GitHub says besides the status, which gh leaves out: a list of texts, or of objects with a message."""
    try:
        errors = value_at(json.loads(body), "errors")
    except _PARSE_ERRORS:
        return ""
    found = (
        [each if isinstance(each, str) else text_at(each, "message") for each in errors or ()]
        if isinstance(errors, list)
        else []
    )
    return f": {'; '.join(each for each in found if each)}" if any(found) else ""


def explain(finished: Finished) -> str:
    """Why gh failed, in words that help."""
    if finished.code == _NOT_LOGGED_IN_CODE:
        return _NOT_LOGGED_IN
    return _explained(finished.message, f"gh says: {finished.message}")


def _explained(message: str, otherwise: str | None = None) -> str:
    return next((meaning for words, meaning in _EXPLANATIONS.items() if words in message), otherwise or message)


def _split(output: str) -> tuple[str, str]:
    """Headers and body of what `gh api --include` prints."""
    headers, _, body = output.replace("\r\n", "\n").partition("\n\n")
    return headers, body


def _retry_after(headers: str) -> float:
    """How many seconds GitHub asks to be left alone."""
    lines = (line.partition(":") for line in headers.lower().splitlines())
    values = {name.strip(): value.strip() for name, _, value in lines}
    if values.get("retry-after", "").isdigit():
        return float(values["retry-after"])
    if values.get("x-ratelimit-remaining") == "0" and values.get("x-ratelimit-reset", "").isdigit():
        return max(0.0, float(values["x-ratelimit-reset"]) - time.time())
    return 0.0


def value_at(value: object, *path: str | int) -> object:
    """What is at a path in a reply; None where the reply is not built like that."""
    for step in path:
        fits = isinstance(value, dict) if isinstance(step, str) else isinstance(value, list) and value
        if not fits:
            return None
        value = value.get(step) if isinstance(value, dict) else value[step]  # type: ignore[index]
    return value


def text_at(value: object, *path: str | int) -> str:
    """The text at a path in a reply; empty where there is none."""
    found = value_at(value, *path)
    return found if isinstance(found, str) else ""


def nodes_at(value: object, *path: str | int) -> list[object]:
    """The nodes of a GraphQL connection at a path in a reply."""
    nodes = value_at(value, *path, "nodes")
    return nodes if isinstance(nodes, list) else []

"""What people said about a GitHub issue: the last comments on it, through `gh`."""

from __future__ import annotations

import json
import re

from orange_tui.domain.errors import Refused
from orange_tui.domain.records import record
from orange_tui.outside.github import gh, meaning

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST = 10
_PATIENCE = 10.0  # seconds: an agent waits for this
_ADDRESS = re.compile(r"https://([\w.-]+)/([\w.-]+)/([\w.-]+)/issues/[0-9]+/?", re.ASCII)


@record
class Comment:
    """One comment: who, when, what."""

    author: str
    when: str
    text: str


def last_comments(directory: str, number: int, url: str | None = None, *, most: int = MOST) -> list[Comment]:
    """The last comments on an issue, oldest first; refused with the reason when GitHub cannot be asked.

    Without the issue's address, the repository is the one that gh finds from the directory.
    """
    words = ["api", "--paginate", f"repos/{_repository(url)}/issues/{number:d}/comments?per_page=100"]
    host = _host(url)
    finished = gh(*words, *(("--hostname", host) if host else ()), directory=directory, timeout=_PATIENCE)
    if finished.code != 0:
        raise Refused(meaning(finished))
    found = [_comment(each) for page in _pages(finished.output) for each in page if isinstance(each, dict)]
    return sorted(found, key=lambda comment: comment.when)[-most:]


def _repository(url: str | None) -> str:
    found = _ADDRESS.fullmatch(url or "")
    return f"{found[2]}/{found[3]}" if found else "{owner}/{repo}"


def _host(url: str | None) -> str | None:
    found = _ADDRESS.fullmatch(url or "")
    return found[1] if found else None


def _pages(text: str) -> list[list[Any]]:
    """A list for each page: gh prints them one after the other."""
    decoder, pages = json.JSONDecoder(), []
    while text := text.lstrip():
        try:
            page, end = decoder.raw_decode(text)
        except (ValueError, RecursionError):
            raise Refused("gh gave an answer that is not JSON; is it up to date?") from None
        pages.append(page if isinstance(page, list) else [])
        text = text[end:]
    return pages


def _comment(found: dict[str, Any]) -> Comment:
    user = found.get("user")
    author = user.get("login") if isinstance(user, dict) else None
    return Comment(str(author or "somebody"), str(found.get("created_at") or ""), str(found.get("body") or ""))

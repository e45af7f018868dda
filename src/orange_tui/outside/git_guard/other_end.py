"""The repository that a push goes to, where that is on this machine: its hooks run here, as the person.

Where it is, the settings of the repository say, which may have come with it. What is on another machine runs there.
"""

from __future__ import annotations

import os
import re

from orange_tui.outside.git_guard.brought import (
    Brought,
    ask_git,
    brought,
    find_directories,
    read_lines,
    settings_that_run,
)
from orange_tui.outside.git_guard.hooks import hooks_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from orange_tui.outside.git_guard.brought import GitDirectories

_REMOTE = "origin"
_PLAIN_URL = r"\s*url = (?P<url>[^\s\"\\#;]+)"
_SAYS_MORE = re.compile(r"insteadof|pushurl|include|worktreeconfig", re.IGNORECASE)
_FILE = "file://"
_SUFFIXES = ("", ".git")  # that git tries
_ELSEWHERE = r"(?i:[a-z][a-z0-9+.-]*:(//|:)|[^/]+:)"  # an address, a helper's, or host:path


def brought_by_other_end(where: GitDirectories) -> Iterator[Brought]:
    """What a push from here would run on this machine at its other end."""
    for place in sorted(set(_places(where))):
        there = find_directories(place)
        if there is not None and there.shared != where.shared:
            settings, hooks_path = settings_that_run(there)
            for each in (*settings, *hooks_of(there, hooks_path).found):
                shown = f"{there.shared}: {each.name}"
                yield brought(each.kind, shown, each.text) if each.digest else Brought(each.kind, shown, each.text, "")


def _places(where: GitDirectories) -> Iterator[str]:
    for url in _push_urls(where):
        path = url.removeprefix(_FILE)
        if url.startswith(_FILE) or not re.match(_ELSEWHERE, url):
            found = os.path.join(where.path, os.path.expanduser(path))
            yield from (found + suffix for suffix in _SUFFIXES if os.path.isdir(found + suffix))


def _push_urls(where: GitDirectories) -> list[str]:
    """Where pushes go: read off plain lines, of any remote, else as git tells it."""
    lines = read_lines(os.path.join(where.shared, "config"))
    urls = [line for line in lines if "url" in line.lower()]
    plain = [found["url"] for line in urls if (found := re.fullmatch(_PLAIN_URL, line))]
    if len(plain) == len(urls) and not any(_SAYS_MORE.search(line) for line in lines):
        return plain
    return ask_git("-C", where.path, "remote", "get-url", "--push", "--all", _REMOTE).output.splitlines()

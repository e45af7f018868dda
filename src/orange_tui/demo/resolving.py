"""What the demo agent does about a conflict: it merges the other side and keeps what both have written.

A real agent would think about it. This one puts both sides below each other, which is right for a list and good
enough for a demo; its tests and its reviewer look at it afterwards, as at anything else.
"""

from __future__ import annotations

import os
import re

from orange_tui.domain.errors import OrangeError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.demo.desk import Desk

_ASKED = re.compile(r"merge (\S+) into this branch", re.IGNORECASE)
_MARKS = re.compile(r"^(<{7} .*|={7}|>{7} .*)\n", re.MULTILINE)
_STAMP = "UTC**"


def last_words(feedback: str) -> str:
    """What a person said last: each time stands below the one before it, dated."""
    return feedback.rpartition(_STAMP)[2].strip()


def branch_to_merge(words: str) -> str | None:
    """Which branch somebody wants to have merged into this one."""
    found = _ASKED.findall(words)
    return found[-1] if found else None


def merge(desk: Desk, branch: str, message: str) -> str | None:
    """Merge a branch and commit that; returns the short name of the commit, or None when there was nothing to merge."""
    if desk.git("remote", "get-url", "origin").code == 0:
        desk.git("fetch", "--quiet", "origin")
    tried = desk.git("-c", "merge.conflictStyle=merge", "merge", "--no-ff", "--no-commit", "--quiet", branch)
    if desk.git("rev-parse", "--verify", "--quiet", "MERGE_HEAD").code != 0:
        if tried.code != 0:
            raise OrangeError(f"git merge did not work: {tried.message}")
        return None
    for name in desk.git("diff", "--name-only", "--diff-filter=U", "-z").output.split("\0"):
        if name:
            _keep_both(desk, name)
    done = desk.git("-c", "commit.gpgsign=false", "commit", "--quiet", "-m", message)
    if done.code != 0:
        desk.git("merge", "--abort")
        raise OrangeError(f"git commit did not work: {done.message}")
    return desk.git("rev-parse", "--short", "HEAD").output.strip()


def _keep_both(desk: Desk, name: str) -> None:
    """Take the marks away and leave the lines; of what is no text, or was deleted by one side, ours is kept."""
    path = os.path.join(desk.directory, name)
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except (OSError, UnicodeDecodeError):
        desk.git("checkout", "--ours", "--", name)
    else:
        with open(path, "w", encoding="utf-8") as file:
            file.write(_MARKS.sub("", text))
    desk.git("add", "--", name)

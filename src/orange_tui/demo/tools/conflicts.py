"""How the demo agent resolves a conflict: it merges the other branch and keeps the lines of both sides.

A real agent would think about it. This one puts both sides below each other, which is right for a list and good
enough for a demo; its tests and its reviewer look at it afterwards, as at anything else.
"""

from __future__ import annotations

import os
import re

from orange_tui.domain.errors import OrangeError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.demo.tools.task_tools import TaskTools

_MERGE_REQUEST = re.compile(r"merge (\S+) into this branch", re.IGNORECASE)
_MARKERS = re.compile(r"^(<{7} .*|={7}|>{7} .*)\n", re.MULTILINE)
_STAMP = "UTC**"


def latest_feedback(feedback: str) -> str:
    """The latest feedback: each entry stands below the one before it, with its date."""
    return feedback.rpartition(_STAMP)[2].strip()


def branch_to_merge(words: str) -> str | None:
    """The branch that a message asks to merge into this one."""
    found = _MERGE_REQUEST.findall(words)
    return found[-1] if found else None


def merge_keeping_both(tools: TaskTools, branch: str, message: str) -> str | None:
    """Merge a branch and commit that; returns the short name of the commit, or None when there was nothing to merge."""
    if tools.git("remote", "get-url", "origin").code == 0:
        tools.git("fetch", "--quiet", "origin")
    tried = tools.git("-c", "merge.conflictStyle=merge", "merge", "--no-ff", "--no-commit", "--quiet", branch)
    if tools.git("rev-parse", "--verify", "--quiet", "MERGE_HEAD").code != 0:
        if tried.code != 0:
            raise OrangeError(f"git merge failed: {tried.message}")
        return None
    for name in tools.git("diff", "--name-only", "--diff-filter=U", "-z").output.split("\0"):
        if name:
            _keep_both_sides(tools, name)
    done = tools.git("-c", "commit.gpgsign=false", "commit", "--quiet", "-m", message)
    if done.code != 0:
        tools.git("merge", "--abort")
        raise OrangeError(f"git commit failed: {done.message}")
    return tools.git("rev-parse", "--short", "HEAD").output.strip()


def _keep_both_sides(tools: TaskTools, name: str) -> None:
    """Remove the conflict markers and keep all lines; of a binary or deleted file, keep our side."""
    path = os.path.join(tools.directory, name)
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except (OSError, UnicodeDecodeError):
        tools.git("checkout", "--ours", "--", name)
    else:
        with open(path, "w", encoding="utf-8") as file:
            file.write(_MARKERS.sub("", text))
    tools.git("add", "--", name)

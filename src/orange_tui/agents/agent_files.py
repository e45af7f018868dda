"""The files an agent needs in its worktree: hooks that report its state, answers to its first-run dialogs.

They are merged into the person's own settings file where there is one; what is theirs stays theirs. A file that git
tracks is the project's, and a symlink may point anywhere: neither is touched, and a warning says so.
"""

from __future__ import annotations

import json
import os
import re

from orange_tui.domain.errors import OrangeError
from orange_tui.domain.harnesses.harness import fill
from orange_tui.home.files import read_bytes, replace_file
from orange_tui.outside.git import Repository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from orange_tui.domain.harnesses.harness import Harness

_MAX_BYTES = 5_000_000
_SAFE_WORD = re.compile(r"[A-Za-z0-9_@%+=:,./-]+", re.ASCII)


def write_agent_files(harness: Harness, worktree: str, values: Mapping[str, str]) -> list[str]:
    """Write the harness's files into a worktree; returns a warning for each that was not. May be run again."""
    if not harness.files and not harness.excludes:
        return []
    git = Repository(worktree)
    tracked = _tracked(git, harness)
    warnings = [
        warning
        for path, content in harness.files.items()
        if (warning := _why_left_alone(worktree, path, tracked) or _write(harness, worktree, path, content, values))
    ]
    _exclude(git, worktree, harness.excludes)
    return warnings


def _tracked(git: Repository, harness: Harness) -> set[str]:
    finished = git.ask("ls-files", "-z", "--", *(f":(literal){path}" for path in harness.files))
    return set(finished.output.split("\0"))


def _why_left_alone(worktree: str, path: str, tracked: set[str]) -> str | None:
    """Why a file is left alone, if it is."""
    full = os.path.join(worktree, path)
    if path in tracked:
        return f"{path} belongs to the repository (git tracks it) and was left as it is"
    folder = os.path.realpath(os.path.dirname(full))
    root = os.path.realpath(worktree)
    outside = folder != root and not folder.startswith(root + os.sep)
    if outside or os.path.islink(full):
        return f"{path} is a symlink out of the worktree and was left as it is"
    return None


def _write(harness: Harness, worktree: str, path: str, content: str, values: Mapping[str, str]) -> str | None:
    full = os.path.join(worktree, path)
    try:
        present = read_bytes(full, max_bytes=_MAX_BYTES) if os.path.lexists(full) else None
        new = _merged(harness, path, content, present, values)
        if new is None:
            return f"{path} exists already and cannot be merged with what {harness.title} needs; it was left as it is"
        if new != present:
            os.makedirs(os.path.dirname(full), exist_ok=True)
            replace_file(full, new)
    except (OrangeError, OSError) as problem:
        return f"{path} could not be written: {problem}"
    return None


def _merged(
    harness: Harness, path: str, content: str, present: bytes | None, values: Mapping[str, str]
) -> bytes | None:
    """The new content of the file; None when what is there cannot be merged with."""
    if not path.endswith(".json"):
        wanted = fill(content, _quoted_for_shell(values), harness).encode()
        return wanted if present in {None, wanted} else None
    theirs = {} if present is None or not present.strip() else _parse_object(present)
    if theirs is None:
        return None
    ours = _fill_placeholders(json.loads(content), harness, values)
    merged = _merge(_remove_ours(theirs, json.loads(content), harness), ours)
    return present if present is not None and merged == theirs else _encode(merged)


def _parse_object(data: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _encode(value: Mapping[str, Any]) -> bytes:
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode(errors="backslashreplace")


def _fill_placeholders(value: Any, harness: Harness, values: Mapping[str, str]) -> Any:
    """Placeholders are filled in after parsing, so no path can break the JSON."""
    if isinstance(value, dict):
        return {key: _fill_placeholders(each, harness, values) for key, each in value.items()}
    if isinstance(value, list):
        return [_fill_placeholders(each, harness, values) for each in value]
    return fill(value, _quoted_for_shell(values), harness) if isinstance(value, str) else value


def _quoted_for_shell(values: Mapping[str, str]) -> dict[str, str]:
    """`{orange}` stands in commands that the agent gives to a shell: it must stay one word there."""
    orange = values.get("orange") or "orange"
    quoted = orange if _SAFE_WORD.fullmatch(orange) else "'" + orange.replace("'", "'\"'\"'") + "'"
    return {**values, "orange": quoted}


def _merge(theirs: dict[str, Any], ours: Mapping[str, Any]) -> dict[str, Any]:
    """Their settings with ours added: lists get longer, a value they have set differently stays theirs."""
    result = dict(theirs)
    for key, value in ours.items():
        present = result.get(key)
        if key not in result:
            result[key] = value
        elif isinstance(present, dict) and isinstance(value, dict):
            result[key] = _merge(present, value)
        elif isinstance(present, list) and isinstance(value, list):
            result[key] = [*present, *value]
    return result


def _remove_ours(theirs: dict[str, Any], ours: Mapping[str, Any], harness: Harness) -> dict[str, Any]:
    """Their settings without ours, also without what an Orange installed elsewhere wrote there."""
    result = {}
    for key, value in theirs.items():
        left = _remove_value(value, ours[key], harness) if key in ours else value
        if left is not None:
            result[key] = left
    return result


def _remove_value(value: Any, ours: Any, harness: Harness) -> Any:
    if isinstance(value, dict) and isinstance(ours, dict):
        return _remove_ours(value, ours, harness) or None
    if isinstance(value, list) and isinstance(ours, list):
        marks = [f" task {verb} --agent {harness.name} " for verb in ("event", "ask")]
        theirs = (each for each in value if each not in ours)
        return [each for each in theirs if not any(mark in json.dumps(each) for mark in marks)] or None
    return None if value == ours else value


def _exclude(git: Repository, worktree: str, lines: tuple[str, ...]) -> None:
    """Keep our files out of `git status`, in the exclude file that all worktrees of a repository share."""
    where = git.answer("rev-parse", "--git-path", "info/exclude") if lines else None
    if where is None:
        return
    path = os.path.join(worktree, where)
    present = read_bytes(path) if os.path.exists(path) else b""
    known = present.decode(errors="replace").splitlines()
    missing = [line for line in lines if line not in known]
    if missing:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        start = "" if not present or present.endswith(b"\n") else "\n"
        with open(path, "a", encoding="utf-8") as file:
            file.write(start + "".join(f"{line}\n" for line in missing))

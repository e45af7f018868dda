"""git, as a person uses it in a directory."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_SETTINGS = (
    *("-c", "protocol.file.allow=always"),  # submodules of tests are directories beside them
    *("-c", "maintenance.auto=false"),  # nothing here is old enough to be tidied up after each commit
)


def git(directory: Path, *words: str, code: int = 0) -> str:
    """What git prints there; it must end with that exit code."""
    command = ["git", *_SETTINGS, *words]
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout.strip()


def commit(directory: Path, name: str, text: str = "x\n") -> str:
    """A commit with one file; returns its hash."""
    (directory / name).parent.mkdir(parents=True, exist_ok=True)
    (directory / name).write_text(text)
    git(directory, "add", "--", name)
    git(directory, "commit", "--quiet", "--message", f"add {name}")
    return git(directory, "rev-parse", "HEAD")


def branch_of(directory: Path) -> str:
    """What is checked out."""
    return git(directory, "symbolic-ref", "--short", "HEAD")


def make_repository(path: Path) -> Path:
    """A git repository with one commit on main."""
    path.mkdir(parents=True)
    git(path, "init", "--quiet", "--initial-branch=main")
    commit(path, "README", "coffee\n")
    return path

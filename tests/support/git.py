"""git, as a person uses it in a directory."""

from __future__ import annotations

import atexit
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

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


_made: dict[Callable[[Path], None], Path] = {}
_FILES_WITH_PATHS = ("config", "gitdir", ".git")


def copied(make: Callable[[Path], None], root: Path) -> None:
    """What `make` would put below a directory, made once by each worker and then copied: git is slow to begin."""
    if make not in _made:
        place = Path(tempfile.mkdtemp(prefix="orange-repositories-"))
        atexit.register(shutil.rmtree, place, ignore_errors=True)
        make(place)
        _made[make] = place
    shutil.copytree(_made[make], root, symlinks=True, dirs_exist_ok=True)
    for path in [path for name in _FILES_WITH_PATHS for path in root.rglob(name) if path.is_file()]:
        path.write_text(path.read_text().replace(str(_made[make]), str(root)))
    for checkout in [path.parent for path in root.rglob(".git")]:
        git(checkout, "update-index", "-q", "--refresh")  # it has other files now, as far as git can tell


def _one_commit(root: Path) -> None:
    git(root, "init", "--quiet", "--initial-branch=main")
    commit(root, "README", "coffee\n")


def make_repository(path: Path) -> Path:
    """A git repository with one commit on main."""
    path.mkdir(parents=True)
    copied(_one_commit, path)
    return path

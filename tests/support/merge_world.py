"""A repository with a bare remote, the person's checkout of main, and branches that are ready to be merged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from orange_tui.delivery.merging.merge import Merger, MergeResult
from orange_tui.engine.creation import NewTask
from orange_tui.home.paths import Home
from orange_tui.orange import assemble
from orange_tui.store.store import StoredTask, TaskRef
from orange_tui.trust.trust import Trust
from support.driver import put, refusal
from support.git import copied, git

if TYPE_CHECKING:
    from pathlib import Path

MENU = "espresso\n\nfilter\n\nmocha\n"


def write_commit(place: Path, files: dict[str, str], message: str = "work") -> str:
    """A commit with these files; returns its hash."""
    for name, text in files.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text)
    git(place, "add", "--all")
    git(place, "commit", "-q", "-m", message)
    return git(place, "rev-parse", "HEAD")


def _plant(root: Path) -> None:
    """The remote, the person's checkout, and a worktree where branches are made."""
    git(root, "init", "-q", "--bare", "--template=", "--initial-branch=main", "remote.git")
    git(root, "init", "-q", "--template=", "--initial-branch=main", "coffee")
    write_commit(root / "coffee", {"menu": MENU, ".gitignore": "*.log\n"})
    git(root / "coffee", "remote", "add", "origin", str(root / "remote.git"))
    git(root / "coffee", "push", "-q", "--set-upstream", "origin", "main")
    git(root / "coffee", "worktree", "add", "-q", "--detach", str(root / "branches"))


class MergeWorld:
    """The project `coffee` in a home of its own, with the hooks that are really run."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.main, self.remote, self.branches = root / "coffee", root / "remote.git", root / "branches"
        self.notes: list[str] = []
        copied(_plant, root)
        self.orange = assemble(Home(str(root / "home")))
        self.orange.projects.add({"name": "coffee", "path": str(self.main), "default_branch": "main"})

    def git(self, *words: str, at: Path | None = None, code: int = 0) -> str:
        return git(at or self.main, *words, code=code)

    def write(self, place: Path, files: dict[str, str], message: str = "work") -> str:
        """A commit with these files, on what is checked out there."""
        return write_commit(place, files, message)

    def branch(self, name: str, files: dict[str, str], start: str = "main") -> str:
        """A branch with one commit, made where nobody looks."""
        self.git("switch", "-q", "-c", name, start, at=self.branches)
        commit = self.write(self.branches, files, f"on {name}") if files else self.tip(name)
        self.git("switch", "-q", "--detach", at=self.branches)
        return commit

    def task(self, branch: str = "feat/tea", files: dict[str, str] | None = None, **more: Any) -> TaskRef:
        """A task whose branch was worked on and waits for a person."""
        self.branch(branch, {"tea": "green\n"} if files is None else files)
        values = {"summary": "Offer tea", "status": "reviewing", **more}
        return self.orange.tasks.create(NewTask(project="coffee", branch=branch, **values)).ref

    def forced_into(self, status: str, branch: str = "feat/tea") -> TaskRef:
        """A task in a state where nobody has reviewed it, without an agent."""
        ref = self.task(branch)
        with self.orange.store.open(ref) as opened:
            put(opened, "test", {"status": status})
        return ref

    def elsewhere(self, files: dict[str, str]) -> str:
        """Somebody else pushes to main."""
        other = self.root / "other"
        if not other.exists():
            self.git("clone", "-q", str(self.remote), str(other), at=self.root)
        self.git("pull", "-q", at=other)
        commit = self.write(other, files, "from elsewhere")
        self.git("push", "-q", at=other)
        return commit

    def merge(self, ref: TaskRef, **how: Any) -> MergeResult:
        return Merger(assemble(self.orange.home).tasks).merge(ref, report=self.notes.append, **how)

    def refused(self, ref: TaskRef, **how: Any) -> str:
        """Why a merge is refused, after making sure that it has left everything as it was."""
        before = self.everything(ref)
        why = refusal(lambda: self.merge(ref, **how))
        assert self.everything(ref) == before
        return why

    def everything(self, ref: TaskRef) -> dict[str, object]:
        """Branches here and there, what is checked out and changed, and where the task is."""
        files = [path for path in sorted(self.main.rglob("*")) if path.is_file() and ".git" not in path.parts]
        return {
            "here": self.git("for-each-ref", "refs/heads", "refs/tags", "refs/orange"),
            "there": self.git("ls-remote", str(self.remote)) if self.remote.exists() else None,
            "head": (self.main / ".git/HEAD").read_text(),
            "status": self.git("status", "--porcelain"),
            "files": {str(path): path.read_bytes() for path in files},
            "task": (self.status(ref), self.stored(ref).body),
        }

    def stored(self, ref: TaskRef) -> StoredTask:
        found = self.orange.store.read(ref)
        assert isinstance(found, StoredTask)
        return found

    def status(self, ref: TaskRef) -> str:
        return self.stored(ref).task.status

    def attention(self, ref: TaskRef) -> str | None:
        return self.stored(ref).task.attention

    def events(self, ref: TaskRef, kind: str) -> list[dict[str, Any]]:
        return [event for event in self.orange.store.journal(ref).events() if event["type"] == kind]

    def tip(self, name: str = "main") -> str:
        return self.git("rev-parse", name)

    def there(self, name: str = "main") -> str | None:
        """Where the remote has a branch."""
        return self.git("ls-remote", str(self.remote), f"refs/heads/{name}").partition("\t")[0] or None

    def parents(self, commit: str = "main") -> list[str]:
        return self.git("show", "--no-patch", "--format=%P", commit).split()

    def message(self, commit: str = "main") -> str:
        return self.git("show", "--no-patch", "--format=%B", commit)

    def hook(self, repository: Path, name: str, text: str) -> None:
        path = repository / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        self.trust()

    def trust(self) -> None:
        """The person has seen all that the repository brings along, and trusts it."""
        trust, project = Trust(self.orange.home), self.orange.projects.get("coffee")
        trust.confirm(project, trust.brought(project))

    def is_merged(self, ref: TaskRef) -> bool:
        """Whether a task was merged as it should be: here, there, in the history, and in the checkout."""
        (merged,) = self.events(ref, "task.merged")
        assert self.there() in {self.tip(), None}
        assert (self.status(ref), self.attention(ref)) == ("done", None)
        assert self.git("status", "--porcelain") == ""
        self.git("merge-base", "--is-ancestor", merged["commit"], "main")
        return True

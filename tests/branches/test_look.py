"""Looking at a task runs nothing that its agent could have configured, whatever its worktree's `.git` has become."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from orange_tui.branches.conflicts import ConflictForecast
from orange_tui.branches.distance import BranchDistances
from orange_tui.branches.rename import update_with_branch
from orange_tui.branches.task_diff import TaskDiffs
from orange_tui.domain.errors import Untrusted
from orange_tui.engine.creation import NewTask
from orange_tui.home.files import read_signature
from orange_tui.outside.git import Repository
from orange_tui.outside.git_guard.brought import find_directories
from orange_tui.outside.git_guard.gate import brought_by_git
from orange_tui.outside.git_guard.judge import use_judge
from orange_tui.outside.git_guard.nested import is_settled_repository
from orange_tui.outside.git_merge import merged_tree
from orange_tui.outside.git_reader.reader import GitReaders
from orange_tui.prompt_context._project_rows import diff_text
from orange_tui.prompt_context._sources import ContextSources
from support.driver import put, refusal
from support.git import git

if TYPE_CHECKING:
    from collections.abc import Callable

    from orange_tui.home.projects import Project
    from orange_tui.store.store import TaskRef
    from support.merge_world import MergeWorld

MENU = "espresso\n\nfilter\n\n"
TRAPS = (
    "core.fsmonitor",
    "core.pager",
    "core.sshCommand",
    "core.editor",
    "diff.external",
    "diff.x.command",
    "diff.x.textconv",
    "filter.x.clean",
    "filter.x.smudge",
    "filter.y.process",
    "gpg.program",
    "merge.x.driver",
)


class Site:
    """A task with a worktree, and a trap that its agent has set wherever git can be told to run something."""

    def __init__(self, merge_world: MergeWorld) -> None:
        self.merge_world = merge_world
        self.ref = merge_world.task("feat/tea", {"menu": f"{MENU}matcha\n"})
        merge_world.branch("feat/other", {"menu": f"{MENU}lungo\n"})
        orange, task = merge_world.orange, merge_world.stored(self.ref).task
        name = orange.pool.reserve(self.project, task)
        orange.pool.prepare(self.project, task, name)
        with orange.store.open(self.ref) as opened:
            put(opened, "test", {"workspace": name, "attempts": 1})
        self.worktree = Path(orange.pool.worktree(name))
        self.trap = merge_world.root / "trap"
        self.trap.write_text(
            f"#!/bin/sh\n(cat /proc/$PPID/cmdline | tr '\\0' ' '; echo \"$0 $*\") >>'{merge_world.root}/sprung'\ncat\n"
        )
        self.trap.chmod(0o755)

    @property
    def project(self) -> Project:
        return self.merge_world.orange.projects.get("coffee")

    @property
    def sprung(self) -> str:
        path = self.merge_world.root / "sprung"
        return path.read_text() if path.exists() else ""

    def set_traps(self, at: Path) -> None:
        """As an agent can, in a repository's configuration and attributes."""
        for setting in TRAPS:
            git(at, "config", setting, str(self.trap))
        git(at, "config", "merge.x.name", "x")
        git(at, "config", "log.showSignature", "true")
        git(at, "config", "filter.x.required", "true")
        git(at, "config", "core.hooksPath", str(self.merge_world.root))
        (self.merge_world.root / "more").write_text(
            f"[diff]\n\texternal = {self.trap}\n[core]\n\tfsmonitor = {self.trap}\n"
        )
        git(at, "config", "include.path", str(self.merge_world.root / "more"))
        info = Path(git(at, "rev-parse", "--path-format=absolute", "--git-path", "info/attributes"))
        info.write_text("* diff=x filter=x merge=x\n*.y filter=y\n")

    def diff(self, ref: TaskRef | None = None, *, finished: bool = False) -> str:
        orange, ref = self.merge_world.orange, ref or self.ref
        diffs = TaskDiffs(orange.projects, orange.store, orange.pool)
        return diffs.read(ref, self.merge_world.stored(ref).task, finished=finished)

    def context(self) -> str:
        orange, stored = self.merge_world.orange, self.merge_world.stored(self.ref)
        return diff_text(
            ContextSources(
                task=stored.task,
                body=stored.body,
                journal=orange.store.journal(self.ref),
                directory=str(self.worktree),
                store=orange.store,
                projects=orange.projects,
                workflows=orange.tasks.engine.workflows,
                log=orange.tasks.engine.log,
            )
        )


@pytest.fixture
def site(merge_world: MergeWorld) -> Site:
    return Site(merge_world)


@pytest.mark.parametrize("use_library", [True, False], ids=["pygit2", "git"])
def test_looking_at_a_task_runs_nothing_of_what_its_agent_has_configured(site: Site, *, use_library: bool) -> None:
    (site.worktree / "menu").write_text(f"{MENU}sencha\n")
    (site.worktree / "new.y").write_text("oolong\n")
    site.set_traps(site.worktree)
    assert "+sencha" in site.diff()
    assert "+oolong" in site.diff()
    assert "+sencha" in site.context()
    other = site.merge_world.orange.tasks.create(NewTask(project="coffee", branch="feat/other", status="reviewing")).ref
    assert "+lungo" in site.diff(other)
    readers = GitReaders(use_library=use_library)
    distances = BranchDistances(readers)
    branches = ("feat/tea", "feat/other")
    assert distances.refresh(site.project, branches)["feat/tea"].ahead == 1
    conflicts = ConflictForecast(readers).refresh(
        site.project, distances.positions(site.project), {name: name for name in branches}
    )
    assert conflicts["feat/tea"].others == {"feat/other": ("menu",)}
    assert site.sprung == ""


def test_what_the_person_has_configured_for_all_repositories_still_works(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as git-lfs: then the diff is one of what git would commit."""
    (site.merge_world.root / "gitconfig").write_text('[filter "loud"]\n\tclean = tr a-z A-Z\n')
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(site.merge_world.root / "gitconfig"))
    (site.worktree / ".gitattributes").write_text("menu filter=loud\n")
    (site.worktree / "menu").write_text(f"{MENU}sencha\n")
    assert "+SENCHA" in site.diff()


def test_merging_for_the_person_runs_the_merge_drivers_of_their_repository_once_they_are_trusted(site: Site) -> None:
    site.set_traps(site.merge_world.main)
    with pytest.raises(Untrusted):
        merged_tree(Repository(str(site.merge_world.main)), "feat/tea", "feat/other")
    assert site.sprung == ""
    where = find_directories(str(site.merge_world.main))
    assert where is not None
    use_judge({where.shared: {each.digest for each in brought_by_git(where)}}.__getitem__)
    merged_tree(Repository(str(site.merge_world.main)), "feat/tea", "feat/other")
    assert "trap" in site.sprung


def test_a_look_leaves_the_worktrees_index_alone_and_takes_no_lock(site: Site) -> None:
    own = Path(git(site.worktree, "rev-parse", "--absolute-git-dir"))
    (site.worktree / "menu").touch()
    before = read_signature(str(own / "index"))
    (own / "index.lock").touch()
    assert "matcha" in site.diff()
    assert read_signature(str(own / "index")) == before


def test_a_repository_inside_a_worktree_cannot_say_of_itself_that_it_is_clean(site: Site) -> None:
    inner = site.worktree / "inner"
    git(site.merge_world.root, "clone", "-q", str(site.merge_world.remote), str(inner))
    assert is_settled_repository(str(inner))
    site.set_traps(inner)
    (inner / "menu").write_text("only here\n")
    assert not is_settled_repository(str(inner))
    assert site.sprung == ""


def test_a_repository_inside_another_one_inside_a_worktree_runs_nothing_either(site: Site) -> None:
    inner = site.worktree / "inner"
    git(site.merge_world.root, "clone", "-q", str(site.merge_world.remote), str(inner))
    git(site.merge_world.root, "clone", "-q", str(site.merge_world.remote), str(inner / "deep"))
    git(inner, "add", "deep")
    git(inner, "commit", "-q", "-m", "as a submodule")
    git(inner, "push", "-q", "origin", "HEAD:refs/heads/with-submodule")
    assert is_settled_repository(str(inner))
    site.set_traps(inner / "deep")
    (inner / "deep/menu").write_text("only here\n")
    assert not is_settled_repository(str(inner))
    assert site.sprung == ""


def own_repository(site: Site) -> None:
    (site.worktree / ".git").unlink()
    git(site.worktree, "init", "-q")


def repository_elsewhere(site: Site) -> None:
    """One that is all in order, but for being another one."""
    elsewhere = site.merge_world.root / "elsewhere"
    git(site.merge_world.root, "clone", "-q", str(site.merge_world.main), str(elsewhere))
    (site.worktree / ".git").unlink()
    git(elsewhere, "worktree", "add", "-q", "-b", "x", str(site.worktree / "inner"))
    os.rename(site.worktree / "inner/.git", site.worktree / ".git")
    (elsewhere / ".git/worktrees/inner/gitdir").write_text(f"{site.worktree}/.git\n")


def half_a_repository(site: Site) -> None:
    """One that only says that it is part of the right one."""
    own = site.merge_world.root / "own"
    own.mkdir()
    (own / "HEAD").write_text("ref: refs/heads/feat/tea\n")
    (own / "commondir").write_text(f"{site.merge_world.main}/.git\n")
    (own / "gitdir").write_text(f"{site.worktree}/.git\n")
    (site.worktree / ".git").write_text(f"gitdir: {own}\n")


def another_worktree(site: Site) -> None:
    (site.worktree / ".git").write_text((site.merge_world.branches / ".git").read_text())


def pipe(site: Site) -> None:
    (site.worktree / ".git").unlink()
    os.mkfifo(site.worktree / ".git")


@pytest.mark.parametrize(
    "change",
    [own_repository, repository_elsewhere, half_a_repository, another_worktree, pipe],
    ids=lambda each: each.__name__,
)
def test_a_worktree_whose_pointer_was_changed_is_told_and_nothing_is_run_in_it(
    site: Site, change: Callable[[Site], None]
) -> None:
    right = (site.worktree / ".git").read_text().strip()
    change(site)
    if (site.worktree / ".git").is_dir() or change is repository_elsewhere:
        site.set_traps(site.worktree)
    site.set_traps(site.merge_world.main)
    orange = site.merge_world.orange
    released = orange.pool.release(site.project, site.ref.id, site.worktree.name)
    told = {
        "diff": refusal(site.diff),
        "context": refusal(site.context),
        "branch": refusal(lambda: update_with_branch(orange.tasks, site.ref, None, "/")),
        "release": released.quarantined or "",
    }
    for look, why in told.items():
        assert f"{site.worktree}/.git" in why, look
        assert "Nothing was run there" in why, look
        assert right in why, look
    assert site.sprung == ""

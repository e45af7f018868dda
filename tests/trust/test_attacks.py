"""What an agent writes into its repository does not run as the person: not at a checkout, a release or a push."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from orange_tui.domain.errors import Refused, Untrusted
from orange_tui.outside.git import Repository
from orange_tui.outside.git_guard import gate, hooks
from orange_tui.outside.git_guard.brought import ask_git, find_directories
from orange_tui.outside.git_worktree import commit_all, worktree_of
from orange_tui.trust.trust import Trust
from support.git import branch_of, commit, git

if TYPE_CHECKING:
    from pathlib import Path

    from orange_tui.outside.programs import Finished
    from support.pool_world import Cafe

HOOKS = ("post-checkout", "post-index-change", "reference-transaction", "pre-commit", "post-merge", "pre-push")


def set_hooks(directory: Path, trap: Path, names: tuple[str, ...] = HOOKS) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    for name in names:
        (directory / name).write_text(f"#!/bin/sh\necho {name} >>{trap}\n")
        (directory / name).chmod(0o755)


@pytest.fixture
def trap(tmp_path: Path) -> Path:
    """Whoever runs what an agent has written leaves a line in here."""
    return tmp_path / "trap"


def test_a_task_waits_for_the_person_where_the_repository_has_hooks(cafe: Cafe, trap: Path) -> None:
    set_hooks(cafe.main / ".git/hooks", trap, ("post-checkout",))
    said = cafe.refusal(cafe.task())
    assert "the hook post-checkout" in said
    assert "`orange project trust coffee`" in said
    assert not trap.exists()
    cafe.trust()
    assert branch_of(cafe.spawn(cafe.task("b"))) == "b"
    assert "post-checkout" in trap.read_text()


def test_a_hook_written_after_trust_does_not_run_when_a_workspace_is_released(cafe: Cafe, trap: Path) -> None:
    task = cafe.task()
    workspace = cafe.spawn(task)
    (workspace / "draft").write_text("work\n")
    set_hooks(cafe.main / ".git/hooks", trap)
    released = cafe.release(task, workspace)
    assert released.quarantined is None
    assert not trap.exists()
    assert "coffee brings along" in cafe.refusal(cafe.task("b"))
    assert not trap.exists()
    assert cafe.in_saved(str(released.saved), "draft") == "work"
    assert cafe.is_clean(workspace)  # by a git that runs hooks: it is not ours


def test_a_filter_set_after_trust_sets_the_workspace_aside_with_its_work(cafe: Cafe, trap: Path) -> None:
    task = cafe.task()
    workspace = cafe.spawn(task)
    (workspace / "draft").write_text("work\n")
    for name in ("clean", "smudge"):
        git(workspace, "config", f"filter.evil.{name}", f"touch {trap}; cat")
    (workspace / ".gitattributes").write_text("* filter=evil\n")
    released = cafe.release(task, workspace)
    assert "filter.evil.clean" in str(released.quarantined)
    assert "orange project trust" in str(released.quarantined)
    assert (workspace / "draft").read_text() == "work\n"
    assert not trap.exists()
    git(cafe.main, "config", "--remove-section", "filter.evil")
    cafe.gc()
    assert cafe.is_clean(workspace)


@pytest.mark.parametrize(
    "setting",
    ["core.fsmonitor", "core.sshCommand", "merge.x.driver", "diff.x.textconv", "credential.helper", "gpg.program"],
)
def test_a_setting_that_runs_something_is_refused_until_it_was_seen(cafe: Cafe, trap: Path, setting: str) -> None:
    git(cafe.main, "config", setting, f"touch {trap}; false")
    assert setting.lower() in cafe.refusal(cafe.task()).lower()
    with pytest.raises(Untrusted):
        Repository(str(cafe.main)).ask("status")
    assert not trap.exists()


def test_a_setting_of_a_worktree_alone_is_refused_as_well(cafe: Cafe, trap: Path) -> None:
    workspace = cafe.spawn(cafe.task())
    git(cafe.main, "config", "extensions.worktreeConfig", "true")
    git(workspace, "config", "--worktree", "core.fsmonitor", f"touch {trap}")
    with pytest.raises(Untrusted, match="fsmonitor"):
        Repository(str(workspace)).ask("status")
    assert not trap.exists()


@pytest.mark.parametrize("condition", ["[include]", '[includeIf "onbranch:feat/x"]', '[includeIf "gitdir:/nowhere/"]'])
def test_what_is_included_counts_under_any_condition(cafe: Cafe, trap: Path, condition: str) -> None:
    with (cafe.main / ".git/config").open("a") as file:
        file.write(f"{condition}\n\tpath = ../more\n")
    (cafe.main / "more").write_text(f"[core]\n\tfsmonitor = touch {trap}\n")
    assert "core.fsmonitor" in cafe.refusal(cafe.task())
    assert not trap.exists()


@pytest.mark.parametrize(
    "writing", ['[FILTER "a"] clean = x', "[filter.a]\n smudge=x", '[filter "a"]\nprocess = "x\\\ny"']
)
def test_git_itself_reads_the_settings_however_they_are_written(cafe: Cafe, writing: str) -> None:
    with (cafe.main / ".git/config").open("a") as file:
        file.write(f"{writing}\n")
    assert "filter.a." in cafe.refusal(cafe.task())


def test_hooks_in_a_worktree_are_its_agents_and_never_run(cafe: Cafe, trap: Path) -> None:
    set_hooks(cafe.main / ".githooks", cafe.root / "persons", ("post-checkout", "pre-push"))
    git(cafe.main, "config", "core.hooksPath", ".githooks")
    cafe.trust()
    workspace = cafe.spawn(cafe.task())
    set_hooks(workspace / ".githooks", trap)
    Repository(str(workspace)).must("switch", "--create", "other")
    commit(cafe.main, "more")
    Repository(str(cafe.main)).must("push", "origin", "main")
    assert not trap.exists()
    assert "pre-push" in (cafe.root / "persons").read_text()


def test_hooks_elsewhere_that_a_setting_leads_to_are_refused(cafe: Cafe, trap: Path) -> None:
    cafe.trust()
    set_hooks(cafe.root / "evil", trap)
    git(cafe.main, "config", "core.hooksPath", str(cafe.root / "evil"))
    assert "core.hookspath" in cafe.refusal(cafe.task())
    with pytest.raises(Untrusted, match="git push was not run"):
        Repository(str(cafe.main)).ask("push", "origin", "main")
    assert not trap.exists()


def test_huskys_real_hooks_are_those_beside_its_own_folder(cafe: Cafe, trap: Path) -> None:
    set_hooks(cafe.main / ".husky/_", cafe.root / "h", ("pre-push",))
    set_hooks(cafe.main / ".husky", cafe.root / "h", ("pre-push",))
    git(cafe.main, "config", "core.hooksPath", ".husky/_")
    cafe.trust()
    assert Trust(cafe.home).untrusted(cafe.project) == []
    set_hooks(cafe.main / ".husky", trap, ("pre-push",))
    assert [each.name for each in Trust(cafe.home).untrusted(cafe.project)] == ["pre-push"]


def test_more_than_can_be_shown_cannot_be_trusted(cafe: Cafe) -> None:
    set_hooks(cafe.main / ".git/hooks", cafe.root / "trap", ("post-checkout",))
    (cafe.main / ".git/hooks/huge").write_bytes(b"x" * 3_000_000)
    with pytest.raises(Exception, match="too much in it to be shown"):
        cafe.trust()
    assert "brings along" in cafe.refusal(cafe.task())


def test_a_submodule_of_a_worktree_is_nobodys_whom_the_person_trusts(cafe: Cafe, trap: Path) -> None:
    workspace = cafe.spawn(cafe.task())
    git(workspace, "init", "--quiet", "inner")
    git(workspace / "inner", "config", "core.fsmonitor", f"touch {trap}")
    with pytest.raises(Untrusted):
        Repository(str(workspace / "inner")).ask("status")
    assert not trap.exists()


def test_hooks_run_from_where_the_person_has_seen_them_whichever_setting_git_would_follow(
    cafe: Cafe, trap: Path
) -> None:
    """Settings are included in an order of git's own; what is run was looked at, or nothing is."""
    set_hooks(cafe.root / "seen", cafe.root / "persons", ("post-checkout",))
    set_hooks(cafe.root / "evil", trap)
    config = cafe.main / ".git"
    (config / "c").write_text(f"[core]\n\thooksPath = {cafe.root}/seen\n")
    (config / "b").write_text("")
    (config / "a").write_text("[include]\n\tpath = c\n")
    with (config / "config").open("a") as file:
        file.write("[include]\n\tpath = a\n[include]\n\tpath = b\n")
    cafe.trust()
    (config / "b").write_text(f"[core]\n\thooksPath = {cafe.root}/evil\n")
    assert git(cafe.main, "config", "core.hooksPath") == f"{cafe.root}/evil"
    Repository(str(cafe.main)).must("switch", "--create", "other")
    assert not trap.exists()


@pytest.mark.parametrize("condition", ["", "a condition"])
def test_a_persons_own_place_for_hooks_counts_where_they_say_and_is_asked_for_once_where_that_is_everywhere(
    cafe: Cafe, trap: Path, monkeypatch: pytest.MonkeyPatch, condition: str
) -> None:
    set_hooks(cafe.root / "own", cafe.root / "persons", ("post-checkout",))
    others = [cafe.root / "other", cafe.root / "third"]
    for other in others:
        git(cafe.root, "clone", "--quiet", str(cafe.remote), str(other))
        set_hooks(other / ".git/hooks", trap, ("post-checkout",))
    own, settings = cafe.root / "own.config", cafe.root / "persons.config"
    own.write_text(f"[core]\n\thooksPath = {cafe.root}/own\n")
    kind = f'includeIf "gitdir:{cafe.main}/"' if condition else "include"
    settings.write_text(f"[{kind}]\n\tpath = {own}\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    asked: list[tuple[str, ...]] = []

    def ask(*words: str, **more: Any) -> Finished:
        asked.append(words)
        return ask_git(*words, **more)

    monkeypatch.setattr(hooks, "ask_git", ask)
    Repository(str(cafe.main)).must("switch", "--create", "mine")
    assert (cafe.root / "persons").read_text() == "post-checkout\n"
    for other in others:
        Repository(str(other)).ask("switch", "--create", "mine")
    assert not trap.exists()
    assert len(asked) == (3 if condition else 1)
    assert (cafe.root / "persons").read_text().count("post-checkout") == (1 if condition else 3)


@pytest.mark.parametrize("condition", ["onbranch:main", "hasconfig:remote.*.url:**/chosen"])
def test_a_condition_in_the_persons_settings_that_an_agent_can_end_lets_no_hook_of_the_repository_run(
    cafe: Cafe, trap: Path, monkeypatch: pytest.MonkeyPatch, condition: str
) -> None:
    """The person's own hooks are on under a condition, and what it is about is anybody's to change."""
    git(cafe.main, "remote", "add", "second", str(cafe.root / "chosen"))
    set_hooks(cafe.root / "own", cafe.root / "persons", ("reference-transaction",))
    own, settings = cafe.root / "own.config", cafe.root / "persons.config"
    own.write_text(f"[core]\n\thooksPath = {cafe.root}/own\n")
    settings.write_text(f'[includeIf "{condition}"]\n\tpath = {own}\n')
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    Repository(str(cafe.main)).must("update-ref", "refs/heads/one", "HEAD")
    assert "reference-transaction" in (cafe.root / "persons").read_text()
    git(cafe.main, "symbolic-ref", "HEAD", "refs/heads/one")
    git(cafe.main, "remote", "remove", "second")
    set_hooks(cafe.main / ".git/hooks", trap)

    Repository(str(cafe.main)).must("update-ref", "refs/heads/two", "HEAD")

    assert not trap.exists()
    assert [each.name for each in Trust(cafe.home).untrusted(cafe.project)] == sorted(HOOKS)


def test_the_persons_own_hooks_run_from_where_they_were_looked_for_whatever_a_repository_says_meanwhile(
    cafe: Cafe, trap: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_hooks(cafe.root / "own", cafe.root / "persons", ("post-checkout",))
    set_hooks(cafe.root / "evil", trap, ("post-checkout",))
    settings = cafe.root / "persons.config"
    settings.write_text(f"[core]\n\thooksPath = {cafe.root}/own\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    looked = gate.settings_for

    def look_and_be_late(*given: Any) -> tuple[str, ...]:
        found = looked(*given)
        git(cafe.main, "config", "core.hooksPath", str(cafe.root / "evil"))
        return found

    monkeypatch.setattr(gate, "settings_for", look_and_be_late)
    Repository(str(cafe.main)).must("switch", "--create", "mine")
    assert not trap.exists()
    assert (cafe.root / "persons").read_text() == "post-checkout\n"


def test_what_a_repository_says_of_hooks_at_the_last_moment_is_never_taken_for_the_persons(
    cafe: Cafe, trap: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_hooks(cafe.root / "evil", trap)
    where = find_directories(str(cafe.main))
    assert where is not None
    git(cafe.main, "config", "core.hooksPath", str(cafe.root / "evil"))

    found = hooks.hooks_of(where, None)  # as if the settings had been read just before

    assert found.path == str(cafe.main / ".git/hooks")


def test_settings_that_were_broken_for_a_moment_do_not_turn_the_persons_own_hooks_off(
    cafe: Cafe, trap: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_hooks(cafe.root / "own", cafe.root / "persons", ("post-checkout",))
    set_hooks(cafe.main / ".git/hooks", trap, ("post-checkout",))
    settings = cafe.root / "persons.config"
    settings.write_text(f"[core]\n\thooksPath = {cafe.root}/own\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    config = cafe.main / ".git/config"
    before = config.read_text()
    config.write_text(f"{before}[broken\n")
    with pytest.raises(Refused):
        Repository(str(cafe.main)).must("switch", "--create", "mine")
    config.write_text(before)

    Repository(str(cafe.main)).must("switch", "--create", "mine")

    assert (cafe.root / "persons").read_text() == "post-checkout\n"
    assert not trap.exists()


def test_git_does_not_go_into_submodules_by_itself(cafe: Cafe, trap: Path) -> None:
    git(cafe.root, "clone", "--quiet", "--template=", str(cafe.remote), "part")
    git(cafe.main, "submodule", "--quiet", "add", str(cafe.root / "part"), "part")
    git(cafe.main, "commit", "--quiet", "--message", "part")
    git(cafe.main, "push", "--quiet")
    git(cafe.main, "config", "submodule.recurse", "true")
    set_hooks(cafe.main / ".git/modules/part/hooks", trap)
    commit(cafe.root / "part", "more")
    assert Repository(str(cafe.main)).fetch("main") is None
    Repository(str(cafe.main)).must("switch", "--create", "other")
    assert not trap.exists()


def test_work_is_committed_for_an_agent_without_running_what_its_submodules_say(cafe: Cafe, trap: Path) -> None:
    task = cafe.task()
    workspace = cafe.spawn(task)
    inner = workspace / "inner"
    git(workspace, "init", "--quiet", "--template=", "inner")
    commit(inner, "one")
    worktree = worktree_of(str(cafe.main), str(workspace))
    assert commit_all(worktree, task.branch, "first")
    git(inner, "config", "core.fsmonitor", f"touch {trap}; false")
    (workspace / "README").unlink()
    (workspace / "more").write_text("x\n")
    assert commit_all(worktree, task.branch, "second")
    assert not trap.exists()
    git(inner, "-c", "core.fsmonitor=false", "commit", "--quiet", "--allow-empty", "--message", "two")
    tip = git(inner, "rev-parse", "HEAD")
    assert commit_all(worktree, task.branch, "third")
    assert not trap.exists()
    listed = git(cafe.main, "ls-tree", task.branch)
    assert tip in listed
    assert "more" in listed
    assert "README" not in listed
    assert not commit_all(worktree, task.branch, "nothing")

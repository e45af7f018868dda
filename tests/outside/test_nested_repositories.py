"""Repositories in ignored folders: deleted only where all that is in them is elsewhere too."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from orange_tui.outside.git_guard.nested import is_settled_repository
from support.git import commit, git, make_repository

if TYPE_CHECKING:
    from pathlib import Path

MADE_HERE = "git commit -qm only-here --allow-empty"
TAGGED = f"git clone -q $U it && cd it && git switch -q --detach && {MADE_HERE} && git tag mine"
BACK = "git switch -q main"
LATER = "GIT_COMMITTER_DATE='@4000000000 +0000'"
ELSEWHERE = {
    "a clone": "git clone -q $U it",
    "a clone of a tag": "git clone -q --branch v1 --depth 1 $U it",
    "from tag to tag": "git clone -q $U it && cd it && git checkout -q v1 && git checkout -q v2",
    "an unborn branch that was given a tag": "git init -q it && cd it && git pull -q $U tag v1",
    "fast-forward to a tag": "git clone -q $U it && cd it && git merge -q --ff-only v1",
    "rebased onto a tag": "git clone -q $U it && cd it && git rebase -q v1",
    "what was made is given up": f"git clone -q $U it && cd it && {MADE_HERE} && git reset -q --hard origin/main",
    "a worktree of one with a tag of its own": (
        f"git clone -q $U other && cd other && git switch -q --detach && {MADE_HERE} && git tag mine && {BACK}"
        " && git worktree add -q --detach ../it"
    ),
    "empty": "git init -q --bare it",
    "a bare clone": "git clone -q --bare $U it",
    "a mirror": "git clone -q --mirror $U it && git -C it fetch -q",
    "fetched by its address": "git init -q --bare it && git -C it fetch -q $U +refs/heads/*:refs/remotes/a/*",
}
ONLY_HERE = {
    "a commit": f"git clone -q $U it && cd it && {MADE_HERE}",
    "under a tag": f"{TAGGED} && {BACK}",
    "under a tag, with a subject that misleads": TAGGED.replace("only-here", "Only-a-Fast-forward") + f" && {BACK}",
    "under a tag, made elsewhere": (
        "git clone -q $U it && cd it && git worktree add -q --detach ../linked"
        f" && (cd ../linked && {MADE_HERE} && git tag mine)"
    ),
    "under a tag, and no log": f"{TAGGED} && {BACK} && rm -r .git/logs",
    "under a tag, picked": (
        f"{TAGGED} && {BACK} && git switch -q --detach && git cherry-pick --allow-empty mine >../log"
        f" && git tag other && {BACK} && git tag -d mine >../log"
    ),
    "under a tag, and its log has expired": f"{TAGGED} && {BACK} && git reflog expire --expire=now --all",
    "under a tag, rebased onto what was pulled from an address": (
        f"{TAGGED} && git commit -q --amend --allow-empty -m amended && git tag -d mine >../log"
        " && git pull -q --rebase $U v1 && git tag mine && git switch -q main"
    ),
    "under a tag, stashed": (
        f"git clone -q $U it && cd it && echo tea >tea && git add tea && git tag mine $({LATER} git stash create)"
        " && git reset -q --hard"
    ),
    "under a tag, made in a worktree that is gone": (
        "git clone -q $U it && cd it && git worktree add -q --detach ../linked"
        f" && (cd ../linked && {LATER} {MADE_HERE} && git tag mine) && git worktree remove ../linked"
    ),
    "under a name of its own": f"{TAGGED} && git update-ref refs/wip/mine HEAD && git tag -d mine >../log && {BACK}",
    "checked out in another worktree": (
        f"git clone -q $U it && cd it && git worktree add -q --detach ../linked && cd ../linked && {MADE_HERE}"
    ),
    "a worktree of it has checked out what is no commit": (
        "git clone -q $U it && git -C it worktree add -q ../linked"
        " && echo --output=../written >it/.git/worktrees/linked/HEAD"
    ),
    "a bare one that was pushed to": "git init -q --bare it && git clone -q $U c && git -C c push -q ../it main:mine",
    "a bare one that is broken": (
        "git init -q --bare it && git clone -q $U c && git -C c push -q ../it main:mine && : >it/HEAD"
    ),
    "a bare clone that was pushed to": (
        f"git clone -q --bare $U it && git clone -q it c && cd c && {MADE_HERE} && git push -q"
    ),
    "a bare clone that was given a tag": (
        f"git clone -q --bare $U it && git clone -q it c && cd c && {MADE_HERE}"
        " && git tag mine && git push -q origin mine"
    ),
    "a bare clone that was pushed to and tidied up": (
        f"git clone -q --bare $U it && git clone -q it c && cd c && {MADE_HERE} && git push -q && git -C ../it gc -q"
    ),
    "a bare clone with a worktree": (
        f"git clone -q --bare $U it && git -C it worktree add -q --detach ../c && cd c && {MADE_HERE}"
    ),
    "a mirror that was pushed to": (
        f"git clone -q --mirror $U it && git clone -q it c && cd c && {MADE_HERE} && git push -q origin HEAD:mine"
    ),
    "a bare one with a commit on no branch": (
        f"git clone -q $U c && (cd c && {MADE_HERE}) && git clone -q --bare c it"
        " && git -C it update-ref --no-deref HEAD main && git -C it remote remove origin && git -C it branch -qD main"
    ),
}


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    """A repository whose two tags are on no branch."""
    found = make_repository(tmp_path / "remote")
    git(found, "switch", "-q", "--detach")
    for name in ("v1", "v2"):
        commit(found, name)
        git(found, "tag", name)
    git(found, "switch", "-q", "main")
    return found


@pytest.mark.parametrize("bare", ["all", "explicit"])
@pytest.mark.parametrize(("how", "settled"), [(h, True) for h in ELSEWHERE] + [(h, False) for h in ONLY_HERE])
def test_repository_is_given_up_only_where_all_of_it_is_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, remote: Path, how: str, settled: bool, bare: str
) -> None:
    git(tmp_path, "init", "-q", "around")  # what git finds where it searches further up
    git(tmp_path / "around", "remote", "add", "origin", "nowhere")
    monkeypatch.setenv("U", f"file://{remote}")
    script = {**ELSEWHERE, **ONLY_HERE}[how]
    subprocess.run(["sh", "-ec", script], cwd=tmp_path / "around", check=True)
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "safe.bareRepository")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", bare)
    assert is_settled_repository(str(tmp_path / "around" / "it")) == settled
    assert not list(tmp_path.rglob("written"))

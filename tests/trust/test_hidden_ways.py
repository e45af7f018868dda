"""What a hostile repository hides so that git finds it and a look does not: it is found, or it is never run."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

from orange_tui.domain.errors import Refused, Untrusted
from orange_tui.outside.git import Repository
from orange_tui.presentation import trust as presentation
from orange_tui.trust.trust import Trust
from support.git import commit, git

if TYPE_CHECKING:
    from pathlib import Path

    from support.pool_world import Cafe


@pytest.fixture
def trap(tmp_path: Path) -> Path:
    """Whoever runs what the repository brings along leaves a file here."""
    return tmp_path / "trap"


def configure(cafe: Cafe, text: str) -> None:
    with (cafe.main / ".git/config").open("ab") as file:
        file.write(os.fsencode(text))


def written(cafe: Cafe, name: str, trap: Path) -> str:
    """A file of settings that run something, beside the repository."""
    path = str(cafe.root / name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"[core]\n\tfsmonitor = touch {trap}\n")
    return path


def test_included_by_a_path_that_only_git_can_read_it_cannot_be_trusted(cafe: Cafe, trap: Path) -> None:
    configure(cafe, f"[include]\n\tpath = %(prefix)/..{written(cafe, 'more', trap)}\n")
    assert git(cafe.main, "config", "core.fsmonitor") == f"touch {trap}"
    with pytest.raises(Untrusted):
        Repository(str(cafe.main)).ask("status")
    assert not trap.exists()
    with pytest.raises(Refused, match="cannot be trusted"):
        cafe.trust()


def test_included_by_a_name_that_is_no_text_it_is_read_all_the_same(cafe: Cafe, trap: Path) -> None:
    configure(cafe, f"[include]\n\tpath = {written(cafe, 'mo' + chr(0xDCFF) + 're', trap)}\n")
    with pytest.raises(Untrusted, match="fsmonitor"):
        Repository(str(cafe.main)).ask("status")
    assert not trap.exists()


def test_settings_that_differ_in_what_is_no_text_are_not_the_same(cafe: Cafe) -> None:
    configure(cafe, "[core]\n\tfsmonitor = /tmp/\udcfe\n")
    cafe.trust()
    text = (cafe.main / ".git/config").read_bytes()
    (cafe.main / ".git/config").write_bytes(text.replace(b"\xfe", b"\xff"))
    assert len(Trust(cafe.home).untrusted(cafe.project)) == 1


@pytest.mark.parametrize("name", [".git/config.worktree", ".git/hooks/post-checkout"])
def test_what_is_there_and_cannot_be_read_is_never_trusted(cafe: Cafe, name: str) -> None:
    (cafe.main / ".git/hooks").mkdir(exist_ok=True)
    os.mkfifo(cafe.main / name)
    assert "brings along" in cafe.refusal(cafe.task())
    with pytest.raises(Refused, match="cannot be trusted"):
        cafe.trust()


def test_hooks_that_may_be_run_but_not_read_are_left_out(
    cafe: Cafe, trap: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program needs no right to be read. Root reads everything, so the refusal is played here."""
    hooks = cafe.main / ".git/hooks"
    hooks.mkdir(exist_ok=True)
    (hooks / "post-checkout").write_text(f"#!/bin/sh\ntouch {trap}\n")
    (hooks / "post-checkout").chmod(0o755)
    real = os.scandir

    def scandir(path: str) -> object:
        if path == str(hooks):
            raise PermissionError(13, "Permission denied", path)
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    Repository(str(cafe.main)).must("switch", "--create", "other")
    assert not trap.exists()
    assert [each.digest for each in Trust(cafe.home).untrusted(cafe.project)] == [""]


def test_repository_is_the_one_that_git_finds_not_an_empty_one_beside_it(tmp_path: Path, trap: Path) -> None:
    """Git passes over a `.git` that is none, and takes what lies around as a repository."""
    root = tmp_path / "unpacked"
    git(tmp_path, "init", "--quiet", "--bare", "--template=", str(root))
    for setting in (("core.bare", "false"), ("core.worktree", "."), ("core.fsmonitor", f"touch {trap}")):
        git(root, "config", *setting)
    (root / ".git/objects").mkdir(parents=True)
    (root / ".git/refs").mkdir()
    (root / ".git/HEAD").write_text("nothing\n")
    with pytest.raises(Untrusted, match="fsmonitor"):
        Repository(str(root)).ask("status")
    assert not trap.exists()


def test_looking_for_what_is_missing_fetches_nothing_by_a_program_of_the_repositorys(cafe: Cafe, trap: Path) -> None:
    """A partial clone fetches what it has not, and its settings say with which program: even `ls-tree` runs it."""
    commit(cafe.main, ".orange.yml", "setup: make\n")
    git(cafe.main, "push", "--quiet")
    tree = git(cafe.main, "rev-parse", "HEAD^{tree}")
    (cafe.main / ".git/objects" / tree[:2] / tree[2:]).unlink()
    git(cafe.main, "config", "core.repositoryformatversion", "1")
    git(cafe.main, "config", "extensions.partialClone", "origin")
    git(cafe.main, "config", "remote.origin.uploadpack", f"touch {trap}; git-upload-pack")
    assert "remote.origin.uploadpack" in cafe.refusal(cafe.task())
    assert not trap.exists()
    cafe.trust()
    assert [each.name for each in Trust(cafe.home).untrusted(cafe.project)] == [".orange.yml: setup"]
    assert trap.exists()  # now the person has seen it, and what is missing is fetched


@pytest.mark.parametrize("how", ["url", "pushurl", "insteadof"])
def test_hooks_of_a_repository_on_this_machine_that_is_pushed_to_are_shown(cafe: Cafe, trap: Path, how: str) -> None:
    """They run here, as the person, and the settings that lead there came with the repository."""
    there = cafe.main / ".git/there"
    shutil.copytree(cafe.remote, there)
    (there / "hooks").mkdir(exist_ok=True)
    (there / "hooks/pre-receive").write_text(f"#!/bin/sh\ntouch {trap}\n")
    (there / "hooks/pre-receive").chmod(0o755)
    lines = {
        "url": '[remote "origin"]\n\turl = .git/there\n',
        "pushurl": f'[remote "origin"]\n\tpushurl = file://{there}\n',
        "insteadof": f'[url "{there}"]\n\tinsteadOf = {cafe.remote}\n',
    }
    if how == "url":
        git(cafe.main, "config", "--unset", "remote.origin.url")
    configure(cafe, lines[how])
    commit(cafe.main, "more")
    with pytest.raises(Untrusted, match="pre-receive"):
        Repository(str(cafe.main)).ask("push", "origin", "main")
    assert not trap.exists()
    cafe.trust()
    Repository(str(cafe.main)).must("push", "origin", "main")
    assert trap.exists()


def test_names_that_are_no_text_are_shown_and_remembered(cafe: Cafe) -> None:
    configure(cafe, '[filter "\udcff"]\n\tclean = /tmp/\udcfe\n')
    hooks = cafe.main / ".git/hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("post-checkout", "\udcff"):
        (hooks / name).write_bytes(b"#!/bin/sh\n: \xff\n")
        (hooks / name).chmod(0o755)
    found = Trust(cafe.home).brought(cafe.project)
    assert len(found) == 3
    assert "\n".join(presentation.lines(found)).encode()
    cafe.trust()
    assert Trust(cafe.home).untrusted(cafe.project) == []

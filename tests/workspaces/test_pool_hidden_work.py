"""Work that git does not show, or shows otherwise than it is: it is saved byte by byte, and not handed on."""

from __future__ import annotations

import json
import os
import socket
import subprocess
from contextlib import chdir
from typing import TYPE_CHECKING

import pytest

from orange_tui.workspaces.saved_work import restore_to_branch
from support.git import commit, git

if TYPE_CHECKING:
    from pathlib import Path

    from support.pool_world import Cafe


def attributes(cafe: Cafe, lines: str) -> None:
    """The repository has these attributes, and a filter that strips lines with a secret."""
    for key, value in (("clean", "sed /secret/d"), ("smudge", "cat"), ("required", "true")):
        git(cafe.main, "config", f"filter.strip.{key}", value)
    commit(cafe.main, ".gitattributes", lines)
    commit(cafe.main, "notes", "one\n")
    git(cafe.main, "push", "--quiet")
    cafe.trust()


@pytest.mark.parametrize("flag", ["--skip-worktree", "--assume-unchanged"])
def test_flagged_file_is_saved_and_its_edit_is_not_handed_on(cafe: Cafe, flag: str) -> None:
    first = cafe.task("a")
    workspace = cafe.spawn(first)
    git(workspace, "update-index", flag, "README")
    (workspace / "README").write_text("hidden edit\n")
    assert cafe.in_saved(str(cafe.release(first, workspace).saved), "README") == "hidden edit"
    assert cafe.spawn(cafe.task("b")) == workspace
    assert (workspace / "README").read_text() == "coffee\n"
    assert git(workspace, "ls-files", "-v", "README") == "H README"


def test_link_in_the_place_of_a_directory_is_saved_and_not_what_is_behind_it(cafe: Cafe) -> None:
    outside = cafe.root / "outside"
    outside.mkdir()
    (outside / "file").write_text("not the task's\n")
    commit(cafe.main, "deep/file")
    git(cafe.main, "push", "--quiet")
    task = cafe.task()
    workspace = cafe.spawn(task)
    git(workspace, "update-index", "--assume-unchanged", "deep/file")
    (workspace / "deep/file").unlink()
    (workspace / "deep").rmdir()
    (workspace / "deep").symlink_to(outside)
    released = cafe.release(task, workspace)
    assert cafe.in_saved(str(released.saved), "deep") == str(outside)
    assert released.quarantined is None
    assert (outside / "file").exists()
    assert not (workspace / "deep").is_symlink()
    assert git(workspace, "status", "--porcelain") == ""


def test_what_is_saved_is_on_the_disk_before_it_is_deleted(
    cafe: Cafe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = cafe.task()
    workspace = cafe.spawn(task)
    (workspace / "staged").write_text("staged\n")
    git(workspace, "add", "staged")
    (workspace / "deep").mkdir()
    (workspace / "deep/draft").write_text("never seen before\n")
    monkeypatch.setenv("GIT_TRACE2_EVENT", str(tmp_path / "trace"))
    assert cafe.release(task, workspace).saved is not None
    events = [json.loads(line) for line in (tmp_path / "trace").read_text().splitlines()]
    commands = {each["sid"]: each["argv"] for each in events if each["event"] == "start"}
    synced = {each["sid"] for each in events if each.get("key") == "fsync/hardware-flush"}
    writing = [sid for sid, words in commands.items() if {"-w", "write-tree", "commit-tree"} & set(words)]
    assert len(writing) >= 4
    assert [commands[sid] for sid in writing if sid not in synced] == []


def test_flagged_file_without_an_edit_is_not_saved(cafe: Cafe) -> None:
    task = cafe.task()
    workspace = cafe.spawn(task)
    git(workspace, "update-index", "--skip-worktree", "README")
    assert cafe.release(task, workspace).saved is None
    assert git(workspace, "ls-files", "-v", "README") == "H README"
    assert cafe.is_clean(workspace)


@pytest.mark.parametrize("of_person", [False, True])
def test_sparse_checkout_of_a_task_ends_with_it_and_that_of_the_person_stays(cafe: Cafe, of_person: bool) -> None:
    for name in ("a/file", "b/file"):
        commit(cafe.main, name)
    git(cafe.main, "push", "--quiet")
    if of_person:
        git(cafe.main, "sparse-checkout", "set", "a")
    first = cafe.task("a")
    workspace = cafe.spawn(first)
    git(workspace, "sparse-checkout", "set", "a")
    (workspace / "b").mkdir()
    (workspace / "b/file").write_text("hidden\n")
    assert cafe.in_saved(str(cafe.release(first, workspace).saved), "b/file") == "hidden"
    assert cafe.spawn(cafe.task("b")) == workspace
    assert ((workspace / "a/file").exists(), (workspace / "b/file").exists()) == (True, not of_person)
    assert git(workspace, "status", "--porcelain") == ""


def test_file_that_was_untracked_and_ignored_but_is_tracked_on_the_default_branch_is_saved(cafe: Cafe) -> None:
    task = cafe.task()
    workspace = cafe.spawn(task)
    (workspace / ".gitignore").write_text("ignored/\n.env\nREADME\n")
    git(workspace, "rm", "--quiet", "--cached", "README")
    git(workspace, "commit", "--quiet", "--all", "--message=untrack")
    (workspace / "README").write_text("the agent's own\n")
    assert cafe.in_saved(str(cafe.release(task, workspace).saved), "README") == "the agent's own"
    assert cafe.is_clean(workspace)


def test_saved_files_come_back_byte_by_byte(cafe: Cafe) -> None:
    attributes(cafe, "*.txt text\nnotes filter=strip\n")
    task = cafe.task()
    workspace = cafe.spawn(task)
    files = {
        "new.txt": b"one\r\ntwo\r\n",
        "staged.txt": b"three\r\n",
        "notes": b"one\nsecret\n",
        "odd\nname\xff": b"odd\n",
        '"quoted"': b"q\n",
    }
    for name, content in files.items():
        with open(os.path.join(os.fsencode(workspace), name.encode("latin-1")), "wb") as file:
            file.write(content)
    git(workspace, "add", "staged.txt")
    (workspace / "run").write_bytes(b"#!/bin/sh\n")
    (workspace / "run").chmod(0o755)
    (workspace / "link").symlink_to("no/such/place\nat all")
    assert cafe.release(task, workspace).quarantined is None
    assert git(workspace, "status", "--porcelain") == ""
    git(
        cafe.main,
        "worktree",
        "add",
        "--quiet",
        str(cafe.root / "back"),
        restore_to_branch(cafe.project, task.id, None, None),
    )
    for name, content in files.items():
        with open(os.path.join(os.fsencode(cafe.root / "back"), name.encode("latin-1")), "rb") as file:
            assert (name, file.read()) == (name, content)
    assert os.access(cafe.root / "back/run", os.X_OK)
    assert os.readlink(cafe.root / "back/link") == "no/such/place\nat all"


def test_edit_that_a_filter_would_strip_is_saved_all_the_same(cafe: Cafe) -> None:
    attributes(cafe, "notes filter=strip\n")
    task = cafe.task()
    workspace = cafe.spawn(task)
    with (workspace / "notes").open("a") as file:
        file.write("secret\n")
    assert git(workspace, "diff") == ""
    assert cafe.in_saved(str(cafe.release(task, workspace).saved), "notes") == "one\nsecret"
    assert (workspace / "notes").read_text() == "one\n"


# Ignored files


def test_ignored_files_are_not_handed_on_but_dependencies_are(cafe: Cafe) -> None:
    commit(cafe.main, ".gitignore", "ignored/\n.env\nnode_modules/\n.venv/\n*.key\n")
    git(cafe.main, "push", "--quiet")
    first = cafe.task("a")
    workspace = cafe.spawn(first)
    for name in (".env", "ignored/deep/secret", "app/a.key", "node_modules/left-pad/index.js", "app/.venv/bin/python"):
        (workspace / name).parent.mkdir(parents=True, exist_ok=True)
        (workspace / name).write_text("x\n")
    (workspace / "empty/inner").mkdir(parents=True)
    assert cafe.release(first, workspace).quarantined is None
    assert cafe.spawn(cafe.task("b")) == workspace
    left = {str(path.relative_to(workspace)) for path in workspace.rglob("*") if not path.is_dir()}
    ours = {".git", ".gitignore", "README", "TASK.md", ".orange-outcome"}
    assert left == {*ours, "node_modules/left-pad/index.js", "app/.venv/bin/python"}
    assert not (workspace / "empty").exists()


def test_project_says_which_ignored_files_are_kept(cafe: Cafe) -> None:
    cafe.register(keep=["ignored/cache-*"])
    first = cafe.task("a")
    workspace = cafe.spawn(first)
    for name in ("ignored/cache-1/x", "ignored/other/x", "ignored/deep/cache-1"):
        (workspace / name).parent.mkdir(parents=True, exist_ok=True)
        (workspace / name).write_text("x\n")
    cafe.release(first, workspace)
    left = [str(path.relative_to(workspace)) for path in (workspace / "ignored").rglob("*") if path.is_file()]
    assert left == ["ignored/cache-1/x"]


# Free workspaces that somebody worked in


def by_hand(workspace: Path, how: str) -> None:
    name = {"ignored": ".env", "untracked": "draft"}.get(how, "README")
    (workspace / name).write_text("by hand\n")
    if how == "flagged":
        git(workspace, "update-index", "--skip-worktree", name)
    if how == "staged":
        git(workspace, "add", name)


@pytest.mark.parametrize("how", ["changed", "untracked", "staged", "flagged", "ignored"])
def test_free_workspace_that_is_not_clean_is_not_given_out(cafe: Cafe, how: str) -> None:
    first, second = cafe.task("a"), cafe.task("b")
    workspace = cafe.spawn(first)
    cafe.release(first, workspace)
    by_hand(workspace, how)
    assert cafe.spawn(second) == workspace
    assert git(workspace, "status", "--porcelain") == ""
    assert (workspace / "README").read_text() == "coffee\n"
    assert not (workspace / "draft").exists()
    assert not (workspace / ".env").exists()
    if how != "ignored":
        assert "by hand" in cafe.in_saved(f"refs/orange/{second.id}/1", "draft" if how == "untracked" else "README")


def test_kept_file_is_not_overwritten_by_a_branch_that_tracks_it(cafe: Cafe) -> None:
    cafe.register(keep=["ignored"])
    git(cafe.main, "switch", "--quiet", "--create", "b")
    (cafe.main / "ignored").mkdir()
    (cafe.main / "ignored/file").write_text("tracked\n")
    git(cafe.main, "add", "--force", "ignored/file")
    git(cafe.main, "commit", "--quiet", "--message=tracked")
    git(cafe.main, "switch", "--quiet", "main")
    first, second = cafe.task("a"), cafe.task("b")
    workspace = cafe.spawn(first)
    (workspace / "ignored").mkdir()
    (workspace / "ignored/file").write_text("kept\n")
    cafe.release(first, workspace)
    assert "ignored/file" in cafe.refusal(second)
    assert (workspace / "ignored/file").read_text() == "kept\n"


# What git was led to overlook


def test_pipe_and_socket_are_not_handed_on_but_for_what_is_kept(cafe: Cafe) -> None:
    cafe.register(keep=["var"])
    first = cafe.task("a")
    workspace = cafe.spawn(first)
    for name in ("var", "run"):
        (workspace / name).mkdir()
        os.mkfifo(workspace / name / "pipe")
    with socket.socket(socket.AF_UNIX) as listening, chdir(workspace / "run"):
        listening.bind("socket")  # a longer path is refused
    assert "run" not in git(workspace, "status", "--porcelain", "--ignored")
    assert cafe.release(first, workspace).quarantined is None
    assert cafe.spawn(cafe.task("b")) == workspace
    assert not (workspace / "run").exists()
    assert (workspace / "var/pipe").is_fifo()


@pytest.mark.parametrize("lines", ["*.txt text=auto\nnotes text\n", "notes filter=strip\n"])
def test_edit_that_was_added_through_a_filter_is_saved_and_not_handed_on(cafe: Cafe, lines: str) -> None:
    attributes(cafe, lines)
    first = cafe.task("a")
    workspace = cafe.spawn(first)
    (workspace / "notes").write_bytes(b"one\r\n" if "text" in lines else b"one\nsecret\n")
    edited = (workspace / "notes").read_bytes()
    git(workspace, "add", "--all")  # git compares it through the filter once, and from then on by its time and size
    assert git(workspace, "status", "--porcelain") == ""
    released = cafe.release(first, workspace)
    assert (released.quarantined, released.saved) == (None, f"refs/orange/{first.id}/1")
    shown = subprocess.run(["git", "show", f"{released.saved}:notes"], cwd=cafe.main, capture_output=True, check=True)
    assert shown.stdout == edited
    assert cafe.spawn(cafe.task("b")) == workspace
    assert (workspace / "notes").read_bytes() == b"one\n"


def test_edit_is_saved_also_where_the_filter_that_hides_it_is_gone_by_then(cafe: Cafe) -> None:
    git(cafe.main, "config", "filter.strip.clean", "sed /secret/d")
    cafe.trust()
    first = cafe.task("a")
    workspace = cafe.spawn(first)
    (workspace / ".gitattributes").write_text("README filter=strip\n")
    (workspace / "README").write_text("coffee\nsecret\n")
    os.utime(workspace / "README", (0, 0))  # git compares again what was written just before it was added
    git(workspace, "add", "README")
    (workspace / ".gitattributes").unlink()
    assert git(workspace, "status", "--porcelain") == ""
    assert cafe.in_saved(str(cafe.release(first, workspace).saved), "README") == "coffee\nsecret"
    assert cafe.spawn(cafe.task("b")) == workspace
    assert (workspace / "README").read_text() == "coffee\n"


def test_line_ends_that_the_configuration_hides_are_saved_and_not_handed_on(cafe: Cafe) -> None:
    first = cafe.task("a")
    workspace = cafe.spawn(first)
    git(workspace, "config", "core.autocrlf", "input")
    (workspace / "README").write_bytes(b"coffee\r\n")
    git(workspace, "add", "--all")
    assert cafe.release(first, workspace).saved is not None
    assert cafe.spawn(cafe.task("b")) == workspace
    assert (workspace / "README").read_bytes() == b"coffee\n"


def test_file_that_is_as_its_filter_writes_it_is_not_saved(cafe: Cafe) -> None:
    attributes(cafe, "notes text eol=crlf\n")
    task = cafe.task()
    workspace = cafe.spawn(task)
    assert (workspace / "notes").read_bytes() == b"one\r\n"
    released = cafe.release(task, workspace)
    assert (released.saved, released.quarantined) == (None, None)
    assert (workspace / "notes").read_bytes() == b"one\r\n"


def test_file_of_a_name_in_other_letters_is_saved_where_git_is_told_that_case_does_not_matter(cafe: Cafe) -> None:
    first = cafe.task("a")
    workspace = cafe.spawn(first)
    git(workspace, "config", "core.ignorecase", "true")
    (workspace / "readme").write_text("another file\n")
    assert cafe.in_saved(str(cafe.release(first, workspace).saved), "readme") == "another file"
    assert cafe.spawn(cafe.task("b")) == workspace
    assert not (workspace / "readme").exists()


def test_worktree_whose_configuration_leads_elsewhere_is_saved_and_nothing_is_written_there(cafe: Cafe) -> None:
    first = cafe.task("a")
    workspace = cafe.spawn(first)
    elsewhere = cafe.root / "elsewhere"
    elsewhere.mkdir()
    (workspace / "draft").write_text("a draft\n")
    git(workspace, "config", "extensions.worktreeConfig", "true")
    git(workspace, "config", "--worktree", "core.worktree", str(elsewhere))
    assert cafe.in_saved(str(cafe.release(first, workspace).saved), "draft") == "a draft"
    assert list(elsewhere.iterdir()) == []
    assert cafe.spawn(cafe.task("b")) == workspace
    assert not (workspace / "draft").exists()
    assert git(workspace, "rev-parse", "--show-toplevel") == str(workspace)


@pytest.mark.parametrize("name", ["TASK.md", ".orange-outcome"])
def test_directory_in_the_place_of_a_task_link_stays_with_what_is_in_it(cafe: Cafe, name: str) -> None:
    task = cafe.task()
    workspace = cafe.spawn(task)
    (workspace / name).unlink()
    (workspace / name).mkdir()
    (workspace / name / "notes").write_text("notes\n")
    assert name in str(cafe.release(task, workspace).quarantined)
    assert (workspace / name / "notes").read_text() == "notes\n"

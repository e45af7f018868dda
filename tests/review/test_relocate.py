"""All threads of a task at their places of now: each file is read once, and an outdated thread comes back to life."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from orange_tui.domain.errors import NotFound, Refused
from orange_tui.domain.records import replace
from orange_tui.domain.review.diff import parse_diff
from orange_tui.domain.review.thread import Thread
from orange_tui.home.files import read_bytes
from orange_tui.home.paths import Home
from orange_tui.review.quotes import TaskCode
from orange_tui.review.relocate import relocate, relocated
from orange_tui.review.threads_file import ThreadsFile
from support.diffs import diff_files
from support.git import commit, git

if TYPE_CHECKING:
    from pathlib import Path

    from orange_tui.domain.review.diff import DiffFile

CODE = [*(f"line {number}" for number in range(1, 31)), "def brew(cup_of_coffee):", "    return None", "", "}"]


def thread(path: str, line: int | None, quote: str = "", *, end: int | None = None, side: str = "new") -> Thread:
    return Thread(f"t{path}{line}{side}", path, line, end, quote, None, "person", "why?", "open", side=side)


class Branch:
    """Files in memory, and how often each was read."""

    def __init__(self, **files: list[str]) -> None:
        self.files = {name.replace("_", "."): lines for name, lines in files.items()}
        self.read: list[str] = []

    def read_file(self, path: str) -> str:
        self.read.append(path)
        if path not in self.files:
            raise NotFound(f"{path} is not among the task's files")
        return "\n".join(self.files[path])

    def places(self, threads: list[Thread], files: list[DiffFile] | None = None) -> list[str]:
        found = relocated(threads, files or [], self.read_file)
        return [f"{each.place}{' outdated' if each.outdated else ''}" for each in found]


def test_threads_that_did_not_move_are_the_same_and_each_file_is_read_once() -> None:
    branch = Branch(a_py=CODE)
    threads = (thread("a.py", 31, CODE[30]), thread("a.py", 3, "line 3"), thread("", None), thread("a.py", None))
    found = relocated(threads, [], branch.read_file)
    assert all(one is other for one, other in zip(found, threads, strict=True))
    assert branch.read == ["a.py"]


def test_a_short_quote_moves_with_the_code_around_it() -> None:
    more = [*(f"}} {number}" for number in range(60)), "    return None", *["…"] * 140]
    branch = Branch(a_py=[*more, *CODE])
    threads = [thread("a.py", 32, "    return None"), thread("a.py", 31, CODE[30], end=31)]
    assert branch.places(threads) == ["a.py:233", "a.py:232"]


def test_an_outdated_thread_stays_where_it_was_and_comes_back_with_its_code() -> None:
    threads = [thread("a.py", 31, CODE[30])]
    (lost,) = relocated(threads, [], Branch(a_py=CODE[:20]).read_file)
    assert (lost.place, lost.outdated) == ("a.py:31", True)
    assert relocated([lost], [], Branch(a_py=CODE[:20]).read_file) == (lost,)
    (back,) = relocated([lost], [], Branch(a_py=["new", *CODE]).read_file)
    assert back == replace(threads[0], line=32)


RENAMED = parse_diff("diff --git a/a.py b/b.py\nsimilarity index 90%\nrename from a.py\nrename to b.py\n")


def test_threads_follow_a_renamed_file() -> None:
    branch = Branch(b_py=["new", *CODE])
    threads = [thread("a.py", 31, CODE[30]), thread("a.py", None), thread("a.py", 5, "gone by now")]
    assert branch.places(threads, RENAMED) == ["b.py:32", "b.py", "a.py:5 outdated"]


def test_a_thread_that_has_followed_stays_there_also_where_another_file_has_the_old_name() -> None:
    swapped = RENAMED + parse_diff("diff --git a/b.py b/a.py\nsimilarity index 90%\nrename from b.py\nrename to a.py\n")
    branch = Branch(b_py=CODE, a_py=["something else"])
    assert branch.places([thread("b.py", 31, CODE[30]), thread("a.py", 3, "line 3")], swapped) == ["b.py:31", "b.py:3"]


def test_a_new_file_that_was_moved_is_found_by_its_code() -> None:
    branch = Branch(c_py=CODE, d_py=["nothing"])
    files = diff_files("c.py", [], CODE) + diff_files("d.py", [], ["nothing"])
    threads = [thread("a.py", 31, CODE[30]), thread("a.py", 5, "not to be found"), thread("a.py", None)]
    assert branch.places(threads, files) == ["c.py:31", "a.py:5 outdated", "a.py outdated"]
    branch.files["d.py"] = CODE
    files = diff_files("c.py", [], CODE) + diff_files("d.py", [], CODE)
    assert branch.places(threads[:1], files) == ["a.py:31 outdated"]  # it could be either


def test_a_removed_line_is_found_in_the_diff() -> None:
    branch = Branch(a_py=CODE[:30])
    before = ["more", *CODE]
    files = diff_files("a.py", before, before[:31])
    assert branch.places([thread("a.py", 31, CODE[30], side="old")], files) == ["a.py:32"]
    assert branch.places([thread("a.py", 31, CODE[30], side="old")]) == ["a.py:31 outdated"]


def test_a_deleted_file_can_still_be_commented_on() -> None:
    deleted = parse_diff("diff --git a/x b/x\ndeleted file mode 100644\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n")
    assert Branch().places([thread("x", None), thread("x", 1, "gone", side="old")], deleted) == ["x", "x:1"]


def test_code_that_cannot_be_read_now_makes_no_thread_outdated() -> None:
    def refuse(_path: str) -> str:
        raise Refused("The branch is gone")

    threads = (thread("a.py", 31, CODE[30]), thread("a.py", None), replace(thread("b.py", 1, "x"), outdated=True))
    assert relocated(threads, [], refuse) == threads


@pytest.mark.parametrize("text", ["", "\0\0", "\n" * 1_000, "\r\r\r"])
def test_any_file_can_be_looked_at(text: str) -> None:
    (found,) = relocated([thread("a.py", 31, CODE[30])], [], lambda _path: text)
    assert found.outdated


def test_comments_stay_at_their_code_through_commits_a_rename_and_a_rebase(repository: Path) -> None:
    commit(repository, "a.py", "\n".join(CODE))
    git(repository, "checkout", "-qb", "task")
    commit(repository, "a.py", "\n".join([*CODE, "added_by_the_branch = True", ""]))
    threads = [thread("a.py", 31, CODE[30]), thread("a.py", 35, "added_by_the_branch = True")]
    git(repository, "checkout", "-q", "main")
    commit(repository, "a.py", "\n".join(["import os", "import sys", *CODE]))
    git(repository, "checkout", "-q", "task")
    git(repository, "rebase", "-q", "main")
    git(repository, "mv", "a.py", "b.py")
    git(repository, "commit", "-qm", "other name")
    files = parse_diff(git(repository, "diff", "-M", "main...task"))
    found = relocated(threads, files, lambda path: read_bytes(str(repository / path)).decode())
    assert [each.place for each in found] == ["b.py:33", "b.py:37"]


def test_what_is_stored_changes_only_when_something_moved_and_keeps_what_came_meanwhile(tmp_path: Path) -> None:
    file = ThreadsFile(Home(str(tmp_path)), "coffee", "ab12")
    file.change(lambda _: [replace(thread("a.py", line, f"line {line}"), id="") for line in (3, 4)])
    relocate(file, [], Branch(a_py=CODE).read_file)
    before = read_bytes(file.path)

    class Meanwhile(Branch):
        def read_file(self, path: str) -> str:
            file.change(
                lambda threads: [replace(threads[0], text="other words"), replace(threads[1], line=2, quote="")]
            )
            return super().read_file(path)

    assert read_bytes(file.path) == before
    found = relocate(file, [], Meanwhile(a_py=["new", *CODE]).read_file)
    assert found == file.read()
    assert [(each.line, each.text) for each in found] == [(4, "other words"), (2, "why?")]


def test_a_worktree_that_is_being_made_anew_makes_no_thread_outdated(tmp_path: Path) -> None:
    code = TaskCode("ab12", str(tmp_path), "feat/x", str(tmp_path / "gone"))
    threads = (thread("a.py", 31, CODE[30]),)
    assert relocated(threads, [], code.read) == threads

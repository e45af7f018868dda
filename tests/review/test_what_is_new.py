"""How far a person is through a diff, and what is new in it, with branches that are rewritten by the real git."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orange_tui.domain.review.diff import DiffFile, parse_diff
from orange_tui.home.paths import Home
from orange_tui.review import viewed_file
from orange_tui.review.viewed_file import ViewedFile
from orange_tui.review.what_is_new import Review
from support.diffs import diff_files
from support.git import commit, git
from support.looking import steadily

if TYPE_CHECKING:
    from pathlib import Path

LONG = [f"line {number}" for number in range(60)]


@pytest.fixture
def viewed(tmp_path: Path) -> ViewedFile:
    return ViewedFile(Home(str(tmp_path / "home")), "coffee", "ab12")


def changed(lines: list[str], **news: str) -> list[str]:
    return [news.get(line.replace(" ", "_"), line) for line in lines]


def signed(files: list[DiffFile]) -> list[str]:
    return [line for file in files for hunk in file.hunks for line in hunk.lines if line[0] in "+-"]


def test_a_person_who_never_looked_has_everything_before_them(viewed: ViewedFile) -> None:
    files = diff_files("a.py", LONG, changed(LONG, line_9="nine", line_40="forty"))
    review = Review.of(files, viewed.read())
    assert (review.total, review.viewed, review.new, review.has_looked) == (2, 0, 2, False)
    assert review.only_new() == files


def test_progress_counts_hunks_and_files_without_any(viewed: ViewedFile) -> None:
    files = diff_files("a.py", LONG, changed(LONG, line_9="nine", line_40="forty"))
    files += parse_diff("diff --git a/x b/x\nold mode 100644\nnew mode 100755\n")
    review = Review.of(files, viewed.read())
    viewed.mark(review.marks(0, 1), viewed=True)
    viewed.mark(review.marks(1, 0), viewed=True)
    review = Review.of(files, viewed.read())
    assert (review.total, review.viewed, review.new) == (3, 2, 1)
    assert [review.is_viewed(*place) for place in ((0, 0), (0, 1), (1, 0))] == [False, True, True]
    viewed.mark(review.marks(0, 1), viewed=False)
    assert Review.of(files, viewed.read()).viewed == 1


def test_after_a_look_only_what_changed_since_is_new_and_its_place_is_known(viewed: ViewedFile) -> None:
    one = changed(LONG, line_9="nine", line_40="forty")
    viewed.looked(diff_files("a.py", LONG, one))
    assert Review.of(diff_files("a.py", LONG, one), viewed.read()).new == 0
    files = diff_files("a.py", LONG, changed(one, forty="fourty", line_41="next"))
    review = Review.of(files, viewed.read())
    assert review.has_looked
    assert review.new == 1
    assert signed(review.only_new()) == ["-forty", "-line 41", "+fourty", "+next"]
    assert (review.only_new()[0].added, review.only_new()[0].removed) == (2, 2)
    assert review.origin(0, 0) == (0, 1)
    viewed.mark(review.marks(0, 1), viewed=True)
    assert Review.of(files, viewed.read()).new == 0


def test_a_change_that_comes_back_in_a_form_seen_before_the_last_look_is_new_though_viewed(viewed: ViewedFile) -> None:
    flaw, mended = (diff_files("a.py", LONG, changed(LONG, line_9=each)) for each in ("flaw", "mended"))
    viewed.mark(Review.of(flaw, viewed.read()).marks(0, 0), viewed=True)
    viewed.looked(flaw)
    viewed.looked(mended)
    review = Review.of(flaw, viewed.read())
    assert (review.viewed, review.new) == (1, 1)
    assert signed(review.only_new()) == ["-mended", "+flaw"]


def test_what_is_no_longer_changed_is_said(viewed: ViewedFile) -> None:
    both = diff_files("a.py", LONG, changed(LONG, line_9="nine")) + diff_files("b.py", LONG, LONG[1:])
    viewed.looked(both)
    review = Review.of(both[:1], viewed.read())
    assert [(file.path, file.notes) for file in review.only_new()] == [("b.py", ("no longer changed",))]
    assert (review.new, review.origin(0, 0)) == (1, None)


def test_a_new_mode_is_new_and_what_was_seen_of_the_content_is_not(viewed: ViewedFile) -> None:
    (file,) = diff_files("a.py", LONG, changed(LONG, line_9="nine"))
    viewed.looked([file])
    text = "diff --git a/a.py b/a.py\nold mode 100644\nnew mode 100755\n--- a/a.py\n+++ b/a.py\n"
    now = parse_diff(text + "\n".join((file.hunks[0].header, *file.hunks[0].lines, "")))
    (new,) = Review.of(now, viewed.read()).only_new()
    assert (new.hunks, new.notes) == ((), ("mode 100644 → 100755",))


def test_a_diff_too_big_to_be_kept_shows_changed_hunks_as_a_whole(
    viewed: ViewedFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(viewed_file, "_MAX_TEXT_BYTES", 10)
    one = changed(LONG, line_9="nine", line_40="forty")
    viewed.looked(diff_files("a.py", LONG, one))
    review = Review.of(diff_files("a.py", LONG, changed(one, forty="fourty")), viewed.read())
    assert signed(review.only_new()) == ["-line 40", "+fourty"]


edits = st.lists(
    st.tuples(st.integers(0, 29), st.sampled_from(["", "x", "y", "x\ny", "}"]), st.booleans()), max_size=5
)  # at a line: what is put in before it, and whether it is taken out


def edited(lines: list[str], changes: list[tuple[int, str, bool]]) -> list[str]:
    found = [[line] for line in lines]
    for place, text, is_gone in changes:
        found[place] = [*text.splitlines(), *([] if is_gone else found[place])]
    return [line for each in found for line in each]


@steadily
@given(edits, edits, st.lists(st.sampled_from(["m", "n"]), max_size=4))
def test_whatever_is_edited_is_new_and_nothing_else_is(
    tmp_path_factory: pytest.TempPathFactory,
    then: list[tuple[int, str, bool]],
    now: list[tuple[int, str, bool]],
    above: list[str],
) -> None:
    viewed = ViewedFile(Home(str(tmp_path_factory.mktemp("home"))), "coffee", "ab12")
    base = LONG[:30]
    one, two = edited(base, then), edited(base, now)
    head = [f"head {number}" for number in range(9)]
    viewed.looked(diff_files("a.py", [*head, *base], [*head, *one]))
    rebased = [*above, *head]
    files = diff_files("a.py", [*rebased, *base], [*rebased, *two])
    review = Review.of(files, viewed.read())
    assert (review.new > 0) == (one != two)
    assert all(line[1:] not in {"m", "n"} for line in signed(review.only_new()))
    for number, file in enumerate(review.only_new()):
        for index, hunk in enumerate(file.hunks):
            if (origin := review.origin(number, index)) is not None:
                there = files[origin[0]].hunks[origin[1]]
                assert there.new_start <= hunk.new_start <= there.new_start + len(there.lines)
    viewed.looked(files)
    assert Review.of(files, viewed.read()).new == 0


class Branch:
    """A task's branch, as the worker rewrites it and the person reviews it."""

    def __init__(self, repository: Path, viewed: ViewedFile) -> None:
        self.repository, self.file = repository, viewed
        for name in ("a.py", "b.py"):
            commit(repository, name, "\n".join([f"# {name}", *LONG, ""]))
        git(repository, "checkout", "-q", "-b", "task")
        self.edit("a.py", "line 9\n", "nine\n")
        self.edit("a.py", "line 40\n", "forty\n")
        commit(repository, "new.py", "\n".join([f"new {number}" for number in range(30)]))

    def edit(self, name: str, old: str, new: str, *words: str) -> None:
        path = self.repository / name
        assert old in path.read_text()
        path.write_text(path.read_text().replace(old, new))
        git(self.repository, "commit", "-qam", "more", *words)

    def files(self) -> list[DiffFile]:
        return parse_diff(git(self.repository, "diff", "--full-index", "-M", "main...task") + "\n")

    def review(self) -> Review:
        return Review.of(self.files(), self.file.read())

    def view_everything(self) -> None:
        review = self.review()
        marks = [mark for file in review.fingerprints for hunk in file for mark in hunk]
        self.file.mark(marks, viewed=True)
        self.file.looked(self.files())

    def progress(self) -> tuple[int, int, int]:
        review = self.review()
        return review.viewed, review.total, review.new


@pytest.fixture
def branch(repository: Path, viewed: ViewedFile) -> Branch:
    found = Branch(repository, viewed)
    found.view_everything()
    assert found.progress() == (3, 3, 0)
    return found


def test_a_squashed_and_an_amended_branch_are_not_new(branch: Branch) -> None:
    git(branch.repository, "reset", "-q", "--soft", "main")
    git(branch.repository, "commit", "-qm", "all in one")
    git(branch.repository, "commit", "-q", "--amend", "-m", "other words")
    assert branch.progress() == (3, 3, 0)


def test_a_rebase_onto_a_moved_main_is_not_new(branch: Branch) -> None:
    git(branch.repository, "checkout", "-q", "main")
    branch.edit("a.py", "# a.py\n", "# a.py\nimport os\nimport sys\n")
    branch.edit("a.py", "line 12\n", "twelve\n")
    branch.edit("b.py", "line 1\n", "one\n")
    git(branch.repository, "checkout", "-q", "task")
    git(branch.repository, "rebase", "-q", "main")
    assert branch.progress() == (3, 3, 0)


def test_a_force_push_that_mends_two_things_shows_those_two(branch: Branch) -> None:
    git(branch.repository, "reset", "-q", "--soft", "main")
    git(branch.repository, "commit", "-qm", "all in one")
    branch.edit("a.py", "forty\n", "fourty\n", "--amend")
    branch.edit("new.py", "new 15\n", "newer 15\n", "--amend")
    git(branch.repository, "reflog", "expire", "--expire=now", "--all")
    git(branch.repository, "gc", "-q", "--prune=now")  # the commits that were reviewed are gone
    assert branch.progress() == (1, 3, 2)
    assert signed(branch.review().only_new()) == ["-forty", "+fourty", "-new 15", "+newer 15"]


def test_a_file_renamed_and_edited_shows_its_new_name_and_the_edit(branch: Branch) -> None:
    git(branch.repository, "mv", "a.py", "c.py")
    branch.edit("c.py", "line 50\n", "fifty\n")
    (new,) = branch.review().only_new()
    assert (new.path, new.old_path, new.notes) == ("c.py", "a.py", ("renamed from a.py",))
    assert signed([new]) == ["-line 50", "+fifty"]
    assert branch.progress()[0] == 2  # the hunk with forty, and the new file


def test_a_new_file_that_was_moved_and_edited_shows_where_it_was_and_the_edit(branch: Branch) -> None:
    git(branch.repository, "mv", "new.py", "newer.py")
    branch.edit("newer.py", "new 15\n", "fifteen\n", "--amend")
    (new,) = branch.review().only_new()
    assert (new.path, new.notes) == ("newer.py", ("was new.py when you looked",))
    assert signed([new]) == ["-new 15", "+fifteen"]
    branch.edit("newer.py", "fifteen\n", "new 15\n", "--amend")
    (new,) = branch.review().only_new()
    assert (new.path, new.notes, new.hunks) == ("newer.py", ("was new.py when you looked",), ())
    branch.view_everything()
    assert branch.progress() == (3, 3, 0)


def test_a_file_that_became_a_link_is_two_things_and_both_are_remembered(branch: Branch) -> None:
    (branch.repository / "b.py").unlink()
    (branch.repository / "b.py").symlink_to("a.py")
    git(branch.repository, "commit", "-qam", "a link")
    assert [file.path for file in branch.review().only_new()] == ["b.py", "b.py"]
    branch.view_everything()
    assert branch.progress() == (5, 5, 0)

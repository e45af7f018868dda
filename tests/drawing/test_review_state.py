"""The review as a model: which line shows what, where comments stand, where the cursor goes, and what a range is."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from orange_tui.domain.review.diff import parse_diff
from orange_tui.domain.review.thread import Thread, ThreadReply
from orange_tui.tui.drawing.palette import NO_COLOUR
from orange_tui.tui.review.document import Document
from orange_tui.tui.review.layout import Box
from orange_tui.tui.review.lines import ReviewDrawing
from orange_tui.tui.review.state import ReviewState
from support.looking import assert_harmless, nasty_text, steadily

BREW = """\
diff --git a/brew.py b/brew.py
--- a/brew.py
+++ b/brew.py
@@ -9,4 +9,5 @@ class Pot:
 def brew(cup):
-    return cup + 1
+    return cup + 2
+    # never
 done = True
@@ -40,2 +41,2 @@
-old = 1
+new = 1
 end = 2
"""
MILK = """\
diff --git a/milk.py b/milk.py
new file mode 100644
--- /dev/null
+++ b/milk.py
@@ -0,0 +1,2 @@
+warm = True
+foam = 2
"""


def thread(number: int, path: str, line: int | None, **more: Any) -> Thread:
    values = {"end_line": None, "quote": "", "commit": None, "by": "person", "text": "Why?", "state": "open"}
    return Thread(id=f"t{number}", path=path, line=line, **{**values, **more})


class Shown:
    """A review on a screen of 60 columns."""

    def __init__(self, text: str = BREW + MILK, *threads: Thread) -> None:
        self.drawing = ReviewDrawing(60, NO_COLOUR)
        self.state = ReviewState(self.drawing.height)
        self.show(text, *threads)

    def show(self, text: str, *threads: Thread) -> None:
        files = parse_diff(text)
        keys = [[(f"{file.path} {n}",) for n in range(max(1, len(file.hunks)))] for file in files]
        self.state.show(Document(files, keys), threads, self.state.viewed)

    @property
    def lines(self) -> list[str]:
        return [strip.text.rstrip() for strip in self.drawing.lines(self.state)]

    @property
    def here(self) -> str:
        return self.lines[self.state.cursor]


def test_a_comment_stands_under_its_line_and_the_cursor_stops_at_it_once() -> None:
    shown = Shown(BREW, thread(1, "brew.py", 11, text="Why?\nReally?"))
    at = next(number for number, line in enumerate(shown.lines) if "# never" in line)
    assert [line.strip() for line in shown.lines[at + 1 : at + 4]] == ["┃ ● open · you · t1", "┃ Why?", "┃ Really?"]
    shown.state.move_to(at)
    shown.state.move(1)
    assert shown.state.thread is not None
    shown.state.move(1)
    assert "done = True" in shown.here
    shown.state.move(-1)
    assert shown.state.thread is not None


def test_a_comment_on_a_removed_line_stands_at_the_removed_line() -> None:
    shown = Shown(BREW, thread(1, "brew.py", 10, side="old"), thread(2, "brew.py", 10))
    rows = [number for number, line in enumerate(shown.lines) if "┃ ● open" in line]
    assert "return cup + 1" in shown.lines[rows[0] - 1]
    assert "return cup + 2" in shown.lines[rows[1] - 1]


def test_outdated_comments_stand_under_the_heading_with_their_quote_and_those_about_the_task_on_top() -> None:
    shown = Shown(
        BREW,
        thread(1, "brew.py", 10, outdated=True, quote="return cup"),
        thread(2, "", None, text="All of it."),
        thread(3, "gone.py", 4, quote="x = 1"),
        thread(4, "brew.py", 400, quote="far away"),
    )
    lines = [line.strip() for line in shown.lines]
    assert lines.index("┃ All of it.") < lines.index("┃ > x = 1") < lines.index("brew.py  modified  +3 −2")
    assert lines.index("brew.py  modified  +3 −2") < lines.index("┃ > return cup") < lines.index("┃ > far away")
    assert lines.index("┃ > far away") < lines.index("@@ -9,4 +9,5 @@ class Pot:")


def test_a_range_is_on_one_side_of_one_hunk() -> None:
    shown = Shown()
    first = next(number for number, line in enumerate(shown.lines) if "cup + 1" in line)
    shown.state.move_to(first)
    place = shown.state.comment_place()
    assert (place.path, place.side, place.line, place.end_line) == ("brew.py", "old", 10, None)
    shown.state.extend(first + 2)
    place = shown.state.comment_place()
    assert (place.side, place.line, place.end_line) == ("new", 10, 11)
    assert place.quote == "    return cup + 2\n    # never"
    shown.state.extend(first + 6)  # another hunk
    assert shown.state.comment_place().end_line in {11, 12}
    shown.state.end_range()
    assert len(shown.state.rows) == 1


def test_on_a_heading_a_comment_is_about_the_file_and_on_a_header_about_its_hunk() -> None:
    shown = Shown()
    shown.state.move_to(0)
    assert (shown.state.comment_place().path, shown.state.comment_place().line) == ("brew.py", None)
    shown.state.move(1)
    place = shown.state.comment_place()
    assert (place.line, place.end_line) == (9, 12)
    assert Shown("").state.comment_place().path == ""


def test_what_was_viewed_is_one_line_and_open_comments_in_it_stay_in_sight() -> None:
    shown = Shown(BREW + MILK, thread(1, "brew.py", 41), thread(2, "brew.py", 41, state="resolved"))
    shown.state.viewed = frozenset({("brew.py 1",), ("milk.py 0",)})
    shown.state.rebuild()
    text = "\n".join(shown.lines)
    assert "@@ -40,2 +41,2 @@  ✓ viewed · 3 lines" in text
    assert "new = 1" not in text
    assert "foam" not in text
    assert "milk.py  added  +2 −0  ✓ viewed" in text
    assert "t1" in text
    assert "t2" not in text
    assert "brew.py  modified  +3 −2  1/2 viewed" in text


def test_the_cursor_stays_on_its_line_when_the_branch_is_rewritten() -> None:
    shown = Shown()
    shown.state.move_to(next(number for number, line in enumerate(shown.lines) if "# never" in line))
    moved = BREW.replace("@@ -9,4 +9,5 @@", "@@ -9,4 +59,5 @@").replace(
        "+    return cup + 2\n", "+    a = 1\n+    b = 2\n"
    )
    shown.show(MILK + moved)
    assert shown.here.endswith("# never")
    shown.show(MILK + BREW.replace("+    # never\n", ""))
    assert "brew.py" in shown.state.document.files[shown.state.file].path
    shown.show(MILK)
    assert shown.here
    shown.show("")
    assert shown.lines == []
    assert shown.state.comment_place().path == ""


def test_room_for_the_box_is_below_the_line_and_no_place_for_the_cursor() -> None:
    shown = Shown()
    at = next(number for number, line in enumerate(shown.lines) if "# never" in line)
    shown.state.move_to(at)
    shown.state.rebuild(Box(5, shown.state.comment_place().below))
    assert shown.state.layout.gap == at + 1
    assert shown.state.cursor == at
    shown.state.move(1)
    assert "done = True" in shown.here
    shown.state.rebuild(None)
    assert shown.state.layout.gap is None


def test_room_for_the_box_is_there_in_what_is_folded_too() -> None:
    shown = Shown(BREW + MILK, thread(1, "brew.py", 41))
    shown.state.viewed = frozenset({("brew.py 1",), ("milk.py 0",)})
    shown.state.rebuild()
    shown.state.jump("thread", 1)
    shown.state.rebuild(Box(5, shown.state.comment_place().below))
    assert shown.state.layout.gap == shown.state.rows.stop


def test_the_box_stays_below_its_line_when_the_branch_is_rewritten_under_it() -> None:
    shown = Shown()
    shown.state.move_to(next(number for number, line in enumerate(shown.lines) if "# never" in line))
    shown.state.rebuild(Box(5, shown.state.comment_place().below, file=0))
    shown.show(MILK + BREW.replace("+    return cup + 2\n", "+    a = 1\n+    b = 2\n"))
    assert shown.state.layout.gap is not None
    assert "# never" in shown.lines[shown.state.layout.gap - 1]
    shown.show(MILK)  # its file is changed no more
    assert shown.state.layout.gap == 0
    shown.show("")
    assert shown.state.layout.gap == 0


def test_the_draft_that_is_edited_is_shown_in_the_box_only() -> None:
    draft = thread(1, "brew.py", 11, state="draft", text="half")
    shown = Shown(BREW, draft)
    shown.state.jump("thread", 1)
    shown.state.rebuild(Box(5, thread="t1", hidden="t1"))
    assert not any("half" in line for line in shown.lines)
    assert shown.state.layout.gap is not None
    shown.state.rebuild(None)
    assert any("half" in line for line in shown.lines)


def test_keys_go_from_file_to_file_hunk_to_hunk_and_comment_to_comment() -> None:
    shown = Shown(BREW + MILK, thread(1, "milk.py", 2), thread(2, "brew.py", 12))
    assert _visited(shown, "file") == ["milk.py  added  +2 −0"]
    shown.state.move_to(0)
    assert [line[:10] for line in _visited(shown, "hunk")] == ["@@ -9,4 +9", "@@ -40,2 +", "@@ -0,0 +1"]
    shown.state.move_to(0)
    names = []
    for step in (1, 1, 1, -1, -1):  # they go round
        shown.state.jump("thread", step)
        names.append(shown.here.split(" · ")[-1])
    assert names == ["t2", "t1", "t2", "t1", "t2"]


def _visited(shown: Shown, which: Any) -> list[str]:
    found = []
    while shown.state.jump(which, 1):
        found.append(shown.here)
    return found


@pytest.mark.parametrize("text", ["[bold]x[/] \x1b]0;title\x07", "日本語 " * 40, "x" * 900, "a\tb\r\n\u202e", ""])
def test_what_others_say_is_shown_and_not_obeyed(text: str) -> None:
    reply = ThreadReply(by="agent", text=text, state="declined", author=text, commit="abc")
    shown = Shown(BREW, thread(1, "brew.py", 11, by="github", text=text, quote=text, author=text, replies=(reply,)))
    strips = list(shown.drawing.lines(shown.state))
    assert_harmless(strips)
    assert max(strip.cell_length for strip in strips) <= max(60, shown.state.document.width)


def test_five_hundred_comments_in_a_long_file_each_find_their_line() -> None:
    lines = "".join(f"+line {n}\n" for n in range(1, 20_001))
    text = f"diff --git a/x b/x\n--- /dev/null\n+++ b/x\n@@ -0,0 +1,20000 @@\n{lines}"
    shown = Shown(text, *(thread(n, "x", n * 40) for n in range(1, 501)))
    drawn = shown.drawing.lines(shown.state)
    for row in shown.state.layout.threads[::50]:
        found = shown.state.layout.at(row)[0].thread
        assert found is not None
        assert drawn[row - 1].text.endswith(f"line {found.line}")
    assert len(shown.drawing._chunks) <= 10


ODD = (
    "diff --git a/pic.png b/pic.png\nindex 1..2 100644\nBinary files a/pic.png and b/pic.png differ\n"
    "diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n"
    "diff --git a/old name b/new name\nsimilarity index 100%\nrename from old name\nrename to new name\n"
    "Submodule lib 123..456:\n  > more\n"
    "diff --git a/gone b/gone\ndeleted file mode 100644\n--- a/gone\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\r\n-b\n"
    "\\ No newline at end of file\n"
)


def test_files_without_lines_can_be_viewed_and_commented_on_as_a_whole() -> None:
    shown = Shown(ODD, thread(1, "gone", 2, side="old"), thread(2, "old name", 3))
    paths = []
    for number in range(len(shown.state.document.files)):
        shown.state.move_to(shown.state.layout.headings[number])
        place = shown.state.comment_place()
        assert place.line is None
        paths.append(place.path)
        assert shown.state.mark(shown.state.keys_here)
    assert paths == ["pic.png", "run.sh", "new name", "lib", "gone"]
    assert shown.lines.count("") == len(paths) - 1
    assert all("✓ viewed" in shown.lines[row] for row in shown.state.layout.headings)
    assert any("t1" in line for line in shown.lines)


@steadily
@given(nasty_text, nasty_text)
def test_whatever_is_in_a_diff_or_a_comment_can_be_gone_through(text: str, said: str) -> None:
    shown = Shown(BREW + text, thread(1, "brew.py", 11, text=said, quote=said), thread(2, "", None, text=said))
    strips = list(shown.drawing.lines(shown.state))
    assert len(strips) == shown.state.layout.size
    assert_harmless(strips)
    seen = set()
    shown.state.move_to(0)
    while shown.state.cursor not in seen:
        seen.add(shown.state.cursor)
        place = shown.state.comment_place()
        assert place.below is None or shown.state.layout.row_of(place.below) is not None
        shown.state.move(1)
    assert max(seen) >= shown.state.layout.threads[-1]

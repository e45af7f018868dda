"""Diffs on the screen: everything git can print is drawn, and what is in the files is never obeyed."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest
from hypothesis import given

from orange_tui.domain.review.diff import DiffFile, parse_diff
from orange_tui.tui.drawing.diff_view import DiffLines
from orange_tui.tui.drawing.palette import NO_COLOUR
from support.git import git
from support.looking import DARK, assert_harmless, nasty_text, steadily, style_at, texts

if TYPE_CHECKING:
    from pathlib import Path

    from textual.strip import Strip

    from orange_tui.tui.drawing.palette import Palette

CHANGED = """\
diff --git a/brew.py b/brew.py
index 1234567..89abcde 100644
--- a/brew.py
+++ b/brew.py
@@ -9,4 +9,5 @@ class Pot:
 def brew(cup):
-    return cup + 1
+    return cup + 2
+    # never
 done = True
\\ No newline at end of file
"""


def only(text: str) -> DiffFile:
    (file,) = parse_diff(text)
    return file


def render_file(file: DiffFile, palette: Palette) -> list[Strip]:
    return list(DiffLines([file], palette))


def shown(text: str) -> list[str]:
    return texts(render_file(only(text), DARK))


def test_a_changed_file_with_its_numbers_and_signs() -> None:
    file = only(CHANGED)
    assert (file.path, file.old_path, file.status, file.added, file.removed) == ("brew.py", "brew.py", "modified", 2, 1)
    assert file.hunks[0].header == "@@ -9,4 +9,5 @@ class Pot:"
    assert shown(CHANGED) == [
        "brew.py  modified  +2 −1",
        "@@ -9,4 +9,5 @@ class Pot:",
        " 9  9   def brew(cup):",
        "10    −     return cup + 1",
        "   10 +     return cup + 2",
        "   11 +     # never",
        "11 12   done = True",
        "         No newline at end of file",
    ]


def test_added_and_removed_lines_differ_in_colour_and_code_has_its_own() -> None:
    strips = render_file(only(CHANGED), DARK)
    assert style_at(strips, "+ ") == DARK.added + DARK.added_line
    assert style_at(strips, "− ") == DARK.removed + DARK.removed_line
    assert style_at(strips, "# never").italic
    assert style_at(strips, "# never").bgcolor == DARK.added_line.bgcolor
    assert style_at(strips, "def").color == DARK.info.color
    plain = render_file(only(CHANGED), NO_COLOUR)
    assert not any(segment.style and segment.style.color for strip in plain for segment in strip)


def test_the_words_that_changed_stand_out() -> None:
    text = CHANGED.replace("+    # never\n", "")
    strips = render_file(only(text), DARK)
    assert style_at(strips[3:4], "1").bgcolor == DARK.removed_words.bgcolor
    assert style_at(strips[4:5], "2").bgcolor == DARK.added_words.bgcolor
    assert style_at(strips[4:5], "return").bgcolor == DARK.added_line.bgcolor
    assert style_at(render_file(only(text), NO_COLOUR)[4:5], "2").underline


def head(*lines: str) -> str:
    return "\n".join(["diff --git a/x b/x", *lines, ""])


def test_a_combined_diff_has_a_column_for_each_parent() -> None:
    text = "diff --cc x\n--- a/x\n+++ b/x\n@@@ -1,2 -1,2 +1,3 @@@\n  same\n- mine\n -theirs\n++both\n"
    assert (only(text).added, only(text).removed) == (1, 2)
    assert shown(text)[2:] == ["  1   same", "    − mine", "    − theirs", "  2 + both"]


def test_what_is_in_a_file_is_text() -> None:
    text = CHANGED.replace("# never", "\x1b[31m[bold]x[/]\ttab\u202e \x0c").replace("brew.py", "br\x1b]0;x\x07ew.py")
    strips = render_file(only(text), DARK)
    assert_harmless(strips)
    assert any(r"\x1b[31m[bold]x[/]" in strip.text for strip in strips)


def test_line_ends_of_windows_are_shown_only_where_they_changed() -> None:
    text = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n same\r\n-one\r\n+two\r\n"
    assert not any("x0d" in line for line in shown(text))
    assert [line for line in shown(text.replace("+two\r", "+one")) if "x0d" in line][-1].endswith(r"one\x0d")


def test_long_line_is_cut_and_says_how_much_is_left() -> None:
    lines = shown(head("--- a/x", "+++ b/x", "@@ -0,0 +1,1 @@", "+" + "x" * 9_000))
    assert lines[2].endswith("x … 7,000 more characters")


def test_a_long_file_is_drawn_where_somebody_looks_and_its_numbers_go_on() -> None:
    text = head("--- a/x", "+++ b/x", "@@ -1,30000 +1,60000 @@", *[" same", "-old", "+new", "+more"] * 30_000)
    lines = DiffLines(parse_diff(text), DARK)
    assert len(lines) == 2 + 120_000
    assert lines[2 + 119_999].text.split() == ["90000", "+", "more"]
    assert lines[2 + 60_001].text.split() == ["30002", "−", "old"]
    assert len(lines._cache) == 2


def test_a_thousand_files_are_taken_apart_and_none_is_drawn() -> None:
    files = parse_diff("".join(CHANGED.replace("brew", f"brew{n}") for n in range(1_000)))
    assert [file.path for file in files] == [f"brew{n}.py" for n in range(1_000)]
    assert {(file.added, file.removed) for file in files} == {(2, 1)}
    lines = DiffLines(files, DARK)
    assert not lines._cache
    per_file = len(texts(render_file(files[0], DARK))) + 1
    assert [lines[per_file * n].text.split()[0] for n in (998, 999)] == ["brew998.py", "brew999.py"]
    assert lines[per_file * 999 + 1].text.startswith("@@")
    assert not lines[per_file * 999 - 1].text


@steadily
@given(nasty_text)
def test_no_line_is_wider_than_the_width_announced(text: str) -> None:
    lines = DiffLines(parse_diff(CHANGED + text), DARK)
    assert max(strip.cell_length for strip in lines) <= lines.width
    assert len(list(lines)) == len(lines)


@steadily
@given(nasty_text)
def test_any_text_is_taken_apart_and_drawn_harmlessly(text: str) -> None:
    for file in parse_diff(text) + parse_diff(CHANGED + text):
        assert_harmless(render_file(file, DARK))


@pytest.fixture
def changed_repository(repository: Path) -> Path:
    """A repository with every kind of change git knows."""
    long = "".join(f"line {n}\n" for n in range(30))
    before = {"edit.py": long, "gone.txt": "bye\n", "old name.txt": long, "mode.sh": "#!\n", "dos.txt": "a\r\nb\r\n"}
    for name, text in before.items():
        (repository / name).write_bytes(text.encode())
    (repository / "picture.png").write_bytes(bytes(range(256)))
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "before")
    (repository / "edit.py").write_text(long.replace("line 3\n", "line three\n").replace("line 25\n", ""))
    (repository / "gone.txt").unlink()
    (repository / "old name.txt").rename(repository / "neuer Näme.txt")
    (repository / "mode.sh").chmod(0o755)
    (repository / "dos.txt").write_bytes(b"a\r\nc\r\n")
    (repository / "picture.png").write_bytes(bytes(range(255, -1, -1)))
    (repository / "empty").touch()
    (repository / 'quo"te\\.txt').write_text("no newline")
    os.symlink("edit.py", repository / "link")
    git(repository, "add", "-A")
    return repository


@pytest.mark.parametrize("options", [[], ["--no-prefix"], ["-U0"], ["--binary"], ["-c", "core.quotepath=off"], ["-R"]])
def test_output_of_the_real_git_is_parsed_and_drawn(changed_repository: Path, options: list[str]) -> None:
    before, after = (options, []) if "-c" in options else ([], options)
    words = ["git", "-C", str(changed_repository), *before, "diff", "-M", *after, "HEAD"]
    files = {
        file.path: file for file in parse_diff(subprocess.run(words, capture_output=True, check=True).stdout.decode())
    }
    names = {"edit.py", "gone.txt", "mode.sh", "dos.txt", "picture.png", "empty", 'quo"te\\.txt', "link"}
    renamed = ("old name.txt", "neuer Näme.txt")[:: -1 if "-R" in options else 1]
    assert set(files) == names | {renamed[1]}
    assert (files[renamed[1]].old_path, files[renamed[1]].status) == (renamed[0], "renamed")
    assert (files["edit.py"].added, files["edit.py"].removed) == ((2, 1) if "-R" in options else (1, 2))
    assert len(files["edit.py"].hunks) == 2
    assert files["picture.png"].status == "binary"
    assert files["mode.sh"].notes[0].startswith("mode 100")
    assert {files["gone.txt"].status, files["empty"].status} == {"added", "deleted"}
    for file in files.values():
        assert_harmless(render_file(file, DARK))

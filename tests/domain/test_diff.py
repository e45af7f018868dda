"""Diffs: every kind of header that git can print is understood."""

from __future__ import annotations

import pytest

from orange_tui.domain.review.diff import DiffFile, parse_diff


def only(text: str) -> DiffFile:
    (file,) = parse_diff(text)
    return file


def head(*lines: str) -> str:
    return "\n".join(["diff --git a/x b/x", *lines, ""])


@pytest.mark.parametrize(
    ("text", "path", "old", "status", "note"),
    [
        (head("new file mode 100644", "index 000..e69"), "x", "x", "added", None),
        (head("deleted file mode 100644", "--- a/x", "+++ /dev/null"), "x", "x", "deleted", None),
        (head("old mode 100644", "new mode 100755"), "x", "x", "modified", "mode 100644 → 100755"),
        (head("similarity index 9%", "rename from a b", "rename to c"), "c", "a b", "renamed", "renamed from a b"),
        (head("similarity index 9%", "copy from x", "copy to y"), "y", "x", "added", "copied from x"),
        (head("index 1..2 100644", "Binary files a/x and b/x differ"), "x", "x", "binary", "binary, changed"),
        (head("new file mode 1", "GIT binary patch", "literal 9", "zcm"), "x", "x", "binary", "binary, added"),
        ("diff --git a/a b.txt b/a b.txt\nold mode 1\nnew mode 2\n", "a b.txt", "a b.txt", "modified", "mode 1 → 2"),
        ('diff --git "a/\\303\\244\\t" "b/\\303\\244\\t"\nnew file mode 1\n', "ä\t", "ä\t", "added", None),
        ('diff --git "a/\\"q\\"" "b/\\"q\\""\n--- "a/\\"q\\""\n+++ "b/\\"q\\""\n', '"q"', '"q"', "modified", None),
        ("diff --git a/s p b/s p\n--- a/s p\t\n+++ b/s p\t\n", "s p", "s p", "modified", None),
        ("diff --git src/a.py src/a.py\n--- src/a.py\n+++ src/a.py\n", "src/a.py", "src/a.py", "modified", None),
        ("diff --git a/x.py a/x.py\n--- a/x.py\n+++ a/x.py\n", "a/x.py", "a/x.py", "modified", None),
        ("diff --git i/x w/x\n--- i/x\n+++ w/x\n", "x", "x", "modified", None),
        ("diff --cc x\nindex 1,2..3\n--- a/x\n+++ b/x\n", "x", "x", "modified", None),
        ("diff --combined x y\nindex 1,2..3\n", "x y", "x y", "modified", None),
        ("* Unmerged path x y\n", "x y", "x y", "modified", "in conflict"),
        ("Submodule lib/a 123..456:\n  > more\n", "lib/a", "lib/a", "modified", "Submodule lib/a 123..456:"),
        ("diff --git \n", "", "", "modified", None),
    ],
)
def test_each_kind_of_file_header_git_prints_is_parsed(
    text: str, path: str, old: str, status: str, note: str | None
) -> None:
    file = only(text)
    assert (file.path, file.old_path, file.status) == (path, old, status)
    assert file.notes == (() if note is None else (note,))


def test_lines_that_look_like_headers_are_content() -> None:
    text = (
        "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- a/y\n+++ b/y\n+diff --git a/z b/z\n+@@ -1 +1 @@\n"
    )
    file = only(text)
    assert (file.path, file.added, file.removed, len(file.hunks)) == ("x", 3, 1, 1)

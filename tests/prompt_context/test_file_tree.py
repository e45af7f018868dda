"""A repository's files in little room: folders are opened from the top, and every file is counted somewhere."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from orange_tui.prompt_context._file_tree import fold_paths

PATHS = st.lists(
    st.lists(st.sampled_from(["a", "b", "long name", "\x1b"]), min_size=1, max_size=4).map("/".join), unique=True
).map(lambda paths: [f"{path}.py" for path in paths])


def test_paths_that_fit_are_listed_unfolded() -> None:
    assert fold_paths(["a.py", "b/c.py"], 100) == "a.py\nb/c.py"


def test_small_shallow_folders_are_expanded_and_others_counted() -> None:
    paths = ["README", *(f"big/f{n:03}" for n in range(50)), "small/x", "small/deep/y", "small/deep/z"]
    assert fold_paths(paths, 70).splitlines() == [
        "README",
        "big/ (50 files)",
        "small/deep/y",
        "small/deep/z",
        "small/x",
    ]
    assert fold_paths(paths, 50).splitlines() == ["README", "big/ (50 files)", "small/ (3 files)"]


@settings(deadline=None)  # a busy machine is no mistake of ours
@given(paths=PATHS, most=st.integers(0, 200))
def test_every_file_is_there_once_or_counted_once(paths: list[str], most: int) -> None:
    lines = fold_paths(paths, most).splitlines()
    counted = [re.search(r"/ \((\d+) files?\)$", line) for line in lines]
    assert sum(int(found[1]) if found else 1 for found in counted) == len(paths)
    assert "\x1b" not in "".join(lines)

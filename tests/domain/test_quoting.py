"""Other people's text in a prompt: cut where a line ends, shown instead of obeyed, and never able to end its fence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orange_tui.domain.text.quoting import fenced, plain, truncate
from orange_tui.domain.text.sections import outline
from orange_tui.prompt_context.file_names import is_binary, is_secret


def test_a_text_is_cut_at_a_line_where_one_is_near() -> None:
    assert truncate("one\ntwo\nthree", 100) == ("one\ntwo\nthree", 0)
    assert truncate("one\ntwo\nthree", 9) == ("one\ntwo", 6)
    assert truncate("x" * 10, 4) == ("xxxx", 6)


@given(text=st.text(), most=st.integers(0, 30))
def test_truncated_text_and_what_is_left_out_add_up_to_the_whole(text: str, most: int) -> None:
    kept, left_out = truncate(text, most)
    assert text.startswith(kept)
    assert len(kept) <= most
    assert len(kept) + left_out == len(text)


def test_control_characters_are_shown_as_escapes() -> None:
    assert plain("a\x1b[2Jb\tc\r\nd\u202ee\rf") == "a\\x1b[2Jb\tc\nd\\x202ee\nf"


@given(text=st.text("`~ab#\n "))
def test_nothing_closes_its_own_fence(text: str) -> None:
    assert [heading.title for heading in outline(f"{fenced(text)}\n\n## After\n").headings] == ["After"]


@pytest.mark.parametrize(
    "path",
    [".env", "a/.env.local", "Prod.ENV", "x.pem", "id_rsa", "home/.ssh/config", ".aws/x", "secrets.yml", "a.key"],
)
def test_secrets_are_known_by_their_names(path: str) -> None:
    assert is_secret(path)


@pytest.mark.parametrize(
    "path", ["README.md", "env.py", ".env.example", "src/keys.py", "monkey", "id_rsa.pub", "a.pub"]
)
def test_harmless_names_are_not_taken_for_secrets(path: str) -> None:
    assert not is_secret(path)


def test_binary_files_are_known_by_their_endings() -> None:
    assert is_binary("docs/shot.PNG")
    assert not any(map(is_binary, ["Makefile", "a.png/b", "png", "x.py", "a.svg"]))

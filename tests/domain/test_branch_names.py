"""A branch name is what git takes for one, and nothing that would mislead a person or a command line."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from orange_tui.domain.errors import Refused
from orange_tui.domain.task import check_branch

BRANCHES = [
    "main",
    "fix/login-loop",
    "orange-tasks/a1b2c3",
    "feat/x.y",
    "a/b/c/d",
    "UPPER_case",
    "release-1.2",
    "日本語",
    "fix/🍊",
    "a@b",
    "a@",
    "@a",
    "a{b}",
    "a=b",
    "a,b",
    "a;b",
    "a$(b)",
    "a`b`",
    "a'b",
    'a"b',
    "a|b&c",
    "a%b",
    "a#b",
    "a!b",
    "a(b)",
    "a<b>",
    "a-",
    "a.b.c",
    "a./b",
    "a.locked",
    "alock",
    "HEAD/a",
    "head",
    "refs/heads/a",
    "a\u00a0b",
    "x" * 200,
    "",
    "HEAD",
    "-",
    "-a",
    "--all",
    "a..b",
    "a/../b",
    ".",
    "..",
    ".a",
    "a/.b",
    "a.",
    "a/b.",
    "/a",
    "a/",
    "a//b",
    "a.lock",
    "a.lock/b",
    "a/b.lock",
    "a b",
    " a",
    "a ",
    "a\tb",
    "a\nb",
    "a\x7fb",
    "a\x1bb",
    "a~b",
    "a^b",
    "a:b",
    "a?b",
    "a*b",
    "a[b",
    "a\\b",
    "a@{b",
    "@{-1}",
    "a@{1}",
]


def is_accepted(name: str) -> bool:
    try:
        return check_branch(name) == name
    except Refused:
        return False


def git_accepts(name: str) -> bool:
    git = shutil.which("git")
    assert git, "git is needed to hold our rules to its own"
    done = subprocess.run([git, "check-ref-format", "--branch", name], capture_output=True, check=False, cwd="/")
    return done.returncode == 0


@pytest.mark.parametrize("name", BRANCHES)
def test_a_branch_name_is_accepted_exactly_when_git_accepts_it(name: str) -> None:
    assert is_accepted(name) == git_accepts(name)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("@", id="git's short name for HEAD"),
        pytest.param("a\u202eb", id="text that runs backwards"),
        pytest.param("a\u2028b", id="a line separator"),
        pytest.param("a\u0085b", id="a next-line character"),
        pytest.param("a\udcffb", id="bytes that are not UTF-8"),
        pytest.param("x" * 201, id="longer than any file name may become"),
        pytest.param("é" * 101, id="few characters, many bytes"),
    ],
)
def test_a_branch_name_git_would_take_is_refused_where_it_could_mislead(name: str) -> None:
    assert not is_accepted(name)


def test_the_refusal_of_a_branch_shows_the_name_and_one_that_would_do() -> None:
    with pytest.raises(Refused) as caught:
        check_branch("a\x1b[2Jb")
    assert "'a\\x1b[2Jb'" in str(caught.value)
    assert "fix/login-loop" in str(caught.value)
    assert is_accepted("fix/login-loop")

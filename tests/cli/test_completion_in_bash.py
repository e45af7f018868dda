"""The bash script in a real bash, with a stand-in for `orange` that shows what it was asked."""

from __future__ import annotations

import os
import subprocess
from shutil import which
from typing import TYPE_CHECKING

import pytest

from orange_tui.cli.parsing.completion import script

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(which("bash") is None, reason="needs bash")

STAND_IN = r"""#!/usr/bin/env bash
shift
printf '<%s>' "$@" >asked
cat answer
"""
HARNESS = r"""
set -u
source ./orange.bash
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_orange
printf '%s\n' "${COMPREPLY[@]+"${COMPREPLY[@]}"}"
"""


@pytest.fixture
def shell(tmp_path: Path) -> Path:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/orange").write_text(STAND_IN)
    (tmp_path / "bin/orange").chmod(0o755)
    (tmp_path / "orange.bash").write_text(script("bash"))
    return tmp_path


def complete(shell: Path, words: list[str], answer: str) -> tuple[str, list[str]]:
    """What bash asked `orange` for, and what it then offers."""
    (shell / "answer").write_text(answer)
    run = subprocess.run(
        ["bash", "--norc", "-c", HARNESS, "bash", *words],
        cwd=shell,
        env={"PATH": f"{shell / 'bin'}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (run.returncode, run.stderr) == (0, "")
    return (shell / "asked").read_text(), run.stdout.splitlines()


def test_bash_gets_words_without_their_meaning(shell: Path) -> None:
    asked, reply = complete(shell, ["orange", "task", "s"], "show\tShow one task.\nstuck\tSay so.\n")
    assert asked == "<task><s>"
    assert reply == ["show", "stuck"]


def test_bash_completes_an_empty_word(shell: Path) -> None:
    assert complete(shell, ["orange", "task", ""], "list\n") == ("<task><>", ["list"])


def test_bash_completes_a_value_after_an_equals_sign(shell: Path) -> None:
    words = ["orange", "task", "update", "--status", "=", "wo"]
    assert complete(shell, words, "--status=working\n") == ("<task><update><--status=wo>", ["working"])
    assert complete(shell, words[:-1], "--status=stuck\n") == ("<task><update><--status=>", ["stuck"])


def test_bash_completes_words_after_an_attached_value(shell: Path) -> None:
    words = ["orange", "task", "update", "--status", "=", "working", "k3"]
    assert complete(shell, words, "k3x9\n") == ("<task><update><--status=working><k3>", ["k3x9"])


def test_bash_keeps_a_name_with_a_space_or_star_as_one_word(shell: Path) -> None:
    asked, reply = complete(shell, ["orange", "--project", r"my\ p"], "my project\nmy *\n")
    assert asked == "<--project><my p>"
    assert reply == [r"my\ project", r"my\ \*"]


def test_bash_completes_file_names_itself(shell: Path) -> None:
    (shell / "flow one.yml").touch()
    (shell / "flow-two.yml").touch()
    _, reply = complete(shell, ["orange", "workflow", "check", "flow"], "flowing\n:files\n")
    assert sorted(reply) == ["flow one.yml", "flow-two.yml", "flowing"]


def test_bash_offers_nothing_if_nothing_fits(shell: Path) -> None:
    assert complete(shell, ["orange", "zzz"], "") == ("<zzz>", [""])

"""Whatever words come, in whatever order: an answer, an exit code, and no traceback."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from orange_tui.cli import main as command_line
from orange_tui.cli.all_commands import COMMANDS
from orange_tui.cli.main import main
from orange_tui.engine import hooks
from support.driver import STEPS, World

if TYPE_CHECKING:
    from collections.abc import Iterator

_NEVER = {("serve",), ("demo",), ("install",), ("doctor",), ("task", "attach"), ("task", "logs")}
_PATHS = sorted({command.path for command in COMMANDS if command.run and command.path and command.path not in _NEVER})
_OPTIONS = sorted({name for command in COMMANDS for option in command.every_option for name in option.names})
_VALUES = [
    "a",
    "abc",
    "coffee",
    "todo",
    "doing",
    "done",
    "steps",
    "default",
    "-",
    "--",
    "",
    "x/y",
    "0",
    "-1",
    "9999999",
]
_words = st.sampled_from(_OPTIONS) | st.sampled_from(_VALUES) | st.text(max_size=8)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """A home with a few tasks, good and bad, that all examples share."""
    root = tmp_path_factory.mktemp("fuzz") / "home"
    root.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        patch.setattr(os, "fsync", lambda _descriptor: None)
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
        world = World(root)
        patch.setattr(hooks, "BUILT_IN", world.effects.table())
        world.workflow("steps", STEPS)
        world.project()
        for name in ("abc", "abd", "b2"):
            (root / "tasks/coffee" / name).mkdir(parents=True)
        (root / "tasks/coffee/abc/TASK.md").write_text("---\nworkflow: steps\nstatus: todo\n---\n")
        (root / "tasks/coffee/abd/TASK.md").write_text("broken")
        world.task(status="done")
        yield world


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(path=st.sampled_from(_PATHS) | st.lists(_words, max_size=2).map(tuple), words=st.lists(_words, max_size=6))
@example(path=("task", "update"), words=["abc", "--summary", "\udcff\x00"])
@example(path=("task", "show"), words=["\x00"])
@example(path=("project", "add"), words=["\x00"])
@example(path=("project", "add"), words=["\udcff"])
@example(path=("workflow", "check"), words=["\x00/"])
@example(path=("workflow", "show"), words=["x" * 5000])
@example(path=("task", "list"), words=["--project", "\x00"])
@example(path=("log",), words=["--grep", "\udcff"])
@example(path=("task", "create"), words=["x" * 300, "--no-spawn", "--project", "coffee"])
def test_no_arguments_cause_a_traceback(place: World, path: tuple[str, ...], words: list[str]) -> None:
    os.environ["ORANGE_HOME"] = str(place.root)
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    with redirect_stdout(out), redirect_stderr(err):
        code = main([*path, *words])
        out.flush()
        err.flush()
    said = [stream.buffer.getvalue().decode() for stream in (out, err)]
    assert code in {0, 1, 2}
    assert "Traceback" not in "".join(said)
    assert "Something unexpected went wrong" not in said[1]
    assert code == 0 or said[1] or path in {("workflow", "check"), ("service", "status")}  # these tell what they found


class _NobodyReads(io.StringIO):
    def write(self, _text: str) -> int:
        raise BrokenPipeError


def test_notice_that_nobody_reads_any_more_ends_no_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", _NobodyReads())
    command_line._report_lock_wait("k3x9")


_CTRL_C_WHILE_IT_STARTS = """
import os, signal, sys
from orange_tui.__main__ import main

class Finder:
    def find_spec(self, name, *_):
        if name == "orange_tui.cli.main":
            os.kill(os.getpid(), signal.SIGINT)

signal.signal(signal.SIGINT, signal.default_int_handler)  # what runs in the background has it ignored
sys.meta_path.insert(0, Finder())
main()
"""


def test_ctrl_c_while_a_command_is_still_starting_is_not_a_traceback() -> None:
    done = subprocess.run([sys.executable, "-c", _CTRL_C_WHILE_IT_STARTS], capture_output=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (130, b"")

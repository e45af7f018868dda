"""`kill -9` at the n-th step of an action, for every n, each time in a forked child.

What counts as a step is chosen by a `watch` function: every change that another process could see in the files
(`watch_files`), or every program that is started and every file that is put in place (`watch_programs`,
`watch_workspaces`). Dying after a step is dying before the next one.

All steps of all these tests take minutes: `make thorough` goes through each, otherwise it is every third. Which ones,
the test's name decides, so that it is the same ones each time, and others in another test of the same action.
"""

from __future__ import annotations

import os
import shutil
import signal
import warnings
import zlib
from typing import TYPE_CHECKING, Any

import orange_tui.agents.launch as launch_seam
import orange_tui.home.json_file as json_seam
import orange_tui.outside.git as git_seam
import orange_tui.outside.tmux.server as tmux_seam
import orange_tui.store._task_links as links_seam
import orange_tui.store._task_swap as swap_seam
import orange_tui.workspaces._contents as setup_seam
from orange_tui.store.journal import Journal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path
    from types import ModuleType

    Watch = Callable[["Countdown"], None]

_STRIDE = 1 if os.environ.get("THOROUGH") else 3
_WRITING = os.O_WRONLY | os.O_RDWR
_MOST_STEPS = 2000
_FILE_STEPS = ("link", "unlink", "rename", "replace", "symlink", "mkdir", "rmdir", "ftruncate")
_GIT_READING = {"status", "rev-parse", "rev-list", "for-each-ref", "ls-files", "diff", "diff-files", "diff-index"}
_NAME_STEPS = ("rename", "symlink", "unlink")


class Countdown:
    """Kills this process when it has taken so many steps."""

    def __init__(self, steps: int) -> None:
        self.left = steps

    def step(self) -> None:
        if self.is_over():
            self.die()

    def is_over(self) -> bool:
        self.left -= 1
        return self.left == 0

    def die(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def count(self, owner: ModuleType | type, name: str) -> None:
        """From here on, each call of that function is a step."""
        real = getattr(owner, name)

        def counted(*args: Any, **options: Any) -> Any:
            self.step()
            return real(*args, **options)

        setattr(owner, name, counted)


def watch_files(countdown: Countdown) -> None:
    """A step is whatever another process could see in the files: half a write, the rest, a new or vanished name."""
    for name in _FILE_STEPS:
        countdown.count(os, name)
    for module in (swap_seam, links_seam):
        countdown.count(module, "exchange")
    real_open, real_write = os.open, os.write

    def opening(path: Any, flags: int, *rest: Any, **options: Any) -> int:
        if flags & _WRITING and (flags & os.O_TRUNC or "dir_fd" in options or not os.path.lexists(path)):
            countdown.step()
        return real_open(path, flags, *rest, **options)

    def writing(descriptor: int, data: Any) -> int:
        countdown.step()
        if len(data) > 1 and countdown.is_over():
            real_write(descriptor, data[: len(data) // 2])
            countdown.die()
        return real_write(descriptor, data)

    os.open, os.write = opening, writing


def watch_git(countdown: Countdown) -> None:
    """A step is each git that may change something: dying before one that only reads is dying before the next one."""
    real = vars(git_seam)["run"]

    def running(words: list[str], **options: Any) -> Any:
        if _GIT_READING.isdisjoint(words):
            countdown.step()
        return real(words, **options)

    vars(git_seam)["run"] = running


def watch_programs(countdown: Countdown) -> None:
    """A step is each program that may change something, each file that is put in place, each event in a journal."""
    watch_git(countdown)
    for module in (tmux_seam, setup_seam):
        countdown.count(module, "run")
    for module in (launch_seam, json_seam):
        countdown.count(module, "replace_file")
    countdown.count(swap_seam, "exchange")
    countdown.count(Journal, "append")


def watch_workspaces(countdown: Countdown) -> None:
    """A step is each program that is started for a workspace and may change something, and each change of a name."""
    watch_git(countdown)
    countdown.count(setup_seam, "run")
    for name in _NAME_STEPS:
        countdown.count(os, name)


def killed(act: Callable[[], object], countdown: Countdown, watch: Watch = watch_files) -> bool:
    """Run something in a child that dies on the way; False when it got to its end alive."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # pytest-xdist has threads; the child does not need them
        child = os.fork()
    if child == 0:
        code = 1
        try:
            watch(countdown)
            act()
            code = 0
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0, "the child failed before it was killed"
    return os.WIFSIGNALED(status)


def dies_at(step: int, act: Callable[[], object], watch: Watch = watch_programs) -> bool:
    """Run a command that is killed at its n-th program, file or event; False when it got to its end alive."""
    return killed(act, Countdown(step), watch)


def chosen_steps(first: int = 1) -> range:
    """The steps to die at, as far as there are so many."""
    phase = zlib.crc32(os.environ.get("PYTEST_CURRENT_TEST", "").partition(" ")[0].encode()) % _STRIDE
    return range(first + phase, _MOST_STEPS, _STRIDE)


def every_step(act: Callable[[int], object], first: int = 1, watch: Watch = watch_programs) -> Iterator[int]:
    """Let a command die at one step after the other; the last number is that of a life without a death."""
    for step in chosen_steps(first):
        died = dies_at(step, lambda: act(step), watch)  # noqa: B023 - it is called at once
        assert died or step > first + 5 + _STRIDE, "nothing was watched"
        yield step
        if not died:
            return
    raise AssertionError("it never came to an end")


def every_death(roots: Sequence[Path], act: Callable[[], object], watch: Watch = watch_files) -> Iterator[int]:
    """Let `act` die at one step after the other, each time with `roots` as they were at the beginning."""
    copies = {root: root.with_name(f"{root.name}-pristine") for root in roots}
    for root, pristine in copies.items():
        root.mkdir(exist_ok=True)
        shutil.copytree(root, pristine, symlinks=True)
    for steps in chosen_steps():
        for root, pristine in copies.items():
            shutil.rmtree(root)
            shutil.copytree(pristine, root, symlinks=True)
        if not killed(act, Countdown(steps), watch):
            assert steps > 3 + _STRIDE, "nothing was watched"
            return
        yield steps
    raise AssertionError("it never came to an end")

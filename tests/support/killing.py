"""A process that is killed at its n-th step, for every n: what `kill -9` can do, done to every instruction that counts.

A step is whatever another process could see: a write, a sync, a new or vanished name. The child is a fork, so
that hundreds of deaths take seconds; a write may also be cut in half.
"""

from __future__ import annotations

import os
import shutil
import signal
import warnings
from typing import TYPE_CHECKING, Any

import orange_tui.store.task_links as links
import orange_tui.store.task_swap as swap

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

_WRITING = os.O_WRONLY | os.O_RDWR
_MOST_STEPS = 2000
_STEPS = ("fsync", "link", "unlink", "rename", "replace", "symlink", "mkdir", "rmdir", "ftruncate")


class Countdown:
    """Kills this process when it has taken so many steps; `in_half` lets a deadly write through in part."""

    def __init__(self, steps: int, *, in_half: bool = False) -> None:
        self.left = steps
        self.in_half = in_half

    def step(self) -> None:
        if self.is_over():
            self.die()

    def is_over(self) -> bool:
        self.left -= 1
        return self.left == 0

    def die(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def watch(self) -> None:
        """From here on, in this process, every step counts."""
        for name in _STEPS:
            setattr(os, name, self._counted(getattr(os, name)))
        for module in (swap, links):
            vars(module)["exchange"] = self._counted(vars(module)["exchange"])
        real_open, real_write = os.open, os.write

        def opening(path: Any, flags: int, *rest: Any, **options: Any) -> int:
            if flags & _WRITING:
                self.step()
            return real_open(path, flags, *rest, **options)

        def writing(descriptor: int, data: Any) -> int:
            if self.is_over():
                if self.in_half:
                    real_write(descriptor, data[: len(data) // 2])
                self.die()
            return real_write(descriptor, data)

        os.open, os.write = opening, writing

    def _counted(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*args: Any, **options: Any) -> Any:
            self.step()
            return real(*args, **options)

        return counted


def killed(act: Callable[[], object], countdown: Countdown) -> bool:
    """Run something in a child that dies on the way; False when it got to its end alive."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # pytest-xdist has threads; the child does not need them
        child = os.fork()
    if child == 0:
        code = 1
        try:
            countdown.watch()
            act()
            code = 0
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0, "the child failed before it was killed"
    return os.WIFSIGNALED(status)


def every_death(root: Path, act: Callable[[], object], *, in_half: bool = False) -> Iterator[int]:
    """Let `act` die at its first step, its second, and so on, each time with `root` as it was at the beginning."""
    root.mkdir(exist_ok=True)
    pristine = root.with_name(f"{root.name}-pristine")
    shutil.copytree(root, pristine, symlinks=True)
    for steps in range(1, _MOST_STEPS):
        shutil.rmtree(root)
        shutil.copytree(pristine, root, symlinks=True)
        if not killed(act, Countdown(steps, in_half=in_half)):
            assert steps > 3, "nothing was watched"
            return
        yield steps
    raise AssertionError("it never came to an end")

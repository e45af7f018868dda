"""kill -9 of a command in the office: before each program it starts, and before each file it puts in place.

Dying after a step is dying before the next one. What a single write leaves behind is `killing`'s part.
"""

from __future__ import annotations

import os
import signal
import warnings
from typing import TYPE_CHECKING, Any

import orange_tui.agents.launch
import orange_tui.home.json_file
import orange_tui.outside.git
import orange_tui.outside.tmux
import orange_tui.store.task_swap
import orange_tui.workspaces.contents
from orange_tui.store.journal import Journal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_MOST_STEPS = 200
_SEAMS = (
    (orange_tui.outside.git, "run"),
    (orange_tui.outside.tmux, "run"),
    (orange_tui.workspaces.contents, "run"),
    (orange_tui.agents.launch, "replace_file"),
    (orange_tui.home.json_file, "replace_file"),
    (orange_tui.store.task_swap, "exchange"),
)


def dies_at(step: int, act: Callable[[], object]) -> bool:
    """Run something in a child that is killed at its n-th step; False when it got to its end alive."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # pytest-xdist has threads; the child does not need them
        child = os.fork()
    if child == 0:
        code = 1
        try:
            _count_down(step)
            act()
            code = 0
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0, "the child failed before it was killed"
    return os.WIFSIGNALED(status)


def every_step(act: Callable[[int], object], first: int = 1) -> Iterator[int]:
    """Let `act` die at its first step, its second, and so on; the last number is that of a life without a death."""
    for step in range(first, _MOST_STEPS):
        died = dies_at(step, lambda: act(step))  # noqa: B023 - it is called at once
        assert died or step > first + 5, "nothing was watched"
        yield step
        if not died:
            return
    raise AssertionError("it never came to an end")


def _count_down(step: int) -> None:
    left = [step]

    def watched(real: Callable[..., Any]) -> Callable[..., Any]:
        def taken(*args: Any, **options: Any) -> Any:
            left[0] -= 1
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*args, **options)

        return taken

    for module, name in _SEAMS:
        vars(module)[name] = watched(vars(module)[name])
    setattr(Journal, "append", watched(Journal.append))  # noqa: B010 - records do not let themselves be changed

"""Agents' processes, waited for: the system tells of a death when it happens, and costs nothing until then."""

from __future__ import annotations

import asyncio
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from orange_tui.store.store import TaskRef


class Deaths:
    """Waits in one event loop for agents' processes to end, and calls `ended` with their tasks."""

    def __init__(self, ended: Callable[[Iterable[TaskRef]], None]) -> None:
        self._report = ended
        self._waiting: dict[int, tuple[int, TaskRef]] = {}  # pid → pidfd, task

    def wait_for(self, processes: Mapping[int, TaskRef]) -> None:
        """From now on for these, and no others."""
        for pid in self._waiting.keys() - processes.keys():
            self._forget(pid)
        for pid, ref in processes.items():
            if pid not in self._waiting:
                self._begin(pid, ref)

    def _begin(self, pid: int, ref: TaskRef) -> None:
        try:
            descriptor = os.pidfd_open(pid)
        except ProcessLookupError:
            self._report([ref])  # it ended since tmux listed it
        except (AttributeError, OSError):
            return  # no such system call here: the poll will notice
        else:
            self._waiting[pid] = (descriptor, ref)
            asyncio.get_running_loop().add_reader(descriptor, self._ended, pid)

    def _ended(self, pid: int) -> None:
        _, ref = self._waiting[pid]
        self._forget(pid)
        self._report([ref])

    def _forget(self, pid: int) -> None:
        descriptor, _ = self._waiting.pop(pid)
        asyncio.get_running_loop().remove_reader(descriptor)
        os.close(descriptor)

    def close(self) -> None:
        """Wait for nobody any more."""
        for pid in list(self._waiting):
            self._forget(pid)

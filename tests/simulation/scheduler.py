"""Virtual processes in one real one: threads that pass a baton, so that the seed alone decides who goes next.

A process has one strand, or several, as a real one has threads. Time is virtual, too: it passes a little with every
call, and leaps to the next moment that somebody waits for when nobody has anything to do.
"""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

_NEVER = 2**62
_SECOND = 1_000_000_000
_PER_PROCESS = ("ORANGE_TASK", "ORANGE_TASK_FILE", "ORANGE_WINDOW", "TMUX", "TMUX_PANE")


class Killed(BaseException):
    """What `kill -9` is from the inside: every system call from now on raises it, so that nothing is tidied up."""


class Deadlock(AssertionError):
    """Everybody waits, and nothing will wake any of them; or they go on for ever."""


class Process:
    """One virtual process: what it has open, where it runs, and whether it has been killed."""

    def __init__(self, pid: int, name: str, *, is_mortal: bool = True) -> None:
        self.pid = pid
        self.name = name
        self.is_mortal = is_mortal  # whether faults befall it
        self.takes_errors = True  # whether its calls may fail; agents are only killed and paused
        self.environment: dict[str, str] = {}
        self.directory: str | None = None
        self.session = pid  # the leader of its terminal session
        self.parent: Process | None = None
        self.descriptors: set[int] = set()
        self.closed_by_kill: set[int] = set()
        self.strands: list[Strand] = []
        self.is_killed = False
        self.is_over = False
        self.paused_until = 0
        self.faults: list[str] = []
        self.calls = 0
        self.problem: BaseException | None = None
        self.output: list[str] = []
        self.errors: list[str] = []
        self.exit_code: int | None = None
        self.when_over: list[Callable[[], None]] = []

    @property
    def is_alive(self) -> bool:
        return not self.is_killed and not self.is_over


class Strand:
    """One thread of a virtual process, and what it waits for."""

    def __init__(self, process: Process) -> None:
        self.process = process
        self.turn = threading.Lock()
        self.turn.acquire()
        self.wake_at = 0
        self.is_ready: Callable[[], bool] | None = None


class Scheduler:
    """Lets one strand run at a time, chosen by the seed."""

    def __init__(self, random: Random, most_switches: int = 400_000) -> None:
        self.random = random
        self.now = 0  # nanoseconds since the world began
        self.processes: list[Process] = []
        self._strands: list[Strand] = []
        self._current: Strand | None = None
        self._here = threading.local()
        self._all_over = threading.Lock()
        self._all_over.acquire()
        self._last_pid = 1000
        self._switches_left = most_switches
        self.deadlock: str | None = None

    def strand(self) -> Strand | None:
        """The strand that this thread is; None for a thread of the real world."""
        found: Strand | None = getattr(self._here, "strand", None)
        return found

    def process(self) -> Process:
        """The process that is running."""
        strand = self.strand()
        assert strand is not None
        return strand.process

    def new_process(self, name: str, *, is_mortal: bool = True) -> Process:
        process = Process(self.new_pid(), name, is_mortal=is_mortal)
        self.processes.append(process)
        return process

    def new_pid(self) -> int:
        self._last_pid += 1
        return self._last_pid

    def start(self, process: Process, work: Callable[[], object]) -> None:
        """A new strand of a process; it runs when its turn comes."""
        strand = Strand(process)
        process.strands.append(strand)
        self._strands.append(strand)
        threading.Thread(target=self._run, args=(strand, work), daemon=True, name=f"sim {process.name}").start()

    def _run(self, strand: Strand, work: Callable[[], object]) -> None:
        strand.turn.acquire()
        self._here.strand = strand
        self._install(strand.process)
        try:
            if not strand.process.is_killed:
                work()
        except Killed:
            pass
        except BaseException as problem:  # noqa: BLE001 - the model judges it
            if not strand.process.is_killed:
                strand.process.problem = strand.process.problem or problem
        self._end(strand)

    def _end(self, strand: Strand) -> None:
        process = strand.process
        process.strands.remove(strand)
        self._strands.remove(strand)
        if not process.strands:
            process.is_over = True
            if not process.is_killed:
                self._tell(process)
            self.processes.remove(process)
        self._here.strand = None
        following = self._choose()
        if following is None:
            self._all_over.release()
        else:
            self._current = following
            following.turn.release()

    def run(self, work: Callable[[], object]) -> Process:
        """Run a process to its end, and with it all that it has started; what is left then is killed."""
        director = self.new_process("director", is_mortal=False)

        def direct() -> None:
            try:
                work()
            finally:
                for process in list(self.processes):
                    if process is not director:
                        self.kill(process)

        self.start(director, direct)
        self._current = self._strands[0]
        self._current.turn.release()
        self._all_over.acquire()
        if self.deadlock is not None and director.problem is None:
            director.problem = Deadlock(self.deadlock)
        return director

    def pass_on(self) -> None:
        """Let anybody go next who can, perhaps the same one again."""
        mine, following = self._current, self._choose()
        assert mine is not None
        if following is not None and following is not mine:
            self._current = following
            following.turn.release()
            mine.turn.acquire()
            self._install(mine.process)
        if mine.process.is_killed:
            raise Killed

    def sleep(self, seconds: float) -> None:
        """Wait in virtual time."""
        self.wait(None, seconds)

    def wait(self, is_ready: Callable[[], bool] | None, seconds: float | None = None) -> None:
        """Wait for a condition, at most so long."""
        strand = self._current
        assert strand is not None
        strand.is_ready = is_ready
        strand.wake_at = _NEVER if seconds is None else self.now + max(0, int(seconds * _SECOND))
        try:
            self.pass_on()
        finally:
            strand.is_ready, strand.wake_at = None, 0

    def pause(self, process: Process, seconds: float) -> None:
        """As if it were stopped: it holds what it holds, and does nothing."""
        process.paused_until = self.now + int(seconds * _SECOND)

    def kill(self, process: Process) -> None:
        """`kill -9`: what it had open is closed, and none of its strands gets any further."""
        if process.is_killed or process.is_over:
            return
        process.is_killed = True
        for descriptor in process.descriptors:
            _close(descriptor)
        process.closed_by_kill, process.descriptors = process.descriptors, set()
        self._tell(process)

    def _tell(self, process: Process) -> None:
        for tell in process.when_over:
            tell()

    def _choose(self) -> Strand | None:
        """Whose turn it is; None when there is nobody left."""
        self._switches_left -= 1
        if self._switches_left == 0:
            self._give_up("it goes on for ever")
        while self._strands:
            ready = [strand for strand in self._strands if self._can_run(strand)]
            if ready:
                return ready[0] if len(ready) == 1 else ready[int(self.random.random() * len(ready))]
            moment = min(max(strand.wake_at, strand.process.paused_until) for strand in self._strands)
            if moment >= _NEVER:
                self._give_up("everybody waits for somebody else")
            else:
                self.now = max(self.now, moment)
        return None

    def _can_run(self, strand: Strand) -> bool:
        if strand.process.is_killed:
            return True
        if strand.process.paused_until > self.now:
            return False
        if strand.wake_at <= self.now:
            return True
        try:
            return strand.is_ready is not None and strand.is_ready()
        except OSError:
            return True  # it will see for itself

    def _give_up(self, why: str) -> None:
        waiting = ", ".join(f"{strand.process.name} ({strand.process.pid})" for strand in self._strands)
        self.deadlock = self.deadlock or f"{why}: {waiting}"
        for process in list(self.processes):
            self.kill(process)

    def _install(self, process: Process) -> None:
        """The environment is the real process's; each virtual one finds its own in it when it goes on."""
        for name in _PER_PROCESS:
            value = process.environment.get(name)
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


_close = os.close

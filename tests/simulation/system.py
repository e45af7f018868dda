"""What stands between virtual processes and the operating system: each call is a step, and each step may go wrong.

Files are real, in memory where the machine has such a place; so is git. Time, process ids, random bytes, locks that
are waited for, tmux and everything about processes are virtual. Threads that are no virtual process see nothing of it.
"""

from __future__ import annotations

import builtins
import errno
import fcntl
import hashlib
import io
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter, deque
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from simulation.scheduler import Killed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from random import Random

    from simulation.scheduler import Process, Scheduler
    from simulation.tmux import TmuxServer

EPOCH = 1_780_000_000 * 10**9  # when every world begins: a day in May 2026
DAY = 86_400.0
_CALL_NANOSECONDS = 20_000
_MOST_CALLS = 20_000  # of one process; it has a few thousand in the longest of worlds
_TRACE_LENGTH = 60
_LONGEST_FULL_DISK = 12  # writes that fail in a row
_WRITING = os.O_WRONLY | os.O_RDWR
_ERRORS = {"ENOSPC": errno.ENOSPC, "EIO": errno.EIO, "EMFILE": errno.EMFILE}
_FAULTS: dict[str, tuple[str, ...]] = {
    "open": ("kill", "kill", "pause", "EMFILE", "ENOSPC", "EIO"),
    "read": ("EMFILE",),
    "write": ("kill", "half", "half", "pause", "ENOSPC", "EIO"),
    "fsync": ("kill", "kill", "pause", "EIO"),
    "name": ("kill", "kill", "kill", "pause", "ENOSPC", "EIO"),
    "unlink": ("kill", "kill", "pause"),
    "flock": ("kill", "pause"),
    "sleep": ("kill", "pause", "clock"),
    "git": ("kill", "orphan", "git died", "git's answer lost", "EMFILE", "pause"),
    "tmux": ("kill", "orphan", "tmux failed", "tmux died", "EMFILE", "pause"),
    "program": ("kill", "orphan", "EMFILE", "pause"),
    "wait": ("kill", "pause", "clock"),
}
_WEIGHTS = {"read": 0.05, "name": 1.5, "unlink": 1.5, "git": 2.0, "tmux": 2.0}  # how often, compared with others
_FAULTS_OF_AGENTS = frozenset({"kill", "pause", "clock"})
_JUMPS = (-3600.0, -5.0, 2.0, 90.0, DAY, 40 * DAY)
_PROGRAM_SECONDS = (0.0, 0.0, 0.005, 0.2)  # that a program takes, in which others go on
_PAUSES = (0.05, 1.5, 5.0, 70.0)
_NAMES = {
    "rename": "name",
    "replace": "name",
    "link": "name",
    "symlink": "name",
    "mkdir": "name",
    "rmdir": "unlink",
    "unlink": "unlink",
    "remove": "unlink",
    "ftruncate": "name",
}


# In the name of a file beside TASK.md: of its text, and a sentence in it may name the world's own directory.
_CHECKSUM = re.compile(r"(\.TASK\.md\.(?:new|old-\d+))-[0-9a-f]{8}\b")


class System:
    """The operating system of one world."""

    def __init__(self, scheduler: Scheduler, random: Random, root: str) -> None:
        self.scheduler = scheduler
        self.random = random
        self.root = root
        self.rate = 0.0  # of faults, for each call
        self.restlessness = 0.1  # how often another process goes on, for each call
        self.faults: Counter[str] = Counter()
        self.only: frozenset[str] | None = None  # the kinds of fault there are in this world
        self.calls = 0
        self.offset = 0  # nanoseconds by which the clock was set
        self.disk_is_full_for = 0
        self.last_steps: list[str] = []
        self.trace: deque[str] = deque(maxlen=_TRACE_LENGTH)
        self.log: Any = None  # where every step is written, for those who look for a difference
        self.digest = hashlib.blake2b(digest_size=8)
        self.tmux: TmuxServer
        self.endless: list[str] = []  # who went round in circles
        self.programs: list[list[str]] = []  # that were started, but for git and tmux
        self._real: list[tuple[Any, str, Any]] = []
        self._popen = subprocess.Popen

    # ── steps and faults ──

    def step(self, call: str, what: str = "") -> str | None:
        """One call: others may go first, and it may go wrong. Returns a fault that the caller has to act out."""
        process = self.scheduler.process()
        if process.is_killed:
            raise Killed
        self.calls += 1
        process.calls += 1
        if process.calls == _MOST_CALLS and process.is_mortal:
            self.endless.append(process.name)
            self.kill_self(process)
        self.scheduler.now += _CALL_NANOSECONDS
        self.note(process, call, what)
        if self.restlessness and self.random.random() < self.restlessness:
            self.scheduler.pass_on()
        if not process.is_mortal:
            return None
        if self.disk_is_full_for and call in {"write", "name"} and process.takes_errors:
            self.disk_is_full_for -= 1
            process.faults.append("the disk was full")
            self._fail("ENOSPC", process, call, what)
        return self._fault(process, call, what)

    def note(self, process: Process, call: str, what: str) -> None:
        shown = _CHECKSUM.sub(r"\1", what.replace(self.root, "~"))
        line = f"{process.name}[{process.pid}] {call} {shown}"
        if self.log is not None:
            self.log.write(line + "\n")
        self.trace.append(line)
        self.digest.update(line.encode(errors="replace"))

    def _fault(self, process: Process, call: str, what: str) -> str | None:
        if self.random.random() >= self.rate * _WEIGHTS.get(call, 1.0):
            return None
        fault = self.random.choice(_FAULTS[call])
        if (self.only is not None and fault not in self.only) or (
            not process.takes_errors and fault not in _FAULTS_OF_AGENTS
        ):
            return None
        self.faults[fault] += 1
        process.faults.append(f"{fault} at {call} {what.replace(self.root, '~')}")
        self.note(process, f"*** {fault} ***", "")
        return self._act(fault, process, call, what)

    def _act(self, fault: str, process: Process, call: str, what: str) -> str | None:
        if fault == "kill":
            self.kill_self(process)
        elif fault == "pause":
            self.scheduler.pause(process, self.random.choice(_PAUSES))
            self.scheduler.pass_on()
        elif fault == "clock":
            self.set_clock(self.random.choice(_JUMPS))
        elif fault in _ERRORS:
            if fault == "ENOSPC" and self.random.random() < 0.5:
                self.disk_is_full_for = self.random.randrange(1, _LONGEST_FULL_DISK)
            self._fail(fault, process, call, what)
        else:
            return fault
        return None

    def _fail(self, name: str, process: Process, call: str, what: str) -> None:
        self.note(process, name, call)
        raise OSError(_ERRORS[name], os.strerror(_ERRORS[name]), what)

    def end_faults(self) -> None:
        """From now on everything works. What is remembered of the last steps ends here, too."""
        self.rate, self.disk_is_full_for = 0.0, 0
        self.last_steps = list(self.trace)

    def kill_self(self, process: Process) -> None:
        self.scheduler.kill(process)
        raise Killed

    def set_clock(self, seconds: float) -> None:
        """Somebody sets the clock forward, or back."""
        self.offset += int(seconds * 10**9)

    def now(self) -> int:
        """The time of day, in nanoseconds."""
        return EPOCH + self.offset + self.scheduler.now

    # ── the calls ──

    def install(self) -> None:
        """Take the place of the operating system, for virtual processes."""
        for name, kind in _NAMES.items():
            self._wrap(os, name, self._on_names(name, kind, getattr(os, name)))
        self._wrap(os, "open", self._open(os.open))
        self._wrap(os, "close", self._close(os.close))
        self._wrap(os, "write", self._write(os.write))
        self._wrap(os, "fsync", self._fsync)
        self._wrap(os, "urandom", self.random.randbytes)
        self._wrap(os, "getpid", lambda: self.scheduler.process().pid)
        self._wrap(os, "pidfd_open", self._pidfd_open)
        self._wrap(builtins, "open", self._open_file(builtins.open))
        self._wrap(io, "open", self._open_file(io.open))  # which is what os.fdopen calls
        self._wrap(time, "time_ns", self.now)
        self._wrap(time, "time", lambda: self.now() / 10**9)
        self._wrap(time, "monotonic", lambda: self.scheduler.now / 10**9)
        self._wrap(time, "monotonic_ns", lambda: self.scheduler.now)
        self._wrap(time, "sleep", self._sleep)
        self._wrap(fcntl, "flock", self._flock(fcntl.flock))
        self._wrap(subprocess, "Popen", lambda *words, **options: _Program(self, *words, **options))
        self.put(tempfile, "_name_sequence", _TemporaryNames(self.random))
        self.put(tempfile, "tempdir", self.root)
        self._wrap_ours()
        self.put(sys, "stdout", _Stream(self.scheduler, sys.stdout, "output"))
        self.put(sys, "stderr", _Stream(self.scheduler, sys.stderr, "errors"))

    def _wrap_ours(self) -> None:
        from orange_tui.agents.sandbox import proofs
        from orange_tui.home import files
        from orange_tui.outside import processes, programs
        from orange_tui.supervisor import starter

        self._wrap_everywhere(files, "exchange", self._exchange(self._on_names("exchange", "name", files.exchange)))
        self._wrap_everywhere(processes, "processes_in", self._processes_in)
        self._wrap_everywhere(processes, "git_processes", lambda *_paths: [])
        self._wrap_everywhere(processes, "is_open_anywhere", lambda _path: False)
        self._wrap_everywhere(processes, "descendants", lambda _pid: set())
        self._wrap_everywhere(processes, "end_sessions", self._end_sessions)
        self._wrap_everywhere(processes, "is_tmux_server", self.tmux.is_running)
        self._wrap_everywhere(processes, "is_inside", self._is_inside_window)
        self._wrap_everywhere(programs, "continue_in_new_session", self._continue_in_new_session)
        self._wrap_everywhere(proofs, "failed_proofs", list)  # of a real machine; there is no sandbox in this one
        self._wrap(starter, "Thread", lambda **options: _Thread(self.scheduler, **options))

    def uninstall(self) -> None:
        for owner, name, real in reversed(self._real):
            setattr(owner, name, real)
        self._real.clear()

    def put(self, owner: Any, name: str, new: Any) -> None:
        """Replace something until the world ends."""
        self._real.append((owner, name, getattr(owner, name)))
        setattr(owner, name, new)

    def _wrap(self, owner: Any, name: str, ours: Callable[..., Any]) -> None:
        self.put(owner, name, self._for_virtual_processes(getattr(owner, name), ours))

    def _wrap_everywhere(self, owner: Any, name: str, ours: Callable[..., Any]) -> None:
        """Also where it was imported by name."""
        real = getattr(owner, name)
        replaced = self._for_virtual_processes(real, ours)
        for module in [each for key, each in sys.modules.items() if key.startswith("orange_tui")]:
            for key in [key for key, value in vars(module).items() if value is real]:
                self.put(module, key, replaced)

    def _for_virtual_processes(self, real: Callable[..., Any], ours: Callable[..., Any]) -> Callable[..., Any]:
        here = self.scheduler._here

        def call(*arguments: Any, **options: Any) -> Any:
            if getattr(here, "strand", None) is None:
                return real(*arguments, **options)
            return ours(*arguments, **options)

        return call

    def _on_names(self, name: str, kind: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            self.step(kind, f"{name} {' '.join(each for each in arguments if isinstance(each, str))}")
            return real(*arguments, **options)

        return call

    def _exchange(self, exchange: Callable[..., bool]) -> Callable[..., bool]:
        def call(one: str, other: str) -> bool:
            try:
                return exchange(one, other)
            except OSError:
                return False  # as it says when it fails

        return call

    def _open(self, real: Callable[..., int]) -> Callable[..., int]:
        def call(path: Any, flags: int, mode: int = 0o777, **options: Any) -> int:
            if flags & (_WRITING | os.O_CREAT):
                self.step("open", str(path))
            else:
                self._read_step(str(path))
            descriptor = real(path, flags, mode, **options)
            self.scheduler.process().descriptors.add(descriptor)
            if flags & (os.O_CREAT | os.O_TRUNC):
                self._touch(descriptor)
            return descriptor

        return call

    def _read_step(self, path: str) -> None:
        process = self.scheduler.process()
        if process.is_killed:
            raise Killed
        if process.is_mortal and process.takes_errors:
            self._fault(process, "read", path)

    def _open_file(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(path: Any, mode: str = "r", *rest: Any, **options: Any) -> Any:
            if isinstance(path, int):
                self.scheduler.process().descriptors.discard(path)  # from now on the file closes it
            elif any(letter in mode for letter in "wax+"):
                self.step("open", str(path))
            return real(path, mode, *rest, **options)

        return call

    def _close(self, real: Callable[[int], None]) -> Callable[[int], None]:
        def call(descriptor: int) -> None:
            process = self.scheduler.process()
            if descriptor not in process.descriptors and descriptor in process.closed_by_kill:
                raise Killed
            for each in self.scheduler.processes:  # Python may tidy up after one of them while another one runs
                each.descriptors.discard(descriptor)
            real(descriptor)

        return call

    def _write(self, real: Callable[..., int]) -> Callable[..., int]:
        def call(descriptor: int, data: Any) -> int:
            fault = self.step("write", f"{len(data)} bytes")
            if fault == "half":
                real(descriptor, data[: len(data) // 2])
                self.kill_self(self.scheduler.process())
            count = real(descriptor, data)
            self._touch(descriptor)
            return count

        return call

    def _touch(self, descriptor: int) -> None:
        """Files are as old as the virtual clock says."""
        os.utime(descriptor, ns=(self.now(), self.now()))

    def _fsync(self, _descriptor: int) -> None:
        self.step("fsync")

    def _sleep(self, seconds: float) -> None:
        self.step("sleep", f"{seconds:.3f}")
        self.scheduler.sleep(seconds)

    def _flock(self, real: Callable[..., None]) -> Callable[..., None]:
        def call(file: Any, operation: int) -> None:
            self.step("flock")
            while True:
                try:
                    real(file, operation | fcntl.LOCK_NB)
                except BlockingIOError:
                    if operation & fcntl.LOCK_NB:
                        raise
                    self._sleep(0.02)
                else:
                    return

        return call

    def _pidfd_open(self, pid: int) -> int:
        """A descriptor that becomes readable when a virtual process ends."""
        found = next((each for each in self.scheduler.processes if each.pid == pid and each.is_alive), None)
        if found is None:
            raise ProcessLookupError(errno.ESRCH, "No such process")
        descriptor = os.eventfd(0)
        self.scheduler.process().descriptors.add(descriptor)
        owner = self.scheduler.process()

        def tell() -> None:
            if descriptor in owner.descriptors:
                os.eventfd_write(descriptor, 1)

        found.when_over.append(tell)
        return descriptor

    # ── programs and processes ──

    def real_git(
        self, words: Sequence[str], environment: Any = None, directory: str | None = None, given: bytes | None = None
    ) -> tuple[int, bytes, bytes]:
        """Run git, with the virtual time of day."""
        date = f"@{self.now() // 10**9} +0000"
        values = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date, **(environment or os.environ)}
        source = subprocess.PIPE if given is not None else subprocess.DEVNULL
        with self.really():
            done = self._popen(
                list(words), cwd=directory, env=values, stdin=source, stdout=subprocess.PIPE, stderr=subprocess.PIPE
            )
            output, errors = done.communicate(given)
        return done.returncode, output, errors

    @contextmanager
    def really(self) -> Iterator[None]:
        """What is done in here is no step, and nothing befalls it."""
        here = self.scheduler._here
        strand, here.strand = getattr(here, "strand", None), None
        try:
            yield
        finally:
            here.strand = strand

    def leave_lock(self, words: Sequence[str]) -> None:
        """What a git leaves that was killed while it wrote: a lock, where it was at work."""
        if not {"checkout", "switch", "reset", "commit", "branch", "read-tree", "update-index"} & set(words):
            return
        directory = words[words.index("-C") + 1] if "-C" in words else None
        code, output, _ = self.real_git(["git", "-C", directory or ".", "rev-parse", "--absolute-git-dir"])
        if code == 0:
            path = os.path.join(output.decode().strip(), self.random.choice(("index.lock", "HEAD.lock")))
            with self.really(), open(path, "a", encoding="ascii") as lock:
                self._touch(lock.fileno())

    def _processes_in(self, directory: str) -> list[Any]:
        from orange_tui.outside.processes import Process as Named

        ours, own = set(), self.scheduler.process()
        parent: Process | None = own
        while parent is not None:
            ours.add(parent.pid)
            parent = parent.parent
        return [
            Named(each.pid, each.name)
            for each in self.scheduler.processes
            if each.is_alive and each.pid not in ours and _is_inside(each.directory, directory)
        ]

    def _end_sessions(self, leaders: Iterator[int]) -> None:
        self.step("wait", "end_sessions")
        wanted, own = set(leaders), self.scheduler.process()
        for each in list(self.scheduler.processes):
            if each.is_alive and each.session in wanted and each is not own:
                self.scheduler.kill(each)

    def _is_inside_window(self, leaders: Sequence[int]) -> bool:
        process: Process | None = self.scheduler.process()
        assert process is not None
        found = {process.session}
        while process is not None:
            found.add(process.pid)
            process = process.parent
        return not found.isdisjoint(leaders)

    def _continue_in_new_session(self) -> None:
        """The rest is done by a process that the end of a window does not reach: here, by the same one."""
        process = self.scheduler.process()
        if len(process.strands) == 1:
            self.step("program", "fork")
            process.session = process.pid


def _is_inside(path: str | None, directory: str) -> bool:
    return path is not None and (path == directory or path.startswith(directory + os.sep))


class _TemporaryNames:
    """Names of temporary files, the same in every run."""

    def __init__(self, random: Random) -> None:
        self._random = random

    def __iter__(self) -> _TemporaryNames:
        return self

    def __next__(self) -> str:
        return self._random.randbytes(4).hex()


class _Thread:
    """A thread of a virtual process: another strand of it."""

    def __init__(self, scheduler: Scheduler, target: Callable[..., object], args: Sequence[Any] = (), **_: Any) -> None:
        self._scheduler, self._work = scheduler, lambda: target(*args)

    def start(self) -> None:
        self._scheduler.start(self._scheduler.process(), self._work)


class _Stream:
    """Standard output or error: each virtual process has its own."""

    def __init__(self, scheduler: Scheduler, real: Any, name: str) -> None:
        self._scheduler, self._real, self._name = scheduler, real, name

    def write(self, text: str) -> int:
        strand = self._scheduler.strand()
        if strand is None:
            count: int = self._real.write(text)
            return count
        getattr(strand.process, self._name).append(text)
        return len(text)

    def flush(self) -> None:
        if self._scheduler.strand() is None:
            self._real.flush()

    def reconfigure(self, **_: Any) -> None:
        """A virtual terminal shows everything."""

    def isatty(self) -> bool:
        return False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)


class _Program:
    """A program that a virtual process has started: git is real, tmux is ours, of others only the end is known."""

    def __init__(self, system: System, words: Sequence[str], **options: Any) -> None:
        self._system, self._words, self._options = system, list(words), options
        self._kind = words[0] if words[0] in {"git", "tmux"} else "program"
        if self._kind == "program":
            system.programs.append(self._words)
        self._fault = system.step(self._kind, " ".join(words[1:])[:160].replace("\x1f", "|"))
        self.pid = 0
        self.returncode = 0

    def communicate(self, given: bytes | None = None, timeout: float | None = None) -> tuple[bytes, bytes]:
        if self._fault == "git died":
            self.returncode = -9
            self._system.leave_lock(self._words)
            return b"", b""
        if self._fault == "tmux failed":
            self.returncode = -9  # only what we have started is killed, not the server
            return b"", b""
        if self._fault == "tmux died":
            self._system.tmux.die()
        output, errors = self._run(given)
        self._system.scheduler.sleep(self._system.random.choice(_PROGRAM_SECONDS))
        if self._fault == "orphan":
            self._system.kill_self(self._system.scheduler.process())
        if self._fault == "git's answer lost":
            self.returncode = -9
            return b"", b""
        self._system.step("wait", self._kind)
        return output, errors

    def wait(self, timeout: float | None = None) -> int:
        self.communicate()
        return self.returncode

    def _run(self, given: bytes | None) -> tuple[bytes, bytes]:
        if self._kind == "tmux":
            self.returncode, output, errors = self._system.tmux.run(self._words[1:], given)
            return output.encode(), errors.encode()
        if self._kind == "git":
            self.returncode, out, err = self._system.real_git(
                self._words, self._options.get("env"), self._options.get("cwd"), given
            )
            return out, err
        return b"", b""

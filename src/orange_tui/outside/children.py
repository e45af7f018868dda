"""Starting programs from a process that must stay small: a window's launcher, or its sandbox's, one for each agent.

`programs.py` does this for Orange itself, and takes more memory than such a launcher has in all.
"""

from __future__ import annotations

import os
import signal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

_CANNOT_RUN = 127  # as a shell ends then
_SIGNAL_CODES = 128  # likewise: a program that a signal has ended
_IGNORED_BY_PYTHON = (signal.SIGPIPE, signal.SIGXFSZ)


class Command:
    """A program in a session of its own, which the end of our window does not reach, and the ends of its pipes."""

    def __init__(self, words: Sequence[bytes], environment: Mapping[bytes, bytes], directory: str) -> None:
        (stdin, self.input), (self.output, stdout), (self.errors, stderr) = os.pipe(), os.pipe(), os.pipe()
        ours, its = (self.input, self.output, self.errors), (stdin, stdout, stderr)

        def prepare() -> None:
            os.setsid()
            os.chdir(directory)
            for target, descriptor in enumerate(its):
                os.dup2(descriptor, target)

        try:
            self.pid = _start(words, environment, prepare)
        except OSError:
            _close(ours)
            raise
        finally:
            _close(its)
        for descriptor in ours:
            os.set_blocking(descriptor, False)


def _close(descriptors: Iterable[int]) -> None:
    for descriptor in descriptors:
        os.close(descriptor)


def start_in_foreground(words: Sequence[bytes], environment: Mapping[bytes, bytes]) -> int:
    """Start a program that shares our terminal and its signals; returns its process."""
    return _start(words, environment, lambda: None)


def exit_code(status: int) -> int:
    """What a shell would say of how a program ended."""
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else _SIGNAL_CODES - code


def _start(words: Sequence[bytes], environment: Mapping[bytes, bytes], prepare: Callable[[], None]) -> int:
    def become() -> None:
        try:
            prepare()
            os.execvpe(words[0], list(words), environment)  # noqa: S606 - a list of words, no shell
        except OSError as problem:
            os.write(2, b"orange: %b could not be started: %b\n" % (words[0], str(problem.strerror).encode()))

    return start_child(become)


def start_child(become: Callable[[], object]) -> int:
    """Start a process that becomes something else; returns its number. One that does not ends as what cannot be run."""
    child = os.fork()
    if child != 0:
        return child
    try:
        for number in _IGNORED_BY_PYTHON:
            signal.signal(number, signal.SIG_DFL)
        become()
    finally:
        os._exit(_CANNOT_RUN)

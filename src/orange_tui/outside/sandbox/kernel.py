"""What the kernel is asked for besides bubblewrap: a filter of system calls, and no abstract sockets of others.

An agent shares its terminal with whoever is outside, so it must not type into it (TIOCSTI); `--new-session` would
forbid that too, but then no agent hears of a resize. It shares the person's session keyring as well. Sockets without a
path (X11 has one) belong to the network, which agents need; Landlock keeps those of others out of reach, from Linux
6.12 on.
"""

from __future__ import annotations

import os
import signal
import struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_LOAD, _JUMP_IF_EQUAL, _JUMP_IF_SET, _RETURN = 0x20, 0x15, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _SECOND_ARGUMENT = 0, 4, 24
_ALLOW, _NOT_PERMITTED, _NO_SUCH_CALL = 0x7FFF0000, 0x00050001, 0x00050026
_TERMINAL_REQUESTS = (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX
_X32 = 0x40000000  # another way to name the same calls
# By architecture: its number, that of `ioctl`, and calls about keys, kernel programs and other processes' counters.
_CALLS = {
    "x86_64": (0xC000003E, 16, (248, 249, 250, 298, 321)),
    "aarch64": (0xC00000B7, 29, (217, 218, 219, 241, 280)),
}
_CREATE_RULESET, _RESTRICT_SELF = 444, 446
_NO_NEW_PRIVILEGES, _SIGNAL_AT_PARENTS_DEATH = 38, 1  # of prctl
_SCOPED_ABI = 6
_ABSTRACT_SOCKETS = 1
_VERSION = 1


def system_call_filter() -> bytes | None:
    """The filter, as the kernel takes it; None for a machine whose calls are not known here."""
    known = _CALLS.get(os.uname().machine)
    if known is None:
        return None
    return b"".join(struct.pack("<HBBI", *each) for each in _filter(*known))


def _filter(architecture: int, ioctl: int, forbidden: tuple[int, ...]) -> Iterator[tuple[int, int, int, int]]:
    """Instructions: what to do, how many to skip if so and if not, and with what."""
    yield _LOAD, 0, 0, _ARCHITECTURE
    yield _JUMP_IF_EQUAL, 1, 0, architecture
    yield _RETURN, 0, 0, _NO_SUCH_CALL
    yield _LOAD, 0, 0, _NUMBER
    yield _JUMP_IF_SET, 0, 1, _X32
    yield _RETURN, 0, 0, _NO_SUCH_CALL
    for number in forbidden:
        yield _JUMP_IF_EQUAL, 0, 1, number
        yield _RETURN, 0, 0, _NOT_PERMITTED
    yield _JUMP_IF_EQUAL, 1, 0, ioctl
    yield _RETURN, 0, 0, _ALLOW
    yield _LOAD, 0, 0, _SECOND_ARGUMENT  # its lower half, which is all that the kernel looks at
    for request in _TERMINAL_REQUESTS:
        yield _JUMP_IF_EQUAL, 0, 1, request
        yield _RETURN, 0, 0, _NOT_PERMITTED
    yield _RETURN, 0, 0, _ALLOW


def has_socket_scope() -> bool:
    """Whether this kernel can keep the abstract sockets of others out of reach."""
    return _system_call(_CREATE_RULESET, 0, 0, _VERSION) >= _SCOPED_ABI


def leave_abstract_sockets() -> None:
    """From here on this process, and what it becomes, reaches no abstract socket that somebody else has opened."""
    import ctypes

    if not has_socket_scope():
        return
    wanted = ctypes.create_string_buffer(struct.pack("<QQQ", 0, 0, _ABSTRACT_SOCKETS))
    ruleset = _system_call(_CREATE_RULESET, ctypes.addressof(wanted), 24, 0)
    if ruleset >= 0 and ctypes.CDLL(None).prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) == 0:
        _system_call(_RESTRICT_SELF, ruleset, 0, 0)
        os.close(ruleset)


def end_with_parent() -> None:
    """From here on this process is killed when whoever started it has ended."""
    import ctypes

    ctypes.CDLL(None).prctl(_SIGNAL_AT_PARENTS_DEATH, signal.SIGKILL, 0, 0, 0)


def _system_call(number: int, *arguments: int) -> int:
    import ctypes

    call = ctypes.CDLL(None, use_errno=True).syscall
    call.restype = ctypes.c_long
    return int(call(ctypes.c_long(number), *(ctypes.c_long(each) for each in arguments)))

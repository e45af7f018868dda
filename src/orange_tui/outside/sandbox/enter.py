"""What an agent's window runs to be in its sandbox: it starts bubblewrap, which becomes the agent, and ends as it does.

Whatever is wrong, the agent is not started: there is no way from here on which it would run unprotected.

Each branch beside the task's own is a file that is covered. Where git moves one at that very moment, outside, by a
rename, its cover is gone and bubblewrap gives up: then the sandbox is made again, with the branch that is there now.
"""

from __future__ import annotations

import os
import signal
import sys
import time

from orange_tui.domain.errors import OrangeError
from orange_tui.domain.sandbox.tables import GIT_SETTINGS, removed_variables
from orange_tui.outside.children import exit_code, start_child
from orange_tui.outside.programs import replace_process
from orange_tui.outside.sandbox.bwrap import INSTALL, PROGRAM, bwrap_options
from orange_tui.outside.sandbox.kernel import end_with_parent, leave_abstract_sockets, system_call_filter
from orange_tui.outside.sandbox.plan import read_plan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import NoReturn

    from orange_tui.outside.sandbox.plan import SandboxPlan

_ENTER = "import sys; sys.path.append(sys.argv.pop(1)); from orange_tui.outside.sandbox.enter import main; main()"
_MAX_COPY_BYTES = 1_000_000
_MAX_STATUS_BYTES = 10_000
_SET_USER_ID = 0o4000
_FAILED = 1
_TRIES, _PAUSE_SECONDS = 20, 0.01
_KEYS = (signal.SIGINT, signal.SIGQUIT)  # that interrupt: they are the command's to hear


def in_sandbox(words: Sequence[str], plan_file: str, import_root: str) -> tuple[str, ...]:
    """The words that run a command in the sandbox of a plan that was saved."""
    return (sys.executable, "-I", "-S", "-c", _ENTER, import_root, plan_file, *words)


def main() -> None:
    """Run the command in its sandbox, and end as it does; or say why not."""
    plan_file, *words = sys.argv[1:]
    for number in _KEYS:
        signal.signal(number, lambda *_: None)
    end_with_parent()
    code, was_made = _FAILED, False
    for _ in range(_TRIES):
        code, was_made = _try(plan_file, words)
        if was_made:
            break
        time.sleep(_PAUSE_SECONDS)
    os._exit(code)


def _try(plan_file: str, words: Sequence[str]) -> tuple[int, bool]:
    """The code that it ended with, and False where the sandbox could not be made and may be the next time."""
    told, telling = os.pipe()
    child = start_child(lambda: _become_or_say_why_not(plan_file, words, telling))
    os.close(telling)
    _, status = os.waitpid(child, 0)
    os.set_blocking(told, False)
    try:
        said = os.read(told, _MAX_STATUS_BYTES)
    except BlockingIOError:  # somebody has it still
        said = b""
    finally:
        os.close(told)
    # It has begun, and not come so far that it would have the code of a command to tell.
    code = exit_code(status)
    return code, not (code == _FAILED and b'"child-pid"' in said and b'"exit-code"' not in said)


def _become_or_say_why_not(plan_file: str, words: Sequence[str], telling: int) -> None:
    try:
        _become(read_plan(plan_file), words, telling)
    except (OrangeError, OSError) as problem:
        sys.stderr.write(f"orange: not started, because it was to run in a sandbox, and there is none: {problem}\n")
        sys.stderr.flush()
        os._exit(_FAILED)


def _become(plan: SandboxPlan, words: Sequence[str], telling: int) -> NoReturn:
    """Become a command in a sandbox, of which bubblewrap tells a descriptor how far it has come."""
    from shutil import which

    program = which(PROGRAM)
    if program is None:
        raise OrangeError(f"bubblewrap is not installed. {INSTALL}")
    options = _in_memory(b"\0".join(os.fsencode(word) for word in [*_filter_words(), *bwrap_options(plan, _open)]))
    if not os.stat(program).st_mode & _SET_USER_ID:  # it would lose what it needs
        leave_abstract_sockets()
    os.set_inheritable(telling, True)
    # By a descriptor: an agent can read the command line of its sandbox, and what is hidden from it is in there.
    command = [program, "--args", str(options), "--json-status-fd", str(telling), "--", *words]
    replace_process(command, environment=environment(plan, os.environ))


def environment(plan: SandboxPlan, given: Mapping[str, str]) -> dict[str, str]:
    """The variables that are left in a sandbox, and those that it adds."""
    removed = set(removed_variables(given, plan.kept))
    found = {name: value for name, value in given.items() if name not in removed}
    try:
        first = int(found.get("GIT_CONFIG_COUNT", "0"))
    except ValueError:
        first = 0
    for number, (name, value) in enumerate(GIT_SETTINGS.items(), first):
        found |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}
    return {**found, "GIT_CONFIG_COUNT": str(first + len(GIT_SETTINGS)), **plan.variables}


def _filter_words() -> tuple[str, ...]:
    program = system_call_filter()
    return () if program is None else ("--seccomp", str(_in_memory(program)))


def _open(path: str) -> int | None:
    """A descriptor that bubblewrap reads a file from; what is too large, or gone, is left out."""
    if not path:
        return _in_memory(b"\n")
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return None
    os.set_inheritable(descriptor, True)
    if os.fstat(descriptor).st_size <= _MAX_COPY_BYTES:
        return descriptor
    os.close(descriptor)
    return None


def _in_memory(data: bytes) -> int:
    descriptor = os.memfd_create("sandbox", 0)
    os.write(descriptor, data)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor

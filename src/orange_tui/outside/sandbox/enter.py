"""What an agent's window runs to be in its sandbox: it becomes bubblewrap, which becomes the agent.

Whatever is wrong, the agent is not started: there is no way from here on which it would run unprotected.
"""

from __future__ import annotations

import os
import sys

from orange_tui.domain.errors import OrangeError
from orange_tui.domain.sandbox.tables import GIT_SETTINGS, removed_variables
from orange_tui.outside.programs import replace_process
from orange_tui.outside.sandbox.bwrap import INSTALL, PROGRAM, bwrap_options
from orange_tui.outside.sandbox.kernel import leave_abstract_sockets, system_call_filter
from orange_tui.outside.sandbox.plan import read_plan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from orange_tui.outside.sandbox.plan import SandboxPlan

_ENTER = "import sys; sys.path.append(sys.argv.pop(1)); from orange_tui.outside.sandbox.enter import main; main()"
_MAX_COPY_BYTES = 1_000_000
_SET_USER_ID = 0o4000
_FAILED = 1


def in_sandbox(words: Sequence[str], plan_file: str, import_root: str) -> tuple[str, ...]:
    """The words that run a command in the sandbox of a plan that was saved."""
    return (sys.executable, "-I", "-S", "-c", _ENTER, import_root, plan_file, *words)


def main() -> None:
    """Become the command in its sandbox, or say why not."""
    plan_file, *words = sys.argv[1:]
    try:
        enter(read_plan(plan_file), words)
    except OrangeError as problem:
        sys.stderr.write(f"orange: not started, because it was to run in a sandbox, and there is none: {problem}\n")
        sys.exit(_FAILED)


def enter(plan: SandboxPlan, words: Sequence[str]) -> None:
    """Become a command in a sandbox."""
    from shutil import which

    program = which(PROGRAM)
    if program is None:
        raise OrangeError(f"bubblewrap is not installed. {INSTALL}")
    options = _in_memory(b"\0".join(os.fsencode(word) for word in [*_filter_words(), *bwrap_options(plan, _open)]))
    if not os.stat(program).st_mode & _SET_USER_ID:  # it would lose what it needs
        leave_abstract_sockets()
    # By a descriptor: an agent can read the command line of its sandbox, and what is hidden from it is in there.
    command = [program, "--args", str(options), "--", *words]
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

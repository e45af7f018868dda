"""The launcher: a small shell script that an agent's window runs.

It sets the environment, starts the agent with its prompt from a file, and writes its exit code to a file. The shell
sees only words that were quoted here; the prompt reaches the agent as one argument and is never parsed. A confined
agent is started behind a door (`door/`), which is all it has of Orange.
"""

from __future__ import annotations

import os
import shlex
import sys

from orange_tui.agents.approvals.codex_hooks import codex_hooks
from orange_tui.agents.claude_settings import STATUS_VARIABLE, claude_settings
from orange_tui.agents.door.protocol import CONFINED_VARIABLE, DOOR_VARIABLE
from orange_tui.agents.door.starting import behind_door, make_door, make_private
from orange_tui.domain.errors import NotSaved, OrangeError
from orange_tui.domain.harnesses.harness import PROMPT
from orange_tui.domain.records import record, replace
from orange_tui.home.files import make_directory, not_saved, read_bytes, replace_file
from orange_tui.home.paths import STATUS_FOLDER, shipped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from orange_tui.agents.sandbox.planning import SandboxSpec
    from orange_tui.domain.harnesses.harness import Harness

TASK_VARIABLES = ("ORANGE_TASK", "ORANGE_TASK_FILE", "ORANGE_WINDOW")  # what only the agent of a task has
_MAX_ARGUMENT_BYTES = 120_000  # Linux takes 128 KiB in one argument
_MAX_POINTER_BYTES = 10_000
_LOG_BYTES = 2_500_000  # of what a window prints; one older file of that size is kept as well

_SCRIPT = """\
#!/bin/sh
# Written by Orange: starts the agent of window {window}, and writes down its exit code. When the window is closed, this
# shell dies of it, and only then does the agent hear of it too: so there must be no trap here. The files it writes are
# opened before the agent can put anything in their place, and with `-C` only as new ones, through no link.
mask=$(umask)
umask 077
set -C
{files}
set +C
umask "$mask"
cd {directory} || exit 1
unset {unset}
{exports}
{run}
"""
_RUN = '{command} 3>&-\ncode=$?\necho "$code" >&3\nexec 3>&-\nexit "$code"'
# What it prints is wanted as well. The exit code is that of the agent, not that of `tee`.
_RUN_AND_TEE = '{{ {command} 3>&- 4>&-; echo $? >&3; }} | tee /dev/fd/4\nexec 3>&- 4>&-\nexit "$(cat {exit_file})"'
# Appends what the window prints to a file that is rotated when it is full. The agent is at work by then, and can put
# anything in its place: the directory is entered once, and what is no file of ours is not written to.
# `dd` counts reads, however short, so it may end long before the file is full: another goes on, until nothing comes.
_LOG_SCRIPT = (
    'umask 077; is_file() { [ ! -L "$0" ] && { [ -f "$0" ] || [ ! -e "$0" ]; }; };'
    ' size() { if is_file && [ -e "$0" ]; then wc -c <"$0"; else echo 0; fi; };'
    ' { [ ! -L "$2" ] && cd "$2"; } || exec cat >/dev/null;'
    ' while is_file; do before=$(size); [ "$before" -lt "$1" ] || { mv -f "$0" "$0.1"; before=0; };'
    ' dd bs=512 count=$(($1 - before)) iflag=count_bytes of="$0" oflag=append,nofollow conv=notrunc 2>/dev/null'
    ' || { is_file && cat >>"$0"; break; }; [ "$(size)" -ne "$before" ] || break; done; exec cat >/dev/null'
)


@record
class LaunchCommands:
    """The commands of a window: the one it runs, and the one that logs what it prints."""

    command: tuple[str, ...]
    log_command: str


@record
class LaunchSpec:
    """What to launch: the agent's command line, its prompt, its directory and its environment."""

    command_line: Sequence[str]
    prompt: str
    directory: str
    task_directory: str  # what the agent may write besides: its status, and what is too long to be told otherwise
    environment: Mapping[str, str]
    commands_in: str = ""  # of a confined agent: the directory, not its own, where its commands are carried out
    keep_output: bool = False  # what it prints is its answer, saved beside the log of its window
    sandbox: SandboxSpec | None = None


def write_launcher(state_directory: str, window: str, spec: LaunchSpec) -> LaunchCommands:
    """Write the launcher script and the prompt of a window into the task's logs, which are not its agents' to write."""
    logs = os.path.join(state_directory, "logs")
    make_directory(logs)
    base = os.path.join(logs, window)
    replace_file(f"{base}.prompt.md", spec.prompt.encode(), durable=False, follow=False)
    for earlier in (f"{base}.exit", answer_file(state_directory, window)):
        _unlink(earlier)
    files = [f"exec 3>{shlex.quote(f'{base}.exit')}"]
    if spec.keep_output:
        files.append(f"exec 4>{shlex.quote(answer_file(state_directory, window))}")
    prompt, words = _prompt_argument(f"{base}.prompt.md", window, spec), spec.command_line
    door = make_door(state_directory, window) if spec.commands_in else None
    logins: Sequence[tuple[str, str]] = ()
    if spec.sandbox is not None:
        from orange_tui.agents.sandbox.planning import sandboxed, shared_logins

        private = make_private(state_directory, window) if door is not None else None
        confined = replace(spec.sandbox, door=door, private=private)
        words, logins = sandboxed(words, f"{base}.sandbox.json", confined), shared_logins(confined)
    if door is not None:
        words = behind_door(words, door, spec.commands_in, logins)
    run = (_RUN_AND_TEE if spec.keep_output else _RUN).format(
        command=" ".join(prompt if word == PROMPT else shlex.quote(word) for word in words),
        exit_file=shlex.quote(f"{base}.exit"),
    )
    exported = {**spec.environment, STATUS_VARIABLE: _status_file(spec.task_directory, window)}
    script = _SCRIPT.format(
        window=window,
        files="\n".join(files),
        directory=shlex.quote(spec.directory),
        unset=f"{CONFINED_VARIABLE} {DOOR_VARIABLE}",  # tmux may have been started by a confined agent's command
        exports="\n".join(f"export {name}={shlex.quote(value)}" for name, value in exported.items()),
        run=run,
    )
    replace_file(f"{base}.sh", script.encode(), durable=False, follow=False)
    log_words = (_LOG_SCRIPT, f"{window}.log", str(_LOG_BYTES), logs)
    log_command = f"exec sh -c {' '.join(shlex.quote(word) for word in log_words)}"
    # tmux expands formats and times in this one, and a path may contain either character.
    return LaunchCommands(("/bin/sh", f"{base}.sh"), log_command.replace("#", "##").replace("%", "%%"))


def _unlink(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass
    except OSError as problem:  # there is a directory in its place
        raise not_saved(path, problem) from None


def _status_file(task_directory: str, window: str) -> str:
    """Where an agent's status line stores what it is told; what an earlier agent was told is not there any more."""
    folder = os.path.join(task_directory, STATUS_FOLDER)
    make_directory(folder)
    if os.path.islink(folder):
        raise NotSaved(f"{folder} is a link, and nothing is written to where it leads; remove it")
    path = os.path.join(folder, f"{window}.json")
    _unlink(path)
    return path


def answer_file(state_directory: str, window: str) -> str:
    """The file with what a one-shot agent printed."""
    return os.path.join(state_directory, "logs", f"{window}.answer")


def _prompt_argument(prompt_file: str, window: str, spec: LaunchSpec) -> str:
    """The prompt, for the shell. One too long for an argument is the request to read a copy that the agent can read."""
    data = spec.prompt.encode()
    if len(data) <= _MAX_ARGUMENT_BYTES:
        return f'"$(cat {shlex.quote(prompt_file)})"'
    copy = os.path.join(spec.task_directory, f".orange-prompt-{window}.md")
    replace_file(copy, data, durable=False, follow=False)
    return shlex.quote(f"Read your instructions in the file {copy}, all of it, and follow them.")


def task_environment(task_directory: str, task_id: str, window: str, home: str) -> dict[str, str]:
    """The environment variables of a task's agent, the `orange` command on its PATH included."""
    return {
        "ORANGE_TASK": task_id,
        "ORANGE_TASK_FILE": os.path.join(task_directory, "TASK.md"),
        "ORANGE_WINDOW": window,
        **base_environment(home),
    }


def base_environment(home: str) -> dict[str, str]:
    """The environment variables of an agent without a task."""
    passed_on = ("ORANGE_TMUX_SOCKET", "ORANGE_DEMO_PACE")
    return {
        "ORANGE_HOME": home,
        **{name: os.environ[name] for name in passed_on if os.environ.get(name)},
        "PATH": f"{command_directory(home)}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
    }


def placeholder_values(
    home: str, task_directory: str, repository: str, worktree: str, harness: Harness
) -> dict[str, str]:
    """The values of the placeholders that a harness's command line and files may have (`PLACEHOLDERS`)."""
    repository_git = os.path.join(repository, ".git")
    return {
        "task_dir": task_directory,
        "worktree": worktree,
        "repository": repository,
        "repository_git": repository_git,
        "worktree_git": repository_git if worktree == repository else _git_directory(worktree),
        "orange": os.path.join(command_directory(home), "orange"),
        "python": sys.executable,
        "new_session_id": _new_session_id(),
        "extensions": shipped("extensions"),
        "codex_hooks": codex_hooks(harness, home, os.path.join(command_directory(home), "orange")),
        "claude_settings": claude_settings(harness, worktree, task_directory),
    }


def chosen_session(values: Mapping[str, str], command_line: Sequence[str]) -> str | None:
    """The conversation's id, where the agent is given one; None where it chooses its own."""
    return values["new_session_id"] if values["new_session_id"] in command_line else None


def _new_session_id() -> str:
    """A random UUID (version 4), as agents want it; without the module, whose import takes longer than a git."""
    found = bytearray(os.urandom(16))
    found[6] = found[6] & 0x0F | 0x40
    found[8] = found[8] & 0x3F | 0x80
    digits = found.hex()
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def _git_directory(worktree: str) -> str:
    """Where git keeps what belongs to this worktree: the file `.git` in it says so."""
    try:
        pointer = read_bytes(os.path.join(worktree, ".git"), max_bytes=_MAX_POINTER_BYTES)
    except OrangeError:
        return ""
    return pointer.decode(errors="surrogateescape").removeprefix("gitdir:").strip()


def command_directory(home: str) -> str:
    """A directory with the `orange` command in it; made where Orange runs without having been installed."""
    beside_python = os.path.dirname(os.path.abspath(sys.executable))
    if os.access(os.path.join(beside_python, "orange"), os.X_OK):
        return beside_python
    directory = os.path.join(home, ".cache", "bin")
    path = os.path.join(directory, "orange")
    if not os.access(path, os.X_OK):
        make_directory(directory)
        script = f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m orange_tui "$@"\n'
        replace_file(path, script.encode())
        os.chmod(path, 0o700)
    return directory

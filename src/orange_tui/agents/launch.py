"""The little shell script that an agent's window runs.

It sets the scene, starts the agent with its prompt from a file, and notes how it ended. The shell sees only words
that were quoted here; the prompt reaches the agent as one argument and is never parsed.
"""

from __future__ import annotations

import os
import shlex
import sys
from contextlib import suppress

from orange_tui.domain.records import record
from orange_tui.home.files import replace_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PROMPT = "{prompt}"
CHAT = "ORANGE_CHAT"  # in the environment of an orchestrator: the project it talks about; it has no task
_LONGEST_ARGUMENT = 120_000  # Linux takes 128 KiB in one argument
_KEEP_BYTES = 2_500_000  # of what a window prints, and as much again of what came before

_SCRIPT = """\
#!/bin/sh
# Written by Orange: starts the agent of window {window}, and notes how it ended. When the window is closed, this
# shell dies of it, and only then does the agent hear of it too: so there must be no trap here.
cd {directory} || exit 1
{exports}
{run}
"""
_RUN = '{command}\ncode=$?\necho "$code" >{note}\nexit "$code"'
# What it prints is wanted as well. The exit code is that of the agent, not that of `tee`.
_RUN_AND_KEEP = '{{ {command}; echo $? >{note}; }} | tee {answer}\nexit "$(cat {note})"'

_KEEP = (
    'while dd bs=65536 count="$1" iflag=count_bytes of="$0" oflag=append conv=notrunc 2>/dev/null'
    ' && [ "$(wc -c <"$0")" -ge "$1" ]; do mv -f "$0" "$0.1"; done || cat >>"$0"'
)


@record
class Launch:
    """A window ready to be started: its command, and the command that keeps what it prints."""

    command: tuple[str, ...]
    log: str


@record
class Start:
    """What to start: the agent's words, its prompt, where, and what it finds in its environment."""

    words: Sequence[str]
    prompt: str
    directory: str
    environment: Mapping[str, str]
    keeps_answer: bool = False  # what it prints is its answer, kept as it is beside the log of its window


def prepare(task_directory: str, window: str, start: Start) -> Launch:
    """Write the launcher and the prompt of a window into the task's logs."""
    logs = os.path.join(task_directory, "logs")
    os.makedirs(logs, exist_ok=True)
    base = os.path.join(logs, window)
    replace_file(f"{base}.prompt.md", start.prompt.encode(), durable=False)
    for earlier in (f"{base}.exit", answer_file(task_directory, window)):
        with suppress(FileNotFoundError):
            os.unlink(earlier)
    run = (_RUN_AND_KEEP if start.keeps_answer else _RUN).format(
        command=" ".join(_word(word, f"{base}.prompt.md", start.prompt) for word in start.words),
        note=shlex.quote(f"{base}.exit"),
        answer=shlex.quote(answer_file(task_directory, window)),
    )
    script = _SCRIPT.format(
        window=window,
        directory=shlex.quote(start.directory),
        exports="\n".join(f"export {name}={shlex.quote(value)}" for name, value in start.environment.items()),
        run=run,
    )
    replace_file(f"{base}.sh", script.encode(), durable=False)
    keep = f"exec sh -c {shlex.quote(_KEEP)} {shlex.quote(f'{base}.log')} {_KEEP_BYTES}"
    # tmux expands formats and times in this one, and a path may have either mark in it.
    return Launch(("/bin/sh", f"{base}.sh"), keep.replace("#", "##").replace("%", "%%"))


def answer_file(task_directory: str, window: str) -> str:
    """Where what a one-shot agent printed is kept."""
    return os.path.join(task_directory, "logs", f"{window}.answer")


def _word(word: str, prompt_file: str, prompt: str) -> str:
    if word != PROMPT:
        return shlex.quote(word)
    if len(prompt.encode()) > _LONGEST_ARGUMENT:
        return shlex.quote(f"Read your instructions in the file {prompt_file}, all of it, and follow them.")
    return f'"$(cat {shlex.quote(prompt_file)})"'


def scene(task_directory: str, task_id: str, window: str, home: str) -> dict[str, str]:
    """What an agent finds in its environment, the `orange` command on its PATH included."""
    return {
        "ORANGE_TASK": task_id,
        "ORANGE_TASK_FILE": os.path.join(task_directory, "TASK.md"),
        "ORANGE_WINDOW": window,
        **surroundings(home),
    }


def surroundings(home: str) -> dict[str, str]:
    """The same without a task."""
    passed_on = ("ORANGE_TMUX_SOCKET", "ORANGE_DEMO_PACE")
    return {
        "ORANGE_HOME": home,
        **{name: os.environ[name] for name in passed_on if os.environ.get(name)},
        "PATH": f"{command_directory(home)}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
    }


def command_directory(home: str) -> str:
    """A directory with the `orange` command in it; made where Orange runs without having been installed."""
    beside_python = os.path.dirname(os.path.abspath(sys.executable))
    if os.access(os.path.join(beside_python, "orange"), os.X_OK):
        return beside_python
    directory = os.path.join(home, ".cache", "bin")
    path = os.path.join(directory, "orange")
    if not os.access(path, os.X_OK):
        os.makedirs(directory, exist_ok=True)
        script = f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m orange_tui "$@"\n'
        replace_file(path, script.encode())
        os.chmod(path, 0o755)  # noqa: S103 - a command is there to be run
    return directory

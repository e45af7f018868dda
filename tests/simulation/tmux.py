"""A tmux in memory: sessions, windows and options, and agents in them that are virtual processes.

It understands what Orange says to tmux, and remembers every start, every message and every end, for the model.
"""

from __future__ import annotations

import re
import shlex
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from simulation.scheduler import Process
    from simulation.system import System

_FLAGS = frozenset({"-d", "-P", "-p", "-e", "-a", "-s", "-w", "-o"})  # those without a value, unless said otherwise
_VALUE_OF_S = frozenset({"new-session", "capture-pane"})  # where `-s` or `-S` has one
_EQUALS = re.compile(r"#\{==:(.*),(.*)\}")
_NO_SERVER = (1, "", "no server running on /virtual\n")


@dataclass
class Pane:
    """One window and what runs in it."""

    number: int
    name: str
    session: Session
    directory: str
    command: tuple[str, ...]
    options: dict[str, str] = field(default_factory=dict)
    process: Process | None = None
    inbox: list[str] = field(default_factory=list)  # what was pasted, and submitted with Enter
    typed: str = ""
    screen: str = ""  # what it shows
    starter: Process | None = None
    is_closed: bool = False

    def option(self, name: str) -> str:
        return self.options.get(name, self.session.options.get(name, ""))

    @property
    def task(self) -> str:
        return self.option("@orange_task")

    @property
    def window(self) -> str:
        return self.option("@orange_window")


@dataclass
class Session:
    """A session and its windows."""

    number: int
    name: str
    options: dict[str, str] = field(default_factory=dict)
    panes: list[Pane] = field(default_factory=list)


@dataclass
class Submitted:
    """A message that was submitted to an agent, and by whom."""

    pane: Pane
    text: str
    by: Process


class TmuxServer:
    """The one tmux server of a world, while it runs."""

    def __init__(
        self, system: System, start_agent: Callable[[Pane], Process], window_opened: Callable[[Pane], None]
    ) -> None:
        self._system = system
        self._start_agent = start_agent
        self._window_opened = window_opened
        self._pid = 0
        self._last_number = 0
        self.sessions: list[Session] = []
        self._buffers: dict[str, str] = {}
        self.starts: list[Pane] = []  # every window there ever was
        self.submitted: list[Submitted] = []
        self.kills: Counter[str] = Counter()  # by who asked for it

    def is_running(self, pid: str | None = None) -> bool:
        return self._pid != 0 and (pid is None or pid == str(self._pid))

    def panes(self) -> list[Pane]:
        return [pane for session in self.sessions for pane in session.panes]

    def die(self) -> None:
        """The server is gone, and everything in it."""
        self._pid = 0
        for pane in self.panes():
            self._close(pane)
        self.sessions.clear()

    def run(self, words: Sequence[str], given: bytes | None) -> tuple[int, str, str]:
        """A command line of tmux: its exit code, its output and its errors."""
        commands = _split(words)
        if commands and commands[0][:1] == ["-V"]:
            return 0, "tmux 3.4\n", ""
        here = _Here()
        code, output, errors = self._run_each(commands, here, given)
        if code == 0 and here.pane is not None:
            self._window_opened(here.pane)
        return code, output, errors

    def _run_each(self, commands: list[list[str]], here: _Here, given: bytes | None) -> tuple[int, str, str]:
        output = ""
        for command in commands:
            code, printed, errors = self._run_one(command, here, given)
            output += printed
            if code != 0:
                return code, output, errors
        return 0, output, ""

    def _run_one(self, words: list[str], here: _Here, given: bytes | None) -> tuple[int, str, str]:
        name, options, rest = _parse(words)
        if name == "new-session":
            return self._new_session(options, rest, here)
        if not self.is_running():
            return _NO_SERVER
        handler = getattr(self, f"_{name.replace('-', '_')}")
        result: tuple[int, str, str] = handler(options, rest, here, given)
        return result

    def _new_session(self, options: dict[str, str], rest: list[str], here: _Here) -> tuple[int, str, str]:
        if not self.is_running():
            self._pid = self._system.scheduler.new_pid()
        name = _unescaped(options["-s"])
        if any(session.name == name for session in self.sessions):
            return 1, "", f"duplicate session: {name}\n"
        session = Session(self._next_number(), name)
        self.sessions.append(session)
        return self._add_pane(session, options, rest, here)

    def _new_window(self, options: dict[str, str], rest: list[str], here: _Here, _: object) -> tuple[int, str, str]:
        session = self._session(options["-t"].rstrip(":"))
        if session is None:
            return 1, "", f"can't find session: {options['-t']}\n"
        return self._add_pane(session, options, rest, here)

    def _if_shell(
        self, options: dict[str, str], rest: list[str], here: _Here, given: bytes | None
    ) -> tuple[int, str, str]:
        """Only with `-F` and `#{==:one,other}`, which is about a session or the server."""
        session, condition = self._session(options["-t"].rstrip(":")), _EQUALS.fullmatch(rest[0])
        pane = session.panes[0] if session is not None else self._pane(options["-t"])
        if condition is None or (pane is None and options["-t"].startswith("$")):
            return 1, "", f"can't find session: {options['-t']}\n"
        if self._expand(condition[1], pane) != condition[2]:
            return 0, "", ""
        return self._run_each(_split(shlex.split(rest[1])), here, given)

    def _add_pane(
        self, session: Session, options: dict[str, str], rest: list[str], here: _Here
    ) -> tuple[int, str, str]:
        pane = Pane(self._next_number(), options["-n"], session, _unescaped(options["-c"]), tuple(rest))
        session.panes.append(pane)
        here.pane = pane
        pane.starter = self._system.scheduler.process()
        self.starts.append(pane)
        pane.process = self._start_agent(pane)
        pane.process.when_over.append(lambda: self._forget(pane))
        return 0, self._expand(options["-F"], pane) + "\n", ""

    def _next_number(self) -> int:
        self._last_number += 1
        return self._last_number

    def _set_option(self, options: dict[str, str], rest: list[str], here: _Here, _: object) -> tuple[int, str, str]:
        pane = self._pane(options["-t"]) if "-t" in options else here.pane
        name, value = rest
        if "-s" in options:
            return 0, "", ""
        if pane is None:
            return 1, "", "no current session\n"
        (pane if {"-w", "-p"} & options.keys() else pane.session).options[name] = _unescaped(value)
        return 0, "", ""

    def _rename_window(self, options: dict[str, str], rest: list[str], here: _Here, _: object) -> tuple[int, str, str]:
        pane = self._pane(options["-t"])
        if pane is None:
            return 1, "", "can't find window\n"
        pane.name = rest[0]
        return 0, "", ""

    def _rename_session(self, options: dict[str, str], rest: list[str], here: _Here, _: object) -> tuple[int, str, str]:
        session, name = self._session(options["-t"]), _unescaped(rest[0])
        if session is None or any(each.name == name and each is not session for each in self.sessions):
            return 1, "", f"duplicate session: {name}\n"
        session.name = name
        return 0, "", ""

    def _pipe_pane(self, _options: object, _rest: object, _here: object, _: object) -> tuple[int, str, str]:
        return 0, "", ""

    def _list_panes(self, options: dict[str, str], _rest: object, _here: object, _: object) -> tuple[int, str, str]:
        return 0, "".join(self._expand(options["-F"], pane) + "\n" for pane in self.panes()), ""

    def _display_message(
        self, options: dict[str, str], rest: list[str], here: _Here, _: object
    ) -> tuple[int, str, str]:
        target = options.get("-t", "")
        session = self._session(target) if target.startswith("$") else None
        pane = session.panes[0] if session and session.panes else self._pane(target) if target else here.pane
        if pane is None:
            return 1, "", f"can't find pane: {target}\n"
        return 0, self._expand(rest[0], pane) + "\n", ""

    def _kill_session(self, options: dict[str, str], _rest: object, _here: object, _: object) -> tuple[int, str, str]:
        session = self._session(options["-t"])
        return self._kill(list(session.panes) if session else [], options["-t"])

    def _kill_window(self, options: dict[str, str], _rest: object, _here: object, _: object) -> tuple[int, str, str]:
        pane = self._pane(options["-t"])
        return self._kill([pane] if pane else [], options["-t"])

    def _kill(self, panes: list[Pane], target: str) -> tuple[int, str, str]:
        if not panes:
            return 1, "", f"can't find session or window: {target}\n"
        for pane in panes:
            self.kills[pane.task] += 1
            self._close(pane)
        return 0, "", ""

    def _load_buffer(self, options: dict[str, str], _: object, _here: object, given: bytes) -> tuple[int, str, str]:
        self._buffers[options["-b"]] = given.decode()
        return 0, "", ""

    def _delete_buffer(self, options: dict[str, str], _rest: object, _here: object, _: object) -> tuple[int, str, str]:
        return (0, "", "") if self._buffers.pop(options["-b"], None) else (1, "", "no buffer\n")

    def _paste_buffer(self, options: dict[str, str], _rest: object, _here: object, _: object) -> tuple[int, str, str]:
        pane = self._pane(options["-t"])
        if pane is None or options["-b"] not in self._buffers:
            return 1, "", f"can't find pane: {options['-t']}\n"
        pane.typed += self._buffers.pop(options["-b"])
        return 0, "", ""

    def _send_keys(self, options: dict[str, str], rest: list[str], _here: object, _: object) -> tuple[int, str, str]:
        pane = self._pane(options["-t"])
        if pane is None:
            return 1, "", f"can't find pane: {options['-t']}\n"
        if rest == ["Enter"] and pane.typed:
            pane.inbox.append(pane.typed)
            self.submitted.append(Submitted(pane, pane.typed, self._system.scheduler.process()))
            pane.typed = ""
        return 0, "", ""

    def _capture_pane(self, options: dict[str, str], _rest: object, _here: object, _: object) -> tuple[int, str, str]:
        pane = self._pane(options["-t"])
        return (0, pane.screen, "") if pane else (1, "", f"can't find pane: {options['-t']}\n")

    def _close(self, pane: Pane) -> None:
        """The window is closed: all that runs in it is told so, and does not survive it."""
        pane.is_closed = True
        for process in list(self._system.scheduler.processes):
            if pane.process is not None and process.session == pane.process.pid:
                self._system.scheduler.kill(process)
        self._forget(pane)

    def _forget(self, pane: Pane) -> None:
        if pane in pane.session.panes:
            pane.session.panes.remove(pane)
        if not pane.session.panes and pane.session in self.sessions:
            self.sessions.remove(pane.session)

    def _session(self, target: str) -> Session | None:
        return next((session for session in self.sessions if f"${session.number}" == target), None)

    def _pane(self, target: str) -> Pane | None:
        """By `%pane`, by `@window` (one pane in each, with the same number), or by `$session:=name`."""
        session, _, name = target.partition(":=")
        return next(
            (
                pane
                for pane in self.panes()
                if target in {f"%{pane.number}", f"@{pane.number}"}
                or (name and f"${pane.session.number}" == session and pane.name == name)
            ),
            None,
        )

    def _expand(self, text: str, pane: Pane | None) -> str:
        server = {"pid": str(self._pid), "start_time": str(self._pid * 7)}
        if pane is None:
            return re.sub(r"#\{([^}]*)\}", lambda found: server.get(found[1], ""), text)
        values = server | {
            "session_id": f"${pane.session.number}",
            "window_id": f"@{pane.number}",
            "pane_id": f"%{pane.number}",
            "pane_pid": str(pane.process.pid if pane.process else 0),
            "session_name": pane.session.name,
            "pane_title": "",
        }
        return re.sub(r"#\{([^}]*)\}", lambda found: values.get(found[1], pane.option(found[1])), text)


class _Here:
    """What the commands of one command line have made so far: the next ones are about that."""

    def __init__(self) -> None:
        self.pane: Pane | None = None


def _split(words: Sequence[str]) -> list[list[str]]:
    """The commands of a command line, without what names the server."""
    rest = list(words)
    while rest and rest[0] in {"-u", "-L", "-S"}:
        del rest[: 1 if rest[0] == "-u" else 2]
    commands: list[list[str]] = [[]]
    for word in rest:
        if word == ";":
            commands.append([])
        else:
            commands[-1].append(word)
    return [command for command in commands if command]


def _parse(words: list[str]) -> tuple[str, dict[str, str], list[str]]:
    """A command's name, its options, and what follows them."""
    name, options, rest = words[0], {}, words[1:]
    while rest and rest[0].startswith("-") and rest[0] != "-":
        word = rest.pop(0)
        if word == "--":
            break
        is_flag = word in _FLAGS and not (word == "-s" and name in _VALUE_OF_S)
        has_value = not is_flag and (name, word) != ("if-shell", "-F")
        options[word] = rest.pop(0) if has_value else ""
    return name, options, rest


def _unescaped(word: str) -> str:
    """As tmux takes it: `##` is a `#`, and an escaped `;` at the end a `;`."""
    text = word.replace("##", "#")
    return text[:-2] + ";" if text.endswith("\\;") else text

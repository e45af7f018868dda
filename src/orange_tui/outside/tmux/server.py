"""tmux: sessions and windows of tasks, targeted by ids that never change.

Every operation is here once. How its command line is run is up to the runner: by ourselves (`run_tmux`), or in the
app and `orange serve` by libtmux (`libtmux_runner.py`).

Orange marks what it makes with options of its own (`@orange_task` and so on), so a window is known for what it
is whatever it is called, and names that tmux changes (`.` and `:`) or that collide do no harm. Several commands go
to tmux in one call: a session that is to survive a person's settings gets its options before tmux applies those.
"""

from __future__ import annotations

import os
import time

from orange_tui.domain.errors import CannotTell, NotFound, Refused
from orange_tui.domain.records import record, replace
from orange_tui.outside.programs import run
from orange_tui.outside.tmux.windows import as_text, command_words, literal, session_options, window_options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol

    from orange_tui.outside.programs import Finished
    from orange_tui.outside.tmux.windows import Window

    class Runner(Protocol):
        """Runs tmux with these words, of which the first ones name the server, and waits for its end."""

        def __call__(self, words: Sequence[str], *, stdin: bytes | None = None) -> Finished: ...


INSTALL_TMUX = "tmux is not installed; on Debian or Ubuntu: apt-get install tmux, on macOS: brew install tmux"
TIMEOUT_SECONDS = 60.0  # for any command: tmux answers in milliseconds, or it is wedged
_SEPARATOR = "\x1f"
SERVER = "#{pid}.#{start_time}"  # one run of tmux: the next one gives the same ids to others
_DONE = "done"
_PANE_FORMAT = _SEPARATOR.join(
    (
        "#{session_id}",
        "#{window_id}",
        "#{pane_id}",
        "#{pane_pid}",
        "#{@orange_home}",
        "#{@orange_task}",
        "#{@orange_window}",
        "#{@orange_spawn}",
        "#{session_name}",
        SERVER,
        "#{pane_title}",
    ),
)
_CHAT_FORMAT = _SEPARATOR.join(("#{@orange_home}", "#{@orange_chat}", "#{session_id}", "#{@orange_spawn}"))
# What tmux prints where there is no server, where the one there was has been killed, and where one has no session.
_SAYS_NOTHING_RUNS = (
    "no server running",
    "(No such file or directory)",
    "(Connection refused)",
    "no current target",
    "no sessions",
)
_SAYS_IT_IS_ENDING = "server exited"  # right now: a moment later there is none
_ENDING_SECONDS, _ENDING_POLLS = 0.02, 10
_WIDTH, _HEIGHT = "200", "50"
WINDOW_SIZE = "#{window_width}x#{window_height}"
_SIZE_FORMAT = _SEPARATOR.join(
    ("#{window_width}", "#{window_height}", "#{session_attached}", f"#{{==:{WINDOW_SIZE},#{{@orange_fitted}}}}")
)


@record
class Pane:
    """One window of a task's session. `server` tells one run of tmux from the next."""

    session_id: str
    window_id: str
    pane_id: str
    pid: int
    home: str
    task: str
    window: str
    spawn: str
    session: str
    server: str
    title: str


@record
class Frame:
    """What a window shows, how large it is, whether a person is attached, and whether an app gave it this size."""

    text: str
    width: int
    height: int
    attached: bool
    fitted: bool


def run_tmux(words: Sequence[str], *, stdin: bytes | None = None) -> Finished:
    """Run a tmux command line to its end."""
    # A command without a target would be about the window that Orange runs in, and not what it has just made.
    environment = {name: value for name, value in os.environ.items() if name != "TMUX_PANE"}
    try:
        return run(["tmux", *words], environment=environment, stdin=stdin, timeout=TIMEOUT_SECONDS)
    except NotFound:
        raise NotFound(INSTALL_TMUX) from None


class Tmux:
    """One tmux server: the person's own, or the private one that ORANGE_TMUX_SOCKET names."""

    def __init__(self, socket: str | None, run: Runner = run_tmux) -> None:
        self.socket = socket
        self._run = run

    def use(self, runner: Runner) -> None:
        """Run commands in another way from now on, for all who share this server."""
        self._run = runner

    def panes(self) -> list[Pane]:
        """Every window that Orange made on this server, in one call; none when there is no server.

        Raises `CannotTell` where tmux does not: an agent that was not seen must not be taken for dead, nor be
        started a second time.
        """
        try:
            finished = self._ask_once_it_has_ended("list-panes", "-a", "-F", _PANE_FORMAT)
        except Refused as problem:  # it took too long, or could not be started
            raise CannotTell(str(problem)) from None
        if finished.code != 0:
            if any(words in finished.errors for words in _SAYS_NOTHING_RUNS):
                return []
            raise CannotTell(f"tmux did not tell which windows there are: {finished.message or finished.code}")
        lines = [line.split(_SEPARATOR) for line in finished.output.splitlines()]
        return [_pane(line) for line in lines if len(line) == len(Pane.__annotations__) and line[5]]

    def chat(self, home: str, project: str) -> tuple[str, str] | None:
        """The session of the conversation about a project, and the agent it is with."""
        finished = self.ask("list-panes", "-a", "-F", _CHAT_FORMAT)
        lines = [line.split(_SEPARATOR) for line in finished.output.splitlines()] if finished.code == 0 else []
        found = [(line[2], line[3]) for line in lines if line[:2] == [home, project]]
        return found[0] if found else None

    def start_session(self, name: str, window: Window) -> Pane:
        """A new session with its first window; a name that is taken gets the task's id added."""
        wanted = session_name(name)
        for candidate in (wanted, f"{wanted}~{window.task or os.getpid()}"):
            words = ["new-session", "-d", "-P", "-F", _PANE_FORMAT, "-x", _WIDTH, "-y", _HEIGHT]
            words += ["-s", literal(candidate, expands=True), "-n", window.name]
            words += ["-c", literal(window.directory, expands=True)]
            options = [*self._server_options(), *session_options(window), *window_options(window)]
            finished = self._ask_once_it_has_ended(*words, *command_words(window), ";", *options)
            if finished.code == 0:
                return _new_pane(finished.output, window)
            if "duplicate session" not in finished.errors:
                break
        raise Refused(f"tmux could not start a session for {window.task or name}: {finished.message}")

    def _server_options(self) -> list[str]:
        """A server of our own stays when its last session ends, so that one that is gone was killed."""
        return ["set-option", "-s", "exit-empty", "off", ";"] if self.socket is not None else []

    def start_window(self, session_id: str, window: Window) -> Pane:
        """Another window in a task's session; nobody's view of the session moves to it."""
        first_name = f"orange-{os.getpid()}"  # all in one call, so that nobody finds a window without its options
        words = ["new-window", "-d", "-P", "-F", _PANE_FORMAT, "-t", f"{session_id}:", "-n", first_name]
        words += ["-c", literal(window.directory, expands=True), *command_words(window), ";"]
        target = f"{session_id}:={first_name}"
        options = [*window_options(window, target=target), ";", "rename-window", "-t", target, window.name]
        # Only there: where tmux was killed and started again meanwhile, the id is that of some other session.
        is_tasks = f"#{{==:#{{@orange_task}},{window.task}}}"
        finished = self.ask("if-shell", "-F", "-t", f"{session_id}:", is_tasks, as_text([*words, *options]))
        if finished.code != 0 or not finished.output:
            why = finished.message or f"its session {session_id} is not there any more"
            raise Refused(f"tmux could not open window {window.name}: {why}")
        return _new_pane(finished.output, window)

    def kill_session(self, pane: Pane) -> None:
        """End the session that a window is in, and all its windows."""
        self._have_done(pane, "kill-session", "-t", pane.session_id)

    def kill_window(self, pane: Pane) -> None:
        """End one window."""
        self._have_done(pane, "kill-window", "-t", pane.window_id)

    def rename_session(self, pane: Pane, name: str) -> str:
        """Give a window's session another name, with the task's id where it is taken; returns the one it has then."""
        wanted = session_name(name)
        for candidate in (wanted, f"{wanted}~{pane.task}"):
            if self._have_done(pane, "rename-session", "-t", pane.session_id, literal(candidate, expands=True)):
                break
        return self._ask_there(pane, "display-message", "-p", "-t", pane.session_id, "#{session_name}").output.strip()

    def paste(self, pane: Pane, text: str) -> bool:
        """Paste text into an agent's input as one paste; returns whether tmux did."""
        buffer = f"orange-{os.getpid()}-{pane.pane_id.lstrip('%')}"
        if self.ask("load-buffer", "-b", buffer, "-", stdin=clean_message(text).encode()).code != 0:
            return False
        was_pasted = self._have_done(pane, "paste-buffer", "-p", "-d", "-b", buffer, "-t", pane.pane_id)
        if not was_pasted:
            self.ask("delete-buffer", "-b", buffer)
        return was_pasted

    def press(self, pane: Pane, key: str) -> bool:
        """Press one key in a window; returns whether tmux did."""
        return self._have_done(pane, "send-keys", "-t", pane.pane_id, key)

    def _have_done(self, pane: Pane, *words: str) -> bool:
        """Have something done to a window or its session; says whether tmux did it."""
        finished = self._ask_there(pane, *words, ";", "display-message", "-p", "-t", pane.pane_id, _DONE)
        return finished.code == 0 and finished.output.strip() == _DONE

    def _ask_there(self, pane: Pane, *words: str) -> Finished:
        """Have a command carried out by the tmux that a window was seen in, or by none.

        Where that was killed and started again, the ids of its windows are those of others.
        """
        is_same = f"#{{==:{SERVER},{pane.server}}}"
        return self.ask("if-shell", "-F", "-t", pane.pane_id, is_same, as_text(words))

    def screen(self, pane_id: str, *, colour: bool = False, above: int = 0) -> str | None:
        """What a window shows now, with as many lines of what was above it; None when it is gone."""
        frame = self.frame(pane_id, colour=colour, above=above)
        return frame.text if frame is not None else None

    def frame(self, pane_id: str, *, colour: bool = False, above: int = 0) -> Frame | None:
        """The same with the window's size: all of it in one call, for it is asked five times a second."""
        more = [*(["-e"] if colour else []), *(["-S", f"-{above}"] if above else [])]
        # The last line is never empty: libtmux drops empty ones, and those of the screen are part of it.
        words = ("capture-pane", "-p", *more, "-t", pane_id, ";", "display-message", "-p", "-t", pane_id, _SIZE_FORMAT)
        finished = self.ask(*words)
        if finished.code != 0:
            return None
        text, _, size = finished.output.removesuffix("\n").rpartition("\n")
        width, height, attached, fitted = (int(each) if each.isdecimal() else 0 for each in size.split(_SEPARATOR))
        return Frame(f"{text}\n" if text else "", width, height, bool(attached), bool(fitted))

    def version(self) -> str | None:
        """Which tmux this is, or None where there is none."""
        try:
            return self._run(["-V"]).output.strip()
        except NotFound:
            return None

    @property
    def server(self) -> list[str]:
        """The options by which the tmux program finds it."""
        if self.socket is None:
            return []
        return ["-S" if "/" in self.socket else "-L", self.socket]

    def _ask_once_it_has_ended(self, *words: str) -> Finished:
        """The same, again where the server was ending just then, and with it whatever had begun."""
        finished = self.ask(*words)
        for _ in range(_ENDING_POLLS):
            if finished.code == 0 or _SAYS_IT_IS_ENDING not in finished.errors:
                break
            time.sleep(_ENDING_SECONDS)
            finished = self.ask(*words)
        return finished

    def ask(self, *words: str, stdin: bytes | None = None) -> Finished:
        """Have this server carry out a command, or several."""
        # Without `-u` it answers in ASCII where the locale is cron's.
        return self._run(["-u", *self.server, *words], stdin=stdin)


def _new_pane(line: str, window: Window) -> Pane:
    """The window that was just made: tmux prints its ids, and we know the rest."""
    pane = _pane(line.rstrip("\n").split(_SEPARATOR))
    return replace(pane, home=window.home, task=window.task, window=window.name, spawn=window.spawn)


def session_name(name: str) -> str:
    """The name as tmux will have it: it turns dots and colons into underscores by itself."""
    return name.replace(".", "_").replace(":", "_")


def clean_message(text: str) -> str:
    """Text fit for pasting: an escape in it could end the paste and press keys."""
    return "".join(c for c in text if c in "\n\t" or c.isprintable())


def _pane(fields: Sequence[str]) -> Pane:
    values = dict(zip(Pane.__annotations__, fields, strict=True))
    return Pane(**{**values, "pid": int(values["pid"] or 0)})  # type: ignore[arg-type]

"""How tmux is told what to open: a window's command and options as words that mean to tmux what they say."""

from __future__ import annotations

from orange_tui.domain.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


@record
class Window:
    """What to start: where, under which name, and how Orange will know it again."""

    home: str
    task: str
    name: str
    spawn: str
    directory: str
    command: tuple[str, ...]
    log: str
    chat: str = ""  # of a conversation: the project it is about; then there is no task


def command_words(window: Window) -> list[str]:
    """What runs in the window."""
    return ["--", *(literal(word) for word in window.command)]


def session_options(window: Window) -> list[str]:
    """What makes the session ours, and keeps a person's settings from ending it while nobody is attached."""
    mark = {"@orange_chat": window.chat} if window.chat else {"@orange_task": window.task}
    options = {"@orange_home": window.home, **mark, "destroy-unattached": "off"}
    return [word for name, value in options.items() for word in ("set-option", name, literal(value), ";")]


def window_options(window: Window, target: str | None = None) -> list[str]:
    """The window keeps its name, closes with its agent, and what it prints is kept.

    What says that it is the agent's belongs to the pane: a shell that a person opens beside the agent is not the agent.
    """
    at = ["-t", target] if target else []
    options = {
        ("-p", "@orange_window"): window.name,
        ("-p", "@orange_spawn"): window.spawn,
        ("-w", "remain-on-exit"): "off",
        ("-w", "automatic-rename"): "off",
        ("-w", "allow-rename"): "off",
    }
    words = [
        word
        for (level, name), value in options.items()
        for word in ("set-option", level, *at, name, literal(value), ";")
    ]
    return [*words, "pipe-pane", *at, "-o", window.log]


def literal(value: str, *, expands: bool = False) -> str:
    """A word escaped for tmux: a last `;` would end the command, and in names `#` begins a format."""
    word = value.replace("#", "##") if expands else value
    return word[:-1] + "\\;" if word.endswith(";") else word


def as_text(words: Sequence[str]) -> str:
    """A command line as text that tmux reads as these words: nothing within single quotes means anything to it."""
    plain = (f"{word[:-2]};" if word.endswith("\\;") else word for word in words)
    return " ".join(
        ";" if word == ";" else "'{}'".format(text.replace("'", "'\\''"))
        for word, text in zip(words, plain, strict=True)
    )

"""A harness: everything Orange knows about a command-line agent, as data, and its command lines.

Command lines are tuples of words, never text for a shell. A word may contain placeholders; `{prompt}` is always
a word of its own, and the launcher puts the prompt there: a prompt can have any length and content.
"""

from __future__ import annotations

import re

from orange_tui.domain.errors import Refused
from orange_tui.domain.records import record
from orange_tui.domain.task import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal

    Words = tuple[str, ...]
    Mode = Literal["full", "reduced", "resume", "one_shot", "one_shot_work"]

PROMPT = "{prompt}"
SESSION_FORMATS = ("claude", "codex", "opencode", "pi")  # of the records that agents keep of their conversations
OPTIONS = "{options}"
STATES = ("busy", "idle", "permission", "limit", "error", "starting", "unknown")

# What may stand in braces in a command line, and what is put there.
PLACEHOLDERS: Mapping[str, str] = {
    "prompt": "the prompt, as a word of its own",
    "options": "the words of `model` and `effort`, as a word of its own",
    "binary": "the agent's program",
    "python": "the Python that runs Orange",
    "orange": "the `orange` command",
    "task_dir": "the task's directory, where the real TASK.md is",
    "worktree": "the worktree the agent works in",
    "repository": "the main repository",
    "repository_git": "the main repository's .git directory",
    "worktree_git": "the worktree's own directory in there",
    "session_id": "the agent's conversation, to resume it",
    "new_session_id": "an id for a new conversation, for an agent that takes one",
    "extensions": "the directory of the extensions for agents that come with Orange",
    "codex_hooks": "Codex's hooks as TOML: the one that has a person asked for permission, where Codex would trust it",
    "claude_settings": "settings for Claude Code as JSON: that it may edit TASK.md, and our status line",
    "model": "the model asked for",
    "effort": "the effort asked for",
    "system_prompt": "who the agent is to be, and the rules of its work",
}

_PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@+\[\]~-]{0,199}", re.ASCII)
_MAX_PROMPT_BYTES = 130_000  # a single argument cannot be longer than 128 KiB on Linux


@record
class ScreenPatterns:
    """Regular expressions for an agent's state, matched with the last lines of its screen or with its title."""

    starting: tuple[str, ...] = ()  # it shows its input line, and does not take input yet
    busy: tuple[str, ...] = ()
    idle: tuple[str, ...] = ()
    permission: tuple[str, ...] = ()
    error: tuple[str, ...] = ()
    limit: tuple[str, ...] = ()  # the agent's account has used up what it may use for now


@record
class Dialog:
    """A question the agent asks before it starts, which only a person can answer: its pattern, and our advice."""

    seen: str
    advice: str


@record
class SandboxNeeds:
    """What of the person's home an agent needs of its own in a sandbox; all else of it is read, or hidden.

    Settings are never written through: an agent that could change what its program runs at the next start, outside,
    would be out of its sandbox.
    """

    copied: tuple[str, ...] = ()  # directories that are empty, private, and have copies of the files in them
    write: tuple[str, ...] = ()  # what is really written: conversations, logins; one that ends in / is made
    logins: tuple[str, ...] = ()  # files in `copied` that it replaces: its copy and the person's are kept the same
    read: tuple[str, ...] = ()  # what is read, though it is in one of those directories, or hidden
    copies: Mapping[str, str] = {}  # files that are copied elsewhere in there
    environment: Mapping[str, str] = {}
    words: Mapping[str, str] = {}  # of its command lines, and what stands there instead in a sandbox
    variables: tuple[str, ...] = ("*_API_KEY",)  # patterns of variables that look like secrets, and are its login


@record
class Harness:
    """One kind of agent. An empty command line means that it cannot do that."""

    name: str
    binary: str
    title: str
    install: str
    full: Words
    reduced: Words = ()  # empty: the agent knows no difference
    resume: Words = ()
    one_shot: Words = ()  # answers one question and ends; changes nothing
    one_shot_work: Words = ()  # does one piece of work without questions and ends; edits files, and little else
    root_full: Words = ()  # instead of `full` for root, where the agent refuses that
    model: Words = ()
    effort: Words = ()
    system_prompt: Words = ()  # the flag for it; an agent without one gets it in front of its prompt
    efforts: tuple[str, ...] = ()
    environment: Mapping[str, str] = {}
    files: Mapping[str, str] = {}
    excludes: tuple[str, ...] = ()
    skills: str = ""
    sessions: str = ""  # where it keeps the records of its conversations
    session_format: str = ""  # one of `SESSION_FORMATS`; empty: Orange cannot read them
    screen: ScreenPatterns = ScreenPatterns()
    window_title: ScreenPatterns = ScreenPatterns()
    dialogs: tuple[Dialog, ...] = ()
    asks: tuple[str, ...] = ()  # patterns of what a permission is asked for: the first group
    hides_dialog: bool = False  # while its permission hook runs, its own dialog is not on the screen
    events: Mapping[str, str] = {}  # what its hooks report, and the state each means
    hidden_threads: tuple[str, ...] = ()  # how the prompts begin that the agent gives itself
    max_prompt: int = _MAX_PROMPT_BYTES
    sandbox: SandboxNeeds = SandboxNeeds()

    def command_line(self, mode: Mode, *, root: bool = False) -> Words:
        """The words of a mode, with their placeholders; empty when the agent has no such mode."""
        if root and mode == "full" and self.root_full:
            return self.root_full
        if mode == "reduced":
            return self.reduced or self.full
        own: Words = getattr(self, mode)
        return own


def build_command(  # noqa: PLR0913 - all of them shape the command line
    harness: Harness,
    mode: Mode,
    values: Mapping[str, str],
    *,
    model: str | None = None,
    effort: str | None = None,
    system: str | None = None,
    root: bool = False,
) -> Words:
    """The words that start the agent, all placeholders filled in but the word `{prompt}`."""
    words = harness.command_line(resume_mode(harness, mode, values), root=root)
    if not words:
        raise Refused(f"{harness.title} cannot do that: it has no command line for `{mode}`")
    known = {"binary": harness.binary, **values, "prompt": PROMPT}
    options = _options(harness, model, effort)
    if system and harness.system_prompt:
        options += [fill(word, {"system_prompt": system}, harness) for word in harness.system_prompt]
    filled: list[str] = []
    for word in words:
        filled += options if word == OPTIONS else [fill(word, known, harness)]
    return tuple(filled)


def resume_mode(harness: Harness, mode: Mode, values: Mapping[str, str]) -> Mode:
    """The mode itself; for `resume` without a conversation, a new start with the same permissions."""
    if mode != "resume":
        return mode
    words = harness.command_line(mode)
    known = bool(words) and (bool(values.get("session_id")) or "{session_id}" not in "".join(words))
    return mode if known else "reduced"


def environment(harness: Harness, values: Mapping[str, str]) -> dict[str, str]:
    """The agent's own environment variables, placeholders filled in."""
    known = {"binary": harness.binary, **values}
    return {name: fill(value, known, harness) for name, value in harness.environment.items()}


def fill(word: str, values: Mapping[str, str], harness: Harness) -> str:
    """Replace placeholders in one pass: a placeholder inside a value stays as it is.

    Right after a double quote a value is part of JSON or TOML, so it is escaped and cannot end that string.
    """

    def value(found: re.Match[str]) -> str:
        name = found[1]
        if name not in PLACEHOLDERS:
            return found[0]
        if not values.get(name):
            raise Refused(f"{harness.title} cannot be started this way: there is no value for {{{name}}}")
        quoted = found.start() > 0 and word[found.start() - 1] == '"'
        return values[name].replace("\\", "\\\\").replace('"', '\\"') if quoted else values[name]

    return _PLACEHOLDER.sub(value, word)


def _options(harness: Harness, model: str | None, effort: str | None) -> list[str]:
    """The flags for model and effort, in that order; none for an agent without such a flag."""
    words: list[str] = []
    if model and harness.model:
        words += [fill(word, {"model": check_model(model)}, harness) for word in harness.model]
    if effort and harness.effort:
        words += [fill(word, {"effort": check_effort(harness, effort)}, harness) for word in harness.effort]
    return words


def check_model(model: str) -> str:
    """A model's name is a plain word: it goes onto a command line, after a flag."""
    if not _PLAIN.fullmatch(model):
        raise Refused(f"'{printable(model[:100])}' is not a model's name: write it as the agent's own --model takes it")
    return model


def check_effort(harness: Harness, effort: str) -> str:
    """One of the agent's own levels. For an agent without such a flag anything is accepted, and nothing is passed."""
    if not harness.effort or effort in harness.efforts or (not harness.efforts and _PLAIN.fullmatch(effort)):
        return effort
    levels = f"its levels are {', '.join(harness.efforts)}" if harness.efforts else "write one plain word"
    raise Refused(f"{harness.title} has no effort level '{printable(effort[:100])}'; {levels}")


def placeholders(word: str) -> list[str]:
    """The names in braces in a word, known or not."""
    return _PLACEHOLDER.findall(word)


def safe_prompt(text: str) -> str:
    """A prompt or message that no agent takes for a command, a file or a flag.

    `!` runs a shell command in three of the four agents, `/` is a command, `@` a file and `-` a flag; `#` and
    whatever else may come to mean something one day. So all text begins with a letter or a digit.
    """
    text = text.strip()
    return text if text[:1].isalnum() else f"Task:\n\n{text}"

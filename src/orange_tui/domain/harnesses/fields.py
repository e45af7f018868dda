"""The fields of a harness in `harnesses.yml`: how each is read and checked. A new field is one entry in `FIELDS`."""

from __future__ import annotations

import json
import re

from orange_tui.domain.harnesses.harness import (
    PLACEHOLDERS,
    SESSION_FORMATS,
    STATES,
    Dialog,
    SandboxNeeds,
    ScreenPatterns,
    placeholders,
)
from orange_tui.domain.records import record
from orange_tui.domain.text.findings import quoted, suggest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from typing import Any

    from orange_tui.domain.text.yaml_nodes import Item

    Reader = Callable[[Item], object]

_WHOLE_WORDS = ("prompt", "options")
_FLAG_WORDS = ("model", "effort", "system_prompt")
_IN_COMMANDS = tuple(name for name in PLACEHOLDERS if name not in _FLAG_WORDS)
_IN_ENVIRONMENT = tuple(name for name in _IN_COMMANDS if name not in _WHOLE_WORDS)
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_SCREEN = ("starting", "busy", "idle", "permission", "limit", "error")


@record
class HarnessField:
    """How the value of a field is read, and what it means."""

    read: Reader
    meaning: str


def read_fields(entries: Mapping[str, Item]) -> dict[str, object]:
    """Read every field that is given; a problem with one does not keep the others from being read."""
    return {key: FIELDS[key].read(item) for key, item in entries.items() if key not in IGNORED}


def _text(item: Item) -> str:
    return item.text() or ""


def _words(item: Item, allowed: Collection[str]) -> tuple[str, ...]:
    if not item.is_list and not item.is_null:
        item.add_problem(
            "is not a list of words", 'write one, such as [my-agent, --auto, "{prompt}"]; no shell splits it'
        )
        return ()
    words = []
    for each in item.items(f"a word of {item.name}"):
        if each.is_text and not each.node.value:
            each.add_problem("is empty", "remove it")
            continue
        word = each.text() or ""
        _check_placeholders(each, word, allowed)
        words.append(word)
    return tuple(words)


def _check_placeholders(item: Item, word: str, allowed: Collection[str]) -> None:
    for name in placeholders(word):
        if name not in allowed:
            item.add_problem(f"has the placeholder {{{name[:60]}}}, which means nothing here", suggest(name, allowed))
        elif name in _WHOLE_WORDS and word != f"{{{name}}}":
            item.add_problem(f"has {{{name}}} inside a longer word", "make it a word of its own in the list")


def _command(item: Item) -> tuple[str, ...]:
    words = _words(item, _IN_COMMANDS)
    if words.count("{prompt}") > 1:
        item.add_problem("has {prompt} twice", "keep one")
    return words


def _full(item: Item) -> tuple[str, ...]:
    words = _command(item)
    if item.is_list and "{prompt}" not in words:
        item.add_problem("has no word {prompt}", "add it where the agent takes its prompt")
    return words


def _flag(name: str) -> Reader:
    def read(item: Item) -> tuple[str, ...]:
        words = _words(item, (name,))
        if words and not any(f"{{{name}}}" in word for word in words):
            item.add_problem(
                f"does not say where the value goes: {{{name}}} is missing", f'such as [--{name}, "{{{name}}}"]'
            )
        return words

    return read


def _texts(item: Item) -> tuple[str, ...]:
    return tuple(text for each in item.items(f"an entry of {item.name}") if (text := each.text()) is not None)


def _patterns(item: Item) -> tuple[str, ...]:
    found = []
    for each in item.one_or_more(f"a pattern of {item.name}"):
        pattern = each.text()
        if pattern is not None and _compiles(each, pattern):
            found.append(pattern)
    return tuple(found)


def _groups(item: Item) -> tuple[str, ...]:
    patterns = _patterns(item)
    if any(not re.compile(pattern).groups for pattern in patterns):
        item.add_problem("has no group", "put parentheses around what is asked for, such as Run (.*)[?]")
    return tuple(pattern for pattern in patterns if re.compile(pattern).groups)


def _compiles(item: Item, pattern: str) -> bool:
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        item.add_problem(f"is not a regular expression: {error}", "put a backslash before what is meant literally")
        return False
    return True


def _screen(item: Item) -> ScreenPatterns:
    return ScreenPatterns(**{state: _patterns(entry) for state, entry in item.entries(_SCREEN).items()})


def _dialogs(item: Item) -> tuple[Dialog, ...]:
    found = []
    for each in item.items("a dialog"):
        entries = each.entries(("seen", "advice"), required=("seen", "advice"))
        texts = {key: entry.text() for key, entry in entries.items()}
        seen, advice = texts.get("seen"), texts.get("advice")
        if seen and advice and _compiles(entries["seen"], seen):
            found.append(Dialog(seen, advice))
    return tuple(found)


def _environment(item: Item) -> dict[str, str]:
    found = {}
    for name, entry in item.entries().items():
        if not _VARIABLE.fullmatch(name):
            entry.add_problem("is not a variable's name", "use letters, digits and _")
        value = "" if entry.is_text and not entry.node.value else _text(entry)
        _check_placeholders(entry, value, _IN_ENVIRONMENT)
        found[name] = value
    return found


def _files(item: Item) -> dict[str, str]:
    found = {}
    for path, entry in item.entries().items():
        parts = path.split("/")
        if path.startswith(("/", "~")) or ".." in parts or parts[0] == ".git" or not parts[-1] or "\\" in path:
            entry.add_problem("is not a path inside the worktree", "write it relative to the worktree, without ..")
        found[path] = _content(path, entry)
    return found


def _content(path: str, item: Item) -> str:
    """JSON may be written as YAML, which is easier to read in a YAML file."""
    if item.kind == "mapping":
        return json.dumps(item.value())
    text = _text(item)
    if path.endswith(".json") and text and not _is_json_object(text):
        item.add_problem("is not a JSON object", "correct it, or write it as a mapping in YAML")
    return text


def _is_json_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _events(item: Item) -> dict[str, str]:
    return {name: entry.word(STATES) or "unknown" for name, entry in item.entries().items()}


def _excludes(item: Item) -> tuple[str, ...]:
    found = []
    for each in item.items("an exclude"):
        pattern = each.text() or ""
        if "\n" in pattern:
            each.add_problem("has a line break", "write one pattern an entry")
        found.append(pattern)
    return tuple(found)


def _own_path(item: Item) -> str:
    text = _text(item)
    if text and not text.startswith(("~", "/", "$")):
        item.add_problem(f"is {quoted(text)}", "write a path that begins with ~ or /")
    return text


def _own_paths(item: Item) -> tuple[str, ...]:
    return tuple(path for each in item.items(f"a path of {item.name}") if (path := _own_path(each)))


def _path_pairs(item: Item) -> dict[str, str]:
    return {path: _own_path(entry) for path, entry in item.entries().items()}


SANDBOX: Mapping[str, HarnessField] = {
    "copied": HarnessField(_own_paths, "Directories of its own that it sees empty, with copies of the files in them."),
    "write": HarnessField(_own_paths, "What it really writes: conversations, logins."),
    "logins": HarnessField(_own_paths, "Logins in `copied` that it replaces; yours and its copy are kept the same."),
    "read": HarnessField(_own_paths, "What it reads though it would be hidden."),
    "copies": HarnessField(_path_pairs, "Files that are copied to another place in there."),
    "environment": HarnessField(
        lambda item: {name: _own_path(entry) for name, entry in item.entries().items()},
        "Variables that say where those places are.",
    ),
    "words": HarnessField(
        lambda item: {word: _text(entry) for word, entry in item.entries().items()},
        "Words of its command lines, and what stands there instead.",
    ),
    "variables": HarnessField(_texts, "Patterns of variables that look like secrets and are its login."),
}


def _sandbox(item: Item) -> SandboxNeeds:
    given: dict[str, Any] = {key: SANDBOX[key].read(entry) for key, entry in item.entries(SANDBOX).items()}
    return SandboxNeeds(**given)


# Keys of earlier versions, which never had an effect: a file that still has them loads, and they are ignored.
IGNORED = ("resume_full", "root_resume_full", "starts_in")

FIELDS: Mapping[str, HarnessField] = {
    "binary": HarnessField(_text, "The agent's program, as on your PATH, or a whole path. Needed for a new agent."),
    "title": HarnessField(_text, "What people see instead of its name."),
    "install": HarnessField(_text, "How to install it, for who has not."),
    "full": HarnessField(
        _full, "The words that start it with full permission, `{prompt}` among them. Needed for a new agent."
    ),
    "reduced": HarnessField(_command, "The same for reviewers and agents that are started again (default: as `full`)."),
    "resume": HarnessField(_command, "The words that go on with a conversation, with `{session_id}` in them."),
    "one_shot": HarnessField(_command, "The words that answer one question and end; they must change nothing."),
    "one_shot_work": HarnessField(_command, "The words that do one piece of work without a question, and end."),
    "system_prompt": HarnessField(
        _flag("system_prompt"), "The flag for who it is to be; without one, that stands in front of its prompt."
    ),
    "root_full": HarnessField(_command, "Instead of `full` where Orange runs as root and the agent refuses that."),
    "model": HarnessField(
        _flag("model"), 'The flag for a model, such as `[--model, "{model}"]`; it goes to `{options}`.'
    ),
    "effort": HarnessField(_flag("effort"), 'The flag for how hard it thinks, such as `[--effort, "{effort}"]`.'),
    "efforts": HarnessField(_texts, "The levels that flag takes, such as `[low, high]`."),
    "environment": HarnessField(_environment, "Environment variables for it; they may have placeholders."),
    "files": HarnessField(
        _files, "Files that are put into the worktree for it, with their text; JSON may be written as YAML."
    ),
    "excludes": HarnessField(_excludes, "What of its own files git should not see in the worktree, as in .gitignore."),
    "skills": HarnessField(_own_path, "The folder of its skills, for `orange install`."),
    "sessions": HarnessField(_own_path, "Where it keeps records of its conversations, for tokens and cost."),
    "session_format": HarnessField(
        lambda item: item.word(SESSION_FORMATS) or "",
        f"How those are written: {', '.join(SESSION_FORMATS[:-1])} or {SESSION_FORMATS[-1]}.",
    ),
    "screen": HarnessField(
        _screen,
        f"What its screen says, as regular expressions by state: {', '.join(_SCREEN[:-1])} and {_SCREEN[-1]}.",
    ),
    "window_title": HarnessField(_screen, "The same for the title it gives its window."),
    "dialogs": HarnessField(
        _dialogs, "Questions before it starts that only you can answer: `seen`, a pattern, and `advice`."
    ),
    "asks": HarnessField(_groups, "Patterns of what it asks permission for; the first group is what."),
    "hides_dialog": HarnessField(
        lambda item: item.flag() is True, "`true`: while its permission hook runs, its own dialog is not on the screen."
    ),
    "events": HarnessField(_events, "What its hooks report to `orange task event`, and the state each means."),
    "hidden_threads": HarnessField(
        _texts, "How the prompts begin that it gives itself; they are not counted as turns."
    ),
    "max_prompt": HarnessField(
        lambda item: item.whole() or 1, "The longest prompt in bytes; of a longer one it is told the file."
    ),
    "sandbox": HarnessField(
        _sandbox, f"What it needs of your home in a sandbox: {', '.join(f'`{key}`' for key in SANDBOX)}."
    ),
}

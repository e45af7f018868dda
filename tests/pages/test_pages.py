"""The pages say what the code says: their tables are current, and nothing that a reader may look for is missing."""

from __future__ import annotations

import re

import pytest
from tools.pages import PARTS, rewritten

from orange_tui.cli.all_commands import COMMANDS
from orange_tui.domain.actions import ACTIONS, ASSEMBLED_VARIABLES, PROMPT_VARIABLES
from orange_tui.domain.gates.kinds import GATE_KINDS
from orange_tui.domain.harnesses.fields import FIELDS, SANDBOX
from orange_tui.domain.harnesses.harness import PLACEHOLDERS
from orange_tui.domain.workflow import WORKED_OUT
from orange_tui.domain.workflow_file import keys as workflow_keys
from orange_tui.domain.workflow_file.loader import load_workflow
from orange_tui.home import projects
from orange_tui.home.settings.table import SETTINGS
from orange_tui.pages.library import topics
from orange_tui.trust.orange_file import KEYS as ORANGE_FILE_KEYS
from orange_tui.tui.commands.keys import COMMANDS as APP_KEYS
from orange_tui.tui.drawing.labels import shown_key
from orange_tui.tui.review.keys import REVIEW_KEYS
from support.page_examples import DOCS

REPOSITORY = DOCS.parent
SOURCE = REPOSITORY / "src" / "orange_tui"
PAGES = sorted(path.name for path in DOCS.glob("*.md"))
MOST_LINES_OF_PROSE = 200


def page(topic: str) -> str:
    return (DOCS / f"{topic}.md").read_text()


def in_code(topic: str) -> set[str]:
    """Everything that stands in backticks on a page."""
    return {found.strip() for found in re.findall(r"`+([^`\n]+)`+", page(topic))}


@pytest.mark.parametrize("name", PAGES)
def test_generated_parts_are_current(name: str) -> None:
    text = (DOCS / name).read_text()
    assert rewritten(text) == text, "run `make pages`"


def test_every_generated_part_stands_on_a_page() -> None:
    used = re.findall(r"<!-- generated: ([a-z-]+) -->", "".join(map(page, topics())))
    assert sorted(used) == sorted(PARTS)


DOCUMENTED = {
    "settings": ("configuration", SETTINGS),
    "keys of .orange.yml": ("configuration", ORANGE_FILE_KEYS),
    "fields of an agent": ("configuration", FIELDS),
    "needs in a sandbox": ("configuration", SANDBOX),
    "placeholders": ("configuration", [f"{{{name}}}" for name in PLACEHOLDERS]),
    "hooks": ("workflows", ACTIONS),
    "parameters of hooks": ("workflows", {name for action in ACTIONS.values() for name in action.parameters}),
    "gates": ("workflows", [*GATE_KINDS, *(option for kind in GATE_KINDS.values() for option in kind.options)]),
    "keys of a workflow": ("workflows", {**workflow_keys.FILE, **workflow_keys.STATE, **workflow_keys.TRANSITION}),
    "keys of its rules": ("workflows", {**workflow_keys.RULE, **workflow_keys.SIGNAL, **workflow_keys.EVENT_RULE}),
    "variables": ("workflows", [f"{{{name}}}" for name in (*PROMPT_VARIABLES, *ASSEMBLED_VARIABLES)]),
    "numbers": ("workflows", WORKED_OUT),
    "keys of the app": ("keys", [command.shown_key({}) for command in APP_KEYS if command.key]),
    "commands of the app": ("keys", [command.name for command in APP_KEYS]),
    "keys of a review": ("keys", [shown_key(each.key) for each in REVIEW_KEYS]),
    "commands": (
        "commands",
        [command.name for command in COMMANDS if command.run and command.path and not command.hidden],
    ),
}


@pytest.mark.parametrize("what", DOCUMENTED)
def test_everything_is_documented(what: str) -> None:
    topic, names = DOCUMENTED[what]
    assert set(names) - in_code(topic) == set()


def test_every_option_of_every_command_is_documented() -> None:
    text = page("commands")
    options = {option.name for command in COMMANDS if not command.hidden for option in command.options if command.path}
    assert {option for option in options if option not in text} == set()


def test_every_key_of_a_project_is_documented() -> None:
    """Those that are checked, and those that somebody asks a project for."""
    asked = {
        key
        for path in SOURCE.rglob("*.py")
        for key in re.findall(r"(?:project|found|each)\.entry\.get\(\"(\w+)\"", path.read_text())
    }
    assert len(asked) > 5
    known = asked | set(projects._OPTIONAL) | set(projects.OWN_SETTINGS) | {"name", "path", "pool_size", "workflow"}
    assert known - in_code("configuration") == set()


def test_every_environment_variable_is_documented() -> None:
    """Ours, and those of others that Orange looks at: in code, a name that is looked up or written stands in quotes."""
    code = "\n".join(path.read_text() for path in SOURCE.rglob("*.py"))
    ours = set(re.findall(r"[\"'](ORANGE_[A-Z_]+[A-Z])[\"']", code))
    others = set(re.findall(r"environ(?:\.get\(|\[)[\"']([A-Z_]+)[\"']", code))
    assert {"ORANGE_HOME", "ORANGE_WINDOW"} <= ours
    assert {"PAGER", "TZ"} <= others
    assert (ours | others) - in_code("commands") - {"PATH", "TMUX", "TMUX_PANE"} == set()


def test_hooks_in_the_middle_of_a_sentence_are_right_too() -> None:
    hooks = [text for text in in_code("workflows") if text.startswith("{action:")]
    assert len(hooks) > 1
    small = "name: x\nstates: {a: {}, b: {terminal: true}}\ntransitions:\n- {from: a, to: b, hooks: [%s]}\n"
    assert [load_workflow(small % hook, hook).problems for hook in hooks if "…" not in hook] == [(), ()]


def test_every_key_that_a_page_names_in_passing_is_there() -> None:
    known = {command.shown_key({}) for command in APP_KEYS} | {shown_key(each.key) for each in REVIEW_KEYS}
    named = {
        text for topic in topics() for text in in_code(topic) if len(text) == 1 and (text.isalpha() or text in "⏎?/]")
    }
    assert len(named) > 15
    assert named - known == set()


def test_no_topic_has_the_name_of_a_command() -> None:
    assert set(topics()) & {command.path[0] for command in COMMANDS if command.path} == set()


@pytest.mark.parametrize("name", [*PAGES, "../README.md", "../CONTRIBUTING.md", "../SECURITY.md"])
def test_links_lead_somewhere(name: str) -> None:
    text = re.sub(r"```.*?```", "", (DOCS / name).read_text(), flags=re.DOTALL)
    targets = [target.partition("#")[0] for target in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in target]
    assert [
        target
        for target in targets
        if not ((DOCS / name).parent / target.replace("%5B", "[").replace("%5D", "]")).exists()
    ] == []


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_short(name: str) -> None:
    own = re.sub(r"<!-- generated.*?<!-- end -->", "", (DOCS / name).read_text(), flags=re.DOTALL)
    assert len(own.splitlines()) <= MOST_LINES_OF_PROSE

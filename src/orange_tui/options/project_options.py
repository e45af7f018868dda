"""What can be set of a project: each is an option of `orange project update` and a field of the app's form."""

from __future__ import annotations

import os

from orange_tui.domain.errors import OrangeError, Refused
from orange_tui.domain.records import record
from orange_tui.domain.sandbox.tables import MODES
from orange_tui.domain.workflow import MAX_ATTEMPTS, STUCK_TIMEOUT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Literal

    from orange_tui.engine.parts import HomeParts

    Texts = tuple[str, ...]
    Kind = Literal["harness", "workflow", "branch", "file"]
    Read = Callable[["ProjectOption", HomeParts, str, Texts], object]  # with the repository's path

SWITCH = ("on", "off")


@record
class ProjectOption:
    """One thing that can be set. `read` makes of what was typed what projects.json says, and refuses what is wrong.

    None takes back what the project says itself: then config.yml counts, or what `unset` says.
    """

    name: str  # of the option, without its dashes
    key: str  # in projects.json
    value: str  # what help calls its value
    meaning: str  # a sentence, without its full stop
    read: Read
    group: str  # the heading it stands under in a form
    empty: str = ""  # what an empty value stands for, where that is allowed
    unset: str = ""  # what counts where nobody has set it
    number: bool = False
    repeat: bool = False
    choices: tuple[str, ...] = ()
    complete: Kind | None = None


def read_changes(parts: HomeParts, repository: str, given: Mapping[str, Texts]) -> dict[str, object]:
    """What was given for the project of a repository, by option, as projects.json has it; what is wrong is refused."""
    return {
        each.key: each.read(each, parts, repository, given[each.name]) for each in PROJECT_OPTIONS if each.name in given
    }


def project_option(name: str) -> ProjectOption:
    """The option of that name."""
    return next(each for each in PROJECT_OPTIONS if each.name == name)


# ── reading what was given ──


def _number(option: ProjectOption, _parts: HomeParts, _repository: str, texts: Texts) -> int | None:
    text = texts[0].strip()
    if not text:
        return None
    if not (text.removeprefix("-").isascii() and text.removeprefix("-").isdigit()):
        raise Refused(f"{option.name.replace('-', ' ')} must be a number")
    return int(text)


def _switch(_option: ProjectOption, _parts: HomeParts, _repository: str, texts: Texts) -> bool | None:
    return None if not texts[0] else texts[0] == SWITCH[0]


def _text(_option: ProjectOption, _parts: HomeParts, _repository: str, texts: Texts) -> str | None:
    return texts[0] or None


def _budget(_option: ProjectOption, _parts: HomeParts, _repository: str, texts: Texts) -> float | None:
    from orange_tui.domain.usage.budget import parse_budget

    return parse_budget(texts[0].strip()) if texts[0].strip() else None


def _workflow(_option: ProjectOption, parts: HomeParts, _repository: str, texts: Texts) -> str:
    parts.workflows.path(texts[0])  # an unknown name is refused here, with those there are
    return texts[0]


def _default_branch(_option: ProjectOption, _parts: HomeParts, repository: str, texts: Texts) -> str:
    """A branch that exists; in a repository that is gone, only its name can be checked."""
    from orange_tui.domain.task import check_branch
    from orange_tui.home.registration import existing_branch
    from orange_tui.outside.git import Repository

    try:
        path = Repository(repository).top_level()
    except OrangeError:
        return check_branch(texts[0])
    return existing_branch(path, texts[0])


def _agents(_option: ProjectOption, parts: HomeParts, _repository: str, texts: Texts) -> list[str]:
    return [parts.harnesses.get(name).name for name in texts if name]


def _paths(option: ProjectOption, parts: HomeParts, repository: str, texts: Texts) -> list[str]:
    """What is opened in a sandbox; a path that would open a secret is refused."""
    paths = [os.path.abspath(os.path.expanduser(path)) for path in texts if path]
    if paths:
        from orange_tui.agents.sandbox.planning import check_opened_paths

        check_opened_paths(paths, parts.home.root, repository, write=option.name == "sandbox-write")
    return paths


def _issue_authors(_option: ProjectOption, _parts: HomeParts, _repository: str, texts: Texts) -> object:
    from orange_tui.issues.rules import AUTHORS, settings_changes

    return settings_changes(None, texts, ())[AUTHORS]


def _issue_labels(_option: ProjectOption, _parts: HomeParts, _repository: str, texts: Texts) -> object:
    from orange_tui.issues.rules import LABELS, settings_changes

    return settings_changes(None, (), texts)[LABELS]


# ── the table ──

_WORK, _SETUP, _SANDBOX, _GITHUB = "Work", "Set-up of workspaces", "Sandbox", "GitHub"

PROJECT_OPTIONS = (
    ProjectOption(
        "default-branch",
        "default_branch",
        "B",
        "The branch that tasks start from and are merged into",
        _default_branch,
        _WORK,
        complete="branch",
    ),
    ProjectOption(
        "workflow",
        "workflow",
        "W",
        "The workflow of new tasks; existing tasks keep theirs",
        _workflow,
        _WORK,
        complete="workflow",
    ),
    ProjectOption(
        "pool-size",
        "pool_size",
        "N",
        "How many workspaces: how many tasks can be worked on at once",
        _number,
        _WORK,
        unset="2",
        number=True,
    ),
    ProjectOption(
        "parallel",
        "parallel",
        "N",
        "How many tasks that start by themselves may run at once; 0 for none",
        _number,
        _WORK,
        number=True,
    ),
    ProjectOption(
        "max-attempts",
        MAX_ATTEMPTS,
        "N",
        "How often an unattended task is tried before it is blocked",
        _number,
        _WORK,
        number=True,
    ),
    ProjectOption(
        "stuck-timeout",
        STUCK_TIMEOUT,
        "S",
        "After how many seconds one that nobody works on any more is tried again",
        _number,
        _WORK,
        number=True,
    ),
    ProjectOption(
        "budget",
        "budget",
        "USD",
        "How many dollars each task may use before you are asked; 0 for no limit",
        _budget,
        _WORK,
        empty="what config.yml says",
    ),
    ProjectOption(
        "failover",
        "failover",
        "H",
        "Who goes on with a task whose agent has reached its limit, in this order",
        _agents,
        _WORK,
        empty="nobody",
        repeat=True,
        complete="harness",
    ),
    ProjectOption(
        "ports",
        "ports",
        "N",
        "How many free ports each workspace gets (ORANGE_PORT, ORANGE_PORTS); 0 for none",
        _number,
        _SETUP,
        unset="as .orange.yml says",
        number=True,
    ),
    ProjectOption(
        "run",
        "run",
        "CMD",
        "The command that `orange task run` and `o` start in a task's workspace",
        _text,
        _SETUP,
        empty="none",
        unset="as .orange.yml says",
    ),
    ProjectOption(
        "sandbox",
        "sandbox",
        "MODE",
        "Which agents run in a sandbox: off, reviewers or all",
        _text,
        _SANDBOX,
        choices=MODES,
    ),
    ProjectOption(
        "sandbox-read",
        "sandbox_read",
        "PATH",
        "What agents may read in it that is hidden else",
        _paths,
        _SANDBOX,
        empty="nothing",
        unset="nothing",
        repeat=True,
        complete="file",
    ),
    ProjectOption(
        "sandbox-write",
        "sandbox_write",
        "PATH",
        "What agents may write in it besides their worktree",
        _paths,
        _SANDBOX,
        empty="nothing",
        unset="nothing",
        repeat=True,
        complete="file",
    ),
    ProjectOption(
        "auto-fix",
        "auto_fix",
        "on|off",
        "Whether failed checks and review comments go back to the agent by themselves",
        _switch,
        _GITHUB,
        choices=SWITCH,
    ),
    ProjectOption(
        "issues",
        "issues",
        "on|off",
        "Whether open GitHub issues become tasks",
        _switch,
        _GITHUB,
        unset="off",
        choices=SWITCH,
    ),
    ProjectOption(
        "issue-author",
        "issue_authors",
        "LOGIN",
        "Whose issues become tasks; @me is you",
        _issue_authors,
        _GITHUB,
        empty="only yours",
        unset="only yours",
        repeat=True,
    ),
    ProjectOption(
        "issue-label",
        "issue_labels",
        "LABEL",
        "Only issues with one of these labels become tasks",
        _issue_labels,
        _GITHUB,
        empty="any",
        unset="any",
        repeat=True,
    ),
)

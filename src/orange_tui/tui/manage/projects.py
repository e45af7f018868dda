"""The projects: what each is set to, what is wrong with it, and keys to register, change, trust and remove one."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rich.text import Text

from orange_tui.domain.errors import OrangeError, Refused
from orange_tui.domain.records import record
from orange_tui.issues.links import IssueLinks
from orange_tui.issues.rules import rules_of
from orange_tui.issues.sync import sync as sync_project
from orange_tui.options.projects import remove_project, what_stays
from orange_tui.outside.git_guard.gate import names_of
from orange_tui.presentation import trust
from orange_tui.trust.trust import read_orange_file
from orange_tui.tui.drawing.cells import fit
from orange_tui.tui.drawing.labels import shorten_home
from orange_tui.tui.manage._list_screen import ListScreen, note_lines
from orange_tui.workspaces.pool_file import FREE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from orange_tui.home.projects import Project
    from orange_tui.orange import Orange
    from orange_tui.tui.drawing.palette import Palette

_NAME, _BRANCH, _WORKFLOW = 22, 18, 16


@record
class ProjectStatus:
    """A project, how many of its workspaces are in use, and what is wrong with it."""

    project: Project
    used: int
    problems: tuple[str, ...]


class ProjectsScreen(ListScreen[ProjectStatus]):
    """Every project that is registered, whichever the app was opened for."""

    HEADING = "Projects"
    EMPTY = "No projects yet.\n\nPress c to register a git repository:\nnothing in it changes."
    KEYS = (
        ("c", "register"),
        ("⏎ e", "change"),
        ("t", "trust"),
        ("i", "sync issues"),
        ("d", "remove"),
    )

    BINDINGS = [  # noqa: RUF012 - Textual's own way
        ("c", "register", "Register"),
        ("e", "change", "Change"),
        ("t", "trust", "Trust"),
        ("i", "sync", "Sync issues"),
        ("d", "remove", "Remove"),
    ]

    def read(self) -> Sequence[ProjectStatus]:
        return read_projects(self.shared.orange)

    def titles(self) -> str:
        return f"   {fit('PROJECT', _NAME)} {fit('BRANCH', _BRANCH)} {fit('WORKFLOW', _WORKFLOW)} POOL"

    def name_of(self, item: ProjectStatus) -> str:
        return item.project.name

    def lines(self, item: ProjectStatus, width: int, palette: Palette) -> Text:
        project = item.project
        icon = ("! ", palette.warning) if item.problems else ("● ", palette.good)
        columns = [
            (fit(project.name, _NAME) + " ", palette.text),
            (fit(project.default_branch, _BRANCH) + " ", palette.dim),
            (fit(project.workflow, _WORKFLOW) + " ", palette.dim),
        ]
        lines = Text.assemble(icon, *columns, (f"{item.used}/{project.pool_size}", palette.dim))
        path = shorten_home(f"{project.path}/").rstrip("/")
        lines.append("\n" + fit("  " + " · ".join([path, *_switched_on(project)]), width), palette.dim)
        for problem in item.problems:
            lines.append_text(note_lines(problem, palette.warning, width, "! "))
        return lines

    # ── keys ──

    def action_register(self) -> None:
        from orange_tui.tui.forms.project_form import RegisterForm

        self.app.push_screen(RegisterForm(self.shared))

    def on_option_list_option_selected(self) -> None:
        self.action_change()

    def action_change(self) -> None:
        from orange_tui.tui.forms.project_form import ProjectForm

        if (found := self.chosen) is not None:
            self.app.push_screen(ProjectForm(self.shared, found.project))

    def action_trust(self) -> None:
        if (found := self.chosen) is not None:
            project, orange = found.project, self.shared.orange
            self.work("Looking", lambda: _trust_words(orange, project), lambda words: self._ask(project, words))

    def _ask(self, project: Project, words: object) -> None:
        if words:
            self.tell(words)
        elif self.is_attached:
            self.shared.ask_trust(project.name, "")

    def action_sync(self) -> None:
        if (found := self.chosen) is not None:
            orange, project = self.shared.orange, found.project
            self.work(f"Syncing the issues of {project.name}", lambda: _sync(orange, project), self.tell)

    def action_remove(self) -> None:
        if (found := self.chosen) is not None:
            orange, project = self.shared.orange, found.project
            self.work(
                "Remove", lambda: what_stays(orange.tasks, project), lambda said: self._remove(project, str(said))
            )

    def _remove(self, project: Project, said: str) -> None:
        tasks = self.shared.orange.tasks
        self.confirm(
            f"Remove {project.name} from Orange?",
            said,
            "Remove",
            lambda: self.work("Remove", lambda: remove_project(tasks, project.name)),
        )


def read_projects(orange: Orange) -> list[ProjectStatus]:
    """Every project as it is now."""
    slots = [slot for slot in orange.pool.slots() if slot.state != FREE]
    return [
        ProjectStatus(each, sum(slot.project == each.name for slot in slots), tuple(_problems(orange, each)))
        for each in orange.projects.all()
    ]


def _problems(orange: Orange, project: Project) -> Iterator[str]:
    if not os.path.isdir(project.path):
        yield "This directory no longer exists: put it back, or remove the project (d)."
        return
    try:
        orange.workflows.load(project.workflow)
    except OrangeError as problem:
        yield str(problem).partition("\n")[0]
    issues = IssueLinks(orange.home, project.name).problem if rules_of(project).on else None
    if issues:
        yield f"Its issues: {issues}"
    try:
        yield from map(str, read_orange_file(project).problems)
        new = orange.trust.untrusted(project)
    except OrangeError as problem:
        yield str(problem)
    else:
        if new:
            yield f"Its tasks wait until you have seen what it brings along (t): {names_of(new)}"


def _switched_on(project: Project) -> Iterator[str]:
    """What is set that a person may wonder about."""
    if rules_of(project).on:
        yield "issues become tasks"
    if project.entry.get("auto_fix"):
        yield "fixes by itself"
    if project.entry.get("sandbox"):
        yield f"sandbox {project.entry['sandbox']}"


def _trust_words(orange: Orange, project: Project) -> str:
    """What to say where there is nothing to ask; empty where there is."""
    problems = read_orange_file(project).problems
    if problems:
        raise Refused("\n".join(map(str, problems)))
    if orange.trust.untrusted(project):
        return ""
    return f"{project.name}: {trust.nothing_new(orange.trust.brought(project))}."


def _sync(orange: Orange, project: Project) -> str:
    done = sync_project(orange.tasks, project)
    return "\n".join(f"{project.name}: {each.sentence}" for each in done) or f"{project.name}: nothing new."

"""What is installed, what is wrong, and how to mend it; what was interrupted is finished on the way."""

from __future__ import annotations

import os
import shutil

from orange_tui import __version__
from orange_tui.domain.errors import NotFound, OrangeError
from orange_tui.domain.records import record
from orange_tui.home.settings import read_settings
from orange_tui.issues.links import IssueLinks
from orange_tui.outside.programs import run
from orange_tui.sessions.liveness import LOST
from orange_tui.store.store import BrokenTask, readable
from orange_tui.supervisor.recovery import tidy_up

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from orange_tui.orange import Orange

_LITTLE_SPACE = 500_000_000


@record
class Finding:
    """One thing that was looked at: `good`, `note` (worth knowing) or `bad`, and what to do about it."""

    level: str
    what: str
    mend: str = ""


def examine(orange: Orange) -> list[Finding]:
    """Look at everything; a check that fails is a finding too, and stops no other."""
    findings: list[Finding] = []
    for check in _CHECKS:
        try:
            findings.extend(check(orange))
        except (OrangeError, OSError) as problem:
            findings.append(Finding("bad", str(problem)))
    return findings


def _programs(orange: Orange) -> Iterator[Finding]:
    yield Finding("good", f"orange {__version__}, home {orange.home.root}")
    for name, wanted, way in (("git", "--version", "Install git"), ("tmux", "-V", "Install tmux")):
        try:
            yield Finding("good", run([name, wanted]).output.strip())
        except NotFound:
            yield Finding("bad", f"{name} is not installed", f"{way}: apt-get install {name}, or brew install {name}")
    if shutil.which("gh") is None:
        yield Finding("note", "gh is not installed: pull requests are not available", "See cli.github.com")


def _agents(orange: Orange) -> Iterator[Finding]:
    harnesses = orange.services.harnesses
    for problem in harnesses.problems():
        yield Finding("bad", problem, "Mend harnesses.yml; the agents that come with Orange work meanwhile")
    found = {name: harnesses.installed(name) for name in harnesses.names()}
    for name, path in found.items():
        if path is not None:
            yield Finding("good", f"{name}: {path}")
    if harnesses.first_installed() is None:
        missing = [harnesses.get(name) for name in found if found[name] is None]
        ways = [f"{each.name}: {each.install}" for each in missing]
        yield Finding("note", "no coding agent is installed", "\n".join([*ways, "Meanwhile: orange demo"]))


def _disk(orange: Orange) -> Iterator[Finding]:
    os.makedirs(orange.home.root, exist_ok=True)
    if not os.access(orange.home.root, os.W_OK):
        yield Finding("bad", f"{orange.home.root} cannot be written", "Check who owns it")
    free = shutil.disk_usage(orange.home.root).free
    if free < _LITTLE_SPACE:
        yield Finding("bad", f"only {free // 1_000_000} MB are free", "Make room: nothing can be saved on a full disk")


def _files(orange: Orange) -> Iterator[Finding]:
    read_settings(orange.home)
    for project in orange.projects.all():
        if not os.path.isdir(project.path):
            mend = f"Put it back, or: orange project remove {project.name}"
            yield Finding("bad", f"project {project.name}: {project.path} is gone", mend)
        problem = IssueLinks(orange.home, project.name).problem if project.entry.get("issues") else None
        if problem:
            yield Finding(
                "note", f"project {project.name}: its issues: {problem}", f"orange issue sync --project {project.name}"
            )
        try:
            orange.workflows.load(project.workflow)
        except OrangeError as problem:
            yield Finding("bad", f"project {project.name}: {problem}", f"orange workflow check {project.workflow}")


def _tasks(orange: Orange) -> Iterator[Finding]:
    found = orange.store.read_all()
    for each in found:
        if isinstance(each, BrokenTask):
            yield Finding("bad", each.error, "Mend the file by hand; Orange does not touch it")
    lost = [each.ref.id for each in readable(found) if orange.tasks.session_state(each.task) == LOST]
    if lost:
        yield Finding("bad", f"agents lost with their tmux server: {', '.join(lost)}", "orange task respawn --lost")


def _interrupted(orange: Orange) -> Iterator[Finding]:
    for sentence in tidy_up(orange):
        yield Finding("note", sentence)


def _workspaces(orange: Orange) -> Iterator[Finding]:
    for slot in orange.pool.slots():
        if slot.state == "quarantined":
            mend = "See to it there, then: orange workspace gc"
            yield Finding("bad", f"workspace {slot.name} is set aside: {slot.reason}", mend)


_CHECKS: tuple[Callable[[Orange], Iterator[Finding]], ...] = (
    _programs,
    _agents,
    _disk,
    _files,
    _interrupted,
    _tasks,
    _workspaces,
)

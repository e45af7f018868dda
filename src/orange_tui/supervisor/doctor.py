"""`orange doctor`: what is installed, what is wrong, and how to repair it; it recovers what was interrupted, too."""

from __future__ import annotations

import os
import shutil

from orange_tui import __version__
from orange_tui.agents.sandbox.proofs import PROOFS, failed_proofs
from orange_tui.delivery.merging.half_moves import MoveNote
from orange_tui.domain.errors import NotFound, OrangeError
from orange_tui.domain.records import record
from orange_tui.domain.sandbox.tables import OFF
from orange_tui.home import clock
from orange_tui.home.files import PRIVATE_FILE, make_directory
from orange_tui.home.settings.config_file import read_settings
from orange_tui.issues.links import IssueLinks
from orange_tui.notices import sending
from orange_tui.notices.ledger import LedgerFile
from orange_tui.notices.words import TEST
from orange_tui.outside.forge.registry import FORGES
from orange_tui.outside.git_guard.gate import names_of
from orange_tui.outside.git_guard.locks import abandoned_locks
from orange_tui.outside.programs import run
from orange_tui.outside.sandbox.bwrap import why_no_sandbox
from orange_tui.outside.sandbox.kernel import has_socket_scope
from orange_tui.sessions.liveness import LOST
from orange_tui.store.store import BrokenTask, readable
from orange_tui.store.subtasks import cycle_sentence, waiting_cycle
from orange_tui.trust.trust import Trust, read_orange_file
from orange_tui.usage.limits import Limits
from orange_tui.usage.prices_file import check_prices

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from orange_tui.engine.tasks import Tasks
    from orange_tui.home.paths import Home

_LOW_SPACE_BYTES = 500_000_000
_FOR_OTHERS = 0o077


@record
class Finding:
    """One thing that was looked at: `good`, `note` (worth knowing) or `bad`, and what to do about it."""

    level: str
    what: str
    repair: str = ""


@record
class Doctor:
    """What the checks need of one home."""

    home: Home
    tasks: Tasks
    recover: Callable[[], Iterable[str]]
    sends_notice: bool = False  # a test notice goes to every address: only where the person asked for it


def examine(doctor: Doctor) -> list[Finding]:
    """Check everything; a check that fails is a finding too, and stops no other. What several find is said once."""
    return list(dict.fromkeys(finding for topic in TOPICS for finding in examine_topic(doctor, topic)))


def examine_topic(doctor: Doctor, topic: str) -> list[Finding]:
    """Check one of `TOPICS`, for who wants to show how far it is."""
    findings: list[Finding] = []
    try:
        findings.extend(_CHECKS[topic](doctor))
    except (OrangeError, OSError) as problem:
        findings.append(Finding("bad", str(problem)))
    return findings


def _programs(doctor: Doctor) -> Iterator[Finding]:
    yield Finding("good", f"orange {__version__}, home {doctor.home.root}")
    for name, wanted, way in (("git", "--version", "Install git"), ("tmux", "-V", "Install tmux")):
        try:
            yield Finding("good", run([name, wanted]).output.strip())
        except NotFound:
            yield Finding("bad", f"{name} is not installed", f"{way}: apt-get install {name}, or brew install {name}")
    for forge in FORGES:
        if not forge.is_installed():
            what = f"{forge.program} is not installed: pull requests and issues on {forge.name} are not available"
            yield Finding("note", what, forge.install_hint)


def _agents(doctor: Doctor) -> Iterator[Finding]:
    harnesses = doctor.tasks.engine.parts.harnesses
    for problem in harnesses.problems():
        yield Finding("bad", problem, "Mend harnesses.yml; the agents that come with Orange work meanwhile")
    found = {name: harnesses.installed(name) for name in harnesses.names()}
    for name, path in found.items():
        if path is not None:
            yield Finding("good", f"{name}: {path}")
    if harnesses.first_installed() is None:
        missing = [harnesses.get(name) for name in found if found[name] is None]
        ways = [f"{each.name}: {each.install}" for each in missing]
        yield Finding("note", "no coding agent is installed", "\n".join(ways))


def _sandbox(doctor: Doctor) -> Iterator[Finding]:
    """Whether agents can be put in a sandbox here, and whether it holds; that is tried, not asked."""
    modes = {project.name: doctor.tasks.projects.sandbox(project.name) for project in doctor.tasks.projects.all()}
    wanted = sorted(name for name, mode in modes.items() if mode != OFF)
    problem = why_no_sandbox()
    if problem is not None:
        whose = f"agents of {', '.join(wanted)} cannot be started" if wanted else "agents cannot be put in a sandbox"
        yield Finding("bad" if wanted else "note", f"{whose}: {problem}")
        return
    failed = failed_proofs()
    for each in failed:
        yield Finding(
            "bad", f"a sandbox does not hold here: {each}", "Tell us; till then agents are not protected by it"
        )
    if not failed:
        yield Finding("good", f"sandbox: {len(PROOFS)} things tried in one, and it holds")
    if not has_socket_scope():
        what = "in a sandbox, sockets without a path can be reached, such as X11's: this kernel is older than 6.12"
        yield Finding("note", what)


def _limits(doctor: Doctor) -> Iterator[Finding]:
    limits = Limits(doctor.home)
    for limit in limits.all():
        if limit.is_blocked(clock.now()):
            what = f"{limits.sentence(limit.harness, limit.account)} (account: {limit.account})"
            yield Finding("note", what, "Its tasks go on by themselves then")


def _disk(doctor: Doctor) -> Iterator[Finding]:
    make_directory(doctor.home.root)
    if not os.access(doctor.home.root, os.W_OK):
        yield Finding("bad", f"{doctor.home.root} cannot be written", "Check who owns it")
    free = shutil.disk_usage(doctor.home.root).free
    if free < _LOW_SPACE_BYTES:
        yield Finding("bad", f"only {free // 1_000_000} MB are free", "Make room: nothing can be saved on a full disk")


def _files(doctor: Doctor) -> Iterator[Finding]:
    read_settings(doctor.home)
    for mistake in check_prices(doctor.home):
        yield Finding("bad", mistake, "Mend it; until then costs are counted without the prices in it")
    for project in doctor.tasks.projects.all():
        if not os.path.isdir(project.path):
            repair = f"Put it back, or: orange project remove {project.name}"
            yield Finding("bad", f"project {project.name}: {project.path} is gone", repair)
        problem = IssueLinks(doctor.home, project.name).problem if project.entry.get("issues") else None
        if problem:
            yield Finding(
                "note", f"project {project.name}: its issues: {problem}", f"orange issue sync --project {project.name}"
            )
        try:
            doctor.tasks.engine.workflows.load(project.workflow)
        except OrangeError as problem:
            yield Finding("bad", f"project {project.name}: {problem}", f"orange workflow check {project.workflow}")


def _notices(doctor: Doctor) -> Iterator[Finding]:
    """Whether the addresses in `notify` can be used; none of them is repeated whole."""
    addresses = list(dict.fromkeys(read_settings(doctor.home).names("notify")))
    if not addresses:
        if doctor.sends_notice:
            yield Finding("bad", "no test notice was sent: there is no address in notify", "Add one to config.yml")
        return
    path = os.path.join(doctor.home.root, "config.yml")
    if os.stat(path).st_mode & _FOR_OTHERS:
        os.chmod(path, PRIVATE_FILE)
        yield Finding("note", f"{path} holds addresses with tokens, and is now closed to other users")
    before = LedgerFile(doctor.home).problems()
    for index, problem in enumerate(_address_problems(addresses, sends=doctor.sends_notice)):
        name, earlier = sending.masked(addresses, index), before.get(sending.fingerprint(addresses[index]))
        if problem is not None:
            yield Finding("bad", f"notices to {name}: {problem}", "See `notify` in config.yml")
        elif doctor.sends_notice:
            yield Finding("good", f"a test notice was sent to {name}")
        elif earlier is not None:
            yield Finding("bad", f"the last notice to {name} failed: {earlier}", "orange doctor --notify tries again")
        else:
            yield Finding("good", f"notices to {name}; `orange doctor --notify` sends one to try it")


def _address_problems(addresses: list[str], *, sends: bool) -> list[str | None]:
    if not sends:
        return sending.check_addresses(addresses)
    outcomes = sending.send(addresses, [(TEST, range(len(addresses)))])
    return [outcomes[index, 0] for index in range(len(addresses))]


def _tasks(doctor: Doctor) -> Iterator[Finding]:
    found = doctor.tasks.engine.store.read_all()
    for each in found:
        if isinstance(each, BrokenTask):
            yield Finding("bad", each.error, "Mend the file by hand; Orange does not touch it")
    is_finished = doctor.tasks.engine.is_finished
    blockers = {each.ref.id: each.task.blocked_by for each in readable(found) if not is_finished(each.task)}
    cycles = (
        waiting_cycle(name, waits_for, lambda each: blockers.get(each, ())) for name, waits_for in blockers.items()
    )
    for cycle in {frozenset(cycle): cycle for cycle in cycles if cycle}.values():  # each once, whoever it begins with
        yield Finding("bad", cycle_sentence(cycle), f"orange task update {cycle[0]} --blocked-by '' lets it go first")
    lost = [each.ref.id for each in readable(found) if doctor.tasks.session_state(each.task) == LOST]
    if lost:
        yield Finding("bad", f"agents lost with their tmux server: {', '.join(lost)}", "orange task restart --lost")


def _interrupted_moves(doctor: Doctor) -> Iterator[Finding]:
    for sentence in doctor.recover():
        yield Finding("note", sentence)


def _workspaces(doctor: Doctor) -> Iterator[Finding]:
    for slot in doctor.tasks.engine.parts.pool.slots():
        if slot.state == "quarantined":
            repair = "See to it there, then: orange workspace gc"
            yield Finding("bad", f"workspace {slot.name} is set aside: {slot.reason}", repair)


def _repositories(doctor: Doctor) -> Iterator[Finding]:
    """What killed merges and gits have left that Orange could not settle by itself."""
    for project in doctor.tasks.projects.all():
        half = MoveNote(os.path.join(doctor.home.tasks, project.name), project).read()
        if half is not None:
            what = f"project {project.name}: {half.checkout} is half updated by a merge that was killed or is under way"
            yield Finding("bad", what, f"See git -C {half.checkout} status; the next merge finishes it once it can")
        for lock in abandoned_locks(project.path):
            what = f"project {project.name}: {lock} was left by a git that is dead; others wait for it in vain"
            yield Finding("bad", what, f"rm {lock}")


def _trust(doctor: Doctor) -> Iterator[Finding]:
    """What repositories bring along that the person has not seen: their tasks wait."""
    trust = Trust(doctor.home)
    for project in doctor.tasks.projects.all():
        for problem in read_orange_file(project).problems:
            yield Finding("bad", f"project {project.name}: {problem}", "Mend it on the default branch")
        new = trust.untrusted(project)
        if new:
            what = f"project {project.name} brings along {names_of(new)}, which you have not seen as it is now"
            yield Finding("note", f"{what}: its tasks wait", f"orange project trust {project.name}")


_CHECKS: Mapping[str, Callable[[Doctor], Iterator[Finding]]] = {
    "programs": _programs,
    "agents": _agents,
    "sandbox": _sandbox,
    "limits": _limits,
    "disk": _disk,
    "files": _files,
    "notices": _notices,
    "interrupted work": _interrupted_moves,
    "tasks": _tasks,
    "workspaces": _workspaces,
    "repositories": _repositories,
    "trust": _trust,
}
TOPICS = tuple(_CHECKS)

"""The pool of workspaces: git worktrees that tasks hold for as long as they work, and that are used again.

Who holds what is decided under the pool's lock and written down at once; the slow work in a workspace is done
under that workspace's own lock. A slot is held by a task as long as the task says so itself (its `workspace`), has
a transition that a killed command left unfinished, or is just being worked on (its lock is held). Any other
binding was left behind: the slot is given back when somebody needs it, or by `workspace gc`.
"""

from __future__ import annotations

import os
from contextlib import contextmanager

from orange_tui.domain.errors import NotFound, OrangeError, Refused
from orange_tui.domain.records import record, replace
from orange_tui.domain.task import check_branch
from orange_tui.home import clock
from orange_tui.home.files import locked
from orange_tui.home.projects import Projects
from orange_tui.outside import git_saved
from orange_tui.outside.git import Repository, local
from orange_tui.store.store import BrokenTask, Store, TaskRef
from orange_tui.workspaces.checkout import Checkout, find_place
from orange_tui.workspaces.contents import copy_files, link_task, run_setup
from orange_tui.workspaces.pool_file import BOUND, FREE, QUARANTINED, PoolFile, Slot
from orange_tui.workspaces.release import Released, reset, save_work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from orange_tui.domain.task import Task
    from orange_tui.home.log import Log
    from orange_tui.home.paths import Home
    from orange_tui.home.projects import Project
    from orange_tui.outside.git_saved import Saved

    Known = Callable[[str, str], bool]

_NOTHING = Released(saved=None, quarantined=None)


@record
class Pool:
    """The workspaces of one home."""

    home: Home
    log: Log

    @property
    def _file(self) -> PoolFile:
        return PoolFile(self.home)

    def worktree(self, name: str) -> str:
        """Where a workspace is."""
        return os.path.join(self.home.workspaces, name)

    def slots(self, project: Project | None = None) -> list[Slot]:
        """Every place there is, in use or not, of one project or of all."""
        recorded = self._file.read()
        projects = [project] if project is not None else Projects(self.home).all()
        found = [slot for each in projects for slot in self._slots_of(each, recorded)]
        strangers = [] if project is not None else [s for s in recorded.values() if s not in found]
        return found + strangers

    def _slots_of(self, project: Project, recorded: dict[str, Slot]) -> list[Slot]:
        names = [f"{project.name}--{number}" for number in range(1, project.pool_size + 1)]
        names += [name for name, slot in recorded.items() if slot.project == project.name and name not in names]
        return [self._file.slot(project.name, name, recorded) for name in names]

    def reserve(self, project: Project, task: Task) -> str:
        """Bind a free workspace to a task, or find the one it has; refused when there is none."""
        name = self._bind(project, task)
        if name is None:
            self._recover(project)
            name = self._bind(project, task)
        if name is None:
            raise Refused(self._all_taken(project))
        return name

    def _bind(self, project: Project, task: Task) -> str | None:
        with self._file.changing() as slots:
            places = self._slots_of(project, slots)
            slot = _choice(places, project, task)
            if slot is None:
                return None
            if slot.task == task.id:  # a quarantined one too: its work is still in there
                slots[slot.name] = replace(slot, state=BOUND, reason=None)
            else:
                slots[slot.name] = replace(slot, state=BOUND, task=task.id, since=clock.now(), prepared=False)
            return slot.name

    def _all_taken(self, project: Project) -> str:
        holders = ", ".join(_in_words(slot) for slot in self.slots(project))
        return (
            f"There is no free workspace for {project.name}: {holders}. Finish or cancel a task,"
            f" or `orange project update {project.name} --pool-size {project.pool_size + 1}`"
        )

    def is_ready(self, task: Task) -> bool:
        """Whether the workspace that a task says it has is there, and is its own."""
        slot = self._file.read().get(task.workspace or "")
        if slot is None or (slot.state, slot.task) != (BOUND, task.id) or not slot.prepared:
            return False
        return os.path.exists(os.path.join(slot.path, ".git"))

    def prepare(self, project: Project, task: Task, name: str) -> None:
        """Have the task's branch checked out in its workspace, with its links, the project's files and set-up.

        A workspace that was prepared is the agent's: whatever is checked out and changed there stays.
        """
        with self._file.holding(name):
            slot = self._file.slot(project.name, name, self._file.read())
            if slot.state != BOUND or slot.task != task.id:
                raise Refused(f"{name} is not {task.id}'s workspace: it is {_in_words(slot)}")
            try:
                self._prepare(project, task, slot)
            except OSError as problem:
                raise Refused(f"{name} could not be prepared: {problem}") from None

    def _prepare(self, project: Project, task: Task, slot: Slot) -> None:
        place = None if slot.making else find_place(project, slot.path)
        if place is not None and slot.prepared and not place.restored:
            if place.worktree.head() != local(task.branch):
                self.log.write("info", f"{slot.name} has another branch checked out than {task.branch}", task=task.id)
            link_task(self.home, task, place.worktree)
            return
        if task.branch == project.default_branch:
            raise Refused(f"{task.branch} is the default branch of {project.name}; a task needs one of its own")
        checkout = Checkout(project, task.branch, self.log)
        offline = checkout.fetch()
        if place is None:
            slot = self._make(checkout, slot, offline)
            place = find_place(project, slot.path)
        if place is None:
            raise Refused(f"{slot.path} went away while it was made")
        worktree = place.worktree
        worktree.remove_dead_locks()
        head = worktree.head()
        if head != local(task.branch):
            checkout.switch(worktree, clean=head == slot.head, task=task.id)
        link_task(self.home, task, worktree)
        copy_files(project, worktree)
        run_setup(self.home, project, task, worktree)
        self._file.put(replace(slot, prepared=True, head=None))

    def _make(self, checkout: Checkout, slot: Slot, offline: str | None) -> Slot:
        """A new worktree; that it was begun is written down before, so that half of one is known as such."""
        start = checkout.start(checkout.refs(), offline)
        self._file.put(replace(slot, making=True))
        with self._file.holding(f"{slot.project}.making"):  # two at once in one repository get in each other's way
            worktree = checkout.make(slot.path, start, again=slot.making)
        made = replace(slot, making=False, prepared=False, head=worktree.head())
        self._file.put(made)
        return made

    def release(self, project: Project, task_id: str, name: str) -> Released:
        """Give a task's workspace back. Work in it is saved first; where that cannot be done, it is quarantined."""
        with self._file.holding(name):
            slot = self._file.slot(project.name, name, self._file.read())
            if slot.state == FREE or slot.task != task_id:
                return _NOTHING
            return self._give_back(project, slot, task_id)

    def _give_back(self, project: Project, slot: Slot, task_id: str) -> Released:
        saved = head = None
        try:
            place = None if slot.making else find_place(project, slot.path)
            if place is not None:
                saved = save_work(project, place.worktree, task_id)
                head = reset(project, place.worktree)
        except (OrangeError, OSError) as problem:
            return self._quarantine(slot, Released(saved, str(problem)))
        free = Slot(slot.name, slot.project, FREE, None, None, slot.path, clock.now(), head, making=slot.making)
        self._file.put(free)
        self.log.write("info", f"{slot.name} released", task=task_id, saved=saved)
        return Released(saved, None)

    def _quarantine(self, slot: Slot, released: Released) -> Released:
        if slot.state != QUARANTINED or slot.reason != released.quarantined:
            since = clock.now() if slot.state != QUARANTINED else slot.since
            self._file.put(replace(slot, state=QUARANTINED, reason=released.quarantined, since=since))
            self.log.write("warning", f"{slot.name} quarantined", task=slot.task, reason=released.quarantined)
        return released

    def _recover(self, project: Project) -> None:
        """Give back what nobody has a claim to any more, because somebody needs a workspace now."""
        for slot in self.slots(project):
            self._give_back_unclaimed(project, slot, _every_task)

    def _give_back_unclaimed(self, project: Project, slot: Slot, known: Known) -> Released | None:
        if slot.state == FREE or slot.task is None:
            return None
        with self._unclaimed(slot, known) as gone, self._file.holding(slot.name, wait=False) as held:
            now = self._file.slot(project.name, slot.name, self._file.read())
            if gone and held and (now.state, now.task) == (slot.state, slot.task):
                return self._give_back(project, now, slot.task)
        return None

    @contextmanager
    def _unclaimed(self, slot: Slot, known: Known) -> Iterator[bool]:
        """Whether no task has a right to a slot; its task is held meanwhile, so that it does not take it up."""
        ref = TaskRef(slot.project, slot.task or "")
        directory = os.path.join(self.home.tasks, ref.project, ref.id)
        if not os.path.isdir(directory) or not known(ref.project, ref.id):
            yield True
            return
        with locked(os.path.join(directory, ".lock"), what=f"task {ref.id}", wait=False) as held:
            yield held and not self._has_claim(ref, slot.name)

    def _has_claim(self, ref: TaskRef, name: str) -> bool:
        store = Store(self.home, lambda task: task)
        found = store.read(ref)
        if isinstance(found, BrokenTask):
            return True  # nobody can tell
        return found.task.workspace == name or store.journal(ref).unfinished() is not None

    def gc(self, known: Known) -> list[str]:
        """Give back what no task has a claim to, and what was quarantined for a reason that has gone.

        `known` says of a project and an id whether there is such a task.
        """
        sentences = []
        projects = Projects(self.home)
        for slot in self.slots():
            project = projects.find(slot.project)
            if project is None and slot.state != FREE:
                sentences.append(f"{slot.name} is left alone: {slot.project} is no longer registered")
            released = self._give_back_unclaimed(project, slot, known) if project is not None else None
            if released is not None:
                sentences.append(_outcome(slot, released))
        return sentences

    def init(self, project: Project) -> list[str]:
        """Make every worktree of a project that is not there yet; returns the names of those."""
        checkout = Checkout(project, project.default_branch, self.log)
        offline = checkout.fetch()
        slots = self.slots(project)[: project.pool_size]
        return [slot.name for slot in slots if self._init(project, checkout, slot, offline)]

    def _init(self, project: Project, checkout: Checkout, slot: Slot, offline: str | None) -> bool:
        with self._file.holding(slot.name):
            now = self._file.slot(project.name, slot.name, self._file.read())
            if now.state != FREE or not (now.making or find_place(project, slot.path) is None):
                return False
            self._make(checkout, now, offline)
            return True

    def saved(self, project: Project, task_id: str) -> list[Saved]:
        """What was saved of a task's work, oldest first."""
        return git_saved.saved_work(Repository(project.path), task_id)

    def restore(self, project: Project, task_id: str, number: int | None, branch: str | None) -> str:
        """Put saved work on a branch, the latest unless a number says which; returns the branch's name."""
        saved = self.saved(project, task_id)
        found = next((each for each in reversed(saved) if number in {None, each.number}), None)
        if found is None:
            numbers = ", ".join(str(each.number) for each in saved)
            raise NotFound(
                f"Nothing was saved of {task_id} as number {number}; there is {numbers}"
                if saved
                else f"No work of {task_id} was saved: all of it is on its branch"
            )
        name = check_branch(branch or f"orange-restored/{task_id}-{found.number}")
        git_saved.restore(Repository(project.path), found, name)
        return name


def _choice(places: list[Slot], project: Project, task: Task) -> Slot | None:
    """The slot a task has, else the one it says it has, else the first free one."""
    free = [slot for slot in places[: project.pool_size] if slot.state == FREE]
    held = [slot for slot in places if slot.task == task.id]
    said = [slot for slot in places if slot.state == FREE and slot.name == task.workspace]
    return next(iter([*held, *said, *free]), None)


def _every_task(_project: str, _id: str) -> bool:
    return True


def _in_words(slot: Slot) -> str:
    if slot.state == BOUND:
        return f"{slot.name} is held by {slot.task}"
    return f"{slot.name} is quarantined ({slot.reason})" if slot.state == QUARANTINED else f"{slot.name} is free"


def _outcome(slot: Slot, released: Released) -> str:
    saved = f"; its work is saved: `orange task restore {slot.task}`" if released.saved else ""
    if released.quarantined is not None:
        return f"{slot.name} is quarantined: {released.quarantined}{saved}"
    return f"{slot.name} is free again; it was held by {slot.task}{saved}"

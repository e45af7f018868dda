"""The pool of workspaces: git worktrees that tasks hold while they are worked on, and that are reused.

Which task holds which slot is decided under the pool's lock and written at once; the slow work in a workspace is
done under that workspace's own lock. A task holds a slot as long as its own `workspace` field says so, it has a
transition that a killed command left unfinished, or its lock is held. Any other binding is orphaned: the slot is
released when a task needs one, or by `workspace gc`.
"""

from __future__ import annotations

import os
from contextlib import contextmanager

from orange_tui.domain.errors import NoWorkspace, OrangeError, Refused
from orange_tui.domain.records import record, replace
from orange_tui.home import clock
from orange_tui.outside.git import local
from orange_tui.store.store import BrokenTask, TaskRef
from orange_tui.trust.trust import Trust
from orange_tui.workspaces._checkout import Checkout, find_existing
from orange_tui.workspaces._contents import as_it_is, copy_files, keep_list, link_task, run_setup
from orange_tui.workspaces._save_and_reset import find_leftover, is_being_reset, reset, save_work
from orange_tui.workspaces.pool_file import BOUND, FREE, QUARANTINED, PoolFile, Slot
from orange_tui.workspaces.ports import lease_ports

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from orange_tui.domain.task import Task
    from orange_tui.home.log import Log
    from orange_tui.home.paths import Home
    from orange_tui.home.projects import Project, Projects
    from orange_tui.outside.git_worktree import Worktree
    from orange_tui.store.store import Store
    from orange_tui.workspaces._contents import Confine

    TaskExists = Callable[[str, str], bool]  # asked with a project and an id


@record
class ReleaseResult:
    """The result of releasing a workspace: the ref its work was saved under, and why it is quarantined."""

    saved: str | None = None
    quarantined: str | None = None


@record
class Pool:
    """The workspaces of one home."""

    store: Store
    projects: Projects
    log: Log
    confine: Confine = as_it_is

    @property
    def home(self) -> Home:
        """The home whose workspaces these are."""
        return self.store.home

    @property
    def _file(self) -> PoolFile:
        return PoolFile(self.home)

    def worktree(self, name: str) -> str:
        """The path of a workspace."""
        return os.path.join(self.home.workspaces, name)

    def ports(self, name: str | None) -> tuple[int, ...]:
        """The ports that are leased with a workspace."""
        slot = self._file.read().get(name or "")
        return slot.ports if slot is not None else ()

    def with_setup(self, project: Project) -> Project:
        """A project with what its repository says of set-up, where the person trusts it and has not said otherwise."""
        return replace(project, entry={**project.entry, **Trust(self.home).setup(project)})

    def _checked(self, project: Project) -> Project:
        """The same; refused where the repository brings something along that the person has not seen."""
        return replace(project, entry={**project.entry, **Trust(self.home).checked_setup(project)})

    def slots(self, project: Project | None = None) -> list[Slot]:
        """Every slot there is, in use or not, of one project or of all."""
        if project is not None:
            return self._file.slots_of(project, self._file.read())
        return self._file.all_slots(self.projects.all())

    def reserve(self, project: Project, task: Task) -> str:
        """Bind a free workspace to a task, or find the one it has; refused when there is none.

        Also where the repository brings something along that the person has not seen: setting up would run it.
        """
        if not self._is_prepared(task):
            project = self._checked(project)
        name = self._bind(project, task)
        if name is None:
            self._release_orphaned(project)
            name = self._bind(project, task)
        if name is None:
            raise NoWorkspace(self._none_free(project), project.pool_size)
        return name

    def _is_prepared(self, task: Task) -> bool:
        return any(slot.task == task.id and slot.prepared for slot in self._file.read().values())

    def _bind(self, project: Project, task: Task) -> str | None:
        with self._file.changing() as slots:
            slot = _choose(self._file.slots_of(project, slots), project, task)
            if slot is None:
                return None
            taken = {port for other in slots.values() if other.name != slot.name for port in other.ports}
            held = slot.ports if slot.task == task.id else ()
            slot = replace(slot, ports=lease_ports(held, project.entry.get("ports") or 0, taken))
            if slot.task == task.id:  # a quarantined one too: its work is still in there
                slots[slot.name] = replace(slot, state=BOUND, reason=None)
            else:
                slots[slot.name] = replace(slot, state=BOUND, task=task.id, since=clock.now(), prepared=False)
            return slot.name

    def _none_free(self, project: Project) -> str:
        holders = ", ".join(slot.describe(self._branch(slot)) for slot in self.slots(project))
        return (
            f"There is no free workspace for {project.name}: {holders}. Finish or cancel a task,"
            f" or `orange project update {project.name} --pool-size {project.pool_size + 1}`"
        )

    def _branch(self, slot: Slot) -> str | None:
        """The branch of the task that holds a slot, which is what people know it by."""
        found = self.store.read(TaskRef(slot.project, slot.task)) if slot.task else None
        return found.task.branch if found is not None and not isinstance(found, BrokenTask) else None

    def is_ready(self, task: Task) -> bool:
        """Whether the workspace that a task says it has exists, and is bound to it."""
        slot = self._file.read().get(task.workspace or "")
        if slot is None or (slot.state, slot.task) != (BOUND, task.id) or not slot.prepared:
            return False
        return os.path.exists(os.path.join(slot.path, ".git"))

    def prepare(self, project: Project, task: Task, name: str, *, set_up: bool = True) -> str | None:
        """Check the task's branch out in its workspace, with its links, and unless told not to, files and set-up.

        A workspace that was prepared before is the agent's: whatever is checked out and changed there stays. What
        somebody left in a free one is saved: returns the ref it is under.
        """
        with self._file.holding(name):
            slot = self._file.slot(project.name, name, self._file.read())
            if slot.state != BOUND or slot.task != task.id:
                raise Refused(f"{name} is not {task.id}'s workspace: {slot.describe()}")
            try:
                return self._prepare(project, task, slot, set_up=set_up)
            except OSError as problem:
                raise Refused(f"{name} could not be prepared: {problem}") from None

    def _prepare(self, project: Project, task: Task, slot: Slot, *, set_up: bool) -> str | None:
        existing = None if slot.making else find_existing(project, slot.path)
        if existing is not None and slot.prepared and not existing.restored:
            if existing.worktree.head() != local(task.branch):
                self.log.write("info", f"{slot.name} has another branch checked out than {task.branch}", task=task.id)
            link_task(self.home, task, existing.worktree)
            return None
        # What the fetch below brings counts from the next start: what is run now is what was trusted before.
        project = self._checked(project)
        keep_list(project)  # a mistake in it is told now, not when work is to be saved
        if task.branch == project.default_branch:
            raise Refused(f"{task.branch} is the default branch of {project.name}; a task needs one of its own")
        checkout = Checkout(project, task.branch, self.log)
        fetch_error = checkout.fetch()
        is_new = existing is None
        if existing is None:
            slot = self._add_worktree(checkout, slot, fetch_error)
            existing = find_existing(project, slot.path)
        if existing is None:
            raise Refused(f"{slot.path} disappeared while it was being created")
        worktree = existing.worktree
        worktree.remove_dead_locks()
        head, saved = worktree.head(), None
        if head != local(task.branch) or is_being_reset(worktree):
            clean = head == slot.head and (is_new or find_leftover(project, worktree, slot.index) is None)
            saved = checkout.switch(worktree, clean=clean, task=task.id)
        self._fill(project, task, slot, worktree, set_up=set_up)
        return saved

    def _fill(self, project: Project, task: Task, slot: Slot, worktree: Worktree, *, set_up: bool) -> None:
        """Put into a workspace what its task needs besides its branch; from then on, what is in it is the agent's."""
        link_task(self.home, task, worktree)
        if set_up:
            copy_files(project, worktree)
            run_setup(self.home, project, task, worktree, confine=self.confine, ports=slot.ports)
        self._file.put(replace(slot, prepared=True, head=None))

    def _add_worktree(self, checkout: Checkout, slot: Slot, fetch_error: str | None) -> Slot:
        """A new worktree; `making` is written first, so that half of one is recognised after a crash."""
        start_point = checkout.start_point(checkout.refs(), fetch_error)
        self._file.put(replace(slot, making=True))
        with self._file.making(slot.project):
            worktree = checkout.add_worktree(slot.path, start_point, retry=slot.making)
        made = replace(slot, making=False, prepared=False, head=worktree.head(), index=worktree.index_stamp())
        self._file.put(made)
        return made

    def release(self, project: Project, task_id: str, name: str) -> ReleaseResult:
        """Release a task's workspace. Work in it is saved first; where that cannot be done, it is quarantined."""
        with self._file.holding(name):
            slot = self._file.slot(project.name, name, self._file.read())
            if slot.state == FREE or slot.task != task_id:
                return ReleaseResult()
            return self._save_and_free(project, slot, task_id)

    def _save_and_free(self, project: Project, slot: Slot, task_id: str) -> ReleaseResult:
        saved = head = index = None
        project = self.with_setup(project)
        try:
            existing = None if slot.making else find_existing(project, slot.path)
            if existing is not None:
                work = save_work(project, existing.worktree, task_id)
                saved, slot = work.ref, self._unprepare(slot)
                head, index = reset(project, existing.worktree, work), existing.worktree.index_stamp()
        except (OrangeError, OSError) as problem:
            return self._quarantine(slot, ReleaseResult(saved, str(problem)))
        free = Slot(slot.name, slot.project, FREE, None, None, slot.path, clock.now(), head, index, making=slot.making)
        self._file.put(free)
        self.log.write("info", f"{slot.name} released", task=task_id, saved=saved)
        return ReleaseResult(saved)

    def _unprepare(self, slot: Slot) -> Slot:
        """Its work is saved and about to be removed: should its task come back, it must be prepared anew."""
        after = replace(slot, prepared=False, head=None)
        if after != slot:
            self._file.put(after)
        return after

    def _quarantine(self, slot: Slot, released: ReleaseResult) -> ReleaseResult:
        if slot.state != QUARANTINED or slot.reason != released.quarantined:
            since = clock.now() if slot.state != QUARANTINED else slot.since
            self._file.put(replace(slot, state=QUARANTINED, reason=released.quarantined, since=since))
            self.log.write("warning", f"{slot.name} quarantined", task=slot.task, reason=released.quarantined)
        return released

    def _release_orphaned(self, project: Project) -> None:
        """Release the slots that no task holds any more, because a task needs one now."""
        for slot in self.slots(project):
            self._release_if_orphaned(project, slot, _every_task)

    def _release_if_orphaned(self, project: Project, slot: Slot, exists: TaskExists) -> ReleaseResult | None:
        if slot.state == FREE or slot.task is None:
            return None
        with self._is_orphaned(slot, exists) as orphaned, self._file.holding(slot.name, wait=False) as held:
            now = self._file.slot(project.name, slot.name, self._file.read())
            if orphaned and held and (now.state, now.task) == (slot.state, slot.task):
                return self._save_and_free(project, now, slot.task)
        return None

    @contextmanager
    def _is_orphaned(self, slot: Slot, exists: TaskExists) -> Iterator[bool]:
        """Whether no task holds a slot any more; its task is locked meanwhile, so that it does not acquire it."""
        ref = TaskRef(slot.project, slot.task or "")
        if self.store.is_gone(ref) or not exists(ref.project, ref.id):
            yield True
            return
        with self.store.lock(ref, wait=False) as held:
            yield held and not self._holds(ref, slot.name)

    def _holds(self, ref: TaskRef, name: str) -> bool:
        found = self.store.read(ref)
        if isinstance(found, BrokenTask):
            return True  # nobody can tell
        return found.task.workspace == name or self.store.journal(ref).unfinished() is not None

    def gc(self, exists: TaskExists, name: str | None = None) -> list[str]:
        """Release orphaned slots, and those quarantined for a reason that is gone; returns a sentence for each.

        With a name, only that one.
        """
        sentences = []
        for slot in self.slots():
            if name not in {None, slot.name}:
                continue
            project = self.projects.find(slot.project)
            if project is None and slot.state != FREE:
                sentences.append(f"{slot.name} is left alone: {slot.project} is no longer registered")
            released = self._release_if_orphaned(project, slot, exists) if project is not None else None
            if released is not None:
                sentences.append(_describe_release(slot, released))
        return sentences

    def init(self, project: Project) -> list[str]:
        """Create every worktree of a project that does not exist yet; returns the names of those."""
        checkout = Checkout(project, project.default_branch, self.log)
        fetch_error = checkout.fetch()
        slots = self.slots(project)[: project.pool_size]
        return [slot.name for slot in slots if self._init(project, checkout, slot, fetch_error)]

    def _init(self, project: Project, checkout: Checkout, slot: Slot, fetch_error: str | None) -> bool:
        with self._file.holding(slot.name):
            now = self._file.slot(project.name, slot.name, self._file.read())
            if now.state != FREE or not (now.making or find_existing(project, slot.path) is None):
                return False
            self._add_worktree(checkout, now, fetch_error)
            return True


def _choose(slots: list[Slot], project: Project, task: Task) -> Slot | None:
    """The slot that is bound to a task, else the free one its `workspace` names, else the first free one."""
    free = [slot for slot in slots[: project.pool_size] if slot.state == FREE]
    bound = [slot for slot in slots if slot.task == task.id]
    named = [slot for slot in slots if slot.state == FREE and slot.name == task.workspace]
    return next(iter([*bound, *named, *free]), None)


def _every_task(_project: str, _id: str) -> bool:
    return True


def _describe_release(slot: Slot, released: ReleaseResult) -> str:
    saved = f"; its work is saved: `orange task restore {slot.task}`" if released.saved else ""
    if released.quarantined is not None:
        return f"{slot.name} is quarantined: {released.quarantined}{saved}"
    return f"{slot.name} is free again; it was held by {slot.task}{saved}"

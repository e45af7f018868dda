"""All parts of one home, put together: what the command line, the app and the demo work with."""

from __future__ import annotations

import sys

from orange_tui.domain.errors import OrangeError
from orange_tui.domain.records import record, replace
from orange_tui.engine import hooks
from orange_tui.engine.engine import Engine
from orange_tui.engine.hooks import Actions
from orange_tui.engine.parts import HomeParts
from orange_tui.engine.tasks import Tasks
from orange_tui.home import paths
from orange_tui.home.log import Log
from orange_tui.home.projects import DEFAULT_WORKFLOW, Projects
from orange_tui.home.workflows import Workflows
from orange_tui.outside.git_guard.judge import use_judge
from orange_tui.store.store import Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from orange_tui.agents.approvals.approvals import Approvals
    from orange_tui.agents.chat import ProjectChats
    from orange_tui.agents.harnesses import Harnesses
    from orange_tui.board.board import Boards
    from orange_tui.domain.engine_values import RecordedMove
    from orange_tui.domain.harnesses.harness import Harness
    from orange_tui.domain.task import Task
    from orange_tui.engine.actions.run_window import RunWindows
    from orange_tui.engine.agents import Agents
    from orange_tui.home.paths import Home
    from orange_tui.jobs.jobs import ScheduledJobs
    from orange_tui.jobs.scheduler import JobScheduler
    from orange_tui.outside.tmux.server import Tmux
    from orange_tui.sessions.liveness import Sessions
    from orange_tui.sessions.screens import AgentScreens
    from orange_tui.store.feed import TaskFeed
    from orange_tui.store.index import TaskIndex
    from orange_tui.store.journal import Journal
    from orange_tui.supervisor.doctor import Doctor
    from orange_tui.supervisor.supervisor import Supervisor
    from orange_tui.trust.trust import Trust
    from orange_tui.workspaces.pool import Pool
    from orange_tui.workspaces.saved_work import SavedWorkStore


@record
class Orange:
    """Everything there is under one ORANGE_HOME."""

    home: Home
    log: Log
    projects: Projects
    workflows: Workflows
    store: Store
    engine: Engine
    tasks: Tasks

    @property
    def agents(self) -> Agents:
        """The verbs about agents; most commands need none of them."""
        from orange_tui.engine.agents import Agents

        return Agents(self.tasks)

    @property
    def runs(self) -> RunWindows:
        """The projects' own commands in tasks' workspaces."""
        from orange_tui.engine.actions.run_window import RunWindows

        return RunWindows(self.engine)

    @property
    def trust(self) -> Trust:
        """What the person trusts in the repositories."""
        from orange_tui.trust.trust import Trust

        return Trust(self.home)

    @property
    def sessions(self) -> Sessions:
        """Who is alive in tmux."""
        return self.engine.parts.sessions

    @property
    def screens(self) -> AgentScreens:
        """What agents show on their screens."""
        from orange_tui.agents.messages import harness_of_window
        from orange_tui.sessions.screens import AgentScreens

        def harness_of(journal: Journal, window: str) -> Harness | None:
            return harness_of_window(self.harnesses, journal, window)

        return AgentScreens(self.sessions, self.store, harness_of)

    @property
    def approvals(self) -> Approvals:
        """What agents ask to be allowed."""
        from orange_tui.agents.approvals import approvals

        return approvals.Approvals(self.store)

    @property
    def tmux(self) -> Tmux:
        """The tmux server."""
        return self.engine.parts.tmux

    def use_libtmux(self) -> None:
        """Let libtmux run tmux from now on: in the app and `orange serve`, where its import is not felt.

        Where it cannot be loaded (a damaged installation, another thread in the middle of the same import), tmux is run
        by ourselves, as before.
        """
        try:
            if not hasattr(sys.stdout, "encoding"):  # libtmux reads it on import; what Textual puts there has none
                sys.stdout.encoding = "utf-8"  # type: ignore[misc]
            from orange_tui.outside.tmux.libtmux_runner import run_with_libtmux
        except Exception as problem:  # noqa: BLE001 - whatever it is, Orange works without it
            self.log.write("warning", f"libtmux could not be loaded, tmux is run without it: {problem!r}")
            return
        self.tmux.use(run_with_libtmux)

    @property
    def harnesses(self) -> Harnesses:
        """The agents there are."""
        return self.engine.parts.harnesses

    @property
    def chats(self) -> ProjectChats:
        """The orchestrator chats."""
        from orange_tui.agents import chat

        return chat.ProjectChats(self.home, self.tmux, self.harnesses)

    @property
    def jobs(self) -> ScheduledJobs:
        """What is created on a schedule."""
        from orange_tui.jobs import job_file, jobs

        file = job_file.JobFile(self.home)
        return jobs.ScheduledJobs(file, self.projects, self.workflows, self.harnesses, self.store)

    @property
    def pool(self) -> Pool:
        """The workspaces."""
        return self.engine.parts.pool

    @property
    def saved_work(self) -> SavedWorkStore:
        """The work that was saved when workspaces were released."""
        from orange_tui.workspaces import saved_work

        return saved_work.SavedWorkStore(self.projects, self.store, self.engine.open)

    def new_index(self) -> TaskIndex:
        """An index of all tasks, with nothing read yet: for the app and `orange serve`. A command does without."""
        from orange_tui.agents import messages
        from orange_tui.store import index

        return index.TaskIndex(self.store, messages.undelivered)

    def new_feed(self, index: TaskIndex | None = None) -> TaskFeed:
        """What changes in this home, told to the index first."""
        from orange_tui.store import feed

        return feed.TaskFeed(self.home, index or self.new_index())

    def new_boards(self, index: TaskIndex) -> Boards:
        """The board of all projects."""
        from orange_tui.board import board, projects_and_pool

        others = projects_and_pool.ProjectsAndPool(self.home, self.projects)
        return board.Boards(index, self.sessions, self.workflows, others)

    def new_supervisor(self, feed: TaskFeed | None = None, scheduler: JobScheduler | None = None) -> Supervisor:
        """What acts for this home; the app has a feed already."""
        from orange_tui.delivery.pr_watcher import PullRequestWatcher
        from orange_tui.issues.watcher import IssueWatcher
        from orange_tui.jobs.scheduler import JobScheduler
        from orange_tui.notices.watcher import NoticeWatcher, WatcherParts
        from orange_tui.sessions.screen_watcher import ScreenWatcher
        from orange_tui.supervisor import supervisor
        from orange_tui.usage import collector

        feed = feed or self.new_feed()
        read = collector.CollectorParts(self.home, self.store, self.projects, self.harnesses, self.log)
        index = feed.index
        notices = WatcherParts(self.home, self.log, feed, self.sessions, lambda: self.new_boards(index))
        parts = supervisor.SupervisorParts(
            tasks=self.tasks,
            agents=self.agents,
            feed=feed,
            pull_requests=PullRequestWatcher(self.tasks),
            issues=IssueWatcher(self.tasks),
            scheduler=scheduler or JobScheduler(self.jobs.file, self.tasks),
            expire_saved_work=self.saved_work.expire,
            companions=(
                ScreenWatcher(self.screens, feed.index.find, self.approvals.settle, self.log).run,
                collector.UsageCollector(read, feed.index).run,
                NoticeWatcher(notices).run,
            ),
        )
        return supervisor.Supervisor(parts)

    @property
    def doctor(self) -> Doctor:
        """What `orange doctor` examines."""
        from orange_tui.supervisor import doctor

        return doctor.Doctor(self.home, self.tasks, self.recover)

    def recover(self) -> list[str]:
        """Finish what crashes have left behind, now; a sentence for everything that was done."""
        from orange_tui.supervisor import cleanup

        index = self.new_index()
        index.refresh_all()
        return list(cleanup.recover(self.tasks, index.entries(), self.saved_work.expire))


def assemble(home: Home | None = None, actions: Actions | None = None) -> Orange:
    """Put the parts of a home together. Nothing is read or written yet."""
    home = home or paths.find_home()
    projects = Projects(home)
    workflows = Workflows(home.root, paths.shipped("workflows"))
    store = Store(
        home,
        lambda task: _fill_in(task, projects, workflows),
        lambda move: _may_move(move, workflows),
        lambda task_id, workspace: _confirm_workspace(task_id, workspace, home),
    )
    log = Log(home.log_file)
    parts = HomeParts(home, log, projects, workflows, store)
    use_judge(lambda repository: _trusted_in(home, repository))
    engine = Engine(parts, actions or Actions(hooks.BUILT_IN))
    return Orange(home, log, projects, workflows, store, engine, Tasks(engine))


def _trusted_in(home: Home, repository: str) -> Collection[str]:
    from orange_tui.trust.trust import Trust

    return Trust(home).trusted(repository)


def _fill_in(task: Task, projects: Projects, workflows: Workflows) -> Task:
    """A TASK.md that says neither workflow nor status has its project's workflow and that one's first state."""
    if task.workflow and task.status:
        return task
    project = projects.find(task.project) if not task.workflow else None
    workflow = task.workflow or (project.workflow if project else DEFAULT_WORKFLOW)
    try:
        status = task.status or workflows.load(workflow).first_state
    except OrangeError:
        status = task.status
    return replace(task, workflow=workflow, status=status)


def _may_move(move: RecordedMove, workflows: Workflows) -> bool:
    """Whether the workflow has a move, or may have had it: nobody knows what a file said before it was written to."""
    try:
        workflow = workflows.load(move.workflow)
    except OrangeError:
        return True
    words = (move.source, move.target, move.actor, move.start)
    if workflow.has_move(*words) or workflows.has_changed_since(move.workflow, move.stamp):
        return True
    return any(earlier.has_move(*words) for earlier in workflows.earlier(move.workflow))


def _confirm_workspace(task_id: str, workspace: str, home: Home) -> str | None:
    """The workspace of a task that claims one; where that is another task's, the one that the pool has for it."""
    from orange_tui.workspaces.pool_file import PoolFile

    try:
        slots = PoolFile(home).read()
    except OrangeError:
        return workspace  # nobody can tell
    slot = slots.get(workspace)
    if slot is None or slot.task in {None, task_id}:
        return workspace
    return next((each.name for each in slots.values() if each.task == task_id), None)

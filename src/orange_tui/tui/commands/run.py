"""What each key does, once it is clear that it can be used: ask what must be asked, then start a job."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING

from orange_tui.domain.task import printable
from orange_tui.tui.commands.keys import enter_does
from orange_tui.tui.screens.dialogs import Confirm, Write

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.strip import Strip

    from orange_tui.board.rows import TaskRow
    from orange_tui.tui.screens.dashboard import Dashboard

_LAST_LINES = 1000
_READABLE = 100  # cells of a line of prose: longer ones are hard to follow


def run(dashboard: Dashboard, name: str) -> None:
    """Run a command by its name."""
    if name in _ANYWHERE:
        _ANYWHERE[name](dashboard)
    elif dashboard.row is not None:
        _ON_TASK[name](dashboard, dashboard.row)


def _enter(dashboard: Dashboard, row: TaskRow) -> None:
    does = enter_does(dashboard, row)
    jobs, orange = dashboard.app.jobs, dashboard.orange
    if does == "attach":
        from orange_tui.tui.commands.attaching import attach

        dashboard.app.run_worker(attach(dashboard, row), group="attach")
    elif does == "spawn":
        jobs.start(row.ref, "Starting", lambda _say: _moved(orange.tasks.spawn(row.ref).hook_errors))
    else:
        for each in _lost_with(dashboard, row):
            _bring_back(dashboard, each)


def _lost_with(dashboard: Dashboard, row: TaskRow) -> list[TaskRow]:
    """Who comes back with a task: nobody else, or where tmux itself was lost, all who were lost with it."""
    snapshot = dashboard.app.snapshot
    if row.session != "lost" or snapshot is None:
        return [row]
    return [each for each in snapshot.rows if each.session == "lost" and enter_does(dashboard, each) == "respawn"]


def _bring_back(dashboard: Dashboard, row: TaskRow) -> None:
    def work(_say: object) -> None:
        dashboard.orange.agents.respawn(row.ref, resume=row.session == "lost")

    dashboard.app.jobs.start(row.ref, "Bringing back", work)


def _chat(dashboard: Dashboard) -> None:
    from orange_tui.tui.commands.attaching import talk

    dashboard.app.run_worker(talk(dashboard), group="attach")


def _answer(dashboard: Dashboard, row: TaskRow) -> None:
    from orange_tui.tui.tabs.sources import questions_of

    def send(text: str | None) -> None:
        if text:
            dashboard.app.jobs.start(
                row.ref, "Sending", lambda _say: _delivered(dashboard.orange.agents.answer(row.ref, text))
            )

    hint = "It is pasted into the agent's input and submitted; while the agent asks for a permission, it waits."
    asked = lambda: questions_of(dashboard.orange, row.ref)  # noqa: E731
    dashboard.app.push_screen(Write(f"Answer {_name(row)}", hint, "Send", asked=asked), send)


def _delivered(at_once: bool) -> str:
    return "Delivered." if at_once else "It waits until the agent can take it."


def _send_back(dashboard: Dashboard, row: TaskRow) -> None:
    from orange_tui.delivery.feedback import request_changes, request_to_resolve, tell_worker
    from orange_tui.tui.commands.keys import can_go_back

    orange, goes_back = dashboard.orange, can_go_back(dashboard, row)
    found = row.conflicts if row.conflicts is not None and row.conflicts.files else None
    prepared = request_to_resolve(found.base, found.files, hand_in=goes_back) if found is not None else ""

    def send(text: str | None) -> None:
        if text and goes_back:
            work = lambda _say: _moved(request_changes(orange, row.ref, text).hook_errors)  # noqa: E731
            dashboard.app.jobs.start(row.ref, "Sending back", work)
        elif text:
            dashboard.app.jobs.start(
                row.ref, "Telling the worker", lambda _say: _delivered(tell_worker(orange, row.ref, text))
            )

    hint = "What you write goes to ## Feedback in TASK.md, the task back to work, and the worker is told."
    if not goes_back:
        hint = f"It is {row.task.status if row.task else 'at work'} and stays so: the worker gets this as a message."
    title = f"Ask {_name(row)} for changes" if found is None else f"{_name(row)} would not merge: ask to resolve it"
    dashboard.app.push_screen(Write(title, hint, "Send back" if goes_back else "Send", prepared), send)


def _merge(dashboard: Dashboard, row: TaskRow) -> None:
    from orange_tui.tui.commands.keys import DONE, has_move

    reviewed = has_move(dashboard, row, DONE, "person")

    def merge(yes: bool | None) -> None:
        if yes:
            from orange_tui.delivery.merge import Merges

            def work(say: Callable[[str], None]) -> str:
                try:
                    merged = Merges(dashboard.orange.tasks).merge(
                        row.ref, strategy=None, local=False, force=not reviewed, say=say
                    )
                finally:  # a refused one, too, has fetched what is new
                    dashboard.app.call_later(dashboard.app.look_at_branches)
                return f"Merged as {merged.commit[:10]}" + (" and pushed." if merged.pushed else ".")

            dashboard.app.jobs.start(row.ref, "Merging", work)

    title = f"Merge {_name(row)}?" if reviewed else "Not reviewed. Force merge?"
    what = f"{row.task.branch if row.task else ''} is merged into the default branch and pushed if there is a remote."
    what += " Then its session ends and its workspace is released, with whatever is not committed saved."
    dashboard.app.push_screen(Confirm(title, what, "Merge" if reviewed else "Force merge"), merge)


def _cancel(dashboard: Dashboard, row: TaskRow) -> None:
    def cancel(yes: bool | None) -> None:
        if yes:
            work = lambda _say: _moved(dashboard.orange.tasks.cancel(row.ref).hook_errors)  # noqa: E731
            dashboard.app.jobs.start(row.ref, "Cancelling", work)

    what = "Its session ends and its workspace is released. Commits stay on the branch; what is not committed is saved."
    dashboard.app.push_screen(Confirm(f"Cancel {_name(row)}?", what, "Cancel the task"), cancel)


def _delete(dashboard: Dashboard, row: TaskRow) -> None:
    def delete(yes: bool | None) -> None:
        if yes:
            dashboard.app.jobs.start(row.ref, "Deleting", lambda _say: dashboard.orange.tasks.delete(row.ref))

    what = "Its TASK.md, history and logs are deleted for good. The branch and its commits stay."
    what += " Work that was saved from its workspace can be had back for 30 days (S)."
    dashboard.app.push_screen(Confirm(f"Delete {_name(row)}?", what, "Delete"), delete)


def _retry(dashboard: Dashboard, row: TaskRow) -> None:
    from orange_tui.autopilot.attempts import retry
    from orange_tui.tui.commands.keys import is_under_way

    def start_over(yes: bool | None) -> None:
        if yes:
            work = lambda _say: _moved(retry(dashboard.orange.engine, row.ref).hook_errors)  # noqa: E731
            dashboard.app.jobs.start(row.ref, "Starting over", work)

    if not is_under_way(dashboard, row):
        start_over(yes=True)
        return
    what = "Its agent is ended, and it begins again when there is room. What is committed stays."
    dashboard.app.push_screen(Confirm(f"Start {_name(row)} over?", what, "Start over"), start_over)


def _unblock_all(dashboard: Dashboard) -> None:
    from orange_tui.autopilot.attempts import unblock_all

    async def work() -> None:
        results = await asyncio.to_thread(unblock_all, dashboard.orange.engine, dashboard.app.project)
        done = sum(problem is None for _, problem in results)
        dashboard.notify(f"{done} unblocked." if done or results else "Nothing is blocked.", markup=False)
        for ref, problem in results:
            if problem is not None:
                said = f"{ref.id} stays blocked: {problem}"
                dashboard.notify(said, severity="error", timeout=15, markup=False)

    dashboard.app.run_worker(work, group="unblock", exit_on_error=False)  # type: ignore[arg-type]


def _read(dashboard: Dashboard, row: TaskRow) -> None:
    from orange_tui.tui.screens.pages import Page
    from orange_tui.tui.tabs.sources import task_lines

    app = dashboard.app
    lines = lambda width: task_lines(app.orange, row, min(width, _READABLE), app.palette)  # noqa: E731
    app.push_screen(Page(f"TASK.md · {_name(row)}", lines, follows=True))


def _map(dashboard: Dashboard, row: TaskRow) -> None:
    from orange_tui.tui.commands.keys import workflow_of
    from orange_tui.tui.drawing.workflow_map import workflow_map
    from orange_tui.tui.screens.pages import Page

    workflow = workflow_of(dashboard, row)
    if workflow is None:
        dashboard.notify("Its workflow cannot be read; `orange workflow check` says why.", markup=False)
        return

    def lines(width: int) -> list[Strip]:
        rows = dashboard.app.snapshot.rows if dashboard.app.snapshot else ()
        now = next((each.task for each in rows if each.ref == row.ref), row.task)
        tasks = [each.task for each in rows if each.task is not None]
        return workflow_map(workflow, tasks, now, max(60, width), dashboard.app.palette)

    dashboard.app.push_screen(Page(f"Workflow {workflow.name}", lines, follows=True))


def _pull_request(dashboard: Dashboard, row: TaskRow) -> None:
    url = row.task.pr_url if row.task is not None else None
    if url is not None:
        dashboard.app.copy_to_clipboard(url)
        dashboard.app.jobs.start(row.ref, "Opening", lambda _say: _browse(url))
        return

    def create(yes: bool | None) -> None:
        if yes:
            from orange_tui.delivery.pull_requests import create_pull_request

            dashboard.app.jobs.start(
                row.ref, "Making a PR", lambda _say: create_pull_request(dashboard.orange.tasks, row.ref)
            )

    what = f"{_name(row)} is pushed, and a pull request is opened with the summary as its title."
    dashboard.app.push_screen(Confirm(f"Make a pull request of {_name(row)}?", what, "Make it"), create)


def _browse(url: str) -> str | None:
    """Open an address, but in no browser that would take our terminal; what to tell the person, if it did not go."""
    import webbrowser

    try:
        takes_the_terminal = type(webbrowser.get()) is webbrowser.GenericBrowser
    except webbrowser.Error:
        takes_the_terminal = True
    return f"{url} is in the clipboard" if takes_the_terminal or not webbrowser.open(url) else None


def _refresh(dashboard: Dashboard, row: TaskRow) -> None:
    from orange_tui.delivery.pr_status import refresh

    dashboard.app.jobs.start(row.ref, "Asking GitHub", lambda _say: refresh(dashboard.orange.tasks, row.ref))


def _workspace(dashboard: Dashboard, row: TaskRow) -> None:
    from orange_tui.tui.screens.workspace import Workspace

    dashboard.app.push_screen(Workspace(row))


def _diff(dashboard: Dashboard, row: TaskRow) -> None:
    from orange_tui.tui.screens.diff import Diff

    dashboard.app.push_screen(Diff(row))


def _projects(dashboard: Dashboard) -> None:
    from orange_tui.tui.forms.projects import Projects

    dashboard.app.push_screen(Projects())


def _saved(dashboard: Dashboard) -> None:
    from orange_tui.tui.screens.saved import SavedWork

    dashboard.app.push_screen(SavedWork(dashboard.row.ref if dashboard.row is not None else None))


def _jobs(dashboard: Dashboard) -> None:
    from orange_tui.tui.screens.schedule import Schedule

    dashboard.app.push_screen(Schedule())


def _log(dashboard: Dashboard) -> None:
    from orange_tui.presentation.log import log_line
    from orange_tui.tui.screens.pages import Page, plain

    def lines(_width: int) -> list[Strip]:
        last = deque(dashboard.orange.log.entries(), maxlen=_LAST_LINES)
        text = "\n".join(printable(log_line(entry)) for entry in reversed(last))
        return plain(text or "Nothing has been logged yet.", dashboard.app.palette)

    dashboard.app.push_screen(Page("Log, newest first", lines))


def _copy(dashboard: Dashboard, row: TaskRow) -> None:
    dashboard.app.copy_to_clipboard(row.ref.id)
    dashboard.notify(f"{row.ref.id} is in the clipboard.", markup=False)


def _help(dashboard: Dashboard) -> None:
    from orange_tui.tui.screens.help import help_lines
    from orange_tui.tui.screens.pages import Page

    row = dashboard.row
    dashboard.app.push_screen(Page("Help", lambda width: help_lines(dashboard, row, width, dashboard.app.palette)))


def _create(dashboard: Dashboard) -> None:
    from orange_tui.tui.forms.create import Create

    dashboard.app.push_screen(Create())


def _tab(dashboard: Dashboard) -> None:
    from orange_tui.tui.widgets.preview import Preview

    dashboard.query_one(Preview).next_tab()


def _moved(errors: tuple[str, ...]) -> str | None:
    return f"Done, but {'; '.join(errors)}" if errors else None


def _name(row: TaskRow) -> str:
    return row.task.branch if row.task is not None else row.ref.id


_ANYWHERE: dict[str, Callable[[Dashboard], None]] = {
    "create": _create,
    "next": lambda dashboard: dashboard.next_in_need(),
    "filter": lambda dashboard: dashboard.next_filter(),
    "search": lambda dashboard: dashboard.begin_search(),
    "tree": lambda dashboard: dashboard.toggle_tree(),
    "tab": _tab,
    "help": _help,
    "log": _log,
    "saved": _saved,
    "projects": _projects,
    "jobs": _jobs,
    "chat": _chat,
    "theme": lambda dashboard: dashboard.app.search_themes(),
    "unblock_all": _unblock_all,
    "quit": lambda dashboard: dashboard.app.exit(),
}
_ON_TASK: dict[str, Callable[[Dashboard, TaskRow], None]] = {
    "enter": _enter,
    "answer": _answer,
    "send_back": _send_back,
    "retry": _retry,
    "merge": _merge,
    "cancel": _cancel,
    "delete": _delete,
    "read": _read,
    "copy": _copy,
    "pull_request": _pull_request,
    "refresh": _refresh,
    "workspace": _workspace,
    "diff": _diff,
    "map": _map,
}

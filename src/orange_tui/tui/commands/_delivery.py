"""Commands that deliver a task's work: merge it, open its pull request, ask GitHub how that stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orange_tui.domain.errors import Refused
from orange_tui.domain.task import check_web_address
from orange_tui.tui.commands._tasks import impossible, why_not_readable
from orange_tui.tui.commands.context import branch_of
from orange_tui.tui.listing.merged import MERGING

if TYPE_CHECKING:
    from orange_tui.board.rows import TaskRow
    from orange_tui.delivery.merging.forecast import MergeForecast
    from orange_tui.domain.pull_request import PullRequestStatus
    from orange_tui.domain.workflow import Actor, Workflow
    from orange_tui.tui.background_work import ReportStep
    from orange_tui.tui.commands.context import CommandContext
    from orange_tui.tui.screens.delivery import MergeChoice


def why_no_merge(workflow: Workflow | None, row: TaskRow) -> str | None:
    """Merging needs a way to a good end, if only by force."""
    return None if _can_end_well(workflow, row, "person", "force") else impossible("merged", row)


def _can_end_well(workflow: Workflow | None, row: TaskRow, *actors: Actor) -> bool:
    if workflow is None or row.task is None:
        return False
    return any(workflow.good_ends(row.task.status, actor) for actor in actors)


def merge(context: CommandContext) -> None:
    """Merge the branch of a task; what was not reviewed, only by force. The dialog says what that will do."""
    from orange_tui.tui.screens.delivery import MergeDialog

    row, orange = context.row, context.orange
    is_reviewed = _can_end_well(context.workflow_of(row), row, "person")

    def on_answer(choice: MergeChoice | None) -> None:
        if choice is not None:
            context.start(MERGING, lambda report: work(choice, report))

    def work(choice: MergeChoice, report: ReportStep) -> str:
        from orange_tui.delivery.merging.merge import Merger

        try:
            merged = Merger(orange.tasks).merge(row.ref, **vars(choice), force=not is_reviewed, report=report)
        finally:  # a refused one, too, has fetched what is new
            context.app.call_later(context.shared.measure_branches)
        said = merged.sentence()
        return f"{said[:1].upper()}{said[1:]}."

    def work_out() -> MergeForecast:
        from orange_tui.delivery.merging.forecast import forecast

        return forecast(orange.tasks, row.ref)

    title = f"Merge {branch_of(row)}?" if is_reviewed else f"{branch_of(row)}: Not reviewed. Force merge?"
    context.show(MergeDialog(title, "Merge" if is_reviewed else "Force merge", work_out), on_answer)


def why_no_pull_request(workflow: Workflow | None, row: TaskRow) -> str | None:
    """One that is there can be opened; to create one, there must be work under way."""
    if row.task is None or row.task.pr_url is not None or not (row.finished or row.task.workspace is None):
        return why_not_readable(workflow, row)
    return "No pull request yet, and no work to create one from"


def pull_request(context: CommandContext) -> None:
    """Open the pull request of a task, or create one; what is not in it yet is pushed first."""
    row = context.row
    url = row.task.pr_url if row.task is not None else None
    if url is None:
        _create_pull_request(context)
        return
    if row.pull_request is not None and row.pull_request.unpushed_sentence() and not row.finished:
        _push_to_pull_request(context, row.pull_request)
        return
    try:
        check_web_address(url)
    except Refused as problem:  # an agent can write any address into its TASK.md
        context.notify_error(f"Not opened: {problem}", "Pull request")
        return
    context.app.copy_to_clipboard(url)
    context.start("Opening", lambda _report: _open(context, url))


def _create_pull_request(context: CommandContext) -> None:
    from orange_tui.tui.screens.dialogs import ProceedDialog

    row, orange = context.row, context.orange

    def on_answer(yes: bool | None) -> None:
        if yes:
            from orange_tui.delivery.pull_requests import create_pull_request

            context.start("Creating the PR", lambda _report: create_pull_request(orange.tasks, row.ref))

    name = branch_of(row)
    what = f"{name} is pushed, and a pull request is opened with the summary as its title. Nothing can be lost."
    context.show(ProceedDialog(f"Create a pull request for {name}?", what, "Create it"), on_answer)


def _push_to_pull_request(context: CommandContext, known: PullRequestStatus) -> None:
    from orange_tui.delivery.wording import counted
    from orange_tui.tui.screens.dialogs import ProceedDialog

    row, orange = context.row, context.orange

    def work(_report: ReportStep) -> str:
        from orange_tui.delivery.pr_status import count_unpushed
        from orange_tui.delivery.pull_requests import create_pull_request

        count_unpushed(orange.tasks, row.ref, create_pull_request(orange.tasks, row.ref))
        return f"Pull request {known.name} has everything now; p opens it."

    def on_answer(yes: bool | None) -> None:
        if yes:
            context.start("Pushing", work)

    left = counted(known.unpushed, "commit")
    what = f"What is new on {branch_of(row)} is pushed: {left}. Nothing there is overwritten or lost."
    context.show(ProceedDialog(f"Push to pull request {known.name}?", what, "Push"), on_answer)


def _open(context: CommandContext, url: str) -> str | None:
    """Open it; whoever looks at it there is told what is not in it."""
    from orange_tui.delivery.pr_status import count_unpushed

    left = count_unpushed(context.orange.tasks, context.row.ref, url).unpushed_sentence()
    said = _open_in_browser(url)
    return "; ".join(part for part in (said, left) if part) or None


def _open_in_browser(url: str) -> str | None:
    """Open an address, but in no browser that would take our terminal; what to tell the person where none opened."""
    import webbrowser

    try:
        takes_the_terminal = type(webbrowser.get()) is webbrowser.GenericBrowser
    except webbrowser.Error:
        takes_the_terminal = True
    return f"Copied {url}" if takes_the_terminal or not webbrowser.open(url) else None


def open_run(context: CommandContext) -> None:
    """Open what the project's command serves; where it does not run, it is started first."""
    row, orange = context.row, context.orange

    def work(_report: object) -> str | None:
        state = orange.runs.state(row.ref)
        started = not state.is_running
        if started:
            state = orange.runs.start(row.ref)
        if state.address is None:
            return f"`{state.command}` {'was started' if started else 'runs'}; it has no port (`ports` of the project)."
        if started:
            return f"`{state.command}` was started; o again opens {state.address} once it answers."
        context.app.call_from_thread(context.app.copy_to_clipboard, state.address)
        return _open_in_browser(state.address)

    context.start("Running", work)


def why_no_refresh(workflow: Workflow | None, row: TaskRow) -> str | None:
    """Only of a pull request that is there can GitHub tell something."""
    if row.task is None or row.task.pr_url is not None:
        return why_not_readable(workflow, row)
    return "No pull request yet" + ("; p creates one" if why_no_pull_request(workflow, row) is None else "")


def refresh(context: CommandContext) -> None:
    """Ask GitHub now, not at the next poll."""
    from orange_tui.delivery import pr_status

    row, orange = context.row, context.orange
    context.start("Refreshing the PR", lambda _report: pr_status.refresh(orange.tasks, row.ref))


def why_no_send_review(workflow: Workflow | None, row: TaskRow) -> str | None:
    """A review is sent from a task that is there for it."""
    has_pull_request = row.task is not None and row.task.pr_url is not None
    if workflow is not None and row.task is not None and has_pull_request and workflow.ends_by_itself(row.task.status):
        return None
    return why_not_readable(workflow, row) or "Only the review of somebody else's pull request is sent"


def send_review(context: CommandContext) -> None:
    """Send the comments on a pull request to its forge, with a text and a verdict."""
    from orange_tui.tui.screens.delivery import SendReviewDialog

    row, orange = context.row, context.orange

    def on_answer(answer: tuple[str, str] | None) -> None:
        if answer is not None:
            context.start("Sending the review", lambda _report: work(*answer))

    def work(text: str, verdict: str) -> str:
        from orange_tui.delivery.send_review import ReviewSender

        return f"{branch_of(row)}: {ReviewSender(orange.tasks).send(row.ref, text, verdict).sentence()}"

    context.show(SendReviewDialog(f"Send the review of {branch_of(row)}", drafts=context.shared.drafts), on_answer)

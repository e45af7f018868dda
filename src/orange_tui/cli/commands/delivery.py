"""The `task` commands that deliver work: merge it, open a pull request for it, review somebody else's."""

from __future__ import annotations

from orange_tui.cli.commands.tasks import confirm, created_reply, task_reply, text_or_stdin
from orange_tui.cli.reply import Reply, printable_text
from orange_tui.cli.targets import target_project, target_task
from orange_tui.domain.errors import OrangeError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.cli.parsing.grammar import Parsed
    from orange_tui.delivery.merging.merge import MergeResult
    from orange_tui.orange import Orange
    from orange_tui.store.store import TaskRef


def merge(parsed: Parsed, orange: Orange) -> Reply:
    """`orange task merge`; asks first if nobody has reviewed the work."""
    from orange_tui.delivery.merging.merge import NotReviewed

    ref = target_task(parsed, orange)
    notes: list[str] = []
    try:
        merged = _merge(parsed, orange, ref, notes, force=parsed.flag("force"))
    except NotReviewed as question:
        confirm(str(question), parsed, "force")
        merged = _merge(parsed, orange, ref, notes, force=True)
    return _merged_reply(merged, (*notes, *_unsent_drafts(ref, orange)), orange)


def _unsent_drafts(ref: TaskRef, orange: Orange) -> tuple[str, ...]:
    """That the person has written comments and not sent them: the work was merged without an answer to them."""
    from orange_tui.review.threads_file import ThreadsFile

    try:
        threads = ThreadsFile(orange.home, ref.project, ref.id).read()
    except OrangeError:
        return ()
    count = sum(thread.state == "draft" and thread.by == "person" for thread in threads)
    if not count:
        return ()
    which = "A comment of yours was" if count == 1 else f"{count} comments of yours were"
    return (f"{which} never sent to the agent; `orange task threads {ref.id}` shows what you wrote",)


def _merge(parsed: Parsed, orange: Orange, ref: TaskRef, notes: list[str], *, force: bool) -> MergeResult:
    from orange_tui.delivery.merging.merge import Merger

    return Merger(orange.tasks).merge(
        ref,
        strategy=parsed.text("strategy"),
        local=parsed.flag("local"),
        force=force,
        verify=parsed.flag("verify"),
        report=notes.append,
    )


def _merged_reply(merged: MergeResult, notes: tuple[str, ...], orange: Orange) -> Reply:
    reply = task_reply(merged.moved.task, merged.moved, orange)
    data: dict[str, object] = {"commit": merged.commit, "strategy": merged.strategy, "pushed": merged.pushed}
    data["checks"] = list(merged.checks)
    data["merged"] = vars(merged.summary) if merged.summary is not None else None
    text = f"{reply.text}  {merged.sentence()}" if merged.commit else reply.text
    return Reply(text, lambda: _combined_json(reply, data), (*notes, *reply.notes))


def _combined_json(reply: Reply, data: dict[str, object]) -> dict[str, object]:
    known = reply.data() if callable(reply.data) else reply.data
    return {**known, **data} if isinstance(known, dict) else data


def create_pr(parsed: Parsed, orange: Orange) -> Reply:
    """`orange task create-pr`."""
    from orange_tui.delivery.pr_status import count_unpushed
    from orange_tui.delivery.pull_requests import create_pull_request

    ref = target_task(parsed, orange)
    url = create_pull_request(orange.tasks, ref)
    count_unpushed(orange.tasks, ref, url)
    return Reply(printable_text(f"{ref.id}  {url}"), {"id": ref.id, "project": ref.project, "pr_url": url})


def review_pr(parsed: Parsed, orange: Orange) -> Reply:
    """`orange task review-pr`."""
    from orange_tui.delivery.review_pr import ReviewRequest, create_review

    project = target_project(parsed, orange)
    request = ReviewRequest(project.name, parsed.text("pull-request") or "", parsed.text("harness"))
    return created_reply(create_review(orange.tasks, request), orange)


def send_review(parsed: Parsed, orange: Orange) -> Reply:
    """`orange task send-review`."""
    from orange_tui.delivery.send_review import APPROVE, COMMENT, REQUEST_CHANGES, ReviewSender

    if parsed.flag("approve") and parsed.flag("request-changes"):
        raise UsageError("Either --approve or --request-changes, not both")
    verdict = APPROVE if parsed.flag("approve") else REQUEST_CHANGES if parsed.flag("request-changes") else COMMENT
    ref = target_task(parsed, orange)
    sent = ReviewSender(orange.tasks).send(ref, text_or_stdin(parsed.text("text")), verdict)
    return Reply(printable_text(f"{ref.id}  {sent.sentence()}"), {"id": ref.id, "project": ref.project, **vars(sent)})

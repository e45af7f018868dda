"""The solo workflow: the worker reviews its own work, at most twice, and reports in `.orange-outcome`."""

from __future__ import annotations

from orange_tui.demo.tools import changes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.demo.roles._committer import Committer

_MAX_REVIEWS = 2
_SUCCESSES = ("passed", "reviewing")
_FINDINGS = {"PASS": "nothing to complain about", "FAIL": "an order of no cups is taken"}


def has_succeeded(committer: Committer) -> bool:
    """Whether an earlier session has reported success."""
    return committer.tools.outcome() in _SUCCESSES


def review_own_work(committer: Committer) -> None:
    """Review, fix, review once more; then report."""
    for attempt in range(1, _MAX_REVIEWS + 1):
        number = committer.tools.section("Notes").count("Self-review") + 1
        verdict = committer.behaviour.verdict(number)
        committer.think("Reading my own diff as a stranger would")
        _write_note(committer, f"Self-review {number}: {verdict}, {_FINDINGS[verdict]}")
        if verdict == "PASS":
            report_outcome(committer, "passed")
            return
        if attempt < _MAX_REVIEWS:
            _fix(committer, number)
    report_outcome(committer, "stuck", "two self-reviews failed")


def _write_note(committer: Committer, line: str) -> None:
    committer.tools.write("Notes", f"{committer.tools.section('Notes')}\n- {line}".strip())
    committer.terminal.say(line)


def _fix(committer: Committer, number: int) -> None:
    plan = committer.plan()
    step = plan.fix(f"self-review-{number}", f"Fix what self-review {number} found")
    if step.key not in changes.committed_steps(committer.tools):
        committer.commit(step, plan)


def report_outcome(committer: Committer, outcome: str, reason: str | None = None) -> None:
    """Write the outcome file, then tell Orange, which may have seen the file already."""
    words = ("task", "stuck", "--reason", reason) if reason else ("task", "complete")
    if committer.behaviour.has("hasty") and committer.tools.outcome() is None and not committer.orange(*words):
        committer.terminal.say("Fair enough. I'll write it down first.")
    before = committer.tools.task().status
    committer.tools.write_outcome(outcome, reason)
    committer.terminal.show_action(f".orange-outcome: {outcome}")
    if not committer.orange(*words) and committer.tools.task().status != before:
        committer.terminal.say("Orange has seen the file by itself.")

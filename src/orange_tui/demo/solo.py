"""The solo workflow: review your own work, at most twice, and say in `.orange-outcome` how it went."""

from __future__ import annotations

from orange_tui.demo import work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.demo.builder import Builder

_REVIEWS = 2
_FINISHED = ("passed", "reviewing")
_FINDINGS = {"PASS": "nothing to complain about", "FAIL": "an order of no cups is taken"}


def is_finished(builder: Builder) -> bool:
    """Whether an earlier session has reported success."""
    return builder.desk.outcome() in _FINISHED


def review_myself(builder: Builder) -> None:
    """Review, mend, review once more; then report."""
    for attempt in range(1, _REVIEWS + 1):
        number = builder.desk.section("Notes").count("Self-review") + 1
        verdict = builder.behaviour.verdict(number)
        builder.think("Reading my own diff as a stranger would")
        _note(builder, f"Self-review {number}: {verdict}, {_FINDINGS[verdict]}")
        if verdict == "PASS":
            report(builder, "passed")
            return
        if attempt < _REVIEWS:
            _mend(builder, number)
    report(builder, "stuck", "two self-reviews failed")


def _note(builder: Builder, line: str) -> None:
    builder.desk.write("Notes", f"{builder.desk.section('Notes')}\n- {line}".strip())
    builder.screen.say(line)


def _mend(builder: Builder, number: int) -> None:
    planned = builder.planned()
    step = planned.mend(f"self-review-{number}", f"Mend what self-review {number} found")
    if step.key not in work.done_steps(builder.desk):
        builder.commit(step, planned)


def report(builder: Builder, outcome: str, reason: str | None = None) -> None:
    """Write the outcome, then ask Orange to look; it may have seen the file by itself already."""
    words = ("task", "stuck", "--reason", reason) if reason else ("task", "complete")
    if builder.behaviour.has("hasty") and builder.desk.outcome() is None and not builder.orange(*words):
        builder.screen.say("Fair enough. I'll write it down first.")
    before = builder.desk.task().status
    builder.desk.write_outcome(outcome, reason)
    builder.screen.does(f".orange-outcome: {outcome}")
    if not builder.orange(*words) and builder.desk.task().status != before:
        builder.screen.say("Orange has seen the file by itself.")

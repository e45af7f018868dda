"""Checks of the merged result: a workflow's commands, run on the files that the default branch would have.

They run in a trial worktree before anything is pushed or moved, and without the task's lock, so that whoever works on
the task goes on meanwhile. A success is remembered for that very tree; what has failed is run again when it is asked
for again. Whoever is in here holds the project's merge lock.
"""

from __future__ import annotations

from orange_tui.agents.sandbox.commands import confined
from orange_tui.domain.errors import Refused
from orange_tui.domain.gates.kinds import MERGED, CommandGate
from orange_tui.domain.records import record
from orange_tui.engine.command_checks import CommandResults, run_command
from orange_tui.outside.git import ORANGE_IDENTITY
from orange_tui.workspaces.trial import trial

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from orange_tui.delivery.merging._branch_tips import BranchTips, MergePreview
    from orange_tui.domain.task import Task
    from orange_tui.domain.workflow import Transition, Workflow
    from orange_tui.home.paths import Home

    Report = Callable[[str], None]

_SHOWN_OUTPUT_CHARS = 1500


@record
class CheckedMerge:
    """The commands that the merged result was checked with, and the tree that it was; none, where nothing was asked."""

    checks: tuple[str, ...] = ()
    tree: str | None = None

    def must_be(self, preview: MergePreview, tips: BranchTips) -> None:
        """Refuse to merge anything else than what was checked."""
        if self.checks and preview.tree != self.tree:
            raise Refused(
                f"{tips.branch} or {tips.default} got new commits while the checks ran, so nothing was merged."
                " Merge again to check what is there now"
            )


def possible_checks(workflow: Workflow) -> tuple[str, ...]:
    """The commands of a workflow's gates, all of which can be run on the merged result too."""
    return tuple(dict.fromkeys(gate.command for gate in _command_gates(workflow.transitions)))


def required_checks(moves: Sequence[Transition]) -> tuple[str, ...]:
    """The commands without which the workflow lets nobody merge on these moves."""
    return tuple(dict.fromkeys(gate.command for gate in _command_gates(moves) if gate.verify == MERGED))


def _command_gates(moves: Sequence[Transition]) -> Iterator[CommandGate]:
    parts = (part for move in moves if move.gate is not None for part in move.gate.parts)
    return (part for part in parts if isinstance(part, CommandGate))


@record
class MergeChecks:
    """The checks of one task's merge."""

    home: Home
    task: Task
    checks: tuple[str, ...]
    report: Report

    def verify(self, tips: BranchTips, preview: MergePreview) -> None:
        """Run the checks on the merged result; refused over the first that fails, with the end of what it printed."""
        results = CommandResults.of(self.home, self.task, ".merged")
        known = {check: results.find(check, preview.tree) for check in self.checks}
        left = [check for check, result in known.items() if result is None or result.code != 0]
        if not left:
            return
        with trial(self.home, tips.project, self.task, _commit(tips, preview), confined) as path:
            for check in left:
                self.report(f"`{check}` on the merged result")
                result = run_command(self.home, check, path, self.task)
                if result.code != 0:
                    raise Refused(
                        f"`{check}` failed on the result of merging {tips.branch} into {tips.default} (exit code"
                        f" {result.code}), so nothing was merged. The end of its output:\n"
                        f"{result.output[-_SHOWN_OUTPUT_CHARS:] or '(nothing)'}"
                    )
                results.keep(check, preview.tree, result)


def _commit(tips: BranchTips, preview: MergePreview) -> str:
    """A commit with the merged files, which is on no branch and only there to be checked out."""
    words = ("commit-tree", preview.tree, "-p", preview.base, "-p", preview.head)
    message = f"{tips.branch} merged into {tips.default}, to be checked"
    return tips.git.must(*words, "-m", message, extra=ORANGE_IDENTITY, settings=("commit.gpgsign=false",)).strip()

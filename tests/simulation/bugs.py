"""Old bugs, put back one at a time: the simulation must find each of them (`make simulate BUGS=1`).

Each entry takes the mending of one bug out again, by a small change to one function, and says by which words its
finding is known. The number is that of the bug in the list it was reported in.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

from orange_tui.branches import _left_commits, rename
from orange_tui.delivery import feedback
from orange_tui.domain.errors import OrangeError
from orange_tui.domain.records import replace
from orange_tui.domain.workflow import Hook
from orange_tui.engine import _move_hooks, starting
from orange_tui.engine.engine import Engine
from orange_tui.engine.hooks import checksum
from orange_tui.engine.tasks import Tasks
from orange_tui.store import _engine_history
from orange_tui.store._task_swap import Swap
from orange_tui.store.journal import Journal
from orange_tui.store.open_task import OpenTask
from orange_tui.supervisor.exits.state_agent import StateAgent
from orange_tui.supervisor.outbox import Outbox
from orange_tui.workspaces import _save_and_reset, pool, saved_work

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Put = Callable[[Any, str, Any], None]


@dataclass(frozen=True)
class Bug:
    """A bug that was, how it is put back, and what the model says when it finds it."""

    number: int
    title: str
    put_back: Callable[[Put], None]
    words: str


def _detached_commits(put: Put) -> None:
    put(rename, "save_loose_commit", lambda *_: None)
    put(_left_commits, "save_loose_commit", lambda *_: None)


def _removes_what_appears(put: Put) -> None:
    """Everything that is there when the workspace is cleared goes, saved or not."""
    real = _save_and_reset.reset

    def reset(project: Any, worktree: Any, saved: Any) -> Any:
        worktree.git.must("clean", "--quiet", "--force", "-d", "--exclude=TASK.md", "--exclude=.orange-outcome")
        return real(project, worktree, saved)

    put(pool, "reset", reset)


def _hands_on_ignored_files(put: Put) -> None:
    put(_save_and_reset, "delete_ignored", lambda *_: None)
    put(_save_and_reset, "_find_leftover", lambda *_: None)
    put(pool, "find_leftover", lambda *_: None)


def _skips_hidden_edits(put: Put) -> None:
    """What git was told not to look at is neither saved nor seen."""
    from orange_tui.outside import git_changes

    flags = git_changes.read_flags

    def none(git: Any) -> Any:
        found = flags(git)
        return replace(found, skip_worktree=(), assume_unchanged=())

    put(git_changes, "read_flags", none)
    put(git_changes, "_edits_behind_filters", lambda *_: [])  # which compares every byte
    put(_save_and_reset, "read_flags", none)


def _overwrites_untracked(put: Put) -> None:
    """A file that is ignored here goes, though the commit to be checked out has one of that name."""
    from orange_tui.outside import git_changes

    differing = git_changes._differing

    def none(git: Any, *words: str) -> Any:
        return {path: how for path, how in differing(git, *words).items() if how != "D"}

    put(git_changes, "_differing", none)


def _expires_by_the_clock(put: Put) -> None:
    def is_expired(deleted: Any, now: str) -> bool:
        end = saved_work._expiry(deleted)
        return end is not None and end < saved_work._parse_time(now)

    put(saved_work, "is_expired", is_expired)


def _one_death_for_all(put: Put) -> None:
    """Any death since the last start of any agent is taken for this one's."""
    handled = frozenset({"agent.crashed", "agent.died", "session.lost"})
    put(StateAgent, "ends", lambda _self, life: (event for event in life if event["type"] in handled))


def _waits_as_anything(put: Put) -> None:
    """What a task was created for is forgotten while it waits."""
    start = Journal.start
    put(Journal, "start", lambda self: replace(start(self), state=None))


def _cancel_starts_the_next(put: Put) -> None:
    cancel = Tasks.cancel

    def and_next(self: Any, ref: Any) -> Any:
        moved = cancel(self, ref)
        for other in self.engine.store.refs(ref.project):
            try:
                if starting.start_by_itself(self.engine, other, is_next=True):
                    break
            except OrangeError:
                continue
        return moved

    put(Tasks, "cancel", and_next)


def _starts_what_is_held(put: Put) -> None:
    start = Journal.start
    put(Journal, "start", lambda self: replace(start(self), is_held=False, is_wanted=True))


def _early_work_is_stale(put: Put) -> None:
    """What was written before the task came to the state it is in does not count."""

    def has_written(self: Any, _engine: Any, gate: Any, _targets: Any) -> bool:
        entered = self.opened.journal.last("transition.started")
        return not gate.is_in_body or entered is None or entered.get("body") != checksum(self.opened.body)

    put(StateAgent, "has_written", has_written)


def _retries_for_ever(put: Put) -> None:
    put(Outbox, "_drop_unless_awaited", lambda *_: None)
    deliver = Outbox.deliver

    def again(self: Any, ref: Any) -> bool:
        from orange_tui.agents import messages

        return deliver(self, ref) and not messages.undelivered(self.tasks.engine.store.journal(ref))

    put(Outbox, "deliver", again)


def _believes_hooks(put: Put) -> None:
    """What is run after a kill is what the journal says."""
    put(_engine_history, "why_impossible", lambda *_: None)
    hooks_of = _move_hooks.hooks_of

    def forged_too(engine: Any, opened: Any, started: Any) -> Any:
        named = [dict(hook) for hook in started.get("hooks", ())]
        return [Hook(hook.pop("action"), hook) for hook in named] or hooks_of(engine, opened, started)

    put(_move_hooks, "hooks_of", forged_too)


def _journal_comes_last(put: Put) -> None:
    """TASK.md is replaced before the journal says why."""

    def change(self: Any, event: str, changes: Any, **details: object) -> Any:
        self._begin_journal()
        entry = self._entry(event, changes, details)
        fields = self._fields(changes, entry["timestamp"])
        self._accept(self._text.prepare(lambda file: file.with_fields(fields)).commit(), fields)
        self.journal.append(entry)
        return entry

    put(OpenTask, "change", change)


def _ignores_late_writes(put: Put) -> None:
    """What an agent writes to TASK.md while it is replaced is thrown away with the old file."""
    put(Swap, "late_writes", lambda _self: [])

    def clear(self: Any) -> None:
        for path in (self._new, self._old):
            if os.path.exists(path):
                os.unlink(path)

    put(Swap, "clear", clear)


def _writes_before_it_asks(put: Put) -> None:
    """The feedback is written, and then it is found that the task cannot go back."""
    real = feedback.request_changes

    def request_changes(engine: Any, ref: Any, text: str, shown: Any = ()) -> Any:
        with engine.open(ref) as opened:
            opened.edit_body("changes.requested", lambda body: feedback.with_feedback(body, text), threads=[])
        return real(engine, ref, text, shown)

    put(feedback, "request_changes", request_changes)


def _runs_hooks_twice(put: Put) -> None:
    """A move that was interrupted is made again from its first hook."""
    finish = Engine._finish
    put(Engine, "_finish", lambda self, opened, started, hooks, _done=None: finish(self, opened, started, hooks))


BUGS = {
    "detached": Bug(1, "commits of a detached HEAD are lost by --branch", _detached_commits, "is on no ref"),
    "appears": Bug(2, "what appears while a workspace is cleared is removed", _removes_what_appears, "nowhere"),
    "hidden": Bug(3, "edits that git was told not to look at are handed on", _skips_hidden_edits, "edits of"),
    "untracked": Bug(3, "edits of files that git no longer tracks are lost", _overwrites_untracked, "nowhere"),
    "secrets": Bug(4, "ignored files are handed to the next task", _hands_on_ignored_files, "ignored files of"),
    "clock": Bug(5, "a clock that is ahead expires saved work", _expires_by_the_clock, "nowhere"),
    "deaths": Bug(6, "a reviewer's crash hides the worker's", _one_death_for_all, "nobody has noticed"),
    "as-worker": Bug(7, "one that waits starts as something else", _waits_as_anything, "it was created for"),
    "cancel": Bug(8, "cancelling starts the next task", _cancel_starts_the_next, "cancel"),
    "no-spawn": Bug(8, "a task created with --no-spawn starts", _starts_what_is_held, "--no-spawn"),
    "early": Bug(10, "a Handoff written too early counts as a crash", _early_work_is_stale, "counts as a crash"),
    "retry": Bug(14, "a message that nobody will take is retried for ever", _retries_for_ever, "at rest"),
    "hooks": Bug(18, "an agent has its own commands run", _believes_hooks, "had forged"),
    "journal": Bug(0, "the journal comes last", _journal_comes_last, ""),
    "late": Bug(0, "what is written during a replacement is lost", _ignores_late_writes, "nowhere"),
    "refused": Bug(0, "a refused command has changed the task", _writes_before_it_asks, "was refused, and has changed"),
    "again": Bug(0, "an interrupted move runs its hooks twice", _runs_hooks_twice, ""),
}


@contextmanager
def put_back(name: str | None) -> Iterator[None]:
    """With this bug, for a while."""
    real: list[tuple[Any, str, Any]] = []

    def put(owner: Any, attribute: str, new: Any) -> None:
        real.append((owner, attribute, vars(owner)[attribute]))
        setattr(owner, attribute, new)

    try:
        if name is not None:
            BUGS[name].put_back(put)
        yield
    finally:
        for owner, attribute, old in reversed(real):
            setattr(owner, attribute, old)


def hunt(name: str, first: int, most_worlds: int) -> str | None:
    """Look for a bug that was put back, world after world; says where it was found."""
    from simulation.run import run_world

    faults = calls = 0
    for seed in range(first, first + most_worlds):
        result = run_world(seed, bug=name)
        faults, calls = faults + result.faults.total(), calls + result.calls
        found = [each for each in result.violations if BUGS[name].words in each]
        if found and not run_world(seed).violations:
            return f"seed {seed}, {seed - first + 1} worlds, {faults} faults, {calls:,} calls: {found[0][:160]}"
    return None


def main(words: Sequence[str] | None = None) -> int:
    """Put every bug back, one after the other; the exit code says whether all were found."""
    parser = argparse.ArgumentParser(prog="make simulate BUGS=1", description=__doc__)
    parser.add_argument("names", nargs="*", default=list(BUGS), help="which ones")
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    parser.add_argument("--worlds", type=int, default=200, help="how many worlds to look for each")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="how many bugs at a time")
    given = parser.parse_args(words)
    began, missed = time.monotonic(), 0
    with ProcessPoolExecutor(given.jobs, mp_context=get_context("spawn")) as pool:
        hunts = {name: pool.submit(hunt, name, given.first, given.worlds) for name in given.names}
        for name, hunted in hunts.items():
            found, bug = hunted.result(), BUGS[name]
            missed += found is None
            number = f"({bug.number}) " if bug.number else ""
            print(f"{name}: {number}{bug.title}: {found or f'NOT FOUND in {given.worlds} worlds'}", flush=True)
    print(f"{len(hunts) - missed} of {len(hunts)} bugs found, {time.monotonic() - began:.0f} s")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())

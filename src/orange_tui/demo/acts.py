"""What can go differently in the demo agent's work: each act is a function of who plays it.

An act that returns True ends the turn: the agent then waits for a message.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from orange_tui.demo.player import Player

    Act = Callable[[Player], bool]

CRASHED = 3
QUESTIONS = """\
1. Is this for every size of cup, or only for the large one?
2. Should the barista hear about it as well?"""
ANSWER = "Answer:"


def crash(player: Player) -> bool:
    """End as a broken program does."""
    player.screen.fails("Segmentation fault (of a sort)")
    raise SystemExit(CRASHED)


def crash_with_unsaved_work(player: Player) -> bool:
    """Crash in the middle of an edit, so that there is something to lose."""
    player.leave_an_edit_uncommitted()
    return crash(player)


def crash_unless_counted(player: Player) -> bool:
    """Crash, but not again once Orange has counted one."""
    return player.desk.task().crash_count == 0 and crash(player)


def leave(_player: Player) -> bool:
    """Go away without a word, and without an error."""
    raise SystemExit(0)


def ask(player: Player) -> bool:
    """Ask the person, unless they have answered; where nobody takes questions, decide alone."""
    if ANSWER in player.desk.section("Questions"):
        return False
    write_questions(player)
    if player.orange("task", "update", "--status", "clarification"):
        player.screen.say("I have two questions. I'll wait for you here.")
        return True
    player.screen.say("Nobody takes questions in this workflow, so I decide myself.")
    player.uncertain = "whether it is meant for every size of cup"
    return False


def write_questions(player: Player) -> None:
    """Put the questions into TASK.md, once."""
    if not player.desk.section("Questions"):
        player.desk.write("Questions", QUESTIONS)
        player.screen.does("TASK.md: wrote ## Questions")


def give_up(player: Player) -> bool:
    """Say that it is too hard, and why."""
    reason = "the grinder in tests/ makes a noise I cannot explain"
    player.screen.say("I'm stuck.")
    if player.is_by_outcome:
        player.desk.write_outcome("stuck", reason)
        player.screen.does(".orange-outcome: stuck")
    player.orange("task", "stuck", "--reason", reason)
    return True


def tamper(player: Player) -> bool:
    """Edit the status by hand, as if that did anything; looking at the task shows that it did not."""
    status = player.desk.task().status
    player.screen.say("Couldn't I just write down that it is done?")
    player.desk.scribble(f"\nstatus: {status}\n", "\nstatus: done\n")
    player.desk.orange("task", "show", player.desk.task().id)
    player.screen.does(f"TASK.md still says {player.desk.task().status}")
    return False


def rename(player: Player) -> bool:
    """Give the branch another name, and tell Orange."""
    branch = player.desk.task().branch
    if not branch.startswith("renamed/"):
        player.rename_branch(f"renamed/{branch}")
    return False

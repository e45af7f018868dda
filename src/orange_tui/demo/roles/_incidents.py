"""What can happen during the demo agent's work, by name: crashes, questions, tampering.

An incident is a function of the role it happens to. One that returns True ends the turn: the agent then waits for a
message.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from orange_tui.demo.roles.behaviours import Moment
    from orange_tui.demo.roles.role import Role

    Incident = Callable[[Role], bool]

CRASH_EXIT_CODE = 3
ANSWER = "Answer:"
_QUESTIONS = """\
1. Is this for every size of cup, or only for the large one?
2. Should the barista hear about it as well?"""


def happen(role: Role, moment: Moment) -> bool:
    """Let happen what the task's behaviour has for that moment; True when the turn ends with it."""
    return any(INCIDENTS[name](role) for name in role.behaviour.incidents(moment))


def crash(role: Role) -> bool:
    """End as a broken program does."""
    role.terminal.show_error("Segmentation fault (of a sort)")
    raise SystemExit(CRASH_EXIT_CODE)


def crash_with_unsaved_work(role: Role) -> bool:
    """Crash in the middle of an edit, so that there is something to lose."""
    role.leave_an_edit_uncommitted()
    return crash(role)


def crash_unless_counted(role: Role) -> bool:
    """Crash, but not again once Orange has counted one crash."""
    return role.tools.task().crash_count == 0 and crash(role)


def exit_silently(_role: Role) -> bool:
    """Exit without a word and without an error."""
    raise SystemExit(0)


def ask_questions(role: Role) -> bool:
    """Ask the person, unless they have answered; in a workflow without questions, decide alone."""
    if ANSWER in role.tools.section("Questions"):
        return False
    write_questions(role)
    if role.orange("task", "update", "--status", "clarification"):
        role.terminal.say("I have two questions. I'll wait for you here.")
        return True
    role.terminal.say("Nobody takes questions in this workflow, so I decide myself.")
    role.uncertain = "whether it is meant for every size of cup"
    return False


def write_questions(role: Role) -> None:
    """Put the questions into TASK.md, once."""
    if not role.tools.section("Questions"):
        role.tools.write("Questions", _QUESTIONS)
        role.terminal.show_action("TASK.md: wrote ## Questions")


def give_up(role: Role) -> bool:
    """Say that it is too hard, and why."""
    reason = "the grinder in tests/ makes a noise I cannot explain"
    role.terminal.say("I'm stuck.")
    if role.reports_outcome:
        role.tools.write_outcome("stuck", reason)
        role.terminal.show_action(".orange-outcome: stuck")
    role.orange("task", "stuck", "--reason", reason)
    return True


def stop(role: Role) -> bool:
    """End the turn with nothing handed in, as agents do that think they are done."""
    role.terminal.say("So far, so good.")
    role.has_stopped = True
    return True


def stop_once(role: Role) -> bool:
    """The same, but not again: whoever is reminded goes on."""
    return not role.has_stopped and stop(role)


def reach_limit(role: Role) -> bool:
    """Have used up what the account may use, and wait."""
    role.reach_limit()
    return True


def tamper(role: Role) -> bool:
    """Edit the status by hand, which has no effect; showing the task proves it."""
    status = role.tools.task().status
    role.terminal.say("Couldn't I just write down that it is done?")
    role.tools.tamper(f"\nstatus: {status}\n", "\nstatus: done\n")
    role.tools.orange("task", "show", role.tools.task().id)
    role.terminal.show_action(f"TASK.md still says {role.tools.task().status}")
    return False


def rename_branch(role: Role) -> bool:
    """Give the branch another name, and tell Orange."""
    branch = role.tools.task().branch
    if not branch.startswith("renamed/"):
        role.rename_branch(f"renamed/{branch}")
    return False


INCIDENTS: Mapping[str, Incident] = {
    incident.__name__: incident
    for incident in (
        crash,
        crash_with_unsaved_work,
        crash_unless_counted,
        exit_silently,
        ask_questions,
        give_up,
        stop,
        stop_once,
        reach_limit,
        tamper,
        rename_branch,
    )
}

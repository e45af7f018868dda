"""The `task` commands about agents, `serve` and `doctor`, as entries for the table in `root`."""

from __future__ import annotations

from orange_tui.cli.parsing.grammar import Argument, CommandSpec, Option
from orange_tui.cli.table.tasks import OF_PROJECT, TASK

_MODULE = "orange_tui.cli.commands.agents"

AGENT_COMMANDS = (
    CommandSpec(
        ("task", "spawn"),
        "Start the agent of a task that has not begun.",
        (TASK,),
        (OF_PROJECT,),
        f"{_MODULE}:spawn",
        "The task gets a workspace and a tmux session. Without a free workspace it is refused and stays as it is.",
        (("orange task spawn k3x9", "Begin with the task whose id begins with k3x9"),),
    ),
    CommandSpec(
        ("task", "respawn"),
        "Bring a dead agent back, in its workspace and in the state it died in.",
        (Argument("id", "The task: its id, or the beginning of it.", required=False, complete="task"),),
        (Option("--lost", None, "Every task whose tmux server is gone, as after a reboot."), OF_PROJECT),
        f"{_MODULE}:respawn",
        "Not a move: the task stays in its state. With --lost, agents that can take up their own conversation do.",
        (
            ("orange task respawn k3x9", "It has died: start the agent again"),
            ("orange task respawn --lost", "After a reboot: bring all of them back"),
        ),
    ),
    CommandSpec(
        ("task", "retry"),
        "Start a task over: back to where its workflow begins.",
        (TASK,),
        (OF_PROJECT,),
        "orange_tui.cli.commands.agents:retry",
        """
For workflows whose tasks start by themselves, such as autopilot: the task's agent is ended, its attempts are
forgotten, and it starts again when there is room. What was committed, and its workspace if it has one, stay.

Exit codes: 0 it starts over; 1 refused: it is finished, or its workflow has no way back; 2 wrong usage.
""",
        (("orange task retry k3x9", "The agent gave up too early: once more"),),
    ),
    CommandSpec(
        ("task", "unblock"),
        "Start a blocked task over.",
        (Argument("id", "The task: its id, or the beginning of it.", required=False, complete="task"),),
        (Option("--all", None, "Every blocked task of the project, or of all projects."), OF_PROJECT),
        "orange_tui.cli.commands.agents:unblock",
        "Exit codes: 0 unblocked; 1 refused, or one of several was; 2 wrong usage.",
        (
            ("orange task unblock k3x9", "What stood in its way is gone"),
            ("orange task unblock --all --project coffee", "All blocked tasks of one project"),
        ),
    ),
    CommandSpec(
        ("task", "attach"),
        "Show the session of a task; detach with tmux's prefix and d.",
        (TASK,),
        (OF_PROJECT,),
        f"{_MODULE}:attach",
        "Inside the same tmux server this switches there instead.",
        (("orange task attach k3x9", "See what the agent is doing, and type to it"),),
    ),
    CommandSpec(
        ("task", "logs"),
        "Print what the windows of a task have printed.",
        (TASK,),
        (Option("--window", "NAME", "Only this window, such as worker or review-1."), OF_PROJECT),
        f"{_MODULE}:logs",
        examples=(("orange task logs k3x9 --window review-1", "What the first reviewer said"),),
    ),
    CommandSpec(
        ("task", "answer"),
        "Send a message to a task's agent without attaching.",
        (TASK, Argument("text", "What to say.")),
        (OF_PROJECT,),
        f"{_MODULE}:answer",
        """
The message is pasted into the agent's input and submitted, never while the agent asks for a permission:
then it waits, and is delivered by the app or `orange serve` as soon as that is printable_text.
""",
        (('orange task answer k3x9 "Use the second option"', "Answer its question"),),
    ),
    CommandSpec(
        ("chat",),
        "Talk to an orchestrator: an agent that makes tasks of what you want, and watches them.",
        (),
        (
            Option(
                "--harness", "H", "Which agent to talk to (default: the first that is installed).", complete="harness"
            ),
            OF_PROJECT,
        ),
        f"{_MODULE}:chat",
        """
It runs in the project's directory, in a tmux session of its own, and changes nothing there: what it wants done becomes
a task. Detach with tmux's prefix and d; `orange chat` comes back to the same conversation, until the agent ends.
""",
        (
            ("orange chat", "About the project you are in"),
            ("orange chat --project coffee --harness codex", "About another one, with another agent"),
        ),
    ),
)

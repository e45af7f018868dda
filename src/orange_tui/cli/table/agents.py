"""The `task` commands about agents, and `chat`, as entries for the table in `all_commands`."""

from __future__ import annotations

from orange_tui.cli.parsing.grammar import Argument, CommandSpec, Option
from orange_tui.cli.table.tasks import OF_PROJECT, TASK, THIS_TASK
from orange_tui.domain.records import replace

_MODULE = "orange_tui.cli.commands.agents"

_COMMANDS = (
    CommandSpec(
        ("task", "start"),
        "Start the agent of a task that has not started yet.",
        (TASK,),
        (OF_PROJECT,),
        f"{_MODULE}:spawn",
        "The task gets a workspace and a tmux session. If no workspace is free, this is refused and nothing changes.",
        (("orange task start k3x9", "Start the task whose id begins with k3x9"),),
    ),
    CommandSpec(
        ("task", "restart"),
        "Restart an agent that has died, in its workspace and without moving the task.",
        (Argument("id", "The task: its id, the beginning of it, or its branch.", required=False, complete="task"),),
        (
            Option("--lost", None, "Restart every task whose tmux server is gone, for example after a reboot."),
            Option("--resume", None, "Resume the agent's own conversation; refused where that cannot be done."),
            Option("--fresh", None, "Start with a new conversation.", instead_of="--resume"),
            OF_PROJECT,
        ),
        f"{_MODULE}:respawn",
        """
The task stays in its state. An agent that can resume its own conversation does so, unless it has crashed on that; the
others start with a new one and read what TASK.md and the commits tell.
""",
        (
            ("orange task restart k3x9", "Its agent has died: start it again"),
            ("orange task restart k3x9 --fresh", "The same, without what it had talked about"),
            ("orange task restart --lost", "After a reboot: restart all of them"),
        ),
    ),
    CommandSpec(
        ("task", "hand-over"),
        "End a task's agent and have another one go on with its work.",
        (TASK,),
        (
            Option("--harness", "H", "The agent that goes on.", complete="harness"),
            Option("--model", "M", "Its model (default: its own default)."),
            OF_PROJECT,
        ),
        f"{_MODULE}:hand_over",
        """
The next agent works in the same workspace, with the same TASK.md and all that the first one left there, committed or
not. The task stays in its state. In a state where the reviewer works, it is the review that is handed over.

`failover: [codex, claude]` in config.yml does so by itself when an agent has reached its limit.

Exit codes: 0 handed over; 1 refused: it is that agent's already, that agent is not installed, or none works on the
task; 2 wrong usage.
""",
        (("orange task hand-over k3x9 --harness codex", "Claude has reached its limit: let Codex go on"),),
    ),
    CommandSpec(
        ("task", "retry"),
        "Start a task over, from the first state of its workflow.",
        (TASK,),
        (OF_PROJECT,),
        "orange_tui.cli.commands.agents:retry",
        """
For workflows whose tasks start by themselves, such as autopilot: the task's agent is ended, its count of attempts
is reset, and it starts again when there is room. Its commits stay, and so does its workspace if it has one.

Exit codes: 0 it starts over; 1 refused: it is finished, or its workflow has no way back; 2 wrong usage.
""",
        (("orange task retry k3x9", "The agent gave up too early: try again"),),
    ),
    CommandSpec(
        ("task", "unblock"),
        "Start a blocked task over.",
        (Argument("id", "The task: its id, the beginning of it, or its branch.", required=False, complete="task"),),
        (Option("--all", None, "Every blocked task, of one project (--project) or of all."), OF_PROJECT),
        "orange_tui.cli.commands.agents:unblock",
        "Exit codes: 0 unblocked; 1 refused, or refused for one of several; 2 wrong usage.",
        (
            ("orange task unblock k3x9", "What blocked it is solved"),
            ("orange task unblock --all --project coffee", "All blocked tasks of one project"),
        ),
    ),
    CommandSpec(
        ("task", "attach"),
        "Attach to a task's tmux session; F9 leads back (`back_key` in config.yml).",
        (THIS_TASK,),
        (OF_PROJECT,),
        f"{_MODULE}:attach",
        """
Inside the same tmux server, this switches to the session instead. Without an id, outside a workspace, it lists the
tasks that can be attached to.
""",
        (
            ("orange task attach k3x9", "Watch the agent, and type to it"),
            ("orange task attach", "See which tasks have a session"),
        ),
    ),
    CommandSpec(
        ("task", "logs"),
        "Print the output of a task's windows.",
        (TASK,),
        (Option("--window", "NAME", "Only this window, such as worker or review-1."), OF_PROJECT),
        f"{_MODULE}:logs",
        examples=(("orange task logs k3x9 --window review-1", "What the first reviewer printed"),),
        agents_may="use it",
    ),
    CommandSpec(
        ("task", "run"),
        "Run the project's own command, such as a development server, in a task's workspace.",
        (TASK,),
        (Option("--stop", None, "End it."), OF_PROJECT),
        f"{_MODULE}:run",
        """
The command is what `orange project update NAME --run CMD` or the repository's .orange.yml say. It runs in a window of
the task's session, with the ports of the task's workspace in ORANGE_PORT and ORANGE_PORTS, and ends with the
session. If it runs already, it is started anew. `orange task logs ID --window run` prints its output.

Exit codes: 0 started or ended; 1 refused: there is no command, or no workspace; 2 wrong usage.
""",
        (
            ("orange task run k3x9", "Try out what the agent has made"),
            ("orange task run k3x9 --stop", "End it again"),
        ),
    ),
    CommandSpec(
        ("task", "answer"),
        "Send a message to a task's agent without attaching.",
        (TASK, Argument("text", "The message.")),
        (OF_PROJECT,),
        f"{_MODULE}:answer",
        """
The message is pasted into the agent's input and submitted. While the agent asks for permission, the message waits;
the app or `orange serve` delivers it as soon as that is safe.
""",
        (('orange task answer k3x9 "Use the second option"', "Answer its question"),),
    ),
    CommandSpec(
        ("task", "approve"),
        "Allow what an agent asks for, or deny it.",
        (Argument("id", "The task (default: the only one that asks).", required=False, complete="task"),),
        (
            Option("--always", None, "Allow the same from now on, for this task."),
            Option("--deny", "TEXT", "Deny it; the text goes to the agent ('' for none).", instead_of="--always"),
            Option("--equal", None, "Answer the same question of the project's other tasks as well."),
            Option("--question", "Q", "Which one, where a task has several."),
            Option("--list", None, "Answer nothing, and show what is asked, all of it."),
            OF_PROJECT,
        ),
        "orange_tui.cli.commands.agents:approve",
        """
It says what was allowed or denied, all of it. Without a task it answers the only question there is; where there are
several, it answers none and says which. With --always, exactly the same tool with exactly the same input is allowed
to this task from then on, or the same file to the same tool: `orange task show` lists what is allowed.

Exit codes: 0 answered; 1 refused: nothing is asked, it was answered elsewhere, or this is an agent's window; 2 wrong
usage.
""",
        (
            ("orange task approve --list", "What is asked?"),
            ("orange task approve k3x9", "Allow it, once"),
            ("orange task approve k3x9 --always", "Allow it whenever this task asks for the same"),
            ('orange task approve k3x9 --deny "Use the test database"', "Deny it, and say what to do instead"),
        ),
    ),
    CommandSpec(
        ("chat",),
        "Talk to an orchestrator: an agent that turns what you want into tasks, and watches them.",
        (),
        (
            Option(
                "--harness", "H", "Which agent to talk to (default: the first that is installed).", complete="harness"
            ),
            OF_PROJECT,
        ),
        f"{_MODULE}:chat",
        """
It runs in the project's directory, in its own tmux session, and changes nothing there: what it wants done becomes a
task. Detach with tmux's prefix and d; `orange chat` returns to the same conversation until the agent ends.
""",
        (
            ("orange chat", "About the project you are in"),
            ("orange chat --project coffee --harness codex", "About another one, with another agent"),
        ),
    ),
)

# Their earlier names: scripts and agents may use them for ever.
_EARLIER_NAMES = {"start": "spawn", "restart": "respawn"}


def _as_before(command: CommandSpec) -> CommandSpec:
    """A command under its earlier name, which is not listed."""
    new, old = command.path[1], _EARLIER_NAMES[command.path[1]]
    examples = tuple((typed.replace(f"task {new}", f"task {old}"), what) for typed, what in command.examples)
    return replace(command, path=("task", old), examples=examples, hidden=True)


AGENT_COMMANDS = (*_COMMANDS, *(_as_before(each) for each in _COMMANDS if each.path[-1] in _EARLIER_NAMES))

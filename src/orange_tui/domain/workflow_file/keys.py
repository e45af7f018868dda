"""The keys of a workflow file, part by part, with what each means. The readers take no others; the pages list them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

FILE: Mapping[str, str] = {
    "name": "The workflow's name, as the file is called without `.yml`.",
    "version": "A number for you; Orange does not use it.",
    "states": "The states a task passes through, in the order in which people see them.",
    "initial": "The states a task may be created in, each with the `hooks` that run then; the first is the usual one.",
    "transitions": "Every move there is. Order counts: the first one from a state is the way forward.",
    "exit_monitoring": "What follows when the agent of a task is gone.",
    "signals": "What follows when a task's files say something, whether its agent lives or not.",
    "on": "What follows when something happens to the task's pull request.",
    "prompts": "What agents are told, by name.",
}
STATE: Mapping[str, str] = {
    "terminal": "`true`: the task ends here.",
    "end": "Of a terminal state: `done` or `cancelled`, where the moves do not tell.",
    "agent": "Whose window must be alive here: `worker`, `reviewer` or `none`. Without it, any window will do.",
    "respawn_prompt": "The prompt for an agent that is started again here.",
    "auto": "The state that Orange itself moves a task on to, as soon as there is room.",
    "rejoin": "Where a task goes on once all its subtasks are done: the first of these that is allowed.",
}
TRANSITION: Mapping[str, str] = {
    "from": "A state, or a list of them.",
    "to": "The state it leads to.",
    "when": "A comparison that must hold: `review_round < 2`.",
    "by": "Who may make the move: `person`, `engine` (on no agent's word), or `force` (a merge that was confirmed"
    " twice). Without it, agents may too.",
    "gate": "What must be there first.",
    "hooks": "What is done then, in this order.",
}
MONITORING: Mapping[str, str] = {
    "poll_interval": "After how many seconds Orange looks again, in case it missed a death (30).",
    "rules": "The first rule that fits is used.",
}
RULE: Mapping[str, str] = {
    "status": "The state the task is in.",
    "when": "A comparison that must hold.",
    "has_artifact": "A gate: the agent wrote this before it ended.",
    "no_artifact": "`true`: it did not.",
    "no_agent": "`true`: no agent could be started.",
    "stale_after": "Seconds, or `stuck_timeout`: nobody has worked on the task for so long.",
    "then": "The state the task goes to.",
    "then_when": "Several cases, each with `when` and `then`, of which always exactly one holds.",
    "action": "`crash` counts a crash; `mark_dead` shows it and waits for the person.",
    "stuck_after": "With `action: crash`: at this many crashes the task goes to `stuck`, where there is that state.",
    "respawn": "With `action: crash`: `auto` starts the next agent at once.",
}
SIGNAL: Mapping[str, str] = {
    "status": "The states in which it counts; without it, all that are not terminal.",
    "has_artifact": "A gate that is open.",
    "then": "The state the task goes to.",
    "then_when": "Several cases, as in a rule.",
}
EVENT_RULE: Mapping[str, str] = {
    "from": "A state, or a list of them.",
    "to": "The state the task goes to.",
    "limit": "How often this may happen to one task (3); then the person is asked.",
    "when": "A comparison that must hold.",
}

"""The hooks a workflow may name: where the code of each is, and its parameters.

A new hook is one entry here. The loader checks workflow files against it, and `engine.hooks` imports the code when it
runs: some of it belongs to packages above the engine, which are named here and never imported by it.
"""

from __future__ import annotations

from orange_tui.domain.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


@record
class Parameter:
    """One parameter. Kinds: text, template (with variables), message (a template for an agent), prompt (a key of
    `prompts`), field, seconds, any. Where there are choices, the first is the usual one.
    """

    kind: str
    required: bool = False
    choices: tuple[str, ...] = ()


@record
class HookAction:
    """One entry: its code as `module:NAME`, what it does, its parameters, and the numbers it keeps, for `when`."""

    implementation: str
    meaning: str
    parameters: Mapping[str, Parameter] = {}
    number_fields: tuple[str, ...] = ()


_PROMPT = Parameter("prompt", required=True)
_FIELD = Parameter("field")
_NEEDED_FIELD = Parameter("field", required=True)
_MESSAGE = Parameter("template", required=True)

_AGENTS = "orange_tui.engine.actions.agents"
_WORKSPACES = "orange_tui.engine.actions.workspaces"
_TASKS = "orange_tui.engine.actions.tasks"
_DELIVERY = "orange_tui.delivery.hooks"
_REPORTS = "orange_tui.autopilot.report_hooks"

ACTIONS: Mapping[str, HookAction] = {
    "acquire_workspace": HookAction(
        f"{_WORKSPACES}:ACQUIRE",
        "Gives the task a worktree from the pool, on its branch, and runs the project's set-up. Where none is free, the"
        " move is refused before anything changes.",
        {"setup": Parameter("text", choices=("run", "skip"))},
    ),
    "release_workspace": HookAction(
        f"{_WORKSPACES}:RELEASE", "Gives the worktree back. What is not on a branch yet is saved first."
    ),
    "spawn_agent": HookAction(
        f"{_AGENTS}:SPAWN_AGENT",
        "Starts the task's agent with a prompt. A worker that is alive gets the prompt as a message instead.",
        {
            "prompt": _PROMPT,
            "harness": Parameter("text", choices=("task", "review")),
            "permissions": Parameter("text", choices=("full", "reduced")),
            "window": Parameter("text"),
            "mode": Parameter("text", choices=("one_shot", "one_shot_work")),
            "system": Parameter("prompt"),
            "increment": _FIELD,
        },
    ),
    "spawn_reviewer": HookAction(
        f"{_AGENTS}:SPAWN_REVIEWER",
        "Starts a reviewer in a window of its own, beside the worker, and adds 1 to `review_round`.",
        {"prompt": _PROMPT, "increment": _FIELD},
    ),
    "route": HookAction(
        "orange_tui.autopilot.route_hook:ROUTE",
        "Asks the router which agent and model fit the task, in which role, and whether it is to be split or answered.",
        {"prompt": _PROMPT, "timeout": Parameter("seconds")},
        number_fields=("lane",),
    ),
    "kill_session": HookAction(f"{_AGENTS}:KILL_SESSION", "Ends the task's tmux session, with every agent in it."),
    "kill_reviewer": HookAction(f"{_AGENTS}:KILL_REVIEWER", "Ends the reviewer of this round; the worker goes on."),
    "clear_outcome": HookAction(
        f"{_AGENTS}:CLEAR_OUTCOME", "Empties `.orange-outcome`, so that an old outcome takes the task nowhere."
    ),
    "notify_worker": HookAction(
        f"{_AGENTS}:NOTIFY_WORKER",
        "Sends the worker a message. Where none is alive, one is started with the state's `respawn_prompt`.",
        {"message": Parameter("message", required=True)},
    ),
    "spawn_next": HookAction(
        f"{_TASKS}:SPAWN_NEXT", "Starts the project's oldest task that waits, if nothing blocks it."
    ),
    "push_branch": HookAction(f"{_DELIVERY}:PUSH_BRANCH", "Pushes the task's branch; never the default branch."),
    "create_pr": HookAction(f"{_DELIVERY}:CREATE_PR", "Pushes the branch and opens a pull request, if there is none."),
    "delete_remote_branch": HookAction(
        f"{_DELIVERY}:DELETE_REMOTE_BRANCH", "Deletes the task's branch on the remote once it is merged."
    ),
    "register_branch": HookAction(
        "orange_tui.issues.hooks:REGISTER_BRANCH", "Links the task's branch to its GitHub issue, if it has one."
    ),
    "take_report": HookAction(
        f"{_REPORTS}:TAKE_REPORT", "Reads the agent's report (`.orange-outcome`) and records what it says."
    ),
    "commit_work": HookAction(
        f"{_REPORTS}:COMMIT_WORK", "Commits what an unattended agent left uncommitted in its worktree."
    ),
    "delegate": HookAction(
        "orange_tui.autopilot.delegation:DELEGATE",
        "Hands the task over to its subtasks; it waits until they are done.",
        {"subtasks": Parameter("text", choices=("required", "optional"))},
    ),
    "increment": HookAction(
        "orange_tui.engine.hooks:INCREMENT", "Adds 1 to a number in the frontmatter.", {"field": _NEEDED_FIELD}
    ),
    "set_field": HookAction(
        "orange_tui.engine.hooks:SET_FIELD",
        "Sets a field of the frontmatter; never one of the engine's own.",
        {"field": _NEEDED_FIELD, "value": Parameter("any", required=True)},
    ),
    "run_command": HookAction(
        f"{_WORKSPACES}:RUN_COMMAND",
        "Runs a command in the worktree, with the task in its environment.",
        {"command": Parameter("text", required=True), "timeout": Parameter("seconds")},
    ),
    "notify": HookAction(
        f"{_TASKS}:NOTIFY",
        "Tells the person: by a desktop notification, the terminal's bell, or the `webhook` of config.yml.",
        {"message": _MESSAGE, "via": Parameter("text", choices=("desktop", "bell", "webhook"))},
    ),
}

# What may stand in braces in prompts and messages.
PROMPT_VARIABLES: Mapping[str, str] = {
    "id": "the task's id",
    "summary": "what is wanted, in one line",
    "project": "the project's name",
    "branch": "the task's branch",
    "review_round": "which round of review this is",
    "status": "the state the task is in",
}
# Each is assembled when somebody asks for it: in messages to agents, and in prompts.
MESSAGE_VARIABLES: Mapping[str, str] = {
    "open_threads": "the comments that wait for an answer, with the code they are on"
}
ASSEMBLED_VARIABLES: Mapping[str, str] = {
    **MESSAGE_VARIABLES,
    "threads": "every comment on the task's code, answered or not",
    "context": "what an agent should know besides: the repository, the task's notes, its subtasks",
    "profile": "who the agent is to be: the role, skills and limits that the router chose",
    "report_file": "the file that the agent's report goes to",
}

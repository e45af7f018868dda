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
    `prompts`), field, seconds, any.
    """

    kind: str
    required: bool = False
    choices: tuple[str, ...] = ()


@record
class HookAction:
    """One entry: its code as `module:NAME`, its parameters, and the number fields it keeps, for `when` to compare."""

    implementation: str
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
    "acquire_workspace": HookAction(f"{_WORKSPACES}:ACQUIRE", {"setup": Parameter("text", choices=("run", "skip"))}),
    "release_workspace": HookAction(f"{_WORKSPACES}:RELEASE"),
    "spawn_agent": HookAction(
        f"{_AGENTS}:SPAWN_AGENT",
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
    "spawn_reviewer": HookAction(f"{_AGENTS}:SPAWN_REVIEWER", {"prompt": _PROMPT, "increment": _FIELD}),
    "route": HookAction(
        "orange_tui.autopilot.route_hook:ROUTE",
        {"prompt": _PROMPT, "timeout": Parameter("seconds")},
        number_fields=("lane",),
    ),
    "kill_session": HookAction(f"{_AGENTS}:KILL_SESSION"),
    "kill_reviewer": HookAction(f"{_AGENTS}:KILL_REVIEWER"),
    "clear_outcome": HookAction(f"{_AGENTS}:CLEAR_OUTCOME"),
    "notify_worker": HookAction(f"{_AGENTS}:NOTIFY_WORKER", {"message": Parameter("message", required=True)}),
    "spawn_next": HookAction(f"{_TASKS}:SPAWN_NEXT"),
    "push_branch": HookAction(f"{_DELIVERY}:PUSH_BRANCH"),
    "create_pr": HookAction(f"{_DELIVERY}:CREATE_PR"),
    "delete_remote_branch": HookAction(f"{_DELIVERY}:DELETE_REMOTE_BRANCH"),
    "register_branch": HookAction("orange_tui.issues.hooks:REGISTER_BRANCH"),
    "take_report": HookAction(f"{_REPORTS}:TAKE_REPORT"),
    "commit_work": HookAction(f"{_REPORTS}:COMMIT_WORK"),
    "delegate": HookAction(
        "orange_tui.autopilot.delegation:DELEGATE", {"subtasks": Parameter("text", choices=("required", "optional"))}
    ),
    "increment": HookAction("orange_tui.engine.hooks:INCREMENT", {"field": _NEEDED_FIELD}),
    "set_field": HookAction(
        "orange_tui.engine.hooks:SET_FIELD", {"field": _NEEDED_FIELD, "value": Parameter("any", required=True)}
    ),
    "run_command": HookAction(
        f"{_WORKSPACES}:RUN_COMMAND",
        {"command": Parameter("text", required=True), "timeout": Parameter("seconds")},
    ),
    "notify": HookAction(
        f"{_TASKS}:NOTIFY",
        {"message": _MESSAGE, "via": Parameter("text", choices=("desktop", "bell", "webhook"))},
    ),
}

PROMPT_VARIABLES = ("id", "summary", "project", "branch", "review_round", "status")
# Each is assembled when somebody asks for it: in messages to agents, and in prompts.
MESSAGE_VARIABLES = ("open_threads",)
ASSEMBLED_VARIABLES = (*MESSAGE_VARIABLES, "threads", "context", "profile", "report_file")

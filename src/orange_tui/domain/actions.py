"""The hooks a workflow may name, and the parameters each takes: what the loader checks a file against.

What an action *does* is registered under the same name in `engine.hooks`; a test keeps the two in step.
"""

from __future__ import annotations

from orange_tui.domain.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


@record
class Parameter:
    """One parameter. Kinds: text, template (with variables), prompt (a key of `prompts`), field, seconds, any."""

    kind: str
    required: bool = False
    choices: tuple[str, ...] = ()


_PROMPT = Parameter("prompt", required=True)
_FIELD = Parameter("field")
_NEEDED_FIELD = Parameter("field", required=True)
_MESSAGE = Parameter("template", required=True)

ACTIONS: Mapping[str, Mapping[str, Parameter]] = {
    "acquire_workspace": {},
    "release_workspace": {},
    "spawn_agent": {
        "prompt": _PROMPT,
        "harness": Parameter("text", choices=("task", "review")),
        "permissions": Parameter("text", choices=("full", "reduced")),
        "window": Parameter("text"),
        "mode": Parameter("text", choices=("one_shot", "one_shot_work")),
        "system": Parameter("prompt"),
        "increment": _FIELD,
    },
    "spawn_reviewer": {"prompt": _PROMPT, "increment": _FIELD},
    "route": {"prompt": _PROMPT, "timeout": Parameter("seconds")},
    "kill_session": {},
    "kill_reviewer": {},
    "notify_worker": {"message": _MESSAGE},
    "spawn_next": {},
    "push_branch": {},
    "create_pr": {},
    "delete_remote_branch": {},
    "register_branch": {},
    "take_report": {},
    "commit_work": {},
    "delegate": {"subtasks": Parameter("text", choices=("required", "optional"))},
    "increment": {"field": _NEEDED_FIELD},
    "set_field": {"field": _NEEDED_FIELD, "value": Parameter("any", required=True)},
    "run_command": {"command": Parameter("text", required=True), "timeout": Parameter("seconds")},
    "notify": {
        "message": _MESSAGE,
        "via": Parameter("text", choices=("desktop", "bell", "webhook")),
    },
}

# The numbers an action keeps in frontmatter, so that a `when` may compare them.
KEPT_NUMBERS: Mapping[str, tuple[str, ...]] = {"route": ("lane",)}

PROMPT_VARIABLES = ("summary", "project", "branch", "review_round", "status")
ASSEMBLED_VARIABLES = (
    "context",
    "profile",
    "report_file",
)  # in prompts only: each is put together when it is asked for

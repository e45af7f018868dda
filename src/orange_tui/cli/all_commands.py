"""Every command of `orange`, as a table: what it takes, what it does, what runs it.

A new command is one entry in the module of its topic in `cli/table`, and the function it names in the module of the
same name in `cli/commands`; parser, help and completion follow by themselves.
"""

from __future__ import annotations

from orange_tui.cli.table.agents import AGENT_COMMANDS
from orange_tui.cli.table.app import DEMO, PROGRAM, SERVE
from orange_tui.cli.table.delivery import DELIVERY_COMMANDS
from orange_tui.cli.table.events import ASK, EVENT
from orange_tui.cli.table.issues import ISSUE_COMMANDS
from orange_tui.cli.table.jobs import JOB_COMMANDS
from orange_tui.cli.table.projects import PROJECT_COMMANDS, RESTORE, WORKSPACE_COMMANDS
from orange_tui.cli.table.review import REVIEW_COMMANDS
from orange_tui.cli.table.setup import SETUP_COMMANDS
from orange_tui.cli.table.tasks import TASK_COMMANDS
from orange_tui.cli.table.usage import USAGE
from orange_tui.cli.table.workflows import WORKFLOW_COMMANDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from orange_tui.cli.parsing.grammar import CommandSpec

COMMANDS: Sequence[CommandSpec] = (
    PROGRAM,
    *TASK_COMMANDS,
    *AGENT_COMMANDS,
    *REVIEW_COMMANDS,
    *DELIVERY_COMMANDS,
    RESTORE,
    EVENT,
    ASK,
    *PROJECT_COMMANDS,
    *WORKSPACE_COMMANDS,
    *WORKFLOW_COMMANDS,
    *JOB_COMMANDS,
    *ISSUE_COMMANDS,
    USAGE,
    SERVE,
    DEMO,
    *SETUP_COMMANDS,
)

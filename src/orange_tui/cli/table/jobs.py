"""The `job` commands, as entries for the table in `root`."""

from __future__ import annotations

from orange_tui.cli.parsing.grammar import Argument, CommandSpec, Option
from orange_tui.cli.table.tasks import IN_PROJECT, YES

_MODULE = "orange_tui.cli.commands.jobs"
_JOB = Argument("id", "The job: its id, or the beginning of it.", complete="job")

JOB_COMMANDS = (
    CommandSpec(("job",), "Create tasks by the clock."),
    CommandSpec(
        ("job", "add"),
        "Add a job: a task that is created again and again, by the clock.",
        (
            Argument("cron", "When: a cron expression in quotes, or @hourly, @daily, @weekly, @monthly, @yearly."),
            Argument("summary", "What is wanted, in one line: the summary of its tasks."),
        ),
        (
            Option("--body", "TEXT|-", "What the agent should know, in Markdown; - reads standard input."),
            Option("--label", "L", "A label for its tasks.", repeat=True),
            IN_PROJECT,
            Option("--workflow", "W", "The workflow (default: the project's).", complete="workflow"),
            Option("--harness", "H", "The agent that does the work.", complete="harness"),
        ),
        f"{_MODULE}:add",
        """
A cron expression has five fields: minute, hour, day of the month, month, weekday. It is read in your time zone: the
one in config.yml (`timezone: Europe/Berlin`), else TZ, else the machine's. Where the clock is put forward or back, a
job at a set time still runs once.

Jobs run while `orange serve` or the app is open. A run is skipped while the job's last task is under way. Of runs
that were missed, the last one is caught up with.

Exit codes: 0 added; 1 refused; 2 wrong usage.
""",
        (
            ('orange job add "0 7 * * MON-FRI" "Update the dependencies"', "Every working day at seven"),
            ('orange job add @weekly "Find dead code" --label chore --harness claude', "Once a week, by one agent"),
            ('orange job add @daily "Sort new issues" --body - < triage.md', "With your notes for the agent"),
        ),
    ),
    CommandSpec(
        ("job", "list"),
        "List the jobs: when each runs next, and what came of its last run.",
        run=f"{_MODULE}:list_jobs",
        details="With --json: everything that is known of each.",
        examples=(("orange job list", "Next run, last run and its task, and why one was skipped"),),
    ),
    CommandSpec(
        ("job", "enable"),
        "Let a job run again.",
        (_JOB,),
        run=f"{_MODULE}:enable",
        details="What it would have run while it was off is not caught up with.",
        examples=(("orange job enable k3x9", "From now on"),),
    ),
    CommandSpec(
        ("job", "disable"),
        "Let a job rest; it stays in the list.",
        (_JOB,),
        run=f"{_MODULE}:disable",
        details="A task of it that is under way goes on.",
        examples=(("orange job disable k3x9", "Until it is enabled again"),),
    ),
    CommandSpec(
        ("job", "remove"),
        "Forget a job; the tasks it created stay.",
        (_JOB,),
        (YES,),
        f"{_MODULE}:remove",
        "Exit codes: 0 removed; 1 refused or not confirmed; 2 wrong usage.",
        (("orange job remove k3x9", "Forget it after a question"),),
    ),
)

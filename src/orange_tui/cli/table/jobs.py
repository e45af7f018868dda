"""The `job` commands, as entries for the table in `all_commands`."""

from __future__ import annotations

from orange_tui.cli.parsing.grammar import Argument, CommandSpec, Option
from orange_tui.cli.table.tasks import IN_PROJECT, YES

_MODULE = "orange_tui.cli.commands.jobs"
_JOB = Argument("id", "The job: its id, or the beginning of it.", complete="job")

JOB_COMMANDS = (
    CommandSpec(("job",), "Create tasks on a schedule."),
    CommandSpec(
        ("job", "add"),
        "Add a job, which creates a task again and again on a schedule.",
        (
            Argument("cron", "When: a cron expression in quotes, or @hourly, @daily, @weekly, @monthly, @yearly."),
            Argument("summary", "What you want done, in one line: the summary of its tasks."),
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
A cron expression has five fields: minute, hour, day of the month, month, weekday. It uses your time zone: the one in
config.yml (`timezone: Europe/Berlin`), else TZ, else the machine's. When the clocks change, a job at a set time still
runs once.

Jobs run while `orange serve` or the app is open. A run is skipped while the job's last task is not finished. If
several runs were missed, only the last one is made up for.

Exit codes: 0 added; 1 refused; 2 wrong usage.
""",
        (
            ('orange job add "0 7 * * MON-FRI" "Update the dependencies"', "Every working day at seven"),
            ('orange job add @weekly "Find dead code" --label chore --harness claude', "Once a week, with one agent"),
            ('orange job add @daily "Sort new issues" --body - < triage.md', "With your notes for the agent"),
        ),
    ),
    CommandSpec(
        ("job", "list"),
        "List the jobs: when each runs next, and the result of its last run.",
        run=f"{_MODULE}:list_jobs",
        details="With --json: everything about each job.",
        examples=(("orange job list", "Next run, last run and its task, and why a run was skipped"),),
        agents_may="use it",
    ),
    CommandSpec(
        ("job", "enable"),
        "Let a job run again.",
        (_JOB,),
        run=f"{_MODULE}:enable",
        details="Runs that it missed while it was disabled are not made up for.",
        examples=(("orange job enable k3x9", "From now on"),),
    ),
    CommandSpec(
        ("job", "disable"),
        "Stop a job from running; it stays in the list.",
        (_JOB,),
        run=f"{_MODULE}:disable",
        details="A task that it has already created goes on.",
        examples=(("orange job disable k3x9", "Until it is enabled again"),),
    ),
    CommandSpec(
        ("job", "remove"),
        "Remove a job; the tasks it created stay.",
        (_JOB,),
        (YES,),
        f"{_MODULE}:remove",
        "Exit codes: 0 removed; 1 refused or not confirmed; 2 wrong usage.",
        (("orange job remove k3x9", "Remove it after asking"),),
    ),
)

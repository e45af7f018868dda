"""Checks on GitHub: those of a commit, and for one that failed the step, the end of its log, and how to run it again.

GitHub's own runner writes `##[group]Run <command>` before each step, the lines of the command in colour below it, and
`##[error]` where it failed: so the log itself tells which command it was. Of other programs' checks there is a summary.
"""

from __future__ import annotations

import re

from orange_tui.domain.pull_request import FAILED, PASSED, RUNNING, Check
from orange_tui.domain.review.thread import clean_text
from orange_tui.outside.forge._gh import nodes_at, text_at, value_at
from orange_tui.outside.forge.interface import clean_line
from orange_tui.outside.forge.review_records import CheckFailure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.outside.forge.interface import HostedRepository

CHECK_FIELDS = (
    "__typename ...on CheckRun{name status conclusion databaseId detailsUrl title summary"
    " steps(first:50){nodes{name conclusion}} checkSuite{workflowRun{databaseId workflow{name}}}}"
    " ...on StatusContext{context state description targetUrl}"
)
_CONCLUSIONS = {
    **dict.fromkeys(("FAILURE", "TIMED_OUT", "STARTUP_FAILURE"), FAILED),
    **dict.fromkeys(("SUCCESS", "NEUTRAL", "SKIPPED"), PASSED),
}
_STATUSES = {"SUCCESS": PASSED, "FAILURE": FAILED, "ERROR": FAILED, "PENDING": RUNNING}
_MAX_NAME_CHARACTERS = 120
_MAX_SUMMARY_CHARACTERS = 2_000
_MAX_LOG_LINES, _MAX_LOG_CHARACTERS = 60, 6_000
_MAX_COMMAND_CHARACTERS = 1_000
_STAMP = re.compile(r"^\ufeff?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z ?")
_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~])")
_COMMAND_LINE = "\x1b[36;1m"  # the colour in which the runner prints a step's command
_GROUP, _END_OF_GROUP, _ERROR = "##[group]Run ", "##[endgroup]", "##[error]"
_EXITED = f"{_ERROR}Process completed with exit code"


def parse_checks(rollup: object) -> tuple[Check, ...]:
    """The checks of a commit, one for each name: where two have the same, the worst of them."""
    found: dict[str, Check] = {}
    order = (FAILED, RUNNING, PASSED, "")
    for node in nodes_at(rollup, "contexts"):
        check = _check_run(node) if text_at(node, "__typename") == "CheckRun" else _status(node)
        known = found.get(check.name)
        if check.name and (known is None or order.index(check.state) < order.index(known.state)):
            found[check.name] = check
    return tuple(found.values())


def _check_run(node: object) -> Check:
    run = value_at(node, "checkSuite", "workflowRun")
    workflow, name = text_at(run, "workflow", "name"), text_at(node, "name")
    is_over = text_at(node, "status") == "COMPLETED"
    failed = (text_at(step, "name") for step in nodes_at(node, "steps") if _is_failed(text_at(step, "conclusion")))
    parts = (text_at(node, "title"), text_at(node, "summary"))
    return Check(
        name=clean_line(f"{workflow} / {name}" if workflow and name else name, _MAX_NAME_CHARACTERS),
        state=_CONCLUSIONS.get(text_at(node, "conclusion"), "") if is_over else RUNNING,
        url=web_address(text_at(node, "detailsUrl")),
        step=clean_line(next(failed, ""), _MAX_NAME_CHARACTERS),
        summary=_summary("\n\n".join(part for part in parts if part.strip())),
        job=_number(value_at(node, "databaseId")) if run is not None else 0,
        run=_number(value_at(run, "databaseId")),
    )


def _status(node: object) -> Check:
    return Check(
        name=clean_line(text_at(node, "context"), _MAX_NAME_CHARACTERS),
        state=_STATUSES.get(text_at(node, "state"), ""),
        url=web_address(text_at(node, "targetUrl")),
        summary=_summary(text_at(node, "description")),
    )


def _is_failed(conclusion: str) -> bool:
    return _CONCLUSIONS.get(conclusion) == FAILED


def _number(value: object) -> int:
    return value if type(value) is int and value > 0 else 0


def web_address(url: str) -> str:
    """An address on the web that can be shown and opened; nothing in place of any other."""
    return url if url.startswith("https://") and clean_line(url, 500) == url else ""


def _summary(text: str) -> str:
    return clean_text(_ESCAPE.sub("", text))[:_MAX_SUMMARY_CHARACTERS]


def log_path(repository: HostedRepository, job: int) -> str:
    """Where the log of a job is, in the REST interface."""
    return f"repos/{repository.owner}/{repository.name}/actions/jobs/{job:d}/logs"


def failure_of(check: Check, repository: HostedRepository, log: str) -> CheckFailure:
    """What there is to know about a failed check, from its log; of one without a log, what its program says of it."""
    rerun = f"gh run rerun {check.run:d} --failed --repo {repository}" if check.run else ""
    if not log.strip():
        return CheckFailure(check.step, check.summary, "", rerun)
    lines = [_STAMP.sub("", line) for line in log.replace("\r\n", "\n").split("\n")]
    begin, end = _failed_section(lines)
    command = _command(lines[begin:end])
    shown = [_cleaned(line) for line in lines[max(begin, end - _MAX_LOG_LINES) : end]]
    text = "\n".join(shown).strip("\n")
    return CheckFailure(check.step, text[-_MAX_LOG_CHARACTERS:], command[:_MAX_COMMAND_CHARACTERS], rerun)


def _failed_section(lines: list[str]) -> tuple[int, int]:
    """From where to where the log is about the step that failed; the steps after it only tidy up."""
    failed = [place for place, line in enumerate(lines) if line.startswith(_EXITED)]
    failed = failed or [place for place, line in enumerate(lines) if line.startswith(_ERROR)]
    end = failed[-1] + 1 if failed else len(lines)
    begin = next((place for place in range(end - 1, -1, -1) if lines[place].startswith(_GROUP)), 0)
    return begin, end


def _command(section: list[str]) -> str:
    """What the step runs: the coloured lines at its head, else what its name says; an action is no command."""
    if not section or not section[0].startswith(_GROUP):
        return ""
    head = section[: section.index(_END_OF_GROUP)] if _END_OF_GROUP in section else section[:1]
    found = [_cleaned(line) for line in head[1:] if line.startswith(_COMMAND_LINE)]
    if found:
        return "\n".join(found)
    return _cleaned(head[0][len(_GROUP) :]) if any(line.startswith("shell: ") for line in head) else ""


def _cleaned(line: str) -> str:
    return clean_text(_ESCAPE.sub("", line).replace("\r", "\n").rstrip("\n").rpartition("\n")[2])

"""The Task tab: the summary, the few facts that matter, what stands in the way, and the body of TASK.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.strip import Strip

from orange_tui.delivery.wording import listed_files
from orange_tui.domain.route import route_of
from orange_tui.domain.task import printable
from orange_tui.presentation.tasks import state_words
from orange_tui.sessions.agent_state import LIMIT
from orange_tui.store.store import StoredTask, TaskRef
from orange_tui.tui.drawing.labels import COLLISION_MARK, CONFLICT_MARK, LIMIT_MARK, shorten_home
from orange_tui.tui.drawing.lines import paragraph
from orange_tui.tui.tabs._subtasks import subtask_lines
from orange_tui.tui.tabs._usage import usage_sentences

if TYPE_CHECKING:
    from orange_tui.board.rows import TaskRow
    from orange_tui.domain.task import Task
    from orange_tui.orange import Orange
    from orange_tui.tui.drawing.palette import Palette

_MOST_QUESTIONS = 100  # lines


def task_lines(orange: Orange, row: TaskRow, width: int, palette: Palette) -> list[Strip]:
    """The summary, the few facts that matter, and the body of TASK.md."""
    from orange_tui.tui.drawing.markdown.page import render_markdown  # late: it is a third of what the app imports

    found = orange.store.read(row.ref)
    if not isinstance(found, StoredTask):
        return paragraph(shorten_home(found.error), palette.bad, width)
    task = found.task
    head = [
        *paragraph(task.summary or "No summary yet", palette.title, width),
        *paragraph(" · ".join(fact for fact in _facts(task, row) if fact), palette.dim, width),
        *(line for text in usage_sentences(row.usage) for line in paragraph(text, palette.dim, width)),
        *(paragraph(f"! {row.needs}", palette.warning, width) if row.needs else []),
        *(
            paragraph(f"{LIMIT_MARK} {row.limit}", palette.warning, width)
            if row.limit and row.limit not in (row.waits or "")
            else []
        ),
        *pull_request_lines(row, width, palette),
        *(line for text in conflict_sentences(orange, row) for line in paragraph(text, palette.warning, width)),
        *(line for text in _route_texts(task) for line in paragraph(text, palette.dim, width)),
        *subtask_lines(orange, row, width, palette),
        Strip([]),
    ]
    body = render_markdown(found.body, width, palette)
    return [*head, *(body or paragraph("TASK.md has no text yet.", palette.dim, width))]


def questions_of(orange: Orange, ref: TaskRef) -> str:
    """What the agent has asked, for whoever answers; each line is text and nothing else."""
    from orange_tui.domain.text.sections import find_section

    found = orange.store.read(ref)
    section = find_section(found.body, "Questions") if isinstance(found, StoredTask) else None
    lines = section.text.strip().splitlines() if section is not None else []
    return "\n".join(printable(line) for line in lines[:_MOST_QUESTIONS])


def _facts(task: Task, row: TaskRow) -> list[str]:
    """What is worth knowing at a glance; what is not there is left out."""
    return [
        state_words(task.status),
        f"round {task.review_round}" if task.review_round else "",
        task.harness or "no agent",
        _numbered(task, "attempts", "attempt "),
        _numbered(task, "issue", "issue #"),
        task.workspace or "",
        row.waits or "",
        (row.budget.sentence() or "") if row.budget is not None else "",
        row.agent if row.agent and row.agent not in {"unknown", LIMIT} else "",  # a limit is told in words
    ]


def _numbered(task: Task, field: str, text: str) -> str:
    number = task.extra.get(field)
    return f"{text}{number}" if number and type(number) is int else ""


def pull_request_lines(row: TaskRow, width: int, palette: Palette) -> list[Strip]:
    """How its pull request stands, or why that is not known."""
    note = row.pull_request
    if note is None:
        return []
    style = palette.warning if note.problem or note.needs() else palette.dim
    return paragraph(f"Pull request {note.name}: {note}", style, width)


def conflict_sentences(orange: Orange, row: TaskRow) -> list[str]:
    """In which files a task would not merge, and whom it will meet there."""
    found = row.conflicts
    if found is None:
        return []
    alone = [f"{CONFLICT_MARK} Conflicts with {found.base}: {listed_files(found.files)}"] if found.files else []
    others = (
        f"{COLLISION_MARK} Will conflict with {_branch_of(orange, row.ref.project, task)} in {listed_files(files)}"
        for task, files in found.others.items()
    )
    return [*alone, *others]


def _branch_of(orange: Orange, project: str, task: str) -> str:
    found = orange.store.read(TaskRef(project, task))
    return found.task.branch if isinstance(found, StoredTask) else task


def _route_texts(task: Task) -> list[str]:
    """The agent and model a router chose for the task, and why."""
    route = route_of(task)
    if route is None:
        return []
    yours = "chosen by you" if "harness" in route.by_person else ""
    who = [
        route.executor or "no agent",
        route.model or "",
        "to be split into subtasks" if route.decompose else "",
        yours,
    ]
    skills = f"Skills: {', '.join(route.selected_skills)}" if route.selected_skills else ""
    role = f"Role: {route.profile.role}" if route.profile.role else ""
    facts = [f"Route: {' · '.join(filter(None, who))}", route.reason, " · ".join(filter(None, [role, skills]))]
    return [fact for fact in facts if fact]

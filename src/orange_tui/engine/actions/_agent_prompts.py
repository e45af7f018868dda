"""What an agent is told: prompts of the workflow, with the task's values and the texts that they ask for filled in."""

from __future__ import annotations

import os

from orange_tui.domain.errors import OrangeError
from orange_tui.domain.harnesses.harness import safe_prompt
from orange_tui.domain.prompts import find_variables, render_prompt, task_values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from orange_tui.domain.review.thread import Thread
    from orange_tui.domain.task import Task
    from orange_tui.engine.hooks import HookRun


def prompt_text(run: HookRun, key: str) -> str:
    """A prompt of the workflow, with the task's values, and the assembled texts that it asks for, filled in."""
    return message_text(run, run.parts.workflows.load(run.task.workflow).prompts[key])


def _context(run: HookRun) -> str:
    from orange_tui.prompt_context.rows import ContextReader, as_markdown

    parts = run.parts
    reader = ContextReader(parts.store, parts.projects, parts.workflows, parts.pool, parts.log)
    return as_markdown(reader.read(run.task, run.opened.body))


def _profile(task: Task) -> str:
    from orange_tui.domain.route import profile_text

    return profile_text(task)


def _open_threads(run: HookRun) -> str:
    from orange_tui.review.batch import open_batch

    return _threads(run, open_batch)


def _all_threads(run: HookRun) -> str:
    from orange_tui.review.batch import whole_review

    return _threads(run, whole_review)


def _threads(run: HookRun, tell: Callable[[str, Sequence[Thread]], str]) -> str:
    """The threads as a text for an agent; where they cannot be read, it is told so, and works on."""
    from orange_tui.review.threads_file import ThreadsFile

    try:
        return tell(run.task.id, ThreadsFile(run.parts.home, run.task.project, run.task.id).read())
    except OrangeError as problem:
        return f"The comments on this task could not be read: {problem}"


_ASSEMBLED: Mapping[str, Callable[[HookRun], str]] = {
    "open_threads": _open_threads,
    "threads": _all_threads,
    "context": _context,
    "profile": lambda run: _profile(run.task),
    "report_file": lambda run: os.path.join(run.opened.directory, ".orange-outcome"),
}


def message_text(run: HookRun, template: str) -> str:
    """A text for an agent, with the task's values in it, and nothing that the agent would take for a command."""
    assembled = {name: _ASSEMBLED[name](run) for name, _ in find_variables(template) if name in _ASSEMBLED}
    return safe_prompt(render_prompt(template, task_values(run.task) | assembled)).rstrip()

"""What is typed into the form for a new task, and what it means: what is wrong with it, its branch, the task to create.

Nothing here reads a file or knows a widget: `Known` is what the form has read so far.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from orange_tui.domain.errors import OrangeError, Refused
from orange_tui.domain.records import record
from orange_tui.domain.route import WORKTREE_FIELD
from orange_tui.domain.task import branch_words, check_branch, check_label, check_summary, free_branch, match_prefix
from orange_tui.domain.usage.budget import parse_budget
from orange_tui.engine.creation import NewTask, names_taken
from orange_tui.options.comma_lists import split_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from orange_tui.domain.task import Task

DEFAULT = (
    "default:"  # and which state that is: another one is another choice, or the field would go on showing this one
)
_NO_AGENT = (
    "No coding agent is installed: the task waits until one is. In the list, H says how to get one. For a try, press"
    " tab and choose demo as the agent: it is scripted, and does no real work."
)
_NO_AGENT_CHOSEN = "No coding agent is installed: the task waits until one is. For a try, choose demo as the agent."


@record
class Known:
    """The project's unfinished tasks, the branches git has, the levels of each agent, and the states to begin in."""

    tasks: Sequence[Task] = ()
    branches: frozenset[str] = frozenset()
    efforts: Mapping[str, tuple[str, ...]] = {}
    states: tuple[str, ...] | str = ()  # or why the workflow cannot be used
    default_branch: str = ""
    lacks_agent: bool = False  # none is installed that does work


@record
class TypedTask:
    """What is typed and chosen, by field; a choice that is left to the default is empty."""

    fields: Mapping[str, str]
    known: Known

    def __getitem__(self, name: str) -> str:
        return self.fields.get(name, "").strip()

    @property
    def branch(self) -> str:
        """The branch it would have; empty: one with its id, which nobody knows yet."""
        if self["branch"]:
            return self["branch"]
        words = branch_words(self["summary"])
        taken = names_taken({*self.known.branches, *(task.branch for task in self.known.tasks)})
        return free_branch(words, lambda name: name in taken or name == self.known.default_branch) if words else ""

    def problem(self) -> str:
        """What is wrong with it, in a sentence; empty: nothing."""
        try:
            self.new_task("")
            self._check()
        except OrangeError as problem:
            return str(problem)
        return ""

    def _check(self) -> None:
        if isinstance(self.known.states, str):
            raise Refused(self.known.states)
        check_summary(self.fields.get("summary", ""))
        name, levels = self["branch"], self.known.efforts.get(self["harness"], ())
        if self["effort"] and levels and self["effort"] not in levels:
            raise Refused(f"{self['harness']} has no effort level {self['effort']}; its levels are {', '.join(levels)}")
        if not name:
            return
        check_branch(name)
        holder = next((task for task in self.known.tasks if task.branch == name), None)
        if holder is not None:
            raise Refused(f"Branch {name} has a task already: {holder.id}. Choose another name.")
        if name not in self.known.branches and name in names_taken(self.known.branches):
            raise Refused(f"Git has branches below {name}/, so none can be called {name}. Choose another name.")

    def remark(self, *, is_open: bool = False) -> str:
        """What is good to know before it is created; `is_open`: all fields are in sight, and leave little room."""
        if self["branch"] in self.known.branches:
            return f"Branch {self['branch']} already exists: the task continues on it."
        lacks_agent = self.known.lacks_agent and not self["harness"]
        if lacks_agent and is_open:
            return _NO_AGENT_CHOSEN
        if not self["summary"]:
            return (
                _NO_AGENT if lacks_agent else "Enter creates the task and starts its agent. Esc keeps what you typed."
            )
        branch = f"Branch: {self.branch or 'orange-tasks/ and its id'}"
        return f"{branch}\n{_NO_AGENT}" if lacks_agent else branch

    def new_task(self, project: str) -> NewTask:
        """The task to create; refused where something that was typed is none of what it should be."""
        state = self["state"]
        return NewTask(
            project=project,
            branch=self["branch"] or None,
            names_branch=True,
            summary=self.fields.get("summary", ""),
            context=self.fields.get("context", ""),
            status=state if state and not state.startswith(DEFAULT) else None,
            workflow=self["workflow"] or None,
            harness=self["harness"] or None,
            review_harness=self["review_harness"] or None,
            effort=self["effort"] or None,
            model=_model(self["model"]),
            blocked_by=tuple(map(self._find, split_line(self["blocked_by"]))),
            labels=tuple(dict.fromkeys(map(check_label, split_line(self["labels"])))),
            budget=parse_budget(self["budget"]) if self["budget"] else None,
            fields={WORKTREE_FIELD: False} if self["worktree"] else {},
            spawn=not self["start"],
        )

    def _find(self, name: str) -> str:
        """The id of a task that is called by its branch, or by the beginning of its id."""
        by_branch = next((task.id for task in self.known.tasks if task.branch == name), None)
        found = by_branch or getattr(match_prefix(name, self.known.tasks), "id", None)
        if found is None:
            raise Refused(f"There is no unfinished task {name} to wait for; name its branch, or its id.")
        return found


def _model(name: str) -> str | None:
    if not name:
        return None
    from orange_tui.domain.harnesses.harness import check_model

    return check_model(name)

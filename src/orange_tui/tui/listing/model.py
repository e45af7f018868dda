"""What the list shows: rows and headings, from the board's rows and what the person has chosen.

It is worked out anew only when something is another: the rows, a choice, or what a search has found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from orange_tui.domain.records import record, replace
from orange_tui.tui.listing.filters import ALL, FILTERS, filter_rows
from orange_tui.tui.listing.orders import BY_NEED, GROUPINGS, ORDERS, UNGROUPED, group_rows, next_name
from orange_tui.tui.listing.tree import ListedTasks, as_tree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from orange_tui.board.rows import TaskRow
    from orange_tui.store.index import Key
    from orange_tui.store.store import TaskRef
    from orange_tui.tui.listing.view_memory import ViewMemory

_ASKING = frozenset({"permission", "answer", "waits"})  # kinds of need: somebody waits for a word


@record
class ListChoices:
    """What the person has chosen to see: a filter, words to look for, an order, groups, or a tree."""

    filter: str = ALL
    search: str = ""
    order: str = BY_NEED
    grouping: str = UNGROUPED
    is_tree: bool = False

    @property
    def sentence(self) -> str:
        """What is not as usual, for the header; the filter always."""
        parts = [
            self.filter,
            "tree" if self.is_tree else "",
            f"by {self.order}" if self.order != BY_NEED else "",
            f"grouped by {self.grouping}" if self.grouping != UNGROUPED and not self.is_tree else "",
            f"/{self.search}" if self.search else "",
        ]
        return " · ".join(part for part in parts if part)


class ListModel:
    """The list of one screen."""

    def __init__(self) -> None:
        self.choices = ListChoices()
        self.in_text: frozenset[Key] = frozenset()  # the tasks in whose TASK.md the words of the search were found
        self._made_of: tuple[object, ...] = ()
        self._listed = ListedTasks(())
        self._arranged: tuple[Sequence[TaskRow], str, Sequence[TaskRow]] | None = None  # rows, order, those in order

    def next_filter(self) -> None:
        """All, active, finished, what needs the person."""
        self.choose(filter=next_name(FILTERS, self.choices.filter))

    def next_order(self) -> None:
        """Another order."""
        self.choose(order=next_name(ORDERS, self.choices.order))

    def next_grouping(self) -> None:
        """In one list, by state or by project; a tree is none of them."""
        self.choose(grouping=next_name(GROUPINGS, self.choices.grouping), is_tree=False)

    def toggle_tree(self) -> None:
        """Subtasks below their parents, or all tasks in one list."""
        self.choose(is_tree=not self.choices.is_tree)

    def choose(self, **changes: object) -> None:
        """Choose something else; other words were not found in any text yet."""
        if "search" in changes:
            self.in_text = frozenset()
        self.choices = replace(self.choices, **changes)

    def restore(self, memory: ViewMemory) -> None:
        """Choose what was chosen last, but for words to look for."""
        known = ListChoices()
        self.choose(
            filter=memory.chosen("filter", FILTERS) or known.filter,
            order=memory.chosen("order", ORDERS) or known.order,
            grouping=memory.chosen("grouping", GROUPINGS) or known.grouping,
            is_tree=memory.flag("tree"),
        )

    def to_remember(self) -> dict[str, object]:
        """What `restore` will choose."""
        chosen = self.choices
        return {"filter": chosen.filter, "order": chosen.order, "grouping": chosen.grouping, "tree": chosen.is_tree}

    def listed(self, rows: Sequence[TaskRow]) -> ListedTasks:
        """What to show of the board's rows; the same object while nothing has changed."""
        made_of = (self.choices, self.in_text)
        if self._made_of and self._made_of[0] is rows and self._made_of[1:] == made_of:
            return self._listed
        self._made_of = (rows, *made_of)
        self._listed = self._arrange(rows)
        return self._listed

    def _arrange(self, rows: Sequence[TaskRow]) -> ListedTasks:
        choices = self.choices
        in_order = self.in_order(rows)
        shown = filter_rows(in_order, choices.filter, choices.search, self.in_text)
        if choices.is_tree:
            return as_tree(in_order, shown)
        found, headings = group_rows(shown, choices.grouping)
        return ListedTasks(found, headings=headings)

    def in_order(self, rows: Sequence[TaskRow]) -> Sequence[TaskRow]:
        """The rows in the chosen order, filtered or not."""
        order = self.choices.order
        if self._arranged is None or self._arranged[0] is not rows or self._arranged[1] != order:
            self._arranged = rows, order, ORDERS[order](rows)
        return self._arranged[2]

    def next_in_need(self, rows: Sequence[TaskRow], after: TaskRef | None) -> TaskRow | None:
        """The task after this one that needs the person, round and round; it may be the same one.

        Agents that ask go first, for they stand still; then whatever waits longest, such as for a review.
        """
        needing = [row for row in rows if row.needs]
        needing.sort(key=lambda row: (row.needs is None or row.needs.kind not in _ASKING, row.needs_since))
        here = next((place for place, row in enumerate(needing) if row.ref == after), -1)
        return needing[(here + 1) % len(needing)] if needing else None

    def shows(self, rows: Sequence[TaskRow], ref: TaskRef) -> bool:
        """Whether a task is in the list as it is now."""
        return any(row.ref == ref for row in self.listed(rows).rows)

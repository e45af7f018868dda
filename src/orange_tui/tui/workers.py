"""Work that goes on beside the screen, as a worker of whoever is shown: it ends with that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from textual.dom import DOMNode


def begin_work(
    owner: DOMNode,
    work: Callable[[], Coroutine[Any, Any, object]],
    *,
    group: str = "default",
    exclusive: bool = False,
    exit_on_error: bool = False,
) -> None:
    """Begin it, given as what makes the coroutine: one that is replaced before it has begun is then never made.

    Else Python would complain, on the person's terminal, that nobody has awaited it.
    """
    owner.run_worker(work, group=group, exclusive=exclusive, exit_on_error=exit_on_error)  # type: ignore[arg-type]

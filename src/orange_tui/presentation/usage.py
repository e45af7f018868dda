"""Tokens and dollars in a few cells: short where a list shows them, and never 0 for what nobody knows."""

from __future__ import annotations

from orange_tui.domain.task import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from orange_tui.domain.usage.totals import Totals

UNKNOWN_COST = "unknown"
_THOUSAND = 1000
_UNITS = ("", "k", "M", "G", "T")
_BAR_CELLS = "▏▎▍▌▋▊▉█"


def cost_text(totals: Totals) -> str:
    """What something has cost: `$1.25`, `over $1.25` where a model's price is unknown, or that nothing is known."""
    if not totals.unpriced:
        return dollars(totals.cost)
    return f"over {dollars(totals.cost)}" if totals.cost else UNKNOWN_COST


def dollars(amount: float) -> str:
    """An amount, to the cent; of less than one it is said that it is not nothing."""
    return "<$0.01" if 0 < amount < 0.005 else f"${amount:,.2f}"  # noqa: PLR2004 - what would be rounded to 0


def count_text(number: int) -> str:
    """A number of tokens in at most five cells: 950, 12.3k, 1.2M."""
    size = float(number)
    for unit in _UNITS:
        if size < _THOUSAND - 0.5 or unit == _UNITS[-1]:
            break
        size /= _THOUSAND
    return f"{size:.0f}{unit}" if not unit or size >= 100 else f"{size:.1f}{unit}"  # noqa: PLR2004 - three digits


def unpriced_sentence(totals: Totals) -> str | None:
    """Which models nobody knows the price of, and the way out; None where all are known."""
    if not totals.unpriced:
        return None
    return f"Unknown price: {', '.join(map(printable, totals.unpriced))}. `prices` in config.yml can give it."


def bars(totals: Sequence[Totals], width: int) -> list[str]:
    """A bar for each, if there are several to compare: of dollars, or of tokens where no price is known."""
    sizes: list[float] = [each.cost for each in totals]
    if not any(sizes):
        sizes = [each.tokens for each in totals]
    return [bar(size, max(sizes), width) if len(sizes) > 1 else "" for size in sizes]


def bar(part: float, whole: float, width: int) -> str:
    """A bar of as many eighths of a cell as the part is of the whole; what is not nothing has at least one."""
    if part <= 0 or whole <= 0:
        return ""
    eighths = max(1, round(min(1.0, part / whole) * width * 8))
    return "█" * (eighths // 8) + (_BAR_CELLS[eighths % 8 - 1] if eighths % 8 else "")

"""The pages there are: a page is a file in `docs/`, its topic is the file's name, its title the first heading."""

from __future__ import annotations

import os

from orange_tui.domain.errors import NotFound
from orange_tui.home.files import read_bytes
from orange_tui.home.paths import shipped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_ENDING = ".md"
_MAX_BYTES = 1_000_000
# As a reader goes through them; a page that is not named here comes last.
_ORDER = (
    "getting-started",
    "keys",
    "commands",
    "configuration",
    "workflows",
    "agents",
    "autopilot",
    "limits",
    "review",
)


def topics() -> list[str]:
    """Every topic, in the order in which a newcomer reads them; none where the pages were not installed."""
    try:
        names = os.listdir(shipped("docs"))
    except FileNotFoundError:
        return []
    found = sorted(name.removesuffix(_ENDING) for name in names if name.endswith(_ENDING))
    return sorted(found, key=lambda topic: _ORDER.index(topic) if topic in _ORDER else len(_ORDER))


def read_page(topic: str) -> str:
    """The Markdown of a page."""
    known = topics()
    if topic not in known:
        raise NotFound(f"There is no page {topic}; the pages are {', '.join(known)}")
    return read_bytes(os.path.join(shipped("docs"), topic + _ENDING), max_bytes=_MAX_BYTES).decode()


def titles() -> Sequence[tuple[str, str]]:
    """Every topic with its title, for lists."""
    return [(topic, _title(read_page(topic))) for topic in topics()]


def _title(text: str) -> str:
    return text.partition("\n")[0].lstrip("# ").strip()

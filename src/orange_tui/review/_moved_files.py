"""Files that the branch has given another name since the person looked, and that git cannot know as renamed.

A file that the branch itself adds has no name before the branch: under its next name it is another file to git, and
would be shown as one wall of new lines. It is known by the lines it adds.
"""

from __future__ import annotations

from collections import Counter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from orange_tui.domain.review.diff import DiffFile, Hunk
    from orange_tui.review.viewed_file import SeenFile

_SEVERAL = -1


def moved_files(new: Mapping[int, DiffFile], gone: Sequence[SeenFile]) -> dict[int, SeenFile]:
    """Of new files, by number, those that are one of the files that are gone: more than half of their lines."""
    if not new or not gone:
        return {}
    where: dict[str, int] = {}
    sizes = [0] * len(gone)
    for number, seen in enumerate(gone):
        for line in _added(seen.hunks()):
            sizes[number] += 1
            where[line] = number if where.get(line, number) == number else _SEVERAL
    found: dict[int, int] = {}
    for number, file in new.items():
        lines = [*_added(file.hunks)]
        votes = Counter(where[line] for line in lines if line in where)
        votes.pop(_SEVERAL, None)
        best, count = max(votes.items(), key=lambda vote: vote[1], default=(0, 0))
        if 2 * count > max(sizes[best], len(lines)):
            found.setdefault(best, number)
    return {number: gone[best] for best, number in found.items()}


def _added(hunks: Iterable[Hunk]) -> Iterator[str]:
    """The added lines that tell one file from another."""
    return (line for hunk in hunks for line in hunk.lines if line.startswith("+") and line[1:].strip())

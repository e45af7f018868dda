"""A list of paths in limited space: folders that do not fit are collapsed to a line with their number of files."""

from __future__ import annotations

from heapq import heapify, heappop, heappush

from orange_tui.domain.task import printable


def fold_paths(paths: list[str], max_characters: int) -> str:
    """The paths, one a line; where that is too long, folders are expanded from the top while there is room."""
    text = "\n".join(printable(path) for path in paths)
    return text if len(text) <= max_characters else "\n".join(_expand(_folders(paths), max_characters))


def _folders(paths: list[str]) -> dict[str, dict[str, int]]:
    """Each folder (the root is "") with its entries, and how many files each of them is or contains."""
    folders: dict[str, dict[str, int]] = {"": {}}
    for path in paths:
        parts = path.split("/")
        for depth in range(len(parts)):
            folder, is_file = "".join(f"{part}/" for part in parts[:depth]), depth == len(parts) - 1
            inside = folders.setdefault(folder, {})
            name = path if is_file else f"{folder}{parts[depth]}/"
            inside[name] = inside.get(name, 0) + 1
    return folders


def _expand(folders: dict[str, dict[str, int]], max_characters: int) -> list[str]:
    """The lines, with the shallow and small folders expanded."""
    shown = dict(folders[""])
    room = max_characters - sum(len(_entry(*each)) + 1 for each in shown.items())
    queue = [_by_size(name, folders) for name in shown if name in folders]
    heapify(queue)
    while queue:
        _, size, name = heappop(queue)
        more = size - len(_entry(name, shown[name])) - 1
        if more <= room:
            room -= more
            del shown[name]
            shown |= folders[name]
            for inner in folders[name]:
                if inner in folders:
                    heappush(queue, _by_size(inner, folders))
    return [_entry(*each) for each in sorted(shown.items())]


def _by_size(folder: str, folders: dict[str, dict[str, int]]) -> tuple[int, int, str]:
    return folder.count("/"), sum(len(_entry(*each)) + 1 for each in folders[folder].items()), folder


def _entry(path: str, files: int) -> str:
    return f"{printable(path)} ({files} file{'s' * (files > 1)})" if path.endswith("/") else printable(path)

"""The rows of the context that are about what surrounds a task: issue, instructions, skills, files, changes."""

from __future__ import annotations

import os
from heapq import heapify, heappop, heappush

from orange_tui.domain.errors import NotFound, Unreadable
from orange_tui.domain.route import route_of
from orange_tui.domain.task import printable
from orange_tui.domain.text import yaml_text
from orange_tui.domain.text.file_names import is_binary, is_secret
from orange_tui.home.files import read_bytes
from orange_tui.outside.git import Repository, local

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.context.enrichment import Scene

MOST_TREE = 6_000
MOST_COMMENTS = 10
_SETTINGS = ".orange.yml"
_INSTRUCTIONS = ("CLAUDE.md", "AGENTS.md")
_MOST_BYTES = 200_000
_MOST_FILES = 200  # of a diff
_MOST_LINES = 2_000  # changed in one file: more were made by a program
_DIFF = ("diff", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames")


def comments_text(scene: Scene) -> str:
    """What people said about the issue, newest first; without an issue or without gh there is nothing to say."""
    from orange_tui.outside.forge.registry import find_issue, forge_of_checkout

    issue, url = scene.task.extra.get("issue"), scene.task.extra.get("issue_url")
    if type(issue) is not int or issue <= 0:
        return ""
    place = find_issue(url)
    forge = place[0] if place is not None else forge_of_checkout(scene.directory)
    if not forge.is_installed():
        return ""
    found = forge.read_comments(
        scene.directory, issue, place[1].repository if place is not None else None, MOST_COMMENTS
    )
    return "\n\n".join(f"{each.author}, {each.created_at}:\n{each.text.strip()}" for each in reversed(found))


def instructions_text(scene: Scene) -> str:
    """What the project wants of everybody: `instructions` in .orange.yml, else CLAUDE.md, else AGENTS.md."""
    own = _own_instructions(scene)
    if own:
        return own
    for name in _INSTRUCTIONS:
        text = _file(scene.directory, name)
        if text is not None and text.strip():
            return text
    return ""


def _own_instructions(scene: Scene) -> str:
    """A mistake in the file is logged; it keeps nobody from working."""
    text = _file(scene.directory, _SETTINGS)
    if text is None:
        return ""
    try:
        node = yaml_text.compose(text)
        entries = yaml_text.mapping_entries(node) if node is not None else []
        return next((yaml_text.text_of(value) for key, _, value in entries if key == "instructions"), "")
    except Unreadable as problem:
        where = f"{os.path.join(scene.directory, _SETTINGS)}:{problem.line or 1}"
        scene.services.log.write("warning", f"{where}: {problem.reason}", task=scene.task.id)
        return ""


def _file(directory: str, name: str) -> str | None:
    """A text file of the project; one that is a link to somewhere outside is not the project's."""
    root, path = os.path.realpath(directory), os.path.realpath(os.path.join(directory, name))
    if os.path.commonpath([root, path]) != root or is_secret(os.path.relpath(path, root)):
        return None
    try:
        return read_bytes(path, max_bytes=_MOST_BYTES).decode()
    except (NotFound, Unreadable, UnicodeDecodeError):
        return None


def skills_text(scene: Scene) -> str:
    """What the selected skills teach."""
    from orange_tui.context.skills import read_skills

    route = route_of(scene.task)
    if route is None or not route.selected_skills:
        return ""
    known = {skill.name: skill for skill in read_skills(scene.services.home, scene.services.log)}
    chosen = [known[name] for name in route.selected_skills if name in known]
    return "\n\n".join(f"# {skill.name}\n\n{skill.text}" for skill in chosen)


def tree_text(scene: Scene) -> str:
    """The files of the branch, or of the default branch while there is none; folders are folded where it gets long."""
    project = scene.services.projects.get(scene.task.project)
    repository = Repository(project.path)
    names = (scene.task.branch, project.default_branch)
    reference = next((local(name) for name in names if repository.has_branch(name)), "HEAD")
    finished = repository.ask("ls-tree", "-r", "--name-only", "-z", reference)
    if finished.code != 0:
        return ""  # no commit yet
    paths = [path for path in finished.output.split("\0") if path and not is_secret(path) and not is_binary(path)]
    return folded(paths, MOST_TREE)


def folded(paths: list[str], most: int) -> str:
    """The paths, one a line; where that is too long, folders are opened from the top while there is room."""
    text = "\n".join(printable(path) for path in paths)
    return text if len(text) <= most else "\n".join(_opened(_folders(paths), most))


def _folders(paths: list[str]) -> dict[str, dict[str, int]]:
    """Each folder (the root is empty) with what is directly in it, and how many files that is or has below it."""
    folders: dict[str, dict[str, int]] = {"": {}}
    for path in paths:
        parts = path.split("/")
        for depth in range(len(parts)):
            folder, is_file = "".join(f"{part}/" for part in parts[:depth]), depth == len(parts) - 1
            inside = folders.setdefault(folder, {})
            name = path if is_file else f"{folder}{parts[depth]}/"
            inside[name] = inside.get(name, 0) + 1
    return folders


def _opened(folders: dict[str, dict[str, int]], most: int) -> list[str]:
    """The lines, with the shallow and small folders open."""
    shown = dict(folders[""])
    room = most - sum(len(_entry(*each)) + 1 for each in shown.items())
    waiting = [_by_size(name, folders) for name in shown if name in folders]
    heapify(waiting)
    while waiting:
        _, size, name = heappop(waiting)
        more = size - len(_entry(name, shown[name])) - 1
        if more <= room:
            room -= more
            del shown[name]
            shown |= folders[name]
            for inner in folders[name]:
                if inner in folders:
                    heappush(waiting, _by_size(inner, folders))
    return [_entry(*each) for each in sorted(shown.items())]


def _by_size(folder: str, folders: dict[str, dict[str, int]]) -> tuple[int, int, str]:
    return folder.count("/"), sum(len(_entry(*each)) + 1 for each in folders[folder].items()), folder


def _entry(path: str, files: int) -> str:
    return f"{printable(path)} ({files} file{'s' * (files > 1)})" if path.endswith("/") else printable(path)


def diff_text(scene: Scene) -> str:
    """What the last attempt left uncommitted, if there was one; neither secrets nor what no person could read."""
    attempts = scene.task.extra.get("attempts")
    if type(attempts) is not int or attempts <= 0 or not scene.task.workspace:
        return ""
    repository = Repository(scene.directory)
    changed, left_out = _changed(repository)
    new = repository.ask("ls-files", "--others", "--exclude-standard", "-z").output.split("\0")
    new = [printable(path) for path in new if path and not is_secret(path) and not is_binary(path)][:_MOST_FILES]
    literally = {"GIT_LITERAL_PATHSPECS": "1"}
    diff = repository.ask(*_DIFF, "HEAD", "--", *changed, extra=literally).output if changed else ""
    notes = [f"Not in git yet: {', '.join(new)}" if new else "", left_out]
    return "\n".join(part for part in (*notes, diff) if part)


def _changed(repository: Repository) -> tuple[list[str], str]:
    """The changed files that can be shown, and a line about the others."""
    shown: list[str] = []
    hidden = 0
    for line in repository.ask(*_DIFF, "--numstat", "-z", "HEAD").output.split("\0"):
        added, _, rest = line.partition("\t")
        removed, _, path = rest.partition("\t")
        if not path or is_secret(path):
            continue
        is_text = added.isdigit() and removed.isdigit()  # of a binary file, both are dashes
        if is_text and int(added) + int(removed) <= _MOST_LINES and len(shown) < _MOST_FILES:
            shown.append(path)
        else:
            hidden += 1
    return shown, f"Changed too, and not shown (binary, or too much): {hidden} files" if hidden else ""

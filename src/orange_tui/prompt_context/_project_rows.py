"""The rows of the context about the project: issue comments, instructions, skills, files, uncommitted changes."""

from __future__ import annotations

import os

from orange_tui.domain.errors import OrangeError
from orange_tui.domain.route import route_of
from orange_tui.domain.task import printable
from orange_tui.outside.git import Repository, local
from orange_tui.outside.git_guard.look import look_at_worktree
from orange_tui.prompt_context._file_tree import fold_paths
from orange_tui.prompt_context.file_names import is_binary, is_secret
from orange_tui.review.quotes import read_below
from orange_tui.trust.trust import Trust

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.prompt_context._sources import ContextSources

MAX_TREE_CHARACTERS = 6_000
_MAX_COMMENTS = 10
_INSTRUCTION_FILES = ("CLAUDE.md", "AGENTS.md")
_MAX_FILE_BYTES = 200_000
_MAX_DIFF_FILES = 200
_MAX_CHANGED_LINES = 2_000  # changed in one file: more were made by a program
_DIFF_COMMAND = ("diff", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "--ignore-submodules=dirty")


def comments_text(sources: ContextSources) -> str:
    """The last comments on the linked issue, newest first; nothing without an issue or without its forge's program."""
    from orange_tui.outside.forge.registry import find_issue, forge_of_checkout

    issue, url = sources.task.extra.get("issue"), sources.task.extra.get("issue_url")
    if type(issue) is not int or issue <= 0:
        return ""
    place = find_issue(url)
    forge = place[0] if place is not None else forge_of_checkout(sources.directory)
    if not forge.is_installed():
        return ""
    repository = place[1].repository if place is not None else None
    found = forge.read_comments(sources.directory, issue, repository, _MAX_COMMENTS)
    return "\n\n".join(f"{each.author}, {each.created_at}:\n{each.text.strip()}" for each in reversed(found))


def instructions_text(sources: ContextSources) -> str:
    """The project's instructions for every agent: as projects.json or .orange.yml say, else CLAUDE.md, else AGENTS.md.

    .orange.yml is that of the default branch, and trusted: by it, no agent can instruct the next one.
    """
    project = sources.projects.find(sources.task.project)
    said = Trust(sources.store.home).setup(project).get("instructions") if project is not None else None
    if isinstance(said, str) and said.strip():
        return said
    for name in _INSTRUCTION_FILES:
        text = _read_text(sources.directory, name)
        if text is not None and text.strip():
            return text
    return ""


def _read_text(directory: str, name: str) -> str | None:
    """A text file of the project; None for a secret one, and for a link that leads out of the project.

    The agent may put another link there meanwhile, so what was looked at is read, and nothing that it leads to.
    """
    root, path = os.path.realpath(directory), os.path.realpath(os.path.join(directory, name))
    inside = os.path.relpath(path, root)
    if os.path.commonpath([root, path]) != root or is_secret(inside):
        return None
    try:
        return read_below(root, inside)[:_MAX_FILE_BYTES].decode()
    except (OrangeError, UnicodeDecodeError):
        return None


def skills_text(sources: ContextSources) -> str:
    """The text of the skills that were selected when the task was routed."""
    from orange_tui.prompt_context.skills import read_skills

    route = route_of(sources.task)
    if route is None or not route.selected_skills:
        return ""
    known = {skill.name: skill for skill in read_skills(sources.store.home, sources.log)}
    chosen = [known[name] for name in route.selected_skills if name in known]
    return "\n\n".join(f"# {skill.name}\n\n{skill.text}" for skill in chosen)


def tree_text(sources: ContextSources) -> str:
    """The files of the branch, or of the default branch while there is none, with folders collapsed to fit."""
    project = sources.projects.get(sources.task.project)
    repository = Repository(project.path)
    names = (sources.task.branch, project.default_branch)
    reference = next((local(name) for name in names if repository.has_branch(name)), "HEAD")
    finished = repository.ask("ls-tree", "-r", "--name-only", "-z", reference)
    if finished.code != 0:
        return ""  # no commit yet
    paths = [path for path in finished.output.split("\0") if path and not is_secret(path) and not is_binary(path)]
    return fold_paths(paths, MAX_TREE_CHARACTERS)


def diff_text(sources: ContextSources) -> str:
    """The diff that the last attempt left uncommitted, without secrets, binary files and huge changes."""
    attempts = sources.task.extra.get("attempts")
    if type(attempts) is not int or attempts <= 0 or not sources.task.workspace:
        return ""
    with look_at_worktree(sources.projects.get(sources.task.project).path, sources.directory) as repository:
        return _diff_text(repository)


def _diff_text(repository: Repository) -> str:
    changed, hidden = _changed_files(repository)
    new = repository.ask("ls-files", "--others", "--exclude-standard", "-z").output.split("\0")
    new = [printable(path) for path in new if path and not is_secret(path) and not is_binary(path)][:_MAX_DIFF_FILES]
    literally = {"GIT_LITERAL_PATHSPECS": "1"}
    diff = repository.ask(*_DIFF_COMMAND, "HEAD", "--", *changed, extra=literally).output if changed else ""
    notes = [f"Not in git yet: {', '.join(new)}" if new else "", hidden]
    return "\n".join(part for part in (*notes, diff) if part)


def _changed_files(repository: Repository) -> tuple[list[str], str]:
    """The changed files that can be shown, and a line about the others."""
    shown: list[str] = []
    hidden = 0
    for line in repository.ask(*_DIFF_COMMAND, "--numstat", "-z", "HEAD").output.split("\0"):
        added, _, rest = line.partition("\t")
        removed, _, path = rest.partition("\t")
        if not path or is_secret(path):
            continue
        is_text = added.isdigit() and removed.isdigit()  # of a binary file, both are dashes
        if is_text and int(added) + int(removed) <= _MAX_CHANGED_LINES and len(shown) < _MAX_DIFF_FILES:
            shown.append(path)
        else:
            hidden += 1
    return shown, f"Changed too, and not shown (binary, or too much): {hidden} files" if hidden else ""

"""What a workspace has besides the repository: symlinks to the task's files, the project's `copy` files, its set-up."""

from __future__ import annotations

import os
from contextlib import suppress

from orange_tui.domain.errors import NotFound, OrangeError, Refused
from orange_tui.home.files import make_directory, open_regular, read_end, replace_file
from orange_tui.outside.git import environment_for_git
from orange_tui.outside.processes import processes_with
from orange_tui.outside.programs import run
from orange_tui.workspaces.ports import port_environment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from orange_tui.domain.task import Task
    from orange_tui.home.paths import Home
    from orange_tui.home.projects import Project
    from orange_tui.outside.git_worktree import Worktree

    Confine = Callable[
        [Home, Task, str, Sequence[str]], Sequence[str]
    ]  # puts a command on a task's code into a sandbox

LINKS = ("TASK.md", ".orange-outcome")
_EXCLUDED = tuple(f"/{name}" for name in LINKS)
# What package managers download: slow to get again, and nobody's work.
DEPENDENCY_FOLDERS = ["node_modules", "bower_components", ".venv", "venv", ".tox", ".nox", "vendor", "Pods"]
_SETUP_TIMEOUT_SECONDS = 600
_TAIL_LINES = 15
_TAIL_BYTES = 3000


def as_it_is(_home: Home, _task: Task, _directory: str, words: Sequence[str]) -> Sequence[str]:
    """The default: a command runs without a sandbox. Who knows whether there is one passes something else."""
    return words


def link_task(home: Home, task: Task, worktree: Worktree) -> None:
    """Symlink the task's own files into a worktree, excluded from git."""
    directory = os.path.join(home.tasks, task.project, task.id)
    if not os.path.isdir(directory):
        raise NotFound(f"{directory} does not exist, so {task.id} cannot be worked on")
    worktree.exclude(_EXCLUDED)
    os.close(open_regular(os.path.join(directory, ".orange-outcome"), os.O_WRONLY | os.O_CREAT, follow=False))
    for name in LINKS:
        _link(os.path.join(worktree.path, name), os.path.join(directory, name), task)


def _link(link: str, target: str, task: Task) -> None:
    if os.path.islink(link) and os.readlink(link) == target:
        return
    if os.path.lexists(link) and not (os.path.islink(link) and _is_task_link(link)):
        name = os.path.basename(link)
        raise Refused(
            f"{task.project} has a {name} of its own on {task.branch}, where Orange puts the link to the task's;"
            f" rename it in the repository (`git mv {name} …`) and try again"
        )
    temporary = f"{link}.orange-link"
    with suppress(FileNotFoundError):
        os.unlink(temporary)
    os.symlink(target, temporary)
    os.rename(temporary, link)


def _is_task_link(link: str, path: str | None = None) -> bool:
    """Whether a link points to a file of the same name in some task's directory, unlike a repository's own links."""
    target = os.readlink(path or link)
    return os.path.isabs(target) and os.path.basename(target) == os.path.basename(link)


def remove_links(path: str) -> None:
    """Remove the links, and what a killed command left of them."""
    for name in LINKS:
        link = os.path.join(path, name)
        for leftover in (link, f"{link}.orange-link"):
            if os.path.islink(leftover) and _is_task_link(link, leftover):
                os.unlink(leftover)


def links_replaced_by_files(worktree: Worktree) -> list[str]:
    """The links that somebody replaced by a plain file: git excludes them, so they must be saved separately."""
    paths = {name: os.path.join(worktree.path, name) for name in LINKS}
    plain = [name for name, path in paths.items() if os.path.isfile(path) and not os.path.islink(path)]
    if not plain:
        return []
    tracked = worktree.git.must("ls-files", "-z", "--", *plain).split("\0")
    return [name for name in plain if name not in tracked]


def copy_files(project: Project, worktree: Worktree) -> None:
    """Copy the project's `copy` files (such as `.env`) from the main checkout, where the workspace lacks them."""
    for name in copy_list(project):
        source, target = os.path.join(project.path, name), os.path.join(worktree.path, name)
        _check_inside(name, project.path, source)
        _check_inside(name, worktree.path, target)
        if os.path.exists(source) and not os.path.lexists(target):
            _copy(source, target, f"{os.path.dirname(worktree.path)}/.{os.path.basename(worktree.path)}.copying")


def copy_list(project: Project) -> list[str]:
    """The paths to be copied, normalised."""
    return _paths(project, "copy", [])


def keep_list(project: Project) -> list[str]:
    """The ignored files that stay for the next task: names, or paths with a slash, with `*` for anything."""
    return _paths(project, "keep", DEPENDENCY_FOLDERS)


def _paths(project: Project, key: str, default: list[str]) -> list[str]:
    entries = project.entry.get(key, default)
    if not isinstance(entries, list) or not all(isinstance(entry, str) and entry for entry in entries):
        raise Refused(f"`{key}` of project {project.name} must be a list of paths; fix it in projects.json")
    return [os.path.normpath(entry) for entry in entries]


def _check_inside(name: str, root: str, path: str) -> None:
    top, parent = os.path.realpath(root), os.path.realpath(os.path.dirname(path))
    outside = os.path.isabs(name) or name.split(os.sep, 1)[0] in {"..", ".", ".git"}
    if outside or not (parent == top or parent.startswith(top + os.sep)):
        raise Refused(f"`copy` names {name}, which is not a path inside {root}; fix it in projects.json")


def _copy(source: str, target: str, temporary: str) -> None:
    """Copy all or nothing: half a file would never be copied again.

    It is made beside the workspace: in there, a branch may have a link of any name, which would be written through.
    """
    import shutil

    try:
        if os.path.isdir(temporary):  # of one that was killed
            shutil.rmtree(temporary)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if os.path.isdir(source):
            shutil.copytree(source, temporary, symlinks=True)
        else:
            shutil.copy2(source, temporary)
        os.rename(temporary, target)
    except (OSError, shutil.Error) as problem:
        raise Refused(f"{source} could not be copied into the workspace: {problem}") from None


def is_unchanged_copy(project: Project, worktree: Worktree, path: str) -> bool:
    """Whether a file is exactly what `copy` has put there, and so nobody's work."""
    with suppress(OSError, Refused):
        if not any(path == name or path.startswith(name + os.sep) for name in copy_list(project)):
            return False
        import filecmp

        return filecmp.cmp(os.path.join(project.path, path), os.path.join(worktree.path, path), shallow=False)
    return False


def run_setup(  # noqa: PLR0913 - all but the last two say whose it is, and where
    home: Home, project: Project, task: Task, worktree: Worktree, *, confine: Confine, ports: Sequence[int] = ()
) -> None:
    """Run the project's `setup` command; its output goes to the task's logs, the end of it into the refusal."""
    command, timeout = project.entry.get("setup"), project.entry.get("setup_timeout", _SETUP_TIMEOUT_SECONDS)
    if command is None:
        return
    if not isinstance(command, str) or not isinstance(timeout, int | float) or timeout <= 0:
        raise Refused(
            f"`setup` of project {project.name} must be a command and `setup_timeout` a number of seconds;"
            " fix it in projects.json"
        )
    earlier = processes_with("ORANGE_TASK", task.id, worktree.path)
    if earlier:  # the Orange that ran it was killed, but the set-up was not
        raise Refused(f"An earlier set-up still runs in {worktree.path} ({earlier[0]}); try again when it has ended")
    log = os.path.join(home.task_state(task.project, task.id), "logs", "setup.log")
    make_directory(os.path.dirname(log))
    replace_file(log, b"", durable=False, follow=False)
    try:
        words = confine(home, task, worktree.path, ["/bin/sh", "-c", command])
        code = _run_logged(words, log, worktree.path, _setup_variables(home, project, task, ports), float(timeout))
    except OrangeError:
        raise Refused(f"Set-up `{command}` took longer than {timeout:g} s and was stopped.{_tail(log)}") from None
    if code != 0:
        raise Refused(f"Set-up `{command}` failed with exit code {code}.{_tail(log)}")


def _setup_variables(home: Home, project: Project, task: Task, ports: Sequence[int]) -> dict[str, str]:
    return {
        **port_environment(ports),
        "ORANGE_TASK": task.id,
        "ORANGE_TASK_FILE": os.path.join(home.tasks, task.project, task.id, "TASK.md"),
        "ORANGE_HOME": home.root,
        "ORANGE_PROJECT": project.path,
    }


def _run_logged(words: Sequence[str], log: str, directory: str, variables: dict[str, str], timeout: float) -> int:
    """Run the person's own command from projects.json, with its output in a file; returns its exit code.

    A pipe would be held open by whatever it leaves running, and is lost when time is up.
    """
    logged = ["/bin/sh", "-c", 'exec "$@" >"$0" 2>&1', log, *words]
    return run(logged, directory=directory, environment=environment_for_git() | variables, timeout=timeout).code


def _tail(log: str) -> str:
    lines = read_end(log, _TAIL_BYTES).decode(errors="replace").splitlines()[-_TAIL_LINES:]
    return f" Its last output:\n{chr(10).join(lines)}\n(all of it is in {log})" if lines else " It printed nothing."

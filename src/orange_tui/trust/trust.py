"""What a project's repository brings along, what of it the person trusts, and what follows for its tasks.

The repository's `.orange.yml` is read from its default branch, as committed: what a task's agent writes in its worktree
or on its branch changes nothing. What is trusted is known by what it says, one digest for each thing, in
`state/.trust.json`, which no agent is granted. So taking something away needs no new trust, and the question names only
what is new.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from functools import lru_cache

from orange_tui.domain.errors import Refused, Untrusted
from orange_tui.domain.records import record
from orange_tui.home import clock
from orange_tui.home.files import make_directory
from orange_tui.home.json_file import JsonFile
from orange_tui.outside.git import Repository, local, remote
from orange_tui.outside.git_guard.brought import UNSHOWABLE, find_directories, read_lines
from orange_tui.outside.git_guard.gate import brought_by_git, names_of
from orange_tui.trust import orange_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from orange_tui.home.paths import Home
    from orange_tui.home.projects import Project
    from orange_tui.outside.git_guard.brought import Brought, GitDirectories
    from orange_tui.trust.orange_file import OrangeFile

_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_LINK = "120000"


@record
class _Look:
    """One look at a project's repository: where it is, and the `.orange.yml` on its default branch."""

    place: str  # under which its trust is kept
    where: GitDirectories | None
    file: OrangeFile

    def brought(self) -> list[Brought]:
        """Everything that it brings along."""
        return [*self.file.items(), *(brought_by_git(self.where) if self.where is not None else ())]


@record
class Trust:
    """What the person trusts in the repositories of one home."""

    home: Home

    def brought(self, project: Project) -> list[Brought]:
        """Everything that a project's repository brings along, seen or not."""
        return _look_at(project).brought()

    def untrusted(self, project: Project) -> list[Brought]:
        """What of it the person has not seen as it is now."""
        return self._untrusted(_look_at(project))

    def _untrusted(self, look: _Look) -> list[Brought]:
        found = look.brought()
        known = self.trusted(look.place) if found else ()
        return [each for each in found if each.digest not in known]

    def checked_setup(self, project: Project) -> Mapping[str, object]:
        """How a project's workspaces are set up, by the very file that was looked at.

        Refused where something would count that the person has not seen, or where nobody can read it.
        """
        look = _look_at(project)
        if look.file.problems:
            listed = "\n".join(str(problem) for problem in look.file.problems)
            raise Refused(f"{project.name} has a mistake in its {orange_file.NAME}:\n{listed}")
        new = self._untrusted(look)
        if new:
            raise Untrusted(waiting_sentence(project.name, new), project.name)
        return {**look.file.values, **_said_of(project)}

    def confirm(self, project: Project, seen: Sequence[Brought]) -> None:
        """Remember what the person was shown: that, and not what may be there by now."""
        unshowable = [each for each in seen if each.digest == UNSHOWABLE]
        if unshowable:
            raise Refused(f"{unshowable[0].name}: {unshowable[0].text}, so it cannot be trusted; make it smaller")
        make_directory(self.home.state)
        with self._file.changing_object() as data:
            known = data.setdefault("repositories", {}).setdefault(_place(project, find_directories(project.path)), {})
            known |= {each.digest: {"name": each.name, "since": clock.now()} for each in seen}

    def trusted(self, shared: str) -> Collection[str]:
        """The digests of what is trusted in a repository, by its git directory."""
        repositories = self._file.read_object().get("repositories")
        found = repositories.get(shared) if isinstance(repositories, dict) else None
        return found.keys() - {UNSHOWABLE} if isinstance(found, dict) else ()

    def setup(self, project: Project) -> Mapping[str, object]:
        """How a project's workspaces are set up: as projects.json says, else as trusted of its `.orange.yml`."""
        said = _said_of(project)
        if said.keys() >= orange_file.KEYS.keys():
            return said
        look = _look_at(project)
        shared = look.file.values
        known = self.trusted(look.place) if shared else ()
        seen = {key: value for key, value in shared.items() if orange_file.item_of(key, value).digest in known}
        return {**seen, **said}

    @property
    def _file(self) -> JsonFile:
        path = trust_file(self.home)
        return JsonFile(
            path, f"{path}.lock", title="what you trust", repair="delete it: you are asked again for what it holds"
        )


def trust_file(home: Home) -> str:
    """The file with what is trusted in which repository."""
    return os.path.join(home.state, ".trust.json")


def waiting_sentence(project: str, new: Sequence[Brought]) -> str:
    """Why tasks of a project wait, and the way out."""
    verb = "changed, or was never shown to you"
    return f"{project} brings along {names_of(new)}, which has {verb}: `orange project trust {project}` shows it"


def _said_of(project: Project) -> dict[str, object]:
    """What the person has said of the set-up themselves, in projects.json."""
    return {key: value for key, value in project.entry.items() if key in orange_file.KEYS and value is not None}


def _place(project: Project, where: GitDirectories | None) -> str:
    return where.shared if where is not None else os.path.realpath(project.path)


def _look_at(project: Project) -> _Look:
    where = find_directories(project.path)
    return _Look(_place(project, where), where, _read_in(where, project))


def read_orange_file(project: Project) -> OrangeFile:
    """The `.orange.yml` on the default branch: the remote's, where there is one, as new tasks start from there."""
    return _look_at(project).file


def _read_in(where: GitDirectories | None, project: Project) -> OrangeFile:
    if where is None:
        return orange_file.NOTHING
    names = (remote(project.default_branch), local(project.default_branch))
    tip = next((tip for name in names if (tip := _tip(where, name)) is not None), None)
    with suppress(Refused):  # what is missing in a partial clone is fetched once its settings are trusted
        return _read(project.path, tip) if tip is not None else orange_file.NOTHING
    return orange_file.NOTHING


def _tip(where: GitDirectories, name: str) -> str | None:
    """The commit of a branch, read off git's files: before a task is started, nobody waits for a process in vain."""
    if os.path.isdir(os.path.join(where.shared, "reftable")):
        return Repository(where.path).answer("rev-parse", "--verify", "--quiet", name)
    lines = read_lines(os.path.join(where.shared, name))
    if lines and _COMMIT.fullmatch(lines[0]):
        return lines[0]
    packed = (line.partition(" ") for line in read_lines(os.path.join(where.shared, "packed-refs")))
    return next((commit for commit, _, packed_name in packed if packed_name == name), None)


@lru_cache(maxsize=64)
def _read(path: str, commit: str) -> OrangeFile:
    """The file in a commit, which never changes; a link or a directory of that name is none."""
    git = Repository(path)
    entry = git.must("ls-tree", "--long", "--full-tree", commit, "--", orange_file.NAME).strip()
    mode, kind, name, size = (entry or "none none none 0").split()[:4]
    if kind != "blob" or mode == _LINK:
        return orange_file.NOTHING
    if int(size) > orange_file.MAX_BYTES:
        return orange_file.too_long()
    return orange_file.parse(git.must("cat-file", "blob", name, exact=True))

"""The sandbox of one window: what its agent needs of this home, this project and its own files, as a plan."""

from __future__ import annotations

import os
import sys

from orange_tui.agents.harnesses import agent_path, login_directory
from orange_tui.domain.errors import Refused
from orange_tui.domain.records import record
from orange_tui.domain.sandbox import tables
from orange_tui.domain.sandbox.opened import Surroundings, check_opened
from orange_tui.domain.sandbox.repository import GitPlace, repository_mounts
from orange_tui.domain.sandbox.rules import COPIED, HIDE, PRIVATE, READ, WRITE, Mount, access_to, is_in, plan_mounts
from orange_tui.home.files import make_directory, replace_file
from orange_tui.home.paths import import_root, shipped
from orange_tui.outside.git_worktree import find_worktree
from orange_tui.outside.sandbox.bwrap import why_no_sandbox
from orange_tui.outside.sandbox.enter import in_sandbox
from orange_tui.outside.sandbox.loose_refs import loosen_branches
from orange_tui.outside.sandbox.plan import Files, SandboxPlan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from orange_tui.domain.harnesses.harness import Harness

_HOMES = "/home"
_ROOT_HOME = "/root"


@record
class SandboxSpec:
    """Whom a sandbox is for: its home, project, task and agent, and where that works."""

    orange_home: str
    project: str
    repository: str
    task_directory: str
    directory: str  # that it begins in
    harness: Harness
    git: GitPlace | None = None  # of its worktree; without one it only reads
    door: str | None = None
    private: str | None = None  # an empty directory of the window's own, for login files that its agent replaces
    read: Sequence[str] = ()  # what the project opens besides
    write: Sequence[str] = ()
    network: bool = True
    home: str = ""  # the person's; by default that of who runs Orange


def git_place(worktree: str, branch: str) -> GitPlace:
    """Where git keeps what of a task's worktree."""
    found = find_worktree(worktree)
    if found is None:
        raise Refused(f"{worktree} is no worktree that git knows, so no agent is started in it")
    return GitPlace(found.common_directory, found.git_directory, os.path.realpath(worktree), branch)


def sandboxed(words: Sequence[str], plan_file: str, spec: SandboxSpec) -> tuple[str, ...]:
    """The words that run an agent in its sandbox, whose plan is saved; refused where there can be none."""
    problem = why_no_sandbox()
    if problem is not None:
        raise Refused(
            f"{spec.harness.title} was not started, because it is to run in a sandbox (`sandbox` in config.yml, or of"
            f" project {spec.project}), and {problem}; or `orange project update {spec.project} --sandbox off`"
        )
    replace_file(plan_file, make_plan(spec).as_text().encode(), durable=False, follow=False)
    instead = spec.harness.sandbox.words
    return in_sandbox([instead.get(word, word) for word in words], plan_file, import_root())


def make_plan(spec: SandboxSpec) -> SandboxPlan:
    """The plan of a sandbox; what must be there before it is made now."""
    cache = os.path.join(spec.orange_home, ".cache", "sandbox", spec.project)
    make_directory(cache)
    _prepare(spec)
    home, files = _home(spec), Files()
    mounts = [*plan_mounts(_rules(spec, home, cache), home, files), *_copies(spec.harness)]
    private = _private_directories(spec)
    mounts = [Mount("write", each.path, private[each.path]) if _is_made(each, private) else each for each in mounts]
    if spec.git is not None:
        mounts += repository_mounts(spec.git, files)
    needs = spec.harness.sandbox
    return SandboxPlan(mounts, _variables(spec.harness, cache), needs.variables, spec.directory, spec.network)


def shared_logins(spec: SandboxSpec) -> list[tuple[str, str]]:
    """The login files that the agent replaces: its own copy of each, as seen from outside, and the person's.

    Where it has no launcher that keeps them the same, there are none, and each is written through, as others are.
    """
    private = _private_directories(spec)
    found = [_own(path, spec.harness) for path in spec.harness.sandbox.logins] if private else []
    return [
        (os.path.join(private[os.path.dirname(path)], os.path.basename(path)), path)
        for path in found
        if os.path.dirname(path) in private
    ]


def _private_directories(spec: SandboxSpec) -> dict[str, str]:
    """The agent's own directories with such a login, and what is there instead: it can be seen from outside."""
    needs = spec.harness.sandbox
    logins = [path for each in needs.logins if os.path.isfile(path := _own(each, spec.harness))]
    copied = [_own(path, spec.harness) for path in needs.copied] if spec.private else []
    holding = [path for path in copied if path in map(os.path.dirname, logins)]
    return {path: os.path.join(str(spec.private), str(number)) for number, path in enumerate(holding)}


def _is_made(mount: Mount, private: Mapping[str, str]) -> bool:
    return mount.kind == "empty" and mount.path in private


def _home(spec: SandboxSpec) -> str:
    home = os.path.realpath(spec.home or os.path.expanduser("~"))
    if home == "/":
        raise Refused("HOME is /, so there is nothing that a sandbox could hide; set it to your own directory")
    return home


def _rules(spec: SandboxSpec, home: str, cache: str) -> dict[str, str]:
    """What may be done with which path. Later ones count more where two are about the same."""
    rules = {"/": READ, _HOMES: HIDE, _ROOT_HOME: HIDE, home: READ}
    rules |= dict.fromkeys(tables.PRIVATE_DIRECTORIES, PRIVATE)
    rules |= dict.fromkeys(tables.NEEDED_IN_RUN, READ)
    rules |= dict.fromkeys(map(os.path.realpath, tables.SYSTEM_SECRETS), HIDE)
    rules |= {os.path.realpath(os.path.join(home, name)): HIDE for name in tables.HOME_SECRETS}
    rules |= _elsewhere(home, rules)
    rules |= {os.path.realpath(spec.orange_home): HIDE, home: READ}
    for path in (spec.repository, *_programs(), *([spec.door] if spec.door else [])):
        if access_to(os.path.realpath(path), rules) != READ:
            rules[os.path.realpath(path)] = READ
    rules |= _own_rules(spec.harness) | dict.fromkeys(_written_logins(spec), WRITE)
    rules |= _opened(spec)
    written = [cache, spec.task_directory, *([spec.git.worktree] if spec.git is not None else [])]
    return rules | {os.path.realpath(path): WRITE for path in written}


def _elsewhere(home: str, rules: Mapping[str, str]) -> dict[str, str]:
    """Secrets that the person keeps elsewhere; not where all of the home would be one, or nothing is seen anyway."""
    found = [os.path.realpath(path) for path in tables.secrets_elsewhere(os.environ)]
    hidden = [path for path in found if path not in {"/", home} and not is_in(home, path) and not is_in(path, "/dev")]
    return {path: HIDE for path in hidden if access_to(path, rules) == READ}


def _opened(spec: SandboxSpec) -> dict[str, str]:
    """What the project opens besides; a secret is refused, also where projects.json was written by hand."""
    rules: dict[str, str] = {}
    for access, paths in ((READ, spec.read), (WRITE, spec.write)):
        found = check_opened_paths(paths, spec.orange_home, spec.repository, write=access == WRITE)
        rules |= {path: access for path in found if os.path.exists(path)}
    return rules


def check_opened_paths(paths: Iterable[str], orange_home: str, repository: str, *, write: bool) -> list[str]:
    """The paths that a project opens, links resolved; refused where one would open a secret, or all of the home."""
    home = os.path.realpath(os.path.expanduser("~"))
    around = Surroundings(home, os.path.realpath(orange_home), os.path.realpath(repository))
    found = [os.path.realpath(os.path.expanduser(path)) for path in paths]
    for path in found:
        check_opened(path, around, write=write)
    return found


def _programs() -> Iterator[str]:
    """What Orange itself is made of: agents run its command."""
    yield from {sys.prefix, sys.base_prefix, os.path.dirname(sys.executable), shipped("extensions")}
    yield import_root()


def _own_rules(harness: Harness) -> dict[str, str]:
    """What an agent needs of its own. A file that is not there yet is not written: it would be made outside, empty."""
    needs = harness.sandbox
    rules = {_own(path, harness): COPIED for path in needs.copied}
    rules |= {path: READ for each in needs.read if os.path.exists(path := _own(each, harness))}
    written = needs.write or ((harness.sessions,) if harness.sessions else ())
    return rules | {path: WRITE for each in written if os.path.exists(path := _own(each, harness))}


def _written_logins(spec: SandboxSpec) -> Iterator[str]:
    shared = [path for _, path in shared_logins(spec)]
    for each in spec.harness.sandbox.logins:
        path = _own(each, spec.harness)
        if path not in shared and os.path.exists(path):
            yield path


def _prepare(spec: SandboxSpec) -> None:
    for directory in _private_directories(spec).values():
        make_directory(directory)
    for path in spec.harness.sandbox.write:
        if path.endswith("/"):
            os.makedirs(_own(path, spec.harness), mode=0o700, exist_ok=True)
    if spec.git is not None:
        for directory in spec.git.needed:
            os.makedirs(directory, exist_ok=True)
        for path in spec.git.placeholders:
            with open(path, "a", encoding="utf-8"):
                pass
        loosen_branches(spec.git.shared, spec.git.branch_directory, spec.git.branch)


def _copies(harness: Harness) -> Iterator[Mount]:
    if login_directory(harness) is not None:  # the person keeps its files elsewhere, and these with them
        return
    for source, path in harness.sandbox.copies.items():
        if os.path.isfile(_own(source, harness)):
            yield Mount("copy", _own(path, harness), _own(source, harness))


def _variables(harness: Harness, cache: str) -> Mapping[str, str]:
    own = {name: _own(value, harness) for name, value in harness.sandbox.environment.items()}
    caches = {name: value.format(cache) for name, value in tables.CACHE_VARIABLES.items()}
    return caches | {"TMPDIR": tables.TEMPORARY} | own


def _own(path: str, harness: Harness) -> str:
    """A path of an agent's own, as it is for the agent: its own environment comes before Orange's."""
    return os.path.realpath(agent_path(path, {**os.environ, **harness.environment}))

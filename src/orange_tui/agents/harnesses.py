"""The harnesses of a home: those shipped with Orange, and the person's own from `harnesses.yml`.

YAML is imported only when that file exists: starting an agent should not pay for what nobody uses.
"""

from __future__ import annotations

import os
import re
import sys

from orange_tui.domain.errors import NotFound, OrangeError, Refused, Unreadable
from orange_tui.domain.harnesses.harness import build_command, environment
from orange_tui.domain.harnesses.shipped import SHIPPED
from orange_tui.home.files import read_bytes, read_signature

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from orange_tui.domain.harnesses.harness import Harness, Mode
    from orange_tui.domain.harnesses.harness_file import LoadedHarnesses
    from orange_tui.home.files import Signature
    from orange_tui.home.paths import Home

DEMO = "demo"
_VARIABLE = re.compile(r"\$\{([A-Z_]+):-([^}]*)\}")
_MAX_BYTES = 1024 * 1024


class Harnesses:
    """The harnesses of one home, as the files are now."""

    def __init__(self, home: Home) -> None:
        self.file = os.path.join(home.root, "harnesses.yml")
        self._cache: tuple[Signature, LoadedHarnesses] | None = None

    def names(self) -> list[str]:
        """Every agent's name: the shipped ones in the order of preference, then the person's, the demo last."""
        shipped = [name for name in SHIPPED if name != DEMO]
        return [*shipped, *(name for name in self._users_own() if name not in SHIPPED), DEMO]

    def get(self, name: str) -> Harness:
        """An agent by its name."""
        found = self._users_own().get(name) or SHIPPED.get(name)
        if found is None:
            broken = "".join(f"\n{problem}" for problem in self.problems())
            raise NotFound(f"There is no agent {name[:100]!r}; there are {', '.join(self.names())}{broken}")
        return found

    def installed(self, name: str) -> str | None:
        """Where the agent's program is, or None when it is not on the PATH."""
        return sys.executable if name == DEMO else which(self.get(name).binary)

    def is_installed(self, name: str) -> bool:
        """Whether there is such an agent, and its program."""
        try:
            return self.installed(name) is not None
        except OrangeError:
            return False

    def get_installed(self, name: str) -> Harness:
        """An agent by its name; refused with how to install it where it is not."""
        harness = self.get(name)
        if self.installed(name) is None:
            raise Refused(f"{harness.name} is not installed. {harness.install}")
        return harness

    def install_hints(self) -> str:
        """How to install each agent that has a skill folder, one a line."""
        everyone = [self.get(name) for name in self.names()]
        return "\n".join(f"{each.title}: {each.install}" for each in everyone if each.skills)

    def first_installed(self) -> str | None:
        """The agent for those who name none; never the demo, which does no work."""
        return next((name for name in self.names() if name != DEMO and self.installed(name)), None)

    def problems(self) -> list[str]:
        """Everything that is wrong with `harnesses.yml`; the shipped agents work all the same."""
        loaded = self._load()
        return [] if loaded is None else [str(problem) for problem in loaded.problems]

    def command_line(
        self,
        name: str,
        mode: Mode,
        values: Mapping[str, str],
        *,
        model: str | None = None,
        effort: str | None = None,
    ) -> tuple[str, ...]:
        """The command line that starts an agent, complete but for the word `{prompt}`."""
        harness = self.get(name)
        return build_command(
            harness, mode, self._placeholder_values(harness, values), model=model, effort=effort, root=os.geteuid() == 0
        )

    def environment(self, name: str, values: Mapping[str, str]) -> dict[str, str]:
        """The variables an agent needs besides Orange's own."""
        harness = self.get(name)
        return environment(harness, self._placeholder_values(harness, values))

    def _placeholder_values(self, harness: Harness, values: Mapping[str, str]) -> dict[str, str]:
        program = self.installed(harness.name) or harness.binary
        found = {"python": sys.executable, "orange": orange_command(), "binary": program, **values}
        found.setdefault("repository", _repository(found))
        return found

    def _users_own(self) -> Mapping[str, Harness]:
        loaded = self._load()
        return {} if loaded is None else loaded.harnesses

    def _load(self) -> LoadedHarnesses | None:
        """The file, read again only when it has changed; None when there is none."""
        signature = read_signature(self.file)
        if signature is None:
            return None
        if self._cache is None or self._cache[0] != signature:
            self._cache = (signature, _read(self.file))
        return self._cache[1]


def _read(path: str) -> LoadedHarnesses:
    from orange_tui.domain.harnesses.harness_file import LoadedHarnesses, load_harnesses
    from orange_tui.domain.text.findings import Findings

    try:
        return load_harnesses(_text(path), path, SHIPPED)
    except OrangeError as problem:
        findings = Findings(path)
        line = problem.line if isinstance(problem, Unreadable) else None
        findings.add_problem(line or 1, str(problem), "make it a text file that you may read, or move it away")
        return LoadedHarnesses({}, findings.problems)


def _text(path: str) -> str:
    data = read_bytes(path, max_bytes=_MAX_BYTES)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise Unreadable("this is not UTF-8 text", line=data.count(b"\n", 0, error.start) + 1) from None


def _repository(values: Mapping[str, str]) -> str:
    """The main repository; where it is bare, agents ask to trust the worktree instead."""
    git = values.get("repository_git", "").rstrip("/")
    return os.path.dirname(git) if os.path.basename(git) == ".git" else values.get("worktree", "")


def which(program: str) -> str | None:
    """The absolute path of a program, as the shell would find it. (`shutil` takes longer to import.)"""
    program = os.path.expanduser(program)
    if os.sep in program:
        return os.path.abspath(program) if _is_program(program) else None
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        path = os.path.join(folder, program)
        if folder and _is_program(path):
            return os.path.abspath(path)
    return None


def _is_program(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)


def agent_path(path: str, environment: Mapping[str, str]) -> str:
    """A path of an agent's own: `~` and `${VARIABLE:-default}` are expanded as the agent itself does."""
    filled = _VARIABLE.sub(lambda found: environment.get(found[1]) or found[2], path)
    return os.path.abspath(os.path.expanduser(filled))


def login_directory(harness: Harness) -> str | None:
    """Where an agent keeps its login, which is beside its conversations; None where that is its usual place.

    Its own environment comes before Orange's: two entries of harnesses.yml may be of two accounts.
    """
    variable = _VARIABLE.search(harness.sessions)
    given = {**os.environ, **harness.environment}.get(variable[1]) if variable is not None else None
    if variable is None or not given or agent_path(given, {}) == agent_path(variable[2], {}):
        return None
    return agent_path(given, {})


def login_variable(harness: Harness) -> str | None:
    """The environment variable that puts an agent's login elsewhere; None where it has none."""
    variable = _VARIABLE.search(harness.sessions)
    return variable[1] if variable is not None else None


def orange_command() -> str:
    """The absolute path of the `orange` that belongs to this Python, so that agents need not search for it."""
    beside = os.path.join(os.path.dirname(sys.executable), "orange")
    return beside if _is_program(beside) else which("orange") or "orange"

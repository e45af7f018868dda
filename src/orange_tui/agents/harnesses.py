"""Which agents there are: those that come with Orange, and the person's own from `harnesses.yml`.

YAML is read only when that file exists: starting an agent should not pay for what nobody uses.
"""

from __future__ import annotations

import os
import sys

from orange_tui.domain.errors import NotFound, OrangeError, Unreadable
from orange_tui.domain.harnesses.harness import build, environment
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
_MOST_BYTES = 1024 * 1024


class Harnesses:
    """The agents of one home, as the files say now."""

    def __init__(self, home: Home) -> None:
        self.file = os.path.join(home.root, "harnesses.yml")
        self._seen: tuple[Signature, LoadedHarnesses] | None = None

    def names(self) -> list[str]:
        """Every agent's name: ours in the order of preference, then the person's, the demo last."""
        ours = [name for name in SHIPPED if name != DEMO]
        return [*ours, *(name for name in self._own() if name not in SHIPPED), DEMO]

    def get(self, name: str) -> Harness:
        """An agent by its name."""
        found = self._own().get(name) or SHIPPED.get(name)
        if found is None:
            broken = "".join(f"\n{problem}" for problem in self.problems())
            raise NotFound(f"There is no harness {name[:100]!r}; there are {', '.join(self.names())}{broken}")
        return found

    def installed(self, name: str) -> str | None:
        """Where the agent's program is, or None when it is not on the PATH."""
        return sys.executable if name == DEMO else which(self.get(name).binary)

    def first_installed(self) -> str | None:
        """The agent for those who name none; never the demo, which does no work."""
        return next((name for name in self.names() if name != DEMO and self.installed(name)), None)

    def problems(self) -> list[str]:
        """Everything that is wrong with `harnesses.yml`; our own agents work all the same."""
        loaded = self._load()
        return [] if loaded is None else [str(problem) for problem in loaded.problems]

    def words(
        self,
        name: str,
        mode: Mode,
        values: Mapping[str, str],
        *,
        model: str | None = None,
        effort: str | None = None,
    ) -> tuple[str, ...]:
        """The words that start an agent, complete but for the word `{prompt}`."""
        harness = self.get(name)
        return build(harness, mode, self._known(harness, values), model=model, effort=effort, root=os.geteuid() == 0)

    def environment(self, name: str, values: Mapping[str, str]) -> dict[str, str]:
        """The variables an agent needs besides Orange's own."""
        harness = self.get(name)
        return environment(harness, self._known(harness, values))

    def _known(self, harness: Harness, values: Mapping[str, str]) -> dict[str, str]:
        program = self.installed(harness.name) or harness.binary
        known = {"python": sys.executable, "orange": orange_command(), "binary": program, **values}
        known.setdefault("repository", _repository(known))
        return known

    def _own(self) -> Mapping[str, Harness]:
        loaded = self._load()
        return {} if loaded is None else loaded.harnesses

    def _load(self) -> LoadedHarnesses | None:
        """The file, read again only when it has changed; None when there is none."""
        signature = read_signature(self.file)
        if signature is None:
            return None
        if self._seen is None or self._seen[0] != signature:
            self._seen = (signature, _read(self.file))
        return self._seen[1]


def _read(path: str) -> LoadedHarnesses:
    from orange_tui.domain.harnesses.harness_file import LoadedHarnesses, load_harnesses
    from orange_tui.domain.text.findings import Findings

    try:
        return load_harnesses(_text(path), path, SHIPPED)
    except OrangeError as problem:
        findings = Findings(path)
        line = problem.line if isinstance(problem, Unreadable) else None
        findings.problem(line or 1, str(problem), "make it a text file that you may read, or move it away")
        return LoadedHarnesses({}, findings.problems)


def _text(path: str) -> str:
    data = read_bytes(path, max_bytes=_MOST_BYTES)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise Unreadable("this is not UTF-8 text", line=data.count(b"\n", 0, error.start) + 1) from None


def _repository(values: Mapping[str, str]) -> str:
    """The main repository; of one without a working tree, agents ask about the worktree instead."""
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


def orange_command() -> str:
    """The absolute path of the `orange` that belongs to this Python, so that agents need not search for it."""
    beside = os.path.join(os.path.dirname(sys.executable), "orange")
    return beside if _is_program(beside) else which("orange") or "orange"

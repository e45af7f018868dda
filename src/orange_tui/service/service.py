"""Install, remove and look at the service, with whichever manager this system has."""

from __future__ import annotations

import os
import sys
from hashlib import sha256

from orange_tui.agents.harnesses import Harnesses, login_variable
from orange_tui.agents.launch import command_directory
from orange_tui.domain.errors import NotFound, Refused
from orange_tui.domain.records import record
from orange_tui.home.files import make_directory, read_bytes, replace_file
from orange_tui.home.paths import default_root
from orange_tui.service.launchd import Launchd
from orange_tui.service.systemd import Systemd
from orange_tui.service.unit_file import ServiceSpec, is_unedited

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from orange_tui.home.paths import Home
    from orange_tui.service.unit_file import ServiceStatus

    class Manager(Protocol):
        """What runs services on this system."""

        def check(self) -> None:
            """Refuse where it does not run."""

        def path(self, name: str) -> str:
            """Where the file of a service is."""

        def text(self, spec: ServiceSpec) -> str:
            """What that file says."""

        def start(self, name: str, *, is_new: bool) -> list[str]:
            """Have it run, now and from now on; returns what else a person should know."""

        def stop(self, name: str) -> list[str]:
            """End it, now and for good; agents go on."""

        def forget(self, name: str) -> None:
            """Its file is gone."""

        def status(self, name: str) -> ServiceStatus:
            """What it does."""


# What agents need to be found, and to be in the same tmux; keys and tokens of the person's shell are not written down.
_PASSED_ON = ("ORANGE_TMUX_SOCKET", "TMUX_TMPDIR", "LANG", "LC_ALL", "LC_CTYPE", "XDG_CONFIG_HOME", "XDG_DATA_HOME")
_NAME = "orange"
_MAX_BYTES = 200_000


@record
class Service:
    """The service of one home: each home has its own."""

    home: Home
    manager: Manager

    @property
    def name(self) -> str:
        """`orange`, or for a home elsewhere one that no other home has."""
        if self.home.root == default_root():
            return _NAME
        return f"{_NAME}-{sha256(os.fsencode(self.home.root)).hexdigest()[:8]}"

    @property
    def path(self) -> str:
        """The file that tells the system of it."""
        return self.manager.path(self.name)

    def install(self, *, force: bool = False) -> list[str]:
        """Have it run, now and after every start of the machine; once more changes nothing. Returns what was done."""
        self.manager.check()
        text, present = self.manager.text(self._spec()), self._read()
        done = []
        if present is not None and not is_unedited(present) and present != text:
            if not force:
                way_out = f"--force replaces it, and keeps it as {self.path}.bak"
                raise Refused(f"{self.path} was edited, or is not from Orange; {way_out}")
            replace_file(f"{self.path}.bak", present.encode(errors="surrogateescape"))
            done.append(f"Kept what was there as {self.path}.bak")
        if present != text:
            make_directory(os.path.dirname(self.path))
            replace_file(self.path, text.encode(errors="surrogateescape"))
        done.append(f"{self.name} {'is installed' if present != text else 'was installed already'}: {self.path}")
        return done + self.manager.start(self.name, is_new=present != text)

    def remove(self, *, force: bool = False) -> list[str]:
        """End it for good, with its file; agents go on. Returns what was done."""
        self.manager.check()
        present = self._read()
        if present is None:
            return [f"{self.name} is not installed"]
        if not is_unedited(present) and not force:
            raise Refused(f"{self.path} was edited, or is not from Orange; --force removes it all the same")
        done = self.manager.stop(self.name)
        os.unlink(self.path)
        self.manager.forget(self.name)
        return [f"{self.name} is removed; agents that run go on", *done]

    def status(self) -> tuple[bool, list[str]]:
        """Whether all is well, and what there is to say."""
        present = self._read()
        if present is None:
            return False, [f"{self.name} is not installed; `orange service install` does that"]
        self.manager.check()
        found = self.manager.status(self.name)
        since = f" since {found.since}" if found.since else ""
        lines = [f"{self.name} is installed: {self.path}", f"It runs{since}" if found.is_running else "It does not run"]
        return found.is_running, [*lines, *found.problems, *self._wrong_with_file(present)]

    def _wrong_with_file(self, present: str) -> list[str]:
        if present == self.manager.text(self._spec()):
            return []
        if not is_unedited(present):
            return ["its file was edited, and is left as it is; `orange service install --force` replaces it"]
        return ["its file is of another version or another PATH; `orange service install` renews it"]

    def _read(self) -> str | None:
        try:
            return read_bytes(self.path, max_bytes=_MAX_BYTES).decode(errors="surrogateescape")
        except NotFound:
            return None

    def _spec(self) -> ServiceSpec:
        folder = command_directory(self.home.root)
        own = {} if self.home.root == default_root() else {"ORANGE_HOME": self.home.root}
        harnesses = Harnesses(self.home)
        logins = [login_variable(harnesses.get(name)) for name in harnesses.names()]
        names = [name for name in (*_PASSED_ON, *logins) if name is not None]
        passed_on = {name: os.environ[name] for name in names if os.environ.get(name)}
        environment = {**passed_on, **own, "PATH": _search_path(folder)}
        return ServiceSpec(self.name, os.path.join(folder, "orange"), ("serve",), environment)


def _search_path(first: str) -> str:
    """The person's PATH, with the `orange` that this is in front: what is relative means nothing to a service."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join(dict.fromkeys([first, *(each for each in folders if os.path.isabs(each))]))


def service_of(home: Home) -> Service:
    """The service of a home, with the manager that this system has."""
    return Service(home, Launchd() if sys.platform == "darwin" else Systemd())

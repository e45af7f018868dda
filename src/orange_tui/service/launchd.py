"""launchd on macOS: an agent of one person, which runs while that person is logged in."""

from __future__ import annotations

import os
import re
import shutil

from orange_tui.domain.errors import Refused
from orange_tui.outside.programs import run
from orange_tui.service.unit_file import ServiceStatus, launchd_list

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.outside.programs import Finished
    from orange_tui.service.unit_file import ServiceSpec

_TIMEOUT_SECONDS = 60.0
_AT_LOGIN = "launchd starts it when you log in; with automatic login, also after a restart of the machine"


class Launchd:
    """The person's own launchd."""

    def check(self) -> None:
        """Refuse where there is none."""
        if shutil.which("launchctl") is None:
            raise Refused("There is no launchd here (launchctl is not installed). Run `orange serve` yourself")

    def path(self, name: str) -> str:
        """Where the property list is."""
        return os.path.abspath(os.path.expanduser(os.path.join("~", "Library", "LaunchAgents", f"{name}.plist")))

    def text(self, spec: ServiceSpec) -> str:
        """The property list."""
        return launchd_list(spec)

    def start(self, name: str, *, is_new: bool) -> list[str]:
        """Load it, anew where it is another; one that is loaded is only started."""
        is_loaded = self._ask("print", f"{self._domain}/{name}").code == 0
        if is_loaded and is_new:
            self._ask("bootout", f"{self._domain}/{name}")
        if not is_loaded or is_new:
            found = self._ask("bootstrap", self._domain, self.path(name))
        else:
            found = self._ask("kickstart", f"{self._domain}/{name}")
        if found.code != 0:
            raise Refused(f"launchctl failed: {found.message.strip() or f'exit code {found.code}'}")
        return [_AT_LOGIN]

    def stop(self, name: str) -> list[str]:
        """Unload it."""
        self._ask("bootout", f"{self._domain}/{name}")
        return []

    def forget(self, name: str) -> None:
        """Its file is gone; launchd keeps nothing else."""

    def status(self, name: str) -> ServiceStatus:
        """What launchctl tells of it."""
        found = self._ask("print", f"{self._domain}/{name}")
        if found.code != 0:
            return ServiceStatus(False, "", ("it is not loaded: orange service install",))
        is_running = re.search(r"^\s*state = running$", found.output, re.MULTILINE) is not None
        code = re.search(r"^\s*last exit code = (\d+)", found.output, re.MULTILINE)
        ended = f"it does not run (last exit code {code[1] if code else 'unknown'}): orange log says why"
        return ServiceStatus(is_running, "", () if is_running else (ended,))

    @property
    def _domain(self) -> str:
        return f"gui/{os.getuid()}"

    def _ask(self, *words: str) -> Finished:
        return run(["launchctl", *words], timeout=_TIMEOUT_SECONDS)

"""systemd's user manager: units of one person, which run without a login where that person lingers."""

from __future__ import annotations

import os
import shutil

from orange_tui.domain.errors import OrangeError, Refused
from orange_tui.outside.programs import run
from orange_tui.service.unit_file import ServiceStatus, systemd_unit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.outside.programs import Finished
    from orange_tui.service.unit_file import ServiceSpec

_TIMEOUT_SECONDS = 60.0
_WITHOUT = "Without it, run `orange serve` yourself: in a tmux window, or by `@reboot` in your crontab"
_PROPERTIES = ("LoadState", "ActiveState", "SubState", "Result", "UnitFileState", "NRestarts", "ActiveEnterTimestamp")


class Systemd:
    """The user manager of the person who runs this."""

    def __init__(self) -> None:
        self._environment = dict(os.environ)
        runtime = f"/run/user/{os.getuid()}"
        if os.path.isdir(runtime):  # `su` and cron do not set it, and systemctl finds nobody without it
            self._environment.setdefault("XDG_RUNTIME_DIR", runtime)

    def check(self) -> None:
        """Refuse where there is no such manager."""
        if shutil.which("systemctl") is None:
            raise Refused(f"There is no systemd here (systemctl is not installed). {_WITHOUT}")
        found = self._ask("show-environment")
        if found.code != 0:
            raise Refused(f"systemd does not run here for you ({_first_line(found)}). {_WITHOUT}")

    def path(self, name: str) -> str:
        """Where the unit is."""
        base = os.environ.get("XDG_CONFIG_HOME") or os.path.join("~", ".config")
        return os.path.join(os.path.abspath(os.path.expanduser(base)), "systemd", "user", f"{name}.service")

    def text(self, spec: ServiceSpec) -> str:
        """The unit."""
        return systemd_unit(spec)

    def start(self, name: str, *, is_new: bool) -> list[str]:
        """Have it run from now on, with the unit as it is by now."""
        self._must("daemon-reload")
        self._must("enable", f"{name}.service")
        self._must("restart" if is_new else "start", f"{name}.service")
        return self._linger()

    def stop(self, name: str) -> list[str]:
        """End it, for good."""
        found = self._ask("disable", "--now", f"{name}.service")
        if found.code != 0 and self.status(name).is_running:
            raise Refused(f"systemd could not stop it: {_first_line(found)}")
        lingers = "You still linger, as other services may need it; `loginctl disable-linger` ends that"
        return [lingers] if self._lingers() else []

    def forget(self, name: str) -> None:
        """Its unit is gone."""
        self._ask("daemon-reload")
        self._ask("reset-failed", f"{name}.service")

    def status(self, name: str) -> ServiceStatus:
        """What the service does, as systemd tells it."""
        found = self._ask("show", f"{name}.service", f"--property={','.join(_PROPERTIES)}")
        values = dict(line.partition("=")[::2] for line in found.output.splitlines())
        state = values.get("ActiveState", "unknown")
        problems = []
        if state != "active":
            problems.append(
                f"it is {state} ({values.get('Result') or 'unknown'}): journalctl --user -u {name} says why"
            )
        if values.get("UnitFileState") not in {"enabled", None, ""}:
            problems.append(f"it does not start by itself ({values['UnitFileState']}): orange service install")
        if values.get("NRestarts", "0") not in {"0", ""}:
            problems.append(f"it was restarted {values['NRestarts']} times after failures")
        if self._lingers() is False:
            problems.append("it ends when you log out: loginctl enable-linger")
        return ServiceStatus(state == "active", values.get("ActiveEnterTimestamp", ""), tuple(problems))

    def _linger(self) -> list[str]:
        """Have the manager run without a login, where that is allowed; what else to do, if it is not."""
        if self._lingers():
            return []
        done = _ask_loginctl("enable-linger")
        if done is not None and done.code == 0:
            return ["It runs without a login from now on (loginctl enable-linger)"]
        why = f" ({_first_line(done)})" if done is not None else ""
        return [f"It runs only while you are logged in{why}; for more, run: sudo loginctl enable-linger {_user()}"]

    def _lingers(self) -> bool | None:
        """Whether the manager runs without a login; None where nobody can tell."""
        found = _ask_loginctl("show-user", _user(), "--property=Linger", "--value")
        if found is None or found.code != 0:
            return None
        return found.output.strip() == "yes"

    def _must(self, *words: str) -> None:
        found = self._ask(*words)
        if found.code != 0:
            raise Refused(f"`systemctl --user {' '.join(words)}` failed: {_first_line(found)}")

    def _ask(self, *words: str) -> Finished:
        return run(["systemctl", "--user", *words], environment=self._environment, timeout=_TIMEOUT_SECONDS)


def _ask_loginctl(*words: str) -> Finished | None:
    try:
        return run(["loginctl", "--no-ask-password", *words], timeout=_TIMEOUT_SECONDS)
    except OrangeError:
        return None  # it is not installed, or hangs


def _user() -> str:
    return str(os.getuid())


def _first_line(found: Finished) -> str:
    return (found.message.splitlines() or [f"exit code {found.code}"])[0]

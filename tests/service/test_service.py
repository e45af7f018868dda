"""Installing, looking at and removing the service, with a systemctl that writes down what it is asked."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from orange_tui.service.launchd import Launchd
from orange_tui.service.service import Service

if TYPE_CHECKING:
    from support.driver import Cli, World

SYSTEMCTL = """\
#!/bin/sh
echo "systemctl $*" >>"{folder}/asked"
[ -e "{folder}/broken" ] && {{ echo "Failed to connect to bus: No medium found" >&2; exit 1; }}
case "$2" in
    show) cat "{folder}/properties" ;;
esac
exit 0
"""
LOGINCTL = """\
#!/bin/sh
echo "loginctl $*" >>"{folder}/asked"
case "$2" in
    show-user) cat "{folder}/linger" ;;
    enable-linger)
        [ -e "{folder}/forbidden" ] && {{ echo "Access denied" >&2; exit 1; }}
        echo yes >"{folder}/linger"
        ;;
esac
exit 0
"""
LAUNCHCTL = """\
#!/bin/sh
echo "launchctl $*" >>"{folder}/asked"
[ "$1" = print ] || exit 0
cat "{folder}/printed" 2>/dev/null
"""
RUNS = """\
LoadState=loaded
ActiveState=active
SubState=running
Result=success
UnitFileState=enabled
NRestarts=0
ActiveEnterTimestamp=Tue 2026-11-17 23:00:00 UTC
"""


class System:
    """The managers of a system, as far as `orange` can see them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "bin").mkdir(parents=True)
        for name, script in (("systemctl", SYSTEMCTL), ("loginctl", LOGINCTL), ("launchctl", LAUNCHCTL)):
            program = folder / "bin" / name
            program.write_text(script.format(folder=folder))
            program.chmod(0o755)
        self.says(RUNS)
        (folder / "linger").write_text("no\n")

    def says(self, properties: str) -> None:
        (self.folder / "properties").write_text(properties)

    def asked(self) -> list[str]:
        """What they were asked since the last time."""
        path = self.folder / "asked"
        found = path.read_text().splitlines() if path.exists() else []
        path.unlink(missing_ok=True)
        return found


@pytest.fixture
def system(tmp_path: Path, world: World, monkeypatch: pytest.MonkeyPatch) -> System:
    system = System(tmp_path / "system")
    monkeypatch.setenv("PATH", f"{system.folder}/bin:/usr/bin:/bin:relative:/usr/bin")
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return system


@pytest.fixture
def unit(world: World) -> Path:
    """Where the unit of this home is: it is not the usual home, so its name is its own."""
    from orange_tui.service.service import service_of

    return Path(service_of(world.home).path)


def test_service_is_installed_with_absolute_paths_and_started(system: System, unit: Path, cli: Cli) -> None:
    result = cli.ok("service", "install")
    assert f"is installed: {unit}" in result.out
    assert "runs without a login from now on" in result.out
    assert unit.is_relative_to(Path("~/.config/systemd/user").expanduser())
    assert unit.name.startswith("orange-")
    text = unit.read_text()
    assert f'Environment="ORANGE_HOME={os.environ["ORANGE_HOME"]}"' in text
    assert f"{system.folder}/bin:/usr/bin:/bin" in text
    assert "relative" not in text
    assert "KillMode=process" in text
    name = unit.name
    assert system.asked() == [
        "systemctl --user show-environment",
        "systemctl --user daemon-reload",
        f"systemctl --user enable {name}",
        f"systemctl --user restart {name}",
        f"loginctl --no-ask-password show-user {os.getuid()} --property=Linger --value",
        "loginctl --no-ask-password enable-linger",
    ]


def test_program_of_the_unit_can_be_run(system: System, unit: Path, cli: Cli) -> None:
    cli.ok("service", "install")
    (line,) = [line for line in unit.read_text().splitlines() if line.startswith("ExecStart=")]
    program = line.partition("=")[2].split(" ")[0]
    assert os.access(program, os.X_OK)
    assert line.endswith('"serve"')


def test_installing_again_changes_nothing(system: System, unit: Path, cli: Cli) -> None:
    cli.ok("service", "install")
    before = unit.stat().st_mtime_ns
    system.asked()
    assert "was installed already" in cli.ok("service", "install").out
    assert unit.stat().st_mtime_ns == before
    assert f"systemctl --user start {unit.name}" in system.asked()


def test_unit_that_was_edited_is_kept_unless_it_is_forced_and_then_beside_it(
    system: System, unit: Path, cli: Cli
) -> None:
    cli.ok("service", "install")
    edited = unit.read_text().replace("RestartSec=5", "RestartSec=60")
    unit.write_text(edited)
    assert "was edited, or is not from Orange; --force replaces it" in cli.no("service", "install")
    assert "was edited" in cli.no("service", "remove")
    assert "its file was edited" in cli("service", "status").out
    assert unit.read_text() == edited
    assert f"Kept what was there as {unit}.bak" in cli.ok("service", "install", "--force").out
    assert "RestartSec=5\n" in unit.read_text()
    assert unit.with_name(f"{unit.name}.bak").read_text() == edited


def test_unit_of_another_path_is_renewed(system: System, unit: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    cli.ok("service", "install")
    monkeypatch.setenv("PATH", f"{os.environ['PATH']}:/opt/agents/bin")
    assert "is of another version or another PATH" in cli("service", "status").out
    system.asked()
    cli.ok("service", "install")
    assert "/opt/agents/bin" in unit.read_text()
    assert f"systemctl --user restart {unit.name}" in system.asked()


def test_removing_leaves_nothing(system: System, unit: Path, cli: Cli) -> None:
    cli.ok("service", "install")
    system.asked()
    out = cli.ok("service", "remove").out
    assert "is removed; agents that run go on" in out
    assert "`loginctl disable-linger` ends that" in out
    assert list(unit.parent.iterdir()) == []
    asked = system.asked()
    assert f"systemctl --user disable --now {unit.name}" in asked
    assert "systemctl --user daemon-reload" in asked
    assert "is not installed" in cli.ok("service", "remove").out


def test_status_tells_since_when_it_runs_and_what_is_wrong(system: System, unit: Path, cli: Cli) -> None:
    assert "is not installed; `orange service install` does that" in cli("service", "status").out
    assert cli("service", "status").code == 1
    cli.ok("service", "install")
    result = cli.ok("service", "status")
    assert "It runs since Tue 2026-11-17 23:00:00 UTC" in result.out
    failed = RUNS.replace("=active", "=failed").replace("success", "exit-code").replace("NRestarts=0", "NRestarts=7")
    system.says(failed.replace("=enabled", "=disabled"))
    (system.folder / "linger").write_text("no\n")
    result = cli("service", "status")
    assert result.code == 1
    for sentence in (
        "It does not run",
        f"it is failed (exit-code): journalctl --user -u {unit.stem} says why",
        "it does not start by itself (disabled)",
        "restarted 7 times",
        "it ends when you log out: loginctl enable-linger",
    ):
        assert sentence in result.out


def test_where_lingering_is_forbidden_it_is_said_how(system: System, cli: Cli) -> None:
    (system.folder / "forbidden").touch()
    out = cli.ok("service", "install").out
    assert f"(Access denied); for more, run: sudo loginctl enable-linger {os.getuid()}" in out


@pytest.mark.parametrize("verb", ["install", "remove"])
def test_system_without_a_running_systemd_says_so(system: System, unit: Path, cli: Cli, verb: str) -> None:
    (system.folder / "broken").touch()
    assert "systemd does not run here for you (Failed to connect to bus: No medium found)" in cli.no("service", verb)
    assert not unit.exists()


def test_system_without_systemd_says_so(system: System, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(system.folder))
    assert "There is no systemd here (systemctl is not installed). Without it, run `orange serve`" in cli.no(
        "service", "install"
    )


def test_usual_home_has_the_usual_name(system: System, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ORANGE_HOME")
    cli.ok("service", "install")
    unit = Path("~/.config/systemd/user/orange.service").expanduser()
    assert "ORANGE_HOME" not in unit.read_text()


def test_agent_may_not_touch_the_service(system: System, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ORANGE_TASK", "t1")
    for verb in ("install", "remove", "status"):
        assert "is for a person" in cli.no("service", verb)
    assert system.asked() == []


def test_keys_of_the_persons_shell_are_not_written_down(
    system: System, unit: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret")
    monkeypatch.setenv("CODEX_HOME", "/elsewhere/codex")
    cli.ok("service", "install")
    assert "sk-secret" not in unit.read_text()
    assert 'Environment="CODEX_HOME=/elsewhere/codex"' in unit.read_text()
    assert unit.stat().st_mode & 0o077 == 0


def test_launchd_has_its_list_loaded_and_unloaded(system: System, world: World) -> None:
    service = Service(world.home, Launchd())
    printed = system.folder / "printed"
    done = service.install()
    assert "launchd starts it when you log in" in done[-1]
    path = Path(service.path)
    assert path.is_relative_to(Path("~/Library/LaunchAgents").expanduser())
    domain = f"gui/{os.getuid()}"
    assert system.asked() == [
        f"launchctl print {domain}/{service.name}",
        f"launchctl bootstrap {domain} {path}",
    ]
    printed.write_text("x = {\n\tstate = running\n}\n")
    assert service.status()[0]
    printed.write_text("x = {\n\tstate = not running\n\tlast exit code = 3\n}\n")
    is_well, lines = service.status()
    assert not is_well
    assert "it does not run (last exit code 3): orange log says why" in lines
    system.asked()
    service.remove()
    assert f"launchctl bootout {domain}/{service.name}" in system.asked()
    assert not path.exists()

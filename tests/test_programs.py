"""tools/programs.sh installs what is missing, also while another apt-get is at work."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

_SCRIPT = Path(__file__).parents[1] / "tools" / "programs.sh"


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """Programs of a machine with an apt-get that is refused its locks as often as the file `busy` has lines."""
    scripts = {
        "id": "echo 0",
        "sleep": ":",
        "apt-get": 'echo "$@" >>asked; if [ -s busy ]; then sed -i 1d busy; echo "E: locked" >&2; exit 100; fi',
    }
    for name, script in scripts.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    return tmp_path


def _run(machine: Path, *programs: str) -> tuple[int, str]:
    environment = {"PATH": f"{machine}:/usr/bin:/bin"}
    done = subprocess.run(
        ["sh", _SCRIPT, *programs], cwd=machine, env=environment, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stderr


def test_what_is_there_is_not_asked_for(machine: Path) -> None:
    assert _run(machine, "sh", "coreutils:ls") == (0, "")
    assert not (machine / "asked").exists()


def test_another_apt_get_at_work_is_waited_for(machine: Path) -> None:
    (machine / "busy").write_text("lists\nlists\n", encoding="utf-8")
    code, said = _run(machine, "no-such-package:no-such-program")
    assert code == 0, said
    assert (machine / "asked").read_text(encoding="utf-8").splitlines()[-1].endswith(" no-such-package")


def test_what_cannot_be_installed_is_said_with_the_command_that_would(machine: Path) -> None:
    (machine / "busy").write_text("lists\n" * 99, encoding="utf-8")
    code, said = _run(machine, "no-such-program")
    assert code == 1
    assert said.splitlines()[-1] == "Not installed: no-such-program. Run: apt-get install no-such-program"

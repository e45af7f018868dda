"""On a CI machine no test is skipped in silence."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SKIPPED = """import pytest
from support.no_skips import NOT_TO_BE_HAD


def test_that_needs_something() -> None:
    pytest.skip('no kettle here')


def test_that_needs_another_machine() -> None:
    pytest.skip(f'{NOT_TO_BE_HAD} a kettle with a lid')
"""


def run_pytest(tmp_path: Path, *, ci: bool) -> subprocess.CompletedProcess[str]:
    (tmp_path / "test_kettle.py").write_text(SKIPPED)
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(__file__).parent),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",  # no plugin is needed but the one this is about
    }
    environment.pop("CI", None)
    if ci:
        environment["CI"] = "true"
    words = [sys.executable, "-m", "pytest", "-q", "-p", "support.no_skips", "-p", "no:cacheprovider", str(tmp_path)]
    return subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)


def test_skipped_test_fails_where_ci_is_set_and_says_why(tmp_path: Path) -> None:
    done = run_pytest(tmp_path, ci=True)
    assert done.returncode == 1
    assert "Skipped, though CI is set: Skipped: no kettle here" in done.stdout
    assert "1 failed, 1 skipped" in done.stdout


def test_skipped_test_is_skipped_on_a_persons_machine(tmp_path: Path) -> None:
    assert run_pytest(tmp_path, ci=False).returncode == 0

"""The status line of ours stores what it is told, and the person's own looks as it did without ours."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orange_tui.agents.claude_settings import STATUS_VARIABLE, claude_settings
from orange_tui.domain.harnesses.shipped import CLAUDE
from orange_tui.domain.records import replace

if TYPE_CHECKING:
    from pathlib import Path

TASK = "/o/tasks/coffee/k3x9"
REPORT = json.dumps({"cost": {"total_cost_usd": 0.25}, "rate_limits": {"five_hour": {"used_percentage": 12.5}}})


def write_status_line(folder: Path, command: object, name: str = "settings.json", **more: object) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(json.dumps({"statusLine": {"type": "command", "command": command, **more}}))


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "user"))
    return tmp_path / "user"


def status_line(worktree: Path) -> dict[str, object]:
    found = json.loads(claude_settings(CLAUDE, str(worktree), TASK))["statusLine"]
    assert isinstance(found, dict)
    return found


def run(line: dict[str, object], file: Path | None, report: str = REPORT) -> str:
    variables = {} if file is None else {STATUS_VARIABLE: str(file)}
    words = ["/bin/sh", "-c", str(line["command"])]
    done = subprocess.run(words, input=report, env=variables, capture_output=True, text=True, timeout=60, check=True)
    assert done.stderr == ""
    return done.stdout


def test_person_without_a_status_line_sees_none(tmp_path: Path, user: Path) -> None:
    stored = tmp_path / "worker.status.json"
    assert run(status_line(tmp_path), stored) == ""
    assert stored.read_text() == REPORT
    assert stored.stat().st_mode & 0o777 == 0o600
    assert run(status_line(tmp_path), None) == ""
    assert not user.exists()


def test_persons_own_status_line_gets_the_same_and_its_output_is_passed_on(tmp_path: Path, user: Path) -> None:
    write_status_line(user, "tr a-z A-Z # loud", padding=2, refreshInterval=5)
    line = status_line(tmp_path)
    assert (line["padding"], line["refreshInterval"]) == (2, 5)
    assert run(line, tmp_path / "worker.status.json") == f"{REPORT.upper()}\n"


def test_status_line_of_the_worktree_comes_before_the_users(tmp_path: Path, user: Path) -> None:
    worktree = tmp_path / "worktree" / ".claude"
    write_status_line(user, "echo user")
    assert run(status_line(worktree.parent), None) == "user\n"
    write_status_line(worktree, "echo project")
    assert run(status_line(worktree.parent), None) == "project\n"
    write_status_line(worktree, "echo local", "settings.local.json")
    assert run(status_line(worktree.parent), None) == "local\n"


def test_harness_with_a_directory_of_its_own_is_looked_up_there(tmp_path: Path, user: Path) -> None:
    write_status_line(user, "echo user")
    write_status_line(tmp_path / "other", "echo other")
    other = replace(CLAUDE, environment={"CLAUDE_CONFIG_DIR": str(tmp_path / "other")})
    assert "echo other" in claude_settings(other, str(tmp_path), TASK)


@pytest.mark.parametrize("content", ["", "[]", "{", '{"statusLine": 3}', '{"statusLine": {"command": []}}'])
def test_settings_that_cannot_be_read_leave_ours(tmp_path: Path, user: Path, content: str) -> None:
    user.mkdir()
    (user / "settings.json").write_text(content)
    assert run(status_line(tmp_path), None) == ""


def test_status_that_cannot_be_stored_does_not_take_the_persons_line_away(tmp_path: Path, user: Path) -> None:
    write_status_line(user, "cat")
    assert run(status_line(tmp_path), tmp_path / "gone" / "worker.status.json") == f"{REPORT}\n"


def test_claude_does_not_continue_by_itself_after_a_limit(tmp_path: Path) -> None:
    assert json.loads(claude_settings(CLAUDE, str(tmp_path), TASK))["autoContinueAtUsageLimit"] is False


@given(report=st.text(st.characters(blacklist_characters="\0", blacklist_categories=["Cs"])).map(json.dumps))
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_is_told_is_stored_and_passed_on_as_it_is(tmp_path: Path, user: Path, report: str) -> None:
    write_status_line(user, "cat")
    stored = tmp_path / "worker.status.json"
    assert run(status_line(tmp_path), stored, report) == f"{report}\n"
    assert stored.read_text() == report


def test_nothing_is_written_through_a_link_and_what_a_kill_left_is_no_obstacle(tmp_path: Path, user: Path) -> None:
    stored, target = tmp_path / "worker.status.json", tmp_path / "precious"
    target.write_text("mine")
    (tmp_path / "worker.status.json.new").symlink_to(target)
    for _ in range(2):
        assert run(status_line(tmp_path), stored) == ""
    assert target.read_text() == "mine"
    assert stored.read_text() == REPORT
    (tmp_path / "worker.status.json.new").write_text('{"half')
    for _ in range(2):
        run(status_line(tmp_path), stored, "{}")
    assert stored.read_text() == "{}"


def test_files_of_the_task_may_be_read_and_edited_by_both_names_of_its_directory(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "home").symlink_to(tmp_path / "real")
    permissions = json.loads(claude_settings(CLAUDE, "/w", str(tmp_path / "home")))["permissions"]
    assert permissions == {"additionalDirectories": [f"{tmp_path}/home", f"{tmp_path}/real"]}

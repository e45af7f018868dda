"""`orange project trust`: what a repository brings along is shown, and its tasks wait until the person trusts it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from support.driver import Cli
    from support.live_home import LiveHome


@pytest.fixture
def hook(live_home: LiveHome) -> Path:
    """A hook that leaves a line, with something in it that a terminal would obey."""
    path = live_home.repository / ".git/hooks/post-checkout"
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n# \x1b[2J\necho ran >>{live_home.root}/ran\n")
    path.chmod(0o755)
    return path


def test_a_task_waits_and_starts_once_the_person_trusts_what_is_shown(
    live_home: LiveHome, cli: Cli, hook: Path
) -> None:
    live_home.harness()
    created = cli.ok("task", "create", "fix/login", "Fix it", "--harness", "recorder", "--project", "coffee", "--json")
    task = created.json()["id"]
    assert "the hook post-checkout" in created.err
    assert "`orange project trust coffee` shows it" in created.err
    assert "coffee brings along the hook post-checkout" in cli.ok("task", "list", "--all").out
    assert "orange project trust coffee" in cli.no("task", "spawn", task)
    asked = cli("project", "trust", "coffee")
    assert (asked.code, asked.out) == (1, "")
    assert "There is no terminal to ask on; add --yes" in asked.err
    assert not (live_home.root / "ran").exists()
    answer = cli.ok("project", "trust", "coffee", "--yes").out
    assert "git hook post-checkout\n    #!/bin/sh\n    # \\x1b[2J\n" in answer
    assert f"coffee  trusted; {task} started" in answer
    assert (live_home.root / "ran").exists()
    assert cli.ok("task", "show", task, "--json").json()["session"] == "active"
    assert "all that it brings along is trusted" in cli.ok("project", "trust", "coffee").out


def test_for_a_program_there_is_one_value(live_home: LiveHome, cli: Cli, hook: Path) -> None:
    data = cli.ok("project", "trust", "coffee", "--yes", "--json").json()
    assert data["trusted"] is True
    assert [(item["kind"], item["name"]) for item in data["items"]] == [("hook", "post-checkout")]
    hook.write_text("#!/bin/sh\nexit 0\n")
    assert "error" in cli("project", "trust", "coffee", "--json").json()


def test_a_repository_that_brings_something_says_so_when_it_is_registered(
    live_home: LiveHome, cli: Cli, hook: Path
) -> None:
    cli.ok("project", "remove", "coffee", "--yes")
    said = cli.ok("project", "add", str(live_home.repository)).err
    assert "coffee brings along 1 thing that would run as you (git hook post-checkout)" in said
    assert "`orange project trust coffee`" in said


def test_one_that_brings_nothing_says_nothing(live_home: LiveHome, cli: Cli) -> None:
    cli.ok("project", "remove", "coffee", "--yes")
    assert cli.ok("project", "add", str(live_home.repository)).err == ""
    assert "it brings nothing along" in cli.ok("project", "trust", "coffee").out


def test_doctor_tells_which_projects_wait(live_home: LiveHome, cli: Cli, hook: Path) -> None:
    assert "project coffee brings along the hook post-checkout" in cli("doctor").out
    cli.ok("project", "trust", "coffee", "--yes")
    assert "brings along" not in cli("doctor").out


def test_a_waiting_task_is_started_by_the_supervisor_when_trust_is_given_elsewhere(
    live_home: LiveHome, hook: Path
) -> None:
    live_home.harness()
    ref = live_home.create("fix/login", harness="recorder")
    project, trust = live_home.orange.projects.get("coffee"), live_home.orange.trust
    trust.confirm(project, trust.untrusted(project))
    live_home.supervised(lambda: live_home.windows(ref) == ["worker"])

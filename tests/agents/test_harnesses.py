"""The agents there are: ours always, the person's when their file is sound, installed or not."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import orange_tui
from orange_tui.agents.harnesses import Harnesses, which
from orange_tui.domain.errors import NotFound
from orange_tui.home.paths import Home

if TYPE_CHECKING:
    from pathlib import Path

AIDER = "aider: {binary: aider, full: [aider, --message, '{prompt}']}\n"


class Machine:
    """A home, and a PATH with nothing on it but what the test installs."""

    def __init__(self, root: Path) -> None:
        self.home = root / "home"
        self.bin = root / "bin"
        self.home.mkdir()
        self.bin.mkdir()
        self.harnesses = Harnesses(Home(str(self.home)))

    def install(self, name: str) -> str:
        path = self.bin / name
        path.write_text("#!/bin/sh\n")
        path.chmod(0o755)
        return str(path)

    def write(self, text: str) -> None:
        (self.home / "harnesses.yml").write_text(text)


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    machine = Machine(tmp_path)
    monkeypatch.setenv("PATH", str(machine.bin))
    return machine


def test_harness_names_list_shipped_first_then_persons_then_demo(machine: Machine) -> None:
    assert machine.harnesses.names() == ["claude", "codex", "opencode", "pi", "demo"]
    machine.write(AIDER)
    assert machine.harnesses.names() == ["claude", "codex", "opencode", "pi", "aider", "demo"]
    assert machine.harnesses.get("aider").binary == "aider"


def test_unknown_harness_is_refused_with_the_known_names(machine: Machine) -> None:
    with pytest.raises(NotFound, match="no agent 'cluade'; there are claude, codex, opencode, pi, demo"):
        machine.harnesses.get("cluade")


def test_installed_is_what_is_on_the_path_and_the_demo_always_is(machine: Machine) -> None:
    assert machine.harnesses.installed("claude") is None
    assert machine.harnesses.installed("demo") == sys.executable
    assert machine.harnesses.first_installed() is None
    path = machine.install("pi")
    assert machine.harnesses.installed("pi") == path
    assert machine.harnesses.first_installed() == "pi"
    machine.install("codex")
    assert machine.harnesses.first_installed() == "codex"


def test_persons_own_agent_is_chosen_when_no_shipped_one_is_installed(machine: Machine) -> None:
    machine.write(AIDER)
    machine.install("aider")
    assert machine.harnesses.first_installed() == "aider"


def test_a_file_that_may_not_be_run_is_not_installed(machine: Machine) -> None:
    (machine.bin / "pi").write_text("")
    (machine.bin / "codex").mkdir()
    assert machine.harnesses.first_installed() is None


def test_a_program_may_be_given_by_its_path(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    path = machine.install("my claude")
    assert which(path) == path
    machine.write(f"claude: {{binary: '{path}'}}\n")
    assert machine.harnesses.installed("claude") == path
    values = {"task_dir": "/t", "claude_settings": "{}", "new_session_id": "9f8e"}
    assert machine.harnesses.command_line("claude", "full", values)[0] == path
    monkeypatch.setenv("HOME", str(machine.bin))
    assert which("~/my claude") == path
    assert which(f"{path}.not") is None


def test_broken_harness_file_leaves_shipped_agents_working_and_is_reported(machine: Machine) -> None:
    machine.write("claude: {max_prompt: soon}\naider: {binary: aider}\n" + AIDER.replace("aider:", "good:", 1))
    assert [problem.rpartition("harnesses.yml")[2][:3] for problem in machine.harnesses.problems()] == [":1:", ":2:"]
    assert machine.harnesses.get("claude").max_prompt == 130_000
    assert machine.harnesses.get("good").binary == "aider"
    with pytest.raises(NotFound, match="has no `full`"):
        machine.harnesses.get("aider")


@pytest.mark.parametrize(
    "content",
    [b"\xff\xfe", b"a: [", b"x" * 2_000_000, None],
    ids=["not text", "not YAML", "too long", "a directory"],
)
def test_unreadable_harness_file_is_reported_as_a_problem(machine: Machine, content: bytes | None) -> None:
    if content is None:
        (machine.home / "harnesses.yml").mkdir()
    else:
        (machine.home / "harnesses.yml").write_bytes(content)
    assert len(machine.harnesses.problems()) == 1
    assert machine.harnesses.get("claude").name == "claude"


def test_a_change_of_the_file_is_seen_at_once(machine: Machine) -> None:
    assert machine.harnesses.problems() == []
    machine.write(AIDER)
    assert "aider" in machine.harnesses.names()
    machine.write(AIDER.replace("aider:", "cider:", 1) + "# changed\n")
    assert "cider" in machine.harnesses.names()
    os.unlink(machine.home / "harnesses.yml")
    assert machine.harnesses.names()[-2] == "pi"


def test_command_line_is_complete_for_root_and_others(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    values = {
        "task_dir": "/t",
        "worktree": "/w",
        "repository_git": "/src/coffee/.git",
        "worktree_git": "/g",
        "claude_settings": "{}",
        "new_session_id": "9f8e",
    }
    codex = machine.harnesses.command_line("codex", "full", values)
    assert 'projects={"/src/coffee"={trust_level="trusted"}}' in codex
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert "dontAsk" in machine.harnesses.command_line("claude", "full", values)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert "bypassPermissions" in machine.harnesses.command_line("claude", "full", values, effort="high")
    demo = machine.harnesses.command_line("demo", "full", values)
    assert demo == (sys.executable, "-m", "orange_tui.demo.agent", "{prompt}")
    assert "/t/*" in machine.harnesses.environment("opencode", values)["OPENCODE_PERMISSION"]


def test_a_repository_without_a_working_tree_is_trusted_by_its_worktree(machine: Machine) -> None:
    values = {"task_dir": "/t", "worktree": "/w", "repository_git": "/src/coffee.git", "worktree_git": "/g"}
    assert 'projects={"/w"={trust_level="trusted"}}' in machine.harnesses.command_line("codex", "full", values)


def test_without_a_file_of_the_persons_no_yaml_is_read(machine: Machine) -> None:
    script = (
        "import sys\n"
        "from orange_tui.agents.harnesses import Harnesses\n"
        "from orange_tui.home.paths import Home\n"
        "values = {'task_dir': '/t', 'claude_settings': '{}', 'new_session_id': '9f'}\n"
        "Harnesses(Home(sys.argv[1])).command_line('claude', 'full', values)\n"
        "print(*sorted({'yaml', 'shutil', 'pathlib', 'dataclasses', 'typing'} & sys.modules.keys()))\n"
    )
    source = os.path.dirname(next(iter(orange_tui.__path__)))
    ran = subprocess.run(
        [sys.executable, "-S", "-c", script, str(machine.home)],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": source},
    )
    assert ran.stdout.strip() == ""

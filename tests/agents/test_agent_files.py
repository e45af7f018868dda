"""An agent's files go into the worktree and out of it again, and what others put there stays."""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from orange_tui.agents.agent_files import write_agent_files
from orange_tui.domain.harnesses.shipped import CLAUDE, CODEX
from orange_tui.domain.records import replace
from support.git import git

if TYPE_CHECKING:
    from pathlib import Path

    from orange_tui.domain.harnesses.harness import Harness

VALUES = {"orange": "/opt/orange/bin/orange"}
SETTINGS = ".claude/settings.local.json"


class Worktree:
    """A worktree of a repository, as the pool makes them."""

    def __init__(self, root: Path) -> None:
        self.main = root / "coffee"
        self.path = root / "coffee--1"
        self.git("init", "--quiet", "-b", "main", str(self.main), at=root)
        self.git("commit", "--quiet", "--allow-empty", "-m", "first", at=self.main)
        self.git("worktree", "add", "--quiet", str(self.path), "-b", "fix", at=self.main)

    def git(self, *words: str, at: Path | None = None) -> str:
        return git(at or self.path, *words)

    def write_agent_files(self, harness: Harness = CLAUDE, **values: str) -> list[str]:
        return write_agent_files(harness, str(self.path), {**VALUES, **values})

    def settings(self) -> Any:
        return json.loads((self.path / SETTINGS).read_text())

    def write(self, data: object) -> None:
        (self.path / ".claude").mkdir(exist_ok=True)
        (self.path / SETTINGS).write_text(json.dumps(data))

    def excludes(self) -> list[str]:
        return (self.main / ".git" / "info" / "exclude").read_text().splitlines()


@pytest.fixture
def worktree(tmp_path: Path) -> Worktree:
    return Worktree(tmp_path)


def commands(settings: Any, event: str) -> list[str]:
    return [hook["command"] for entry in settings["hooks"][event] for hook in entry["hooks"]]


def test_agent_files_are_written_and_git_ignores_them(worktree: Worktree) -> None:
    assert worktree.write_agent_files() == []
    settings = worktree.settings()
    assert settings["skipDangerousModePermissionPrompt"] is True
    expected = "/opt/orange/bin/orange task event --agent claude --event Stop 2>/dev/null || :"
    assert commands(settings, "Stop") == [expected]
    assert worktree.git("status", "--porcelain") == ""
    assert "/.claude/settings.local.json" in worktree.excludes()


def test_writing_agent_files_twice_changes_nothing(worktree: Worktree) -> None:
    worktree.write_agent_files()
    before = os.stat(worktree.path / SETTINGS).st_ino, worktree.excludes()
    assert worktree.write_agent_files() == []
    assert (os.stat(worktree.path / SETTINGS).st_ino, worktree.excludes()) == before


def test_persons_own_settings_stay_and_come_first(worktree: Worktree) -> None:
    mine = {"matcher": "Bash", "hooks": [{"type": "command", "command": "say done"}]}
    theirs = {"model": "opus", "hooks": {"Stop": [mine], "PreToolUse": [mine]}, "ümlaut": "✳"}
    worktree.write(theirs)
    worktree.write_agent_files()
    settings = worktree.settings()
    assert settings["model"] == "opus"
    assert settings["hooks"]["PreToolUse"] == [mine]
    assert settings["hooks"]["Stop"][0] == mine
    assert len(settings["hooks"]["Stop"]) == 2
    assert settings["ümlaut"] == "✳"


def test_a_value_the_person_chose_differently_is_theirs(worktree: Worktree) -> None:
    worktree.write({"skipDangerousModePermissionPrompt": False, "hooks": "none"})
    worktree.write_agent_files()
    assert worktree.settings() == {"skipDangerousModePermissionPrompt": False, "hooks": "none"}


def test_an_orange_that_moved_replaces_its_hooks_and_does_not_pile_them_up(worktree: Worktree) -> None:
    worktree.write_agent_files(orange="/old/orange")
    worktree.write_agent_files(orange="/new/orange")
    (command,) = commands(worktree.settings(), "Stop")
    assert command.startswith("/new/orange ")


@pytest.mark.parametrize("orange", ["/with space/orange", "/it's/orange", "/a$b/`c`/orange", '/quo"te/orange'])
def test_a_path_of_any_kind_stays_one_word_for_the_shell(worktree: Worktree, tmp_path: Path, orange: str) -> None:
    program = tmp_path / orange.strip("/")
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > "{tmp_path}/words"\n')
    program.chmod(0o755)
    worktree.write_agent_files(orange=str(program))
    (command,) = commands(worktree.settings(), "Stop")
    subprocess.run(["/bin/sh", "-c", command], check=True)
    assert (tmp_path / "words").read_text().split() == ["task", "event", "--agent", "claude", "--event", "Stop"]


def test_a_file_that_git_tracks_is_never_changed(worktree: Worktree) -> None:
    worktree.write({"model": "opus"})
    worktree.git("add", "--force", SETTINGS)
    worktree.git("commit", "--quiet", "-m", "settings")
    (warning,) = worktree.write_agent_files()
    assert "git tracks it" in warning
    assert worktree.settings() == {"model": "opus"}
    assert worktree.git("status", "--porcelain") == ""


def test_nothing_is_written_through_a_link(worktree: Worktree, tmp_path: Path) -> None:
    own = tmp_path / "own-claude"
    own.mkdir()
    (worktree.path / ".claude").symlink_to(own)
    (warning,) = worktree.write_agent_files()
    assert "symlink out of the worktree" in warning
    assert os.listdir(own) == []
    (worktree.path / ".claude").unlink()
    (worktree.path / ".claude").mkdir()
    (own / "settings.json").write_text("{}")
    (worktree.path / SETTINGS).symlink_to(own / "settings.json")
    assert len(worktree.write_agent_files()) == 1
    assert (own / "settings.json").read_text() == "{}"


@pytest.mark.parametrize("content", ["not json", "[1]", '{"a": 1'])
def test_settings_file_that_is_not_json_is_left_with_a_warning(worktree: Worktree, content: str) -> None:
    worktree.write({})
    (worktree.path / SETTINGS).write_text(content)
    (warning,) = worktree.write_agent_files()
    assert "left as it is" in warning
    assert (worktree.path / SETTINGS).read_text() == content


def test_an_empty_file_is_filled(worktree: Worktree) -> None:
    worktree.write({})
    (worktree.path / SETTINGS).write_text("\n")
    assert worktree.write_agent_files() == []
    assert worktree.settings()["skipDangerousModePermissionPrompt"] is True


def test_directory_in_place_of_a_settings_file_is_a_warning(worktree: Worktree) -> None:
    (worktree.path / SETTINGS).mkdir(parents=True)
    (warning,) = worktree.write_agent_files()
    assert "could not be written" in warning


def test_plain_text_file_is_never_overwritten(worktree: Worktree) -> None:
    harness = replace(CODEX, files={"rules/orange.md": "Use {orange}.\n"}, excludes=("/rules/",))
    assert worktree.write_agent_files(harness) == []
    assert (worktree.path / "rules" / "orange.md").read_text() == "Use /opt/orange/bin/orange.\n"
    assert worktree.write_agent_files(harness) == []
    (worktree.path / "rules" / "orange.md").write_text("mine")
    (warning,) = worktree.write_agent_files(harness)
    assert "left as it is" in warning


def test_exclude_file_without_final_newline_is_appended_to(worktree: Worktree) -> None:
    (worktree.main / ".git" / "info" / "exclude").write_text("*.tmp")
    worktree.write_agent_files()
    assert worktree.excludes() == ["*.tmp", "/.claude/settings.local.json"]


def test_missing_exclude_folder_is_created(worktree: Worktree) -> None:
    (worktree.main / ".git" / "info" / "exclude").unlink(missing_ok=True)
    (worktree.main / ".git" / "info").rmdir()
    worktree.write_agent_files()
    assert worktree.excludes() == ["/.claude/settings.local.json"]


def test_agent_without_files_runs_no_git(tmp_path: Path) -> None:
    assert write_agent_files(CODEX, str(tmp_path / "nowhere"), VALUES) == []

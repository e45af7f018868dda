"""`orange install` puts the skill where agents look for it, and never over what the person has written."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING

import pytest

from orange_tui.agents.harnesses import agent_path
from orange_tui.agents.skill import is_unmodified, skill_text, with_checksum
from orange_tui.cli.all_commands import COMMANDS
from orange_tui.cli.commands.setup import install
from orange_tui.cli.parsing.grammar import Parsed
from orange_tui.cli.parsing.parser import parse
from orange_tui.domain.errors import NotFound, Refused
from orange_tui.domain.text import yaml_text
from orange_tui.home.paths import Home
from orange_tui.orange import assemble

if TYPE_CHECKING:
    from pathlib import Path

    from orange_tui.cli.reply import Reply


class Person:
    """Somebody with a home directory and some agents on their PATH."""

    def __init__(self, root: Path) -> None:
        self.home = root / "person"
        self.bin = root / "bin"
        self.orange_home = root / "home"
        for made in (self.home, self.bin, self.orange_home):
            made.mkdir(exist_ok=True)

    def has(self, *agents: str) -> None:
        for agent in agents:
            (self.bin / agent).symlink_to(sys.executable)

    def install(self, *words: str) -> Reply:
        parsed = parse(["install", *words], COMMANDS)
        assert isinstance(parsed, Parsed)
        return install(parsed, assemble(Home(str(self.orange_home))))

    def skill(self, where: str = ".claude/skills") -> Path:
        return self.home / where / "orange" / "SKILL.md"


@pytest.fixture
def person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Person:
    person = Person(tmp_path)
    monkeypatch.setenv("HOME", str(person.home))
    monkeypatch.setenv("PATH", str(person.bin))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME", "PI_CODING_AGENT_DIR"):
        monkeypatch.delenv(name, raising=False)
    return person


def test_skill_is_installed_for_every_installed_agent(person: Person) -> None:
    person.has("claude", "pi")
    reply = person.install()
    assert reply.code == 0
    assert reply.text.splitlines() == [
        f"claude  installed  {person.skill()}",
        f"pi  installed  {person.skill('.pi/agent/skills')}",
    ]
    assert person.skill().read_bytes() == with_checksum(skill_text())
    assert not (person.home / ".codex").exists()


@pytest.mark.parametrize(
    ("harness", "where"),
    [
        ("claude", ".claude/skills"),
        ("codex", ".codex/skills"),
        ("opencode", ".config/opencode/skills"),
        ("pi", ".pi/agent/skills"),
    ],
)
def test_skill_is_installed_for_a_named_agent(person: Person, harness: str, where: str) -> None:
    reply = person.install("--harness", harness)
    assert person.skill(where).exists()
    assert reply.code == 0
    assert "itself is not installed. Install it with `npm install -g" in reply.notes[0]


def test_skill_folder_follows_the_agents_own_variable(person: Person, tmp_path: Path) -> None:
    assert agent_path("${CODEX_HOME:-~/.codex}/skills", {"CODEX_HOME": "/x"}) == "/x/skills"
    assert agent_path("${CODEX_HOME:-~/.codex}/skills", {"CODEX_HOME": ""}) == f"{person.home}/.codex/skills"


def test_installing_the_skill_twice_changes_nothing(person: Person) -> None:
    person.has("claude")
    person.install()
    reply = person.install()
    assert "up to date" in reply.text
    assert reply.code == 0


def test_older_unmodified_copy_is_replaced(person: Person) -> None:
    person.skill().parent.mkdir(parents=True)
    person.skill().write_bytes(with_checksum(b"# The skill of an earlier version\n"))
    assert "installed" in person.install("--harness", "claude").text
    assert person.skill().read_bytes() == with_checksum(skill_text())


@pytest.mark.parametrize("mine", [b"# My own\n", with_checksum(b"# Old\n").replace(b"Old", b"New"), b"", b"\xff"])
def test_copy_changed_by_the_person_is_kept_until_they_say_yes(person: Person, mine: bytes) -> None:
    person.has("claude", "codex")
    person.skill().parent.mkdir(parents=True)
    person.skill().write_bytes(mine)
    reply = person.install()
    assert reply.code == 1
    assert f"claude  left as it is  {person.skill()}" in reply.text
    assert "codex  installed" in reply.text
    assert "--yes replaces it" in reply.notes[0]
    assert person.skill().read_bytes() == mine
    assert person.install("--yes").code == 0
    assert is_unmodified(person.skill().read_bytes())


def test_a_linked_folder_stays_linked(person: Person, tmp_path: Path) -> None:
    person.skill().parent.parent.mkdir(parents=True)
    (tmp_path / "dotfiles").mkdir()
    person.skill().parent.symlink_to(tmp_path / "dotfiles")
    person.install("--harness", "claude")
    assert person.skill().parent.is_symlink()
    assert os.listdir(tmp_path / "dotfiles") == ["SKILL.md"]


def test_skill_install_without_an_agent_says_how_to_get_one(person: Person) -> None:
    with pytest.raises(Refused, match="No agent with a skill folder is installed") as caught:
        person.install()
    assert "npm install -g @anthropic-ai/claude-code" in str(caught.value)


def test_skill_install_for_an_unsuitable_agent_is_refused(person: Person) -> None:
    with pytest.raises(Refused, match="The demo agent has no skill folder"):
        person.install("--harness", "demo")
    with pytest.raises(NotFound, match="there are claude, codex"):
        person.install("--harness", "cluade")


def test_skill_is_installed_for_persons_own_agent_with_a_folder(person: Person) -> None:
    text = "mine: {binary: mine, full: [mine, '{prompt}'], skills: ~/.mine/skills}\nbad: {}\n"
    (person.orange_home / "harnesses.yml").write_text(text)
    person.has("mine")
    reply = person.install()
    assert person.skill(".mine/skills").exists()
    assert any("harnesses.yml:2" in note for note in reply.notes)


def test_skill_has_frontmatter_and_names_only_real_commands() -> None:
    text = skill_text().decode()
    node = yaml_text.compose(text.split("---\n")[1])
    assert node is not None
    values = yaml_text.to_value(node)
    assert isinstance(values, dict)
    assert values["name"] == "orange"
    assert 100 < len(str(values["description"])) <= 1024
    known = {" ".join(command.path) for command in COMMANDS}
    named = re.findall(r"orange ((?:task|workflow|project) [a-z-]+)", text)
    assert named
    assert set(named) <= known
    assert "Do not** push" in text


def test_skill_and_prompts_agree_on_who_creates_tasks_and_what_reviewers_do(tmp_path: Path) -> None:
    worker = assemble(Home(str(tmp_path))).workflows.load("default").prompts["worker"]
    text = " ".join(skill_text().decode().split())
    for words in ("--parent $ORANGE_TASK", "orange task update --status delegated"):
        assert words in worker
        assert words in text
    assert "create nothing" not in text
    reviewer = text.partition("### As a reviewer")[2]
    for words in ("## Review", "Verdict: PASS", "Verdict: FAIL", "no edits, no commits, no tasks"):
        assert words in reviewer
    for status in ("reviewing", "working", "stuck"):
        assert f"--status {status}" in reviewer

"""What a visitor sees first: a short README with a picture that moves, and the files that GitHub looks for."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import yaml
from tools.picture import Frame, svg

from orange_tui.pages.library import topics
from support.page_examples import DOCS, examples_of

if TYPE_CHECKING:
    from support.driver import Cli, World

ROOT = DOCS.parent
SVG = "{http://www.w3.org/2000/svg}"


def test_readme_is_short_and_leads_to_every_page() -> None:
    text = (ROOT / "README.md").read_text()
    assert len(text.splitlines()) < 100
    assert [topic for topic in topics() if f"(docs/{topic}.md)" not in text] == []


def test_refusal_in_the_readme_is_what_an_agent_is_told(world: World, cli: Cli) -> None:
    ref = world.task(status="planning", workflow="default")
    block = next(each for each in examples_of((ROOT / "README.md").read_text()) if not each.kind)
    command, _, shown = block.text.partition("\n")
    assert command == "$ orange task update --status working"
    said = cli("task", "update", ref.id, "--status", "working").err
    assert said == shown.replace("k3x9fwd", ref.id)


def test_picture_is_small_and_moves_by_itself() -> None:
    picture = ROOT / "pictures" / "demo.svg"
    assert picture.stat().st_size < 1_000_000
    tree = ET.parse(picture).getroot()
    frames = [group for group in tree.iter(f"{SVG}g") if "f" in group.get("class", "").split()]
    assert len(frames) > 50
    text = picture.read_text()
    assert not [
        outside for outside in ("<script", "http://", "https://", "/tmp/") if outside in text.replace(SVG[1:-1], "")
    ]


def test_frames_take_turns_and_a_line_is_drawn_once() -> None:
    hello, other = "\x1b[1;38;2;255;0;0mhello\x1b[0m <&>", "\x1b[48;2;0;0;9m 🍊 \x1b[0m"
    drawn = svg([Frame((hello, other), 1.0), Frame((hello, ""), 99.0), Frame((other, hello), 1.0)], "a & b")
    tree = ET.fromstring(drawn)
    assert drawn.count("hello") == 1
    assert "font-weight:bold" in drawn
    assert [text.text for text in tree.iter(f"{SVG}text")] == ["hello", "<&>", "🍊"]
    assert "animation:3.5s" in drawn  # a long wait is cut short
    assert "@keyframes f1{0%{visibility:hidden}28.57%{visibility:visible}71.43%{visibility:hidden}}" in drawn


def test_ci_runs_the_command_that_the_readme_names() -> None:
    steps = yaml.safe_load((ROOT / ".github" / "workflows" / "test.yml").read_text())["jobs"]["test"]["steps"]
    assert " make test " in steps[-1]["run"]
    assert "make test" in (ROOT / "README.md").read_text()
    wanted = next(line for line in (ROOT / "Makefile").read_text().splitlines() if line.startswith("PROGRAMS"))
    installs = next(step["run"] for step in steps if "programs.sh" in step.get("run", ""))
    assert installs.endswith(f"programs.sh tmux {wanted.partition('= ')[2]}")


def test_issue_templates_ask_for_what_troubleshooting_says() -> None:
    templates = [yaml.safe_load(path.read_text()) for path in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml")]
    assert len([template for template in templates if "body" in template]) == 2
    bug = (ROOT / ".github" / "ISSUE_TEMPLATE" / "bug.yml").read_text()
    assert "orange doctor" in bug
    assert "orange log" in bug

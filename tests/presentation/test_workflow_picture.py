"""`orange workflow show`: a picture that a person can read, in whatever terminal they have."""

from __future__ import annotations

import functools
import pathlib
import textwrap
from typing import TYPE_CHECKING

import pytest

from orange_tui.domain.workflow_file.loader import load_workflow
from orange_tui.presentation.workflow_picture import picture

if TYPE_CHECKING:
    from orange_tui.domain.workflow import Workflow

FILES = pathlib.Path(__file__).parents[2] / "workflows"
NAMES = ("default", "classic", "minimal", "solo", "autopilot")

MINIMAL = """\
── minimal, version 1 ──────────────────────────────────────────────────────────
  forward   pending → working → reviewing → done
  back      reviewing → working
  other     every state → cancelled
  forced    working → done
  created   in pending; on request in reviewing

── States and moves ────────────────────────────────────────────────────────────
● pending        tasks start here · no agent
  ├─▶ working    runs   acquire_workspace ▸ spawn_agent(worker)
  └─▶ cancelled

○ working        worker's window · restarts with worker
  ├─▶ reviewing  needs  ## Handoff with something in it
  │              runs   kill_session
  ├─▶ cancelled  runs   kill_session ▸ release_workspace
  └─▶ done       only   a forced merge
                 runs   kill_session ▸ release_workspace ▸ delete_remote_branch
                        ▸ spawn_next

● reviewing      tasks may start here · any live window
  ├─▶ done       runs   release_workspace ▸ delete_remote_branch ▸ spawn_next
  ├─▶ working    only   a person
  │              runs   spawn_agent(worker)
  └─▶ cancelled  runs   kill_session ▸ release_workspace

■ done           the end
■ cancelled      the end

── When an agent has ended (first match, poll 30 s) ────────────────────────────
  working    → reviewing               ## Handoff with something in it
             crash, attention after 2  otherwise
  reviewing  waits, shown as dead

── Prompts ─────────────────────────────────────────────────────────────────────
  worker  Task: {summary}  (21 lines)
"""

DEFAULT_WAYS = """\
── default, version 1 ──────────────────────────────────────────────────────────
  forward   pending → planning → working → agent-review → reviewing → done
  back      agent-review → working · reviewing → working
  other     planning, working → clarification → planning, working
            planning, working, agent-review → stuck → reviewing
            working → delegated → pending
            every state → cancelled
  forced    planning, clarification, working, agent-review, stuck, delegated
            → done
  created   in pending; on request in clarification, agent-review or reviewing

"""

ODD = """
    name: odd
    states:
      a-state-with-a-name-that-is-longer-than-any-column: {agent: none}
      loop: {}
      end: {terminal: true}
    transitions:
      - from: a-state-with-a-name-that-is-longer-than-any-column
        to: loop
        gate: {command: make test}
        hooks:
          - {action: set_field, field: tone, value: calm}
          - {action: run_command, command: "echo one\\ttwo", timeout: 5}
          - {action: notify, message: "done \\e[31mred", via: bell}
      - {from: loop, to: a-state-with-a-name-that-is-longer-than-any-column}
      - {from: loop, to: end}
    signals:
      - has_artifact: {section: "## Notes"}
        then: end
    exit_monitoring:
      rules:
        - {status: loop, action: crash}
    prompts:
      lonely: "\\e[2J first\\nsecond"
"""


@functools.cache
def workflow(text: str) -> Workflow:
    loaded = load_workflow(textwrap.dedent(text), "any.yml")
    assert loaded.workflow is not None, loaded.problems
    return loaded.workflow


def drawn(text: str, width: int) -> str:
    return picture(workflow(text), width)


def shipped(name: str, width: int) -> str:
    return drawn((FILES / f"{name}.yml").read_text(encoding="utf-8"), width)


def test_picture_of_a_small_workflow_is_complete() -> None:
    assert shipped("minimal", 80) == MINIMAL


def test_picture_begins_with_the_ways_of_the_default_workflow() -> None:
    assert shipped("default", 80).startswith(DEFAULT_WAYS)


@pytest.mark.parametrize("name", NAMES)
def test_no_line_is_wider_than_the_terminal(name: str) -> None:
    for width in range(60, 161):
        lines = shipped_lines(name, width)
        assert max(map(len, lines)) == width  # the headings' rules use it all
        assert [line for line in lines if line != line.rstrip()] == []


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_lost_when_the_terminal_is_narrow(name: str) -> None:
    """Whatever the width, the blocks say the same words."""
    tree = str.maketrans("", "", "│├└─▶")
    narrow, wide = (shipped(name, width).translate(tree).split() for width in (60, 160))
    assert sorted(narrow) == sorted(wide)


def test_picture_uses_the_available_width() -> None:
    assert len(shipped_lines("default", 140)) < len(shipped_lines("default", 80))


def test_picture_is_at_least_sixty_wide() -> None:
    assert shipped("solo", 10) == shipped("solo", 60)


def test_conditions_gates_and_hooks_stand_beside_their_arrow() -> None:
    assert_shows(
        shipped("default", 100),
        """
          ├─▶ stuck          if     review_round >= 2
          │                  needs  ## Review with FAIL on its first line
          │                  runs   kill_reviewer ▸ spawn_agent(stuck_fix)
        """,
    )
    assert_shows(
        shipped("default", 100),
        """
          ├─▶ stuck          only   the engine itself
          │                  runs   spawn_agent(stuck_fix)
        """,
    )


def test_picture_shows_what_runs_when_a_task_is_created() -> None:
    assert_shows(
        shipped("default", 100),
        """
        ● agent-review       tasks may start here · reviewer's window · restarts with reviewer
          │                  starts acquire_workspace ▸ spawn_reviewer(reviewer)
        """,
    )


def test_rule_with_conditions_has_a_row_for_each() -> None:
    assert_shows(
        shipped("classic", 120),
        """
          agent-review   → reviewing               ## Review with PASS on any line
                         → working                 ## Review with FAIL on any line, review_round < 2
                         → stuck                   ## Review with FAIL on any line, review_round >= 2
                         restart, → stuck after 2  otherwise
        """,
    )


def test_signals_are_shown_with_their_states() -> None:
    assert_shows(
        shipped("solo", 100),
        """
          working, stuck  → reviewing  .orange-outcome saying passed or reviewing
          working         → stuck      .orange-outcome saying stuck
        """,
    )


def test_parameters_other_than_the_defaults_are_named() -> None:
    text = " ".join(shipped("classic", 160).split())
    assert "spawn_agent(reviewer, harness review, permissions reduced, increment review_round)" in text
    assert "harness task" not in text


def test_name_too_long_for_its_column_stands_alone() -> None:
    lines = drawn(ODD, 80).splitlines()
    assert "● a-state-with-a-name-that-is-longer-than-any-column" in lines
    assert "  ├─▶ a-state-with-a-name-that-is-longer-than-any-column" in lines
    assert max(map(len, lines)) == 80


def test_forward_path_ends_where_it_would_repeat() -> None:
    assert "  forward   a-state-with-a-name-that-is-longer-than-any-column → loop\n" in drawn(ODD, 100)


def test_every_kind_of_gate_hook_and_rule_is_shown() -> None:
    text = " ".join(drawn(ODD, 160).split())
    assert "needs `make test` to succeed" in text
    assert "set_field(tone, value calm)" in text
    assert "timeout 5" in text
    assert "loop crash" in text
    assert "→ end ## Notes with something in it" in text
    assert "(2 lines, used nowhere)" in text


def test_escape_sequences_are_shown_and_not_sent() -> None:
    text = drawn(ODD, 100)
    assert "\x1b" not in text
    assert "\\x1b[31mred" in text
    assert "\\x1b[2J first" in text


def shipped_lines(name: str, width: int) -> list[str]:
    return shipped(name, width).splitlines()


def assert_shows(text: str, part: str) -> None:
    """The part is in the text, line by line, at the indentation it has beyond that of the tests."""
    wanted = "\n".join(line[8:] for line in part.splitlines()).strip("\n")
    assert f"\n{wanted}\n" in text

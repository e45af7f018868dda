"""The workflow as a map: how many tasks stand where, and where the one under the cursor is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from orange_tui.domain.task import make_task
from orange_tui.domain.workflow_file.loader import load_workflow
from orange_tui.home.paths import shipped
from orange_tui.tui.drawing.workflow_map import workflow_map
from support.looking import DARK, assert_harmless, steadily, style_at, texts

if TYPE_CHECKING:
    from orange_tui.domain.workflow import Workflow


def _shipped_default() -> Workflow:
    """Read without a home: one that is nowhere would be made, for its cache."""
    found = load_workflow((Path(shipped("workflows")) / "default.yml").read_text(), "default.yml").workflow
    assert found is not None
    return found


DEFAULT = _shipped_default()


def test_every_state_has_its_count_and_the_names_that_are_there() -> None:
    values = [("1", "milk", "working"), ("2", "sugar", "working"), ("3", "cup", "reviewing")]
    tasks = [make_task({"id": i, "branch": b, "status": s, "workflow": "default"}) for i, b, s in values]
    tasks.append(make_task({"id": "4", "branch": "elsewhere", "status": "working", "workflow": "solo"}))
    lines = texts(workflow_map(DEFAULT, tasks, tasks[0], 80, DARK))
    shown = {line.lstrip("▌ ")[2:].split()[0]: line for line in lines[:20] if len(line.split()) > 2}
    assert shown["working"].split() == ["▌", "▸", "working", "2", "milk", "is", "here,", "with", "sugar"]
    assert shown["reviewing"].split() == ["◇", "reviewing", "1", "cup"]
    assert shown["planning"].split()[-1] == "·"
    assert not any("elsewhere" in line for line in lines)
    assert [name for name in shown if name in DEFAULT.states][:3] == ["pending", "planning", "working"]


def test_a_state_has_its_colour_everywhere() -> None:
    strips = workflow_map(DEFAULT, [], None, 80, DARK)
    assert style_at(strips, "stuck") == DARK.bad
    assert style_at(strips, "done") == DARK.good


@steadily
@given(st.text(max_size=200), st.integers(60, 200))
def test_any_branch_name_fits_the_workflow_map(branch: str, width: int) -> None:
    tasks = [make_task({"id": str(n), "branch": branch, "status": "working", "workflow": "default"}) for n in range(9)]
    assert_harmless(workflow_map(DEFAULT, tasks, tasks[0], width, DARK)[:20], width)

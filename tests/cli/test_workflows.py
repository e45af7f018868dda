"""`orange workflow`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from support.driver import Cli, World


def test_workflow_check_checks_one_or_all(world: World, cli: Cli, tmp_path: Path) -> None:
    result = cli.ok("workflow", "check")
    assert {"autopilot: good", "classic: good", "default: good"} <= set(result.out.splitlines())
    (tmp_path / "mine.yml").write_text("name: mine\nstates: {a: {}}\ntransitions:\n  - {from: a, to: b}\n")
    broken = cli("workflow", "check", str(tmp_path / "mine.yml"))
    assert broken.code == 1
    assert "mine.yml:4" in broken.out
    assert "There is no workflow" in cli.no("workflow", "check", "nope")
    shown = cli.ok("workflow", "show", "steps").out
    assert all(state in shown for state in ("todo", "doing", "checked", "stuck"))
    assert "There is no workflow" in cli.no("workflow", "show", "nope")

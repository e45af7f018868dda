"""A task without a branch of its own is given one that is named after its summary, and that nobody else has."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from orange_tui.engine.creation import NewTask
from orange_tui.orange import assemble

if TYPE_CHECKING:
    from support.live_home import LiveHome


def test_tasks_of_one_summary_get_branches_of_their_own_also_at_once(live_home: LiveHome) -> None:
    live_home.git("branch", "brew-tea", "main")
    live_home.git("branch", "milk/foam", "main")

    def create(summary: str) -> str:
        new = NewTask("coffee", summary=summary, names_branch=True, harness="demo", spawn=False)
        return live_home.task(assemble(live_home.orange.home).tasks.create(new).ref).branch

    with ThreadPoolExecutor(4) as several:
        made = sorted(several.map(create, ["Brew tea!"] * 4))
    assert made == ["brew-tea-2", "brew-tea-3", "brew-tea-4", "brew-tea-5"]  # git has the first one
    assert create("Milk") == "milk-2"  # git could make no branch above another one
    assert create("Main") == "main-2"
    assert create("🍊").startswith("orange-tasks/")

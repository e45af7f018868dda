"""What the demo agent writes down of its use: lines as real agents write them, the same for the same work."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from orange_tui.demo.tools.usage_log import UsageLog

if TYPE_CHECKING:
    from pathlib import Path


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_each_thought_is_a_line_with_an_id_of_its_own_its_tokens_and_what_it_cost(tmp_path: Path) -> None:
    environment = {"ORANGE_TASK_FILE": str(tmp_path / "TASK.md"), "ORANGE_WINDOW": "review-1"}
    for _ in range(2):  # the second one is started again in the same window
        log = UsageLog(environment)
        log.add_thought("Reading")
        log.add_thought("Planning")
    found = lines(tmp_path / ".orange-status" / "review-1.usage.jsonl")
    assert len({line["id"] for line in found}) == 4
    used = [line["message"]["usage"] for line in found]
    assert used[:2] == used[2:]
    assert {line["message"]["model"] for line in found} == {"demo-1"}
    assert used[1]["cacheRead"] == used[0]["input"] + used[0]["output"]
    assert 0.01 < sum(each["cost"]["total"] for each in used[:2]) < 0.2


def test_use_that_cannot_be_written_down_stops_nobody(tmp_path: Path) -> None:
    (tmp_path / ".orange-status").write_text("in the way")
    UsageLog({"ORANGE_TASK_FILE": str(tmp_path / "TASK.md")}).add_thought("Reading")

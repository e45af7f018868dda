"""`orange usage`: what a person is told about tokens and dollars."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from orange_tui.home import clock
from orange_tui.store.store import TaskRef
from support.usage import used

if TYPE_CHECKING:
    from support.driver import Cli, World

GONE = TaskRef("coffee", "gone777")
NO_TOKENS: dict[str, Any] = {"input": 0, "output": 0, "turns": 0}
CHAT = TaskRef("coffee", ".chat")


@pytest.fixture
def busy(world: World) -> TaskRef:
    """Two tasks, one of them deleted, and a chat, on three days."""
    ref = world.task(branch="brew")
    world.use(
        ref,
        used(1.5, input=1200, output=0, turns=3, model="sonnet", day="2026-11-14"),
        used(None, agent="codex", model="new", input=0, output=7_000_000, turns=1, day="2026-11-15"),
    )
    world.use(GONE, used(4.0, model="opus", cache_read=10, **NO_TOKENS))
    world.use(CHAT, used(0.25, agent="pi", model="sonnet", cache_write=10, **NO_TOKENS))
    return ref


def test_usage_is_by_task_the_dearest_first_with_deleted_ones_and_the_chat(busy: TaskRef, cli: Cli) -> None:
    lines = cli.ok("usage").out.splitlines()
    assert lines[0].split() == ["task", "input", "output", "cache", "read", "cache", "write", "cost", "turns"]
    assert lines[1].startswith("gone777  coffee, deleted")
    assert lines[2].startswith(f"{busy.id}  coffee/brew")
    assert lines[3].startswith("chat of coffee")
    assert lines[2].split()[2:9] == ["1.2k", "7.0M", "0", "0", "over", "$1.50", "4"]
    assert lines[4].split()[:8] == ["total", "1.2k", "7.0M", "10", "10", "over", "$5.75", "4"]
    assert lines[1].endswith("█" * 20)
    assert lines[5] == "Unknown price: new. `prices` in config.yml can give it."


@pytest.mark.usefixtures("busy")
@pytest.mark.parametrize(
    ("by", "names"),
    [
        ("project", ["coffee"]),
        ("agent", ["claude", "pi", "codex"]),
        ("model", ["opus", "sonnet", "new"]),
        ("day", ["2026-11-14", "2026-11-15", "2026-11-16"]),
    ],
)
def test_usage_is_grouped_as_asked(cli: Cli, by: str, names: list[str]) -> None:
    lines = cli.ok("usage", "--by", by).out.splitlines()
    assert [line.split()[0] for line in lines] == [by, *names, "total", "Unknown"]
    found = cli.ok("usage", "--by", by, "--json").json()
    assert [row[by] for row in found["rows"]] == names


def test_unknown_cost_is_null_for_a_program_and_never_nothing_for_a_person(busy: TaskRef, cli: Cli) -> None:
    found = cli.ok("usage", "--json").json()
    row = next(row for row in found["rows"] if row["task"] == busy.id)
    assert row == {
        "task": busy.id, "project": "coffee", "branch": "brew", "input": 1200, "output": 7_000_000,
        "cache_read": 0, "cache_write": 0, "turns": 4, "cost": None, "unpriced": ["new"],
    }  # fmt: skip
    assert (found["total"]["cost"], found["total"]["unpriced"]) == (None, ["new"])
    assert "unknown" in cli.ok("usage", "--by", "model").out.splitlines()[3]


@pytest.mark.usefixtures("busy")
@pytest.mark.parametrize(
    ("since", "cost"), [("2026-11-16", 4.25), ("today", 4.25), ("1d", 4.25), ("2d", None), ("2027-01-01", 0)]
)
def test_usage_since_a_day(cli: Cli, monkeypatch: pytest.MonkeyPatch, since: str, cost: float | None) -> None:
    monkeypatch.setattr(clock, "now", lambda: "2026-11-15T23:30:00.000000Z")
    monkeypatch.setenv("TZ", "Europe/Berlin")  # where it is the 16th already
    found = cli.ok("usage", "--since", since, "--json").json()
    assert found["total"]["cost"] == cost
    if cost == 0:
        assert cli.ok("usage", "--since", since).out.startswith("Nothing was used since 2027-01-01")


@pytest.mark.parametrize(
    "since", ["yesterday", "0d", "-1d", "99999999999999999999d", "2026-13-01", "2026-11", "²d", ""]
)
def test_a_date_that_is_none_is_refused_in_a_sentence(world: World, cli: Cli, since: str) -> None:
    assert "--since needs a date such as 2026-11-01" in cli.no("usage", f"--since={since}", code=2)


def test_a_file_that_cannot_be_read_is_named_and_stops_nothing(busy: TaskRef, world: World, cli: Cli) -> None:
    path = world.root / "state" / "coffee" / "gone777" / "usage.json"
    path.write_text("{")
    said = cli.ok("usage")
    assert f"{path} cannot be read" in said.err
    assert busy.id in said.out


def test_names_from_agents_files_do_nothing_to_the_terminal(world: World, cli: Cli) -> None:
    world.use(world.task(), used(None, model="\x1b[31mred"))
    for by in ("model", "task"):
        assert "\x1b" not in cli.ok("usage", "--by", by).out


def test_usage_of_nothing_says_so(world: World, cli: Cli) -> None:
    assert cli.ok("usage").out == "Nothing was used, as far as the agents' files tell.\n"

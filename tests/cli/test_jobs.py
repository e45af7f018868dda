"""`orange job …`: what a person types, and what is said."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from support.timetable import Clock, Timetable

if TYPE_CHECKING:
    from pathlib import Path

    from support.driver import Cli, World


@pytest.fixture
def times(world: World, monkeypatch: pytest.MonkeyPatch) -> Timetable:
    """Half past ten and thirty seconds in Berlin."""
    monkeypatch.setenv("TZ", "Europe/Berlin")
    return Timetable(world.orange, Clock(monkeypatch))


def entries(world: World) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((world.root / "jobs.json").read_text())
    return found


def test_job_is_added_listed_disabled_enabled_and_removed(times: Timetable, cli: Cli) -> None:
    said = cli.ok("job", "add", "0 7 * * MON-FRI", "Brew", "--project", "coffee", "--label", "a", "--label", "b")
    job = said.out.split()[0]
    assert "next Tue 2026-11-17 07:00 CET" in said.out
    listed = cli.ok("job", "list").out
    assert all(words in listed for words in (f"● {job}", "0 7 * * MON-FRI", "07:00 CET", "not run yet", "Brew"))
    assert "disabled" in cli.ok("job", "disable", job[:4]).out
    assert f"○ {job}" in cli.ok("job", "list").out
    assert "07:00 CET" in cli.ok("job", "enable", job).out
    refused = cli("job", "remove", job)
    assert (refused.code, "add --yes" in refused.err) == (1, True)
    cli.ok("job", "remove", job, "--yes")
    assert "No jobs." in cli.ok("job", "list").out


def test_job_json_has_every_field(times: Timetable, cli: Cli) -> None:
    added = cli.ok(
        "job", "add", "@daily", "Brew", "--project", "coffee", "--body", "-", "--json", stdin="Strong, please."
    ).json()
    assert (added["body"], added["next_run"], added["enabled"]) == (
        "Strong, please.",
        "2026-11-17T00:00:00+01:00",
        True,
    )
    assert cli.ok("job", "list", "--json").json() == [added]
    assert cli.ok("job", "disable", added["id"], "--json").json()["next_run"] is None
    assert cli.ok("job", "enable", added["id"], "--json").json()["enabled"] is True
    assert "error" in cli("job", "remove", "zzz", "--yes", "--json").json()
    assert cli.ok("job", "remove", added["id"], "--yes", "--json").json() == {"id": added["id"], "removed": True}
    assert cli.ok("job", "list", "--json").json() == []


def test_job_list_shows_the_last_runs_task_and_why_a_run_was_skipped(times: Timetable, cli: Cli) -> None:
    job = times.job("@hourly")
    times.fire_after(hours=1)
    task = times[job].last_task
    assert f"last Mon 2026-11-16 11:00 CET, {task} todo" in cli.ok("job", "list").out
    times.fire_after(hours=1)
    said = cli.ok("job", "list").out
    assert f"! The last run was skipped: its last task, {task}, is not finished" in said
    times.finish(job)
    assert f"{task} cancelled" in cli.ok("job", "list").out
    assert cli.ok("job", "list", "--json").json()[0]["last_task_status"] == "cancelled"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("61 * * * *", "Brew"), "the minute is 0-59"),
        (("* * * *", "Brew"), "4 fields instead of 5"),
        (("0 0 30 2 *", "Brew"), "there is no such day"),
        (("@reboot", "Brew"), "@reboot is not a time"),
        (("@daily", " "), "A job needs a summary"),
        (("@daily", "two\nlines"), "one line"),
        (("@daily", "Brew", "--workflow", "nope"), "no workflow named 'nope'"),
        (("@daily", "Brew", "--harness", "nope"), "no agent 'nope'"),
        (("@daily", "Brew", "--label", "\x1b[2J"), "A label is"),
    ],
)
def test_job_that_could_never_run_is_refused(times: Timetable, cli: Cli, words: tuple[str, ...], said: str) -> None:
    refused = cli("job", "add", "--project", "coffee", *words)
    assert (refused.code, refused.out) == (1, "")
    assert said in refused.err
    assert times.orange.jobs.file.all() == []


def test_job_for_an_unknown_or_missing_project_is_refused(times: Timetable, cli: Cli) -> None:
    assert "There is no project tea; registered are: coffee" in cli("job", "add", "@daily", "x", "--project", "tea").err
    assert "is in no registered project" in cli("job", "add", "@daily", "x").err
    assert cli("job", "add", "@daily").code == 2


def test_broken_jobs_file_is_one_sentence_and_other_commands_work(times: Timetable, world: World, cli: Cli) -> None:
    (world.root / "jobs.json").write_text("[\n{]")
    for words in (("list",), ("add", "@daily", "x", "--project", "coffee"), ("remove", "abc", "--yes")):
        refused = cli("job", *words)
        assert (refused.code, "jobs.json:2 is not JSON" in refused.err) == (1, True)
    cli.ok("task", "list", "--all")
    cli.ok("task", "create", "fix/it", "Brew", "--no-spawn", "--project", "coffee")
    assert (world.root / "jobs.json").read_text() == "[\n{]"


def test_unknown_fields_in_the_jobs_file_are_kept(times: Timetable, world: World, cli: Cli) -> None:
    job = times.job()
    (world.root / "jobs.json").write_text(json.dumps([entries(world)[0] | {"why": "because"}]))
    cli.ok("job", "disable", job)
    assert entries(world)[0]["why"] == "because"


def test_job_broken_by_hand_is_listed_with_the_reason(times: Timetable, cli: Cli) -> None:
    job = times.job()
    times.orange.jobs.file.update(job, {"cron": "99 * * * *"})
    said = cli.ok("job", "list").out
    assert "never" in said
    assert "the minute is 0-59" in said
    assert cli("job", "disable", job).code == 0
    assert "the minute is 0-59" in cli("job", "enable", job).err


def test_unknown_time_zone_is_refused_with_file_and_line(times: Timetable, world: World, cli: Cli) -> None:
    (world.root / "config.yml").write_text("bell: false\ntimezone: Mars/Olympus\n")
    refused = cli("job", "list")
    assert "config.yml:2: timezone: 'Mars/Olympus' is not a time zone; write one such as Europe/Berlin" in refused.err


@pytest.mark.parametrize("zone", ["CET-1CEST,M3.5.0,M10.5.0/3", "/etc/passwd", "../../etc/passwd", "Europe"])
def test_unusable_TZ_is_refused_with_the_way_out(  # noqa: N802
    times: Timetable, cli: Cli, monkeypatch: pytest.MonkeyPatch, zone: str
) -> None:
    monkeypatch.setenv("TZ", zone)
    assert "set `timezone` in config.yml" in cli("job", "add", "@daily", "Brew", "--project", "coffee").err


def test_machines_time_zone_is_the_default(
    times: Timetable, cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("TZ")
    place = tmp_path / "localtime"
    monkeypatch.setattr("orange_tui.home.time_zone._MACHINE_ZONE", str(place))
    job = times.job("0 7 * * *")
    assert "07:00 UTC" in cli.ok("job", "list").out
    place.symlink_to("/usr/share/zoneinfo/Asia/Tokyo")
    assert "07:00 JST" in cli.ok("job", "list").out
    assert cli.ok("job", "remove", job, "--yes")


def test_jobs_added_by_many_processes_at_once_are_all_kept(times: Timetable, world: World) -> None:
    words = [sys.executable, "-m", "orange_tui", "job", "add", "--project", "coffee", "@daily"]
    running = [subprocess.Popen([*words, f"Brew {number}"], stdout=subprocess.DEVNULL) for number in range(6)]
    assert [process.wait(60) for process in running] == [0] * 6
    assert sorted(entry["summary"] for entry in entries(world)) == [f"Brew {number}" for number in range(6)]

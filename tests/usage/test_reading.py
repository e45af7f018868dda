"""Reading what the real agents have written down: each message once, however the files are cut, copied or killed at."""

from __future__ import annotations

import json
import os
import random
import sqlite3
from datetime import UTC, date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orange_tui.domain.usage.prices import Price, PriceTable, Rates
from orange_tui.domain.usage.totals import TaskUsage, Totals
from orange_tui.usage import _lines, _seen
from orange_tui.usage._counting import Owner
from orange_tui.usage.readers import opencode
from orange_tui.usage.reading import Outcome, SessionFile, TaskReading
from orange_tui.usage.usage_file import Change, UsageFile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from orange_tui.usage.usage_file import StoredUsage

_FIXTURES = Path(__file__).parent / "fixtures"
_PRICES = PriceTable({"claude-opus-5-5": Price(Rates(4, 20, 0.2, 5)), "gpt-5-5": Price(Rates(5, 30, 0.5, 5))})
_CLAUDE = "72aade48-19c5-4bfc-9c17-a7a2a9308954"
_FORK = "3b85e9e6-21a1-4f57-85f3-213105fe9ecb"
_SOME = st.integers(0, 10**9)


def _recorded(agent: str) -> Path:
    [found] = (_FIXTURES / agent).glob("*.jsonl")
    return found


def _file(path: Path, agent: str = "claude", session: str = "", starts: tuple[str, ...] = ()) -> SessionFile:
    return SessionFile(Owner("worker", agent, starts), agent, session, str(path))


def _claude_files(folder: Path) -> list[SessionFile]:
    below = sorted(folder.glob(f"{_CLAUDE}/subagents/*.jsonl"))
    return [_file(path) for path in (*below, folder / f"{_CLAUDE}.jsonl")]


class _Task:
    """One task's usage, read by as many processes as one likes."""

    def __init__(self, directory: Path) -> None:
        self.directory = str(directory)
        self._reading = TaskReading(self.directory)

    def restart(self) -> None:
        self._reading = TaskReading(self.directory)

    def read(self, *files: SessionFile) -> Outcome:
        return self._reading.read_on(files, _PRICES, UTC)

    @property
    def usage(self) -> TaskUsage:
        return UsageFile(self.directory).read() or TaskUsage()

    @property
    def total(self) -> Totals:
        found = self.usage.total()
        return Totals(**{**found.__dict__, "cost": round(found.cost, 9)})


@pytest.fixture
def task(tmp_path: Path) -> _Task:
    return _Task(tmp_path / "state")


_WHOLE = Totals(input=17_000, output=470, cache_read=3_000, cache_write=2_000, turns=10, cost=0.088)


def test_claude_is_counted_with_its_subagents_as_it_counts_itself(task: _Task) -> None:
    task.read(*_claude_files(_FIXTURES / "claude"))
    assert task.total == _WHOLE  # its last `cost-state` says the same


def test_forked_conversation_counts_only_what_is_new_in_it(task: _Task) -> None:
    fork = _file(_FIXTURES / "claude" / f"{_FORK}.jsonl")
    task.read(*_claude_files(_FIXTURES / "claude"))
    task.read(fork)
    assert task.total == Totals(22_400, 584, 3_600, 2_400, turns=12, cost=0.114)


def test_cost_that_claude_reports_wins_and_what_comes_later_is_priced(task: _Task, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    named = {
        "m": {"inputTokens": 1_000_000, "outputTokens": 5, "costUSD": 7.0},
        "quiet": {"outputTokens": 9, "costUSD": 0.5},
    }
    path.write_text(_answer("1", "m", 1_000_000) + _line(type="cost-state", sessionId="s", modelUsage=named))
    task.read(_file(path))
    assert (task.total.cost, task.total.unpriced, task.total.output) == (7.5, (), 14)
    with path.open("a") as file:
        file.write(_answer("2", "m", 1_000_000))
    task.read(_file(path))
    assert (task.total.cost, task.total.unpriced) == (7.5, ("m",))


def test_codex_is_counted_without_its_cache_and_tells_its_limits(task: _Task) -> None:
    outcome = task.read(_file(_recorded("codex"), "codex"))
    cost = (10_100 * 5 + 299 * 30 + 1_800 * 0.5) / 1_000_000
    assert task.total == Totals(10_100, 299, 1_800, turns=6, cost=round(cost, 9))
    assert {each.name: each.used_percent for each in outcome.limits["codex"]} == {"primary": 42.0, "secondary": 17.0}
    assert outcome.contexts["worker"] == pytest.approx(100 * 2_555 / 258_400)


def test_older_codex_is_counted_by_the_sums_of_its_thread(task: _Task, tmp_path: Path) -> None:
    path = tmp_path / "rollout.jsonl"
    lines = [line for line in _recorded("codex").read_text().splitlines() if "token_usage_record" not in line]
    path.write_text("".join(f"{line}\n" for line in [*lines, *lines]))
    task.read(_file(path, "codex"))
    assert (task.total.input, task.total.output, task.total.turns) == (10_100, 299, 6)


def test_pi_is_counted(task: _Task) -> None:
    task.read(_file(_recorded("pi"), "pi"))
    found = task.total
    assert (found.turns, found.cost, found.unpriced) == (6, 0, ("stub-1",))
    assert (found.input, found.output, found.cache_read) == (8_400, 282, 1_800)


def test_cost_that_pi_reports_is_taken(task: _Task, tmp_path: Path) -> None:
    usage = {"input": 1, "output": 2, "cacheRead": 3, "cacheWrite": 4, "cost": {"total": 0.25}}
    message = {"role": "assistant", "model": "demo-1", "usage": usage}
    (tmp_path / "s.jsonl").write_text(_line(type="message", id="1", timestamp="x", message=message))
    task.read(_file(tmp_path / "s.jsonl", "demo"))
    assert task.total == Totals(1, 2, 3, 4, turns=1, cost=0.25)


def _database(path: Path) -> Path:
    with sqlite3.connect(path) as database:
        database.executescript((_FIXTURES / "opencode" / "opencode.sql").read_text())
    database.close()
    return path


_OPENCODE = "ses_e1a0b6245ffeAT4k5amXMKAlj8"


def test_opencode_is_counted_with_the_conversations_below_it(task: _Task, tmp_path: Path) -> None:
    file = _file(_database(tmp_path / "opencode.db"), "opencode", _OPENCODE)
    for _ in range(2):
        task.read(file)
        found = task.total
        assert (found.input, found.output, found.cache_read) == (8_400 + 3_300, 282 + 132, 2_700)
        assert (found.turns, found.unpriced) == (9, ("stub-1",))


def test_locked_database_is_read_the_next_time(task: _Task, tmp_path: Path) -> None:
    path = _database(tmp_path / "opencode.db")
    with sqlite3.connect(path, isolation_level=None) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert task.read(_file(path, "opencode", _OPENCODE)).problems == ()
        assert task.total == Totals()
        other.execute("ROLLBACK")
    other.close()
    task.read(_file(path, "opencode", _OPENCODE))
    assert task.total.turns == 9


def test_database_of_another_version_is_said_once(task: _Task, tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE conversation (id)")
    database.close()
    [problem] = task.read(_file(path, "opencode", _OPENCODE)).problems
    assert "no such table" in problem
    assert task.read(_file(path, "opencode", _OPENCODE)).problems == ()


def _line(**entry: Any) -> str:
    return json.dumps(entry, separators=(",", ":")) + "\n"


def _answer(key: str, model: str = "claude-opus-5-5", sent: Any = 10, *, got: Any = 5, at: str = "") -> str:
    usage = {"input_tokens": sent, "output_tokens": got}
    message = {"id": key, "model": model, "usage": usage}
    return _line(type="assistant", sessionId="s", requestId="r", timestamp=at, message=message)


def test_message_that_grows_while_it_is_streamed_counts_with_its_last_numbers(task: _Task, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text(_answer("1", got=1) + _answer("2") + _answer("1", got=7) + _answer("1", got=7))
    task.read(_file(path))
    assert (task.total.output, task.total.turns) == (12, 2)


@pytest.mark.parametrize("bad", [-1, 1.5, True, "7", [1], {"x": 1}, 10**13, None])
def test_number_that_cannot_be_one_is_refused_and_said_once(task: _Task, tmp_path: Path, bad: object) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text(_answer("1") + _answer("2", sent=bad) + _answer("3"))
    [problem] = task.read(_file(path)).problems
    assert str(path) in problem
    assert "input_tokens" in problem
    task.restart()
    assert task.read(_file(path)).problems == ()
    assert task.total.turns == 1
    sources = json.loads((Path(task.directory) / "usage.json").read_text())["sources"]
    assert "input_tokens" in sources["files"][str(path)]["problem"]


def test_lines_that_are_not_json_are_skipped(task: _Task, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    nested = '{"type":"assistant","x":' + "[" * 100_000 + "\n"
    path.write_bytes(b'{"type":"assistant",\xff\n' + nested.encode() + b"\n\n" + _answer("1").encode() + b"7\n[]\n")
    assert task.read(_file(path)).problems == ()
    assert task.total.turns == 1


def test_pipe_link_and_device_are_never_read(task: _Task, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "real").write_text(_answer("1"))
    (tmp_path / "link").symlink_to(tmp_path / "real")
    for path in (tmp_path / "pipe", tmp_path / "link", Path("/dev/zero"), tmp_path):
        assert len(task.read(_file(path)).problems) == 1
    assert task.total == Totals()


def test_file_that_is_gone_keeps_what_was_counted(task: _Task, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text(_answer("1"))
    task.read(_file(path))
    path.unlink()
    assert task.read(_file(path)).problems == ()
    assert task.total.turns == 1


def test_torn_last_line_waits_for_its_end(task: _Task, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    whole = _answer("1") + _answer("2")
    path.write_text(whole[:-20])
    task.read(_file(path))
    assert task.total.turns == 1
    path.write_text(whole)
    task.read(_file(path))
    assert task.total.turns == 2


def test_file_that_was_written_anew_is_read_anew(task: _Task, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text(_answer("1") + _answer("2"))
    task.read(_file(path))
    path.write_text(_answer("2"))  # shorter
    task.read(_file(path))
    path.write_text(_answer("3") + _answer("4") + _answer("1"))  # in place, longer
    task.read(_file(path))
    (tmp_path / "new").write_text(_answer("5") + _answer("4"))
    (tmp_path / "new").replace(path)
    task.read(_file(path))
    assert task.total.turns == 5


def test_line_without_an_end_takes_no_memory_and_is_skipped(
    task: _Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_lines, "_CHUNK_BYTES", 1_000)
    monkeypatch.setattr(_lines, "MOST_LINE_BYTES", 3_000)
    monkeypatch.setattr(_lines, "SLICE_BYTES", 6_000)
    path = tmp_path / "s.jsonl"
    path.write_text(_answer("1") + "x" * 20_000 + "\n" + _answer("2"))
    rounds = 1
    while task.read(_file(path)).has_more:
        rounds += 1
    assert rounds > 3
    assert task.total.turns == 2


def test_days_are_those_of_the_person_and_starts_those_of_the_window(task: _Task, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text(
        _answer("1", at="2026-11-15T23:59:59.000Z")
        + _answer("2", at="2026-11-16T00:00:01.000Z")
        + _answer("3", at="2026-11-16T10:00:00.000Z")
        + _answer("4", at="1999-01-01T00:00:00Z")
    )
    starts = ("2026-11-15T20:00:00.000000Z", "2026-11-16T09:00:00.000000Z")
    task.read(_file(path, starts=starts))
    rows = [(row.start, row.day) for row in task.usage.rows]
    assert rows[:3] == [(1, "2026-11-15"), (1, "2026-11-16"), (2, "2026-11-16")]
    assert task.total.turns == 4
    assert min(day for _, day in rows) == "2026-11-15"  # a time that cannot be is now


def test_made_up_names_do_not_fill_the_file(task: _Task, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text("".join(_answer(str(number), f"model-{number}") for number in range(1_000)))
    task.read(_file(path))
    assert task.total.turns == 1_000
    assert len(task.usage.rows) <= 41


def test_made_up_days_do_not_fill_the_file(task: _Task, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    days = [str(date(2025, 1, 1) + timedelta(days=number)) for number in range(600)]
    models = [f"m{number}" for number in range(6)]
    lines = (_answer(f"{day} {model}", model, at=f"{day}T10:00:00Z") for day in days for model in models)
    path.write_text("".join(lines))
    task.read(_file(path))
    assert task.total.turns == len(days) * len(models)
    assert len(task.usage.rows) <= 2_001


def test_pipe_beside_a_database_holds_nobody_up(task: _Task, tmp_path: Path) -> None:
    path = _database(tmp_path / "opencode.db")
    os.mkfifo(f"{path}-journal")  # sqlite would wait for its writer for ever
    assert task.read(_file(path, "opencode", _OPENCODE)).problems


# --- any cut, any repetition, any kill ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def whole_text() -> str:
    """Everything of one conversation, in one file."""
    files = _claude_files(_FIXTURES / "claude")
    return "".join(Path(file.path).read_text() for file in files)


_PROPERTY = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@_PROPERTY
@given(cuts=st.lists(_SOME, max_size=6))
def test_any_cut_into_readings_gives_the_same_sums(
    tmp_path_factory: pytest.TempPathFactory, whole_text: str, cuts: list[int]
) -> None:
    folder = tmp_path_factory.mktemp("cut")
    task, path, data = _Task(folder / "state"), folder / "s.jsonl", whole_text.encode()
    for end in sorted({*(cut % len(data) for cut in cuts), len(data)}):
        with path.open("ab") as file:
            file.write(data[file.tell() : end])
        task.read(_file(path))
        if end % 2:
            task.restart()
    assert task.total == _WHOLE


@_PROPERTY
@given(seed=_SOME, files=st.integers(1, 3))
def test_any_repetition_of_lines_in_any_file_gives_the_same_sums(
    tmp_path_factory: pytest.TempPathFactory, whole_text: str, seed: int, files: int
) -> None:
    folder = tmp_path_factory.mktemp("again")
    chance = random.Random(seed)
    lines = whole_text.splitlines(keepends=True)
    task = _Task(folder / "state")
    for number in range(files):
        again = [line for line in lines for _ in range(chance.choice((1, 1, 2, 3)))]
        (folder / f"{number}").write_text("".join(again))
        task.read(_file(folder / f"{number}"))
    assert task.total == _WHOLE


class _KilledError(Exception):
    pass


@_PROPERTY
@given(cuts=st.lists(st.tuples(_SOME, st.sampled_from(["", "seen", "before", "after"])), max_size=6))
def test_kill_at_any_write_gives_the_same_sums_afterwards(
    tmp_path_factory: pytest.TempPathFactory, whole_text: str, cuts: Sequence[tuple[int, str]]
) -> None:
    folder = tmp_path_factory.mktemp("kill")
    task, path, data = _Task(folder / "state"), folder / "s.jsonl", whole_text.encode()
    for cut, kill in [*sorted((cut % len(data), kill) for cut, kill in cuts), (len(data), "")]:
        with path.open("ab") as file:
            file.write(data[file.tell() : max(cut, file.tell())])
        with pytest.MonkeyPatch.context() as patch:
            _kill_at(patch, kill)
            try:
                task.read(_file(path))
            except _KilledError:
                if cut % 2:
                    task.restart()
    assert task.total == _WHOLE


def _kill_at(patch: pytest.MonkeyPatch, moment: str) -> None:
    """Raise in the middle of the side file, before usage.json is written, or once it is and nothing else."""
    write, put = _seen._write, Change.put

    def half_written(path: str, data: bytes, position: int) -> None:
        write(path, data[: len(data) // 2], position)
        raise _KilledError

    def not_put(change: Change, stored: StoredUsage) -> None:
        put(change, stored)
        raise _KilledError

    def not_committed(seen: _seen.SeenMessages, length: int) -> None:
        raise _KilledError

    if moment == "seen":
        patch.setattr(_seen, "_write", half_written)
    elif moment == "before":
        patch.setattr(Change, "put", not_put)
    elif moment == "after":
        patch.setattr(_seen.SeenMessages, "commit", not_committed)


def test_lost_side_file_stops_nothing(task: _Task, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text(_answer("1"))
    task.read(_file(path))
    (Path(task.directory) / "usage.seen").unlink()
    task.restart()
    with path.open("a") as file:
        file.write(_answer("2"))
    task.read(_file(path))
    assert task.total.turns == 2


def test_usage_json_stays_small_however_much_is_counted(task: _Task, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text("".join(_answer(str(number), at="2026-11-16T10:00:00Z") for number in range(5_000)))
    task.read(_file(path))
    assert task.total.turns == 5_000
    assert (Path(task.directory) / "usage.json").stat().st_size < 5_000


@pytest.mark.parametrize(
    "bad", [10**400, -(10**400), float("nan"), float("inf"), "7", True, -1], ids=lambda bad: f"{bad!r:.9}"
)
def test_status_line_that_says_nonsense_says_nothing(task: _Task, tmp_path: Path, bad: object) -> None:
    path = tmp_path / "worker.status.json"
    limits = {"five_hour": {"used_percentage": bad, "resets_at": bad}}
    path.write_text(json.dumps({"context_window": {"used_percentage": bad}, "rate_limits": limits}))
    outcome = task.read(_file(path, "claude-status"))
    assert (outcome.contexts, outcome.limits) == ({}, {})


def test_many_small_prompts_after_a_report_are_not_charged_as_one_long_one(tmp_path: Path) -> None:
    rates = Rates(1, 1, 1, 1)
    prices = PriceTable({"m": Price(rates, above=200_000, long_rates=Rates(10, 10, 10, 10))})
    path = tmp_path / "s.jsonl"
    named = {"m": {"inputTokens": 100_000, "costUSD": 0.5}}
    report = _line(type="cost-state", sessionId="s", modelUsage=named)
    later = "".join(_answer(str(number), "m", 100_000, got=0) for number in range(2, 7))
    path.write_text(_answer("1", "m", 100_000, got=0) + report + later)
    TaskReading(str(tmp_path / "state")).read_on([_file(path)], prices, UTC)
    found = UsageFile(str(tmp_path / "state")).read()
    assert found is not None
    assert found.total().cost == pytest.approx(0.5 + 0.5)


def test_cost_that_is_less_than_the_prices_said_makes_no_day_negative(task: _Task, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    days = [_answer(str(day), sent=1_000_000, got=0, at=f"2026-11-0{day}T10:00:00Z") for day in (1, 2, 3)]
    named = {"claude-opus-5-5": {"inputTokens": 3_000_000, "costUSD": 1.0}}
    path.write_text("".join(days))
    task.read(_file(path))
    assert task.total.cost == 12.0
    with path.open("a") as file:
        file.write(_line(type="cost-state", sessionId="s", modelUsage=named))
    assert task.read(_file(path)).windows == ("worker",)  # boards are told
    assert task.total.cost == 1.0
    assert min(row.totals.cost for row in task.usage.rows) >= 0


def test_many_empty_answers_of_opencode_do_not_hide_those_after_them(
    task: _Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = _database(tmp_path / "opencode.db")
    with sqlite3.connect(path) as database:
        [(first,)] = database.execute("SELECT min(time_updated) FROM message")
        empty = {"role": "assistant", "modelID": "m", "tokens": {"input": 0, "output": 0}}
        for number in range(3):
            row = {
                "id": f"msg_{number}",
                "session_id": _OPENCODE,
                "time_created": 1,
                "time_updated": first - 9 + number,
            }
            row["data"] = json.dumps(empty)
            names, marks = ", ".join(row), ", ".join("?" * len(row))
            database.execute(f"INSERT INTO message ({names}) VALUES ({marks})", tuple(row.values()))
    database.close()
    monkeypatch.setattr(opencode, "MOST_ROWS", 3)
    while task.read(_file(path, "opencode", _OPENCODE)).has_more:
        pass
    assert task.total.turns == 9


@pytest.mark.parametrize("session", ["s", ""])  # with one, the agent reports its cost later
def test_price_that_is_known_later_prices_what_was_counted_without_one(tmp_path: Path, session: str) -> None:
    path, reading, rates = tmp_path / "s.jsonl", TaskReading(str(tmp_path / "state")), Rates(2, 10, 1, 3)
    unknown, known = PriceTable({}), PriceTable({"m": Price(rates, 10_000, Rates(20, 100, 10, 30))})

    def write(*answers: str) -> None:
        with path.open("a") as file:
            file.writelines(answer.replace('"s"', f'"{session}"') for answer in answers)

    def total(prices: PriceTable) -> Totals:
        reading.read_on([_file(path)], prices, UTC)
        return (UsageFile(str(tmp_path / "state")).read() or TaskUsage()).total()

    write(*(_answer(str(number), "m", 9_000, got=100) for number in range(5)))
    assert total(unknown).unpriced == ("m",)
    before = total(known)
    assert before.unpriced == ()
    assert before.cost == pytest.approx(5 * 0.019)
    assert total(known) == before
    write(_answer("3", "m", 9_000, got=200), _answer("2", "m", 9_000, got=100), _answer("5", "m", 9_000, got=100))
    assert total(known).cost == pytest.approx(6 * 0.019 + 0.001)
    if session:
        named = {"inputTokens": 54_000, "outputTokens": 700, "costUSD": 0.2}
        write(_line(type="cost-state", sessionId="s", modelUsage={"m": named}))
        assert total(known).cost == pytest.approx(0.2)

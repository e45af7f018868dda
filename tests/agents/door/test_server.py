"""A door carries out what the agent of its window may ask for, as that agent, whatever it is sent."""

from __future__ import annotations

import json
import os
import select
import signal
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orange_tui.agents.door.protocol import INPUT, MAX_REQUEST_BYTES, WORDS, frame
from orange_tui.agents.door.server import RateLimit
from support.door import DoorWindow, answer, request
from support.live_home import wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.driver import World


@pytest.fixture
def window(world: World, tmp_path: Path) -> Iterator[DoorWindow]:
    window = DoorWindow(world, tmp_path)
    yield window
    window.close()


def test_agent_changes_its_task_through_the_door(window: DoorWindow, world: World) -> None:
    done = window.orange("task", "update", "--summary", "Grind fresh")
    assert (done.code, done.out, done.err) == (0, f"{window.ref.id}  doing\n", "")
    assert world.read(window.ref).summary == "Grind fresh"
    assert window.orange("task", "show", window.ref.id, "--json").json()["summary"] == "Grind fresh"


def test_refusal_and_wrong_usage_have_the_exit_codes_that_every_command_has(window: DoorWindow) -> None:
    refused = window.orange("task", "update", "--status", "checked")
    assert (refused.code, refused.out) == (1, "")
    assert "## Handoff" in refused.err
    assert window.orange("task", "update", "--stat").code == 2
    assert window.orange("task", "show", "zzzz", "--json").json()["error"]
    assert "Usage" in window.orange("task", "update", "--help").out


def test_standard_input_goes_through_where_the_command_reads_it(window: DoorWindow, world: World) -> None:
    words = ("task", "create", "b", "Grind", "--parent", window.ref.id, "--project", "coffee", "--no-spawn")
    text = "Ünïcode\n" * 20_000
    made = window.orange(*words, "--context", "-", "--json", stdin=text.encode()).json()
    assert text.strip() in world.body(world.orange.store.find(made["id"]))
    assert (
        window.orange("task", "reply", "t1", "-", stdin=b"\xff").err
        == "orange: The text on standard input is not UTF-8\n"
    )


def test_hooks_report_goes_through(window: DoorWindow, world: World) -> None:
    report = json.dumps({"hook_event_name": "Stop", "session_id": "s1"}).encode()
    assert window.orange("task", "event", "--agent", "claude", "--event", "Stop", stdin=report).code == 0
    [runtime] = world.root.rglob("runtime.json")
    assert "s1" in runtime.read_text()


def test_reviewer_creates_no_task_whatever_its_environment_says(world: World, tmp_path: Path) -> None:
    window = DoorWindow(world, tmp_path, name="review-1")
    words = ("task", "create", "b", "Grind", "--parent", window.ref.id, "--project", "coffee", "--no-spawn")
    refused = window.orange(*words, environment={"ORANGE_WINDOW": "worker"})
    window.close()
    assert (refused.code, len(world.orange.store.refs())) == (1, 1)
    assert "this is the window of a reviewer" in refused.err


def test_agent_is_who_the_door_knows_whatever_its_environment_says(window: DoorWindow, world: World) -> None:
    other = world.task()
    forged = {"ORANGE_TASK": other.id, "ORANGE_TASK_FILE": str(world.file(other)), "ORANGE_WINDOW": "review-1"}
    done = window.orange("task", "update", "--summary", "Forged", environment=forged)
    assert done.code == 0
    assert (world.read(window.ref).summary, world.read(other).summary) == ("Forged", "Brew")
    assert "may only change" in window.orange("task", "update", other.id, "--summary", "x", environment=forged).err
    assert "window of a worker" in window.orange("task", "comment", window.ref.id, ".", "Why?", environment=forged).err


PERSONS_COMMANDS: list[tuple[str, ...]] = [
    (),
    ("--all",),
    ("serve",),
    ("demo",),
    ("doctor",),
    ("install",),
    ("log",),
    ("chat",),
    ("workflow", "check", "/etc/passwd"),
    ("workflow", "copy", "default", "mine"),
    ("project", "add", "/"),
    ("job", "add", "@daily", "Brew"),
    ("task", "attach", "{own}"),
    ("task", "merge", "{own}", "--force"),
    ("task", "cancel", "{own}", "--yes"),
    ("task", "delete", "{own}", "--yes"),
    ("task", "answer", "{own}", "yes"),
    ("task", "respawn", "{own}"),
    ("task", "update", "--budget", "1000"),
    ("task", "update", "--harness", "demo"),
    ("__complete", "task", ""),
]


def test_persons_commands_are_refused_with_a_sentence(window: DoorWindow) -> None:
    for words in PERSONS_COMMANDS[:2]:  # as an agent runs them; the others are only sent, as `orange` does
        refused = window.orange(*words)
        assert (refused.code, refused.out) == (1, ""), words
        assert "is for a person" in refused.err, words
    for words in PERSONS_COMMANDS[2:]:
        *said, ended = window.ask(request(*(word.format(own=window.ref.id) for word in words)))
        assert ended == (b"x", b"\1"), words
        assert {kind for kind, _ in said} == {b"e"}, words
        assert b"is for a person" in b"".join(data for _, data in said), words


def test_no_file_that_the_agent_can_put_in_its_way_is_shown_to_it(window: DoorWindow, world: World) -> None:
    secret = world.root / "secret"
    secret.write_text("the recipe\n")
    world.file(window.ref).unlink()
    world.file(window.ref).symlink_to(secret)
    for words in (("show", window.ref.id), ("context",), ("logs", window.ref.id), ("list", "--json")):
        shown = window.orange("task", *words)
        assert "recipe" not in shown.out + shown.err


def test_nothing_in_the_worktree_is_imported_by_a_command(window: DoorWindow) -> None:
    for place in (window.worktree, window.outside):
        for name in ("json.py", "orange_tui.py", "sitecustomize.py", "socket.py"):
            (place / name).write_text(f"open({str(place / 'owned')!r}, 'w')\n")
    assert window.orange("task", "list", environment={"PYTHONPATH": str(window.worktree)}).code in {0, 1}
    window.ask(request("task", "list", "--json"))
    assert not (window.outside / "owned").exists()


def test_two_commands_at_once_have_each_their_own_answer_and_a_slow_one_holds_up_nobody(
    window: DoorWindow, world: World
) -> None:
    with world.orange.store.open(window.ref):
        slow = window.start("task", "update", "--summary", "Later")
        wait_for(lambda: bool(window.commands()))
        assert window.orange("task", "list", "--all", "--json").json()[0]["summary"] == "Brew"
        assert slow.poll() is None
    assert slow.communicate(timeout=60)[0] == f"{window.ref.id}  doing\n".encode()
    assert world.read(window.ref).summary == "Later"


def test_command_is_finished_when_its_client_is_killed(window: DoorWindow, world: World) -> None:
    with world.orange.store.open(window.ref):
        client = window.start("task", "update", "--summary", "All the same")
        wait_for(lambda: bool(window.commands()))
        client.kill()
        client.communicate()
    wait_for(lambda: world.read(window.ref).summary == "All the same")
    assert window.orange("task", "list").code == 0


def test_command_that_waits_can_tell_that_its_client_is_gone(window: DoorWindow, world: World) -> None:
    """So a permission hook that the agent has ended asks no more."""
    with world.orange.store.open(window.ref):
        client = window.start("task", "update", "--summary", "All the same")
        wait_for(lambda: bool(window.commands()))
        [command] = window.commands()
        printed = os.readlink(f"/proc/{command}/fd/1")
        assert printed in window.open_files()
        client.kill()
        client.communicate()
        wait_for(lambda: printed not in window.open_files())
    wait_for(lambda: world.read(window.ref).summary == "All the same")


def test_question_of_a_permission_hook_is_asked_through_the_door_until_the_agent_ends_the_hook(
    window: DoorWindow, world: World
) -> None:
    asked = {"hook_event_name": "PermissionRequest", "tool_name": "Bash", "tool_input": {"command": "make tea"}}
    hook = window.start("task", "ask", "--agent", "claude", "-", stdin=json.dumps(asked).encode())
    questions = world.orange.approvals.files(window.ref)
    wait_for(lambda: bool(questions.open_questions()))
    assert window.orange("task", "list").code == 0
    hook.kill()
    hook.communicate()
    wait_for(lambda: not questions.open_questions() and not window.commands())


def test_command_is_finished_when_the_launcher_is_killed_and_its_client_says_what_to_do(
    window: DoorWindow, world: World
) -> None:
    with world.orange.store.open(window.ref):
        client = window.start("task", "update", "--summary", "All the same")
        wait_for(lambda: bool(window.commands()))
        window.launcher.kill()
        _, errors = client.communicate(timeout=60)
    assert client.returncode == 1
    assert b"is finished all the same" in errors
    wait_for(lambda: world.read(window.ref).summary == "All the same")


def test_killed_command_is_told_and_the_door_goes_on(window: DoorWindow, world: World) -> None:
    with world.orange.store.open(window.ref):
        client = window.start("task", "update", "--summary", "Never", "--json")
        wait_for(lambda: bool(window.commands()))
        os.kill(window.commands()[0], signal.SIGKILL)
        output, errors = client.communicate(timeout=60)
    assert client.returncode == 1
    assert "was killed" in json.loads(output)["error"]
    assert b"was killed" in errors
    assert window.orange("task", "update", "--summary", "Now").code == 0


def test_door_that_is_none_is_said_in_a_sentence(window: DoorWindow, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir()
    for place in ("", "gone/socket", "file", "folder"):
        refused = window.orange("task", "list", "--json", environment={"ORANGE_DOOR": str(tmp_path / place)})
        assert refused.code == 1, place
        assert refused.err.startswith("orange: The door of this window is gone ("), place
        assert "orange task restart" in refused.json()["error"], place


def test_door_of_a_window_that_has_ended_is_said_in_a_sentence(window: DoorWindow) -> None:
    window.close()
    refused = window.orange("task", "list")
    assert (refused.code, refused.out) == (1, "")
    assert "Connection refused" in refused.err


HOSTILE = [
    b"GET / HTTP/1.1\r\n\r\n",
    b"\0" * 100,
    WORDS + b"\xff\xff\xff\xff",
    frame(INPUT, b"x") + frame(INPUT, b"y") + request("task", "list"),
    frame(WORDS, b"task"),
    frame(WORDS, b"\0" * 2000),
    frame(INPUT, b"x" * MAX_REQUEST_BYTES) + request("task", "list"),
    frame(b"x", b"\0"),
]


def test_what_is_no_request_is_refused_with_a_sentence_and_the_door_goes_on(window: DoorWindow) -> None:
    for data in HOSTILE:
        [(kind, sentence)] = window.ask(data)
        assert kind == b"r", data[:80]
        assert sentence.startswith(b"This was not understood: it"), data[:80]
    assert window.orange("task", "list").code == 0


def test_half_a_request_is_never_carried_out(window: DoorWindow, world: World) -> None:
    whole = frame(INPUT, b"x") + request("task", "update", "--summary", "Half")
    for length in range(0, len(whole), 3):
        assert window.ask(whole[:length]) == []
    assert (world.read(window.ref).summary, window.commands()) == ("Brew", [])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.lists(st.one_of(st.binary(max_size=60), st.sampled_from(HOSTILE[:3])), max_size=4).map(b"".join))
def test_random_bytes_are_answered_or_closed(window: DoorWindow, data: bytes) -> None:
    frames = window.ask(data)
    assert [kind for kind, _ in frames[:-1]] == [each for each, _ in frames[:-1] if each in {b"o", b"e"}]
    assert window.launcher.poll() is None


def test_clients_that_say_nothing_are_sent_away_before_there_are_too_many(window: DoorWindow) -> None:
    idle = [window.connect() for _ in range(16)]
    [(kind, sentence)] = window.ask(request("task", "list"))
    assert (kind, b"16 commands of this window" in sentence) == (b"r", True)
    for each in idle:
        each.close()
    wait_for(lambda: window.orange("task", "list").code == 0)


def test_burst_is_allowed_and_then_no_more_than_so_many_a_second() -> None:
    limit = RateLimit(5, 2)
    assert [limit.allows(100.0) for _ in range(6)] == [True] * 5 + [False]
    assert [limit.allows(101.0) for _ in range(3)] == [True, True, False]
    assert [limit.allows(1000.0) for _ in range(6)] == [True] * 5 + [False]


def test_one_command_too_many_is_refused_with_a_sentence(window: DoorWindow, world: World) -> None:
    connections = []
    with world.orange.store.lock(window.ref):  # so that none of them ends before all have begun
        for _ in range(60):
            connections.append(window.connect())
            with suppress(BrokenPipeError):  # it is refused already
                connections[-1].sendall(request("task", "update", "--summary", "Milk"))
        assert select.select(connections, [], [], 60)[0]
    answers = [answer(each) for each in connections]
    for each in connections:
        each.close()
    refused = [data for [*_, (kind, data)] in answers if kind == b"r"]
    assert all(b"commands" in sentence and b"wait" in sentence for sentence in refused)
    assert 0 < len(refused) < 60
    assert [frames[-1] for frames in answers if frames[-1][0] == b"x"] == [(b"x", b"\0")] * (60 - len(refused))


def test_client_that_reads_nothing_holds_up_nobody(window: DoorWindow) -> None:
    with window.connect() as silent:
        silent.sendall(request("task", "update", "--help"))
        assert window.orange("task", "list").code == 0
        assert b"Usage" in b"".join(data for _, data in answer(silent))


def test_launcher_ends_as_its_agent_does(world: World, tmp_path: Path) -> None:
    for script, code in (("exit 7", 7), ("kill -9 $$", 137), ("kill -TERM $$", 143)):
        assert DoorWindow(world, tmp_path, ("sh", "-c", f"cat; {script}")).close() == code
    assert DoorWindow(world, tmp_path, ("sh", "-c", "cat; exec no-such-agent")).close() == 127


def test_agent_has_the_environment_that_its_window_has_and_its_door(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LANG", "LC_ALL", "LC_CTYPE"):
        monkeypatch.delenv(name, raising=False)
    window = DoorWindow(world, tmp_path, ("sh", "-c", "cat; env"))
    output, _ = window.launcher.communicate(timeout=60)
    lines = output.decode().splitlines()
    assert f"ORANGE_DOOR={window.socket}" in lines
    assert f"ORANGE_TASK={window.ref.id}" in lines
    assert not any(line.startswith(("LC_", "ORANGE_CONFINED")) for line in lines)


def test_door_in_a_directory_with_a_long_name_works(world: World, tmp_path: Path) -> None:
    long = tmp_path / ("x" * 120)
    long.mkdir()
    window = DoorWindow(world, long)
    assert window.orange("task", "list").code == 0
    window.close()

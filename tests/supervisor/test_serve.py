"""`orange serve` as a process of its own: it ends when it is told to, and another one carries on when it is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from support.live_home import kill_agent, started
from support.serving import Servers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from orange_tui.store.store import TaskRef
    from support.live_home import LiveHome


@pytest.fixture
def servers(live_home: LiveHome) -> Iterator[Servers]:
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)  # under nohup, what is started would ignore it
    servers = Servers(live_home)
    yield servers
    servers.end()
    signal.signal(signal.SIGHUP, before)


def crash(live_home: LiveHome, ref: TaskRef, count: int) -> None:
    """The agent dies, and somebody notices."""
    kill_agent(live_home, ref)
    live_home.wait(lambda: len(live_home.events(ref, "agent.crashed")) == count)


def bring_back(live_home: LiveHome, ref: TaskRef) -> None:
    starts = live_home.root / "recorder" / "starts"
    before = starts.read_text().count("started")
    live_home.orange.agents.respawn(ref)
    live_home.wait(lambda: starts.read_text().count("started") == before + 1)


def ends_on(server: subprocess.Popen[bytes], number: signal.Signals) -> bool:
    server.send_signal(number)
    return server.wait(timeout=60) in {0, 130}


def test_serve_ends_on_any_signal_agents_keep_running_and_the_next_one_notices_a_death_that_happened_while_none_ran(
    live_home: LiveHome, servers: Servers
) -> None:
    ref = started(live_home, "fix/serve")
    assert ends_on(servers.start(), signal.SIGTERM)
    assert live_home.windows(ref) == ["worker"]
    kill_agent(live_home, ref)
    assert live_home.task(ref).crash_count == 0
    second = servers.start()
    live_home.wait(lambda: live_home.task(ref).crash_count == 1)
    bring_back(live_home, ref)
    assert ends_on(second, signal.SIGINT)
    assert ends_on(servers.start(), signal.SIGHUP)
    # A shell without job control lets what it starts with `&` ignore Ctrl+C.
    assert ends_on(servers.start("sh", "-c", 'trap "" INT; exec "$@"', "sh"), signal.SIGTERM)
    assert "Traceback" not in servers.said()
    assert live_home.windows(ref) == ["worker"]


def test_serve_works_without_libtmux_where_it_cannot_be_loaded(live_home: LiveHome, servers: Servers) -> None:
    damaged = live_home.root / "damaged" / "libtmux"
    damaged.mkdir(parents=True)
    (damaged / "__init__.py").write_text("raise ImportError('partially initialized')")
    ref = started(live_home, "fix/serve")
    servers.start("env", f"PYTHONPATH={damaged.parent}")
    crash(live_home, ref, 1)
    log = (live_home.root / "home" / "orange.log").read_text()
    assert "libtmux could not be loaded, tmux is run without it: ImportError('partially initialized')" in log


def test_of_serves_that_wait_for_their_turn_one_ends_at_once_on_a_signal_and_one_takes_over_when_the_acting_is_killed(
    live_home: LiveHome, servers: Servers
) -> None:
    ref = started(live_home, "fix/serve")
    acting, other, waiting = servers.start(), servers.start(), servers.start()
    live_home.wait(lambda: servers.said().count("another Orange already runs this home") == 2)
    assert ends_on(waiting, signal.SIGTERM)
    crash(live_home, ref, 1)
    bring_back(live_home, ref)
    os.kill(acting.pid, signal.SIGKILL)
    acting.wait()
    crash(live_home, ref, 2)
    live_home.wait(lambda: live_home.rests(ref, "stuck"))
    assert [event["crash_count"] for event in live_home.events(ref, "agent.crashed")] == [1, 2]
    assert live_home.windows(ref) == ["worker"]
    assert ends_on(other, signal.SIGINT)
    assert "Traceback" not in servers.said()


def test_workers_death_is_noticed_after_its_reviewers_crashed_and_the_acting_serve_was_killed(
    live_home: LiveHome, servers: Servers
) -> None:
    ref = started(live_home, "fix/serve")
    with (live_home.root / "home" / "tasks" / "coffee" / ref.id / "TASK.md").open("a") as file:
        file.write("\n## Plan\n\nAPPROACH: a\n\n## Handoff\n\nDONE: all\n")
    live_home.orange.tasks.update(ref, status="working")
    live_home.orange.tasks.update(ref, status="agent-review")
    starts = live_home.root / "recorder" / "starts"
    acting = servers.start()
    for crashes in (1, 2):
        live_home.wait(lambda: starts.read_text().count("started") == crashes + 1)  # noqa: B023 - called at once
        kill_agent(live_home, ref, "review-1")
        live_home.wait(lambda: len(live_home.events(ref, "agent.crashed")) == crashes)  # noqa: B023 - called at once
    live_home.wait(lambda: live_home.rests(ref, "stuck"))
    os.kill(acting.pid, signal.SIGKILL)
    acting.wait()
    kill_agent(live_home, ref)
    servers.start()
    live_home.wait(lambda: "The agent has ended" in (live_home.task(ref).attention or ""))
    assert [event["window"] for event in live_home.events(ref, "agent.died")] == ["worker"]


def test_task_that_is_created_while_serve_runs_is_started_once(live_home: LiveHome, servers: Servers) -> None:
    other = started(live_home, "fix/other")
    servers.start()
    ref = live_home.create("review/once", harness="recorder", status="agent-review")
    crash(live_home, other, 1)  # by now serve has seen all there is
    assert [event["to"] for event in live_home.events(ref, "transition.started")] == ["agent-review"]
    assert [event["window"] for event in live_home.events(ref, "agent.spawned")] == ["review-1"]


# It is asked to end at each of the first lines that the event loop runs, while there is none, and at many others.
AT_ANY_LINE = """\
import asyncio, gc, signal, sys
from orange_tui.cli.until_signal import run_until_signal

left = []  # what is raised where nobody can catch it, as when half an event loop is collected
sys.unraisablehook = left.append

async def work():
    await asyncio.sleep(0)
    await asyncio.to_thread(int)

def trace(frame, event, _):
    global seen
    if not any(name in frame.f_code.co_filename for name in ("asyncio", "until_signal")):
        return None
    if event == "line":
        seen += 1
        if seen == line:
            signal.raise_signal(signal.SIGTERM)
    return trace

line = seen = 1
while line <= seen:
    line, seen = line + (1 if line < 100 else 17), 0
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.settrace(trace)
    code = run_until_signal(work)
    sys.settrace(None)
    assert code == 0, (line, code)
gc.collect()
assert line > 300, line
assert not left, left
"""


def test_signal_at_any_moment_ends_an_event_loop_and_leaves_nothing_behind() -> None:
    done = subprocess.run([sys.executable, "-c", AT_ANY_LINE], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")

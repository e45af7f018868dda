"""Starting agents, noticing that one died, and what it costs to watch them all."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from measure import Job, Row, medians

from engine import ORANGE, make_tasks

SLEEPER = "#!/bin/sh\nexec sleep 1000\n"
FILES = 500


@contextmanager
def office(pool: int) -> Iterator[dict[str, str]]:
    """A home with a project of some size, an agent that does nothing, and a tmux server of its own."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        environment = {
            **os.environ,
            "ORANGE_HOME": str(root / "home"),
            "PATH": f"{root / 'bin'}:{os.environ['PATH']}",
            "ORANGE_TMUX_SOCKET": f"orange-bench-{uuid.uuid4().hex[:8]}",
            **{
                f"GIT_{who}_{what}": "bench@example.org"
                for who in ("AUTHOR", "COMMITTER")
                for what in ("NAME", "EMAIL")
            },
        }
        repository = root / "shop"
        repository.mkdir()
        for number in range(FILES):
            (repository / f"file-{number}.txt").write_text("coffee\n" * 20)
        for words in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-qm", "Open the shop"]):
            subprocess.run(["git", *words], cwd=repository, env=environment, check=True)
        agent = root / "bin" / "pi"  # the plainest of the shipped harnesses, played by a sleeper
        agent.parent.mkdir()
        agent.write_text(SLEEPER)
        agent.chmod(0o755)
        (root / "home").mkdir()
        orange(environment, "project", "add", str(repository), "--name", "shop", "--pool-size", str(pool))
        try:
            yield environment
        finally:
            tmux(environment, "kill-server")


def orange(environment: dict[str, str], *words: str) -> str:
    return subprocess.run([ORANGE, *words], env=environment, check=True, capture_output=True, text=True).stdout


def tmux(environment: dict[str, str], *words: str) -> str:
    command = ["tmux", "-L", environment["ORANGE_TMUX_SOCKET"], *words]
    return subprocess.run(command, check=False, capture_output=True, text=True).stdout


def spawn() -> Iterator[Row]:
    """Starting an agent against the same git and tmux commands typed in a shell."""
    with office(pool=3) as environment:
        orange(environment, "workspace", "init", "--project", "shop")
        # The tmux server is up already, as it is for everybody but the first agent of the day.
        orange(environment, "task", "create", "keep", "x", "--project", "shop", "--harness", "pi")
        jobs = {
            "bare": bare_spawn(environment),
            "engine": engine_spawn(environment),
            "command": command_spawn(environment),
        }
        found = medians(jobs, rounds=9)
    note = f"bare {found['bare']:.0f} ms"
    yield Row("spawn by the engine, workspace reused", found["engine"] / found["bare"], "x bare", 2.0, note)
    yield Row("orange task spawn, Python's start included", found["command"] / found["bare"], "x bare", 6.0)


def engine_spawn(environment: dict[str, str]) -> Job:
    """The same in a process that runs already, as the app and `orange serve` do it."""
    from orange_tui.home.paths import Home
    from orange_tui.orange import assemble

    os.environ.update({name: environment[name] for name in ("ORANGE_TMUX_SOCKET", "PATH")})
    here = assemble(Home(environment["ORANGE_HOME"]))
    numbers = iter(range(1000))

    def run() -> float:
        ref = here.store.find(new_task(environment, f"engine-{next(numbers)}"))
        start = time.perf_counter()
        here.tasks.spawn(ref)
        taken = (time.perf_counter() - start) * 1000
        here.tasks.cancel(ref)
        return taken

    return run


def new_task(environment: dict[str, str], branch: str) -> str:
    words = ["task", "create", branch, "x", "--project", "shop", "--harness", "pi", "--no-spawn"]
    return orange(environment, *words).split()[0]


def command_spawn(environment: dict[str, str]) -> Job:
    """Start a task's agent; creating and cancelling the task is not part of what is measured."""
    numbers = iter(range(1000))

    def run() -> float:
        task = new_task(environment, f"command-{next(numbers)}")
        taken = clocked([ORANGE, "task", "spawn", task], environment)
        orange(environment, "task", "cancel", task, "--yes")
        return taken

    return run


def bare_spawn(environment: dict[str, str]) -> Job:
    """What a person would type: a branch in a worktree that is there, and a session with the agent in it."""
    worktree = Path(environment["ORANGE_HOME"]) / "bare"
    repository = Path(environment["ORANGE_HOME"]).parent / "shop"
    subprocess.run(
        ["git", "-C", repository, "worktree", "add", "-q", "--detach", worktree], env=environment, check=True
    )
    socket, agent = environment["ORANGE_TMUX_SOCKET"], Path(environment["ORANGE_HOME"]).parent / "bin" / "pi"
    numbers = iter(range(1000))

    def run() -> float:
        name = f"bare-{next(numbers)}"
        script = (
            f"git -C {worktree} status --porcelain && git -C {worktree} switch -q -c {name} main"
            f" && tmux -L {socket} new-session -d -s {name} -c {worktree} -- {agent} prompt"
            f" && tmux -L {socket} list-panes -a"
        )
        taken = clocked(["/bin/sh", "-c", script], environment)
        tmux(environment, "kill-session", "-t", f"={name}")
        subprocess.run(["git", "-C", worktree, "switch", "-q", "--detach", "main"], env=environment, check=True)
        return taken

    return run


def clocked(words: list[str], environment: dict[str, str]) -> float:
    start = time.perf_counter()
    subprocess.run(words, env=environment, check=True, capture_output=True)
    return (time.perf_counter() - start) * 1000


def deaths() -> Iterator[Row]:
    """How long it takes from a killed agent to the status on disk, with fifty live sessions, and what idling costs."""
    with office(pool=60) as environment:
        make_tasks(environment["ORANGE_HOME"], 1000)
        words = ["--project", "shop", "--harness", "pi", "--json"]
        for number in range(50):
            orange(environment, "task", "create", f"live-{number}", "x", *words)
        server = subprocess.Popen([ORANGE, "serve"], env=environment, stderr=subprocess.DEVNULL)
        try:
            wait_until(lambda: os.path.exists(os.path.join(environment["ORANGE_HOME"], ".supervisor.lock")))
            idle_until_settled(server.pid)
            before = cpu_seconds(server.pid)
            start = time.perf_counter()
            time.sleep(20)
            idle = (cpu_seconds(server.pid) - before) / (time.perf_counter() - start) * 100
            taken = sorted(one_death(environment) for _ in range(20))
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait()
    yield Row("agent killed to status written, p95, 50 live", taken[int(len(taken) * 0.95) - 1], "ms", 500)
    yield Row("supervisor idle, 1,000 tasks and 50 sessions", idle, "% of core", 1.0)


def one_death(environment: dict[str, str]) -> float:
    """Kill one agent; milliseconds until its TASK.md says so."""
    line = tmux(environment, "list-panes", "-a", "-F", "#{pane_pid} #{@orange_task}").splitlines()[0]
    pid, task = line.split()
    child = int(subprocess.run(["pgrep", "-P", pid], check=True, capture_output=True, text=True).stdout.split()[0])
    path = os.path.join(environment["ORANGE_HOME"], "tasks", "shop", task, "TASK.md")
    start = time.perf_counter()
    os.kill(child, signal.SIGKILL)
    wait_until(lambda: "crash_count: 1" in Path(path).read_text())
    return (time.perf_counter() - start) * 1000


def idle_until_settled(pid: int) -> None:
    """Wait until the first look at everything is over."""
    last = -1.0
    while (now := cpu_seconds(pid)) - last > 0.02:
        last = now
        time.sleep(1)


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.perf_counter() + 30
    while not condition():
        if time.perf_counter() > deadline:
            sys.exit("waited for 30 s in vain")
        time.sleep(0.001)

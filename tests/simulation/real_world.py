"""One world with real git, real tmux and real `orange` processes, driven by a seed, with kills and pauses.

The world plays the person, who runs commands, and the agents, who write files, commit and take notes in TASK.md (the
agent in the window itself only waits). Any command may be killed, alone, with the git it runs, or only that git; it may
be paused and go on later; `orange serve` and the tmux server are killed, too. What the dice say is the same for the
same seed; when exactly a kill hits is up to the machine.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from orange_tui.home.paths import Home
from orange_tui.store.store import Store, readable

if TYPE_CHECKING:
    from pathlib import Path

    from orange_tui.domain.task import Task

GIT = shutil.which("git") or "/usr/bin/git"
_POOL = 3
_COMMAND_SECONDS = 60.0
_SERVE_SECONDS = 20.0
# Of the gits that change something, the one that was chosen dies: at some moment, or as soon as it writes more than so
# much to a file, which leaves half of it. Orange sees it die, or dies with it.
_GIT = """\
#!/bin/sh
die() {
  echo "$*" >"$DEADLY_COUNT.killed"
  [ -z "$DEADLY_TOO" ] || kill -9 $PPID
  kill -9 $$
}
case "$DEADLY_GIT $* " in
  " "*) ;;
  *" merge --ff-only "*|*" fetch "*|*" push "*|*" switch "*|*" checkout "*|*" worktree "*|*" update-ref "*\
  |*" restore "*|*" read-tree "*|*" symbolic-ref "*|*" branch "*|*" checkout-index "*|*" update-index "*)
    n=$(($(cat "$DEADLY_COUNT" 2>/dev/null || echo 0) + 1)); echo $n >"$DEADLY_COUNT"
    if [ "$n" = "$DEADLY_GIT" ]; then
      case "$DEADLY_SIZE $* " in
        " "*|*" push "*)  # the size would count for the remote's side, too
          exec 3<&0  # in the background, 0 would be /dev/null
          {git} "$@" <&3 3<&- & child=$!
          sleep "$DEADLY_DELAY"
          kill -9 $child 2>/dev/null && die "$@"
          wait $child; exit;;
      esac
      ( ulimit -c 0; ulimit -f "$DEADLY_SIZE"; exec {git} "$@" )
      code=$?
      [ $code -le 128 ] || die "$@"
      exit $code
    fi;;
esac
exec {git} "$@"
"""


@dataclass
class Result:
    """What became of a world."""

    seed: int
    faults: Counter[str] = field(default_factory=Counter)
    violations: list[str] = field(default_factory=list)
    story: list[str] = field(default_factory=list)


class RealWorld:
    """A repository with a remote, a home, a tmux server, and everybody who does something in them."""

    def __init__(self, root: Path, seed: int, steps: int) -> None:
        self.root, self.dice, self._steps = root, random.Random(seed), steps
        self.result = Result(seed)
        self.main, self.remote, self.home = root / "coffee", root / "remote.git", root / "home"
        self.socket = f"orange-real-{os.getpid()}-{seed}"
        self.files: set[str] = set()  # tokens in files of worktrees
        self.lines: set[str] = set()  # tokens in TASK.md
        self.commits: set[str] = set()
        self._branches = 0
        self._serve: subprocess.Popen[bytes] | None = None
        self._paused: list[int] = []

    # ── the stage ──

    def __enter__(self) -> Self:
        for folder in (self.home, self.root / "bin"):
            folder.mkdir()
        self._script("git", _GIT.replace("{git}", GIT))
        self._script("waiter", "#!/bin/sh\nexec cat\n")
        (self.home / "harnesses.yml").write_text(
            f'waiter:\n  binary: "{self.root}/bin/waiter"\n  full: ["{{binary}}", "{{prompt}}"]\n'
        )
        self.git("init", "-q", "--bare", "-b", "main", str(self.remote), at=self.root)
        self.git("init", "-q", "-b", "main", str(self.main), at=self.root)
        self._commit(self.main, "README")
        self.git("remote", "add", "origin", str(self.remote))
        self.git("push", "-q", "-u", "origin", "main")
        added = self.orange("project", "add", str(self.main), "--name", "coffee", "--pool-size", str(_POOL))
        assert added.returncode == 0, added.stderr
        return self

    def _script(self, name: str, text: str) -> None:
        path = self.root / "bin" / name
        path.write_text(text)
        path.chmod(0o755)

    def __exit__(self, *_problem: object) -> None:
        self._go_on()
        if self._serve is not None:
            self._serve.kill()
            self._serve.wait()
        subprocess.run(["tmux", "-L", self.socket, "kill-server"], check=False, capture_output=True)

    @property
    def _environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("ORANGE_", "GIT_", "TMUX"))}
        people = {f"GIT_{who}_{what}": "x@y" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        return {
            **kept,
            **people,
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "HOME": str(self.root),
            "ORANGE_HOME": str(self.home),
            "ORANGE_TMUX_SOCKET": self.socket,
            "PATH": f"{self.root / 'bin'}:{os.environ['PATH']}",
        }

    def git(self, *words: str, at: Path | None = None) -> str:
        """Real git, which nobody kills."""
        done = subprocess.run(
            [GIT, *words], cwd=at or self.main, env=self._environment, capture_output=True, check=False
        )
        assert done.returncode == 0, (words, done.stderr)
        return done.stdout.decode(errors="replace").strip()

    def orange(self, *words: str) -> subprocess.CompletedProcess[str]:
        """A command that nobody disturbs."""
        process = self._started(words, {})
        output, errors = process.communicate(timeout=_COMMAND_SECONDS)
        return subprocess.CompletedProcess(words, process.returncode, output.decode(), errors.decode())

    def _started(self, words: tuple[str, ...], more: dict[str, str]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "orange_tui", *words],
            cwd=self.main,
            env=self._environment | more,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    # ── faults ──

    def _disturbed(self, *words: str) -> None:
        """A command that something may happen to."""
        fault = self.dice.choices(("none", "kill", "git", "both", "pause"), (4, 3, 3, 3, 1))[0]
        delay = self.dice.uniform(0.02, 0.7)
        process = self._started(words, self._deadly_git(words, fault))
        if fault in {"kill", "pause"}:
            self._wait_for_end(process, delay)
            if process.poll() is None:
                process.send_signal(signal.SIGKILL if fault == "kill" else signal.SIGSTOP)
        if fault == "pause" and process.poll() is None:
            self._paused.append(process.pid)
            time.sleep(self.dice.uniform(0.1, 0.5))
            self._go_on()
        if self._paused:  # a supervisor that may hold what this command waits for
            self._wait_for_end(process, 0.5)
            self._go_on()
        _, errors = process.communicate(timeout=_COMMAND_SECONDS)
        what = self._note_fault(fault)
        said = errors.decode(errors="replace").strip()
        self.result.story.append(f"orange {' '.join(words)} ({what}) → {process.returncode} {said[:300]}")
        if "Traceback" in said or "Something unexpected" in said:
            self.result.violations.append(f"orange {' '.join(words)}: {said[:500]}")

    def _deadly_git(self, words: tuple[str, ...], fault: str) -> dict[str, str]:
        """Which of the gits that a command runs is killed, and when, if one is."""
        if fault not in {"git", "both"}:
            return {}
        for name in ("count", "count.killed"):
            (self.root / name).unlink(missing_ok=True)
        return {
            "DEADLY_GIT": str(self.dice.randint(1, 8 if "merge" in words else 4)),
            "DEADLY_SIZE": self.dice.choice(("", "0", "0", "0", "4")),
            "DEADLY_COUNT": str(self.root / "count"),
            "DEADLY_DELAY": f"{self.dice.choice((0.0, 0.001, 0.002, 0.004, 0.008)):.3f}",
            "DEADLY_TOO": "too" if fault == "both" else "",
        }

    def _note_fault(self, fault: str) -> str:
        """Count a fault, unless the command has asked git fewer times than that, or git was quicker."""
        killed, what = self.root / "count.killed", fault
        if fault in {"git", "both"}:
            what = f"{fault}: {killed.read_text().split(' ', 2)[2][:60].strip()}" if killed.exists() else "none"
        if what != "none":
            self.result.faults[fault] += 1
        return what

    def _wait_for_end(self, process: subprocess.Popen[bytes], seconds: float) -> None:
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            return

    def _go_on(self) -> None:
        for pid in self._paused:
            os.kill(pid, signal.SIGCONT)
        self._paused.clear()

    # ── who does what ──

    def run(self) -> Result:
        """Let it all happen, let the dust settle, and look at what is left."""
        from simulation.real_checks import check

        deeds = {self._create: 4.0, self._work: 8, self._rename: 2, self._merge: 3, self._cancel: 2, self._person: 1}
        deeds |= {self._serve_or_not: 2, self._respawn: 1, self._kill_tmux: 0.4}
        try:
            for _ in range(self._steps):
                self.dice.choices(list(deeds), list(deeds.values()))[0]()
            self._settle()
            check(self)
        except (AssertionError, subprocess.TimeoutExpired) as problem:  # git fails, or a command never ends
            self.result.violations.append(f"{type(problem).__name__}: {problem}")
        return self.result

    def tasks(self) -> list[Task]:
        """The tasks that can be read, by branch."""
        found = readable(Store(Home(str(self.home)), lambda task: task).read_all())
        return sorted((each.task for each in found), key=lambda task: task.branch)

    def _some_task(self, *, at_work: bool = False) -> Task | None:
        found = [task for task in self.tasks() if task.status not in {"done", "cancelled"}]
        found = [task for task in found if task.workspace or not at_work]
        return self.dice.choice(found) if found else None

    def _create(self) -> None:
        self._branches += 1
        branch = f"{self.dice.choice(('feat', 'fix'))}/{self._branches}"
        workflow = self.dice.choice(("minimal", "default", "solo"))
        self._disturbed("task", "create", branch, "Tea", "--harness", "waiter", "--workflow", workflow)

    def _token(self, kept: set[str]) -> str:
        token = f"t{len(self.files) + len(self.lines):05d}{'f' if kept is self.files else 'l'}z"
        kept.add(token)
        return token

    def _work(self) -> None:
        """An agent commits, leaves a file uncommitted, or writes in TASK.md."""
        task = self._some_task(at_work=True)
        if task is None:
            return self._create()
        worktree = self.home / "workspaces" / str(task.workspace)
        what = self.dice.choice(("commit", "file", "line"))
        if what == "line" and (worktree / "TASK.md").exists():
            with (worktree / "TASK.md").open("a") as file:
                file.write(f"\n{self._token(self.lines)}\n")
        elif (worktree / "TASK.md").is_symlink() and (worktree / ".git").exists():
            name = f"{what}-{len(self.files)}"
            if what == "commit":
                self._commit(worktree, name)
            else:
                (worktree / name).write_text(f"{self._token(self.files)}\n")
        self.result.story.append(f"agent of {task.id}: {what}")
        return None

    def _commit(self, place: Path, name: str) -> None:
        (place / name).write_text(f"{self._token(self.files)}\n" * self.dice.choice((1, 2000)))
        if list((self.main / ".git").rglob("*.lock")):  # what an agent meets, and the person's doctor mends
            self._wait_for_gits()
            self.orange("doctor")
        self.git("add", "--", name, at=place)
        self.git("commit", "-q", "-m", name, at=place)
        self.commits.add(self.git("rev-parse", "HEAD", at=place))

    def _rename(self) -> None:
        task = self._some_task(at_work=True)
        if task is not None:
            self._disturbed("task", "update", task.id, "--branch", f"{task.branch}-{self.dice.randint(1, 9)}")

    def _merge(self) -> None:
        task = self._some_task()
        if task is not None:
            strategy = self.dice.choice(("ff", "merge", "merge"))
            self._disturbed("task", "merge", task.id, "--force", "--strategy", strategy)

    def _cancel(self) -> None:
        task = self._some_task()
        if task is not None:
            self._disturbed("task", "cancel", task.id, "--yes")

    def _respawn(self) -> None:
        self._disturbed("task", "respawn", "--lost")

    def _person(self) -> None:
        """The person commits to main themselves, where it is clean and up to date."""
        if not self.git("status", "--porcelain") and not list((self.main / ".git").rglob("*.lock")):
            self._commit(self.main, f"own-{len(self.files)}")
            self.result.story.append("the person commits")

    def _serve_or_not(self) -> None:
        """Start a supervisor, pause it for a moment, or kill it."""
        if self._serve is None or self._serve.poll() is not None:
            self._serve = self._started(("serve",), {})
            self.result.story.append("serve starts")
        elif self.dice.random() < 0.3:
            self._serve.send_signal(signal.SIGSTOP)
            self._paused.append(self._serve.pid)
            self.result.faults["pause"] += 1
            self.result.story.append("serve is paused")
        else:
            self._serve.kill()
            self._serve.wait()
            self._paused.clear()
            self.result.faults["serve"] += 1
            self.result.story.append("serve is killed")

    def _kill_tmux(self) -> None:
        pids = subprocess.run(
            ["tmux", "-L", self.socket, "display-message", "-p", "#{pid}"], check=False, capture_output=True, text=True
        ).stdout.split()
        for pid in pids:
            os.kill(int(pid), signal.SIGKILL)
            self.result.faults["tmux"] += 1
            self.result.story.append("tmux is killed")

    def _settle(self) -> None:
        """Nobody disturbs anything any more: a supervisor gets the time to do what is left, then it ends."""
        self._go_on()
        if self._serve is not None and self._serve.poll() is None:
            self._serve.send_signal(signal.SIGTERM)
            self._serve.communicate(timeout=_SERVE_SECONDS)
        self._wait_for_gits()
        self.orange("task", "respawn", "--lost")
        self.orange("doctor")

    def _wait_for_gits(self) -> None:
        """A git may outlive the command that started it."""
        deadline = time.monotonic() + _SERVE_SECONDS
        while time.monotonic() < deadline and self._has_own_git():
            time.sleep(0.05)

    def _has_own_git(self) -> bool:
        found = subprocess.run(["pgrep", "-f", f"git -C {self.root}"], check=False, capture_output=True)
        return found.returncode == 0

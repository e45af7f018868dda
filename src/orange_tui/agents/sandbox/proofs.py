"""What `orange doctor` proves of the sandbox: it starts one, in a home made for that, and tries what must not work.

Each proof is a line of shell that succeeds where the sandbox holds. What it was to leave alone is looked at from
outside as well: a sandbox that says it is one is no proof.
"""

from __future__ import annotations

import os
import socket
import sys

from orange_tui.agents.sandbox.planning import SandboxSpec, git_place, make_plan
from orange_tui.domain.harnesses.shipped import DEMO
from orange_tui.domain.records import record
from orange_tui.home.files import make_directory
from orange_tui.home.paths import import_root
from orange_tui.outside.programs import run
from orange_tui.outside.sandbox.enter import in_sandbox

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_SECONDS = 60.0
_COMMIT = (
    "echo 1 >new && git add new && git commit -q -m one && git commit -q --allow-empty -m two"
    " && git checkout -q --detach HEAD~2 && git cherry-pick work/own~1 && git checkout -q work/own"
    ' && git rebase -q --force main && ! test -e "$(git rev-parse --git-path CHERRY_PICK_HEAD)"'
)
_CONNECT = "import socket, sys; socket.create_connection(('127.0.0.1', int(sys.argv[1])), 10)"

# What an agent can, or cannot, do in a sandbox; `!` is for what must fail.
PROOFS: Mapping[str, str] = {
    "cannot read ~/.ssh": "! cat ~/.ssh/id",
    "cannot read another task": '! cat "$ORANGE_HOME/tasks/p/other/TASK.md"',
    "cannot read the journal": '! cat "$ORANGE_HOME/state/p/own/history.jsonl"',
    "cannot read another worktree": '! cat "$ORANGE_HOME/workspaces/p--2/README"',
    "cannot read config.yml": '! cat "$ORANGE_HOME/config.yml"',
    "cannot write in your home": "! echo evil >~/evil",
    "cannot write in your checkout": '! echo evil >"$REPOSITORY/README"',
    "cannot write hooks of the repository": '! echo evil >"$REPOSITORY/.git/hooks/post-commit"',
    "cannot write its configuration": '! git config core.fsmonitor evil && ! echo >>"$REPOSITORY/.git/config"',
    "cannot move the default branch": "! git update-ref refs/heads/main $(git commit-tree HEAD^{tree} -m evil)",
    "cannot reach a socket such as tmux's": '! test -e "$SOCKET"',
    "sees no process of yours": 'test "$(ls -d /proc/[0-9]* | wc -l)" -lt 9',
    "can commit, cherry-pick and rebase": _COMMIT,
    "can write TASK.md": 'echo handed in >>"$ORANGE_HOME/tasks/p/own/TASK.md"',
    "can reach the network": '"$PYTHON" -c "$CONNECT" "$PORT"',
}
_IDENTITY = {f"GIT_{who}_{what}": "orange@localhost" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}


@record
class _World:
    """A home of nobody's, with two tasks of one repository."""

    root: str

    def path(self, *names: str) -> str:
        return os.path.join(self.root, "home", *names)

    def build(self) -> None:
        """Make the files and the repository."""
        for name, text in {
            (".ssh", "id"): "key",
            ("orange", "config.yml"): "bell: false",
            ("orange", "state", "p", "own", "history.jsonl"): "{}",
            ("orange", "tasks", "p", "own", "TASK.md"): "own\n",
            ("orange", "tasks", "p", "other", "TASK.md"): "other\n",
            ("repository", "README"): "hello\n",
        }.items():
            make_directory(os.path.dirname(self.path(*name)))
            with open(self.path(*name), "w", encoding="utf-8") as file:
                file.write(text)
        self.git("init", "--quiet", "--initial-branch=main")
        self.git("add", "README")
        self.git("commit", "--quiet", "--message", "first")
        for number, branch in enumerate(("work/own", "work/other"), 1):
            self.git("worktree", "add", "--quiet", "-b", branch, self.path("orange", "workspaces", f"p--{number}"))

    def git(self, *words: str) -> str:
        """What git says in the repository, as the person's own git would."""
        clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        environment = {**clean, **_IDENTITY, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        return run(["git", *words], directory=self.path("repository"), environment=environment).output.strip()

    def spec(self) -> SandboxSpec:
        """The sandbox of the first task's agent."""
        worktree = self.path("orange", "workspaces", "p--1")
        return SandboxSpec(
            self.path("orange"),
            "p",
            self.path("repository"),
            self.path("orange", "tasks", "p", "own"),
            worktree,
            DEMO,
            git_place(worktree, "work/own"),
            home=self.path(),
        )


def failed_proofs() -> list[str]:
    """What does not hold of a sandbox on this machine; nothing where all of it does."""
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(prefix="orange-doctor-", ignore_cleanup_errors=True) as root:
        world = _World(os.path.realpath(root))
        world.build()
        before = world.git("rev-parse", "main")
        with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as listener:
            listener.bind(os.path.join(root, "tmux"))
            listener.listen()
            said = _try_all(world, port=server.getsockname()[1])
        return [*(name for name in PROOFS if name not in said), *_seen_from_outside(world, before)]


def _try_all(world: _World, port: int) -> list[str]:
    """The proofs that hold."""
    plan_file = os.path.join(world.root, "plan.json")
    with open(plan_file, "w", encoding="utf-8") as file:
        file.write(make_plan(world.spec()).as_text())
    script = "\n".join(
        f"if ({{ {proof}; }} >/dev/null 2>&1); then echo '{_quoted(name)}'; fi" for name, proof in PROOFS.items()
    )
    given = {
        **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
        **_IDENTITY,
        "HOME": world.path(),
        "ORANGE_HOME": world.path("orange"),
        "REPOSITORY": world.path("repository"),
        "SOCKET": os.path.join(world.root, "tmux"),
        "PYTHON": sys.executable,
        "CONNECT": _CONNECT,
        "PORT": str(port),
    }
    words = in_sandbox(("/bin/sh", "-c", script), plan_file, import_root())
    return run(words, environment=given, timeout=_SECONDS).output.splitlines()


def _quoted(name: str) -> str:
    return name.replace("'", "'\\''")


def _seen_from_outside(world: _World, main: str) -> Iterator[str]:
    if world.git("rev-parse", "main") != main:
        yield "the default branch was moved"
    if world.git("log", "--format=%s", "work/own").splitlines() != ["two", "one", "first"]:
        yield "its commits are not in the repository"
    for name in ("evil", "repository/.git/hooks/post-commit"):
        if os.path.exists(world.path(*name.split("/"))):
            yield f"{name} was written"

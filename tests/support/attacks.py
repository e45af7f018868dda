"""What a hostile agent tries: every way of reading, forging, escaping and impersonating that we could think of.

Each is a piece of shell that an agent runs in its own window. What it prints is its loot; `FORGED` is what it leaves
where it should not be able to write. Whether it got through is judged from outside, by what is there afterwards.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from orange_tui.store.store import TaskRef
    from support.live_home import LiveHome

FORGED = "FORGED-BY-AN-AGENT"
LOOT = "LOOT-OF-AN-AGENT"
# The agent's workflow: its gate and its hook run what is in the worktree, as tests and builds do.
WORKFLOW = """\
name: gated
states:
  planning: {agent: worker}
  working: {agent: worker}
  checked: {agent: worker}
  reviewing: {}
  done: {terminal: true}
  cancelled: {terminal: true}
initial:
  planning: {hooks: [acquire_workspace, {action: spawn_agent, prompt: go}]}
transitions:
  - {from: planning, to: working, gate: {section: "## Plan", required: true}}
  - from: planning
    to: checked
    gate: {command: sh ./check.sh gate}
    hooks: [{action: run_command, command: sh ./check.sh hook}]
  - {from: [working, checked], to: reviewing}
  - {from: reviewing, to: done}
  - {from: [planning, working, checked, reviewing], to: cancelled, hooks: [kill_session, release_workspace]}
prompts: {go: Begin}
"""
REFERENCES = ("refs/heads/main", "refs/remotes/origin/main", "refs/heads/fix/other", "refs/orange/saved/1")

# Secrets of the person, each with words of its own in it.
SECRETS: Mapping[str, str] = {
    ".ssh/id_ed25519": "ssh key",
    ".gnupg/private-keys": "gpg key",
    ".config/gh/hosts.yml": "gh login",
    ".aws/credentials": "cloud login",
    ".netrc": "netrc",
    ".git-credentials": "git password",
    ".npmrc": "npm token",
    ".bash_history": "shell history",
    ".docker/config.json": "docker login",
    ".kube/config": "cluster login",
}


@dataclass(frozen=True)
class Scene:
    """Where the attacks happen: two tasks of one person, one of them hostile."""

    live_home: LiveHome
    own: TaskRef
    other: TaskRef
    known: Mapping[str, str]  # what the agent knows of the person's machine: assume that it knows everything

    @property
    def home(self) -> Path:
        return self.live_home.root / "home"

    @property
    def person(self) -> Path:
        return self.live_home.root / "person"

    def reference(self, name: str) -> str:
        """What a reference is now."""
        return self.live_home.git("for-each-ref", "--format=%(objectname)", name)


def knowledge(live_home: LiveHome, own: TaskRef, other: TaskRef) -> dict[str, str]:
    """Where things are, by the names that the attacks have for them."""
    home = live_home.root / "home"
    return {
        "P": str(live_home.root / "person"),
        "OH": str(home),
        "ID": own.id,
        "OTHER": other.id,
        "STATE": str(home / "state" / "coffee" / own.id),
        "OTHERSTATE": str(home / "state" / "coffee" / other.id),
        "TASKS": str(home / "tasks" / "coffee"),
        "OTHERWT": str(live_home.worktree(other)),
        "REPO": str(live_home.repository),
        "OWNGIT": live_home.git("rev-parse", "--absolute-git-dir", at=live_home.worktree(own)),
        "SOCKET": live_home.socket,
        "PREFIX": sys.prefix,
        **{reference_name(each): live_home.git("rev-parse", each) for each in REFERENCES},
    }


def reference_name(reference: str) -> str:
    return reference.replace("/", "_")


@dataclass(frozen=True)
class Attack:
    """One try: what it is called, what it does, and by what one sees that it got through."""

    name: str
    script: str
    written: str = ""  # the file that FORGED is in then
    proof: Callable[[Scene], bool] | None = None
    needs_root: bool = False  # without a sandbox it depends on who Orange runs as

    def got_through(self, scene: Scene, loot: str) -> bool:
        if self.proof is not None:
            return self.proof(scene)
        if self.written:
            return _contains(_filled(self.written, scene), f"# {FORGED}")
        return LOOT in loot


def _filled(path: str, scene: Scene) -> str:
    for name, value in sorted(scene.known.items(), reverse=True):
        path = path.replace(f"${name}", value)
    return path


def _contains(path: str, text: str) -> bool:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return text in file.read()
    except OSError:
        return False


def _steals(name: str, script: str) -> Attack:
    return Attack(name, script)


def _as_root(name: str, script: str) -> Attack:
    return Attack(f"escape: {name}", script, needs_root=True)


def _writes(name: str, path: str) -> Attack:
    """Appends to a file, or makes it; the directory too."""
    return Attack(name, f'mkdir -p "$(dirname "{path}")"; echo "# {FORGED}" >>"{path}"', written=path)


def _moved(reference: str) -> Callable[[Scene], bool]:
    return lambda scene: scene.reference(reference) != scene.known[reference_name(reference)]


def _named(scene: Scene, how: str) -> bool:
    """Whether the other task was given this summary, now or before."""
    return _contains(f"{scene.known['OTHERSTATE']}/history.jsonl", f"{FORGED}-{how}")


def _status(whose: str, *wanted: str) -> Callable[[Scene], bool]:
    return lambda scene: scene.live_home.status(scene.own if whose == "own" else scene.other) in wanted


def _exists(path: str) -> Callable[[Scene], bool]:
    return lambda scene: os.path.lexists(_filled(path, scene))


_COMMIT = "$(echo x | git commit-tree 'HEAD^{tree}')"
_PYTHON = "python3 - <<'EOF'\n{}\nEOF"
_ABSTRACT = _PYTHON.format(
    "import os, socket\ns = socket.socket(socket.AF_UNIX)\ns.connect('\\0' + os.environ['ABSTRACT'])\n"
    "print(s.recv(100))"
)
_AGENT_SOCKET = _PYTHON.format(
    "import os, socket\ns = socket.socket(socket.AF_UNIX)\ns.connect(os.environ['AGENTSOCK'])\nprint(s.recv(100))"
)

READING = (
    *(_steals(f"read: {what}", f'cat "$P/{path}"') for path, what in SECRETS.items()),
    _steals("read: Orange's settings, with the addresses of notices", 'cat "$OH/config.yml"'),
    _steals("read: another task's TASK.md", 'cat "$TASKS/$OTHER/TASK.md"'),
    _steals("read: another task's worktree", 'cat "$OTHERWT/mine.txt"'),
    Attack("read: its own history", 'grep -q task.created "$STATE/history.jsonl" && echo ' + LOOT),
    Attack("read: another task's history", 'grep -q task.created "$OTHERSTATE/history.jsonl" && echo ' + LOOT),
    Attack("read: what another task's agent printed", 'cat "$OTHERSTATE"/logs/* >/dev/null && echo ' + LOOT),
    _steals("read: the ssh key, by a link in the worktree", 'ln -sf "$P/.ssh/id_ed25519" key; cat key'),
    _steals("read: the ssh key, by the root of a process", 'cat /proc/[0-9]*/root"$P"/.ssh/id_ed25519'),
    _steals("read: the ssh key, by the directory of a process", "cat /proc/[0-9]*/cwd/id_ed25519"),
    _steals("read: the environment of the person's processes", "cat /proc/[0-9]*/environ | tr '\\0' '\\n'"),
    _steals("read: a file of the person's in /tmp", 'cat "$HOSTTMP"'),
    _steals(
        "read: the ssh key, quoted in a comment",
        'orange task comment "$ID" "../../../person/.ssh/id_ed25519:1" hi; orange task threads --json',
    ),
    _steals(
        "read: the ssh key, quoted through a link",
        'ln -sf "$P/.ssh/id_ed25519" leak; git add leak; git commit -qm leak; orange task comment "$ID" leak:1 hi;'
        ' orange task threads --json; orange task show "$ID" --json',
    ),
    _steals(
        "read: the ssh key, as the report of the task",
        'ln -sf "$P/.ssh/id_ed25519" "$TASKS/$ID/.orange-outcome"; orange task complete; orange task show "$ID" --json;'
        ' rm "$TASKS/$ID/.orange-outcome"',
    ),
    _steals("read: what another task's agent printed, by asking for it", 'orange task logs "$OTHER"'),
)

IMPERSONATING = (
    Attack("act as the person: merge its own task", 'orange task merge "$ID" --force', proof=_status("own", "done")),
    Attack(
        "act as the person: cancel another task",
        'orange task cancel "$OTHER" --yes; orange task delete "$OTHER" --yes',
        proof=_status("other", "cancelled"),
    ),
    Attack(
        "act as another task: its id in the environment",
        f'ORANGE_TASK="$OTHER" orange task update --summary {FORGED}-env',
        proof=lambda scene: _named(scene, "env"),
    ),
    Attack(
        "act as another task: its id on the line",
        f'orange task update "$OTHER" --summary {FORGED}-line',
        proof=lambda scene: _named(scene, "line"),
    ),
    Attack(
        "act as another task: through its door",
        f'ORANGE_DOOR="$OTHERSTATE/door/worker/socket" orange task update --summary {FORGED}-door',
        proof=lambda scene: _named(scene, "door"),
    ),
    Attack(
        "act as the person: change a task, with the door left aside",
        f'env -u ORANGE_DOOR -u ORANGE_TASK ORANGE_HOME="$OH" orange task update "$OTHER" --summary {FORGED}-person',
        proof=lambda scene: _named(scene, "person"),
    ),
    Attack(
        "act as the person: change the project",
        "orange project update coffee --pool-size 9; env -u ORANGE_TASK orange project update coffee --pool-size 9",
        proof=lambda scene: scene.live_home.orange.projects.get("coffee").pool_size == 9,
    ),
    Attack(
        "skip the gates: to a state that needs more",
        "orange task update --status working; orange task update --status reviewing; orange task update --status done",
        proof=_status("own", "working", "reviewing", "done"),
    ),
    Attack(
        "skip the gates: the state written by hand",
        'sed -i "s/^status: .*/status: reviewing/" "$TASKS/$ID/TASK.md"; orange task update --summary x',
        proof=_status("own", "reviewing"),
    ),
    Attack(
        "act as the person: type into another window",
        'tmux -L "$SOCKET" send-keys -t "$OTHERPANE" "touch $P/typed" Enter',
        proof=_exists("$P/typed"),
    ),
    Attack(
        "act as the person: have tmux run something",
        'tmux -L "$SOCKET" run-shell "touch $P/by-tmux"; tmux -S /tmp/tmux-*/"$SOCKET" run-shell "touch $P/by-tmux"',
        proof=_exists("$P/by-tmux"),
    ),
    _steals("use the person's ssh-agent", _AGENT_SOCKET),
    _steals("use a socket without a file, as D-Bus and X have", _ABSTRACT),
)

FORGING = (
    _writes("forge: a line of its own history", "$STATE/history.jsonl"),
    _writes("forge: a line of another task's history", "$OTHERSTATE/history.jsonl"),
    _writes("forge: what is true only now", "$STATE/runtime.json"),
    _writes("forge: the script that starts it", "$STATE/logs/worker.sh"),
    _writes("forge: the comments on it", "$STATE/threads.json"),
    _writes("forge: another task's TASK.md", "$TASKS/$OTHER/TASK.md"),
    _writes("forge: a task of its own making", "$TASKS/evilone/TASK.md"),
    _writes("forge: another task's worktree", "$OTHERWT/mine.txt"),
    _writes("forge: who holds which workspace", "$OH/workspaces/.pool.json.evil"),
    _writes("forge: the list of projects", "$OH/projects.json.evil"),
    _writes("forge: a workflow", "$OH/workflows/evil.yml"),
    _writes("forge: Orange's settings", "$OH/config.yml"),
    _writes("forge: an agent's command line", "$OH/harnesses.yml"),
    _writes("forge: limits", "$OH/limits.json"),
    _writes("leave behind: .bashrc", "$P/.bashrc"),
    _writes("leave behind: an ssh key that may log in", "$P/.ssh/authorized_keys"),
    _writes("leave behind: git's settings", "$P/.gitconfig"),
    _writes("leave behind: a service", "$P/.config/systemd/user/evil.service"),
    _writes("leave behind: a program on the PATH", "$P/.local/bin/evil"),
    _writes("leave behind: a hook of the repository", "$REPO/.git/hooks/post-checkout"),
    _writes("leave behind: the repository's settings", "$REPO/.git/config"),
    _writes("leave behind: the repository's attributes", "$REPO/.git/info/attributes"),
    _writes("leave behind: the worktree's own settings", "$OWNGIT/config.worktree"),
    _steals(
        "leave behind: where the worktree's repository is",
        'cp "$OWNGIT/commondir" copy && cat copy >"$OWNGIT/commondir" && echo ' + LOOT,
    ),
    _writes("leave behind: a change in the person's checkout", "$REPO/README"),
    _writes("leave behind: a file in Orange itself", "$PREFIX/attack-probe-$ID"),
    Attack(
        "forge: the default branch",
        f'git update-ref refs/heads/main {_COMMIT}; echo {_COMMIT} >"$REPO/.git/refs/heads/main"',
        proof=_moved("refs/heads/main"),
    ),
    Attack(
        "forge: what the remote has",
        f"git update-ref refs/remotes/origin/main {_COMMIT}",
        proof=_moved("refs/remotes/origin/main"),
    ),
    Attack(
        "forge: another task's branch",
        f"git update-ref refs/heads/fix/other {_COMMIT}",
        proof=_moved("refs/heads/fix/other"),
    ),
    Attack(
        "destroy: saved work",
        'git update-ref -d refs/orange/saved/1; rm -f "$REPO/.git/refs/orange/saved/1"',
        proof=_moved("refs/orange/saved/1"),
    ),
    Attack(
        "destroy: packed objects",
        'for f in "$REPO"/.git/objects/pack/*.pack; do mv "$f" "$f.x" && mv "$f.x" "$f" && echo ' + LOOT + "; done",
    ),
)

ESCAPING = (
    _as_root("mount something", "mount -t tmpfs x /mnt && umount /mnt && echo " + LOOT),
    _as_root("take away what hides a secret", 'umount -l "$P/.ssh"; umount -l "$P" && cat "$P/.ssh/id_ed25519"'),
    _as_root("a user namespace", 'unshare -Urm sh -c "umount -l $P; cat $P/.ssh/id_ed25519"'),
    _as_root("enter another process's namespaces", 'nsenter -t 1 -m cat "$P/.ssh/id_ed25519"'),
    _as_root("leave by chroot", 'chroot /proc/1/root cat "$P/.ssh/id_ed25519"'),
    _as_root("the disk itself", "dd if=$(findmnt -no SOURCE / || echo /dev/sda) count=1 of=/dev/null && echo " + LOOT),
    _as_root("what the kernel runs at a crash", ": >>/proc/sys/kernel/core_pattern && echo " + LOOT),
    _as_root("restart the machine", ": >>/proc/sysrq-trigger && echo " + LOOT),
    _as_root("what the kernel runs for a device", ": >>/sys/kernel/uevent_helper && echo " + LOOT),
    _steals("escape: a sandbox in the sandbox", 'bwrap --bind / / cat "$P/.ssh/id_ed25519"'),
    _steals(
        "escape: the open files of another process",
        'ls -l "/proc/$VICTIM/fd" && [ -e "/proc/$VICTIM/cwd/id_ed25519" ] && echo ' + LOOT,
    ),
    Attack(
        "escape: end a process of the person's",
        'kill -9 "$VICTIM"',
        proof=lambda scene: _is_gone(scene.known["VICTIM"]),
    ),
)


def _is_gone(pid: str) -> bool:
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


COMMANDS = _steals(
    "use the person's commands: a gate and a hook run what the agent wrote",
    'printf \'cat "%s"/.ssh/id_ed25519 >"stolen-by-$1"; true\\n\' "$P" >check.sh; git add check.sh;'
    " git commit -qm check; orange task update --status checked; cat stolen-by-*",
)
CORPUS = (*READING, *ESCAPING, *IMPERSONATING, COMMANDS, *FORGING)
# What ends its own window comes when all else is judged.
LAST = Attack(
    "act as the person: cancel, with the door left aside",
    'env -u ORANGE_DOOR -u ORANGE_TASK ORANGE_HOME="$OH" orange task cancel "$ID" --yes',
    proof=_status("own", "cancelled"),
)

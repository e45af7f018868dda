"""An agent in a sandbox does its work, and finds nothing of what is not its business."""

from __future__ import annotations

import hashlib
import os
import socket
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from orange_tui.domain.errors import Refused
from orange_tui.domain.harnesses.shipped import CLAUDE
from orange_tui.outside.sandbox.kernel import has_socket_scope
from support.cell import Cell, need_sandbox
from support.git import commit, git, make_repository
from support.no_skips import NOT_TO_BE_HAD

if TYPE_CHECKING:
    from pathlib import Path


WAIT = "until test -e go; do sleep 0.02; done"  # for the test, which has something to do outside


@pytest.fixture
def cell(tmp_path: Path) -> Cell:
    """A sandbox to be in."""
    need_sandbox()
    return Cell(tmp_path)


# What is not there.


@pytest.mark.parametrize(
    "path",
    [
        "~/.ssh",
        "~/.config/gh",
        "~/.netrc",
        "~/orange/config.yml",
        "~/orange/projects.json",
        "~/orange/state",
        "~/orange/tasks/coffee/bbb",
        "~/orange/workspaces/coffee--2",
    ],
)
def test_secrets_and_other_tasks_are_not_there(cell: Cell, path: str) -> None:
    assert "No such file" in cell.cannot(f"ls -d {path}")


def test_rest_of_the_home_is_read_and_not_written(cell: Cell) -> None:
    assert cell.must("cat ~/notes.txt ~/.config/editor/settings ~/src/coffee/README") == "milklightcoffee"
    for path in ("~/notes.txt", "~/new", "~/.config/new", "~/.config/editor/settings", "~/src/coffee/README", "~/.ssh"):
        assert "Read-only file system" in cell.cannot(f"echo evil >{path}")


def test_secret_that_is_made_while_an_agent_works_is_not_there_either(cell: Cell, tmp_path: Path) -> None:
    words = cell.words("/bin/sh", "-c", f"{WAIT}; ls ~/.aws ~/.config/gcloud; ls -A ~")
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as agent:
        for name in (".aws/credentials", ".config/gcloud/credentials.db"):
            (cell.person / name).parent.mkdir(parents=True)
            (cell.person / name).write_text("a new secret")
        (cell.worktree / "go").touch()
        output, errors = agent.communicate(timeout=60)
    assert ".config" in output
    assert ".aws" not in output
    assert errors.count("No such file") == 2


@pytest.mark.parametrize("target", ["person/.ssh/id", "person/orange/state/coffee/aaa/history.jsonl"])
def test_links_in_the_worktree_lead_to_nothing_that_is_hidden(cell: Cell, tmp_path: Path, target: str) -> None:
    (cell.worktree / "innocent").symlink_to(tmp_path / target)
    assert "No such file" in cell.cannot("cat innocent")


def test_other_processes_cannot_be_seen_nor_their_files_be_reached_through_proc(cell: Cell) -> None:
    assert int(cell.must("ls -d /proc/[0-9]* | wc -l")) < 8
    assert "No such file" in cell.cannot("cat /proc/1/root$HOME/.ssh/id")
    assert "No such file" in cell.cannot("cat /proc/*/root$HOME/.ssh/id")
    assert "orange/state" not in cell.must("cat /proc/*/cmdline | tr '\\0' ' '")


def test_secrets_in_the_environment_are_removed_but_for_the_agents_own_login(cell: Cell) -> None:
    cell.employ(CLAUDE)
    variables = {
        "GH_TOKEN": "1",
        "AWS_SECRET_ACCESS_KEY": "2",
        "DATABASE_PASSWORD": "3",
        "OPENAI_API_KEY": "4",
        "SSH_AUTH_SOCK": "5",
        "TMUX": "6",
        "DBUS_SESSION_BUS_ADDRESS": "7",
        "ANTHROPIC_API_KEY": "its own",
        "KEYBOARD": "not a secret",
    }
    seen = dict(
        line.partition("=")[::2]
        for line in cell.must("env; cat /proc/1/environ | tr '\\0' '\\n'", **variables).splitlines()
    )
    assert {name for name in variables if name in seen} == {"ANTHROPIC_API_KEY", "KEYBOARD"}


def test_secrets_that_the_person_keeps_elsewhere_are_not_there_either(
    cell: Cell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their variables say where. A socket could be used though its variable is removed: its name is known."""
    moved = {
        "GNUPGHOME": "keys/gnupg",
        "KUBECONFIG": "work/one.yaml",
        "DOCKER_CONFIG": "work/docker",
        "XDG_CONFIG_HOME": "settings",
        "CARGO_HOME": "tools/cargo",
        "SSH_AUTH_SOCK": "work/agent",
    }
    secrets = ("keys/gnupg/key", "work/one.yaml", "work/two.yaml", "work/docker/config.json", "settings/gh/hosts.yml")
    for name in (*secrets, "tools/cargo/credentials.toml", "tools/cargo/config.toml", "settings/editor", "work/notes"):
        (cell.person / name).parent.mkdir(parents=True, exist_ok=True)
        (cell.person / name).write_text("secret")
    for name, value in moved.items():
        monkeypatch.setenv(name, str(cell.person / value))
    monkeypatch.setenv("HISTFILE", os.devnull)  # which is no secret, and must stay
    monkeypatch.setenv("KUBECONFIG", f"{cell.person}/work/one.yaml:{cell.person}/work/two.yaml")
    with socket.socket(socket.AF_UNIX) as agent:
        monkeypatch.chdir(cell.person / "work")
        agent.bind("agent")
        seen = cell.run(
            "cd; cat " + " ".join(secrets) + " tools/cargo/credentials.toml; test -e work/agent && echo socket"
        )
        assert "secret" not in seen.stdout
        assert "socket" not in seen.stdout
    assert cell.must("cd; cat tools/cargo/config.toml settings/editor work/notes; echo >/dev/null") == "secret" * 3


# What can be done.


def test_agent_commits_and_the_person_sees_it(cell: Cell) -> None:
    cell.must("echo 1 >new && git add new && git commit --quiet -m one && git status --short")
    assert git(cell.worktree, "log", "-1", "--format=%s", cell.branch) == "one"
    assert git(cell.worktree, "status", "--short") == "?? TASK.md"


GIT_COMMANDS = (
    "git commit --quiet --amend -m better",
    "git rebase --quiet main",
    "git rebase --quiet -x true HEAD~1",
    "echo 2 >>new; git stash --quiet; git stash pop --quiet; git checkout -q new",
    "git checkout --quiet --detach HEAD~1; git cherry-pick orange-tasks/aaa; git checkout -q -",
    "git checkout -q --detach; git switch --quiet -",
    "git revert --no-edit HEAD; git reset --quiet --hard HEAD~1",
    "git merge --quiet --no-ff -m merged old; git log -1",
    "git fetch --quiet . main; git merge-base FETCH_HEAD HEAD",
    "git switch --quiet -c orange-tasks/aaa-2; git switch --quiet orange-tasks/aaa",
    "git notes list; git reflog; git worktree list; git branch -a; git log --all; git diff main; git blame new",
)


def test_git_works(cell: Cell) -> None:
    cell.must("echo 1 >new && git add new && git commit --quiet -m one")
    for number, command in enumerate(GIT_COMMANDS):
        (cell.worktree / f"git-{number}").write_text(f"set -ex; {command}")
    done = cell.run("for each in git-*; do /bin/sh $each || echo failed: $(cat $each); done; rm git-*")
    assert "failed" not in done.stdout, done.stderr
    assert git(cell.worktree, "status", "--short", "--branch") == f"## {cell.branch}\n?? TASK.md"
    assert "new" in git(cell.worktree, "ls-files")


def test_conflict_in_a_rebase_is_resolved_and_ends_as_it_should(cell: Cell) -> None:
    cell.must("echo mine >README && git commit --quiet -am mine")
    commit(cell.repository, "README", "theirs\n")
    assert "CONFLICT" in cell.cannot("git rebase main")
    cell.must("echo both >README && git add README && GIT_EDITOR=true git rebase --continue")
    assert git(cell.worktree, "log", "--format=%s").splitlines()[:2] == ["mine", "add README"]
    assert not (cell.git_directory / "worktrees/coffee--1/rebase-merge").exists()


def test_person_who_packs_references_meanwhile_takes_no_branch_away(cell: Cell) -> None:
    cell.must("git commit --quiet --allow-empty -m one")
    words = cell.words("/bin/sh", "-c", f"{WAIT}; git commit --allow-empty -m two && git log --format=%s")
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as agent:
        git(cell.repository, "pack-refs", "--all")
        (cell.worktree / "go").touch()
        output = agent.communicate(timeout=60)[0]
    assert output.split() == [
        "[orange-tasks/aaa",
        output.split()[1],
        "two",
        "two",
        "one",
        "add",
        "second",
        "add",
        "README",
    ]
    assert git(cell.worktree, "log", "-1", "--format=%s") == "two"


def test_agent_writes_its_task_and_keeps_the_link(cell: Cell) -> None:
    cell.must("echo '## Handoff' >>TASK.md; touch ~/orange/tasks/coffee/aaa/.orange-outcome")
    assert "## Handoff" in (cell.home / "tasks/coffee/aaa/TASK.md").read_text()
    assert (cell.worktree / "TASK.md").is_symlink()


def test_package_managers_write_into_the_worktree_and_a_cache_of_the_project(cell: Cell) -> None:
    package = cell.worktree / "package"
    package.mkdir()
    (package / "package.json").write_text('{"name": "beans", "version": "1.0.0"}')
    (package / "setup.py").write_text("from setuptools import setup; setup(name='beans', py_modules=[])")
    cell.must("mkdir -p $XDG_CACHE_HOME/pip && touch $XDG_CACHE_HOME/pip/wheel $npm_config_cache.used $CARGO_HOME.used")
    cache = cell.home / ".cache/sandbox/coffee"
    assert sorted(path.name for path in cache.iterdir()) == ["cargo.used", "npm.used", "pip"]
    assert not (cell.person / ".cache").exists()


def test_server_on_loopback_and_temporary_files_work(cell: Cell) -> None:
    script = (
        "import socket, tempfile, threading, multiprocessing\n"
        "s = socket.create_server(('127.0.0.1', 0))\n"
        "threading.Thread(target=lambda: s.accept()[0].send(b'hello')).start()\n"
        "print(socket.create_connection(s.getsockname()).recv(9).decode(), tempfile.mkdtemp())\n"
        "multiprocessing.Lock()\n"
    )
    (cell.worktree / "server.py").write_text(script)
    assert cell.must(f"{sys.executable} server.py").startswith("hello /tmp/")


def test_long_lived_child_ends_with_its_agent(cell: Cell) -> None:
    words = cell.words("/bin/sh", "-c", "sleep 1000 & echo started; wait")
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as agent:
        assert agent.stdout is not None
        assert agent.stdout.readline() == "started\n"
        agent.kill()
        assert agent.stdout.read() == ""  # nobody has it open any more


# Ways out.


WAYS_OUT = (
    "echo evil >$GIT/hooks/post-commit",
    "mkdir -p $GIT/hooks2 && mv $GIT/hooks2 $GIT/hooks/",
    "git config core.fsmonitor evil",
    "git config --worktree core.hooksPath /tmp",
    "echo '[core] fsmonitor = evil' >>$GIT/config",
    "echo '[core] fsmonitor = evil' >>$GIT/worktrees/coffee--1/config.worktree",
    "mv $GIT/worktrees/coffee--1/config.worktree $GIT/worktrees/coffee--1/x",
    "echo '* filter=evil' >$GIT/info/attributes",
    "echo /tmp >$GIT/objects/info/alternates",
    "echo /tmp >$GIT/worktrees/coffee--1/commondir",
    "echo /tmp >$GIT/worktrees/coffee--1/gitdir",
    "echo 'ref: refs/heads/evil' >$GIT/worktrees/coffee--2/HEAD",
    "rm -rf $GIT/worktrees/coffee--2",
    "echo 'gitdir: /tmp' >.git",
    "rm .git",
    "mv .git x",
    "git update-ref refs/heads/main $EVIL",
    "git update-ref refs/heads/old $EVIL",
    "git update-ref refs/heads/orange-tasks/bbb $EVIL",
    "git update-ref refs/remotes/origin/main $EVIL",
    "git update-ref refs/orange/bbb/1 $EVIL",
    "git replace HEAD~1 $EVIL",
    "git tag v1",
    "git branch -D old",
    "git pack-refs --all",
    "git gc",
    "git worktree add --detach /tmp/another",
    "git symbolic-ref refs/heads/main refs/heads/orange-tasks/aaa",
    "ln -sf /tmp $GIT/refs/heads/main",
    "chmod 777 $GIT/config",
    "mount -t tmpfs none /mnt",
    "umount $GIT",
    "umount ~",
    "mount -o remount,rw /",
    "unshare --mount --map-root-user sh -c 'umount -l ~; cat ~/.ssh/id'",
    "unshare --mount --map-root-user mount -o remount,bind,rw ~",
    "bwrap --dev-bind / / cat $HOME/.ssh/id",
    "bwrap --bind / / --tmpfs /mnt sh -c 'echo evil >$GIT/hooks/x'",
    "mknod disk b 254 0 && cat disk",
    "kill -9 $OUTSIDE",
    "tmux -S $SOCKET list-sessions",
    "test -S $SOCKET",
    "ls /run/user/* /run/dbus /run/docker.sock /tmp/.X11-unix /tmp/tmux-*",
    "cat /etc/shadow | grep :",
    "su -c true nobody",
    "nsenter --target 1 --mount cat $HOME/.ssh/id",
    "chroot /proc/1/root cat $HOME/.ssh/id",
)


def test_ways_out_are_shut(cell: Cell, tmp_path: Path) -> None:
    path, before = tmp_path / "tmux", _outside(cell)
    names = [f"way-{number}" for number in range(len(WAYS_OUT))]
    for name, way in zip(names, WAYS_OUT, strict=True):
        (cell.worktree / name).write_text(way)
    (cell.worktree / "all").write_text(
        "export EVIL=$(git commit-tree HEAD^{tree} -p HEAD -m evil)\n"
        + "".join(f"if /bin/sh {name} >/dev/null 2>&1; then echo {name}; fi\n" for name in names)
    )
    with socket.socket(socket.AF_UNIX) as server, subprocess.Popen(["/bin/sleep", "600"]) as sleeper:
        server.bind(str(path))
        server.listen()
        given = {"GIT": str(cell.git_directory), "SOCKET": str(path), "OUTSIDE": str(sleeper.pid)}
        open_ways = cell.must("/bin/sh all", **given).split()
        assert sleeper.poll() is None
        sleeper.kill()
    assert [WAYS_OUT[names.index(name)] for name in open_ways] == []
    assert _outside(cell) == before


def test_default_branch_stays_where_it_is_though_the_tasks_own_is_beside_it_and_it_is_packed(tmp_path: Path) -> None:
    need_sandbox()
    cell = Cell(tmp_path, "login-fix")
    git(cell.repository, "branch", "feat/x")
    git(cell.repository, "pack-refs", "--all")
    before = _others(cell)
    for name in ("main", "old", "feat/x", "orange-tasks/bbb"):
        cell.run(f"git update-ref refs/heads/{name} $(git commit-tree HEAD^{{tree}} -p HEAD -m evil)")
        cell.run(f"git rev-parse HEAD~1 >{cell.git_directory}/refs/heads/{name}")
    assert _others(cell) == before
    cell.must("git commit --quiet --allow-empty -m own && git switch --quiet -c login-fix-2")
    assert git(cell.repository, "log", "-1", "--format=%s", "login-fix") == "own"


@pytest.mark.parametrize("is_packed", [True, False])
def test_more_branches_beside_the_tasks_own_than_can_be_protected_are_refused(tmp_path: Path, is_packed: bool) -> None:
    cell = Cell(tmp_path, "login-fix")
    tip = git(cell.repository, "rev-parse", "HEAD")
    for number in range(400):
        (cell.git_directory / f"refs/heads/b{number}").write_text(f"{tip}\n")
    if is_packed:
        git(cell.repository, "pack-refs", "--all")
    with pytest.raises(Refused, match="such as fix/login-fix"):
        cell.words("true")


def _others(cell: Cell) -> list[str]:
    listed = git(cell.repository, "for-each-ref", "--format=%(refname) %(objectname)").splitlines()
    return [line for line in listed if "login-fix" not in line]


def _outside(cell: Cell) -> dict[str, str]:
    """All that must not change: the repository but for what a commit writes, and the person's home."""
    found = {"refs": git(cell.repository, "for-each-ref"), "head": git(cell.repository, "symbolic-ref", "HEAD")}
    skipped = ("objects", "refs", "logs")
    for top in (cell.git_directory, cell.person / ".ssh", cell.home / "state", cell.other):
        for directory, folders, names in os.walk(top):
            folders[:] = [name for name in folders if not (directory == str(cell.git_directory) and name in skipped)]
            for name in names:
                file = os.path.join(directory, name)
                with open(file, errors="replace") as opened:
                    found[file] = opened.read()
    found.pop(str(cell.git_directory / "worktrees/coffee--1/config.worktree"), None)
    return found


def test_objects_that_are_packed_cannot_be_removed(cell: Cell) -> None:
    git(cell.repository, "gc", "--quiet")
    cell.cannot("rm -f $(dirname $(git rev-parse --git-common-dir))/.git/objects/pack/*.pack")
    assert git(cell.repository, "fsck") == ""


def test_file_of_the_default_branch_is_not_replaced_by_a_pack_that_claims_to_have_it(cell: Cell) -> None:
    """Git takes what the index of a pack says on trust, and looks into the newest pack first."""
    git(cell.repository, "gc", "--quiet")
    (cell.worktree / "evil").write_text("evil\n")
    evil = git(cell.worktree, "hash-object", "-w", "evil")
    wanted = git(cell.repository, "rev-parse", "main", "main^{tree}", "main:README").split()
    packed = "\n".join([*wanted[:2], evil])
    subprocess.run(["git", "pack-objects", "-q", "forged"], cwd=cell.worktree, input=packed.encode(), check=True)
    (index,) = cell.worktree.glob("forged-*.idx")
    index.chmod(0o600)
    index.write_bytes(_with_other_name(index.read_bytes(), bytes.fromhex(evil), bytes.fromhex(wanted[2])))
    upstream = make_repository(cell.person / "upstream")
    for number in range(150):  # more than git would leave outside of a pack
        (upstream / f"f{number}").write_text(f"{number}\n")
    git(upstream, "add", ".")
    git(upstream, "commit", "--quiet", "--message", "many")
    (cell.worktree / "put").write_text(
        'packs="$(git rev-parse --git-common-dir)/objects/pack"\n'
        'for each in forged-*; do cp $each "$packs/pack${each#forged}"; done; touch -d 2099-01-01 "$packs"/*\n'
    )
    cell.run("sh put")
    assert git(cell.repository, "show", "main:README") == "coffee"
    cell.must(
        f"echo 1 >new; git add new; git commit --quiet -m one; git fetch --quiet {upstream}; git show FETCH_HEAD:f149"
    )


def _with_other_name(index: bytes, before: bytes, after: bytes) -> bytes:
    """The index of a pack of three, with another name for one of its objects."""
    names, crcs, offsets, rest = (index[1032:1092], index[1092:1104], index[1104:1116], index[1116:-20])
    rows = [(names[20 * n :][:20], crcs[4 * n :][:4], offsets[4 * n :][:4]) for n in range(3)]
    named = sorted((after if name == before else name, crc, offset) for name, crc, offset in rows)
    fanout = b"".join(sum(row[0][0] <= first for row in named).to_bytes(4, "big") for first in range(256))
    columns = b"".join(b"".join(row[column] for row in named) for column in range(3))
    content = index[:8] + fanout + columns + rest
    return content + hashlib.sha1(content).digest()


def test_agent_cannot_type_into_its_terminal(cell: Cell) -> None:
    script = (
        "import fcntl, os, pty, termios\n"
        "master, slave = pty.openpty()\n"
        "for request in (termios.TIOCSTI, termios.TIOCSTI | 1 << 32):\n"
        "    try:\n"
        "        fcntl.ioctl(slave, request & 0xffffffffffffffff, b'x')\n"
        "        print('typed')\n"
        "    except (OSError, OverflowError) as problem:\n"
        "        print(problem)\n"
    )
    (cell.worktree / "type.py").write_text(script)
    assert "typed" not in cell.must(f"{sys.executable} type.py")


def test_abstract_sockets_of_others_are_out_of_reach(cell: Cell) -> None:
    if not has_socket_scope():
        pytest.skip(f"{NOT_TO_BE_HAD} Landlock that knows abstract sockets (Linux 6.12)")
    name = f"\0orange-test-{os.getpid()}-{threading.get_ident()}"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(name)
        server.listen()
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(name)
        connect = f"import socket; socket.socket(socket.AF_UNIX).connect({name!r})"
        (cell.worktree / "connect.py").write_text(connect)
        assert "Operation not permitted" in cell.cannot(f"{sys.executable} connect.py")


def test_settings_of_an_agent_are_its_own_for_as_long_as_it_runs(cell: Cell) -> None:
    (cell.person / ".claude").mkdir()
    (cell.person / ".claude/settings.json").write_text("{}")
    (cell.person / ".claude.json").write_text('{"projects": {}}')
    cell.employ(CLAUDE)
    script = "cat $CLAUDE_CONFIG_DIR/.claude.json; cd ~/.claude; mkdir hooks; echo {} >projects/s"
    assert cell.must(f"{script}; echo evil >x; mv x settings.json") == '{"projects": {}}'
    assert (cell.person / ".claude/settings.json").read_text() == "{}"
    assert sorted(path.name for path in (cell.person / ".claude").iterdir()) == [
        "file-history",
        "projects",
        "settings.json",
    ]
    assert (cell.person / ".claude/projects/s").read_text() == "{}\n"


def test_paths_that_a_project_opens_are_there(cell: Cell, tmp_path: Path) -> None:
    for name in ("data", "build"):
        (tmp_path / name).mkdir()
    cell.allow(read=[str(tmp_path / "data")], write=[str(tmp_path / "build")])
    cell.must(f"touch {tmp_path}/build/made && ls {tmp_path}/data")
    assert "Read-only" in cell.cannot(f"touch {tmp_path}/data/made")
    assert (tmp_path / "build/made").exists()

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
from support.git import commit, git, make_repository
from support.no_skips import NOT_TO_BE_HAD
from support.sandboxed_home import SandboxedHome, need_sandbox

if TYPE_CHECKING:
    from pathlib import Path


WAIT = "until test -e go; do sleep 0.02; done"  # for the test, which has something to do outside


@pytest.fixture
def sandboxed_home(tmp_path: Path) -> SandboxedHome:
    """A sandbox to be in."""
    need_sandbox()
    return SandboxedHome(tmp_path)


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
def test_secrets_and_other_tasks_are_not_there(sandboxed_home: SandboxedHome, path: str) -> None:
    assert "No such file" in sandboxed_home.cannot(f"ls -d {path}")


def test_rest_of_the_home_is_read_and_not_written(sandboxed_home: SandboxedHome) -> None:
    assert sandboxed_home.must("cat ~/notes.txt ~/.config/editor/settings ~/src/coffee/README") == "milklightcoffee"
    for path in ("~/notes.txt", "~/new", "~/.config/new", "~/.config/editor/settings", "~/src/coffee/README", "~/.ssh"):
        assert "Read-only file system" in sandboxed_home.cannot(f"echo evil >{path}")


def test_secret_that_is_made_while_an_agent_works_is_not_there_either(
    sandboxed_home: SandboxedHome, tmp_path: Path
) -> None:
    words = sandboxed_home.words("/bin/sh", "-c", f"{WAIT}; ls ~/.aws ~/.config/gcloud; ls -A ~")
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as agent:
        for name in (".aws/credentials", ".config/gcloud/credentials.db"):
            (sandboxed_home.person / name).parent.mkdir(parents=True)
            (sandboxed_home.person / name).write_text("a new secret")
        (sandboxed_home.worktree / "go").touch()
        output, errors = agent.communicate(timeout=60)
    assert ".config" in output
    assert ".aws" not in output
    assert errors.count("No such file") == 2


@pytest.mark.parametrize("target", ["person/.ssh/id", "person/orange/state/coffee/aaa/history.jsonl"])
def test_links_in_the_worktree_lead_to_nothing_that_is_hidden(
    sandboxed_home: SandboxedHome, tmp_path: Path, target: str
) -> None:
    (sandboxed_home.worktree / "innocent").symlink_to(tmp_path / target)
    assert "No such file" in sandboxed_home.cannot("cat innocent")


def test_other_processes_cannot_be_seen_nor_their_files_be_reached_through_proc(sandboxed_home: SandboxedHome) -> None:
    assert int(sandboxed_home.must("ls -d /proc/[0-9]* | wc -l")) < 8
    assert "No such file" in sandboxed_home.cannot("cat /proc/1/root$HOME/.ssh/id")
    assert "No such file" in sandboxed_home.cannot("cat /proc/*/root$HOME/.ssh/id")
    assert "orange/state" not in sandboxed_home.must("cat /proc/*/cmdline | tr '\\0' ' '")


def test_secrets_in_the_environment_are_removed_but_for_the_agents_own_login(sandboxed_home: SandboxedHome) -> None:
    sandboxed_home.employ(CLAUDE)
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
        for line in sandboxed_home.must("env; cat /proc/1/environ | tr '\\0' '\\n'", **variables).splitlines()
    )
    assert {name for name in variables if name in seen} == {"ANTHROPIC_API_KEY", "KEYBOARD"}


def test_secrets_that_the_person_keeps_elsewhere_are_not_there_either(
    sandboxed_home: SandboxedHome, monkeypatch: pytest.MonkeyPatch
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
        (sandboxed_home.person / name).parent.mkdir(parents=True, exist_ok=True)
        (sandboxed_home.person / name).write_text("secret")
    for name, value in moved.items():
        monkeypatch.setenv(name, str(sandboxed_home.person / value))
    monkeypatch.setenv("HISTFILE", os.devnull)  # which is no secret, and must stay
    monkeypatch.setenv("KUBECONFIG", f"{sandboxed_home.person}/work/one.yaml:{sandboxed_home.person}/work/two.yaml")
    with socket.socket(socket.AF_UNIX) as agent:
        monkeypatch.chdir(sandboxed_home.person / "work")
        agent.bind("agent")
        seen = sandboxed_home.run(
            "cd; cat " + " ".join(secrets) + " tools/cargo/credentials.toml; test -e work/agent && echo socket"
        )
        assert "secret" not in seen.stdout
        assert "socket" not in seen.stdout
    assert (
        sandboxed_home.must("cd; cat tools/cargo/config.toml settings/editor work/notes; echo >/dev/null")
        == "secret" * 3
    )


# What can be done.


def test_agent_commits_and_the_person_sees_it(sandboxed_home: SandboxedHome) -> None:
    sandboxed_home.must("echo 1 >new && git add new && git commit --quiet -m one && git status --short")
    assert git(sandboxed_home.worktree, "log", "-1", "--format=%s", sandboxed_home.branch) == "one"
    assert git(sandboxed_home.worktree, "status", "--short") == "?? TASK.md"


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


def test_git_works(sandboxed_home: SandboxedHome) -> None:
    sandboxed_home.must("echo 1 >new && git add new && git commit --quiet -m one")
    for number, command in enumerate(GIT_COMMANDS):
        (sandboxed_home.worktree / f"git-{number}").write_text(f"set -ex; {command}")
    done = sandboxed_home.run("for each in git-*; do /bin/sh $each || echo failed: $(cat $each); done; rm git-*")
    assert "failed" not in done.stdout, done.stderr
    assert git(sandboxed_home.worktree, "status", "--short", "--branch") == f"## {sandboxed_home.branch}\n?? TASK.md"
    assert "new" in git(sandboxed_home.worktree, "ls-files")


def test_conflict_in_a_rebase_is_resolved_and_ends_as_it_should(sandboxed_home: SandboxedHome) -> None:
    sandboxed_home.must("echo mine >README && git commit --quiet -am mine")
    commit(sandboxed_home.repository, "README", "theirs\n")
    assert "CONFLICT" in sandboxed_home.cannot("git rebase main")
    sandboxed_home.must("echo both >README && git add README && GIT_EDITOR=true git rebase --continue")
    assert git(sandboxed_home.worktree, "log", "--format=%s").splitlines()[:2] == ["mine", "add README"]
    assert not (sandboxed_home.git_directory / "worktrees/coffee--1/rebase-merge").exists()


def test_person_who_packs_references_meanwhile_takes_no_branch_away(sandboxed_home: SandboxedHome) -> None:
    sandboxed_home.must("git commit --quiet --allow-empty -m one")
    words = sandboxed_home.words("/bin/sh", "-c", f"{WAIT}; git commit --allow-empty -m two && git log --format=%s")
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as agent:
        git(sandboxed_home.repository, "pack-refs", "--all")
        (sandboxed_home.worktree / "go").touch()
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
    assert git(sandboxed_home.worktree, "log", "-1", "--format=%s") == "two"


def test_agent_writes_its_task_and_keeps_the_link(sandboxed_home: SandboxedHome) -> None:
    sandboxed_home.must("echo '## Handoff' >>TASK.md; touch ~/orange/tasks/coffee/aaa/.orange-outcome")
    assert "## Handoff" in (sandboxed_home.home / "tasks/coffee/aaa/TASK.md").read_text()
    assert (sandboxed_home.worktree / "TASK.md").is_symlink()


def test_package_managers_write_into_the_worktree_and_a_cache_of_the_project(sandboxed_home: SandboxedHome) -> None:
    package = sandboxed_home.worktree / "package"
    package.mkdir()
    (package / "package.json").write_text('{"name": "beans", "version": "1.0.0"}')
    (package / "setup.py").write_text("from setuptools import setup; setup(name='beans', py_modules=[])")
    sandboxed_home.must(
        "mkdir -p $XDG_CACHE_HOME/pip && touch $XDG_CACHE_HOME/pip/wheel $npm_config_cache.used $CARGO_HOME.used"
    )
    cache = sandboxed_home.home / ".cache/sandbox/coffee"
    assert sorted(path.name for path in cache.iterdir()) == ["cargo.used", "npm.used", "pip"]
    assert not (sandboxed_home.person / ".cache").exists()


def test_server_on_loopback_and_temporary_files_work(sandboxed_home: SandboxedHome) -> None:
    script = (
        "import socket, tempfile, threading, multiprocessing\n"
        "s = socket.create_server(('127.0.0.1', 0))\n"
        "threading.Thread(target=lambda: s.accept()[0].send(b'hello')).start()\n"
        "print(socket.create_connection(s.getsockname()).recv(9).decode(), tempfile.mkdtemp())\n"
        "multiprocessing.Lock()\n"
    )
    (sandboxed_home.worktree / "server.py").write_text(script)
    assert sandboxed_home.must(f"{sys.executable} server.py").startswith("hello /tmp/")


def test_long_lived_child_ends_with_its_agent(sandboxed_home: SandboxedHome) -> None:
    words = sandboxed_home.words("/bin/sh", "-c", "sleep 1000 & echo started; wait")
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


def test_ways_out_are_shut(sandboxed_home: SandboxedHome, tmp_path: Path) -> None:
    path, before = tmp_path / "tmux", _outside(sandboxed_home)
    names = [f"way-{number}" for number in range(len(WAYS_OUT))]
    for name, way in zip(names, WAYS_OUT, strict=True):
        (sandboxed_home.worktree / name).write_text(way)
    (sandboxed_home.worktree / "all").write_text(
        "export EVIL=$(git commit-tree HEAD^{tree} -p HEAD -m evil)\n"
        + "".join(f"if /bin/sh {name} >/dev/null 2>&1; then echo {name}; fi\n" for name in names)
    )
    with socket.socket(socket.AF_UNIX) as server, subprocess.Popen(["/bin/sleep", "600"]) as sleeper:
        server.bind(str(path))
        server.listen()
        given = {"GIT": str(sandboxed_home.git_directory), "SOCKET": str(path), "OUTSIDE": str(sleeper.pid)}
        open_ways = sandboxed_home.must("/bin/sh all", **given).split()
        assert sleeper.poll() is None
        sleeper.kill()
    assert [WAYS_OUT[names.index(name)] for name in open_ways] == []
    assert _outside(sandboxed_home) == before


def test_default_branch_stays_where_it_is_though_the_tasks_own_is_beside_it_and_it_is_packed(tmp_path: Path) -> None:
    need_sandbox()
    sandboxed_home = SandboxedHome(tmp_path, "login-fix")
    git(sandboxed_home.repository, "branch", "feat/x")
    git(sandboxed_home.repository, "pack-refs", "--all")
    before = _others(sandboxed_home)
    for name in ("main", "old", "feat/x", "orange-tasks/bbb"):
        sandboxed_home.run(f"git update-ref refs/heads/{name} $(git commit-tree HEAD^{{tree}} -p HEAD -m evil)")
        sandboxed_home.run(f"git rev-parse HEAD~1 >{sandboxed_home.git_directory}/refs/heads/{name}")
    assert _others(sandboxed_home) == before
    sandboxed_home.must("git commit --quiet --allow-empty -m own && git switch --quiet -c login-fix-2")
    assert git(sandboxed_home.repository, "log", "-1", "--format=%s", "login-fix") == "own"


@pytest.mark.parametrize("is_packed", [True, False])
def test_more_branches_beside_the_tasks_own_than_can_be_protected_are_refused(tmp_path: Path, is_packed: bool) -> None:
    sandboxed_home = SandboxedHome(tmp_path, "login-fix")
    tip = git(sandboxed_home.repository, "rev-parse", "HEAD")
    for number in range(400):
        (sandboxed_home.git_directory / f"refs/heads/b{number}").write_text(f"{tip}\n")
    if is_packed:
        git(sandboxed_home.repository, "pack-refs", "--all")
    with pytest.raises(Refused, match="such as fix/login-fix"):
        sandboxed_home.words("true")


def _others(sandboxed_home: SandboxedHome) -> list[str]:
    listed = git(sandboxed_home.repository, "for-each-ref", "--format=%(refname) %(objectname)").splitlines()
    return [line for line in listed if "login-fix" not in line]


def _outside(sandboxed_home: SandboxedHome) -> dict[str, str]:
    """All that must not change: the repository but for what a commit writes, and the person's home."""
    found = {
        "refs": git(sandboxed_home.repository, "for-each-ref"),
        "head": git(sandboxed_home.repository, "symbolic-ref", "HEAD"),
    }
    skipped = ("objects", "refs", "logs")
    for top in (
        sandboxed_home.git_directory,
        sandboxed_home.person / ".ssh",
        sandboxed_home.home / "state",
        sandboxed_home.other,
    ):
        for directory, folders, names in os.walk(top):
            folders[:] = [
                name for name in folders if not (directory == str(sandboxed_home.git_directory) and name in skipped)
            ]
            for name in names:
                file = os.path.join(directory, name)
                with open(file, errors="replace") as opened:
                    found[file] = opened.read()
    found.pop(str(sandboxed_home.git_directory / "worktrees/coffee--1/config.worktree"), None)
    return found


def test_objects_that_are_packed_cannot_be_removed(sandboxed_home: SandboxedHome) -> None:
    git(sandboxed_home.repository, "gc", "--quiet")
    sandboxed_home.cannot("rm -f $(dirname $(git rev-parse --git-common-dir))/.git/objects/pack/*.pack")
    assert git(sandboxed_home.repository, "fsck") == ""


def test_file_of_the_default_branch_is_not_replaced_by_a_pack_that_claims_to_have_it(
    sandboxed_home: SandboxedHome,
) -> None:
    """Git takes what the index of a pack says on trust, and looks into the newest pack first."""
    git(sandboxed_home.repository, "gc", "--quiet")
    (sandboxed_home.worktree / "evil").write_text("evil\n")
    evil = git(sandboxed_home.worktree, "hash-object", "-w", "evil")
    wanted = git(sandboxed_home.repository, "rev-parse", "main", "main^{tree}", "main:README").split()
    packed = "\n".join([*wanted[:2], evil])
    subprocess.run(
        ["git", "pack-objects", "-q", "forged"], cwd=sandboxed_home.worktree, input=packed.encode(), check=True
    )
    (index,) = sandboxed_home.worktree.glob("forged-*.idx")
    index.chmod(0o600)
    index.write_bytes(_with_other_name(index.read_bytes(), bytes.fromhex(evil), bytes.fromhex(wanted[2])))
    upstream = make_repository(sandboxed_home.person / "upstream")
    for number in range(150):  # more than git would leave outside of a pack
        (upstream / f"f{number}").write_text(f"{number}\n")
    git(upstream, "add", ".")
    git(upstream, "commit", "--quiet", "--message", "many")
    (sandboxed_home.worktree / "put").write_text(
        'packs="$(git rev-parse --git-common-dir)/objects/pack"\n'
        'for each in forged-*; do cp $each "$packs/pack${each#forged}"; done; touch -d 2099-01-01 "$packs"/*\n'
    )
    sandboxed_home.run("sh put")
    assert git(sandboxed_home.repository, "show", "main:README") == "coffee"
    sandboxed_home.must(
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


def test_agent_cannot_type_into_its_terminal(sandboxed_home: SandboxedHome) -> None:
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
    (sandboxed_home.worktree / "type.py").write_text(script)
    assert "typed" not in sandboxed_home.must(f"{sys.executable} type.py")


def test_abstract_sockets_of_others_are_out_of_reach(sandboxed_home: SandboxedHome) -> None:
    if not has_socket_scope():
        pytest.skip(f"{NOT_TO_BE_HAD} Landlock that knows abstract sockets (Linux 6.12)")
    name = f"\0orange-test-{os.getpid()}-{threading.get_ident()}"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(name)
        server.listen()
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(name)
        connect = f"import socket; socket.socket(socket.AF_UNIX).connect({name!r})"
        (sandboxed_home.worktree / "connect.py").write_text(connect)
        assert "Operation not permitted" in sandboxed_home.cannot(f"{sys.executable} connect.py")


def test_settings_of_an_agent_are_its_own_for_as_long_as_it_runs(sandboxed_home: SandboxedHome) -> None:
    (sandboxed_home.person / ".claude").mkdir()
    (sandboxed_home.person / ".claude/settings.json").write_text("{}")
    (sandboxed_home.person / ".claude.json").write_text('{"projects": {}}')
    sandboxed_home.employ(CLAUDE)
    script = "cat $CLAUDE_CONFIG_DIR/.claude.json; cd ~/.claude; mkdir hooks; echo {} >projects/s"
    assert sandboxed_home.must(f"{script}; echo evil >x; mv x settings.json") == '{"projects": {}}'
    assert (sandboxed_home.person / ".claude/settings.json").read_text() == "{}"
    assert sorted(path.name for path in (sandboxed_home.person / ".claude").iterdir()) == [
        "file-history",
        "projects",
        "settings.json",
    ]
    assert (sandboxed_home.person / ".claude/projects/s").read_text() == "{}\n"


def test_paths_that_a_project_opens_are_there(sandboxed_home: SandboxedHome, tmp_path: Path) -> None:
    for name in ("data", "build"):
        (tmp_path / name).mkdir()
    sandboxed_home.allow(read=[str(tmp_path / "data")], write=[str(tmp_path / "build")])
    sandboxed_home.must(f"touch {tmp_path}/build/made && ls {tmp_path}/data")
    assert "Read-only" in sandboxed_home.cannot(f"touch {tmp_path}/data/made")
    assert (tmp_path / "build/made").exists()

"""A hostile agent tries everything in the corpus, in a window with full permission and in a sandbox.

What gets through in which is a table on the page about security, which this holds true.
"""

from __future__ import annotations

import os
import shlex
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.attacks import CORPUS, LAST, LOOT, SECRETS, WORKFLOW, Scene, knowledge
from support.git import commit
from support.sandboxed_home import need_sandbox

if TYPE_CHECKING:
    from collections.abc import Iterator

    from orange_tui.store.store import TaskRef
    from support.live_home import LiveHome

# The agent: it waits until somebody says what there is to attack, and tries one thing after the other.
_AGENT = """\
#!/bin/sh
while [ ! -e hostile ]; do sleep 0.05; done
while [ ! -e attacks/go ]; do sleep 0.05; done
. attacks/targets
for each in attacks/*.sh; do
    timeout 20 sh "$each" >"${each%.sh}.loot" 2>&1 </dev/null
done
touch attacks/done
while [ ! -e attacks/last ]; do sleep 0.05; done
timeout 30 sh attacks/last >attacks/last.loot 2>&1
touch attacks/over
exec cat
"""


def _plant(live_home: LiveHome, person: Path) -> None:
    """What there is to be found: secrets in the person's home, and in Orange's settings."""
    for path, what in SECRETS.items():
        (person / path).parent.mkdir(parents=True, exist_ok=True)
        (person / path).write_text(f"{LOOT} {what}\n")
    (live_home.root / "home" / "config.yml").write_text(f"# {LOOT}\nbell: true\n")
    (live_home.root / "loot-in-tmp").write_text(f"{LOOT}\n")


def _start(live_home: LiveHome, branch: str, context: str) -> TaskRef:
    ref = live_home.create(branch, harness="hostile", summary="x", context=context, workflow="gated")
    live_home.wait(lambda: live_home.windows(ref) == ["worker"])
    return ref


@pytest.fixture
def listeners(tmp_path: Path) -> Iterator[dict[str, str]]:
    """An ssh-agent, and somebody who listens on a socket without a file: each gives its secret to who connects."""
    names = {"AGENTSOCK": str(tmp_path / "agent.sock"), "ABSTRACT": f"orange-attack-{os.getpid()}"}
    sockets = []
    for address in (names["AGENTSOCK"], f"\0{names['ABSTRACT']}"):
        listening = socket.socket(socket.AF_UNIX)
        listening.bind(address)
        listening.listen()
        sockets.append(listening)
        threading.Thread(target=_serve, args=(listening,), daemon=True).start()
    yield names
    for listening in sockets:
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()


def _serve(listening: socket.socket) -> None:
    while True:
        try:
            client, _ = listening.accept()
        except OSError:
            return
        client.sendall(LOOT.encode())
        client.close()


@pytest.fixture
def victim(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process of the person's, in a directory of secrets and with one in its environment."""
    keys = tmp_path / "person" / ".ssh"
    keys.mkdir(parents=True)
    with subprocess.Popen(["sleep", "1000"], cwd=keys, env={**os.environ, "TOKEN": LOOT}) as process:
        yield process
        process.kill()


def _scene(live_home: LiveHome, listeners: dict[str, str], victim: int, sandbox: str) -> Scene:
    person = live_home.root / "person"
    _plant(live_home, person)
    with (live_home.root / "home" / "config.yml").open("a") as settings:
        settings.write(f"sandbox: {sandbox}\n" if sandbox != "off" else "")
    commit(live_home.repository, "agent.sh", _AGENT)
    live_home.git("push", "-q", "origin", "main")
    with (live_home.root / "home" / "harnesses.yml").open("a") as file:
        file.write('hostile:\n  binary: sh\n  full: ["{binary}", "agent.sh", "{prompt}"]\n')
    (live_home.root / "home" / "workflows").mkdir()
    (live_home.root / "home" / "workflows" / "gated.yml").write_text(WORKFLOW)
    live_home.git("update-ref", "refs/orange/saved/1", "HEAD")
    live_home.git("repack", "-qad")
    other, own = _start(live_home, "fix/other", LOOT), _start(live_home, "fix/own", "")
    (live_home.worktree(other) / "mine.txt").write_text(f"{LOOT}\n")
    pane = live_home.orange.sessions.window(other.id, "worker")
    assert pane is not None
    known = {**knowledge(live_home, own, other), **listeners, "VICTIM": str(victim), "OTHERPANE": pane.pane_id}
    return Scene(live_home, own, other, {**known, "HOSTTMP": str(live_home.root / "loot-in-tmp")})


def _attack(scene: Scene) -> dict[str, str]:
    """Have the agent try everything; returns what it printed, by the name of the attack."""
    worktree = scene.live_home.worktree(scene.own)
    folder = worktree / "attacks"
    folder.mkdir()
    for number, attack in enumerate(CORPUS):
        (folder / f"{number:03}.sh").write_text(f"{attack.script}\n")
    exported = "\n".join(f"export {name}={shlex.quote(value)}" for name, value in scene.known.items())
    (folder / "targets").write_text(exported)
    (worktree / "hostile").touch()
    (folder / "go").touch()
    for _ in range(5):  # there are many, and the machine may be busy
        if (folder / "done").exists():
            break
        with suppress(AssertionError):
            scene.live_home.wait((folder / "done").exists)
    assert (folder / "done").exists(), sorted(path.name for path in folder.glob("*.loot"))[-1:]
    return {
        attack.name: (folder / f"{number:03}.loot").read_text(errors="replace") for number, attack in enumerate(CORPUS)
    }


def _end(scene: Scene) -> None:
    """Have it try what ends its own window, if it can."""
    folder = scene.live_home.worktree(scene.own) / "attacks"
    (folder / "last").write_text(LAST.script)
    scene.live_home.wait(lambda: (folder / "over").exists() or scene.live_home.rests(scene.own, "cancelled"))


def _got_through(scene: Scene) -> list[str]:
    loot = _attack(scene)
    got = [attack.name for attack in CORPUS if attack.got_through(scene, loot[attack.name])]
    _end(scene)
    return got + ([LAST.name] if LAST.got_through(scene, "") else [])


def test_without_a_sandbox_an_agent_with_full_permission_can_do_what_the_person_can(
    live_home: LiveHome, listeners: dict[str, str], victim: subprocess.Popen[bytes]
) -> None:
    scene = _scene(live_home, listeners, victim.pid, "off")
    got = set(_got_through(scene))
    os.unlink(f"{sys.prefix}/attack-probe-{scene.own.id}")
    assert {name for name, off, _ in _table() if off == "gets through"} == got - {
        attack.name for attack in CORPUS if attack.needs_root
    }


def test_in_a_sandbox_nothing_gets_through(
    live_home: LiveHome, listeners: dict[str, str], victim: subprocess.Popen[bytes]
) -> None:
    need_sandbox()
    assert _got_through(_scene(live_home, listeners, victim.pid, "all")) == []


def test_page_about_security_has_every_attack_and_what_becomes_of_it() -> None:
    assert [name for name, _, _ in _table()] == [attack.name for attack in (*CORPUS, LAST)]
    depends = [name for name, off, _ in _table() if off == "if Orange runs as root"]
    assert depends == [attack.name for attack in CORPUS if attack.needs_root]
    assert {sandbox for _, _, sandbox in _table()} == {"held"}


def _table() -> list[list[str]]:
    """The table on the page: what each attack is called, and what becomes of it without a sandbox and in one."""
    page = Path(__file__).parents[2] / "docs" / "security.md"
    rows = page.read_text().partition("| attack |")[2].splitlines()[2:]
    return [
        [sandboxed_home.strip() for sandboxed_home in row.strip("| ").split("|")] for row in rows if row.startswith("|")
    ]

"""Ports are leased with a workspace: free when they are given, nobody else's until it is released."""

from __future__ import annotations

import json
import socket
import sys
from subprocess import PIPE, Popen
from typing import TYPE_CHECKING

import pytest

from orange_tui.domain.errors import Refused
from orange_tui.workspaces import ports

if TYPE_CHECKING:
    from support.pool_world import Cafe

LEASE = """
import sys
from orange_tui.home.log import Log
from orange_tui.home.paths import Home
from orange_tui.home.projects import Projects
from orange_tui.store.store import Store, TaskRef
from orange_tui.workspaces.pool import Pool
home = Home(sys.argv[1])
store = Store(home, lambda task: task)
pool = Pool(store, Projects(home), Log(home.log_file))
sys.stdin.readline()
print(pool.ports(pool.reserve(pool.projects.get("coffee"), store.read(TaskRef("coffee", sys.argv[2])).task)))
"""


def test_a_workspace_has_its_ports_while_it_is_held(cafe: Cafe) -> None:
    cafe.register(ports=2, setup="echo $ORANGE_PORT $ORANGE_PORTS >../ports")
    task, other = cafe.task("a"), cafe.task("b")
    workspace = cafe.spawn(task)
    given = cafe.slot(1).ports
    assert len(set(given)) == 2
    assert (workspace.parent / "ports").read_text() == f"{given[0]} {given[0]},{given[1]}\n"
    with socket.socket() as server:  # its own server is no reason to give it another one
        server.bind(("127.0.0.1", given[0]))
        cafe.spawn(task)
    assert cafe.slot(1).ports == given
    cafe.spawn(other)
    assert not set(cafe.slot(2).ports) & set(given)
    cafe.release(task, workspace)
    assert cafe.slot(1).ports == ()


def test_without_ports_there_are_none(cafe: Cafe) -> None:
    cafe.register(setup="echo ${ORANGE_PORT-none} >../ports")
    assert (cafe.spawn(cafe.task()).parent / "ports").read_text() == "none\n"


def test_more_are_added_to_those_that_are_held(cafe: Cafe) -> None:
    cafe.register(ports=1)
    task = cafe.task()
    name = cafe.pool.reserve(cafe.project, task)
    first = cafe.pool.ports(name)
    cafe.register(ports=3)
    cafe.pool.reserve(cafe.project, task)
    assert cafe.pool.ports(name)[:1] == first
    assert len(cafe.pool.ports(name)) == 3


def test_processes_that_lease_at_once_get_different_ports(cafe: Cafe, monkeypatch: pytest.MonkeyPatch) -> None:
    cafe.register(ports=3, pool_size=4)
    command = [sys.executable, "-c", LEASE, cafe.home.root]
    started = [Popen([*command, cafe.task(name).id], stdin=PIPE, stdout=PIPE, text=True) for name in "abcd"]
    answers = [process.communicate("go\n")[0] for process in started]
    given = [port for answer in answers for port in json.loads(answer.replace("(", "[").replace(")", "]"))]
    assert len(given) == len(set(given)) == 12


@pytest.mark.parametrize(("family", "address"), [(socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")])
def test_a_port_on_which_somebody_listens_is_not_given(
    monkeypatch: pytest.MonkeyPatch, family: int, address: str
) -> None:
    with socket.socket(family) as server:
        server.bind((address, 0))
        server.listen()
        taken = server.getsockname()[1]
        monkeypatch.setattr(ports, "_FIRST", taken)
        monkeypatch.setattr(ports, "_LAST", taken)
        with pytest.raises(Refused, match=r"1 free ports are wanted, and between .* there are only 0"):
            ports.lease_ports((), 1, ())


def test_a_pool_file_of_before_has_no_ports(cafe: Cafe) -> None:
    cafe.spawn(cafe.task())
    path = cafe.root / "home/workspaces/.pool.json"
    data = json.loads(path.read_text())
    del data["slots"]["coffee--1"]["ports"]
    path.write_text(json.dumps(data))
    assert cafe.slot(1).ports == ()
    data["slots"]["coffee--1"]["ports"] = [0]
    path.write_text(json.dumps(data))
    with pytest.raises(Exception, match="invalid port for coffee--1"):
        cafe.slot(1)

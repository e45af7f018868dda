"""What ARCHITECTURE promises about who imports what, held by looking at the code and at what a command really loads."""

from __future__ import annotations

import ast
import functools
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import mistune
import pytest

import orange_tui
from orange_tui.agents.door.protocol import DOOR_VARIABLE
from orange_tui.domain.actions import ACTIONS
from orange_tui.domain.review.thread import Thread
from orange_tui.engine.hooks import BUILT_IN, Actions
from orange_tui.review.threads_file import ThreadsFile
from support.source import sources

if TYPE_CHECKING:
    from support.driver import World
    from support.live_home import LiveHome

PACKAGE = Path(orange_tui.__file__).parent
HEAVY = {"textual", "rich", "libtmux", "pygit2", "yaml", "mistune"}
EXPENSIVE = HEAVY | {"argparse", "dataclasses", "typing", "pathlib", "subprocess", "logging", "inspect"}
REPORT = """
import sys
before = set(sys.modules)
from orange_tui.cli.main import main
code = main(sys.argv[1:])
print(*sorted(set(sys.modules) - before), file=sys.stderr)
sys.exit(code)
"""


@functools.cache
def imported(module: str) -> set[str]:
    """Every module a file imports when it runs; what stands under TYPE_CHECKING it does not."""
    found = [each for each in sources()[module].imports if not each.for_types and each.module]
    return {each.module for each in found} | {f"{each.module}.{each.name}" for each in found if each.name}


def who_imports(*roots: str) -> set[str]:
    return {module for module in sources() if any(name.partition(".")[0] in roots for name in imported(module))}


STARTING = re.compile(
    r"(subprocess|pty|multiprocessing|concurrent\.futures\.process)\..+"
    r"|os\.(exec|spawn|posix_spawn|fork|system|popen|startfile).*"
    r"|asyncio\.(subprocess\..+|create_subprocess_.+)|concurrent\.futures\.ProcessPool.+"
    r"|.+\.(subprocess_exec|subprocess_shell)",
)


# Two parts of each of these names; a text without one of each says none of them.
A_ROOT_OF_IT = re.compile(r"\b(subprocess|pty|multiprocessing|concurrent|os|asyncio)\b|subprocess_")
AN_END_OF_IT = re.compile(
    r"subprocess|\b(pty|multiprocessing|futures|exec|spawn|posix_spawn|fork|system|popen|startfile)"
)


def starts_of_programs(source: str) -> set[str]:
    """What a module uses that starts a program, by its full name, whatever the module calls it."""
    if not (A_ROOT_OF_IT.search(source) and AN_END_OF_IT.search(source)):
        return set()
    tree = ast.parse(source)
    full: dict[str, str] = {}  # what a module calls something → what it is
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                root = alias.name.partition(".")[0]
                full |= {alias.asname: alias.name} if alias.asname else {root: root}
        elif isinstance(node, ast.ImportFrom):
            full |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    used = {_dotted(node, full) for node in ast.walk(tree) if isinstance(node, ast.Attribute | ast.Name)}
    return {name for name in used if STARTING.fullmatch(name)}


def _dotted(node: ast.expr, full: dict[str, str]) -> str:
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value, full)}.{node.attr}"
    return full.get(node.id, "") if isinstance(node, ast.Name) else "?"


def test_one_module_starts_other_programs_and_one_for_launchers_that_must_stay_small() -> None:
    starting = {module for module, source in sources().items() if starts_of_programs(source.text)}
    assert starting == {"outside.programs", "outside.children"}
    assert who_imports("subprocess", "pty", "multiprocessing") <= {"outside.programs"}


@pytest.mark.parametrize(
    "source",
    [
        "import os\nos.execvpe('tmux', [], {})",
        "import os as system\nsystem.posix_spawnp('tmux', [], {})",
        "from os import fork as split\nsplit()",
        "import asyncio\nasyncio.create_subprocess_exec('tmux')",
        "from asyncio import create_subprocess_shell\ncreate_subprocess_shell('tmux')",
        "import asyncio\nasyncio.get_running_loop().subprocess_exec(None, 'tmux')",
        "def late():\n    import subprocess\n    subprocess.run([])",
        "from subprocess import Popen\nPopen([])",
        "import pty\npty.spawn('tmux')",
        "from concurrent.futures import ProcessPoolExecutor\nProcessPoolExecutor()",
    ],
)
def test_every_way_of_starting_a_program_is_noticed(source: str) -> None:
    assert starts_of_programs(source)


def test_what_only_sounds_like_it_starts_nothing() -> None:
    source = (
        "import os\nimport asyncio\nfrom orange_tui.tasks import system\nsystem()\nos.path.join('a')\nasyncio.run(None)"
    )
    assert starts_of_programs(source) == set()


def test_one_module_knows_each_library_that_works_outside() -> None:
    assert who_imports("libtmux") == {"outside.tmux.libtmux_runner"}
    assert who_imports("pygit2") == {"outside.git_reader._objects"}


def test_only_the_app_imports_textual_and_rich() -> None:
    assert {module.partition(".")[0] for module in who_imports("textual", "rich")} <= {"tui"}


def test_one_module_knows_where_shipped_files_are() -> None:
    assert {module for module, source in sources().items() if _asks_where_it_is(source.text)} == {"home.paths"}
    assert who_imports("importlib.resources", "pkg_resources") == set()


def _asks_where_it_is(source: str) -> bool:
    return "__file__" in source and any(
        isinstance(node, ast.Name) and node.id == "__file__" for node in ast.walk(ast.parse(source))
    )


def test_every_hook_a_workflow_may_name_can_be_run_and_no_other() -> None:
    assert set(BUILT_IN) == set(ACTIONS)
    actions = Actions(BUILT_IN)
    assert all(callable(actions.find(name).run) for name in ACTIONS)


def loaded_by(*words: str) -> set[str]:
    """The modules a command loads, in a Python that has loaded nothing by itself."""
    path = os.pathsep.join([str(PACKAGE.parent), str(Path(mistune.__file__).parent.parent)])
    done = subprocess.run(
        [sys.executable, "-S", "-c", REPORT, *words],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return set(done.stderr.split())


@pytest.fixture
def agents_world(world: World) -> World:
    """A home in which every workflow has been parsed once, as it has after the first command."""
    world.workflow(
        "plain",
        "name: plain\nstates: {a: {}, b: {}, c: {}, z: {terminal: true}}\ntransitions:\n"
        "  - {from: a, to: b}\n"
        '  - {from: b, to: c, gate: {section: "## Handoff", required: true}}\n'
        "  - {from: c, to: a, gate: {threads: answered}}\n"
        "  - {from: c, to: z}\n",
    )
    world.orange.workflows.load("plain")
    return world


def test_an_agents_command_loads_nothing_that_takes_long(agents_world: World) -> None:
    ref = agents_world.task(workflow="plain", status="a")
    assert loaded_by("task", "update", ref.id, "--status", "b") & EXPENSIVE == set()
    assert loaded_by("task", "update", ref.id, "--summary", "Brew") & EXPENSIVE == set()
    assert agents_world.read(ref).status == "b"


def test_a_routed_tasks_command_loads_no_yaml_either(agents_world: World) -> None:
    ref = agents_world.task(workflow="plain", status="a")
    with agents_world.orange.store.open(ref) as opened:
        opened.change("task.updated", {"route": {"executor": "x", "profile": {"role": 'a "b": {c}', "skills": ["é"]}}})
    assert loaded_by("task", "update", ref.id, "--status", "b") & EXPENSIVE == set()


def test_a_gate_loads_a_markdown_parser_and_what_that_needs(agents_world: World) -> None:
    ref = agents_world.task(workflow="plain", status="b", body="\n## Handoff\nall\n")
    needed = loaded_by("task", "update", ref.id, "--status", "c") & EXPENSIVE
    script = "import sys, mistune; print(*{name.partition('.')[0] for name in sys.modules})"
    path = str(Path(mistune.__file__).parent.parent)
    alone = subprocess.run(
        [sys.executable, "-S", "-c", script],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert needed - set(alone.stdout.split()) == set()
    assert needed & {"textual", "rich", "libtmux", "pygit2", "yaml", "subprocess"} == set()


def test_a_gate_on_threads_loads_nothing_that_takes_long_with_and_without_threads(agents_world: World) -> None:
    ref = agents_world.task(workflow="plain", status="c")
    assert loaded_by("task", "update", ref.id, "--status", "a") & EXPENSIVE == set()
    ref = agents_world.task(workflow="plain", status="c")
    answered = Thread("", "a.py", 1, None, "x", None, "person", "Why?", "fixed")
    ThreadsFile(agents_world.home, ref.project, ref.id).change(lambda _none: [answered])
    assert loaded_by("task", "update", ref.id, "--status", "a") & EXPENSIVE == set()


def test_looking_at_tasks_loads_no_parser_and_no_app(agents_world: World) -> None:
    agents_world.task(workflow="plain", status="a")
    assert loaded_by("task", "list", "--all") & (HEAVY | {"argparse", "dataclasses", "logging"}) == set()


SELDOM_NEEDED_TO_START = {
    *("bz2", "lzma", "shutil", "tempfile", "random", "datetime"),
    *("domain.text.findings", "review.batch", "review.threads_file"),
    *("usage.limits", "cli.all_commands"),
}


def test_starting_an_agent_loads_nothing_that_few_starts_need(
    live_home: LiveHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = live_home.root / "bin" / "pi"  # one that Orange knows by itself: no file about it is read
    agent.parent.mkdir()
    agent.write_text("#!/bin/sh\nexec cat\n")
    agent.chmod(0o755)
    monkeypatch.setenv("PATH", f"{agent.parent}:{os.environ['PATH']}")
    ref = live_home.create("fix/login", harness="pi", spawn=False)

    loaded = loaded_by("task", "spawn", ref.id)

    assert live_home.windows(ref) == ["worker"]
    assert loaded & (EXPENSIVE - {"subprocess"}) == set()
    assert {name for name in SELDOM_NEEDED_TO_START if loaded & {name, f"orange_tui.{name}"}} == set()


THROUGH_DOOR = """
import os, sys
before = set(sys.modules)
os._exit = lambda _code: print(*sorted(set(sys.modules) - before))
from orange_tui.__main__ import main
main()
"""
LAUNCHER = "import sys, orange_tui.agents.door.server; print(*sys.modules)"


def test_confined_agents_command_loads_next_to_nothing() -> None:
    path = {**os.environ, "PYTHONPATH": str(PACKAGE.parent), DOOR_VARIABLE: "/nowhere/socket"}
    words = [sys.executable, "-S", "-c", THROUGH_DOOR, "task", "list"]
    loaded = subprocess.run(words, env=path, capture_output=True, text=True, timeout=60, check=True).stdout.split()
    door = {f"orange_tui.agents.door{name}" for name in ("", ".client", ".protocol")}
    assert set(loaded) <= {
        "orange_tui",
        "orange_tui.__main__",
        "orange_tui.agents",
        *door,
        "__future__",
        "_socket",
        "gc",
    }


def test_launcher_of_a_confined_agent_loads_little_of_python_and_less_of_orange() -> None:
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}
    words = [sys.executable, "-S", "-c", LAUNCHER]
    loaded = subprocess.run(
        words, env=environment, capture_output=True, text=True, timeout=60, check=True
    ).stdout.split()
    assert set(loaded) & (EXPENSIVE | {"contextlib", "json", "re"}) == set()
    ours = ("orange_tui.agents.door", "orange_tui.outside.children")
    assert all(name.startswith(ours) for name in loaded if name.count(".") > 1)


def test_first_frame_waits_for_nothing_that_few_tasks_need() -> None:
    script = "import sys, orange_tui.tui.opening, orange_tui.tui.dashboard, orange_tui.board.board; print(*sys.modules)"
    words = [sys.executable, "-c", script]
    loaded = subprocess.run(words, capture_output=True, text=True, timeout=60, check=True).stdout.split()
    late = {"usage.limits", "usage.summary", "usage.collector", "domain.usage.reset_time", "supervisor.supervisor"}
    assert {name for name in late if f"orange_tui.{name}" in loaded} == set()

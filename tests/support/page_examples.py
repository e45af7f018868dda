"""The examples of a page, run as a reader would: in a home and a repository of their own, from the top of the page.

- `sh` is run by a shell and must succeed; `console` also shows what is printed, where `…` stands for anything.
- `yaml FILE` and `json FILE` are put where that file belongs, and read as Orange reads it; one `(with mistakes)` must
  be refused.
- `yaml added to NAME` is a part of that workflow of the page.
- `k3x9` stands for the id of the newest task; `<!-- wait: STATE -->` waits until that task is there.
- A block whose first line is `# Needs …` cannot be run here.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from orange_tui.domain.harnesses.harness_file import load_harnesses
from orange_tui.domain.harnesses.shipped import SHIPPED
from orange_tui.domain.workflow_file.loader import load_workflow
from orange_tui.home.paths import Home
from orange_tui.home.projects import Projects
from orange_tui.home.settings.config_file import read_settings
from orange_tui.outside.processes import end_processes_with
from orange_tui.trust import orange_file
from orange_tui.usage.prices_file import check_prices
from support.git import make_repository

if TYPE_CHECKING:
    from collections.abc import Iterator

DOCS = Path(__file__).parent.parent.parent / "docs"
_FENCE = re.compile(
    r"^```(?P<info>[^\n`]*)\n(?P<text>.*?)^```$|^<!-- wait: (?P<wait>[\w-]+) -->$", re.MULTILINE | re.DOTALL
)
_NEEDS = "# Needs "
_ID = "k3x9"
_WAIT_SECONDS = 60
# For a shell: the id of the newest task, which may be made by the line above.
_NEWEST = """newest() {
    local file; file=$(grep -H '^created_at:' ~/orange/tasks/*/*/TASK.md | sort -t: -k3 | tail -n 1)
    basename "${file%/TASK.md:*}"
}
"""


@dataclass
class Example:
    """One block of a page, or a state to wait for."""

    kind: str
    about: str
    text: str
    line: int

    @property
    def cannot_run(self) -> bool:
        return self.text.startswith(_NEEDS)


def examples_of(text: str) -> Iterator[Example]:
    """Every block of a page, from the top."""
    for found in _FENCE.finditer(text):
        line = text.count("\n", 0, found.start()) + 1
        if found["wait"]:
            yield Example("wait", found["wait"], "", line)
        else:
            kind, _, about = found["info"].strip().partition(" ")
            yield Example(kind, about, found["text"], line)


class Reader:
    """Somebody who follows a page."""

    def __init__(self, folder: Path, *, registers: bool) -> None:
        self.person = folder / "person"
        self.home = Home(str(self.person / "orange"))
        self.repository = make_repository(self.person / "src" / "coffee")
        self.socket = f"orange-page-{os.getpid()}-{folder.name}"[:80]
        own = {"HOME": str(self.person), "ORANGE_TMUX_SOCKET": self.socket, "ORANGE_DEMO_PACE": "0", "PAGER": ""}
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        self.environment = {**os.environ, **own, "PATH": path}
        self.environment.pop("ORANGE_HOME", None)
        if not registers:
            self.shell("orange project add")

    def close(self) -> None:
        """An agent's last command may be starting the next one in a tmux of its own, so those end first."""
        end_processes_with("ORANGE_TMUX_SOCKET", self.socket)
        subprocess.run(["tmux", "-L", self.socket, "kill-server"], capture_output=True, check=False)

    def follow(self, example: Example) -> None:
        """Do what an example says; fails with what went wrong."""
        if example.kind == "wait":
            self._wait(example.about)
        elif example.kind == "sh":
            self.shell(example.text)
        elif example.kind == "console":
            self._console(example.text)
        elif example.about.startswith("added to "):
            self._add_to_workflow(example.about.removeprefix("added to "), example.text)
        else:
            self._file(example.about, example.text)

    def shell(self, script: str, *, may_fail: bool = False) -> str:
        done = subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", _NEWEST + script.replace(_ID, "$(newest)")],
            cwd=self.repository,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=60,
            check=False,
        )
        printed = done.stdout.decode()
        assert "Traceback" not in printed, printed
        assert may_fail or done.returncode == 0, f"{script}\n{printed}"
        return printed

    def _console(self, text: str) -> None:
        for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
            command, _, expected = part.partition("\n")
            printed = self.shell(command, may_fail=True).strip()
            shown = expected.strip().replace(_ID, self._newest().parent.name) if _ID in expected else expected.strip()
            pattern = re.escape(shown).replace("…", ".*")
            assert re.fullmatch(pattern, printed, re.DOTALL), (
                f"$ {command}\n{printed}\n--- the page has ---\n{expected}"
            )

    def _file(self, name: str, text: str) -> None:
        name, _, wrong = name.partition(" (with mistakes)")[0], None, "(with mistakes)" in name
        path = Path(self.home.root) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        found = str(_problems(name, text, path) or "")
        assert bool(found) == wrong, f"{name}: {found or 'no mistake was found'}"

    def _add_to_workflow(self, name: str, text: str) -> None:
        whole: dict[str, Any] = yaml.safe_load((Path(self.home.root) / "workflows" / f"{name}.yml").read_text())
        for key, value in yaml.safe_load(text).items():
            whole[key] = {**whole[key], **value} if isinstance(value, dict) else [*whole[key], *value]
        loaded = load_workflow(yaml.safe_dump(whole, sort_keys=False), "the page")
        assert (loaded.problems, loaded.warnings) == ((), ())

    def _newest(self) -> Path:
        return max((Path(self.home.root) / "tasks").glob("*/*/TASK.md"), key=lambda path: _field(path, "created_at"))

    def _wait(self, state: str) -> None:
        deadline = time.monotonic() + _WAIT_SECONDS
        task = self._newest()
        while _field(task, "status") != state:
            assert time.monotonic() < deadline, f"not in {state}:\n{task.read_text()}"
            time.sleep(0.05)


def _field(path: Path, name: str) -> str:
    found = re.search(rf"^{name}: (.*)$", path.read_text(), re.MULTILINE)
    return found[1].strip("'\"") if found else ""


def _problems(name: str, text: str, path: Path) -> object:
    """What is wrong with a file of that name, as Orange reads it."""
    if name == ".orange.yml":
        return orange_file.parse(text).problems
    if name == "projects.json":
        apart = path.parent.parent / "apart"
        apart.mkdir()
        (apart / name).write_text(text)
        return None if Projects(Home(str(apart))).all() else "no project"
    path.write_text(text)
    if name == "config.yml":
        from orange_tui.tui.commands.keys import keymap

        home = Home(str(path.parent))
        keymap(read_settings(home).texts("keys"))
        return list(check_prices(home))
    if name == "harnesses.yml":
        return load_harnesses(text, name, SHIPPED).problems
    assert name.startswith("workflows/"), f"nobody reads {name}"
    loaded = load_workflow(text, name)
    return (*loaded.problems, *loaded.warnings)

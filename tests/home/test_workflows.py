"""Workflows are found by name, the user's before the shipped, and had again without parsing anything."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from importlib import metadata
from typing import TYPE_CHECKING

import pytest

from orange_tui import __version__
from orange_tui.domain.errors import NotFound, Unreadable
from orange_tui.home.workflows import Workflows

if TYPE_CHECKING:
    from pathlib import Path

SMALL = """\
name: {name}
states: {{todo: {{}}, done: {{terminal: true}}}}
transitions:
  - {{from: todo, to: done, hooks: [{hook}]}}
"""


def small(name: str, hook: str = "spawn_next") -> str:
    return SMALL.format(name=name, hook=hook)


class Home:
    """An Orange home and a folder of shipped workflows."""

    def __init__(self, root: Path) -> None:
        self.own = root / "home" / "workflows"
        self.shipped = root / "shipped"
        self.cache = root / "home" / ".cache" / "workflows"
        self.own.mkdir(parents=True)
        self.shipped.mkdir()
        self.root = root
        (self.shipped / "default.yml").write_text(small("shipped default"))
        (self.shipped / "solo.yml").write_text(small("shipped solo"))

    @property
    def workflows(self) -> Workflows:
        """As the next process finds them."""
        return Workflows(str(self.root / "home"), str(self.shipped))


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def refusal(home: Home, name: str) -> str:
    with pytest.raises(Unreadable) as caught:
        home.workflows.load(name)
    return str(caught.value)


def test_names_are_the_users_and_the_shipped_ones_each_once(home: Home) -> None:
    (home.own / "default.yml").write_text("")
    (home.own / "mine.yaml").write_text("")
    (home.own / ".hidden.yml").write_text("")
    (home.own / "notes.txt").write_text("")
    assert home.workflows.names() == ["default", "mine", "solo"]


def test_without_any_folder_there_are_no_names(tmp_path: Path) -> None:
    nowhere = Workflows(str(tmp_path / "a"), str(tmp_path / "b"))
    assert nowhere.names() == []
    with pytest.raises(NotFound, match="there are: none"):
        nowhere.load("default")


@pytest.mark.parametrize("ending", [".yml", ".yaml"])
def test_a_users_workflow_hides_the_shipped_one_of_that_name(home: Home, ending: str) -> None:
    assert home.workflows.load("default").name == "shipped default"
    (home.own / f"default{ending}").write_text(small("my own"))
    assert home.workflows.load("default").name == "my own"
    assert home.workflows.path("default") == str(home.own / f"default{ending}")
    (home.own / f"default{ending}").unlink()
    assert home.workflows.load("default").name == "shipped default"


@pytest.mark.parametrize("name", ["nope", "", "../shipped/solo", ".hidden", "a/b", "a\x00b", "a\nb", "\ud800"])
def test_unknown_workflow_is_refused_with_the_known_names(home: Home, name: str) -> None:
    (home.own / ".hidden.yml").write_text(small("hidden"))
    with pytest.raises(NotFound, match="there are: default, solo") as caught:
        home.workflows.load(name)
    assert "\n" not in str(caught.value)


def test_one_process_reads_a_file_once_until_it_changes(home: Home) -> None:
    workflows = home.workflows
    first = workflows.load("solo")
    assert workflows.load("solo") is first
    (home.shipped / "solo.yml").write_text(small("changed meanwhile"))
    assert workflows.load("solo").name == "changed meanwhile"


def test_broken_workflow_is_refused_with_all_its_problems_one_a_line(home: Home) -> None:
    path = home.own / "mine.yml"
    path.write_text(small("x", "spwn_next").replace("to: done", "to: dne"))
    lines = refusal(home, "mine").splitlines()
    assert len(lines) == 2
    assert all(line.startswith(f"{path}:4: ") for line in lines)
    assert "did you mean 'spawn_next'?" in lines[1]
    assert not home.cache.exists()


def test_unreadable_workflow_is_refused_and_still_hides_the_shipped_one(home: Home) -> None:
    path = home.own / "default.yml"
    path.mkdir()
    assert "this is a directory; move it away" in refusal(home, "default")
    path.rmdir()
    path.symlink_to("gone.yml")
    assert "cannot be read: No such file" in refusal(home, "default")
    path.unlink()
    os.mkfifo(path)
    assert "this is not a regular file" in refusal(home, "default")
    path.unlink()
    path.write_bytes(b"name: x\nstates: \xff\xfe\n")
    assert refusal(home, "default") == f"{path}:2: this is not UTF-8 text; save the file as UTF-8"
    path.write_bytes(b"#" * 2_000_000)
    assert "1,048,576 bytes" in refusal(home, "default")


def test_workflow_without_read_permission_is_refused_with_the_reason(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forbidden(path: str, *_rest: object, **_options: object) -> os.stat_result:
        raise PermissionError(13, "Permission denied", path)

    with monkeypatch.context() as patch:
        patch.setattr("orange_tui.home.files.os.open", forbidden)  # root may read everything
        said = refusal(home, "default")
    assert "cannot be read: Permission denied" in said
    monkeypatch.setattr("orange_tui.home.workflows.os.lstat", forbidden)
    assert "cannot be read: Permission denied" in refusal(home, "default")


def test_check_takes_a_name_or_a_path_and_returns_warnings_too(home: Home, tmp_path: Path) -> None:
    assert home.workflows.check("solo").problems == ()
    path = tmp_path / "draft.yml"
    path.write_text(small("draft").replace("todo: {}", "todo: {}, island: {terminal: true}"))
    result = home.workflows.check(str(path))
    assert result.workflow is not None
    assert [warning.file for warning in result.warnings] == [str(path)]
    path.write_bytes(b"\xff")
    (problem,) = home.workflows.check(str(path)).problems
    assert (problem.line, problem.what) == (1, "this is not UTF-8 text")
    with pytest.raises(NotFound, match="There is no file"):
        home.workflows.check(str(tmp_path / "gone.yml"))
    with pytest.raises(NotFound, match="There is no file"):
        home.workflows.check("./a\x00b")
    with pytest.raises(NotFound, match="there are: default, solo"):
        home.workflows.check("gone")


# --- what is kept


def test_loaded_workflow_is_cached_and_used_while_its_text_is_the_same(home: Home) -> None:
    first = home.workflows.load("default")
    cached = json.loads((home.cache / "default.json").read_text())
    assert cached["orange"] == __version__
    assert cached["source"] == small("shipped default")
    assert home.workflows.load("default") == first
    cached["workflow"]["name"] = "from the cache"
    (home.cache / "default.json").write_text(json.dumps(cached))
    assert home.workflows.load("default").name == "from the cache"
    (home.shipped / "default.yml").write_text(small("changed"))
    assert home.workflows.load("default").name == "changed"


@pytest.mark.parametrize(("key", "other"), [("orange", "0.0.1"), ("format", 1)])
def test_cache_of_another_version_or_format_is_not_used(home: Home, key: str, other: object) -> None:
    home.workflows.load("default")
    cached = json.loads((home.cache / "default.json").read_text())
    current, cached[key] = cached[key], other
    cached["workflow"]["name"] = "old"
    (home.cache / "default.json").write_text(json.dumps(cached))
    assert home.workflows.load("default").name == "shipped default"
    assert json.loads((home.cache / "default.json").read_text())[key] == current


@pytest.mark.parametrize(
    "damage",
    [b"", b"{", b"\xff", b"[]", b"null", b"[" * 100_000, b'{"orange": 1}', b"SHAPE"],
    ids=["empty", "torn", "not text", "a list", "null", "nested", "another thing", "another shape"],
)
def test_a_damaged_cache_is_ignored_and_made_again(home: Home, damage: bytes) -> None:
    home.workflows.load("default")
    place = home.cache / "default.json"
    sound = place.read_bytes()
    if damage == b"SHAPE":
        damage = json.dumps(json.loads(sound) | {"workflow": {"states": 3}}).encode()
    place.write_bytes(damage)
    assert home.workflows.load("default").name == "shipped default"
    assert place.read_bytes() == sound
    assert os.listdir(home.cache) == ["default.json"]


def test_cache_that_cannot_be_written_stops_nothing(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    home.cache.parent.write_text("a file where the folder should be")
    assert home.workflows.load("default").name == "shipped default"
    home.cache.parent.unlink()

    def full(_from: str, _to: str) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("orange_tui.home.workflows.os.replace", full)
    assert home.workflows.load("default").name == "shipped default"
    assert os.listdir(home.cache) == []


def test_read_only_home_stops_nothing(home: Home) -> None:
    home.own.parent.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        assert home.workflows.load("default").name == "shipped default"
    finally:
        home.own.parent.chmod(stat.S_IRWXU)


def test_cached_workflow_loads_without_yaml_or_any_other_slow_import(home: Home) -> None:
    home.workflows.load("default")
    script = (
        "import sys\n"
        "from orange_tui.home.workflows import Workflows\n"
        "print(Workflows(sys.argv[1], sys.argv[2]).load('default').name)\n"
        "slow = {'yaml', 'dataclasses', 'typing', 'pathlib', 'importlib.metadata', 'difflib', 'inspect'}\n"
        "ours = {'orange_tui.domain.text.yaml_text', 'orange_tui.domain.workflow_file.loader'}\n"
        "print(sorted((slow | ours) & set(sys.modules)))\n"
    )
    command = [sys.executable, "-S", "-c", script, str(home.own.parent), str(home.shipped)]
    source = os.path.join(os.path.dirname(__file__), "..", "..", "src")
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": source})
    assert done.stdout.splitlines() == ["shipped default", "[]"]


# --- plugins


class Plugins:
    """Stands in for the installed plugins, and counts how often it is asked."""

    def __init__(self, *names: str) -> None:
        self.names = names
        self.asked = 0

    def __call__(self, *, group: str) -> list[metadata.EntryPoint]:
        assert group == "orange_tui.hooks"
        self.asked += 1
        return [metadata.EntryPoint(name, "brew:run", group) for name in self.names]


def test_plugins_are_asked_only_about_actions_orange_does_not_have(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    plugins = Plugins("brew")
    monkeypatch.setattr(metadata, "entry_points", plugins)
    home.workflows.load("solo")
    assert plugins.asked == 0
    (home.own / "mine.yml").write_text(small("mine", "{action: brew, cups: 2}"))
    assert home.workflows.load("mine").transitions[0].hooks[0].params == {"cups": 2}
    assert plugins.asked == 1


def test_workflow_whose_plugin_was_removed_is_not_taken_from_the_cache(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home.own / "mine.yml").write_text(small("mine", "brew"))
    monkeypatch.setattr(metadata, "entry_points", Plugins("brew"))
    home.workflows.load("mine")
    monkeypatch.setattr(metadata, "entry_points", Plugins())
    assert "there is no action 'brew'" in refusal(home, "mine")

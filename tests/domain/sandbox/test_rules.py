"""What is mounted how, and what a project may open, worked out without touching a file."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orange_tui.domain.errors import Refused
from orange_tui.domain.sandbox.opened import Surroundings, check_opened
from orange_tui.domain.sandbox.rules import HIDE, PRIVATE, READ, WRITE, Mount, access_to, is_in, plan_mounts
from orange_tui.domain.sandbox.tables import HOME_SECRETS, removed_variables

AROUND = Surroundings("/home/ana", "/home/ana/orange", "/home/ana/src/coffee")


class Drawn:
    """A tree of files that are only names."""

    def __init__(self, *files: str) -> None:
        self.files = set(files)

    def kind(self, path: str) -> str | None:
        return "file" if path in self.files else "directory" if any(is_in(file, path) for file in self.files) else None

    def names(self, directory: str) -> list[str]:
        return sorted({os.path.relpath(file, directory).split("/")[0] for file in self.files if is_in(file, directory)})

    def target(self, link: str) -> str:
        raise AssertionError(link)


def shown(mounts: list[Mount], path: str) -> str | None:
    """What may be done with a file after all mounts: the last one that it is in says so."""
    found = None
    for mount in mounts:
        if mount.path == path or is_in(path, mount.path):
            if mount.kind in {"read", "write"}:
                found = mount.kind
            elif mount.kind in {"empty", "blank"}:
                found = None
    return found


def test_home_with_a_secret_is_made_anew_and_has_all_else() -> None:
    tree = Drawn("/home/ana/.ssh/id", "/home/ana/notes", "/home/ana/.config/gh/token", "/home/ana/.config/editor/x")
    mounts = plan_mounts({"/home/ana/.ssh": HIDE, "/home/ana/.config/gh": HIDE}, "/home/ana", tree)
    assert Mount("empty", "/home/ana") in mounts
    assert Mount("lock", "/home/ana/.config") in mounts
    wanted = {"/home/ana/.ssh/id": None, "/home/ana/.config/gh/token": None, "/home/ana/notes": "read"}
    assert {path: shown(mounts, path) for path in wanted} == wanted
    assert shown(mounts, "/home/ana/.config/editor/x") == "read"
    assert shown(mounts, "/home/ana/.config/gcloud/made-later") is None


NAMES = st.sampled_from(["a", "b", "c"])
PATHS = st.lists(NAMES, min_size=1, max_size=4).map(lambda names: "/h/" + "/".join(names))


@given(st.dictionaries(PATHS, st.sampled_from([HIDE, READ, WRITE, PRIVATE]), max_size=6), st.sets(PATHS, max_size=8))
def test_each_file_has_what_the_innermost_rule_says(rules: dict[str, str], directories: set[str]) -> None:
    files = {f"{path}/file" for path in directories | set(rules)}
    mounts = plan_mounts(rules, "/h", Drawn(*files))
    for file in files:
        wanted = {READ: "read", WRITE: "write"}.get(access_to(file, rules))
        assert shown(mounts, file) == wanted, (file, rules)


@pytest.mark.parametrize(
    ("path", "write"),
    [
        ("/", False),
        ("/home", False),
        ("/home/ana", False),
        ("/home/ana/.ssh/known_hosts", False),
        ("/home/ana/.config/gh", False),
        ("/home/ana/.config", True),
        ("/home/ana/orange/state", False),
        ("/home/ana/orange/tasks/coffee", True),
        ("/home/ana/src/coffee/.git/hooks", True),
        ("/home/ana/src", True),
        ("/run/user/1000/bus", False),
        ("/run/docker.sock", True),
        ("/etc/shadow", False),
        ("data", False),
    ],
)
def test_path_that_would_open_too_much_is_refused(path: str, *, write: bool) -> None:
    with pytest.raises(Refused, match=r"cannot be opened in a sandbox: .+\. Name|not a whole path"):
        check_opened(path, AROUND, write=write)


@pytest.mark.parametrize(
    ("path", "write"),
    [("/srv/data", True), ("/home/ana/.config", False), ("/tmp/agents", False), ("/home/ana/.cache/models", True)],
)
def test_path_of_a_projects_own_may_be_opened(path: str, *, write: bool) -> None:
    check_opened(path, AROUND, write=write)


@given(st.sampled_from(sorted(HOME_SECRETS)), st.booleans())
def test_no_secret_can_be_opened(name: str, write: bool) -> None:
    with pytest.raises(Refused, match="hidden because it has"):
        check_opened(f"/home/ana/{name}", AROUND, write=write)


def test_variables_that_look_like_secrets_are_removed_but_for_the_agents_own() -> None:
    given = ["GH_TOKEN", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "MONKEY", "PATH", "TMUX", "NPM_TOKEN", "PASSENGER"]
    assert removed_variables(given, ["ANTHROPIC_*"]) == ["GH_TOKEN", "OPENAI_API_KEY", "TMUX", "NPM_TOKEN"]
    assert removed_variables(given, []) == ["GH_TOKEN", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "TMUX", "NPM_TOKEN"]

"""Another git host is one new class and one entry: everything that asks a forge works with it, and never runs gh."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import orange_tui
from orange_tui.delivery import pr_status
from orange_tui.domain.workflow import Hook
from orange_tui.engine.hooks import HookRun
from orange_tui.issues.hooks import register_branch
from orange_tui.issues.sync import sync
from orange_tui.outside.forge import _gh, registry
from orange_tui.outside.forge.github import GitHub
from orange_tui.outside.forge.interface import Issue
from support.driver import put
from support.forge import LabForge

if TYPE_CHECKING:
    from support.driver import Cli
    from support.merge_world import MergeWorld


@pytest.fixture
def lab(monkeypatch: pytest.MonkeyPatch) -> LabForge:
    """A second forge beside GitHub, which must not be asked."""
    forge = LabForge()
    monkeypatch.setattr(registry, "FORGES", (forge, GitHub()))

    def run(*words: object, **_options: object) -> None:
        raise AssertionError(words)

    monkeypatch.setattr(_gh, "run", run)
    return forge


def test_remote_of_another_forge_gets_its_pull_request_there(merge_world: MergeWorld, lab: LabForge, cli: Cli) -> None:
    merge_world.write(merge_world.main, {".lab/templates/Default.md": "- [ ] tasted\n"})
    ref = merge_world.task(context="For the cold days")
    assert cli.ok("task", "create-pr", ref.id, "--json").json()["pr_url"] == lab.url(1)
    assert lab.requests[1].text == "Offer tea\n\nFor the cold days\n\n- [ ] tasted"
    assert merge_world.there("feat/tea") == merge_world.tip("feat/tea")
    assert pr_status.refresh(merge_world.orange.tasks, ref) == "Pull request #1: open"
    assert "has an open pull request" in merge_world.refused(ref)
    lab.states[1] = "merged"
    assert pr_status.refresh(merge_world.orange.tasks, ref) == "Pull request #1: merged"
    assert merge_world.status(ref) == "done"


def test_issue_on_another_forge_becomes_a_task_and_gets_its_result(merge_world: MergeWorld, lab: LabForge) -> None:
    merge_world.orange.projects.update("coffee", {"issues": True})
    url = lab.url(1, "issues")
    lab.issues.append(Issue("key", 1, "Brew tea", "Hot", url, True, "me", (), "2026-11-16T09:00:00Z"))
    project = merge_world.orange.projects.get("coffee")
    (created,) = sync(merge_world.orange.tasks, project)
    (ref,) = merge_world.orange.store.refs("coffee")
    assert (created.kind, merge_world.stored(ref).task.extra["issue_url"]) == ("created", url)
    with merge_world.orange.engine.open(ref) as opened:
        register_branch(HookRun(merge_world.orange.engine, opened, Hook("register_branch", {}), "token"))
        put(opened, "status.changed", {"status": "blocked"}, **{"from": "new", "to": "blocked", "by": "engine"})
    assert [each.kind for each in sync(merge_world.orange.tasks, project)] == ["commented", "labelled"]
    assert lab.branches == ["gh-task-1-brew-tea"]
    assert (len(lab.comments), lab.labels) == (1, ["blocked"])
    assert sync(merge_world.orange.tasks, project) == []


def test_url_is_claimed_by_the_forge_whose_addresses_look_like_it(lab: LabForge) -> None:
    for url, forge in ((lab.url(7), LabForge), ("https://github.com/o/r/pull/7", GitHub)):
        found = registry.find_pull_request(url)
        assert found is not None
        assert (type(found[0]), found[1].number) == (forge, 7)
    assert registry.find_pull_request("https://example.org/7") is None


def test_no_module_outside_of_the_forges_names_the_program_gh() -> None:
    package = Path(orange_tui.__file__).parent
    outside = [path for path in package.rglob("*.py") if path.parent != package / "outside/forge"]
    named = {
        str(path.relative_to(package))
        for path in outside
        if any(word in (text := path.read_text()) for word in ('"gh"', "'gh'", "graphql"))  # parsing takes its time
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant) and node.value in {"gh", "graphql"}
    }
    assert named == set()

"""Agents of tasks in their sandboxes: a newcomer notices nothing, and nothing runs outside that was to be inside."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from orange_tui.branches.rename import update_with_branch
from orange_tui.domain.errors import Refused
from orange_tui.orange import assemble
from support.sandboxed_home import need_sandbox

if TYPE_CHECKING:
    from support.live_home import LiveHome

# What an agent finds of its surroundings: nothing of the person's, nothing of Orange's but its own task.
LOOK = """\
ls -d ~/.ssh "$ORANGE_HOME/projects.json" "$ORANGE_HOME/state/coffee/$ORANGE_TASK/"*.jsonl >$here/seen 2>/dev/null
orange task show $ORANGE_TASK --json >$here/shown 2>&1
"""


def test_demo_goes_from_its_creation_to_your_review_in_a_sandbox(live_home: LiveHome) -> None:
    need_sandbox()
    live_home.orange.projects.update("coffee", {"sandbox": "all"})
    ref = live_home.create("espresso")
    live_home.supervised(lambda: live_home.rests(ref, "reviewing"))
    assert [event["window"] for event in live_home.events(ref, "agent.spawned")] == ["worker", "review-1"]
    assert not live_home.events(ref, "agent.crashed")
    plans = live_home.root / "home/state/coffee" / ref.id / "logs"
    assert sorted(path.name for path in plans.glob("*.sandbox.json")) == [
        "review-1.sandbox.json",
        "worker.sandbox.json",
    ]
    assert live_home.git("log", "--format=%s", "main..espresso")


@pytest.mark.parametrize(("mode", "hidden"), [("off", False), ("reviewers", False), ("all", True)])
def test_worker_is_in_a_sandbox_where_all_are(live_home: LiveHome, mode: str, *, hidden: bool) -> None:
    need_sandbox()
    (live_home.root / "person" / ".ssh").mkdir(parents=True)
    seen = live_home.harness(orders=LOOK)
    live_home.orange.projects.update("coffee", {"sandbox": mode, "sandbox_write": [str(seen)]})
    ref = live_home.create("fix/mokka", harness="recorder", workflow="minimal")
    live_home.wait(lambda: (seen / "shown").exists() and ref.id in (seen / "shown").read_text())
    assert len((seen / "seen").read_text().split()) == (0 if hidden else 3)


def test_reviewer_is_in_a_sandbox_where_reviewers_are(live_home: LiveHome) -> None:
    need_sandbox()
    (live_home.root / "person" / ".ssh").mkdir(parents=True)
    worker, reviewer = live_home.harness("worker", LOOK), live_home.harness("reviewer", LOOK)
    live_home.orange.projects.update("coffee", {"sandbox": "reviewers", "sandbox_write": [str(worker), str(reviewer)]})
    ref = live_home.create("fix/lungo", harness="worker", review_harness="reviewer", workflow="classic")
    live_home.wait(lambda: (worker / "shown").exists() and ref.id in (worker / "shown").read_text())
    body = (live_home.worktree(ref) / "TASK.md").read_text()
    (live_home.worktree(ref) / "TASK.md").write_text(f"{body}\n## Handoff\n\nDONE: all\n")
    live_home.orange.tasks.update(ref, status="agent-review")
    live_home.wait(lambda: (reviewer / "shown").exists() and ref.id in (reviewer / "shown").read_text())
    assert ".ssh" in (worker / "seen").read_text()
    assert (reviewer / "seen").read_text() == ""


def test_agent_that_cannot_be_in_a_sandbox_is_not_started_outside(
    live_home: LiveHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("orange_tui.agents.sandbox.planning.why_no_sandbox", lambda: "bubblewrap is not installed")
    seen = live_home.harness()
    live_home.orange.projects.update("coffee", {"sandbox": "all"})
    ref = live_home.create("fix/decaf", harness="recorder", workflow="minimal")
    assert not (seen / "starts").exists()
    assert live_home.windows(ref) == []
    assert "bubblewrap is not installed; or `orange project update coffee --sandbox off`" in str(
        live_home.task(ref).attention
    )


def test_path_that_would_open_a_secret_starts_nothing_whoever_wrote_it_down(live_home: LiveHome) -> None:
    need_sandbox()
    seen = live_home.harness()
    live_home.orange.projects.update("coffee", {"sandbox": "all", "sandbox_read": ["~/.ssh/id"]})
    ref = live_home.create("fix/ristretto", harness="recorder", workflow="minimal")
    assert not (seen / "starts").exists()
    assert "keys to other machines" in str(live_home.task(ref).attention)


def test_renamed_branch_stays_where_its_agent_can_commit(live_home: LiveHome) -> None:
    need_sandbox()
    live_home.orange.projects.update("coffee", {"sandbox": "all"})
    live_home.harness()
    ref = live_home.create("orange-tasks/nameless", harness="recorder")
    with pytest.raises(Refused, match="orange-tasks/fix-login, for example"):
        update_with_branch(live_home.orange.tasks, ref, "fix/login", str(live_home.root))
    assert live_home.task(ref).branch == "orange-tasks/nameless"
    update_with_branch(live_home.orange.tasks, ref, "orange-tasks/fix-login", str(live_home.root))
    assert live_home.task(ref).branch == "orange-tasks/fix-login"


def test_router_is_in_a_sandbox_where_all_are(live_home: LiveHome) -> None:
    need_sandbox()
    (live_home.root / "person" / ".ssh").mkdir(parents=True)
    (live_home.root / "home" / "config.yml").write_text("sandbox: all\nrouter: guide\n")
    answer = 'echo "{\\"executor\\": \\"guide\\", \\"reason\\": \\"$(ls -d ~/.ssh || echo hidden)\\"}"'
    with (live_home.root / "home" / "harnesses.yml").open("a") as file:
        entry = {"binary": "sh", "full": ["{binary}", "{prompt}"], "one_shot": ["{binary}", "-c", answer, "{prompt}"]}
        file.write(json.dumps({"guide": entry}))
    live_home.orange = assemble(live_home.orange.home)
    ref = live_home.create("fix/route", harness=None, workflow="autopilot")
    live_home.supervised(lambda: bool(live_home.events(ref, "task.routed")))
    assert '"reason": "hidden"' in json.dumps(live_home.events(ref, "task.routed"))


def test_set_up_gets_what_the_project_opens_and_a_registry_login_made_for_agents_but_not_the_persons(
    live_home: LiveHome,
) -> None:
    need_sandbox()
    for name, text in ((".npmrc", "publishes"), (".npmrc-agents", "reads")):
        (live_home.root / "person" / name).parent.mkdir(exist_ok=True)
        (live_home.root / "person" / name).write_text(text)
    (live_home.root / "beans").mkdir()
    (live_home.root / "beans" / "list").write_text("arabica")
    setup = f"cat ~/.npmrc {live_home.root}/beans/list $NPM_CONFIG_USERCONFIG >got; :"
    setup = f"export NPM_CONFIG_USERCONFIG=$HOME/.npmrc-agents; {setup}"
    live_home.harness()
    live_home.orange.projects.update(
        "coffee", {"sandbox": "all", "sandbox_read": [f"{live_home.root}/beans"], "setup": setup}
    )
    ref = live_home.create("fix/crema", harness="recorder", workflow="minimal")
    assert (live_home.worktree(ref) / "got").read_text() == "arabicareads"


# It replaces its login, as Codex does, and looks until the person has another one.
RENEW = """\
echo '{"token": "new"}' >~/.agent/auth.tmp && mv ~/.agent/auth.tmp ~/.agent/auth.json
until grep -q other ~/.agent/auth.json; do sleep 0.1; done
echo '{"token": "last"}' >~/.agent/auth.tmp && mv ~/.agent/auth.tmp ~/.agent/auth.json
touch $here/renewed ~/.agent/hooks.json
"""


def test_login_that_an_agent_replaces_in_its_sandbox_is_the_persons_too_and_nothing_else_is(
    live_home: LiveHome,
) -> None:
    need_sandbox()
    own = live_home.root / "person" / ".agent"
    own.mkdir(parents=True)
    (own / "auth.json").write_text('{"token": "old"}')
    folder = live_home.harness(orders=RENEW)
    with (live_home.root / "home" / "harnesses.yml").open("a") as file:
        file.write('  sandbox: {copied: ["~/.agent"], logins: ["~/.agent/auth.json"]}\n')
    live_home.orange = assemble(live_home.orange.home)
    live_home.orange.projects.update("coffee", {"sandbox": "all", "sandbox_write": [str(folder)]})
    ref = live_home.create("fix/doppio", harness="recorder", workflow="minimal")
    live_home.wait(lambda: "new" in (own / "auth.json").read_text())
    (own / "new.json").write_text('{"token": "other"}')
    (own / "new.json").replace(own / "auth.json")
    live_home.wait((folder / "renewed").exists)
    live_home.orange.tasks.cancel(ref)  # its window is closed within the second in which its launcher would look again
    live_home.wait(lambda: "last" in (own / "auth.json").read_text())
    assert [path.name for path in own.iterdir()] == ["auth.json"]
    assert not list((live_home.root / "home/state/coffee" / ref.id / "private").rglob("auth.json"))

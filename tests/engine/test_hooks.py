"""Every hook is run again when its command was killed before it could say that it was done: it comes to the same."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import TYPE_CHECKING, Any

import pytest

from orange_tui.domain.workflow import Hook
from orange_tui.engine import hooks
from orange_tui.engine.hooks import Action, Actions, HookRun
from orange_tui.orange import assemble
from support.driver import transition
from support.live_home import LiveHome

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from orange_tui.store.store import TaskRef
    from support.live_home import LiveHome


WORKFLOW = """\
name: case
states:
  todo: {{}}
  ready: {{agent: worker, respawn_prompt: go}}
  there: {{agent: worker, respawn_prompt: go}}
  done: {{terminal: true}}
initial: {{todo: {{}}}}
transitions:
  - {{from: todo, to: ready, hooks: {before}}}
  - {{from: ready, to: there, hooks: [{hook}]}}
  - {{from: there, to: done}}
prompts: {{go: "Go on with the work"}}
"""
SPAWN: dict[str, Any] = {"action": "spawn_agent", "prompt": "go"}
REVIEW: dict[str, Any] = {"action": "spawn_reviewer", "prompt": "go"}
TELL: dict[str, Any] = {"action": "notify_worker", "message": "There is news."}
WORKSPACE = [{"action": "acquire_workspace"}]
CASES: dict[str, tuple[list[dict[str, Any]], dict[str, Any]]] = {
    "acquire_workspace": ([], {"action": "acquire_workspace"}),
    "release_workspace": (WORKSPACE, {"action": "release_workspace"}),
    "spawn_agent": (WORKSPACE, SPAWN),
    "spawn_agent that tells a live one": ([*WORKSPACE, SPAWN], SPAWN),
    "spawn_reviewer": ([*WORKSPACE, SPAWN], REVIEW),
    "spawn_reviewer alone": (WORKSPACE, REVIEW),
    "route": ([], {"action": "route", "prompt": "go"}),
    "kill_session": ([*WORKSPACE, SPAWN], {"action": "kill_session"}),
    "kill_reviewer": ([*WORKSPACE, SPAWN, REVIEW], {"action": "kill_reviewer"}),
    "notify_worker": ([*WORKSPACE, SPAWN], TELL),
    "notify_worker that starts one": (WORKSPACE, TELL),
    "spawn_next": ([], {"action": "spawn_next"}),
    "push_branch": (WORKSPACE, {"action": "push_branch"}),
    "create_pr": (WORKSPACE, {"action": "create_pr"}),
    "delete_remote_branch": ([*WORKSPACE, {"action": "push_branch"}], {"action": "delete_remote_branch"}),
    "register_branch": ([], {"action": "register_branch"}),
    "take_report": (WORKSPACE, {"action": "take_report"}),
    "clear_outcome": (WORKSPACE, {"action": "clear_outcome"}),
    "commit_work": (WORKSPACE, {"action": "commit_work"}),
    "delegate": ([], {"action": "delegate"}),
    "increment": ([], {"action": "increment", "field": "attempts"}),
    "set_field": ([], {"action": "set_field", "field": "labels", "value": ["seen"]}),
    "run_command": (WORKSPACE, {"action": "run_command", "command": 'touch "seen-$ORANGE_TASK_STATUS"'}),
    "notify": ([], {"action": "notify", "message": "Look at {branch}"}),
    "notify by bell": ([], {"action": "notify", "message": "Look", "via": "bell"}),
    "notify by webhook": ([], {"action": "notify", "message": "Look", "via": "webhook"}),
}

# A `gh` that opens one pull request for a branch and says of the second that there is one, as the real one does.
GH = """\
#!/bin/sh
here=$(dirname "$0")
what=$2
while [ "$1" != --head ]; do shift; done
made="$here/$2.made"
if [ "$what" = list ]; then
    [ -e "$made" ] && echo '[{"url": "https://github.com/o/r/pull/7"}]' || echo '[]'
    exit
fi
if [ -e "$made" ]; then
    printf 'a pull request for branch "%s" into branch "main" already exists:\\n' "$2" >&2
    echo https://github.com/o/r/pull/7 >&2
    exit 1
fi
echo x >"$made"
echo https://github.com/o/r/pull/7
"""


@dataclass
class Notices:
    """What came in at the webhook, and what a desktop was told."""

    received: list[dict[str, str]]
    desktop: Path

    def count(self) -> int:
        shown = self.desktop.read_text().count("shown") if self.desktop.exists() else 0
        return len(self.received) + shown


@pytest.fixture
def notices(live_home: LiveHome, monkeypatch: pytest.MonkeyPatch) -> Iterator[Notices]:
    """A web server, a desktop and a GitHub of our own."""
    received: list[dict[str, str]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name
            pass

    programs = live_home.root / "bin"
    programs.mkdir()
    for name, text in {"gh": GH, "notify-send": f"#!/bin/sh\necho shown >>{programs}/shown\n"}.items():
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(programs), prepend=":")
    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        (live_home.root / "home" / "config.yml").write_text(f"webhook: http://127.0.0.1:{server.server_port}/\n")
        yield Notices(received, programs / "shown")
        server.shutdown()
        thread.join()


def doubled(name: str) -> Actions:
    """The built-in hooks, with one that is always interrupted before its end is noted, and run again."""
    real = Actions(hooks.BUILT_IN).find(name)

    def twice(run: HookRun) -> None:
        first = HookRun(run.engine, run.opened, Hook(run.action, run.params), run.token)
        first.changes = dict(run.changes)
        real.run(first)
        real.run(run)

    return Actions({**hooks.BUILT_IN, name: Action(twice, real.reserve)})


def play(live_home: LiveHome, branch: str, actions: Actions) -> TaskRef:
    orange = assemble(live_home.orange.home, Actions(hooks.BUILT_IN))
    ref = live_home.create(branch, harness="recorder", workflow="case", summary="Brew", spawn=False)
    transition(orange, ref, "ready", "person")
    panes = live_home.orange.sessions.windows(ref.id, fresh=True)
    live_home.wait(lambda: all("ready" in (orange.tmux.screen(pane.pane_id) or "") for pane in panes))
    transition(assemble(live_home.orange.home, actions), ref, "there", "person")
    return ref


def outcome(live_home: LiveHome, ref: TaskRef) -> dict[str, Any]:
    """All that a hook leaves behind, without names and times."""
    task = live_home.task(ref)
    panes = live_home.orange.sessions.windows(ref.id, fresh=True)
    changing = {"id", "branch", "created_at", "updated_at", "workspace", "tmux_session"}
    return {
        "task": {name: value for name, value in task.as_json().items() if name not in changing},
        "session": task.tmux_session in {None, *(pane.session for pane in panes)} and bool(task.tmux_session),
        "windows": sorted(pane.window for pane in panes),
        "events": [event["type"] for event in live_home.orange.store.journal(ref).events()],
        "held": [slot.state for slot in live_home.orange.pool.slots() if slot.task == ref.id],
        "files": sorted(path.name for path in live_home.worktree(ref).iterdir()) if task.workspace else [],
        "remote": bool(live_home.git("ls-remote", str(live_home.remote), f"refs/heads/{task.branch}")),
    }


def test_every_built_in_hook_has_a_case_here() -> None:
    assert {hook["action"] for _, hook in CASES.values()} == set(hooks.BUILT_IN)


@pytest.mark.parametrize("case", CASES)
def test_hook_that_is_run_twice_has_the_effect_of_one_run(live_home: LiveHome, notices: Notices, case: str) -> None:
    before, hook = CASES[case]
    live_home.orange.projects.update("coffee", {"pool_size": 6})
    (live_home.root / "home" / "workflows").mkdir()
    (live_home.root / "home" / "workflows" / "case.yml").write_text(
        WORKFLOW.format(before=json.dumps(before), hook=json.dumps(hook))
    )
    live_home.harness(orders='echo ready; exec cat >>"$here/heard-$ORANGE_TASK"')
    waiting = (
        [live_home.create(f"next/{n}", harness="recorder", spawn=False) for n in range(4)] if "next" in case else []
    )

    def side_effects() -> tuple[int, ...]:
        heard = [path.read_text().count("the work") for path in (live_home.root / "recorder").glob("heard-*")]
        news = [path.read_text().count("There is news") for path in (live_home.root / "recorder").glob("heard-*")]
        started = [bool(live_home.windows(ref)) for ref in waiting]
        return (notices.count(), sum(started), sum(heard), sum(news))

    once = play(live_home, "once", Actions(hooks.BUILT_IN))
    live_home.wait(lambda: sum(side_effects()[2:]) == len(live_home.events(once, "agent.notified")))
    expected, first = outcome(live_home, once), side_effects()
    assert expected["task"]["attention"] is None
    twice = play(live_home, "twice", doubled(hook["action"]))
    assert outcome(live_home, twice) == expected
    live_home.wait(lambda: side_effects() == tuple(2 * each for each in first))
    if case == "notify by webhook":
        assert set(notices.received[0]) == {"task", "project", "status", "message"}


def in_state(live_home: LiveHome, hook: str) -> str:
    """What a task says after a move with that hook."""
    (live_home.root / "home" / "workflows").mkdir()
    (live_home.root / "home" / "workflows" / "case.yml").write_text(
        WORKFLOW.format(before=json.dumps(WORKSPACE), hook=hook)
    )
    live_home.harness(orders="echo ready; exec cat")
    ref = play(live_home, "fix/pr", Actions(hooks.BUILT_IN))
    assert (live_home.status(ref), live_home.task(ref).pr_url) == ("there", None)
    return live_home.task(ref).attention or ""


def test_without_gh_a_pull_request_is_refused_in_a_sentence_and_nothing_is_pushed(
    live_home: LiveHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = live_home.root / "bin"
    programs.mkdir()
    for name in ("git", "tmux", "sh", "cat", "dirname", "env", "pwd"):
        for folder in ("/usr/bin", "/bin", "/usr/local/bin"):
            if not (programs / name).exists() and (live_home.root / folder / name).exists():
                (programs / name).symlink_to(live_home.root / folder / name)
    monkeypatch.setenv("PATH", str(programs))
    assert "gh is not installed" in in_state(live_home, "create_pr")
    assert live_home.git("ls-remote", str(live_home.remote), "refs/heads/fix/pr") == ""


def test_a_gh_that_is_not_logged_in_is_quoted(live_home: LiveHome, monkeypatch: pytest.MonkeyPatch) -> None:
    programs = live_home.root / "bin"
    programs.mkdir()
    (programs / "gh").write_text("#!/bin/sh\necho 'To get started, please run: gh auth login' >&2\nexit 4\n")
    (programs / "gh").chmod(0o755)
    monkeypatch.setenv("PATH", str(programs), prepend=":")
    said = in_state(live_home, "create_pr")
    assert said.startswith("create_pr failed: ")
    assert "gh auth login" in said

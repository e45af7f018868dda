"""Stories about conflicts: they are in sight before anybody merges, and one key sends them to the agent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.widgets import TextArea

from orange_tui.tui.screens.dialogs import MessageDialog
from support.git import git
from support.stage import story

if TYPE_CHECKING:
    from support.git_stage import GitStage
    from support.stage import Scene


def line_of(scene: Scene, branch: str) -> str:
    """The first line of a task in the list."""
    return next((line for line in scene.text.splitlines() if branch in line), "")


@story
async def test_tasks_that_will_collide_are_marked_while_they_are_at_work(git_stage: GitStage) -> None:
    git_stage.at_work("latte", "latte", status="working")
    git_stage.at_work("mocha", "mocha", status="working")
    async with git_stage.open() as scene:
        await scene.until(lambda: "⇄" in line_of(scene, "latte") and "⇄" in line_of(scene, "mocha"))
        await scene.sees("Will conflict with", "in menu")
        assert "≠" not in scene.text
        assert scene.app.snapshot is not None
        assert scene.app.snapshot.needing == 0


@story
async def test_task_that_conflicts_needs_the_person_and_r_opens_a_prepared_request(git_stage: GitStage) -> None:
    ref = git_stage.at_work("latte", "latte")
    git_stage.commit("menu", "ristretto\n")
    async with git_stage.open() as scene:
        await scene.until(lambda: "≠" in line_of(scene, "latte"))
        await scene.sees("Would not merge, r sends it back: menu", "Conflicts with main: menu")
        await scene.press("r")
        await scene.sees("conflicts: ask the worker to resolve it", "Please merge main into this branch", "- menu")
        await scene.press("ctrl+s")
        await scene.until(lambda: git_stage.status(ref) == "working")
    assert "## Feedback" in git_stage.body(ref)
    assert "hand it in again" in git_stage.body(ref)


@story
async def test_person_edits_or_cancels_the_prepared_request(git_stage: GitStage) -> None:
    ref = git_stage.at_work("latte", "latte")
    git_stage.commit("menu", "ristretto\n")
    async with git_stage.open() as scene:
        await scene.until(lambda: "≠" in line_of(scene, "latte"))
        await scene.press("r")
        await scene.until(lambda: isinstance(scene.app.screen, MessageDialog))
        await scene.press("escape")
        assert git_stage.status(ref) == "reviewing"
        await scene.press("r")
        await scene.until(lambda: isinstance(scene.app.screen, MessageDialog))
        scene.app.screen.query_one(TextArea).text = "Only the menu, please"
        await scene.press("ctrl+s")
        await scene.until(lambda: git_stage.status(ref) == "working")
    assert "Only the menu, please" in git_stage.body(ref)
    assert "hand it in again" not in git_stage.body(ref)


@story
async def test_prepared_request_that_nobody_edited_is_prepared_again(git_stage: GitStage) -> None:
    git(git_stage.path, "switch", "--quiet", "--create", "latte", "main")
    git_stage.commit("prices", "3\n")
    git(git_stage.path, "switch", "--quiet", "main")
    git_stage.commit("prices", "4\n")
    git(git_stage.path, "switch", "--quiet", "latte")
    git_stage.commit("menu", "latte\n")
    git(git_stage.path, "switch", "--quiet", "main")
    git_stage.task(branch="latte", summary="Offer latte", status="reviewing")
    async with git_stage.open() as scene:
        await scene.sees("r sends it back: prices")
        await scene.press("r")
        await scene.sees("- prices")
        await scene.press("escape")
        git_stage.commit("menu", "ristretto\n")
        await scene.sees("r sends it back: menu, prices")
        await scene.press("r")
        await scene.sees("- menu", "- prices")


@story
async def test_a_refused_merge_names_the_files_and_the_key_and_the_key_works_at_once(git_stage: GitStage) -> None:
    """Somebody has pushed: nobody here knew of it until the merge asked."""
    remote = git_stage.root / "remote.git"
    git(git_stage.root, "clone", "--quiet", "--bare", str(git_stage.path), str(remote))
    git(git_stage.path, "remote", "add", "origin", str(remote))
    git(git_stage.path, "fetch", "--quiet")
    git_stage.at_work("latte", "latte")
    other = git_stage.root / "other"
    git(git_stage.root, "clone", "--quiet", str(remote), str(other))
    (other / "menu").write_text("ristretto\n")
    git(other, "commit", "--quiet", "--all", "--message=elsewhere")
    git(other, "push", "--quiet")
    async with git_stage.open() as scene:
        await scene.sees("+1 −1")
        assert "≠" not in scene.text
        await scene.press("m", "y")
        await scene.until(lambda: any("conflicts with main in menu" in told for told in scene.told()))
        assert any("r sends it back" in told for told in scene.told())
        await scene.until(lambda: "≠" in line_of(scene, "latte"))
        await scene.press("r")
        await scene.sees("Please merge origin/main into this branch")


@story
async def test_without_a_conflict_r_opens_on_an_empty_page(git_stage: GitStage) -> None:
    git_stage.at_work("latte", "latte")
    async with git_stage.open() as scene:
        await scene.sees("+1 −1")
        await scene.press("r")
        await scene.until(lambda: isinstance(scene.app.screen, MessageDialog))
        assert scene.app.screen.query_one(TextArea).text == ""


@story
async def test_help_says_what_the_signs_mean(git_stage: GitStage) -> None:
    git_stage.at_work("latte", "latte")
    async with git_stage.open(size=(120, 100)) as scene:
        await scene.press("question_mark")
        await scene.sees("Symbols", "≠", "⇄")


CAFE = """\
name: cafe
states: {ordered: {}, brewing: {}, tasting: {agent: none}, served: {terminal: true}, binned: {terminal: true}}
initial: {ordered: {}, tasting: {}}
transitions:
  - {from: ordered, to: brewing, hooks: [{action: spawn_agent, prompt: brew}]}
  - {from: brewing, to: tasting}
  - {from: tasting, to: served}
  - {from: tasting, to: brewing, hooks: [{action: notify_worker, message: "Read ## Feedback"}]}
  - {from: [ordered, brewing, tasting], to: binned}
prompts: {brew: "Brew"}
"""


@story
async def test_send_back_works_in_a_workflow_with_other_state_names(git_stage: GitStage) -> None:
    folder = git_stage.root / "home" / "workflows"
    folder.mkdir(exist_ok=True)
    (folder / "cafe.yml").write_text(CAFE)
    ref = git_stage.at_work("latte", "latte", workflow="cafe", status="tasting")
    git_stage.commit("menu", "ristretto\n")
    async with git_stage.open() as scene:
        await scene.sees("Would not merge, r sends it back: menu")
        await scene.press("r")
        await scene.sees("Please merge main into this branch")
        await scene.press("ctrl+s")
        await scene.until(lambda: git_stage.status(ref) == "brewing")
    assert "- menu" in git_stage.body(ref)


@story
async def test_send_back_without_a_way_back_or_a_live_worker_says_why_not(git_stage: GitStage) -> None:
    git_stage.at_work("latte", "latte", status="working")
    git_stage.commit("menu", "ristretto\n")
    async with git_stage.open() as scene:
        await scene.until(lambda: "≠" in line_of(scene, "latte"))
        await scene.press("r")
        await scene.until(lambda: any('Can\'t be sent back from "working"' in told for told in scene.told()))


@story
async def test_a_commit_is_seen_when_it_is_made_though_no_file_of_a_task_changes(git_stage: GitStage) -> None:
    git_stage.at_work("fix/latte", "latte", status="working")
    git_stage.task(branch="fix/mocha", summary="Offer mocha", status="working")
    async with git_stage.open() as scene:
        await scene.until(lambda: "+1 −1" in line_of(scene, "fix/latte"))
        assert "⇄" not in scene.text
        git(git_stage.path, "switch", "--quiet", "--create", "fix/mocha", "main")
        git_stage.commit("menu", "mocha\n")
        await scene.until(lambda: "⇄" in line_of(scene, "fix/latte") and "⇄" in line_of(scene, "fix/mocha"))
        git(git_stage.path, "switch", "--quiet", "main")
        git_stage.commit("menu", "ristretto\n")
        await scene.until(lambda: "≠⇄" in line_of(scene, "fix/latte"))

"""Stories about the key that leads to the orchestrator, where it leads nowhere yet."""

from __future__ import annotations

from support.stage import Stage, story


@story
async def test_chat_key_without_an_agent_says_how_to_get_one(stage: Stage) -> None:
    stage.tasks()
    async with stage.open() as scene:
        await scene.press("C")
        await scene.until(lambda: any("No agent is installed to talk to" in told for told in scene.told()))
        assert any("npm install -g" in told for told in scene.told())


@story
async def test_chat_key_with_all_projects_shown_is_about_the_selected_tasks_project(stage: Stage) -> None:
    (stage.root / "tea").mkdir()
    stage.orange.projects.add({"name": "tea", "path": str(stage.root / "tea"), "default_branch": "main"})
    async with stage.open(project=None) as scene:
        await scene.press("C")
        await scene.says("Which project? Select one of its tasks first.")

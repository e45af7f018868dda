"""The diff on the whole screen: through files and changes by keys and mouse, quick however much there is."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from orange_tui.tui.screens.review import ReviewScreen
from orange_tui.tui.widgets.file_list import FileList
from orange_tui.tui.widgets.notice_place import HasWorkplace
from orange_tui.tui.widgets.strip_view import StripView
from support.stage import WORK, Stage, story

if TYPE_CHECKING:
    from support.stage import Scene


def screen(scene: Scene) -> ReviewScreen:
    assert isinstance(scene.app.screen, ReviewScreen)
    return scene.app.screen


@story
async def test_the_files_stand_beside_the_diff_and_keys_go_through_them(stage: Stage) -> None:
    stage.tasks()
    stage.work("login-fix", files=WORK)
    async with stage.open((120, 24)) as scene:
        await scene.press("D")
        await scene.sees("coffee/login-fix", "1/3 auth/login.py", "+12 −4", "M auth/login.py", "D auth/old.py")
        await scene.press("right_square_bracket")
        await scene.sees("2/3 auth/old.py")
        await scene.press("right_square_bracket", "right_square_bracket", "right_square_bracket")
        await scene.sees("3/3 auth/state.py")
        await scene.press("left_square_bracket", "left_square_bracket")
        await scene.sees("1/3 auth/login.py")
        await scene.press("G")
        await scene.press("q")
        await scene.sees("csv-export")


@story
async def test_n_and_p_go_from_change_to_change(stage: Stage) -> None:
    stage.tasks()
    text = "".join(f"line {n}\n" for n in range(1, 401))
    stage.work("before", files={"long.txt": text})
    stage._git("merge", "--quiet", "before")
    stage.work("login-fix", files={"long.txt": text.replace("e 20\n", "e twenty\n").replace("e 200\n", "e two\n")})
    async with stage.open((80, 10)) as scene:
        await scene.press("D")
        await scene.sees("1/1 long.txt", "+2 −2")
        await scene.press("n", "n")
        await scene.until(lambda: "@@ -197" in scene.text.splitlines()[1])
        await scene.press("p")
        await scene.until(lambda: "@@ -17" in scene.text.splitlines()[1])


@story
async def test_notices_cover_nothing_that_is_being_worked_on(stage: Stage) -> None:
    stage.task(branch="brew", summary="Brew it", status="working")
    stage.work("brew", files=WORK)

    def is_covered(scene: Scene) -> bool:
        (toast,), place = scene.app.screen.query("Toast"), cast("object", scene.app.focused)
        assert isinstance(place, HasWorkplace)
        return bool(toast.region) and toast.region.overlaps(place.workplace)

    async with stage.open((80, 24), shows_notices=True) as scene:
        await scene.press("D")
        await scene.until(lambda: screen(scene).code is not None)
        scene.app.notify("A comment was saved, which is told in a sentence of some length.", timeout=1000)
        await scene.sees("A comment was saved")
        for keys in ("jjjjjj", "jjjjjj", "jjjjjj", "g", "G"):
            await scene.press(*keys)
            await scene.until(lambda: not is_covered(scene))
        await scene.press("escape")
        await scene.sees("A comment was saved", "Brew it")
        assert not is_covered(scene)


@story
async def test_a_click_on_a_file_goes_there(stage: Stage) -> None:
    stage.tasks()
    stage.work("login-fix", files={f"brew{n:02}.py": "milk = 1\n" * 40 for n in range(30)})
    async with stage.open((120, 24)) as scene:
        await scene.press("D")
        await scene.sees("1/30 brew00.py")
        await scene.click(FileList, (5, 7))
        await scene.sees("8/30 brew07.py")


@story
async def test_a_narrow_screen_shows_the_files_when_asked(stage: Stage) -> None:
    stage.tasks()
    stage.work("login-fix", files=WORK)
    async with stage.open((80, 24)) as scene:
        await scene.press("D")
        await scene.sees("1/3 auth/login.py")
        assert "M auth/login.py" not in scene.text
        await scene.press("f")
        await scene.sees("M auth/login.py")


@story
async def test_what_the_agent_has_not_committed_yet_is_there_with_new_files(stage: Stage) -> None:
    stage.tasks({"branch": "login-fix", "status": "working", "workspace": "coffee--1"})
    stage.work("login-fix", files=WORK)
    worktree = stage.root / "home" / "workspaces" / "coffee--1"
    stage._git("worktree", "add", "--quiet", str(worktree), "login-fix")
    (worktree / "auth" / "login.py").write_text("nothing = 'left'\n")
    (worktree / "brand new.py").write_text("fresh = True\n")
    async with stage.open((120, 36)) as scene:
        await scene.press("D")
        await scene.sees("A brand new.py", "nothing = 'left'", "D auth/old.py")
        assert scene.text.count("M auth/login.py") == 1


@story
async def test_diff_screen_without_changes_or_branch_says_so(stage: Stage) -> None:
    stage.tasks({"branch": "empty", "status": "working"}, {"branch": "none-yet", "status": "pending"})
    stage.work("other", files=WORK)
    stage._git("branch", "empty", "main")
    async with stage.open((80, 24)) as scene:
        await scene.press("D")
        await scene.sees("No changes yet.")
        await scene.press("n", "p", "right_square_bracket", "escape", "j", "D")
        await scene.sees("none-yet", "git diff:")


@story
async def test_a_thousand_files_and_five_megabytes_are_opened_and_gone_through(stage: Stage) -> None:
    stage.tasks()
    files: dict[str, str | None] = {f"many/f{n:04}.py": f"value = {n}\n" for n in range(1_000)}
    stage.work("login-fix", files=files | {"big.txt": "x" * 49 + "\n" + ("y" * 49 + "\n") * 100_000})
    async with stage.open((120, 36)) as scene:
        await scene.press("D")
        await scene.until(lambda: "1/1001 big.txt" in scene.text)
        await scene.press("G")
        await scene.sees("value = 999")
        drawing = screen(scene)._drawing
        assert drawing is not None
        assert len(drawing._chunks) < 400  # pieces, of two thousand; how many come past on the way varies
        await scene.press("g", "right_square_bracket")
        await scene.sees("2/1001 many/f0000.py")
        assert scene.app.screen.query_one("#changes", StripView).scroll_offset.y > 100_000


@story
async def test_diff_screen_shows_the_whole_reason_why_there_is_no_diff(stage: Stage) -> None:
    stage.tasks()
    (stage.root / "coffee").rename(stage.root / "away")
    async with stage.open((100, 24)) as scene:
        await scene.press("D")
        await scene.sees("no diff", "is not there", "back,", "forget", "project:", "remove")

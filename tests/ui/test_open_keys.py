"""Out of the app and back, at a real terminal: TASK.md in an editor, a shell and an editor in the worktree, names."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from orange_tui.store.store import StoredTask
from orange_tui.tui.session.copy_menu import CopyMenu
from support.live_home import started
from support.lively import lively
from support.person import ORANGE
from support.stage import Stage, story

if TYPE_CHECKING:
    import pytest

    from orange_tui.store.store import TaskRef
    from support.live_home import LiveHome
    from support.person import Terminal

# What an editor is, to a test: it says what it was given, and does what a file tells it to.
EDITOR = """\
#!/bin/sh
here=$(dirname "$0")
printf '%s\\n' "$@" >"$here/given"
for last; do :; done
. "$here/orders"
"""


def body(live_home: LiveHome, ref: TaskRef) -> str:
    found = live_home.orange.store.read(ref)
    assert isinstance(found, StoredTask)
    return found.body


def test_an_editor_a_shell_and_the_worktree_are_a_key_away_and_lead_back(
    live_home: LiveHome, terminal: Terminal
) -> None:
    ref, folder = started(live_home, "fix/tea"), live_home.root / "an editor"
    folder.mkdir()
    (folder / "edit").write_text(EDITOR)
    (folder / "edit").chmod(0o755)
    orders, given = folder / "orders", folder / "given"
    words = shlex.quote(str(folder / "edit"))
    (live_home.root / "home" / "config.yml").write_text(f"""editor: "{words} --new '$(touch no-shell)'"\n""")
    home, worktree = shlex.quote(live_home.orange.home.root), live_home.worktree(ref)
    variables = f"ORANGE_HOME={home} EDITOR={shlex.quote(f'{words} -w')} SHELL=/bin/sh PS1=in-the-shell-"
    terminal.type(f"env {variables} {ORANGE} --project coffee; echo code-$?")
    terminal.shows("⏎ attach")

    orders.write_text(
        'echo \'A [bold]note[/].\' >"$last.new"; cat "$last" "$last.new" >"$last.2"; mv "$last.2" "$last"\n'
    )
    terminal.press("e")
    terminal.shows("TASK.md was changed")
    assert body(live_home, ref).endswith("A [bold]note[/].\n")
    assert given.read_text().splitlines()[0] == "-w"

    orders.write_text("echo editing; exec sleep 1000\n")
    terminal.press("e")
    terminal.shows("editing")
    terminal.press("C-c")  # is for the editor, and not for Orange
    terminal.shows("nothing was taken over")
    terminal.shows("⏎ attach")

    terminal.press("!", "!", "x")  # what is typed ahead is for the shell, and does nothing in the list
    terminal.shows("This is the worktree of fix/tea; `exit` leads back to Orange.")
    terminal.shows("in-the-shell-")
    terminal.press("C-u")
    terminal.type(
        "pwd -P >seen; echo $ORANGE_SHELL_TASK ${ORANGE_TASK-none} >>seen; orange task update --summary Stirred; exit"
    )
    terminal.shows("⏎ attach")
    assert "Cancel fix/tea" not in terminal.screen()
    seen = (worktree / "seen").read_text()
    assert seen.startswith(f"{worktree.resolve()}\n{ref.id} none\n")
    assert live_home.task(ref).summary == "Stirred"

    orders.write_text('pwd -P >>"$here/given"\n')
    given.unlink()
    terminal.press("o")
    live_home.wait(lambda: given.exists() and len(given.read_text().splitlines()) == 4)
    assert given.read_text().splitlines() == ["--new", "$(touch no-shell)", str(worktree), str(worktree.resolve())]
    terminal.shows("⏎ attach")
    terminal.press("q")
    terminal.shows("code-0")


@story
async def test_two_keys_copy_what_the_second_stands_for(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    lively(stage, monkeypatch)
    monkeypatch.setenv("ORANGE_HOME", "/home/of mine")
    monkeypatch.delenv("ORANGE_TMUX_SOCKET")
    home = stage.root / "home"
    async with stage.open() as scene:
        for key, text in (
            ("y", "task001"),
            ("b", "login-fix"),
            ("p", f"{home}/workspaces/coffee--1"),
            ("t", f"{home}/tasks/coffee/task001/TASK.md"),
            ("a", "env 'ORANGE_HOME=/home/of mine' orange task attach task001"),
        ):
            await scene.press("y", key)
            await scene.until(lambda text=text: scene.app.clipboard == text)  # type: ignore[misc]
            await scene.says(f"Copied {text}")
        await scene.press("y", "u")
        await scene.says("It has no pull request.")
        assert isinstance(scene.app.screen, CopyMenu)
        await scene.press("down", "enter")
        await scene.until(lambda: scene.app.clipboard == "login-fix")
        await scene.press("G")  # a task that is cancelled
        for key in ("!", "o"):
            await scene.press(key)
        assert scene.told().count("It is finished, and its workspace was released") == 2

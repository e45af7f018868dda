"""Getting a person's attention outside of Orange. Notices name the task and carry no file content."""

from __future__ import annotations

import json
import shutil

from orange_tui.domain.errors import Refused
from orange_tui.outside.programs import run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.domain.task import Task
    from orange_tui.home.paths import Home

_TIMEOUT = 5.0


def send(via: str, task: Task, message: str, home: Home) -> None:
    """Send a notice the way it was asked for; the bell is rung by the app, which reads the history."""
    if via == "desktop":
        show_on_desktop(f"Orange: {task.project}/{task.branch}", message)
    elif via == "webhook":
        _webhook({"task": task.id, "project": task.project, "status": task.status, "message": message}, home)


def show_on_desktop(title: str, message: str) -> bool:
    """Show a notice with whichever program there is for it; says whether there is one."""
    if shutil.which("notify-send"):
        return run(["notify-send", "--app-name=Orange", "--", title, message], timeout=_TIMEOUT).code == 0
    if shutil.which("osascript"):
        script = "on run argv\ndisplay notification (item 2 of argv) with title (item 1 of argv)\nend run"
        return run(["osascript", "-e", script, title, message], timeout=_TIMEOUT).code == 0
    return False


def _webhook(content: dict[str, str], home: Home) -> None:
    from urllib.request import Request, urlopen

    from orange_tui.home.settings import read_settings

    url = read_settings(home).text("webhook")
    if not url:
        return
    if not url.startswith(("https://", "http://")):
        raise Refused(f"webhook in config.yml is not a web address: {url}")
    request = Request(url, json.dumps(content).encode(), {"Content-Type": "application/json"})  # noqa: S310 - checked
    try:
        with urlopen(request, timeout=_TIMEOUT):  # noqa: S310 - checked above
            return
    except OSError as problem:
        raise Refused(f"the webhook did not answer: {problem}") from None

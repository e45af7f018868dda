"""Getting a person's attention outside of Orange. Notices name the task and carry no file content."""

from __future__ import annotations

import json
import shutil

from orange_tui.domain.errors import Refused
from orange_tui.domain.task import check_web_address
from orange_tui.outside.programs import run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.domain.task import Task

_TIMEOUT_SECONDS = 5.0


def show_on_desktop(title: str, message: str) -> bool:
    """Show a notice with whichever program there is for it; returns whether there is one."""
    if shutil.which("notify-send"):
        return run(["notify-send", "--app-name=Orange", "--", title, message], timeout=_TIMEOUT_SECONDS).code == 0
    if shutil.which("osascript"):
        script = "on run argv\ndisplay notification (item 2 of argv) with title (item 1 of argv)\nend run"
        return run(["osascript", "-e", script, title, message], timeout=_TIMEOUT_SECONDS).code == 0
    return False


def post_to_webhook(url: str, task: Task, message: str) -> None:
    """Send a notice about a task to a web address."""
    from http.client import HTTPException
    from urllib.request import Request, urlopen

    content = {"task": task.id, "project": task.project, "status": task.status, "message": message}
    request = Request(check_web_address(url), json.dumps(content).encode(), {"Content-Type": "application/json"})  # noqa: S310 - checked
    try:
        with urlopen(request, timeout=_TIMEOUT_SECONDS):  # noqa: S310 - checked above
            return
    except (OSError, HTTPException, ValueError) as problem:
        raise Refused(f"the webhook did not answer: {problem}") from None

"""What a task's windows have printed, from their logs: these stay when window, worktree and branch are gone."""

from __future__ import annotations

import os
import re

from orange_tui.home.files import read_end

_MAX_BYTES = 200_000  # of a log that is shown on a screen
_COLOUR = r"\[[0-9;:]*m"
_ESCAPES = r"\x1b{not_colour}(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])"


def log_files(state_directory: str) -> dict[str, str]:
    """The logs of a task's windows, by window, newest last."""
    folder = os.path.join(state_directory, "logs")
    try:
        names = [name for name in os.listdir(folder) if name.endswith(".log")]
    except OSError:
        return {}
    paths = [path for name in names if os.path.isfile(path := os.path.join(folder, name))]
    paths.sort(key=os.path.getmtime)
    return {os.path.basename(path).removesuffix(".log"): path for path in paths}


def read_log(path: str, *, max_bytes: int = _MAX_BYTES, keep_colours: bool = False) -> str:
    """The end of what was printed, without escape sequences, unless those that set colours are to stay.

    Of a line that was written over, what was written last stays.
    """
    text = read_end(path, max_bytes).decode(errors="replace")
    pattern = _ESCAPES.replace("{not_colour}", f"(?!{_COLOUR})" if keep_colours else "")
    text = re.sub(pattern, "", text)
    lines = [line.rsplit("\r", 1)[-1].rstrip() for line in text.replace("\r\n", "\n").split("\n")]
    return "\n".join(lines).strip("\n")

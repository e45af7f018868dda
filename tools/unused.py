"""What nobody in `src` uses: found by vulture, less what is used in a way that it cannot see.

Tests do not count as users: code that only tests call is dead. Run by `make check`.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from vulture import Vulture

SOURCE = Path(__file__).parent.parent / "src"
CONFIDENCE = 60

# Textual, mistune, pygments and Python call these by name.
CALLED_BY_LIBRARIES = re.compile(
    r"(action|on|_on|watch|validate|compute|render|get|visit)_\w+|compose|discover|search|parse_\w+|\w+_paragraph"
    r"|ALLOW_SELECT|focus_on_click|can_replace|BINDINGS|VERTICAL_BREAKPOINTS|AUTO_FOCUS|CSS|CSS_PATH|DEFAULT_CSS|TITLE|COMMANDS|ENABLE_COMMAND_PALETTE|can_focus|cursor_blink|disabled|__\w+__"
)
# Each with the reason why it stays.
EXCEPTIONS = {
    "permission": "a harness's patterns, read by the name of the state",
    "one_shot": "a harness's command lines, read by the name of the mode",
    "one_shot_work": "likewise",
    "needs_help": "part of a report, which is recorded as a whole",
    "old_path": "part of a parsed diff: what a renamed file was called",
    "_end_what_nobody_waits_for": "registered with atexit",
}
NAMED_IN_STRINGS = re.compile(r'"(?:orange_tui(?:\.\w+)+)?:(\w+)"|f"\{_\w+\}:(\w+)"')


def main() -> int:
    """Print every name that is not used; the exit code says whether there is one."""
    finder = Vulture()
    finder.scavenge([str(SOURCE)])
    named = _names_in_strings()
    unused = [each for each in finder.get_unused_code(min_confidence=CONFIDENCE) if not _is_fine(each.name, named)]
    for each in unused:
        print(f"{each.filename}:{each.first_lineno}: {each.typ} {each.name} is not used")
    return 1 if unused else 0


def _names_in_strings() -> set[str]:
    """Commands and hooks are named as `module:name` and imported when they run."""
    found: set[str] = set()
    for path in SOURCE.rglob("*.py"):
        found.update(first or second for first, second in NAMED_IN_STRINGS.findall(path.read_text()))
    return found


def _is_fine(name: str, named: set[str]) -> bool:
    return name in named or name in EXCEPTIONS or CALLED_BY_LIBRARIES.fullmatch(name) is not None


if __name__ == "__main__":
    sys.exit(main())

"""The demo agent as a router: the same question gets the same answer, unless the summary asks for trouble.

`[decompose]` wants the task split, `[question]` takes it for a question, `[skill:NAME]` and `[model:NAME]` choose
those, and the rest is what can happen with a real one: `[bad-json]`, `[no-json]`, `[unknown-agent]`, `[no-agent]`,
`[fails]`, `[slow]`, `[chatty]`.
"""

from __future__ import annotations

import json
import re
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Route = Mapping[str, object]

FIRST_LINE = "Route this task."
_SUMMARY = re.compile(r"^Summary: (.*)$", re.MULTILINE)
_WORD = re.compile(r"\[([a-z-]+)(?::([\w./-]+))?\]")
_SLOW_SECONDS = 3600.0
_FAILED_EXIT_CODE = 3


def answer(question: str) -> int:
    """Print an answer; returns the exit code."""
    found = _SUMMARY.search(question)
    asked = dict(_WORD.findall(found[1] if found else ""))
    route = _route(asked)
    bad_answer = next((misbehave(route) for word, misbehave in _MISBEHAVIOURS.items() if word in asked), None)
    sys.stdout.write(bad_answer or f"This one is easy.\n```json\n{json.dumps(route, indent=2)}\n```\n")
    return 0


def _route(asked: Mapping[str, str]) -> Route:
    split = "decompose" in asked
    return {
        "executor": "demo",
        "model": asked.get("model"),
        "decompose": split,
        "question": "question" in asked,
        "reason": "It has several parts." if split else "The demo agent knows this kind of work.",
        "profile": {
            "role": "Planner" if split else "Barista",
            "skills": ["Python", "git"],
            "tools": ["Edit"],
            "constraints": ["touch nothing that the task does not name"],
        },
        "selected_skills": [asked["skill"]] if asked.get("skill") else [],
    }


def _fail(_route: Route) -> str:
    sys.stderr.write("Error: no more coffee\n")
    raise SystemExit(_FAILED_EXIT_CODE)


def _wait(_route: Route) -> str:
    time.sleep(_SLOW_SECONDS)
    return ""


def _print_endlessly(_route: Route) -> str:
    while True:
        sys.stdout.write("Let me think about it. " * 4000)


_MISBEHAVIOURS: Mapping[str, Callable[[Route], str]] = {
    "bad-json": lambda route: json.dumps(route)[:-20],
    "no-json": lambda _: "I would take the demo agent.",
    "unknown-agent": lambda route: json.dumps({**route, "executor": "hal9000"}),
    "no-agent": lambda route: json.dumps({**route, "executor": None}),
    "fails": _fail,
    "slow": _wait,
    "chatty": _print_endlessly,
}

"""The demo harness's answer to one question: `python -m orange_tui.demo.one_shot PROMPT`, printed, and that is all."""

from __future__ import annotations

import sys

from orange_tui.demo.router import FIRST_LINE, answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Route where that is the question; anything else is work."""
    prompt = "\n".join(sys.argv[1:] if argv is None else argv)
    return answer(prompt) if prompt.startswith(f"{FIRST_LINE}\n") else work(prompt)


def work(_prompt: str) -> int:
    """Do a whole task without a window."""
    sys.stdout.write("not yet\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())

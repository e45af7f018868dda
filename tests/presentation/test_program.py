"""What people are told to type for Orange works in the shell they have."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING

from orange_tui.presentation.program import program_words

if TYPE_CHECKING:
    import pytest


def test_the_program_is_called_by_its_path_only_where_the_shell_does_not_find_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found: list[str | None] = [None]
    monkeypatch.setattr(shutil, "which", lambda _name: found[0])
    monkeypatch.setattr(sys, "argv", ["/beans/.venv/bin/orange", "--all"])
    assert program_words() == "/beans/.venv/bin/orange"
    found[0] = "/usr/bin/orange"
    assert program_words() == "orange"
    found[0] = None
    monkeypatch.setattr(sys, "argv", ["/beans/orange_tui/__main__.py"])
    assert program_words() == "orange"

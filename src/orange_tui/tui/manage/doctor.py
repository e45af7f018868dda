"""The check-up: what is installed, what is wrong and how to mend it, and what it has finished."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from rich.text import Text
from textual.screen import Screen
from textual.widgets import Static

from orange_tui.domain.records import replace
from orange_tui.supervisor.doctor import TOPICS, Doctor, Finding, examine_topic
from orange_tui.tui.drawing.lines import paragraph, safe, strip_of
from orange_tui.tui.screens.dialogs import ConfirmDialog
from orange_tui.tui.theme import palette_for
from orange_tui.tui.widgets.bars import keys_line
from orange_tui.tui.widgets.strip_view import StripView
from orange_tui.tui.workers import begin_work

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rich.style import Style
    from textual.app import ComposeResult
    from textual.strip import Strip

    from orange_tui.orange import Orange
    from orange_tui.tui.drawing.palette import Palette

_KEYS = (("r", "check again"), ("n", "send a test notice"), ("j k space g G", "scroll"), ("esc", "back"))
_MARKS = {"good": "✓", "note": "·", "bad": "✗"}
_TEST = "A test notice goes to every address in `notify` of config.yml, and everything is checked again."
_MARGIN = 2


class DoctorScreen(Screen[None]):
    """Every finding as it comes, the bad ones first once all are there."""

    BINDINGS = [  # noqa: RUF012 - Textual's own way
        ("escape,q", "dismiss", "Back"),
        ("r", "again", "Check again"),
        ("n", "test_notice", "Send a test notice"),
    ]

    def __init__(self, orange: Orange, key_overrides: Mapping[str, str] | None = None) -> None:
        super().__init__()
        self._orange, self._key_overrides = orange, key_overrides or {}
        self._findings: list[Finding] = []

    def compose(self) -> ComposeResult:
        yield Static(id="header")
        yield StripView(id="page")
        yield Static(keys_line(_KEYS, palette_for(self.app)), id="footer")

    def on_mount(self) -> None:
        self.query_one("#page").add_class("page").focus()
        self._start(sends_notice=False)

    def on_resize(self) -> None:
        self._draw()

    def action_again(self) -> None:
        self._start(sends_notice=False)

    def action_test_notice(self) -> None:
        def answered(yes: bool | None) -> None:
            if yes:
                self._start(sends_notice=True)

        self.app.push_screen(ConfirmDialog("Send a test notice?", _TEST, "Send"), answered)

    def _start(self, *, sends_notice: bool) -> None:
        """Check everything, unless that is under way."""
        if not any(worker.group == "doctor" and worker.is_running for worker in self.workers):
            doctor = replace(self._orange.doctor, sends_notice=sends_notice)
            begin_work(self, partial(self._examine, doctor), group="doctor")

    async def _examine(self, doctor: Doctor) -> None:
        keys = self._key_overrides.items()
        lost = [
            f"{name} has no key: config.yml gives its own to another. ctrl+p finds it" for name, key in keys if not key
        ]
        self._findings = [Finding("note", each, "Give it another one: `keys` in the settings (O)") for each in lost]
        for number, topic in enumerate(TOPICS, 1):
            self._show_header(f"checking {topic} … {number}/{len(TOPICS)}")
            found = await asyncio.to_thread(examine_topic, doctor, topic)
            self._findings = list(dict.fromkeys([*self._findings, *found]))  # what several checks find is said once
            self._draw()
        self._findings.sort(key=lambda finding: list(_MARKS)[::-1].index(finding.level))
        self._draw()
        self._show_header(verdict(self._findings))

    def _show_header(self, text: str) -> None:
        palette = palette_for(self.app)
        self.query_one("#header", Static).update(Text.assemble((" Doctor  ", palette.accent), (text, palette.dim)))

    def _draw(self) -> None:
        strips = [line for each in self._findings for line in finding_lines(each, self.size.width - 4, self._palette)]
        self.query_one("#page", StripView).show(strips)

    @property
    def _palette(self) -> Palette:
        return palette_for(self.app)


def verdict(findings: Sequence[Finding]) -> str:
    """How it stands, in a few words."""
    bad = sum(finding.level == "bad" for finding in findings)
    notes = sum(finding.level == "note" for finding in findings)
    if bad:
        return f"{bad} thing{'' if bad == 1 else 's'} to mend"
    return f"nothing to mend, {notes} thing{'' if notes == 1 else 's'} to know" if notes else "all is well"


def finding_lines(finding: Finding, width: int, palette: Palette) -> Iterator[Strip]:
    """A finding with its mark, and what to do about it below."""
    mark, style = _MARKS[finding.level], _style(finding.level, palette)
    text = palette.text if finding.level != "good" else palette.dim
    for number, line in enumerate(_wrapped(finding.what, width)):
        yield strip_of([(f"{mark if number == 0 else ' '} ", style), (line, text)])
    for part in finding.repair.splitlines():
        for line in _wrapped(part, width - _MARGIN):
            yield strip_of([("    ", text), (line, palette.accent if finding.level == "bad" else palette.dim)])


def _wrapped(text: str, width: int) -> list[str]:
    from rich.style import Style

    lines = [strip for each in text.splitlines() for strip in paragraph(safe(each), Style(), max(20, width - _MARGIN))]
    return [line.text for line in lines]


def _style(level: str, palette: Palette) -> Style:
    return {"good": palette.good, "note": palette.warning, "bad": palette.bad}[level]

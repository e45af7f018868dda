"""Films the real demo for the README, as an animated SVG: no recorder, no fonts, no scripts. Run by `make picture`.

The app runs in a tmux of its own, keys are pressed as a person would, and the screen is captured as it changes. Each
different line is drawn once and used by every frame that shows it; CSS shows the frames one after the other, which
GitHub plays. Waiting is cut short, nothing else is.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from html import escape
from itertools import dropwhile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rich.ansi import AnsiDecoder
from rich.cells import cell_len
from rich.console import Console

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.style import Style
    from rich.text import Text

ROOT = Path(__file__).parent.parent
PICTURE = ROOT / "pictures" / "demo.svg"
WIDTH, HEIGHT = 110, 31
CELL, LINE, FONT, MARGIN = 8.4, 17, 14, 12  # pixels
BACKGROUND, FOREGROUND = "#161513", "#d7d3cd"
LONGEST_HOLD, SHORTEST_HOLD = 1.5, 0.1  # seconds, of one frame
POLL, PATIENCE = 0.15, 90.0
MOST_BYTES = 1_000_000
_TEMPORARY = re.compile(r"/tmp/orange-demo-\w{8}")  # noqa: S108 - where the demo happens to be


class Step(NamedTuple):
    """Keys as tmux names them, or text to type; then what must be on the screen, and for how long it is looked at."""

    keys: tuple[str, ...] = ()
    text: str = ""
    until: str = ""
    hold: float = 1.0


class Frame(NamedTuple):
    """What the screen showed, and for how long."""

    lines: tuple[str, ...]
    seconds: float


# From the first task to a merged one. What is waited for is words on the screen, not times.
STORY = (
    Step(until=r"decaf +planning", hold=2.5),
    Step(until=r"iced-latte +clarification", hold=1.5),
    Step(keys=("/",)),
    Step(text="iced"),
    Step(keys=("Enter",), hold=1.5),
    Step(keys=("a",), until="Answer iced-latte"),
    Step(text="With vanilla, please. And a straw."),
    Step(keys=("C-s",), until=r"iced-latte +(planning|working)", hold=2),
    Step(keys=("Tab",), hold=3),
    Step(keys=("Escape",), until=r"decaf +your review", hold=1.5),
    Step(keys=("/",)),
    Step(text="offer decaf"),
    Step(keys=("Enter",)),
    Step(keys=("D",), until=r"for _ in range", hold=1.5),
    Step(keys=("j",) * 17),
    Step(keys=("c",), until="Comment on coffee/decaf.py"),
    Step(text="The first cup is not counted."),
    Step(keys=("C-s",), until="1 draft"),
    Step(keys=("r",), until="Send decaf back"),
    Step(keys=("C-s",), until="open", hold=1.5),
    Step(until="fixed", hold=2.5),
    Step(keys=("Escape",), until=r"decaf +your review", hold=1),
    Step(keys=("m",), until="into main", hold=1.5),
    Step(keys=("y",), until=r"[Mm]erged|decaf +done", hold=2.5),
    Step(keys=("Escape",), hold=2.5),
)


class Camera:
    """A terminal of its own, and the frames that were taken of it."""

    def __init__(self, folder: str) -> None:
        self.words = ["tmux", "-L", f"orange-picture-{os.getpid()}", "-f", os.devnull]
        self.frames: list[Frame] = []
        orange = Path(sys.executable).parent / "orange"
        environment = {**os.environ, "HOME": folder, "COLORTERM": "truecolor", "TERM": "xterm-256color"}
        for name in ("TMUX", "NO_COLOR", "ORANGE_HOME", "ORANGE_TASK"):
            environment.pop(name, None)
        size = ["-x", str(WIDTH), "-y", str(HEIGHT)]
        command = [*self.words, "new-session", "-d", *size, "--", str(orange), "demo", "--pace", "0.6"]
        subprocess.run(command, check=True, env=environment)

    def close(self) -> None:
        """End it, and what runs in it."""
        subprocess.run([*self.words, "kill-server"], check=False)

    def play(self, step: Step) -> None:
        """Press the keys one by one, and look on until the words are there."""
        for key in step.keys:
            self._send(key)
            self.look(POLL)
        for letter in step.text:
            self._send("-l", letter)
            self.look(0.06)
        deadline = time.monotonic() + PATIENCE
        while step.until and not re.search(step.until, self._plain()):
            if time.monotonic() > deadline:
                raise SystemExit(f"{step.until!r} never came:\n{self._plain()}")
            self.look(POLL)
        self.look(step.hold)

    def look(self, seconds: float) -> None:
        """Film for that long."""
        end = time.monotonic() + seconds
        while True:
            began = time.monotonic()
            lines = self._settled()
            time.sleep(max(0.0, min(POLL, end - time.monotonic())))
            self._add(lines, time.monotonic() - began)
            if time.monotonic() >= end:
                return

    def _settled(self) -> tuple[str, ...]:
        """The screen, not in the middle of being drawn, unless it never stands still."""
        lines = self._screen("-e", "-N")
        for _ in range(5):
            time.sleep(0.02)
            again = self._screen("-e", "-N")
            if again == lines:
                break
            lines = again
        return lines

    def _add(self, lines: tuple[str, ...], seconds: float) -> None:
        if self.frames and self.frames[-1].lines == lines:
            seconds += self.frames.pop().seconds
        self.frames.append(Frame(lines, seconds))

    def _plain(self) -> str:
        return "\n".join(self._screen())

    def _screen(self, *options: str) -> tuple[str, ...]:
        done = subprocess.run([*self.words, "capture-pane", "-p", *options], check=True, capture_output=True, text=True)
        return tuple(_TEMPORARY.sub("/home/ana/src/coffee-demo", done.stdout).split("\n")[:HEIGHT])

    def _send(self, *keys: str) -> None:
        subprocess.run([*self.words, "send-keys", *keys], check=True)


class Drawing:
    """The SVG: every different line once, every style once."""

    def __init__(self) -> None:
        self.rows: dict[str, str] = {}
        self.styles: dict[str, str] = {}
        self._console = Console(width=WIDTH, color_system="truecolor", force_terminal=True)

    def row(self, line: Text) -> str:
        """The id of a line; nothing where there is nothing to be seen."""
        drawn = "".join(self._runs(line))
        return self.rows.setdefault(drawn, f"r{len(self.rows)}") if drawn else ""

    def _runs(self, line: Text) -> Iterable[str]:
        column = 0
        for segment in line.render(self._console):
            text, width = segment.text.rstrip("\n"), cell_len(segment.text.rstrip("\n"))
            front, back, extra = _look(segment.style)
            if back != BACKGROUND and width:
                yield f'<path fill="{back}" d="M{_n(column * CELL)} 0h{_n(width * CELL)}v{LINE}h-{_n(width * CELL)}z"/>'
            yield from self._text(text, column, front + extra)
            column += width

    def _text(self, text: str, column: int, style: str) -> Iterable[str]:
        words = text.strip()
        if words:
            start = column + cell_len(text) - cell_len(text.lstrip())
            name = self.styles.setdefault(style, f"s{len(self.styles)}")
            where = f'x="{_n(start * CELL)}" y="{LINE - 4}" textLength="{_n(cell_len(words) * CELL)}"'
            yield f'<text class="{name}" {where}>{escape(words)}</text>'


def _look(style: Style | None) -> tuple[str, str, str]:
    """The colour of the text, the one behind it, and what else."""
    if style is None:
        return f"fill:{FOREGROUND}", BACKGROUND, ""
    front = style.color.get_truecolor().hex if style.color and not style.color.is_default else FOREGROUND
    back = style.bgcolor.get_truecolor().hex if style.bgcolor and not style.bgcolor.is_default else BACKGROUND
    if style.reverse:
        front, back = back, front
    extra = ";font-weight:bold" * bool(style.bold) + ";text-decoration:underline" * bool(style.underline)
    return f"fill:{front}", back, extra + ";opacity:.6" * bool(style.dim)


def _n(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")


def svg(frames: list[Frame], title: str) -> str:
    """The whole picture. Without animation, as where a person wants no motion, the frame of the review is shown."""
    drawing = Drawing()
    holds = [min(max(frame.seconds, SHORTEST_HOLD), LONGEST_HOLD) for frame in frames]
    still = next((at for at, frame in enumerate(frames) if "fixed" in "".join(frame.lines)), len(frames) - 1)
    body = [_frame(drawing, frame, number, is_still=number == still) for number, frame in enumerate(frames)]
    styles = "".join(f".{name}{{{style}}}" for style, name in drawing.styles.items())
    x, y = _n(WIDTH * CELL + 2 * MARGIN), HEIGHT * LINE + 2 * MARGIN
    corner = f'x="-{MARGIN}" y="-{MARGIN}"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-{MARGIN} -{MARGIN} {x} {y}" role="img">',
            f"<title>{escape(title)}</title>",
            f"<style>text{{white-space:pre;font:{FONT}px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}}",
            f".f{{visibility:hidden;animation:{sum(holds):.1f}s step-end infinite}}",
            "@media (prefers-reduced-motion:reduce){.f{animation:none}.still{visibility:visible}}",
            f"{styles}{''.join(_timing(holds))}</style>",
            f'<rect {corner} width="{x}" height="{y}" rx="8" fill="{BACKGROUND}"/>',
            "<defs>" + "".join(f'<g id="{name}">{drawn}</g>' for drawn, name in drawing.rows.items()) + "</defs>",
            *body,
            "</svg>",
            "",
        ]
    )


def _frame(drawing: Drawing, frame: Frame, number: int, *, is_still: bool) -> str:
    lines = map(AnsiDecoder().decode_line, frame.lines)  # a line may go on with the style of the one above
    rows = [(at, row) for at, line in enumerate(lines) if (row := drawing.row(line))]
    uses = "".join(f'<use href="#{row}" y="{LINE * at}"/>' for at, row in rows)
    return f'<g class="f{" still" * is_still}" style="animation-name:f{number}">{uses}</g>'


def _timing(holds: list[float]) -> Iterable[str]:
    """When each frame is to be seen, as parts of the whole."""
    total, at = sum(holds), 0.0
    for number, hold in enumerate(holds):
        begins, ends = 100 * at / total, 100 * (at + hold) / total
        hidden = "" if number == 0 else "0%{visibility:hidden}"
        gone = "" if number == len(holds) - 1 else f"{ends:.2f}%{{visibility:hidden}}"
        yield f"@keyframes f{number}{{{hidden}{begins:.2f}%{{visibility:visible}}{gone}}}"
        at += hold


def main() -> int:
    """Film the story, and write the picture if it is small enough."""
    with tempfile.TemporaryDirectory(prefix="orange-picture-") as folder:
        camera = Camera(folder)
        try:
            for step in STORY:
                camera.play(step)
        finally:
            camera.close()
    frames = list(dropwhile(lambda frame: not "".join(frame.lines).strip(), camera.frames))  # it begins with the app
    text = svg(frames, "Orange: several agents at work, one asks, one is reviewed, sent back and merged")
    size = len(text.encode())
    if size > MOST_BYTES:
        print(f"The picture has {size:,} bytes, which is too much", file=sys.stderr)
        return 1
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(text)
    print(f"{PICTURE}: {len(frames)} frames, {size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())

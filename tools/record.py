"""Record a command in a terminal as an animated SVG, for pages that show pictures.

    python tools/record.py OUTPUT.svg [--until TEXT] [--typed TEXT] -- COMMAND...

The command runs in a pseudo-terminal, in real time; pauses longer than IDLE are cut. It is for
output that only grows: lines, colours, bold and dim; a program that moves the cursor is refused.
Always true: the picture needs no script and no other file, and loops.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import pty
import re
import select
import shlex
import signal
import struct
import subprocess
import sys
import termios
import time
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path

COLUMNS, ROWS = 90, 26
CHAR, LINE, PAD, BAR, FONT = 8.2, 19, 16, 28, 13.6
IDLE, LONGEST, HOLD = 1.6, 180.0, 4.0
BACKGROUND, FOREGROUND, DIM = "#10151c", "#d7dde5", "#8792a0"
COLOURS = {
    0: "#10151c", 1: "#ff7b72", 2: "#56d364", 3: "#e3b341",
    4: "#79c0ff", 5: "#d2a8ff", 6: "#56d4dd", 7: "#ffffff",
}  # fmt: skip
BACKGROUNDS = {**COLOURS, 1: "#c4312a", 2: "#3fb950", 5: "#8250df", 6: "#39c5cf"}
ESCAPE = re.compile(r"\x1b\[([\d;]*)([A-Za-z])")
LINK = re.compile(r"/open\?t=[\w-]+")


@dataclass(frozen=True)
class Style:
    """How a piece of text looks."""

    colour: int = -1
    background: int = -1
    bold: bool = False
    dim: bool = False

    def changed(self, code: int) -> Style:
        """Return the style after one number of an escape sequence."""
        if code == 0:
            return Style()
        if code in (1, 2, 22):
            return replace(self, bold=code == 1, dim=code == 2)
        if 30 <= code <= 37 or 90 <= code <= 97:
            return replace(self, colour=code % 10)
        if 40 <= code <= 47:
            return replace(self, background=code % 10)
        return replace(self, colour=-1) if code == 39 else replace(self, background=-1)


@dataclass
class Line:
    """One line of the terminal: when it came, and its pieces."""

    at: float
    pieces: list[tuple[str, Style]]


def record(command: list[str], until: str) -> list[tuple[float, str]]:
    """Run a command in a terminal and return what it printed, with the time of each piece."""
    own, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    environ = {**os.environ, "TERM": "xterm-256color", "COLUMNS": str(COLUMNS)}
    for name in ("NO_COLOR", "COLORTERM"):
        environ.pop(name, None)
    child = subprocess.Popen(  # noqa: S603 - the command that was asked for
        command, stdin=its, stdout=its, stderr=its, env=environ, start_new_session=True
    )
    os.close(its)
    found: list[tuple[float, str]] = []
    end = time.monotonic() + LONGEST
    try:
        while data := _read(own, end):
            found.append((time.monotonic(), data.decode("utf-8", "replace")))
            if until and until in "".join(text for _, text in found):
                child.send_signal(signal.SIGINT)
                until = ""
        child.wait(30)
    finally:
        child.kill()
        child.wait()
        os.close(own)
    return found


def _read(own: int, end: float) -> bytes:
    ready, _, _ = select.select([own], [], [], max(0.0, end - time.monotonic()))
    if not ready:
        raise SystemExit(f"the command did not end within {LONGEST:.0f} s")
    try:
        return os.read(own, 65536)
    except OSError:  # how Linux says that nobody has the other end any more
        return b""


def lines_of(recorded: list[tuple[float, str]], typed: str) -> list[Line]:
    """Return the lines of a recording, with long pauses cut, after a prompt with the command."""
    lines = [Line(0.0, [("$ ", Style(dim=True)), (typed, Style(bold=True))])]
    now, before = 1.0, recorded[0][0] if recorded else 0.0
    style, open_line = Style(), Line(now, [])
    for at, text in recorded:
        now += min(IDLE, at - before)
        before = at
        for part in re.split(r"(\n|\x1b\[[\d;]*[A-Za-z])", text.replace("\r", "")):
            escaped = ESCAPE.fullmatch(part)
            if escaped and escaped[2] != "m":
                raise SystemExit(f"this moves the cursor: {part!r}")
            if escaped:
                for code in escaped[1].split(";"):
                    style = style.changed(int(code or 0))
            elif part == "\n":
                lines.append(open_line)
                open_line = Line(now, [])
            elif part:
                open_line.at = now
                open_line.pieces.append((LINK.sub("/open?t=...", part), style))
    return [*lines, open_line] if open_line.pieces else lines


def before_text(lines: list[Line], text: str) -> list[Line]:
    """Return the lines before the one that has a text."""
    for number, line in enumerate(lines):
        if text and text in "".join(piece for piece, _ in line.pieces):
            return lines[:number]
    return lines


def svg(lines: list[Line], title: str) -> str:
    """Return the picture: all lines in a column that scrolls, a cover over those to come."""
    width = COLUMNS * CHAR + 2 * PAD
    height = ROWS * LINE + 2 * PAD + BAR
    total = lines[-1].at + HOLD
    times = sorted({line.at for line in lines})
    counts = [sum(line.at <= at for line in lines) for at in times]
    percents = [100 * at / total for at in times]
    scrolled = [max(0, count - ROWS) * LINE for count in counts]
    drawn = "\n".join(_drawn(number, line) for number, line in enumerate(lines))
    name = escape(title)
    return f"""\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" role="img" \
aria-label="{name}" font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',\
monospace" font-size="{FONT}">
<title>{name}</title>
<style>
text {{ white-space: pre; fill: {FOREGROUND} }}
.b {{ font-weight: 700 }} .d {{ fill: {DIM} }}
#s {{ animation: s {total:.1f}s step-end infinite }}
#c {{ animation: c {total:.1f}s step-end infinite; transform: translateY({len(lines) * LINE}px) }}
@keyframes s {{ {_frames(percents, [-gone for gone in scrolled])} }}
@keyframes c {{ {_frames(percents, [count * LINE for count in counts])} }}
@media (prefers-reduced-motion: reduce) {{ #s, #c {{ animation: none }} }}
</style>
<rect width="100%" height="100%" rx="8" fill="{BACKGROUND}"/>
<g fill="#3a4350"><circle cx="20" cy="17" r="5"/><circle cx="37" cy="17" r="5"/>\
<circle cx="54" cy="17" r="5"/></g>
<svg x="0" y="{BAR + PAD // 2}" width="{width:.0f}" height="{ROWS * LINE + PAD // 2}">
<g id="s">
{drawn}
<rect id="c" width="100%" height="{(len(lines) + ROWS) * LINE}" fill="{BACKGROUND}"/>
</g>
</svg>
</svg>
"""


def _frames(percents: list[float], moves: list[int]) -> str:
    frames, last = [], None
    for percent, move in zip(percents, moves, strict=True):
        if move != last:
            frames.append(f"{percent:.2f}%{{transform:translateY({move}px)}}")
        last = move
    return "".join(frames)


def _drawn(number: int, line: Line) -> str:
    """Return one line: each piece at its column, over its background."""
    column, found = 0, []
    top = number * LINE
    for text, style in line.pieces:
        x, width = PAD + column * CHAR, len(text) * CHAR
        column += len(text)
        if style.background >= 0:
            colour = BACKGROUNDS[style.background]
            found.append(
                f'<rect x="{x:.1f}" y="{top + 1}" width="{width:.1f}" height="{LINE - 2}" '
                f'rx="3" fill="{colour}"/>'
            )
        if text.strip():
            classes = " ".join(["b"] * style.bold + ["d"] * style.dim)
            colour = f' style="fill:{COLOURS[style.colour]}"' if style.colour >= 0 else ""
            named = f' class="{classes}"' if classes else ""
            found.append(
                f'<text x="{x:.1f}" y="{top + 14}" textLength="{width:.1f}"{named}{colour}>'
                f"{escape(text)}</text>"
            )
    return "".join(found)


def main() -> None:
    """Record a command and write the picture."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("output", type=Path)
    parser.add_argument("--until", default="", help="interrupt it at this text, and end before it")
    parser.add_argument("--typed", default="", help="what the prompt shows (default: the command)")
    parser.add_argument("command", nargs="+")
    asked = parser.parse_args()
    typed = asked.typed or shlex.join(asked.command)
    lines = before_text(lines_of(record(asked.command, asked.until), typed), asked.until)
    asked.output.write_text(svg(lines, f"terminal recording: {typed}"), encoding="utf-8")
    sys.stderr.write(f"{asked.output}: {len(lines)} lines, {lines[-1].at:.0f} s\n")


if __name__ == "__main__":
    main()

"""How the tour looks: numbered steps, coloured outcomes, short diffs, pauses to read.

Always true: nothing is wider than the terminal, and no text is shown by its colour alone.
"""

from __future__ import annotations

import textwrap
import time
from itertools import groupby

from msgspec import Struct
from rich.console import Console
from rich.text import Text

from penstock.core.diff.hunks import unified
from penstock.core.text.display import visible_diff
from penstock.core.text.quantities import counted

WIDEST, NARROWEST = 88, 24
INDENT = "   "
DIFF_LINES, RUN_LINES = 9, 4
DIFF_STYLES = {"+": "green", "-": "red"}
OUTCOMES = {
    "DENIED": "bold white on red",
    "CAUGHT": "bold white on red",
    "WARNED": "bold black on yellow",
    "PENDING": "bold black on yellow",
    "ASKED": "bold black on yellow",
    "OUT OF DATE": "bold white on magenta",
    "ALLOWED": "bold black on green",
    "APPLIED": "bold black on green",
    "VERIFIED": "bold black on green",
    "REBASED": "bold black on cyan",
    "UNDONE": "bold black on cyan",
    "LEARNED": "bold black on cyan",
    "ROLLED BACK": "bold black on cyan",
}
# How long a reader needs: a moment for each line, and a little for each word.
A_LINE, A_WORD, LONGEST = 0.3, 0.05, 2.2


class Stage(Struct):
    """Prints the tour; when `paced`, a part comes when the one before it can have been read.

    The work that a step does is part of that time.
    """

    out: Console
    paced: bool = False
    _steps: int = 0
    _read_at: float = 0.0

    @property
    def width(self) -> int:
        """Return how wide a line may be."""
        return max(NARROWEST, min(WIDEST, self.out.width - 1))

    def title(self, text: str, about: str) -> None:
        """Open the tour."""
        for line in self._wrapped(text, ""):
            self._print(line, "bold")
        for line in self._wrapped(about, ""):
            self._print(line)
        self._read(about)

    def step(self, title: str, about: str) -> None:
        """Open a step: its title, then what happens in it."""
        self._steps += 1
        number = f"{self._steps:2} "
        self._print("")
        for at, line in enumerate(self._wrapped(title, INDENT)):
            self._print(number + line[len(number) :] if at == 0 else line, "bold")
        for line in self._wrapped(about, INDENT):
            self._print(line)
        self._read(title + about)

    def say(self, text: str) -> None:
        """Print a sentence."""
        for line in self._wrapped(text, INDENT):
            self._print(line)
        self._read(text)

    def types(self, command: str) -> None:
        """Print what somebody types or an agent calls; a long one goes on below."""
        first, *rest = textwrap.wrap(
            command,
            self.width - len(INDENT) - 2,
            break_on_hyphens=False,
            drop_whitespace=True,
        ) or [""]
        line = Text(f"{INDENT}$ ", style="dim")
        line.append(first, style="not dim bold cyan")
        self._print(line)
        for more in rest:
            self._print(f"{INDENT}  {more}", "bold cyan")
        self._read(command)

    def outcome(self, word: str, text: str) -> None:
        """Print what came of it: the word in its colour, then why."""
        badge = f" {word} "
        lines = self._wrapped(f"{'x' * len(badge)} {text}", INDENT)
        first = Text(INDENT)
        first.append(badge, style=OUTCOMES[word])
        first.append(lines[0][len(INDENT) + len(badge) :])
        self._print(first)
        for line in lines[1:]:
            self._print(line)
        self._read(text)

    def diff(self, before: bytes | None, after: bytes | None, *, path: str) -> None:
        """Print a short diff: the lines around each change, without its headers."""
        text = visible_diff(unified(before, after, path=path, context=1))
        lines = [one for one in text.splitlines() if not one.startswith(("---", "+++", "@@"))]
        shown = _shortened(lines)
        for line in shown:
            self._print(f"{INDENT}  {line}"[: self.width], DIFF_STYLES.get(line[:1], "dim"))
        self._read("\n".join(shown))

    def _wrapped(self, text: str, indent: str) -> list[str]:
        return textwrap.wrap(
            text,
            self.width,
            initial_indent=indent,
            subsequent_indent=indent,
            break_on_hyphens=False,
        ) or [indent]

    def _print(self, text: str | Text, style: str = "") -> None:
        left = self._read_at - time.monotonic()
        if self.paced and left > 0:
            time.sleep(left)
        self.out.print(text if isinstance(text, Text) else Text(text, style=style))

    def _read(self, text: str) -> None:
        """Note when what was printed can have been read."""
        lines = text.count("\n") + 1
        seconds = min(LONGEST, A_LINE * lines + A_WORD * len(text.split()))
        self._read_at = time.monotonic() + seconds


def _shortened(lines: list[str]) -> list[str]:
    """Return a diff of a few lines: of a long run of removed or added ones only the first."""
    if len(lines) <= DIFF_LINES:
        return lines
    found: list[str] = []
    for sign, run in groupby(filter(_telling, lines), key=lambda line: line[:1]):
        some = list(run)
        at = [n for n, line in enumerate(some) if line[1:].strip()][:RUN_LINES]
        left = len(some) - (at[-1] + 1 if at else 0)
        found += [some[n] for n in at]
        if left:
            done = {"-": "removed", "+": "added"}.get(sign, "unchanged")
            found.append(f"... {counted(left, 'more line')} {done}")
    return found


def _telling(line: str) -> bool:
    """An empty line around a change tells nothing."""
    return line.strip() != ""

"""Texts of a project that a command runs: how many are followed, and what of them counts.

A script is followed apart from the command that runs it. What it does to files, which commands
it runs and what Penstock has against them counts as if it had been typed, under the name of the
script. What is only unclear in it does not: every build script computes names, and asking about
each of them would say nothing.
Always true: no more than `MOST_SCRIPTS` texts are followed for one command, `MOST_DEEP` inside
each other, each of them once for the same words. A script that is left out makes the command
unclear; a module or a test that is does not.
"""

from __future__ import annotations

from msgspec import Struct, field

from penstock.core.shell.effects import RunText
from penstock.core.shell.findings import ScriptRun, ShellFindings, ShellTarget
from penstock.core.shell.script_files import takes_in

MOST_SCRIPTS = 256
MOST_DEEP = 12
MOST_UNITS = 100_000
ENTER = 150  # what finding and reading a file costs
_HIDES = frozenset("$`*?[{<")
_TAKEN_IN = frozenset({"source", "."})


class ScriptBudget(Struct):
    """What one command may have followed of the project's texts."""

    count: int = 0
    depth: int = 0
    units: int = 0
    missed: bool = False
    seen: set[RunText] = field(default_factory=set)

    @property
    def full(self) -> bool:
        """True when no more texts are followed from here."""
        spent = self.count >= MOST_SCRIPTS or self.units > MOST_UNITS
        return spent or self.depth >= MOST_DEEP

    def enter(self, effect: RunText) -> bool:
        """Say whether a text is still followed, and count it."""
        if self.full or effect in self.seen:
            return False
        self.seen.add(effect)
        self.count += 1
        self.depth += 1
        self.units += ENTER
        return True

    def leave(self, units: int) -> None:
        """A text has been followed to its end."""
        self.depth -= 1
        self.units += units


def run_of(effect: RunText, found: ShellFindings) -> ScriptRun:
    """Return what counts of a text that was followed by itself."""
    shell = effect.language == "sh" or (not effect.language and _by_shell(effect.text))

    def known(target: ShellTarget) -> bool:
        return target.exact or (shell and _is_named(target))

    return ScriptRun(
        name=effect.name,
        targets=(
            *(one for one in found.targets if known(one)),
            *(one for one in found.reads if known(one) and _shows(one) and not takes_in(effect)),
        ),
        leaves=tuple(found.leaves),
        programs=tuple(found.programs),
        refusals=tuple(found.refusals),
        git=tuple(found.git),
    )


def _by_shell(text: str) -> bool:
    """True for a script that its first line gives to a shell, or to nobody."""
    first = text.partition("\n")[0]
    return not first.startswith("#!") or first.split()[-1].endswith("sh")


def _is_named(target: ShellTarget) -> bool:
    """True when the last name of a path is known, even if its directory is not."""
    return not _HIDES & set(target.path.rstrip("/").rpartition("/")[2])


def _shows(target: ShellTarget) -> bool:
    """A setting that a script takes in for itself is not shown to anybody."""
    return not target.mention and target.by not in _TAKEN_IN

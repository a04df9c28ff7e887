"""Tell which files a shell command would change, or that the text does not tell.

The text is read as bash reads it and followed without running anything: redirections,
here-documents, programs that write, wrappers, nested shells, interpreters with literal code.
`targets` are the files that are named. `unclear` says, in words, what cannot be told; what
that means (allow, ask, deny) is for the policy. Whether a file exists, and what a link leads
to, is for whoever has a disk. PowerShell and cmd.exe are not read, commands for another
machine (ssh, docker) are not judged, and a program without a row in the tables (make, npm,
a script file) is taken to write no file that its words name.
Always true: same text, same answer; work is bounded by counts and never by a clock; whatever
is not followed to its end is unclear.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from penstock.core.shell.effects import Feed
from penstock.core.shell.fallback_scan import scan
from penstock.core.shell.findings import (
    NOT_PARSED,
    TOO_LARGE,
    ShellFindings,
    ShellRefusal,
    ShellTarget,
)
from penstock.core.shell.follow import CommandWalk
from penstock.core.shell.programs.mentions import commands_in
from penstock.core.shell.state import ShellState, first_state
from penstock.core.shell.syntax.words import TooMuch

__all__ = ["MOST_TEXT", "NOT_PARSED", "TOO_LARGE", "ShellEffect", "ShellTarget", "writes"]

MOST_TEXT = 262_144
_NOT_TEXT = "the command holds characters that no shell can be given"


@dataclass(frozen=True, kw_only=True, slots=True)
class ShellEffect:
    """What a command would do to files.

    `leaves` are its simple commands, those inside substitutions and nested shells included.
    `excessive` tells that the command is larger or more tangled than any honest one, or holds
    characters that no shell accepts; then targets and leaves may be incomplete. `refusals` are
    what Penstock itself has against it: commands for people, and what would remove the gate.
    """

    targets: tuple[ShellTarget, ...] = ()
    unclear: tuple[str, ...] = ()
    leaves: tuple[str, ...] = ()
    refusals: tuple[ShellRefusal, ...] = ()
    excessive: bool = False


def writes(command: str, *, cwd: str = "") -> ShellEffect:
    """Return what a command, started in `cwd`, would do to files."""
    found = ShellFindings()
    text = _clean(command, found)
    state = first_state(cwd)
    if len(text) > MOST_TEXT:
        found.overflow()
        scan(text, found, state)
    else:
        _follow(text, found, cwd)
    return ShellEffect(
        targets=tuple(found.targets),
        unclear=tuple(found.unclear),
        leaves=tuple(found.leaves),
        refusals=tuple(found.refusals),
        excessive=found.excessive,
    )


def _look_again(text: str, found: ShellFindings, state: ShellState) -> None:
    """Where a command is made and then run, one for people that stands in the text is that one."""
    if not found.computes or found.refusals:
        return
    for leaf in found.leaves:
        if _PROSE.match(leaf):
            text = text.replace(leaf, "")
    for effect in commands_in(text, anywhere=True):
        found.refuse(effect, state)


_PROSE = re.compile(r"(?:git (?:commit|log|grep|tag)|gh|glab|grep|rg|ag)\b")


def _clean(command: str, found: ShellFindings) -> str:
    """Return a text that can be read; NUL ends lines, and what is no character is replaced."""
    if "\0" not in command and command.isascii():
        return command
    text = command.replace("\0", "\n").encode("utf-8", "replace").decode()
    if text != command:
        found.doubt(_NOT_TEXT)
        found.excessive = True
    return text


def _follow(text: str, found: ShellFindings, cwd: str) -> None:
    walk = CommandWalk(found)
    state = first_state(cwd)
    try:
        walk.text(text, (state,), Feed())
        walk.uncalled()
        _look_again(text, found, state)
    except (TooMuch, RecursionError):
        found.overflow()
        scan(text, found, state)

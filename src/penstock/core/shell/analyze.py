"""Tell which files a shell command would change, or that the text does not tell.

The text is read as bash reads it and followed without running anything: redirections,
here-documents, programs that write, wrappers, nested shells, interpreters with literal code.
`targets` are the files that it would change, `reads` those that it would read, or that it names
without anybody knowing what happens to them. `unclear` says, in words, what cannot be told; what
that means (allow, ask, deny) is for the policy. What the disk tells comes by a `Look`: the names
that a pattern or `find` meets, and the texts of scripts, Makefiles and manifests that the command
runs, which are followed apart (`scripts`). PowerShell and cmd.exe are not read, commands for
another machine (ssh, docker) are not judged, and of a program that neither a table nor a text of
the project describes every word that could be a file is told as a mention.
Always true: same text and same answers of the look, same result; work is bounded by counts and
never by a clock; whatever is not followed to its end is unclear.
"""

from __future__ import annotations

from msgspec import Struct

from penstock.core.shell.effects import Feed
from penstock.core.shell.fallback_scan import scan
from penstock.core.shell.findings import (
    NOT_PARSED,
    TOO_LARGE,
    ScriptRun,
    ShellFindings,
    ShellRefusal,
    ShellTarget,
)
from penstock.core.shell.follow import CommandWalk
from penstock.core.shell.git_deed import GitDeed
from penstock.core.shell.look import NO_LOOK, Look
from penstock.core.shell.programs.mentions import commands_in
from penstock.core.shell.state import ShellState, first_state
from penstock.core.shell.syntax.words import TooMuch
from penstock.core.text.late_regex import late_regex

__all__ = ["MOST_TEXT", "NOT_PARSED", "TOO_LARGE", "ShellEffect", "ShellTarget", "writes"]

MOST_TEXT = 262_144
_NOT_TEXT = "the command holds characters that no shell can be given"


class ShellEffect(Struct, frozen=True, kw_only=True):
    """What a command would do to files.

    `leaves` are its simple commands, those inside substitutions and nested shells included;
    `programs` what they start, each with the simple command that it comes from.
    `excessive` tells that the command is larger or more tangled than any honest one, or holds
    characters that no shell accepts; then targets and leaves may be incomplete. `refusals` are
    what Penstock itself has against it: commands for people, and what would remove the gate.
    `scripts` are the texts of the project that it would run, each with what that does.
    `doubted` are the simple commands that make it unclear; "" stands for what is around them.
    `git` are deeds of git in their order, each with the directory that it is done in and the
    simple command that does it.
    """

    targets: tuple[ShellTarget, ...] = ()
    reads: tuple[ShellTarget, ...] = ()
    unclear: tuple[str, ...] = ()
    leaves: tuple[str, ...] = ()
    programs: tuple[tuple[str, str], ...] = ()
    refusals: tuple[ShellRefusal, ...] = ()
    git: tuple[tuple[GitDeed, str, str], ...] = ()
    excessive: bool = False
    scripts: tuple[ScriptRun, ...] = ()
    doubted: tuple[str, ...] = ()


def writes(command: str, *, cwd: str = "", look: Look = NO_LOOK) -> ShellEffect:
    """Return what a command, started in `cwd`, would do to files that `look` shows."""
    found = ShellFindings(start=cwd.rstrip("/") or cwd)
    text = _clean(command, found)
    if len(text) > MOST_TEXT:
        found.overflow()
        scan(text, found, first_state(cwd))
    else:
        _follow(text, found, cwd, look)
        if found.excessive and look is not NO_LOOK:
            # What the disk adds is too much; the text alone may not be.
            found = ShellFindings(start=cwd.rstrip("/") or cwd)
            _follow(_clean(command, found), found, cwd, NO_LOOK)
    return ShellEffect(
        targets=tuple(found.targets),
        reads=tuple(found.reads),
        unclear=tuple(found.unclear),
        leaves=tuple(found.leaves),
        programs=tuple(found.programs),
        refusals=tuple(found.refusals),
        git=tuple(found.git),
        excessive=found.excessive,
        scripts=tuple(found.scripts),
        doubted=tuple(found.doubted),
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


_PROSE = late_regex(r"(?:git (?:commit|log|grep|tag)|gh|glab|grep|rg|ag)\b")


def _clean(command: str, found: ShellFindings) -> str:
    """Return a text that can be read; NUL ends lines, and what is no character is replaced."""
    if "\0" not in command and command.isascii():
        return command
    text = command.replace("\0", "\n").encode("utf-8", "replace").decode()
    if text != command:
        found.doubt(_NOT_TEXT)
        found.excessive = True
    return text


def _follow(text: str, found: ShellFindings, cwd: str, look: Look) -> None:
    walk = CommandWalk(found, look)
    state = first_state(cwd)
    try:
        walk.commands.exits.ended(walk.text(text, (state,), Feed()))
        walk.uncalled()
        if walk.scripts.missed:
            found.doubt("the command runs more scripts than are read")
        _look_again(text, found, state)
    except (TooMuch, RecursionError):
        found.overflow()
        scan(text, found, state)

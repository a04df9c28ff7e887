"""Copies of a whole project that the same command makes: archives, copied directories.

Packing a project on this machine is everyday, and so is sending an archive. An archive of
everything that is then sent or shown takes every secret in it along, so what went into it is
told as soon as something else than a packer reads it.
Always true: a name is remembered only where the command says what goes into it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from penstock.core.model import Action
from penstock.core.shell.effects import HERE, Effect, ProgramCall, Touch
from penstock.core.shell.place import joined
from penstock.core.shell.programs.reads.rows import is_all
from penstock.core.shell.programs.reads.table import reads
from penstock.core.shell.state import ShellState

# Programs that put files into others on this machine, or take them out again.
_LOCAL = frozenset(
    {
        *("tar", "gtar", "bsdtar", "zip", "unzip", "7z", "7za", "7zz", "cp", "gcp", "mv", "gmv"),
        *("ditto", "gzip", "gunzip", "bzip2", "xz", "zstd", "cpio", "pax", "jar", "split"),
        *("file", "zipinfo", "zstd", "lz4", "install", "tee", "dd"),
    }
)
_PACKS = _LOCAL | {"rsync"}


class Packed:
    """What went into the archives and copies of one command."""

    def __init__(self) -> None:
        self._inside: dict[str, tuple[Touch, ...]] = {}

    def note(
        self, call: ProgramCall, effects: Iterable[Effect], state: ShellState
    ) -> Iterator[Effect]:
        """Return the effects of a program, and remember what it puts into which file."""
        inside = self._taken(call, state) if call.name in _PACKS else ()
        for effect in effects:
            if inside and isinstance(effect, Touch) and effect.action is Action.WRITE:
                self._inside[joined(state.cwd, effect.value.text)] = inside
            yield effect

    def _taken(self, call: ProgramCall, state: ShellState) -> tuple[Touch, ...]:
        """Return what a packer takes in: the project, or what an earlier copy of it holds."""
        if not self._inside and not any(map(is_all, call.args)) and not _names_root(call):
            return ()
        told = [one for one in reads(replace(call, away=True)) if isinstance(one, Touch)]
        whole = [one for one in told if one.tree and (one.whole or is_all(one.value))]
        if any(joined(state.cwd, one.value.text) == call.here.start for one in told):
            whole.append(Touch(HERE, Action.READ, tree=True))
        copies = [one for word in told for one in self._of(word, state)]
        return (*(replace(one, whole=True) for one in whole), *copies)

    def _of(self, effect: Touch, state: ShellState) -> tuple[Touch, ...]:
        there = joined(state.cwd, effect.value.text)
        return next(
            (held for place, held in self._inside.items() if f"{there}/".startswith(f"{place}/")),
            (),
        )

    def shown(self, effect: Touch, state: ShellState, by: str) -> tuple[Touch, ...]:
        """Return what a program reads with an archive that it sends or shows."""
        if not self._inside or effect.action is not Action.READ or by in _LOCAL:
            return ()
        return self._of(effect, state)


def _names_root(call: ProgramCall) -> bool:
    """True where the directory that everything begins in is named in full."""
    start = call.here.start
    return bool(start) and any(word.text.rstrip("/") == start for word in call.args)

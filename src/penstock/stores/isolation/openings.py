"""What the user's own rules open to a run: directories, sockets and devices, each looked at.

Whose rules count is the core's to say.
Always true: nothing that is opened lies in the project, in Penstock's state, or above either.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from penstock.core.errors import RulesError
from penstock.core.run.settings import RunSettings
from penstock.stores.isolation.mounts import is_below

DEVICES = "/dev"


class Openings(Struct, frozen=True, kw_only=True):
    """Absolute and resolved paths; `notes` name what was asked for and is not there."""

    through: tuple[str, ...] = ()
    sockets: tuple[str, ...] = ()
    devices: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def resolved(places: Sequence[str], *, home: str, project: str) -> tuple[str, ...]:
    """Return places as absolute paths: `~/` is the home directory, other names the project's."""
    near = [f"{home}{one[1:]}" if one.startswith("~/") else one for one in places]
    return tuple(os.path.realpath(os.path.join(project, one)) for one in near)


def openings(said: RunSettings, *, home: str, project: str, state: str) -> Openings:
    """Return what a run may use besides its layers. Raises RulesError `run-opening`."""
    through = resolved(said.through, home=home, project=project)
    sockets = resolved(said.sockets, home=home, project=project)
    devices = tuple(os.path.normpath(one) for one in said.devices)
    for place in through:
        for other in (project, state, home):
            inside = other != home and is_below(place, other)
            if is_below(other, place) or inside:
                raise _refused("through", place, f"it would open `{other}` to every command")
    for place in devices:
        if not is_below(place, DEVICES) or place == DEVICES:
            raise _refused("devices", place, "it does not lie in `/dev`")
    return Openings(
        through=tuple(one for one in through if os.path.isdir(one)),
        sockets=tuple(one for one in sockets if _is(one, stat.S_ISSOCK)),
        devices=tuple(one for one in devices if _is(one, stat.S_ISCHR)),
        notes=tuple(_missing(through, sockets, devices)),
    )


def _missing(
    through: Sequence[str], sockets: Sequence[str], devices: Sequence[str]
) -> Iterator[str]:
    for place in through:
        if not os.path.isdir(place):
            yield f"`{place}` (through) is no directory, so it is not opened"
    for place in sockets:
        if not _is(place, stat.S_ISSOCK):
            yield f"`{place}` (sockets) is no Unix socket, so it is not opened"
    for place in devices:
        # A disk would be a way around every file.
        if not _is(place, stat.S_ISCHR):
            yield f"`{place}` (devices) is no character device, so it is not opened"


def _is(place: str, kind: Callable[[int], bool]) -> bool:
    try:
        return kind(os.stat(place).st_mode)
    except OSError:
        return False


def _refused(key: str, place: str, because: str) -> RulesError:
    return RulesError(
        "run-opening",
        f"`{key}` of [run] names `{place}`, which can't be opened to a run",
        because=because,
        hint="name a smaller directory outside the project, or remove it",
    )

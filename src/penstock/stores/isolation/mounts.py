"""The mounts of this machine as the kernel lists them, and which of them a run shows again.

Always true: the list is in the kernel's order, so that what is mounted over something comes
after it; a name with spaces or other odd bytes is the name itself.
"""

from __future__ import annotations

import os
import re

from msgspec import Struct

ESCAPE = re.compile(rb"\\([0-7]{3})")


class Mount(Struct, frozen=True, kw_only=True):
    """One mount: where it is, and what kind of file system."""

    target: str
    kind: str


def parse_mounts(text: bytes) -> tuple[Mount, ...]:
    """Read the text of `/proc/self/mountinfo`."""
    found = []
    for line in text.splitlines():
        before, _, after = line.partition(b" - ")
        words, kinds = before.split(b" "), after.split(b" ")
        if len(words) > 4 and kinds[0]:
            target = ESCAPE.sub(lambda sign: bytes([int(sign[1], 8)]), words[4])
            found.append(Mount(target=os.fsdecode(target), kind=os.fsdecode(kinds[0])))
    return tuple(found)


def mounts() -> tuple[Mount, ...]:
    """Return the mounts that this process sees."""
    with open("/proc/self/mountinfo", "rb") as file:
        return parse_mounts(file.read())


def is_below(place: str, above: str) -> bool:
    """Say whether a place is another one, or lies in it."""
    return place == above or place.startswith(above.rstrip("/") + "/")


def mounted_below(place: str) -> list[str]:
    """Return what is mounted inside a directory; such a directory cannot be a layer."""
    found = [one.target for one in mounts()]
    return [target for target in found if target != place and is_below(target, place)]

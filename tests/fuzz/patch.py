"""Patch text of any bytes: it is read and applied, or refused with a sentence."""

from __future__ import annotations

from contextlib import suppress

from penstock.core.errors import PenstockError
from penstock.core.patch.apply import apply_all, apply_patch, parse_patch

# What random bytes never find by themselves, chosen by the first byte.
STARTS = (
    b"",
    b"--- a/f\n+++ b/f\n@@ -1",
    b"diff --git a/f b/f\n",
    b'diff --git "a/',
    b"*** Begin Patch\n*** Update File: f\n@@\n",
    b"*** Begin Patch\n*** ",
)
ENDS = (b"", b"\n*** End Patch\n", b"\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n")


def one(data: bytes) -> None:
    """Read a patch and put it on a file made of its own lines."""
    if len(data) < 2:
        return
    text = STARTS[data[0] % len(STARTS)] + data[2:] + ENDS[data[1] % len(ENDS)]
    before = b"".join(line[1:] + b"\n" for line in text.split(b"\n") if line[:1] in b" -")
    try:
        patches = parse_patch(text)
    except PenstockError:
        return
    for patch in patches:
        assert patch.path.strip()
        for content in (before, b"", None):
            with suppress(PenstockError):
                apply_patch(patch, content)
    with suppress(PenstockError):
        apply_all(patches, {"f": before}.get)

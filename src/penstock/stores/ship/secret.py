"""The credential that a sink asks for: from a variable, or from a file that only its owner reads.

Always true: it is never in a rules file, and never in a message.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from penstock.core.errors import InputError
from penstock.stores.system.private import open_plain

EXPOSED = 0o077
LARGEST = 1 << 14


def kept_secret(text: str, environ: Mapping[str, str], *, beside: str) -> str:
    """Return what `env:NAME` or `file:PATH` leads to; "" for nothing. Paths begin `beside`."""
    kind, _, rest = text.partition(":")
    if not text:
        return ""
    found = environ.get(rest.strip(), "") if kind == "env" else _from_file(rest.strip(), beside)
    lines = found.strip().splitlines()
    if len(lines) != 1 or not lines[0].isascii() or not lines[0].isprintable():
        raise _unusable(text, "it holds no single line of printable text")
    return lines[0]


def _from_file(path: str, beside: str) -> str:
    place = os.path.join(beside, os.path.expanduser(path))
    try:
        descriptor = open_plain(place)
    except OSError as fault:
        raise _unusable(f"file:{path}", (fault.strerror or str(fault)).lower()) from None
    with open(descriptor, "rb") as file:
        status = os.fstat(file.fileno())
        if status.st_uid not in (0, os.geteuid()) or status.st_mode & EXPOSED:
            raise _unusable(f"file:{path}", "other users can read it")
        return file.read(LARGEST).decode("utf-8", "replace")


def _unusable(text: str, because: str) -> InputError:
    return InputError(
        "bad-credential",
        f"the credential in `{text}` can't be used",
        because=because,
        hint="set the variable, or run `chmod 600` on the file",
    )

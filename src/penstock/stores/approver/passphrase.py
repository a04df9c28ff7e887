"""Take a passphrase from a file descriptor that a person's own tool has opened for us.

A descriptor is handed from one process to the other and is read once. An environment
variable would be readable by everything that the shell starts, an agent included, so a
passphrase is never looked for in one: PENSTOCK_PASSPHRASE_FD holds only the number.
Always true: not more than the one line is taken, so what follows it is still there.
"""

from __future__ import annotations

import os
import select
import time
from collections.abc import Mapping

from penstock.core.errors import InputError

VARIABLE = "PENSTOCK_PASSPHRASE_FD"
LIMIT = 4096
PATIENCE = 60.0


def passphrase_from_environment(environ: Mapping[str, str]) -> str | None:
    """Return the passphrase of the descriptor that the environment names, or None."""
    text = environ.get(VARIABLE)
    if text is None:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) < 8):
        raise InputError("bad-descriptor", f"{VARIABLE} is not a number: `{text[:40]}`")
    return passphrase_from_fd(int(text))


def passphrase_from_fd(fd: int, *, patience: float = PATIENCE) -> str:
    """Read one line, at most 4 KiB, from a descriptor, and return it without its end."""
    _check(fd)
    try:
        line = _line(fd, time.monotonic() + patience)
    except OSError as problem:
        raise _bad(fd, os.strerror(problem.errno or 0).lower()) from None
    if fd > 2:
        os.close(fd)  # nothing that we start shall find it open
    try:
        text = line.decode()
    except UnicodeDecodeError:
        raise _bad(fd, "its content is not UTF-8") from None
    if not text:
        raise InputError("no-passphrase", f"there is no passphrase in descriptor {fd}")
    return text


def _check(fd: int) -> None:
    # 1 and 2 are for what we say; where they are a terminal they could be read all the same,
    # and would show what is typed. 0 may be a pipe, as with gpg; a terminal has a prompt.
    if fd in (1, 2):
        raise _bad(fd, "it is for output")
    try:
        if os.isatty(fd):
            raise _bad(fd, "it is a terminal and would show what you type")
        os.fstat(fd)
    except (OSError, OverflowError):
        raise _bad(fd, "it is not open") from None


def _line(fd: int, end: float) -> bytes:
    """Read to the end of the line, byte by byte: what comes after it is not for us."""
    line = bytearray()
    waiting = select.poll()
    waiting.register(fd, select.POLLIN)
    while len(line) <= LIMIT:
        if not waiting.poll(max(0.0, end - time.monotonic()) * 1000):
            raise _bad(fd, "reading it timed out")
        byte = os.read(fd, 1)
        if byte in (b"", b"\n"):
            return bytes(line.removesuffix(b"\r"))
        line += byte
    raise _bad(fd, f"its line is longer than {LIMIT} bytes")


def _bad(fd: int, because: str) -> InputError:
    return InputError(
        "bad-descriptor",
        f"the passphrase cannot be read from descriptor {fd}",
        because=because,
        hint=f"use a pipe: {VARIABLE}=3 penstock ... 3< <(your-password-tool)",
    )

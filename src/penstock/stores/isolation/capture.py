"""Run a command in the layer of a run and keep what it prints, within bounds.

What a run left can hold programs that start by themselves, such as hooks of git. So whatever has
to be asked of its layer is asked inside: the answer is bytes, and whoever reads them trusts none.
Always true: it ends in time, or is ended; never more than `largest` bytes are kept.
"""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Callable
from contextlib import suppress

from penstock.core.errors import StoreError
from penstock.stores.isolation.process import IsolatedProcess
from penstock.stores.isolation.streams import Streams

PIECE = 1 << 16

Begin = Callable[[Streams], IsolatedProcess]


def capture(
    begin: Begin, *, name: str, stdin: bytes, into: int, largest: int, seconds: float
) -> int:
    """Begin a command, write its output to a descriptor and return its exit code.

    Raises StoreError `run-output` where it is too large or takes too long.
    """
    ours, theirs = os.pipe()
    given = {0: _in_memory(stdin), 1: theirs, 2: os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)}
    until = time.monotonic() + seconds
    try:
        process = begin(Streams(given))
        problem = "it ended with an error of ours"
        try:
            problem = _copy(ours, into, largest, until) or _ended(process, until)
        finally:
            if problem:
                with suppress(ProcessLookupError):
                    os.kill(process.keeper, signal.SIGKILL)
            code = process.wait()
    finally:
        os.close(ours)
    if problem:
        raise StoreError("run-output", f"`{name}` was stopped in the run", because=problem)
    return code


def _in_memory(data: bytes) -> int:
    descriptor = os.memfd_create("penstock-stdin")
    with open(descriptor, "wb", closefd=False) as file:
        file.write(data)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def _copy(source: int, into: int, largest: int, until: float) -> str:
    """Copy to the end, or say why not."""
    left = largest
    while select.select([source], [], [], max(0.0, until - time.monotonic()))[0]:
        piece = os.read(source, PIECE)
        if not piece:
            return ""
        left -= len(piece)
        if left < 0:
            return f"it printed more than {largest >> 20} MiB"
        while piece:
            piece = piece[os.write(into, piece) :]
    return "it took too long"


def _ended(process: IsolatedProcess, until: float) -> str:
    ended = os.pidfd_open(process.keeper)
    try:
        left = max(0.0, until - time.monotonic())
        return "" if select.select([ended], [], [], left)[0] else "it took too long"
    finally:
        os.close(ended)

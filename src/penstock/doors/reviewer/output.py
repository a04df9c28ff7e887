"""Write an answer to stdout and sentences to stderr, whatever these are connected to.

A script may close them, a reader may leave, a disk may be full, a locale may not know a sign.
Always true: nothing is raised; what is written is UTF-8; once writing failed, no later flush of
Python's can fail again.
"""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING

from penstock.core.text.display import harmless, json_visible

if TYPE_CHECKING:
    from penstock.doors.reviewer.responses import CommandResult


def keep_standard() -> None:
    """Open what was closed of stdin, stdout and stderr, so that no file of ours gets its number."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - to the end
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - to the end


def put(data: bytes) -> bool:
    """Write to stdout; False when it could not be written, though somebody may wait for it."""
    try:
        buffer = getattr(sys.stdout, "buffer", None)  # who calls us from Python may have none
        sys.stdout.write(data.decode()) if buffer is None else buffer.write(data)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader left; nothing more is told
        _into_nothing(1)
    except (OSError, ValueError):
        _into_nothing(1)
        say("error: the answer could not be printed")
        return False
    return True


def say(text: str) -> None:
    """Write a sentence to stderr; nothing in it can steer a terminal."""
    try:
        sys.stderr.write(harmless(text) + "\n")
        sys.stderr.flush()
    except (OSError, ValueError):
        _into_nothing(2)


def tell(answer: CommandResult) -> int:
    """Print an answer and return its exit code, which tells of the edit also where none is read."""
    for sentence in answer.talk:
        say(sentence)
    text = json.dumps(answer.document, ensure_ascii=False, indent=2)
    put(json_visible(text).encode() + b"\n")
    return answer.code


def _into_nothing(number: int) -> None:
    """Lead a descriptor to where writing always works: Python flushes once more at its end."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, number)
    os.close(nothing)

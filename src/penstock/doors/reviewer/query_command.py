"""The commands that ask and learn: options in, one document out.

Always true: exactly one document is printed, also for words that cannot be understood.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable

from penstock.core.errors import PenstockError
from penstock.doors.reviewer.output import keep_standard, put, say
from penstock.doors.reviewer.query import compact
from penstock.doors.reviewer.question import Document, QueryContext, QueryError

USAGE = 64


def answered(
    work: Callable[[QueryContext], tuple[Document, int]],
    *,
    config: str,
    logs: tuple[str, ...],
    workspace: str,
    dense: bool | None,
    failed: Document | None = None,
) -> int:
    """Print the one document of an answer, or of what went wrong; return the exit code.

    `failed` is what stands in front of an error.
    """
    keep_standard()
    try:
        asking = QueryContext(
            config=config,
            logs=logs,
            start=_start_of(workspace),
            now=time.time(),
            told=LogProgress(),
        )
        document, code = work(asking)
    except (Exception, KeyboardInterrupt) as fault:  # noqa: BLE001 - a script waits for a document
        document, code = {**(failed or {}), **_of(fault).document()}, 1
    return code if _show(document, pretty=None if dense is None else not dense) else code or 1


def _of(fault: BaseException) -> QueryError:
    """Return what went wrong in the words of a query, also what nobody has thought of."""
    if isinstance(fault, QueryError):
        return fault
    if isinstance(fault, PenstockError):
        details = "; ".join(filter(None, (fault.because, fault.hint)))
        return QueryError(fault.code.replace("-", "_"), fault.message, details)
    if isinstance(fault, KeyboardInterrupt):
        return QueryError("internal_error", "stopped before the end")
    what = f"internal error: {type(fault).__name__}: {str(fault)[:200]}"
    return QueryError("internal_error", what, "please report it")


def not_understood(message: str) -> int:
    """Print what is wrong with the words, and return the exit code."""
    keep_standard()
    hint = "decision_reviewer query --help"
    _show(QueryError("invalid_query", message, hint).document(), pretty=None)
    say(f"error: {message}\n  try: {hint}")
    return USAGE


def _start_of(workspace: str) -> str:
    """Return the directory that a question is asked in. Raises QueryError."""
    try:
        return os.path.abspath(workspace) if workspace else os.getcwd()
    except OSError:
        message, hint = "the current directory no longer exists", "go to another one"
        raise QueryError("internal_error", message, hint) from None


def _show(document: Document, *, pretty: bool | None) -> bool:
    """Print a document: one line where it is piped, indented at a terminal, or as it was asked."""
    indented = sys.stdout.isatty() if pretty is None else pretty
    return put(compact(document, pretty=indented).encode("utf-8") + b"\n")


class LogProgress:
    """Says on stderr how far the reading of a long log is, once a second."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def __call__(self, done: int, size: int) -> None:
        """Take note of how much is done."""
        now = time.monotonic()
        if now - self._last < 1 or done >= size:
            return
        self._last = now
        share = 100 * done // max(size, 1)
        say(f"reading the log: {share} % of {size >> 20} MB")

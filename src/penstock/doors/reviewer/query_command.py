"""The command `query`: a question in, one document out.

Always true: exactly one document is printed, also for words that cannot be understood.
"""

from __future__ import annotations

import os
import sys
import time

from penstock.doors.reviewer.output import keep_standard, put, say
from penstock.doors.reviewer.query import answer, compact, read_query
from penstock.doors.reviewer.question import Document, QueryContext, QueryError

USAGE = 64


def ask(
    query: str,
    *,
    config: str,
    logs: tuple[str, ...],
    workspace: str,
    pretty: bool | None,
) -> int:
    """Print the answer to a query, and return the exit code."""
    keep_standard()
    try:
        asking = QueryContext(
            config=config,
            logs=logs,
            start=start_of(workspace),
            now=time.time(),
            told=LogProgress(),
        )
        document, code = answer(read_query(query), asking)
    except QueryError as wrong:
        document, code = wrong.document(), 1
    except KeyboardInterrupt:
        document, code = QueryError("internal_error", "stopped before the end").document(), 1
    except Exception as fault:  # noqa: BLE001 - a script waits for a document, not for a trace
        document, code = of_ours(fault).document(), 1
    return code if show(document, pretty=pretty) else code or 1


def not_understood(message: str) -> int:
    """Print what is wrong with the words, and return the exit code."""
    keep_standard()
    hint = "decision_reviewer query --help"
    show(QueryError("invalid_query", message, hint).document(), pretty=None)
    say(f"error: {message}\n  try: {hint}")
    return USAGE


def start_of(workspace: str) -> str:
    """Return the directory that a question is asked in. Raises QueryError."""
    try:
        return os.path.abspath(workspace) if workspace else os.getcwd()
    except OSError:
        message, hint = "the current directory does not exist any more", "go to another one"
        raise QueryError("internal_error", message, hint) from None


def of_ours(fault: Exception) -> QueryError:
    """Return our error for what nobody has thought of."""
    what = f"an error of our own: {type(fault).__name__}: {str(fault)[:200]}"
    return QueryError("internal_error", what, "please report it")


def show(document: Document, *, pretty: bool | None) -> bool:
    """Print a document: one line where it is piped, indented at a terminal, or as it was asked."""
    indented = sys.stdout.isatty() if pretty is None else pretty
    return put(compact(document, pretty=indented).encode("utf-8") + b"\n")


class LogProgress:
    """Says on stderr how far the first reading of a long log is, once a second."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def __call__(self, done: int, size: int) -> None:
        """Take note of how much is done."""
        now = time.monotonic()
        if now - self._last < 1 or done >= size:
            return
        self._last = now
        share = 100 * done // max(size, 1)
        say(f"reading the log for the first time: {share} % of {size >> 20} MB")

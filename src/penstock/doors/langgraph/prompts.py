"""The questions to a person at the terminal, in the gate spec's words.

What is shown is what would be written, with nothing hidden in it; what follows from the answer
is the node's.
Always true: `builtins.input` is looked up when something is asked, so that a program can put its
own in place; the end of input, an interruption and an answer that nobody understands are a no.
"""

from __future__ import annotations

import builtins
import contextvars
import sys
import threading
from asyncio import Future, get_running_loop
from collections.abc import Callable, Mapping
from time import time

from penstock.core.merge.strategies import Strategy, line_count
from penstock.core.text.display import harmless, spoken, visible_bytes, visible_diff
from penstock.core.timestamps import stamp
from penstock.doors.langgraph.classify import show_deletion_summary
from penstock.doors.langgraph.errors import (
    InsertionCancelledError,
    InvalidInsertionPointError,
)
from penstock.doors.langgraph.state import FileWriteRequest, WriteApproval

ATTEMPTS = 3
YES, NO = ("yes", "y"), ("no", "n", "cancel", "q", "quit")
CANCEL = ("cancel", "c", "q", "quit")
NAMES: Mapping[str, Strategy] = {
    **{str(one): one for one in Strategy},
    **{one[0]: one for one in Strategy},
}
STRATEGIES = (
    "  append   keep the file, put the new content at its end",
    "  insert   keep the file, put the new content after a line",
    "  extend   keep the file, add new functions, classes and methods (Python)",
    "  replace  put the new content in place of the file, as shown",
)
CR = b"\r"
SAID_NO = "the person said no"
Ask = Callable[[str], str]


class CancelledError(Exception):
    """The person ended the questions. `over` is true where there was nobody to ask."""

    def __init__(self, why: str, *, over: bool = False) -> None:
        super().__init__(why)
        self.over = over


def _ask(question: str, ask: Ask | None) -> str:
    """Ask for a line. Whatever keeps the answer from us is no answer. Raises CancelledError."""
    try:
        return str((ask or builtins.input)(harmless(question))).strip()
    except EOFError:  # at the place of a program's choice it is a person's no
        why = "the input ended before this was answered"
        raise CancelledError(why, over=ask is None) from None
    except KeyboardInterrupt:
        raise CancelledError("the person cancelled") from None
    except Exception as fault:  # noqa: BLE001 - a program's own `input` may raise anything
        why = f"the question could not be asked ({type(fault).__name__})"
        raise CancelledError(why, over=True) from None


async def prompt_for_approval(
    request: FileWriteRequest, diff_preview: str, *, ask: Ask | None = None
) -> WriteApproval:
    """Interactive prompt for user approval with merge strategy options.

    Other tasks of the loop go on while the person thinks.
    """
    loop = get_running_loop()
    answer: Future[WriteApproval] = loop.create_future()

    def settle(approval: WriteApproval) -> None:
        if not answer.done():
            answer.set_result(approval)

    def asking() -> None:
        approval = ask_for_approval(request, diff_preview, ask=ask)
        loop.call_soon_threadsafe(settle, approval)

    # A thread that does not keep the program alive: whoever gives up waiting can leave.
    context = contextvars.copy_context()
    threading.Thread(target=context.run, args=(asking,), daemon=True).start()
    return await answer


def ask_for_approval(
    request: FileWriteRequest, diff_preview: str, *, ask: Ask | None = None
) -> WriteApproval:
    """Show a write and ask about it; return the decision."""
    try:
        strategy = ask_about(request, show_deletion_summary(request), diff_preview, ask=ask)
        reason = SAID_NO
    except CancelledError as no:
        strategy, reason = None, str(no)
    made: WriteApproval = {
        "request": request,
        "approved": strategy is not None,
        "strategy": str(strategy or Strategy.REPLACE),
        "timestamp": stamp(time()),
    }
    if strategy is None:
        made["reason"] = reason
    return made


def ask_about(
    request: FileWriteRequest, lost: str, diff_preview: str, *, ask: Ask | None = None
) -> Strategy | None:
    """Show what would be lost and the diff, then ask: yes or no, and by which strategy.

    Returns None for a no. Raises CancelledError.
    """
    name = spoken(str(request.get("target_path", "")))
    show(f"\nSAFE FILE WRITE: {name} ({_word(request)})", lost)
    show(visible_diff(diff_preview.encode("utf-8", "surrogateescape")))
    return _answer(f"Approve this write to {name}? [yes/no] ", ask)


def show(*texts: str) -> None:
    """Write to the terminal whatever its encoding. Raises CancelledError when it cannot be."""
    try:
        encoding = sys.stdout.encoding or "utf-8"
        for text in texts:
            print(harmless(text).encode(encoding, "backslashreplace").decode(encoding))
    except (AttributeError, OSError, ValueError, LookupError):
        raise CancelledError("there is nowhere to show it", over=True) from None


def _word(request: FileWriteRequest) -> str:
    kind = request.get("classification", "")
    return str(getattr(kind, "value", kind)).upper()


def _answer(question: str, ask: Ask | None) -> Strategy | None:
    """Return the strategy of a yes, None for a no. Raises CancelledError."""
    for _ in range(ATTEMPTS):
        said = _ask(question, ask).lower()
        if said in NO:
            return None
        if said in YES:
            return _strategy(ask)
        if said in tuple(Strategy):  # the strategy itself is a yes, too
            return Strategy(said)
        show("Please answer yes or no, or name a strategy.")
    raise CancelledError(f"there was no answer in {ATTEMPTS} attempts")


def _strategy(ask: Ask | None) -> Strategy | None:
    show("How?", *STRATEGIES)
    for _ in range(ATTEMPTS):
        said = _ask("Strategy [append/insert/extend/replace, Enter for replace] ", ask).lower()
        if said in NO:
            return None
        if said in NAMES:
            return NAMES[said]
        if said in ("", *YES):  # the yes was to what is shown
            return Strategy.REPLACE
        show("Please name one of append, insert, extend and replace.")
    raise CancelledError(f"there was no strategy in {ATTEMPTS} attempts")


def get_insertion_point(existing_content: str, max_line: int, *, ask: Ask | None = None) -> int:
    """Prompt user for insertion point line number with validation.

    The file is shown with its line numbers first. Raises InsertionCancelledError, and after
    three answers that are no line InvalidInsertionPointError.
    """
    try:
        _show_numbered(existing_content)
        for _ in range(ATTEMPTS):
            said = _ask(f"Insert after line (0 is the top, {max_line} the end): ", ask)
            if said.lower() in CANCEL:
                raise CancelledError("the person cancelled")
            if said.isascii() and said.isdecimal() and len(said) < 12 and int(said) <= max_line:
                return int(said)
            show(f"`{spoken(said[:80])}` is not a line from 0 to {max_line}")
    except CancelledError as no:
        raise InsertionCancelledError("cancelled", str(no)) from None
    raise InvalidInsertionPointError(
        "bad-insertion-point",
        f"no line was chosen in {ATTEMPTS} attempts",
        hint=f"give a line from 0 to {max_line}",
    )


def _show_numbered(content: str) -> None:
    data = content.encode("utf-8", "surrogatepass")
    lines = enumerate(data.split(b"\n")[: line_count(data)], 1)
    show(*(f"{number:6}  {visible_bytes(line.removesuffix(CR))}" for number, line in lines))

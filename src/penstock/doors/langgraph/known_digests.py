"""What each conversation has last seen of each file, so that it overwrites nothing unseen.

An approval may stay open for hours between the agent's last look and its write. What the agent
read is remembered here, for as long as this process lives.
Always true: a file that somebody else changed since the conversation saw it is not replaced
whole; what was never read is not held against anybody.
"""

from __future__ import annotations

import threading
from collections import OrderedDict

from penstock.core.errors import StaleError
from penstock.doors.langgraph.tools.calls import GraphCall
from penstock.doors.langgraph.tools.writes import ToolGate

MOST = 10_000


class KnownDigests:
    """The digests of files by conversation; the longest unused go first."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, str], str | None] = OrderedDict()
        self._lock = threading.Lock()

    def note(self, thread: str, path: str, known: str | None) -> None:
        """Remember what a conversation knows a file to hold."""
        with self._lock:
            self._known[thread, path] = known
            self._known.move_to_end((thread, path))
            if len(self._known) > MOST:
                self._known.popitem(last=False)

    def require(self, tools: ToolGate, wanted: GraphCall, path: str, now: str | None) -> None:
        """Raise StaleError where the file is not what the conversation has seen."""
        with self._lock:
            known = self._known.get((wanted.thread.id, path), now)
        if known == now or _own(tools, wanted, path, now):
            return
        raise StaleError(
            "base-changed",
            f"`{path}` has changed since you read it",
            because=f"it was {known or 'absent'} and is {now or 'absent'} now",
        )


def _own(tools: ToolGate, wanted: GraphCall, path: str, now: str | None) -> bool:
    """Say whether the conversation's own last change is what is there."""
    for receipt in tools.gate.receipts(path=path, limit=1):
        made = tools.gate.get(receipt.proposal)
        mine = made is not None and made.actor.session == wanted.thread.id
        return mine and receipt.after == now
    return False

"""Which step of which thread of a graph this is.

LangGraph runs a node again from its top when it resumes, or after a crash. The step keeps its
name then, so what was proposed the first time is found again by an id made from it.
Always true: the same write in the same step has the same id; outside of a graph there is none.
"""

from __future__ import annotations

import json
import uuid
from hashlib import sha256

from msgspec import Struct

# LangGraph's own names; there are no public ones.
CHECKPOINTER = "__pregel_checkpointer"
SCRATCHPAD = "__pregel_scratchpad"


class Thread(Struct, frozen=True, kw_only=True):
    """`step` is empty outside of a graph; `resumable` says that an interrupt can be answered."""

    id: str = ""
    step: str = ""
    resumable: bool = False

    def proposal_id(self, at: int, path: str, digest: str) -> str:
        """Return the id of a write's proposal: the same at every run of its step."""
        told = json.dumps([self.id, self.step, at, path, digest, 0])
        return f"hitl-{uuid.UUID(bytes=sha256(told.encode()).digest()[:16], version=4)}"


def thread_here() -> Thread:
    """Return the step that is running now."""
    try:
        from langgraph.config import get_config

        known = get_config().get("configurable", {})
    except (ImportError, RuntimeError):  # no LangGraph, or called from outside of a graph
        return Thread()
    return Thread(
        id=str(known.get("thread_id") or ""),
        step=str(known.get("checkpoint_ns") or ""),
        resumable=bool(known.get("checkpoint_ns")) and known.get(CHECKPOINTER) is not None,
    )


def answers_at_hand() -> int:
    """Return how many answers a step was given by now, looked at before it asks anything.

    A step that asks twice is run again with both answers, and the last one is what counts.
    """
    from langgraph.config import get_config

    known = get_config().get("configurable", {}).get(SCRATCHPAD)
    if known is None:
        return 0
    return len(known.resume) + (known.get_null_resume(False) is not None)

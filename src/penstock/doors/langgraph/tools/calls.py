"""A tool call in a graph, and what the graph keeps of it while a person is asked.

What a call means is the core's knowledge, what the rules say to it is `writes`.
Always true: what goes into the graph's state is plain JSON; an entry there is good for exactly
the call that it was made for.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NotRequired, TypedDict

from msgspec import Struct, field

from penstock.core.digest import digest
from penstock.core.errors import PenstockError
from penstock.doors.langgraph.errors import why
from penstock.doors.langgraph.thread import Thread

NONE: Mapping[str, str | None] = {}
FAULTS = (PenstockError, OSError, ValueError, RecursionError)


class CallEntry(TypedDict):
    """One tool call that does not simply pass: plain JSON.

    `call` is the digest of the call's name and arguments. `known` names its proposals to a
    person: the one, or their set. `bases` is what each file held that the call would write.
    `refused` is a no that needs no person; `decision` is what a person said.
    """

    call: str
    because: str
    instead: str
    known: str
    proposals: list[str]
    bases: dict[str, str | None]
    refused: NotRequired[str]
    decision: NotRequired[dict[str, Any]]


class GraphCall(Struct, frozen=True, kw_only=True):
    """A tool call, the step of the graph that makes it, and what the model `said` beside it."""

    name: str
    args: Mapping[str, object] = field(default_factory=dict)
    id: str = ""
    thread: Thread = field(default_factory=Thread)
    said: str = ""

    @property
    def fingerprint(self) -> str:
        """The digest of what is called with which arguments; empty where they have no spelling."""
        try:
            spelled = json.dumps([self.name, self.args], sort_keys=True, default=str)
        except (TypeError, ValueError, RecursionError):
            return ""
        return digest(spelled.encode())

    def proposal_id(self, path: str) -> str:
        """Return the id of this call's proposal for a file: the same at every run of its step."""
        return self.thread.proposal_id(0, path, f"{self.id} {self.fingerprint}")

    def entry(
        self, because: str = "", instead: str = "", bases: Mapping[str, str | None] = NONE
    ) -> CallEntry:
        """Return what is kept of this call while nothing is proposed or decided."""
        return CallEntry(
            call=self.fingerprint,
            because=because,
            instead=instead,
            known="",
            proposals=[],
            bases=dict(bases),
        )

    def is_what(self, asked: CallEntry) -> bool:
        """Say whether an entry was made for exactly this call."""
        return bool(asked["call"]) and asked["call"] == self.fingerprint


def refused(wanted: GraphCall, said: str) -> CallEntry:
    """Return the entry of a call that is refused without asking anybody."""
    return CallEntry(**{**wanted.entry(), "refused": said})


def phrase(because: str, instead: str) -> str:
    """Return a reason as agents and people read it: why, and what to do instead."""
    return f"{because}. {instead[0].upper()}{instead[1:]}." if instead else because


def told(problem: Exception) -> str:
    """Return a problem in one line, with what to do about it."""
    if not isinstance(problem, PenstockError):
        return str(problem)
    return phrase(why(problem), problem.hint)

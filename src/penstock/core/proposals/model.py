"""A proposal: a stored change with its states, its time to live and its lineage.

Storing and writing are elsewhere; this module says which moves exist and what must hold.
Always true: a proposal's digests never change. Other content is another proposal, with this
one as its parent, judged and shown again.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import ClassVar

from msgspec import Struct, field

from penstock.core.errors import StaleError
from penstock.core.file_mode import FileMode
from penstock.core.model import NOBODY, Actor, Change, Decision, Verdict
from penstock.core.proposals.flag import RiskFlag
from penstock.core.proposals.line_comment import LineComment

# The origins of what a person's own command proposes; no agent asked for it.
UNDO, RULE_EDIT = "undo", "rules"


class State(StrEnum):
    """Where a proposal stands."""

    WAITING = "waiting"
    APPROVED = "approved"
    REJECTED = "rejected"
    DENIED = "denied"
    EXPIRED = "expired"
    STALE = "stale"
    SUPERSEDED = "superseded"
    APPLIED = "applied"


class Transition(StrEnum):
    """What can happen to a proposal."""

    APPROVE = "approve"
    REJECT = "reject"
    RENEW = "renew"
    EXPIRE = "expire"
    OUTDATE = "outdate"
    SUPERSEDE = "supersede"
    APPLY = "apply"


# Every move that exists; what is not here is refused. `docs/concepts/proposals.md` draws it.
NEXT: Mapping[tuple[State, Transition], State] = {
    (State.WAITING, Transition.APPROVE): State.APPROVED,
    (State.WAITING, Transition.REJECT): State.REJECTED,
    (State.WAITING, Transition.RENEW): State.WAITING,
    (State.WAITING, Transition.EXPIRE): State.EXPIRED,
    (State.WAITING, Transition.OUTDATE): State.STALE,
    (State.WAITING, Transition.SUPERSEDE): State.SUPERSEDED,
    (State.APPROVED, Transition.APPLY): State.APPLIED,
    (State.APPROVED, Transition.REJECT): State.REJECTED,
    (State.APPROVED, Transition.EXPIRE): State.EXPIRED,
    (State.APPROVED, Transition.OUTDATE): State.STALE,
    (State.APPROVED, Transition.SUPERSEDE): State.SUPERSEDED,
    (State.STALE, Transition.SUPERSEDE): State.SUPERSEDED,
    (State.EXPIRED, Transition.SUPERSEDE): State.SUPERSEDED,
}

FIRST: Mapping[Verdict, State] = {
    Verdict.ALLOW: State.APPROVED,
    Verdict.ASK: State.WAITING,
    Verdict.DENY: State.DENIED,
}

# States as people read them; JSON has the names of `State`.
STATE_WORDS: Mapping[State, str] = {
    **{state: str(state) for state in State},
    State.WAITING: "pending",
    State.STALE: "out of date",
    State.SUPERSEDED: "replaced",
}

# What each move does, for errors.
DONE: Mapping[Transition, str] = {
    Transition.APPROVE: "approved",
    Transition.REJECT: "rejected",
    Transition.RENEW: "renewed",
    Transition.EXPIRE: "closed as expired",
    Transition.OUTDATE: "closed as out of date",
    Transition.SUPERSEDE: "replaced by another version",
    Transition.APPLY: "applied",
}

OPEN = frozenset({State.WAITING, State.APPROVED})


def after(state: State, move: Transition) -> State:
    """Return the state that a move leads to. Raises StaleError `wrong-state`."""
    try:
        return NEXT[state, move]
    except KeyError:
        raise StaleError(
            f"already-{state}" if state not in OPEN else "wrong-state",
            f"a proposal that is {STATE_WORDS[state]} can't be {DONE[move]}",
            because=f"only one that is {_from(move)} can",
            hint="see `penstock proposals --all`, or propose again",
        ) from None


def _from(move: Transition) -> str:
    return " or ".join(STATE_WORDS[state] for state, name in NEXT if name is move)


class Moment(Struct, frozen=True, kw_only=True):
    """A point in time that setting the wall clock back cannot move.

    `wall` is seconds since 1970, never less than any wall time the store has seen; `boot`
    counts seconds since the machine `boot_id` started, sleep included.
    """

    wall: float
    boot: float = 0.0
    boot_id: str = ""

    def since(self, earlier: Moment) -> float:
        """Return how much time has passed at least, by whichever clock says more."""
        by_wall = self.wall - earlier.wall
        same_boot = self.boot_id and self.boot_id == earlier.boot_id
        return max(by_wall, self.boot - earlier.boot) if same_boot else by_wall


class Answer(Struct, frozen=True, kw_only=True):
    """What was decided about a proposal: by whom, by which proof, and why.

    `comments` are what a person wrote beside its lines, for the agent.
    """

    LATER: ClassVar = frozenset({"comments"})

    approved: bool
    by: str
    proof: str
    at: float
    reason: str = ""
    signature: str = ""
    key_id: str = ""
    comments: tuple[LineComment, ...] = ()

    @property
    def said(self) -> str:
        """The reason and every comment in one line: what an agent reads."""
        words = (self.reason, *(comment.words for comment in self.comments))
        return "; ".join(filter(None, words))


class Proposal(Struct, frozen=True, kw_only=True):
    """One file's change, stored until it is answered and applied.

    `base` is the digest of what was there (None: nothing was), `content` the digest of what
    would be (None: the file would be removed). The bytes themselves are blobs.
    `base_mode` and `mode` are there where it is more than the bytes of a file: a program, a link,
    whose content is the path that it holds, or a directory, whose content is empty.
    `flags` are what a person should look at; `warnings` has their sentences as well.
    `why` and `regions` are the agent's own words and what it points at: untrusted, never a reason.
    `LATER` are fields that older versions did not know, here and below: see `codec`.
    """

    LATER: ClassVar = frozenset({"base_mode", "mode", "flags", "why", "regions"})

    id: str
    path: str
    base: str | None
    content: str | None
    change: Change
    decision: Decision
    state: State
    created: Moment
    ttl: float
    set_id: str = ""
    parent: str = ""
    origin: str = ""
    actor: Actor = NOBODY
    answer: Answer | None = None
    warnings: tuple[str, ...] = ()
    extra: Mapping[str, str] = field(default_factory=dict)
    base_mode: FileMode | None = None
    mode: FileMode | None = None
    flags: tuple[RiskFlag, ...] = ()
    why: str = ""
    regions: tuple[LineComment, ...] = ()

    @property
    def modes(self) -> tuple[FileMode | None, FileMode | None]:
        """The modes before and after, for the head of a diff."""
        return self.base_mode, self.mode

    @property
    def text_like(self) -> bool:
        """True when lines can be chosen, edited and merged: no link and no directory."""
        return all(mode is None or mode.plain for mode in (self.base_mode, self.mode))

    @property
    def creates(self) -> bool:
        """True when nothing was there."""
        return self.base is None

    def expires_in(self, now: Moment) -> float:
        """Return the seconds left, 0 or less when it has expired."""
        return self.ttl - now.since(self.created)

    def expired(self, now: Moment) -> bool:
        """Say whether its time is over: exactly at the end it is."""
        return self.state in OPEN and self.expires_in(now) <= 0


class Receipt(Struct, frozen=True, kw_only=True):
    """Proof of an apply: what was there, what is there, and the event that says so.

    `made` are the directories that were made on the way; an undo takes them along if empty.
    """

    LATER: ClassVar = frozenset({"before_mode", "after_mode"})

    id: str
    proposal: str
    path: str
    before: str | None
    after: str | None
    event_hash: str
    at: float
    set_id: str = ""
    undoes: str = ""
    note: str = ""
    made: tuple[str, ...] = ()
    before_mode: FileMode | None = None
    after_mode: FileMode | None = None

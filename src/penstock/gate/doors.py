"""Which proof each door can claim, and what each kind of proof is good for.

The two tables here are the one place that says so; the gate asks them at every answer and looks at
its own surroundings, so that nothing depends on what a caller says of itself. Signatures are
checked by `answer`.
Always true: inside an agent nothing but the key's signature or a touch of a passkey approves, at
whatever door; `terminal` is only
said of an answer while standard input is a terminal; a door that claims a kind which is not its
own gets its plainest one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import IntEnum, StrEnum
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from penstock.core.audit.approval.approval_proof import PASSKEY, UNLOCK
from penstock.core.errors import RefusedError
from penstock.core.proposals.passkey import PasskeyTouch
from penstock.core.proposals.unlock import Unlock


class TouchedApproval(Struct, frozen=True, kw_only=True):
    """A touch that approves at one moment: whose passkey, and what else it was made for."""

    credential: bytes
    touch: PasskeyTouch
    at: float
    beside: tuple[bytes, ...] = ()


class SessionKey(Struct, frozen=True, kw_only=True):
    """A browser session's own key while it is unlocked, and what vouches for it in the log."""

    unlock: Unlock
    sign: Callable[[bytes], str]
    facts: Mapping[str, object]


class Proof(Struct, frozen=True, kw_only=True):
    """Who answers, and how we know that it is a person.

    `sign` returns (signature, key id) for a statement; None where there is no key. `touch` stands
    in its place, and `session` for what is not dangerous. `kind` is a door's word for how the
    person was asked; which door may say what is `CLAIMS`.
    """

    by: str
    kind: str = "library"
    sign: Callable[[bytes], tuple[str, str]] | None = None
    touch: TouchedApproval | None = None
    session: SessionKey | None = None

    @property
    def by_person(self) -> bool:
        """True where the approver's key or passkey proves this one answer."""
        return self.sign is not None or self.touch is not None


class Surroundings(Protocol):
    """What is around this process, looked at when it is asked."""

    def agent(self) -> str | None:
        """Say why an agent is taken to run this process, or None."""

    def terminal(self) -> bool:
        """Say whether standard input is a terminal."""


class Door(StrEnum):
    """Who holds the gate."""

    LIBRARY = "library"  # a program of somebody else's
    COMMAND = "command"  # `penstock`, its prompts and its full screen
    PAGE = "page"
    BROKER = "broker"
    GRAPH = "graph"


class Reach(IntEnum):
    """How far a kind of proof goes; each step includes those before it."""

    NOTHING = 0  # it says who rejects
    UNDO = 1  # what was there before may be put back
    CHANGES = 2  # every change but the next
    RULES = 3  # also what lets the policy in force allow more


KEY, TERMINAL = "key", "terminal"

# What each door can claim; the first is what an answer is called that claims anything else.
CLAIMS: Mapping[Door, tuple[str, ...]] = {
    Door.LIBRARY: ("library",),
    Door.COMMAND: ("command", TERMINAL, "no-terminal"),
    Door.PAGE: ("page",),
    Door.BROKER: ("front-end", "auto-apply", "door"),
    Door.GRAPH: ("graph", TERMINAL, "input", "door", "policy"),
}

# What approves by a signature of its own, whichever door it comes through.
PROVEN = (KEY, PASSKEY, UNLOCK)

REACH: Mapping[str, Reach] = {
    KEY: Reach.RULES,
    PASSKEY: Reach.RULES,
    UNLOCK: Reach.CHANGES,
    TERMINAL: Reach.RULES,
    "library": Reach.CHANGES,
    "front-end": Reach.CHANGES,
    "auto-apply": Reach.CHANGES,
    "graph": Reach.CHANGES,
    "input": Reach.CHANGES,
    "no-terminal": Reach.UNDO,
    "command": Reach.NOTHING,
    "page": Reach.NOTHING,
    "door": Reach.NOTHING,
    "policy": Reach.NOTHING,
}


def believed(proof: Proof, door: Door, around: Surroundings, *, approve: bool) -> Proof:
    """Return a proof under the name that it is recorded by. Raises RefusedError."""
    if proof.by_person:
        return replace(proof, kind=KEY if proof.sign is not None else PASSKEY)
    why = around.agent() if approve else None
    if why:
        raise RefusedError(
            "inside-agent",
            "inside an agent only an approver key can approve",
            because=why,
            hint="run `penstock review` in a terminal of your own",
        )
    if proof.session is not None:
        return replace(proof, kind=UNLOCK)
    kind = proof.kind if proof.kind in CLAIMS[door] else CLAIMS[door][0]
    if kind == TERMINAL and not around.terminal():
        if approve:
            raise no_terminal("approval needs a person at a terminal")
        kind = CLAIMS[door][0]
    return replace(proof, kind=kind)


def require_reach(proof: Proof, needed: Reach, path: str) -> None:
    """Refuse a proof that does not go as far as a change needs. Raises RefusedError."""
    if REACH[proof.kind] >= needed:
        return
    if needed is Reach.RULES:
        raise no_terminal(f"`{path}` is part of the policy, and this would make it allow more")
    raise no_terminal(f"an answer of kind `{proof.kind}` can't approve `{path}`")


def no_terminal(message: str) -> RefusedError:
    """Return the error for an approval that nobody at a terminal gave, and no key signed."""
    return RefusedError(
        "no-terminal",
        message,
        because="it needs a terminal outside any agent, or the approver key",
        hint="run it in a terminal, or set up a key with `penstock approver init`",
    )

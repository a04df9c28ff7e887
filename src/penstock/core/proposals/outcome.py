"""What became of a proposal, in the words that its agent reads.

Which proposals an agent is to hear of, and when, is the hook's; the bytes are the gate's.
Always true: nothing is said of what is still open; what is said is bounded, shows hidden
characters and holds no secret.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from penstock.core.proposals.model import Proposal, State
from penstock.core.text.display import in_line, spoken
from penstock.core.text.quantities import duration
from penstock.core.text.redact import redact

MOST_REASON = 500
MOST_DIFF = 1500
AGAIN = "read the file again before you edit it"


def outcome(asked: Proposal, now: Proposal, *, diff: str = "") -> str:
    """Return what became of one file, "" while it is open.

    `now` is the version that stands in the place of what was asked for, `diff` how its content
    differs from that, as people read it.
    """
    say = ENDS.get(now.state)
    return f"your change to {spoken(asked.path)} {say(asked, now, diff)}" if say else ""


def _applied(asked: Proposal, now: Proposal, diff: str) -> str:
    if now.content == asked.content:
        return "was approved and written as you proposed it"
    part = now.origin.startswith("hunks:")
    how = "in part" if part else "with edits by the user"
    reason = _reason(asked) if part else ""
    return f"was written {how}, not as you proposed it{reason}; {AGAIN}{_difference(diff)}"


def _rejected(asked: Proposal, now: Proposal, _: str) -> str:
    why = _reason(now) or _reason(asked) or ", without a reason"
    return f"was rejected{why}. It was not written: try another way, or ask the user"


def _expired(_asked: Proposal, now: Proposal, _: str) -> str:
    return (
        f"expired: there was no answer within {duration(now.ttl)}. "
        "Propose it again if it is still needed"
    )


def _stale(_asked: Proposal, _now: Proposal, _: str) -> str:
    return "is out of date: the file changed since. Read it and propose again"


def _denied(_asked: Proposal, now: Proposal, _: str) -> str:
    return f"was denied by the rules: {_short(now.decision.because) or 'no rule allows it'}"


def _reason(one: Proposal) -> str:
    said = _short(one.answer.reason) if one.answer else ""
    return f": {said}" if said else ""


def _short(text: str) -> str:
    line = in_line(redact(text))
    return line if len(line) <= MOST_REASON else f"{line[:MOST_REASON]}..."


def _difference(diff: str) -> str:
    if not diff:
        return ""
    shown = redact(diff)
    cut = f"{shown[:MOST_DIFF]}\n[truncated; read the file]" if len(shown) > MOST_DIFF else shown
    return f". Diff from your version to the written one:\n{cut.rstrip()}"


ENDS: Mapping[State, Callable[[Proposal, Proposal, str], str]] = {
    State.APPLIED: _applied,
    State.REJECTED: _rejected,
    State.EXPIRED: _expired,
    State.STALE: _stale,
    State.DENIED: _denied,
}

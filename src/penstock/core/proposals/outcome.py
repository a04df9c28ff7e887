"""What became of a proposal, in the words that its agent reads.

Which proposals an agent is to hear of, and when, is the hook's; the bytes are the gate's.
Always true: nothing is said of what is still open; what is said is bounded, shows hidden
characters and holds no secret.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from penstock.core.proposals.model import Proposal, State
from penstock.core.text.display import in_line, spoken
from penstock.core.text.quantities import duration
from penstock.core.text.redact import redact

MOST_REASON, MOST_COMMENTED = 500, 4000
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
    """Return why, with every comment on a line: `: too broad; line 14: keep the check`."""
    if one.answer is None:
        return ""
    said = _short(one.answer.said, MOST_COMMENTED if one.answer.comments else MOST_REASON)
    return f": {said}" if said else ""


def answer_text(found: Sequence[Proposal]) -> str:
    """Return what a person said of the files of one set that they rejected, in one line.

    A reason that is the same for all comes once, and a comment of one of several with its file.
    """
    answers = [(one.path, one.answer) for one in found if one.answer and not one.answer.approved]
    reasons = dict.fromkeys(answer.reason for _, answer in answers if answer.reason)
    comments = [
        f"{spoken(path)} {comment.words}" if len(found) > 1 else comment.words
        for path, answer in answers
        for comment in answer.comments
    ]
    return "; ".join([*reasons, *comments])


def _short(text: str, most: int = MOST_REASON) -> str:
    line = in_line(redact(text))
    return line if len(line) <= most else f"{line[:most]}..."


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

"""Ask a person about writes: one by one at the terminal, or all at once by an interrupt.

Always true: what is asked about is on the queue or follows something that is; asking writes
nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from penstock.core.diff.hunks import preview as cut
from penstock.core.errors import PenstockError
from penstock.core.merge.strategies import Strategy, combine, line_count
from penstock.core.model import Bytes
from penstock.core.proposals.model import State
from penstock.core.text.display import in_line, visible_diff
from penstock.doors.langgraph import preview, prompts
from penstock.doors.langgraph.approver import at_terminal
from penstock.doors.langgraph.classify import show_deletion_summary
from penstock.doors.langgraph.errors import in_one_line
from penstock.doors.langgraph.pending_writes import Write
from penstock.doors.langgraph.preview import comparing
from penstock.doors.langgraph.prompts import Ask, CancelledError
from penstock.doors.langgraph.proposals import latest
from penstock.doors.langgraph.records import DecisionType, ReviewAction, ReviewDecision
from penstock.gate import Gate

ACTION = "safe_file_write"
CONTEXT = 3


def at_the_terminal(one: Write, ask: Ask | None) -> ReviewDecision | None:
    """Show one write and ask about it. None says that there was nobody to ask."""
    try:
        strategy = prompts.ask_about(one.request, _lost(one), _diff(one, one.content), ask=ask)
        return _decided(one, strategy, ask)
    except CancelledError as no:
        # The end of input at a terminal is a person's no; elsewhere nobody was there, and the
        # change stays in the queue.
        return None if no.over and not at_terminal() else _no(str(no))
    except PenstockError as no:  # no line was chosen, or the two contents cannot be joined
        return _no(in_one_line(no))


def _no(why: str) -> ReviewDecision:
    return ReviewDecision(kind=DecisionType.REJECT, message=why)


def _decided(one: Write, strategy: Strategy | None, ask: Ask | None) -> ReviewDecision:
    if strategy is None:
        return _no(prompts.SAID_NO)
    if one.before is None or strategy is Strategy.REPLACE:
        return ReviewDecision()
    at: int | None = None
    if strategy is Strategy.INSERT:
        existing = one.before.decode("utf-8")
        at = prompts.get_insertion_point(existing, line_count(one.before), ask=ask)
    decided = ReviewDecision(strategy=strategy, insertion_point=at)
    # A strategy makes other content than was shown before.
    made = _diff(one, result_of(one, decided) or b"")
    prompts.show(f"Result of {strategy}:", visible_diff(made.encode()))
    return decided


def result_of(one: Write, decided: ReviewDecision | None) -> bytes | None:
    """Return what a file holds after a decision; None where it stays as it was."""
    if decided is None or not decided.yes:
        return one.before
    if one.before is None or decided.strategy is Strategy.REPLACE:
        return one.content
    at = decided.insertion_point
    return combine(one.before, one.content, decided.strategy, at=at, path=one.path).content


def by_interrupt(gate: Gate, writes: Sequence[Write]) -> dict[int, ReviewDecision]:
    """Stop the graph with one question about all writes; return the answers by their places."""
    from penstock.doors.langgraph.interrupt import ask_signed

    def waiting(at: int) -> list[str]:
        one = writes[at].proposal
        now = latest(gate, one) if one else None
        return [now.id] if now is not None and now.state is State.WAITING else []

    answers = ask_signed(gate, [_action(one) for one in writes], waiting)
    return {
        one.at: said if said.said else replace(said, message=prompts.SAID_NO)
        for one, said in zip(writes, answers, strict=True)
    }


def _action(one: Write) -> ReviewAction:
    args = {"target_path": one.place.shown, "new_content": one.text}
    shown = visible_diff(_diff(one, one.content).encode())
    there = one.before is not None
    return ReviewAction(
        name=ACTION,
        args=args,
        description=f"{_lost(one)}\n\n{cut(shown.encode())}",
        proposal=one.proposal.id if one.proposal else "",
        pinned=("target_path",),
        joins=there,
        lines=line_count(one.before or b""),
        facts={
            **{name: value for name, value in one.request.items() if name not in args},
            "because": in_line(one.decision.because),
            "before": one.base,
            "strategies": [str(each) for each in Strategy] if there else [str(Strategy.REPLACE)],
        },
    )


def _lost(one: Write) -> str:
    """Return why somebody is asked, and what would be lost."""
    existing = (one.before or b"").decode("utf-8", "replace")
    summary = show_deletion_summary(one.request, existing_content=existing)
    because = in_line(one.decision.because)
    return f"{because}\n{summary}" if because else summary


def _diff(one: Write, after: bytes) -> str:
    before = None if one.before is None else Bytes(one.before)
    with comparing(one.place.shown) as told:
        return preview.diff(before, Bytes(after), path=one.path, context=CONTEXT, told=told)

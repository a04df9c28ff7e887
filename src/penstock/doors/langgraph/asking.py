"""Ask a person about writes: one by one at the terminal, or all at once by an interrupt.

Always true: what is asked about is on the queue or follows something that is; asking writes
nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from penstock.core.diff import preview as cut
from penstock.core.display import spoken, visible_diff
from penstock.core.errors import PenstockError
from penstock.core.merge import Strategy, combine, line_count
from penstock.core.model import Bytes
from penstock.doors.langgraph import preview, prompting
from penstock.doors.langgraph.approver import at_terminal
from penstock.doors.langgraph.classify import show_deletion_summary
from penstock.doors.langgraph.decided import Decided, Kind
from penstock.doors.langgraph.errors import in_one_line
from penstock.doors.langgraph.progress import comparing
from penstock.doors.langgraph.prompting import Ask, CancelledError
from penstock.doors.langgraph.records import plain
from penstock.doors.langgraph.writes import Write

ACTION = "safe_file_write"
CONTEXT = 3


def at_the_terminal(one: Write, ask: Ask | None) -> Decided | None:
    """Show one write and ask about it. None says that there was nobody to ask."""
    try:
        strategy = prompting.ask_about(
            plain(one.place.shown, one.text, one.change), _lost(one), _diff(one), ask=ask
        )
        return _decided(one, strategy, ask)
    except CancelledError as no:
        # The end of input at a terminal is a person's no; elsewhere nobody was there.
        return None if no.over and not at_terminal() else _no(str(no))
    except PenstockError as no:  # no line was chosen, or the two contents cannot be joined
        return _no(in_one_line(no))


def _no(why: str) -> Decided:
    return Decided(kind=Kind.REJECT, message=why)


def _decided(one: Write, strategy: Strategy | None, ask: Ask | None) -> Decided:
    if strategy is None:
        return _no(prompting.SAID_NO)
    if one.before is None or strategy is Strategy.REPLACE:
        return Decided()
    at: int | None = None
    if strategy is Strategy.INSERT:
        existing = one.before.decode("utf-8")
        at = prompting.get_insertion_point(existing, line_count(one.before), ask=ask)
    _show_result(one, strategy, at)
    return Decided(strategy=strategy, at=at)


def _show_result(one: Write, strategy: Strategy, at: int | None) -> None:
    """Show what will be written: a strategy makes other content than was shown before."""
    result = result_of(one, Decided(strategy=strategy, at=at))
    made = preview.diff(
        Bytes(one.before or b""), Bytes(result or b""), path=one.path, context=CONTEXT
    )
    prompting.show(f"By {strategy}, this is written:", visible_diff(made.encode()))


def result_of(one: Write, decided: Decided | None) -> bytes | None:
    """Return what a file holds after a decision; None where it stays as it was."""
    if decided is None or not decided.yes:
        return one.before
    if one.before is None or decided.strategy is Strategy.REPLACE:
        return one.content
    return combine(one.before, one.content, decided.strategy, at=decided.at, path=one.path).content


def by_interrupt(writes: Sequence[Write], unsigned: Sequence[Write] = ()) -> dict[int, Decided]:
    """Stop the graph with one question about all writes; return the answers by their places.

    Of those in `unsigned`, an answer alone is not enough: the question says what else it takes.
    """
    from penstock.doors.langgraph import review

    actions = [
        review.Action(
            name=ACTION,
            args={"target_path": one.place.shown, "new_content": one.text},
            description=f"{_signing(one)}{_described(one)}" if one in unsigned else _described(one),
            proposal=one.proposal.id if one.proposal else "",
            pinned=("target_path",),
            joins=one.before is not None,
            lines=line_count(one.before or b""),
            facts=_facts(one),
        )
        for one in writes
    ]
    answers = review.ask(actions)
    return {one.at: _read(said) for one, said in zip(writes, answers, strict=True)}


def _signing(one: Write) -> str:
    known = one.proposal.id if one.proposal else ""
    return (
        "An approver's key is needed, and an answer here cannot carry its signature. Run "
        f"`penstock approve {known} --no-apply` in a terminal, then approve here.\n\n"
    )


def _read(said: object) -> Decided:
    from penstock.doors.langgraph.review import Reviewed

    if not isinstance(said, Reviewed):
        raise TypeError(type(said).__name__)
    return Decided(
        kind=said.kind,
        strategy=said.strategy,
        at=said.insertion_point,
        content=str(said.args.get("new_content", "")).encode("utf-8", "surrogatepass"),
        message=said.message or prompting.SAID_NO,
    )


def _facts(one: Write) -> dict[str, object]:
    request = plain(one.place.shown, one.text, one.change)
    counts = ("classification", "existing_lines", "lines_deleted", "lines_added", "change_ratio")
    strategies = [str(each) for each in Strategy] if one.before is not None else ["replace"]
    return {
        **{name: request[name] for name in counts},  # type: ignore[literal-required]
        "because": one.decision.because,
        "before": one.base,
        "strategies": strategies,
    }


def _described(one: Write) -> str:
    return f"{_lost(one)}\n\n{cut(visible_diff(_diff(one).encode()).encode())}"


def _lost(one: Write) -> str:
    """Return why somebody is asked, and what would be lost."""
    request = plain(one.place.shown, one.text, one.change)
    existing = (one.before or b"").decode("utf-8", "replace")
    summary = show_deletion_summary(request, existing_content=existing)
    because = spoken(one.decision.because)
    return f"{because}\n{summary}" if because else summary


def _diff(one: Write) -> str:
    before = None if one.before is None else Bytes(one.before)
    with comparing(one.place.shown) as told:
        return preview.diff(before, Bytes(one.content), path=one.path, context=CONTEXT, told=told)

"""Changes that are alike: the same lines go and come, and nothing else about them differs."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from penstock.core.diff.hunks import hunks
from penstock.core.diff.measure import measure
from penstock.core.digest import digest
from penstock.core.file_mode import FileMode
from penstock.core.model import Actor, Decision, Verdict
from penstock.core.proposals.flag import RiskFlag, RiskLevel
from penstock.core.proposals.model import Moment, Proposal, State
from penstock.core.review.alike import MOST_LINES, likeness
from penstock.core.text.line_endings import split

BEFORE = b"# a\nYEAR = 2025\nkept\nkept too\n"
AFTER = b"# a\nYEAR = 2026\nkept\nkept too\n"


def proposal(before: bytes | None, after: bytes | None, **more: object) -> Proposal:
    one = Proposal(
        id="p",
        path="a.py",
        base=None if before is None else digest(before),
        content=None if after is None else digest(after),
        change=measure(before, after),
        decision=Decision(verdict=Verdict.ASK, reasons=(), revision="r"),
        state=State.WAITING,
        created=Moment(wall=0.0),
        ttl=1.0,
        actor=Actor(agent="claude"),
    )
    return replace(one, **more)


def of(before: bytes | None, after: bytes | None, **more: object) -> str:
    old, new = before or b"", after or b""
    one = proposal(before, after, **more)
    return likeness(one, split(old), split(new), hunks(old, new))


ALIKE = {
    "another path": of(BEFORE, AFTER, path="b.py", id="q"),
    "other lines around it": of(b"x\n" + BEFORE + b"y\n", b"x\n" + AFTER + b"y\n"),
    "somewhere else in the file": of(b"1\n2\n3\n" + BEFORE, b"1\n2\n3\n" + AFTER),
}
DANGER = RiskFlag(level=RiskLevel.DANGER, code="x", text="runs a script")
OTHER = {
    "another new line": of(BEFORE, AFTER.replace(b"2026", b"2027")),
    "another old line": of(BEFORE.replace(b"2025", b"2024"), AFTER),
    "one more line": of(BEFORE, AFTER + b"import evil\n"),
    "one line less": of(BEFORE + b"kept\n", AFTER),
    "another line end": of(BEFORE, AFTER.replace(b"2026\n", b"2026\r\n")),
    "white space": of(BEFORE, AFTER.replace(b"2026", b"2026 ")),
    "the other way round": of(AFTER, BEFORE),
    "another agent": of(BEFORE, AFTER, actor=Actor(agent="codex")),
    "a program": of(BEFORE, AFTER, mode=FileMode.EXECUTABLE),
    "a danger flag": of(BEFORE, AFTER, flags=(DANGER,)),
    "a warning": of(BEFORE, AFTER, warnings=("look here",)),
    "a new file": of(None, AFTER),
}


@pytest.mark.parametrize("other", ALIKE.values(), ids=ALIKE.keys())
def test_alike(other: str) -> None:
    assert other == of(BEFORE, AFTER) != ""


@pytest.mark.parametrize("other", OTHER.values(), ids=OTHER.keys())
def test_not_alike(other: str) -> None:
    assert other != of(BEFORE, AFTER)


def test_a_set_a_long_change_and_an_empty_one_stand_alone() -> None:
    assert of(BEFORE, AFTER, set_id="s") == ""
    assert of(None, b"x\n" * (MOST_LINES + 1)) == ""
    assert of(None, b"x\n" * MOST_LINES) != ""
    assert of(None, b"") == ""


LINES = st.lists(st.sampled_from([b"a\n", b"b\n", b"-a\n", b"+b\n", b"hunk\n", b"\n"]), max_size=6)


@given(first=st.tuples(LINES, LINES), second=st.tuples(LINES, LINES))
@settings(deadline=None, max_examples=200)
def test_two_changes_that_are_alike_remove_and_add_the_same(
    first: tuple[list[bytes], list[bytes]], second: tuple[list[bytes], list[bytes]]
) -> None:
    sides = [tuple(b"".join(side) for side in each) for each in (first, second)]
    names = [of(old, new) for old, new in sides]
    if names[0] and names[0] == names[1]:
        assert changed(*sides[0]) == changed(*sides[1])


def changed(old: bytes, new: bytes) -> list[tuple[list[bytes], list[bytes]]]:
    return [
        ([split(old)[at] for at in hunk.before], [split(new)[at] for at in hunk.after])
        for hunk in hunks(old, new)
    ]

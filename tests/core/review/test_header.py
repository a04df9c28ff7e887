"""The second row of a header: who asks, the rule, the time left."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from penstock.core.diff.measure import measure
from penstock.core.model import Actor, Decision, Reason, Verdict
from penstock.core.proposals.model import Moment, Proposal, State
from penstock.core.review.header import second_row

NOW = Moment(wall=1000.0)
ONE = Proposal(
    id="p",
    path="a",
    base=None,
    content="sha256:1",
    change=measure(None, b"x\n"),
    decision=Decision(verdict=Verdict.ASK, reasons=(Reason(rule="rewrites", verdict=Verdict.ASK),)),
    state=State.WAITING,
    created=Moment(wall=1000.0 - 60.0),
    ttl=3600.0,
    actor=Actor(agent="claude"),
)
ALLOWED = Reason(rule="other", verdict=Verdict.ALLOW)


def asked(*reasons: Reason) -> Proposal:
    return replace(ONE, decision=Decision(verdict=Verdict.ASK, reasons=reasons))


ROWS = [
    (ONE, "claude · rule rewrites · 59 min left"),
    (replace(ONE, actor=Actor()), "rule rewrites · 59 min left"),
    (replace(ONE, state=State.REJECTED), "claude · rule rewrites · rejected"),
    (replace(ONE, ttl=60.0), "claude · rule rewrites · expired"),
    (asked(), "claude · no rule matches · 59 min left"),
    (asked(ALLOWED), "claude · no rule matches · 59 min left"),
    (asked(Reason(rule="default.write", verdict=Verdict.ASK)), "claude · no rule matches · 59"),
    (replace(ONE, actor=Actor(agent="a\nb\x1b")), "a⟦U+000A LF⟧b⟦U+001B ESC⟧"),
]  # fmt: skip


@pytest.mark.parametrize(("one", "row"), ROWS)
def test_the_second_row(one: Proposal, row: str) -> None:
    assert second_row(one, NOW).startswith(row)

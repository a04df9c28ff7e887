"""What is counted, and that a drawing of it can be read by everybody and runs nothing."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.model import Verdict
from penstock.doors.web import charts
from penstock.doors.web.pages.history_values import decision_lines
from penstock.doors.web.statistics import (
    MOST_NAMES,
    DecisionCounts,
    busiest,
    by_day,
    by_wait,
    tally,
)

SVG = "{http://www.w3.org/2000/svg}"
BAD = '<script>alert(1)</script>"&\u202e'


def event(
    op: str, status: str, *, at: str = "2026-01-05T10:00:00Z", **more: object
) -> dict[str, object]:
    return {"ts": at, "op": op, "status": status, "path": "a", **more}


def test_a_decision_is_counted_once_by_day_agent_and_rule() -> None:
    made = tally(
        [
            event("tool_call", "denied", agent="claude", rules=["no-keys", "other"]),
            event("proposed", "waiting", agent="codex", rules=["big"], proposal="p1"),
            event("approved", "approved", proposal="p1", at="2026-01-05T10:00:30Z"),
            event("applied", "applied", proposal="p1"),
        ]
    )
    assert made.total == {Verdict.DENY: 1, Verdict.ASK: 1}
    assert made.agents["claude"] == {Verdict.DENY: 1}
    assert made.rules["no-keys"].counts == {Verdict.DENY: 1}
    assert made.rules["big"].last == "2026-01-05T10:00:00Z"
    assert made.answers == {"approved": 1}
    assert made.waits == [30.0]
    assert made.days["2026-01-05"].total() == 2


def test_only_what_agents_ask_for_is_counted() -> None:
    """An undo, an edit of rules and a person's own version are nobody's question."""
    made = tally(
        [
            event("proposed", "waiting", agent="claude", rules=["big"], proposal="p1"),
            event("proposed", "waiting", agent="claude", proposal="p2", origin="edit", parent="p1"),
            event("approved", "approved", agent="claude", proposal="p2", origin="edit",
                  at="2026-01-05T10:00:20Z"),
            event("proposed", "waiting", proposal="p3", origin="undo"),
            event("approved", "approved", proposal="p3", origin="undo"),
            event("proposed", "waiting", proposal="p4", origin="rules"),
            event("approved", "approved", proposal="p4", origin="rules"),
            event("proposed", "waiting", agent="codex", rules=["big"], proposal="p5"),
            event("rejected", "rejected", agent="codex", proposal="p5"),
        ]
    )  # fmt: skip
    assert made.total == {Verdict.ASK: 2}
    assert made.answers == {"approved": 1, "rejected": 1}
    assert made.waits == [20.0, 0.0], "since the agent asked, not since the edit"
    assert made.by_agent == {"claude": {"approved": 1}, "codex": {"rejected": 1}}
    assert made.by_rule == {"big": {"approved": 1, "rejected": 1}}


def test_acceptance_is_drawn_and_written_down() -> None:
    count = Counter(approved=3, rejected=1)
    chart = charts.acceptance("rate", "Rate", [(BAD, count)], of="agent")
    assert chart.rows[0][1:] == ("3", "1", "75 %")
    assert "3 of 4 approved (75 %)" in chart.words
    ET.fromstring(str(chart.svg).replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" '))
    assert "<script" not in str(chart.svg)
    assert charts.acceptance("rate", "Rate", [], of="agent").rows == ()


ODD = [
    {},
    {"op": 3, "status": [], "ts": None},
    {"op": "tool_call", "status": "denied", "ts": 5, "agent": {"a": 1}, "rules": "no"},
    {"op": "tool_call", "status": "denied", "rules": [1, None, "r"], "rule": ["x"]},
    {"op": "approved", "proposal": "p", "ts": "not a time"},
]


def test_old_denials_are_not_pushed_out_by_new_allowances() -> None:
    denied = [event("tool_call", "denied", agent="a", seq=at) for at in range(3)]
    allowed = [event("tool_call", "allowed", agent="b", seq=at) for at in range(3, 3000)]
    recent = tally([*denied, *allowed]).recent
    lines = decision_lines(recent, most=10, verdict="deny")
    assert [line.verdict for line in lines] == ["deny"] * 3
    newest = decision_lines(recent, most=5)
    assert [line.agent for line in newest] == ["b"] * 5


@pytest.mark.parametrize("odd", ODD)
def test_lines_of_any_shape_are_read(odd: dict[str, object]) -> None:
    assert tally([odd]).events == 1


def test_names_without_end_do_not_fill_the_memory() -> None:
    made = tally(event("tool_call", "denied", agent=f"a{at}", rule=f"r{at}") for at in range(2000))
    assert len(made.agents) <= MOST_NAMES + 1
    assert len(made.rules) <= MOST_NAMES + 1
    assert made.decisions == 2000


def test_days_without_a_decision_are_there() -> None:
    made = tally([event("tool_call", "allowed")])
    days = by_day(made.days, last="2026-01-06T00:00:00Z", days=3)
    assert [(day, count.total()) for day, count in days] == [
        ("2026-01-04", 0),
        ("2026-01-05", 1),
        ("2026-01-06", 0),
    ]


def test_the_least_busy_are_one_row() -> None:
    counts = {name: Counter({Verdict.DENY: n}) for name, n in (("a", 5), ("b", 1), ("c", 1))}
    assert [(name, count.total()) for name, count in busiest(counts, most=1)] == [
        ("a", 5),
        ("2 more", 2),
    ]


def test_waiting_times_are_put_in_steps() -> None:
    assert dict(by_wait([0, 9.9, 10, 3600, 99999])) == {
        "< 10 s": 2,
        "< 1 min": 1,
        "< 5 min": 0,
        "< 15 min": 0,
        "< 1 h": 0,
        "≥ 1 h": 2,
    }
    assert DecisionCounts(waits=[3, 1, 2]).median_wait == 2
    assert DecisionCounts().median_wait is None


def drawn(names: list[tuple[str, Counter[Verdict]]]) -> list[charts.Chart]:
    return [
        charts.over_time("Over time", names),
        charts.by_name("agents", "By agent", names, of="agent"),
        charts.by_step(
            "waits", "Waiting", [(n, c.total()) for n, c in names], of="time", words="words"
        ),
    ]


COUNTS = st.builds(
    lambda a, b, c: Counter({Verdict.ALLOW: a, Verdict.ASK: b, Verdict.DENY: c}),
    *[st.integers(0, 10**7)] * 3,
)
NAMES = st.lists(st.tuples(st.text(max_size=40), COUNTS), max_size=12)


@given(names=NAMES)
@settings(deadline=None, max_examples=80)
def test_every_drawing_is_well_formed_with_a_title_a_description_and_its_numbers(
    names: list[tuple[str, Counter[Verdict]]],
) -> None:
    for chart in drawn(names):
        tree = ET.fromstring(
            str(chart.svg).replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ')
        )
        said = tree.attrib["aria-labelledby"].split()
        assert [tree[0].attrib["id"], tree[1].attrib["id"]] == said
        assert tree[0].tag == f"{SVG}title"
        assert tree[1].text
        assert len(chart.rows) == len(names)
        for bar in tree.iter(f"{SVG}rect"):
            assert float(bar.attrib["x"]) + float(bar.attrib["width"]) <= charts.WIDTH + 1
            assert float(bar.attrib["y"]) >= 0


def test_names_are_never_markup_and_nothing_carries_a_style() -> None:
    for chart in drawn([(BAD, Counter({Verdict.DENY: 3}))]):
        assert "<script" not in chart.svg
        assert "style=" not in chart.svg
        assert "\u202e" not in chart.svg


def test_no_numbers_are_a_drawing_too() -> None:
    for chart in drawn([]):
        assert chart.svg.startswith("<svg")

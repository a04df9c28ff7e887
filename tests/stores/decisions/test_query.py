"""Logs of decisions answer what reading every line of them does."""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.audit.query import parse_line
from penstock.core.errors import AuditError
from penstock.core.learning.past_decision import past_of
from penstock.stores.audit import reader
from penstock.stores.decisions.lines import kind_of, quick, seconds_of
from penstock.stores.decisions.query import ALL, DecisionQuery, Decisions, recent
from tests.doors.reviewer import logs

Line = logs.Line


def mixed(count: int, start: int = 0) -> list[Line]:
    """Lines of every shape, one a second."""
    made: list[Line] = []
    for n in range(start, start + count):
        made.append(
            (
                lambda n=n: logs.audit(n, "deny", f"rm -rf b{n % 3}"),
                lambda n=n: logs.audit(n, "allow"),
                lambda n=n: logs.operational(n, "passthrough", "passthrough", "npm install"),
                lambda n=n: logs.review(n, "deny", rule=f"r{n % 20}"),
                lambda n=n: logs.review(
                    n, "passthrough", "passthrough", "npm ci", assessment="QUERY", needs_review=True
                ),
            )[n % 5]()
        )
    return made


def asked(path: Path) -> Decisions:
    return Decisions([str(path)])


def told(decisions: Decisions, wanted: DecisionQuery = ALL) -> list[str]:
    return [past.ts for past in decisions.newest(wanted)]


def by_hand(path: Path, wanted: DecisionQuery) -> list[str]:
    found = []
    for line in path.read_bytes().split(b"\n"):
        past = past_of(parse_line(line) or {})
        if past is None or not past.decision or not wanted.fits(kind_of(past)):
            continue
        second = seconds_of(past.ts)
        in_time = second >= wanted.since and (not wanted.until or second < wanted.until)
        if in_time and (not wanted.session or past.session == wanted.session):
            found.append(past.ts)
    return found[::-1]


WANTED = [
    ALL,
    DecisionQuery(decision="deny"),
    DecisionQuery(source="llm"),
    DecisionQuery(decision="deny", rule="r3"),
    DecisionQuery(session="s2"),
    DecisionQuery(session="s2", decision="deny"),
    DecisionQuery(session="nobody"),
    DecisionQuery(needs_review=True),
    DecisionQuery(needs_review=False, tool="Bash"),
    DecisionQuery(tool="Zork"),
    DecisionQuery(since=seconds_of(logs.at(40))),
    DecisionQuery(since=seconds_of(logs.at(40)), until=seconds_of(logs.at(60)), decision="deny"),
]


@pytest.mark.parametrize("wanted", WANTED, ids=str)
@pytest.mark.parametrize("spaced", [False, True])
def test_a_log_answers_what_reading_every_line_does(
    tmp_path: Path, wanted: DecisionQuery, spaced: bool
) -> None:
    path = logs.write(tmp_path / "log", mixed(100), spaced=spaced)
    expected = by_hand(path, wanted)
    assert told(asked(path), wanted) == expected
    assert asked(path).tally(wanted).total == len(expected)
    assert os.listdir(tmp_path) == ["log"]


def test_what_was_denied_most_is_counted_by_its_text(tmp_path: Path) -> None:
    lines = mixed(100)
    path = logs.write(tmp_path / "log", lines)
    expected = Counter(x["tool_input"]["command"] for x in lines if x.get("decision") == "deny")
    assert asked(path).tally().denied == expected
    since = DecisionQuery(since=seconds_of(logs.at(50)))
    late = Counter(x["tool_input"]["command"] for x in lines[50:] if x.get("decision") == "deny")
    assert asked(path).tally(since).denied == late
    assert asked(path).tally(DecisionQuery(tool="Read")).denied == Counter()
    by_rule = asked(path).tally(DecisionQuery(tool="Bash", rule="r3"))
    assert by_rule.denied == Counter({"rm -rf x": 5})
    assert asked(path).tally(DecisionQuery(session="s3")).denied.total() == 20


@pytest.mark.parametrize("mess", [1, 5, 60])  # hooks that write at once, and a shuffled log
def test_a_log_that_is_not_in_order_is_still_asked_by_time(tmp_path: Path, mess: int) -> None:
    lines = mixed(60)
    chance = random.Random(3)
    lines.sort(key=lambda line: int(line["timestamp"][17:19]) + chance.uniform(0, mess))
    path = logs.write(tmp_path / "log", lines)
    wanted = DecisionQuery(since=seconds_of(logs.at(20)), until=seconds_of(logs.at(30)))
    assert sorted(told(asked(path), wanted)) == sorted(by_hand(path, wanted))
    tally = asked(path).tally(wanted)
    assert (tally.total, tally.denied.total()) == (10, 4)


@pytest.mark.parametrize("block", [1, 7, 200, 1000])
def test_where_a_block_ends_makes_no_difference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    monkeypatch.setattr(reader, "READ", block)
    path = logs.write(tmp_path / "log", mixed(20))
    assert told(asked(path)) == by_hand(path, ALL)


def test_what_is_longer_than_any_line_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "READ", 100)
    monkeypatch.setattr(reader, "MOST_LINE", 2000)
    path = logs.write(tmp_path / "log", mixed(5))
    own = logs.own(6, status="denied", tool="Bash", session="s", command="x" * 5000)
    logs.write(path, [logs.audit(5, "deny", "x" * 5000), own, *mixed(5, 7)], mode="a")
    assert told(asked(path)) == [logs.at(n) for n in (11, 10, 9, 8, 7, 4, 3, 2, 1, 0)]


def test_several_logs_are_one_by_their_times(tmp_path: Path) -> None:
    lines = mixed(80)
    logs.write(tmp_path / "even", lines[0::2])
    logs.write(tmp_path / "odd", lines[1::2])
    both = Decisions([str(tmp_path / "even"), str(tmp_path / "odd")])
    assert told(both) == [logs.at(n) for n in range(79, -1, -1)]
    assert both.tally().total == 80


# --- what happens to logs -----------------------------------------------------------------------


def test_lines_that_are_appended_are_seen_at_once(tmp_path: Path) -> None:
    path = logs.write(tmp_path / "log", mixed(50))
    assert asked(path).tally().total == 50
    logs.write(path, mixed(1, 50), mode="a")
    assert asked(path).tally().total == 51
    logs.write(path, mixed(70, 51), mode="a")
    assert asked(path).tally().total == 121
    assert told(asked(path)) == by_hand(path, ALL)


def test_an_unfinished_last_line_is_left_for_later(tmp_path: Path) -> None:
    path = logs.write(tmp_path / "log", mixed(20))
    ours = logs.own(99, status="denied", tool="Bash", session="s", command="x")
    for count, line in enumerate((logs.audit(99, "deny"), ours), 20):
        whole = json.dumps(line, separators=(",", ":")).encode()
        before = path.read_bytes()
        for cut in (40, len(whole) - 1):
            path.write_bytes(before + whole[:cut])
            assert asked(path).tally().total == count
        path.write_bytes(before + whole + b"\n")
        assert asked(path).tally().total == count + 1


@pytest.mark.parametrize("count", [1, 3, 20])
def test_a_last_line_without_its_newline_counts_once(tmp_path: Path, count: int) -> None:
    """Whoever makes a log by joining lines, or reads one a moment too early, misses nothing."""
    path = logs.write(tmp_path / "log", mixed(count))
    path.write_bytes(path.read_bytes().removesuffix(b"\n"))
    last = json.loads(path.read_bytes().split(b"\n")[-1])["timestamp"]
    assert asked(path).tally().total == count
    assert told(asked(path)) == by_hand(path, ALL)
    assert next(asked(path).newest(ALL)).ts == last
    assert [past.ts for past in recent([str(path)], 1)] == [last]
    path.write_bytes(path.read_bytes() + b"\n")
    logs.write(path, mixed(5, count), mode="a")
    assert asked(path).tally().total == count + 5
    assert told(asked(path)) == by_hand(path, ALL)


@pytest.mark.parametrize(
    ("head", "tail"),
    [(b"", b"\r"), (b"\xef\xbb\xbf", b""), (b"  ", b" \t")],
    ids=["Windows line end", "byte order mark", "spaces"],
)
def test_lines_that_other_programs_wrote_are_read(tmp_path: Path, head: bytes, tail: bytes) -> None:
    line = json.dumps(logs.audit(1, "deny", "rm -rf b")).encode()
    path = tmp_path / "log"
    path.write_bytes(head + line + tail + b"\n" + line.replace(b"rm -rf", b"rm \xff") + b"\n")
    decisions = asked(path)
    assert [past.command for past in decisions.newest(ALL)] == ["rm \ufffd b", "rm -rf b"]
    assert decisions.tally().denied == {"rm -rf b": 1, "rm \ufffd b": 1}
    assert len(recent([str(path)], 10)) == 2


def test_the_segments_of_our_own_record_are_one_log(tmp_path: Path) -> None:
    lines = [
        logs.own(n, status="denied", tool="Bash", session="s", command=f"x{n}") for n in range(40)
    ]
    logs.write(tmp_path / "audit.0000000000-0000000019.jsonl", lines[:20])
    path = logs.write(tmp_path / "audit.jsonl", lines[20:])
    assert [p.command for p in asked(path).newest(ALL)] == [f"x{n}" for n in range(39, -1, -1)]
    assert len(recent([str(path)], 1000)) == 40
    assert [p.command for p in recent([str(path)], 3)] == ["x39", "x38", "x37"]


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "log")
    with pytest.raises(AuditError):
        asked(tmp_path / "log").tally()
    assert asked(tmp_path / "none").tally().total == 0
    assert recent([str(tmp_path / "log")], 5) == []
    assert recent([str(tmp_path / "none")], 5) == []


def test_lines_that_are_no_decisions_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "log"
    noise = [b"", b"not json", b"[1]", b'{"op":"session_started","status":"observed"}', b"\xff\xfe"]
    deep = b'{"tool_name":"Bash","tool_input":' + b"[" * 5000 + b"]" * 5000 + b"}"
    good = json.dumps(logs.audit(1, "deny")).encode()
    path.write_bytes(b"\n".join([*noise, deep, good, *noise, good]) + b"\n")
    assert asked(path).tally().total == 2
    assert len(recent([str(path)], 100)) == 2


# --- the quick way is no other way --------------------------------------------------------------

WORDS = st.sampled_from(["allow", "deny", "passthrough", "ask", "weird"])
TEXT = st.text(max_size=20) | st.sampled_from(
    ['"decision":"allow"', '},"decision":"deny"', "\\", "}"]
)
INPUTS = st.dictionaries(TEXT | st.sampled_from(["command", "decision"]), TEXT | st.booleans() |
                         st.dictionaries(TEXT, TEXT, max_size=2), max_size=3)  # fmt: skip


@given(
    given_input=INPUTS,
    word=WORDS,
    reason=TEXT,
    cwd=TEXT,
    shape=st.integers(0, 3),
    spaced=st.booleans(),
    ascii_only=st.booleans(),
    tool=st.sampled_from(["Bash", "Read", "é", 'q"']),
)
@settings(deadline=None, max_examples=300)
def test_a_line_that_is_taken_apart_by_its_bytes_tells_what_parsing_tells(
    given_input: dict[str, object], word: str, reason: str, cwd: str,
    shape: int, spaced: bool, ascii_only: bool, tool: str,
) -> None:  # fmt: skip
    line = (
        logs.audit(5, word, reason=reason, cwd=cwd)
        if shape == 0
        else logs.operational(5, word, "rule")
        if shape == 1
        else logs.review(5, word, rule=reason)
        if shape == 2
        else logs.old(5)
    )
    line |= {"tool_input": given_input, "tool_name": tool}
    separators = (", ", ": ") if spaced else (",", ":")
    data = json.dumps(line, separators=separators, ensure_ascii=ascii_only).encode(
        "utf-8", "surrogatepass"
    )
    found = quick(data)
    past = past_of(parse_line(data) or {})
    if found is not None:
        assert past is not None
        assert found == (past.ts, kind_of(past), past.session)


def test_usual_lines_take_the_quick_way() -> None:
    for line in (*mixed(5), logs.own(1, tool="Bash", session="s", rules=["a"])):
        assert quick(json.dumps(line, separators=(",", ":")).encode()) is not None, line

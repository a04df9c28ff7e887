"""Logs of decisions are asked through an index that only ever saves time."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
from collections import Counter
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.audit.query import parse_line
from penstock.core.errors import AuditError
from penstock.core.learning.past_decision import Past, past_of
from penstock.stores.decisions import columns
from penstock.stores.decisions.lines import Rows, kind_of, quick, seconds_of
from penstock.stores.decisions.query import ALL, DecisionQuery, Decisions, recent
from tests.doors.reviewer import logs

Line = logs.Line


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """An index is written soon, and counts few rows beforehand, so that both ways are taken."""
    monkeypatch.setattr(columns, "MUCH", 200)
    monkeypatch.setattr(columns, "CHUNK", 8)
    monkeypatch.setattr("penstock.stores.decisions.query.CHUNK", 8)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """The folder of the indexes."""
    return tmp_path / "state" / "decisions"


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


def asked(path: Path, place: Path) -> Decisions:
    return Decisions([str(path)], lambda _: str(place))


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
def test_the_index_answers_what_reading_every_line_does(
    tmp_path: Path, place: Path, wanted: DecisionQuery, spaced: bool
) -> None:
    path = logs.write(tmp_path / "log", mixed(100), spaced=spaced)
    expected = by_hand(path, wanted)
    for _ in range(2):  # built, then read back
        decisions = asked(path, place)
        assert told(decisions, wanted) == expected
        assert sum(decisions.tally(wanted).values()) == len(expected)
    assert len(os.listdir(place)) == 1


def test_what_was_denied_most_is_counted_by_its_text(tmp_path: Path, place: Path) -> None:
    lines = mixed(100)
    path = logs.write(tmp_path / "log", lines)
    expected = Counter(x["tool_input"]["command"] for x in lines if x.get("decision") == "deny")
    for _ in range(2):
        assert asked(path, place).denied_commands() == expected
    since = DecisionQuery(since=seconds_of(logs.at(50)))
    late = Counter(x["tool_input"]["command"] for x in lines[50:] if x.get("decision") == "deny")
    assert asked(path, place).denied_commands(since) == late
    assert asked(path, place).denied_commands(DecisionQuery(tool="Read")) == Counter()
    by_rule = asked(path, place).denied_commands(DecisionQuery(tool="Bash", rule="r3"))
    assert by_rule == Counter({"rm -rf x": 5})
    assert sum(asked(path, place).denied_commands(DecisionQuery(session="s3")).values()) == 20


@pytest.mark.parametrize("mess", [1, 5, 60])  # hooks that write at once, and a shuffled log
def test_a_log_that_is_not_in_order_is_still_asked_by_time(
    tmp_path: Path, place: Path, mess: int
) -> None:
    lines = mixed(60)
    chance = random.Random(3)
    lines.sort(key=lambda line: int(line["timestamp"][17:19]) + chance.uniform(0, mess))
    path = logs.write(tmp_path / "log", lines)
    wanted = DecisionQuery(since=seconds_of(logs.at(20)), until=seconds_of(logs.at(30)))
    for _ in range(2):
        decisions = asked(path, place)
        assert sorted(told(decisions, wanted)) == sorted(by_hand(path, wanted))
        assert sum(decisions.tally(wanted).values()) == 10
        assert sum(decisions.denied_commands(wanted).values()) == 4


# --- what happens to logs and to indexes --------------------------------------------------------


def test_lines_that_are_appended_are_seen_at_once(tmp_path: Path, place: Path) -> None:
    path = logs.write(tmp_path / "log", mixed(50))
    assert asked(path, place).total == 50
    logs.write(path, mixed(1, 50), mode="a")
    assert asked(path, place).total == 51
    logs.write(path, mixed(70, 51), mode="a")
    assert asked(path, place).total == 121
    assert told(asked(path, place)) == by_hand(path, ALL)
    denied = asked(path, place).denied_commands()
    assert denied == Decisions([str(path)], lambda _: str(place.parent / "other")).denied_commands()


def test_an_unfinished_last_line_is_left_for_later(tmp_path: Path, place: Path) -> None:
    path = logs.write(tmp_path / "log", mixed(20))
    ours = logs.own(99, status="denied", tool="Bash", session="s", command="x")
    for count, line in enumerate((logs.audit(99, "deny"), ours), 20):
        whole = json.dumps(line, separators=(",", ":")).encode()
        before = path.read_bytes()
        for cut in (40, len(whole) - 1):
            path.write_bytes(before + whole[:cut])
            assert asked(path, place).total == count
        path.write_bytes(before + whole + b"\n")
        assert asked(path, place).total == count + 1


@pytest.mark.parametrize("count", [1, 3, 20])
def test_a_last_line_without_its_newline_counts_once(
    tmp_path: Path, place: Path, count: int
) -> None:
    """Whoever makes a log by joining lines, or reads one a moment too early, misses nothing."""
    path = logs.write(tmp_path / "log", mixed(count))
    path.write_bytes(path.read_bytes().removesuffix(b"\n"))
    last = json.loads(path.read_bytes().split(b"\n")[-1])["timestamp"]
    for _ in range(2):  # without an index, and with one
        assert asked(path, place).total == count
        assert told(asked(path, place)) == by_hand(path, ALL)
        assert next(iter(asked(path, place).newest(ALL))).ts == last
    assert [past.ts for past in recent([str(path)], 1)] == [last]
    path.write_bytes(path.read_bytes() + b"\n")
    logs.write(path, mixed(5, count), mode="a")
    assert asked(path, place).total == count + 5
    assert told(asked(path, place)) == by_hand(path, ALL)


@pytest.mark.parametrize(
    ("head", "tail"),
    [(b"", b"\r"), (b"\xef\xbb\xbf", b""), (b"  ", b" \t")],
    ids=["Windows line end", "byte order mark", "spaces"],
)
def test_lines_that_other_programs_wrote_are_read(
    tmp_path: Path, place: Path, head: bytes, tail: bytes
) -> None:
    line = json.dumps(logs.audit(1, "deny", "rm -rf b")).encode()
    path = tmp_path / "log"
    path.write_bytes(head + line + tail + b"\n" + line.replace(b"rm -rf", b"rm \xff") + b"\n")
    decisions = asked(path, place)
    assert [past.command for past in decisions.newest(ALL)] == ["rm \ufffd b", "rm -rf b"]
    assert decisions.denied_commands() == {"rm -rf b": 1, "rm \ufffd b": 1}
    assert len(recent([str(path)], 10, alike=True)) == 2


@pytest.mark.parametrize("left", [0, 3, 20])
def test_a_log_that_was_cut_is_read_anew(tmp_path: Path, place: Path, left: int) -> None:
    path = logs.write(tmp_path / "log", mixed(50))
    asked(path, place)
    logs.write(path, mixed(left))
    assert told(asked(path, place)) == by_hand(path, ALL)


def test_a_log_that_was_replaced_by_a_longer_one_is_read_anew(tmp_path: Path, place: Path) -> None:
    path = logs.write(tmp_path / "log", mixed(50))
    asked(path, place)
    first, *_ = mixed(1)
    logs.write(path, [first, *(logs.audit(n, "allow") for n in range(1, 90))])
    assert told(asked(path, place)) == by_hand(path, ALL)


def test_a_log_keeps_its_index_when_it_is_rotated(tmp_path: Path, place: Path) -> None:
    path = logs.write(tmp_path / "log", mixed(50))
    asked(path, place)
    (before,) = place.iterdir()
    stamp = before.stat().st_mtime_ns
    path.rename(tmp_path / "log.1")
    assert asked(tmp_path / "log.1", place).total == 50
    assert before.stat().st_mtime_ns == stamp
    logs.write(path, mixed(30, 100))
    assert told(asked(path, place)) == by_hand(path, ALL)
    both = Decisions([str(tmp_path / "log.1"), str(path)], lambda _: str(place))
    assert told(both) == sorted(told(both), reverse=True)
    assert both.total == 80


def test_the_segments_of_our_own_record_are_one_log(tmp_path: Path, place: Path) -> None:
    lines = [
        logs.own(n, status="denied", tool="Bash", session="s", command=f"x{n}") for n in range(40)
    ]
    logs.write(tmp_path / "audit.0000000000-0000000019.jsonl", lines[:20])
    path = logs.write(tmp_path / "audit.jsonl", lines[20:])
    assert [p.command for p in asked(path, place).newest(ALL)] == [
        f"x{n}" for n in range(39, -1, -1)
    ]
    assert len(recent([str(path)], 1000)) == 40
    assert [p.command for p in recent([str(path)], 3)] == ["x39", "x38", "x37"]


@pytest.mark.parametrize("spaced", [False, True])
def test_calls_that_are_alike_may_be_told_by_the_newest_of_them(
    tmp_path: Path, spaced: bool
) -> None:
    path = logs.write(tmp_path / "log", [*mixed(60), {"tool_name": "Read"}], spaced=spaced)
    each, alike = recent([str(path)], 100), recent([str(path)], 100, alike=True)
    assert len(each) == len(alike) == 61

    def without_time(past: Past) -> Past:
        return replace(past, ts="", session="")

    assert [without_time(one) for one in each] == [without_time(one) for one in alike]
    assert len({id(one) for one in alike}) < 40
    assert max(one.ts for one in alike) == max(one.ts for one in each)


@pytest.mark.parametrize("damage", ["empty", "noise", "cut", "flipped", "head"])
def test_a_damaged_index_is_made_anew(tmp_path: Path, place: Path, damage: str) -> None:
    path = logs.write(tmp_path / "log", mixed(50))
    asked(path, place)
    (index,) = place.iterdir()
    data = bytearray(index.read_bytes())
    if damage == "flipped":
        data[-20] ^= 255
    index.write_bytes(
        {"empty": b"", "noise": os.urandom(500), "cut": bytes(data[: len(data) // 2]),
         "flipped": bytes(data), "head": b"\xff" * 8 + bytes(data[8:])}[damage]
    )  # fmt: skip
    assert told(asked(path, place)) == by_hand(path, ALL)
    assert told(asked(path, place)) == by_hand(path, ALL)


def test_any_flipped_byte_of_an_index_changes_no_answer(tmp_path: Path, place: Path) -> None:
    path = logs.write(tmp_path / "log", mixed(30))
    asked(path, place)
    (index,) = place.iterdir()
    data = index.read_bytes()
    expected, tally = by_hand(path, ALL), asked(path, place).tally()
    for at in random.Random(1).sample(range(len(data)), 60):
        index.write_bytes(data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1 :])
        decisions = asked(path, place)
        assert told(decisions) == expected
        assert decisions.tally() == tally


def test_an_index_is_for_its_owner_alone_and_never_beside_the_log(
    tmp_path: Path, place: Path
) -> None:
    folder = tmp_path / "theirs"
    folder.mkdir()
    path = logs.write(folder / "log", mixed(50))
    asked(path, place)
    assert os.listdir(folder) == ["log"]
    (index,) = place.iterdir()
    assert index.stat().st_mode & 0o777 == 0o600
    assert place.stat().st_mode & 0o777 == 0o700


def test_where_no_index_can_be_kept_the_answer_is_the_same(tmp_path: Path) -> None:
    path = logs.write(tmp_path / "log", mixed(50))
    blocked = tmp_path / "file"
    blocked.write_text("no folder")
    assert told(asked(path, blocked / "x")) == by_hand(path, ALL)


def _read(path: str, place: str, count: int) -> None:
    for _ in range(5):
        decisions = Decisions([path], lambda _: place)
        assert decisions.total >= count
        assert len(list(islice(decisions.newest(DecisionQuery(decision="deny")), 5))) == 5


def test_several_processes_may_read_and_index_one_log(tmp_path: Path, place: Path) -> None:
    path = logs.write(tmp_path / "log", mixed(300))
    context = multiprocessing.get_context("fork")
    ran = [context.Process(target=_read, args=(str(path), str(place), 300)) for _ in range(4)]
    for one in ran:
        one.start()
    for n in range(20):
        logs.write(path, mixed(10, 300 + 10 * n), mode="a")
    for one in ran:
        one.join(60)
        assert one.exitcode == 0
    assert asked(path, place).total == 500
    assert [name for name in os.listdir(place) if name.endswith(".new")] == []


def test_what_is_no_file_is_refused(tmp_path: Path, place: Path) -> None:
    os.mkfifo(tmp_path / "log")
    with pytest.raises(AuditError):
        asked(tmp_path / "log", place)
    assert asked(tmp_path / "none", place).total == 0
    assert recent([str(tmp_path / "none")], 5) == []


def test_lines_that_are_no_decisions_are_passed_over(tmp_path: Path, place: Path) -> None:
    path = tmp_path / "log"
    noise = [b"", b"not json", b"[1]", b'{"op":"session_started","status":"observed"}', b"\xff\xfe"]
    deep = b'{"tool_name":"Bash","tool_input":' + b"[" * 5000 + b"]" * 5000 + b"}"
    good = json.dumps(logs.audit(1, "deny")).encode()
    path.write_bytes(b"\n".join([*noise, deep, good, *noise, good]) + b"\n")
    assert asked(path, place).total == 2
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
        assert found[1:] == (kind_of(past), past.session.encode())
        assert found[0].decode() == past.ts


def test_usual_lines_take_the_quick_way() -> None:
    for line in (*mixed(5), logs.own(1, tool="Bash", session="s", rules=["a"])):
        assert quick(json.dumps(line, separators=(",", ":")).encode()) is not None, line


def test_kinds_beyond_all_bounds_share_their_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("penstock.stores.decisions.lines.MOST_KINDS", 1010)
    monkeypatch.setattr("penstock.stores.decisions.lines.MOST_TEXTS", 5)
    rows = Rows()
    lines = [logs.review(n, "deny", rule=f"r{n}", command=f"c{n}") for n in range(40)]
    rows.add("\n".join(json.dumps(line) for line in lines).encode(), 0)
    assert len(rows.kind) == 40
    assert len(rows.kinds) == 11
    assert len(rows.commands.all) == 5


STAMPS = "2025-12-06T19:38:60Z 2025-12-06T19:38:99.1Z 2025-02-30T19:38:01Z 2025-12-06T19:38:56.Z"
ZONED = "2025-12-06T19:38:56+01:00"
MORE_STAMPS = "1969-12-31T23:59:59Z 9999-12-31T23:59:59Z 2106-02-07T06:28:16Z 1970-01-01T00:00:05Z"


@pytest.mark.parametrize(
    "when", [*STAMPS.split(), *MORE_STAMPS.split(), "2025-12-06T19:38:56+01:00"]
)
def test_a_minute_that_is_remembered_gives_the_same_seconds(when: str) -> None:
    line = json.dumps({**logs.audit(0, "allow"), "timestamp": when}, separators=(",", ":"))
    early = json.dumps(
        {**logs.audit(0, "allow"), "timestamp": when[:17] + "01Z"}, separators=(",", ":")
    )
    rows = Rows()
    rows.add(f"{early}\n{line}\n{early}\n{line}".encode(), 0)
    assert list(rows.second)[1::2] == [seconds_of(when)] * 2

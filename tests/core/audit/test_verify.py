"""What was done to a record is named, with its line; a sound record passes either way."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.audit import verify
from penstock.core.audit.broken_links import find_hashes
from penstock.core.audit.fast_lines import MOST_NAMES, Shapes
from penstock.core.audit.findings import AuditProblem, AuditReport, TamperKind
from penstock.core.audit.line import strict_object
from penstock.core.audit.verify import START, LogWalk, VerifyMark, pass_block
from tests.core.audit.records import ZEROS, block, body, linked, record, relinked

Lines = list[bytes]


def walked(
    lines: Lines, tail: bytes = b"", *, size: int = 1000
) -> tuple[list[AuditProblem], LogWalk]:
    """Verify lines that come in blocks of `size`."""
    walk = LogWalk()
    blocks = [block(lines[at : at + size]) for at in range(0, len(lines), size)]
    for each in blocks:
        walk.feed(each)
    walk.tear(tail)
    return walk.finish(find_hashes(blocks, walk.orphans)), walk


def kinds(problems: list[AuditProblem]) -> list[tuple[str, int]]:
    return [(problem.kind.value, problem.line) for problem in problems]


def replaced(line: bytes, old: bytes, new: bytes) -> bytes:
    assert old in line
    return line.replace(old, new, 1)


def swapped(lines: Lines, a: int, b: int) -> Lines:
    lines = list(lines)
    lines[a], lines[b] = lines[b], lines[a]
    return lines


def inserted(lines: Lines, at: int) -> Lines:
    """Put in a line that is chained to the one before it, as a forger would."""
    prev = lines[at - 1][-73:-2].decode() if at else ZEROS
    return [*lines[:at], *linked([body(at, path="forged")], prev), *lines[at:]]


def edited(lines: Lines, at: int) -> Lines:
    changed = replaced(lines[at], b"allowed", b"approved")
    return [*lines[:at], changed, *lines[at + 1 :]]


def rehashed(lines: Lines, at: int) -> Lines:
    """Edit a line and give it the hash it should have, but leave the rest alone."""
    changed = replaced(lines[at], b"allowed", b"approved")
    return [*lines[:at], relinked([*lines[:at], changed], at)[at], *lines[at + 1 :]]


R = record(12)
ATTACKS: list[tuple[str, Lines, list[tuple[str, int]]]] = [
    ("nothing", R, []),
    ("edit in the middle", edited(R, 4), [("edited", 5)]),
    ("edit of the first line", edited(R, 0), [("edited", 1)]),
    ("edit of the last line", edited(R, 11), [("edited", 12)]),
    ("edit with a new hash", rehashed(R, 4), [("edited", 5)]),
    ("a changed event_hash", [*R[:4], replaced(R[4], R[4][-66:-60], b"000000"), *R[5:]],
     [("edited", 5)]),
    ("a changed prev_hash", [*R[:4], replaced(R[4], R[4][-153:-147], b"000000"), *R[5:]],
     [("edited", 5)]),
    ("delete one", [*R[:4], *R[5:]], [("deleted", 5)]),
    ("delete three", [*R[:4], *R[7:]], [("deleted", 5)]),
    ("delete the first", R[1:], [("deleted", 1)]),
    ("insert", inserted(R, 4), [("inserted", 5)]),
    ("insert at the beginning", inserted(R, 0), [("restarted", 2)]),
    ("insert without hashes", [*R[:4], replaced(R[4], b"f4", b"f9"), *R[4:]], [("inserted", 5)]),
    ("insert text", [*R[:4], b"hello", *R[4:]], [("inserted", 5)]),
    ("insert a copy", [*R[:5], R[4], *R[5:]], [("inserted", 5)]),
    ("swap neighbours", swapped(R, 4, 5), [("reordered", 5)]),
    ("swap far", swapped(R, 2, 8), [("reordered", 3)]),
    ("swap first and last", swapped(R, 0, 11), [("reordered", 1)]),
    ("replace by garbage", [*R[:4], b"garbage", *R[5:]], [("not-json", 5)]),
    ("garbage for two", [*R[:4], b"garbage", *R[6:]], [("not-json", 5), ("deleted", 6)]),
    ("an empty line", [*R[:4], b"", *R[4:]], [("inserted", 5)]),
    ("bytes after the end", [*R[:4], R[4] + b" ", *R[5:]], [("trailing-bytes", 5)]),
    ("a carriage return", [*R[:4], R[4] + b"\r", *R[5:]], [("trailing-bytes", 5)]),
    ("two objects", [*R[:4], R[4] + b"{}", *R[5:]], [("trailing-bytes", 5)]),
    ("start over in the middle", [*R[:4], *record(3)], [("restarted", 5)]),
    ("edit and delete", [*edited(R, 2)[:6], *R[7:]], [("edited", 3), ("deleted", 7)]),
    ("edit and delete the next", [*edited(R, 2)[:3], *R[4:]], [("edited", 3), ("deleted", 4)]),
]  # fmt: skip


@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize(("name", "lines", "expected"), ATTACKS, ids=[a[0] for a in ATTACKS])
def test_what_was_done_is_named_with_its_line(
    name: str, lines: Lines, expected: list[tuple[str, int]], size: int
) -> None:
    problems, _ = walked(lines, size=size)
    assert kinds(problems) == expected


def with_hash(text: str) -> Lines:
    """A record of five lines in which line 3 has this body, all hashes right."""
    return linked([body(0), body(1), text, body(3), body(4)])


CRAFTED: list[tuple[str, Lines, list[tuple[str, int]]]] = [
    ("a status twice", with_hash(body(2) + ',"status":"denied"'), [("duplicate-keys", 3)]),
    ("a nested name twice", with_hash(body(2) + ',"a":{"b":1,"b":2}'), [("duplicate-keys", 3)]),
    ("an escaped name twice", with_hash(body(2) + ',"\\u006fp":"x"'), [("duplicate-keys", 3)]),
    ("a hash twice", with_hash(body(2) + f',"event_hash":"{ZEROS}"'), [("duplicate-keys", 3)]),
    ("NaN", with_hash(body(2) + ',"n":NaN'), [("not-json", 3)]),
    ("a raw tab", with_hash(body(2) + ',"n":"a\tb"'), [("not-json", 3)]),
    ("a number gap", linked([body(0), body(1), body(3), body(4)]), [("sequence-gap", 3)]),
    ("a number twice", linked([body(0), body(1), body(1), body(3)]),
     [("sequence-gap", 3), ("sequence-gap", 4)]),
    ("no numbers", linked(['"ts":"2025-01-13T12:00:00Z","op":"x"'] * 5), []),
    ("no times", linked(['"op":"x"'] * 5), []),
    ("spaces", linked(['"op": "x", "path": "y"'] * 3), []),
    ("other text", linked([body(0, path="caf\u00e9 \u2028 \"quoted\" \\ back")]), []),
    ("nested", linked([body(0, a={"b": [1, 2.5, None, {"c": True}]})]), []),
]  # fmt: skip


@pytest.mark.parametrize("repeat", [False, True])
@pytest.mark.parametrize(("name", "lines", "expected"), CRAFTED, ids=[c[0] for c in CRAFTED])
def test_a_line_is_judged_by_its_form_even_if_its_hashes_are_right(
    name: str, lines: Lines, expected: list[tuple[str, int]], repeat: bool
) -> None:
    walk = LogWalk()
    if repeat:  # a walk that has learned what lines look like judges no differently
        for line in record(3):
            walk._shapes.learn(json.loads(line))
    walk.feed(block(lines))
    assert kinds(walk.finish({})) == expected


def test_hashes_that_are_not_last_are_told() -> None:
    line = linked([body(0)])[0]
    moved = replaced(line, b',"prev_hash"', b',"zzz":1,"prev_hash"')[:-1] + b',"more":1}'
    problems, _ = walked([moved])
    assert kinds(problems) == [("trailing-bytes", 1)]
    problems, _ = walked([b'{"op":"x"}'])
    assert kinds(problems) == [("edited", 1)]


def test_a_restart_that_names_what_is_missing_is_a_problem_all_the_same() -> None:
    lost = "sha256:" + "ab" * 32
    start = body(0, op="chain_start", missing_head=lost, missing_seq=41)
    problems, _ = walked(linked([start, body(1)]))
    assert kinds(problems) == [("restarted", 1)]  # S1-057
    assert lost in problems[0].message
    middle, _ = walked(
        [*R[:3], *linked([body(3, op="chain_start", missing_head=lost)], _end(R[2]))]
    )
    assert kinds(middle) == [("restarted", 4)]


def _end(line: bytes) -> str:
    return line[-73:-2].decode()


def test_a_tail_that_was_set_aside_is_a_warning() -> None:
    problems, walk = walked(linked([body(0), body(1, op="tail_set_aside", bytes=5)]))
    assert problems == []
    assert [(warning.kind.value, warning.line) for warning in walk.warnings] == [
        ("tail-set-aside", 2)
    ]


def test_a_clock_that_goes_back_is_a_warning_at_its_line() -> None:
    times = ["2025-01-13T12:00:05Z", "2025-01-13T12:00:09Z", "2025-01-13T11:59:00Z"]
    for size in (1, 1000):
        lines = linked([body(seq, ts=ts) for seq, ts in enumerate(times)])
        problems, walk = walked(lines, size=size)
        assert problems == []
        assert kinds(walk.warnings) == [("clock-step", 3)]


@pytest.mark.parametrize("cut", [1, 40, 100, 250])
def test_an_unfinished_last_line_is_a_warning_and_never_tampering(cut: int) -> None:
    problems, walk = walked(R[:5], R[5][:cut])
    assert problems == []
    assert kinds(walk.warnings) == [("torn-tail", 6)]
    assert walk.mark.count == 5


def test_zeros_that_a_power_cut_left_are_a_torn_tail() -> None:
    problems, walk = walked(R[:5], b"\0" * 4096)
    assert problems == []
    assert kinds(walk.warnings) == [("torn-tail", 6)]


def test_a_last_line_that_lacks_only_its_newline_counts() -> None:
    problems, walk = walked(R[:5], R[5])
    assert problems == []
    assert walk.mark.count == 6
    assert kinds(walk.warnings) == [("torn-tail", 6)]


@settings(deadline=None, max_examples=120)
@given(st.integers(0, 11), st.integers(0, 400), st.integers(1, 255))
def test_any_changed_byte_breaks_the_chain(at: int, where: int, change: int) -> None:
    # S1-056
    line = bytearray(R[at])
    line[where % len(line)] ^= change
    if 0x0A in line:
        return  # a newline makes two lines of it; `a byte more` covers what follows
    problems, _ = walked([*R[:at], bytes(line), *R[at + 1 :]])
    assert problems, (at, where, change)


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 5), st.binary(min_size=1, max_size=300))
def test_any_bytes_put_in_are_a_finding_and_never_an_exception(at: int, data: bytes) -> None:
    lines = [*R[:at], *data.split(b"\n"), *R[at:]]
    problems, walk = walked(lines, data)
    assert problems
    for problem in problems:
        assert 0 <= problem.line <= len(lines) + 1
    AuditReport(count=walk.mark.count, head=walk.mark.hash, problems=tuple(problems)).as_json()


# --- the quick way --------------------------------------------------------------------------


def learned(*records: Lines) -> Shapes:
    shapes = Shapes()
    for lines in records:
        for line in lines:
            shapes.learn(json.loads(line))
    return shapes


def passes(lines: Lines, shapes: Shapes, before: VerifyMark = START) -> bool:
    return pass_block(block(lines), before, shapes) is not None


def test_a_sound_block_of_known_lines_passes_as_a_whole() -> None:
    lines = record(200)
    mark = pass_block(block(lines), START, learned(lines[:1]))
    assert mark == VerifyMark(hash=_end(lines[-1]), seq=199, ts="2025-01-13T12:03:19Z", count=200)


def test_a_block_of_unknown_lines_does_not_pass_as_a_whole() -> None:
    assert not passes(record(5), Shapes())
    assert not passes(record(5, extra="x"), learned(record(1)))


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("plain", "plain text"),
        ('say "hi" \\ there', "escapes"),
        ("caf\u00e9", "escaped letters"),
        (5, "a number"),
        (-2.5, "a fraction"),
        (None, "null"),
        (True, "a word"),
        ([], "an empty list"),
        (["a", 'b"'], "a list of texts"),
    ],
)
def test_lines_with_any_flat_value_pass_once_they_are_known(value: object, why: str) -> None:
    lines = record(4, extra=value)
    assert passes(lines, learned(lines[:1])), why


@pytest.mark.parametrize("value", [{"a": 1}, [1], [["a"]]])
def test_lines_with_nested_values_are_always_read_one_by_one(value: object) -> None:
    lines = record(4, extra=value)
    assert not passes(lines, learned(lines))
    assert walked(lines)[0] == []


def test_lines_of_different_kinds_pass_together() -> None:
    kinds_of = [{"a": "x"}, {"a": "x", "b": 1}, {"b": 1}, {"a": None}, {}]
    lines = linked([body(seq, **kinds_of[seq % 5]) for seq in range(50)])  # type: ignore[arg-type]
    assert passes(lines, learned(lines[:5]))


def test_a_string_cannot_run_on_into_the_next_line() -> None:
    # Two lines with right hashes that only together would be one valid object of a known kind.
    first, second = body(0).rpartition('"path":"')[0] + '"path":"', 'x","status":"allowed"'
    lines = linked([first, second])
    joined = [lines[0], lines[1]]
    assert not passes(joined, learned(record(1)))
    assert kinds(walked(joined)[0])[0] == ("not-json", 1)


@settings(deadline=None, max_examples=80)
@given(st.integers(0, 11), st.integers(0, 400), st.integers(1, 255))
def test_what_passes_as_a_whole_also_passes_line_by_line(at: int, where: int, change: int) -> None:
    line = bytearray(R[at])
    line[where % len(line)] ^= change
    if not line.isascii():
        return
    lines = relinked([*R[:at], bytes(line), *R[at + 1 :]], at)
    if passes(lines, learned(R[:1])):
        assert isinstance(strict_object(lines[at]), dict)
        assert walked(lines, size=1)[0] == []


def test_a_block_that_does_not_follow_does_not_pass() -> None:
    known = learned(R[:1])
    before = pass_block(block(R[:4]), START, known)
    assert before is not None
    assert passes(R[4:], known, before)
    assert not passes(R[5:], known, before)
    assert not passes(R[4:], known, VerifyMark(hash=before.hash, seq=9, ts="", count=4))
    assert not passes(R[4:], known, VerifyMark(hash=before.hash, seq=3, ts="2026", count=4))


def test_lines_that_do_not_begin_with_their_time_are_not_held_to_it() -> None:
    lines = linked([f'"op":"x","n":{number}' for number in (3, 1, 2)])
    assert passes(lines, learned(lines[:1]))


def test_unnumbered_lines_among_numbered_ones_are_read_one_by_one() -> None:
    mixed = linked([body(0), '"op":"x"', body(2)])
    assert not passes(mixed, learned(mixed))


class Counting(LogWalk):
    """A walk that counts how many lines it reads one by one."""

    looks = 0

    def _read(self, part: bytes) -> None:
        self.looks += part.count(b"\n")
        super()._read(part)


def test_one_unusual_line_costs_a_few_careful_looks_and_not_a_block_of_them() -> None:
    lines = linked([body(n, op="tail_set_aside" if n == 300 else "read_file") for n in range(900)])
    walk = Counting(shapes=learned(record(1)))
    walk.feed(block(lines))
    assert walk.mark.count == 900
    assert not walk.problems
    assert walk.looks < 60
    assert [warning.line for warning in walk.warnings] == [301]


def test_only_so_many_kinds_of_lines_are_learned(monkeypatch: pytest.MonkeyPatch) -> None:
    wide = linked([body(0, **{f"f{n}": n for n in range(MOST_NAMES)})])  # type: ignore[arg-type]
    assert not passes(wide, learned(wide))
    assert walked(wide)[0] == []


def test_problems_are_counted_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verify, "MOST_PROBLEMS", 3)
    problems, walk = walked([b"x"] * 10)
    assert len(problems) == 3
    assert walk.mark.count == 10


STRICT: list[tuple[bytes, Callable[[object], bool]]] = [
    (b"[1]", lambda found: found is TamperKind.NOT_JSON),
    (b"[" * 100_000, lambda found: found is TamperKind.NOT_JSON),
    (b'{"a":' * 2000 + b"1" + b"}" * 2000, lambda found: found is TamperKind.NOT_JSON),
    (b'{"a":' + b"9" * 10_000 + b"}", lambda found: found is TamperKind.NOT_JSON),
    (b'{"a":"\xff"}', lambda found: found is TamperKind.NOT_JSON),
    (b'{"a":1,"a":1}', lambda found: found is TamperKind.DUPLICATE_KEYS),
    (b'{"a":1}', lambda found: found == {"a": 1}),
]


@pytest.mark.parametrize(("line", "expected"), STRICT)
def test_a_line_is_read_as_strictly_as_anybody_might(
    line: bytes, expected: Callable[[object], bool]
) -> None:
    assert expected(strict_object(line))


def test_a_report_is_the_document_that_the_command_prints() -> None:
    problem = AuditProblem(kind=TamperKind.EDITED, line=5, message="m")
    report = AuditReport(count=9, head=ZEROS, problems=(problem,), warnings=(problem,))
    assert report.as_json() == {
        "ok": False,
        "count": 9,
        "head": ZEROS,
        "problems": [{"kind": "edited", "line": 5, "message": "m"}],
        "warnings": [{"kind": "edited", "line": 5, "message": "m"}],
        "level": "chain",
    }
    assert AuditReport(count=0, head=ZEROS, warnings=(problem,)).ok

"""One line of the record: its bytes, its hash, and that nothing must be imported for it."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.audit import chain
from penstock.core.audit.chain import GENESIS, encode, link, place, quote, stated_hash
from tests.core.audit.records import ZEROS, body, linked

TS = "2025-01-13T12:00:00Z"


def test_the_first_line_follows_sixty_four_zeros() -> None:
    assert GENESIS == ZEROS  # B19


def test_a_line_ends_with_both_hashes_and_its_hash_is_over_the_bytes_before_the_last() -> None:
    line, found = link(TS, 7, b'"op":"read_file","path":"a"', GENESIS)
    assert line == (
        b'{"ts":"2025-01-13T12:00:00Z","seq":7,"op":"read_file","path":"a",'
        b'"prev_hash":"' + GENESIS.encode() + b'","event_hash":"' + found.encode() + b'"}\n'
    )
    hashed = line[: line.index(b',"event_hash"')]
    assert found == "sha256:" + hashlib.sha256(hashed).hexdigest()


def test_the_line_is_the_one_that_anybody_else_would_make() -> None:
    ours, _ = link(TS, 0, body(0, ts=TS).partition('"seq":0,')[2].encode(), GENESIS)
    assert ours.rstrip(b"\n") == linked([body(0, ts=TS)])[0]


def test_the_lengths_that_verifying_relies_on_are_those_of_a_line() -> None:
    line, found = link(TS, 0, b'"op":"x"', GENESIS)
    bare = line.rstrip(b"\n")
    assert bare[-chain.HASHED_BEFORE :].startswith(b',"event_hash":')
    assert bare[-chain.TAIL :].startswith(chain.BEFORE_PREV)
    assert stated_hash(bare) == found
    assert place(bare) == (TS, 0)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"", "nothing"),
        (b"{}", "too short"),
        (b"x" * 500, "no fields"),
        (linked([body(0)])[0] + b" ", "a byte more"),
        (linked([body(0)])[0][:-1], "a byte less"),
        (linked([body(0)])[0].replace(b"prev_hash", b"prev_hush"), "another name"),
    ],
)
def test_what_is_no_line_states_no_hash(line: bytes, why: str) -> None:
    assert stated_hash(line) == "", why


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b'{"seq":1,"ts":"2025-01-13T12:00:00Z"', "another order"),
        (b'{"ts":"2025-01-13T12:00:00Z","seq":x,', "no number"),
        (b'{"ts":"2025-01-13T12:00:00Z","seq":-1,', "a number below zero"),
        (b"", "nothing"),
    ],
)
def test_a_line_that_does_not_begin_with_time_and_number_has_no_place(
    line: bytes, why: str
) -> None:
    assert place(line) == ("", -1), why


@settings(deadline=None, max_examples=200)
@given(st.text(max_size=60))
def test_a_quoted_text_is_ascii_and_reads_back_as_itself(text: str) -> None:
    quoted = quote(text)
    assert quoted.isascii()
    assert "\n" not in quoted
    shown = "".join(f"\\u{ord(c):04x}" if "\ud800" <= c < "\ue000" else c for c in text)
    assert json.loads(quoted) == shown


def test_an_undecodable_file_name_stays_readable_for_every_parser() -> None:
    assert quote("caf\udce9") == '"caf\\\\udce9"'


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(-1e6, 1e6)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc"), inner, max_size=3),
    max_leaves=8,
)


@settings(deadline=None, max_examples=200)
@given(values)
def test_an_encoded_value_reads_back_as_itself(value: object) -> None:
    assert json.loads(encode(value)) == value


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (2**70, hex(2**70)),
        (float("nan"), None),
        (float("inf"), None),
        (object(), "object"),
        (("a", 1), ["a", 1]),
    ],
)
def test_what_json_cannot_say_is_still_valid_json(value: object, shown: object) -> None:
    assert json.loads(encode(value)) == shown


def test_loading_the_module_imports_nothing_but_a_sha256() -> None:
    code = (
        "import sys; before = set(sys.modules); import penstock.core.audit.event;"
        "print(' '.join(sorted(set(sys.modules) - before)))"
    )
    loaded = subprocess.run(
        [sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    ours = {name for name in loaded if name.startswith("penstock")}
    assert "penstock.core.audit.chain" in ours
    assert set(loaded) - ours <= {"_sha256", "_sha2", "__future__", "hashlib", "_hashlib"}
    assert "re" not in loaded

"""What changed since an earlier version: the agent's own changes, not those of the file."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.diff.hunks import hunks
from penstock.core.merge.three_way import carried, rebase
from penstock.core.review.interdiff import Interdiff, ProposedVersion, interdiff
from penstock.core.text.line_endings import split

BASE = b"".join(b"line %d\n" % at for at in range(20))


def with_lines(content: bytes, **lines: str) -> bytes:
    found = split(content)
    for name, text in lines.items():
        found[int(name[1:])] = text.encode() + b"\n"
    return b"".join(found)


def version(base: bytes | None, content: bytes | None) -> ProposedVersion:
    return ProposedVersion(base=base, content=content)


FIRST = with_lines(BASE, _3="rejected idea", _9="good idea")
MOVED = with_lines(BASE, _15="somebody else's")
CLASH = with_lines(BASE, _3="somebody else's")
TABLE = [
    (
        "the same base",
        version(BASE, FIRST),
        version(BASE, with_lines(FIRST, _3="better idea")),
        [(b"rejected idea\n", b"better idea\n")],
        "",
    ),
    (
        "the base moved elsewhere",
        version(BASE, FIRST),
        version(MOVED, with_lines(MOVED, _3="better idea", _9="good idea")),
        [(b"rejected idea\n", b"better idea\n")],
        "the file changed in between; its own changes are left out",
    ),
    (
        "the base moved and the proposal is the same",
        version(BASE, FIRST),
        version(MOVED, with_lines(MOVED, _3="rejected idea", _9="good idea")),
        [],
        "the file changed in between; its own changes are left out",
    ),
    (
        "the base moved where the change was",
        version(BASE, FIRST),
        version(CLASH, with_lines(CLASH, _9="good idea")),
        [],
        "the file changed in between, and 1 place of the earlier version no longer fit",
    ),
    ("a new file", version(None, b"a\n"), version(None, b"b\n"), [(b"a\n", b"b\n")], ""),
    ("from removing to keeping", version(BASE, None), version(BASE, BASE), None, ""),
    (
        "the file was created in between",
        version(None, b"a\n"),
        version(b"x\n", b"b\n"),
        [(b"a\n", b"b\n")],
        "the file changed in between; its own changes are left out",
    ),
]


@pytest.mark.parametrize(
    ("older", "newer", "changed", "words"),
    [row[1:] for row in TABLE],
    ids=[str(row[0]) for row in TABLE],
)
def test_what_changed_since(
    older: ProposedVersion,
    newer: ProposedVersion,
    changed: list[tuple[bytes, bytes]] | None,
    words: str,
) -> None:
    found = interdiff(older, newer)
    assert found.after == newer.content
    assert found.words == words
    if changed is not None:
        assert _changed(found) == changed


def _changed(found: Interdiff) -> list[tuple[bytes, bytes]]:
    old, new = split(found.before or b""), split(found.after or b"")
    return [
        (b"".join(old[h.before_start : h.before_end]), b"".join(new[h.after_start : h.after_end]))
        for h in hunks(found.before or b"", found.after or b"")
    ]


def test_the_same_proposal_again_is_the_same() -> None:
    assert interdiff(version(BASE, FIRST), version(BASE, FIRST)).same
    assert interdiff(version(BASE, FIRST), version(MOVED, with_lines(MOVED, _3="x"))).same is False


LINES = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n", b"d\n"]), max_size=12).map(b"".join)


@given(LINES, LINES, LINES)
@settings(max_examples=200, deadline=None)
def test_what_is_carried_is_the_merge_wherever_there_is_one(
    base: bytes, theirs: bytes, ours: bytes
) -> None:
    kept, conflicts = carried(base, theirs, ours)
    merged = rebase(base, theirs, ours)
    assert conflicts == merged.conflicts or merged.content is None
    if merged.content is not None:
        assert (kept, conflicts) == (merged.content, ())
    else:
        assert conflicts


@given(LINES, LINES)
@settings(max_examples=100, deadline=None)
def test_where_only_the_base_moved_nothing_changed(base: bytes, content: bytes) -> None:
    assert interdiff(version(base, content), version(base, content)).same
    found = interdiff(version(base, content), version(content, content))
    assert found.before == content

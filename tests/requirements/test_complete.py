"""No requirement is left out: the tables hold every id of their ranges, each once."""

from __future__ import annotations

from collections import Counter

from tests.requirements import (
    test_gate_rows,
    test_hook_rows,
    test_s1_broker,
    test_s3_reviewer,
    test_settled_rows,
)
from tests.requirements.table import Row, numbered

TABLES = (
    test_gate_rows.ROWS,
    test_hook_rows.ROWS,
    test_settled_rows.ROWS,
    test_s1_broker.ROWS,
    test_s3_reviewer.ROWS,
)
# The list has no 71, and two additions to 74.
BROKER = [
    *numbered("S1-", range(1, 71), digits=3),
    *numbered("S1-", range(72, 75), digits=3),
    *("S1-074a", "S1-074b"),
    *numbered("S1-", range(75, 81), digits=3),
]
EXPECTED = (
    numbered("S0-", range(1, 60), digits=3),
    numbered("S2-", range(5, 57), digits=3),
    numbered("X", range(1, 13)),
    BROKER,
    # The list has no 68.
    [*numbered("S3-", range(1, 68), digits=3), "S3-069", "S3-070"],
)


def test_each_table_holds_its_range_in_order() -> None:
    assert [[row.id for row in table] for table in TABLES] == [*EXPECTED]


def test_every_id_stands_in_exactly_one_table() -> None:
    counts = Counter(row.id for table in TABLES for row in table)
    assert set(counts.values()) == {1}
    assert set(counts) == {one for ids in EXPECTED for one in ids}


def test_every_row_has_a_claim_of_its_own() -> None:
    rows: list[Row] = [row for table in TABLES for row in table]
    claims = Counter(row.claim for row in rows)
    assert [claim for claim, count in claims.items() if count > 1 or not claim] == []

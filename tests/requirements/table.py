"""What a row of a requirement table is."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple


class Row(NamedTuple):
    """`check` asks the program and fails where the claim does not hold."""

    id: str
    claim: str
    check: Callable[[], None]


def name_of(row: Row) -> str:
    """Return what a row's test is called."""
    return row.id


def both(*checks: Callable[[], None]) -> Callable[[], None]:
    """Return a check that makes several."""

    def check() -> None:
        for one in checks:
            one()

    return check


def numbered(prefix: str, numbers: Iterable[int], digits: int = 0) -> list[str]:
    """Return the ids of a range."""
    return [f"{prefix}{number:0{digits}}" for number in numbers]

"""Ids as people read them at a terminal."""

from __future__ import annotations

import pytest

from penstock.core.proposals.short_id import short

IDS = [
    ("hitl-f964f81b-57e9-46b8", (), "f964f81b"),
    ("set-0011223344556677", (), "00112233"),
    ("r-f964f81b-57e9-46b8", (), "r-f964f81b"),
    ("seen-0011223344556677", (), "seen-00112233"),
    ("hitl-f964f81b-57e9", ("hitl-f964f81b-5aaa", "hitl-f964f81b-57e9"), "f964f81b-57"),
    ("hitl-f964f81b", ("set-f964f81b00",), "f964f81b"),
    ("whatever", (), "whatever"),
]


@pytest.mark.parametrize(("name", "among", "said"), IDS)
def test_an_id_is_as_short_as_it_can_be(name: str, among: tuple[str, ...], said: str) -> None:
    assert short(name, among) == said

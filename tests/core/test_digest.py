"""A digest is `sha256:` and hex over exact bytes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from penstock.core.digest import EMPTY, digest, digest_of_pieces


def test_the_digest_of_a_known_text_is_the_published_one() -> None:
    known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert digest(b"abc") == f"sha256:{known}"


def test_nothing_has_a_digest_of_its_own() -> None:
    assert EMPTY == digest(b"") == digest_of_pieces([])
    assert EMPTY.startswith("sha256:e3b0c442")


def test_line_ends_and_a_byte_order_mark_are_part_of_the_bytes() -> None:
    assert len({digest(b"a\n"), digest(b"a\r\n"), digest(b"\xef\xbb\xbfa\n")}) == 3


@given(st.lists(st.binary(max_size=64), max_size=8))
def test_pieces_and_their_whole_have_one_digest(pieces: list[bytes]) -> None:
    assert digest_of_pieces(pieces) == digest(b"".join(pieces))

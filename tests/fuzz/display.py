"""Any bytes shown to a person: nothing hidden is left, and warnings stay few and short."""

from __future__ import annotations

from penstock.core.text.deception import MOST_WARNINGS, warnings
from penstock.core.text.display import spoken, visible, visible_bytes
from penstock.core.text.invisible import kind_of


def one(data: bytes) -> None:
    """Show one text in every way."""
    text = data.decode("utf-8", "surrogateescape")
    assert visible_bytes(data) == visible(text)
    for shown in (visible(text).replace("\r\n", "\n"), spoken(text)):
        assert not [sign for sign in set(shown) if kind_of(ord(sign))]
    assert "\n" not in spoken(text)
    said = warnings(text)
    assert len(said) <= MOST_WARNINGS + 1
    for sentence in said:
        assert visible(sentence, keep_newlines=False) == sentence
        assert len(sentence) < 300

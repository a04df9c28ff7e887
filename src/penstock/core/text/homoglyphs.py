"""Find words that are not what they look like: letters of another alphabet among Latin ones.

`pаypal` with a Cyrillic `а` is another name than `paypal`, and no reader can tell. Words that
are wholly Russian, Greek or Chinese are what they look like, and are left in peace; so are
`Δt`, `μs` and a Latin abbreviation with a Russian ending.
Always true: time grows with the text's length; the text is only read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

LATIN = r"A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f"
CYRILLIC = r"\u0400-\u052f\u1c80-\u1c8f\ua640-\ua69f"
GREEK = r"\u0370-\u0373\u0376-\u037d\u037f\u0386\u0388-\u03ff"
# Nobody mixes these with Latin letters in one word, and many of them look alike.
RARE = (
    (r"\u0531-\u0588", "Armenian"),
    (r"\u13a0-\u13ff\uab70-\uabbf", "Cherokee"),
    (r"\u2c80-\u2cff", "Coptic"),
    (r"\ua4d0-\ua4f7", "Lisu"),
    (r"\U00010400-\U0001044f", "Deseret"),
    (r"\uff21-\uff3a\uff41-\uff5a", "full-width"),
    (r"\u212a\u212b", "letter-like"),
)
STYLED = r"\U0001d400-\U0001d7ff"

CYRILLIC_ALIKE = frozenset("авеікмнорстухѕјһԁԛԝӏѵАВЕІКМНОРСТУХЅЈҺԌԚԜӀѴҮ") - frozenset("вмнт")
GREEK_ALIKE = frozenset("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧοϲϳϹ")
# These are used as symbols (`ρgh`, `αx`): they only deceive inside a longer Latin word.
GREEK_NEARLY = frozenset("αγικνρυηωτχ")
LONG_WORD = 3


@dataclass(frozen=True, kw_only=True, slots=True)
class LookalikeWord:
    """A word that looks like another, where it begins, and whose letters it borrows."""

    at: int
    text: str
    script: str
    mixed: bool = True


def deceiving_words(text: str) -> Iterator[LookalikeWord]:
    """Yield every deceiving word of a text, in order of appearance for each sort."""
    if text.isascii():
        return
    for found in _mixed().finditer(text):
        if script := _borrowed(found[0]):
            yield LookalikeWord(at=found.start(), text=found[0], script=script)
    for line in _latin_lines().finditer(text):
        for found in _disguised().finditer(text, line.start(), line.end()):
            yield LookalikeWord(at=found.start(), text=found[0], script="Cyrillic", mixed=False)
    for found in _styled().finditer(text):
        yield LookalikeWord(at=found.start(), text=found[0], script="mathematical", mixed=False)


@cache
def _mixed() -> re.Pattern[str]:
    """Words with letters of both sorts. Runs are never given back, so this is linear."""
    other = CYRILLIC + GREEK + "".join(letters for letters, _ in RARE) + STYLED
    begin = rf"(?:[{LATIN}]++[{other}]|[{other}]++[{LATIN}])"
    return re.compile(rf"(?<![{LATIN}{other}]){begin}[{LATIN}{other}]*+")


@cache
def _latin_lines() -> re.Pattern[str]:
    """Lines that look Latin, or like code, and have no letter that gives look-alikes away."""
    alike = "".join(sorted(CYRILLIC_ALIKE))
    cyrillic = _class(CYRILLIC).findall("".join(map(chr, range(0x400, 0xA6A0))))
    plain = "".join(sign for sign in cyrillic if sign not in CYRILLIC_ALIKE)
    has_latin = rf"(?=[^\n{LATIN}=({{]*+[{LATIN}=({{])"
    has_alike = rf"(?=[^\n{CYRILLIC}]*+[{alike}])"
    return re.compile(rf"(?m)^{has_alike}{has_latin}[^\n{plain}]*+$")


@cache
def _disguised() -> re.Pattern[str]:
    """Words of Cyrillic letters all of which look Latin."""
    alike = "".join(sorted(CYRILLIC_ALIKE))
    return re.compile(rf"[{alike}](?<![{LATIN}{CYRILLIC}].)[{alike}]*+(?![{LATIN}{CYRILLIC}])")


@cache
def _styled() -> re.Pattern[str]:
    """Words in mathematical letters: Python and others read them as the plain letters."""
    return re.compile(rf"(?<![{LATIN}{STYLED}])[{STYLED}]{{2,}}+(?![{LATIN}])")


@cache
def _class(letters: str) -> re.Pattern[str]:
    return re.compile(f"[{letters}]")


@lru_cache(maxsize=4096)
def _borrowed(word: str) -> str:
    """Return the script that a word borrows look-alikes from, "" when it deceives nobody."""
    for letters, script in ((STYLED, "mathematical"), *RARE):
        if _class(letters).search(word):
            return script
    latin = len(_class(LATIN).findall(word))
    cyrillic = _class(CYRILLIC).findall(word)
    if CYRILLIC_ALIKE.intersection(cyrillic) and not _has_ending(word, cyrillic):
        return "Cyrillic"
    greek = GREEK_ALIKE | GREEK_NEARLY if latin >= LONG_WORD else GREEK_ALIKE
    return "Greek" if greek.intersection(word) else ""


def _has_ending(word: str, cyrillic: list[str]) -> bool:
    """Say whether a word is Latin with a Russian ending (`SQLом`) that a reader sees."""
    ending = "".join(cyrillic)
    return word.endswith(ending) and not CYRILLIC_ALIKE.issuperset(ending)

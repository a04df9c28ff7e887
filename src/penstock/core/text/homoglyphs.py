"""Find words that are not what they look like: letters of another alphabet among Latin ones.

`pаypal` with a Cyrillic `а` is another name than `paypal`, and no reader can tell. Which letters
look alike is Unicode's data (`confusable_letters`); here are the rules on top of it, which leave
in peace what people write: words that are wholly Russian, Greek or Chinese, `Δt` and `μs`, a
Latin abbreviation with a Russian, Hebrew or Persian ending.
Always true: time grows with the text's length; the text is only read; the data is loaded when
a text that is not ASCII is seen for the first time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from msgspec import Struct

LATIN = r"A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f"
# Latin letters in another dress, which Unicode counts as Latin or as no script's.
DRESSED = (
    (r"\uff21-\uff3a\uff41-\uff5a", "full-width"),
    (r"\u212a\u212b", "letter-like"),
)
STYLED = r"\U0001d400-\U0001d7ff"
FULL_WIDTH = 0xFEE0  # from an ASCII letter to its full-width form
# Scripts whose letters people join to Latin words (`API의`, `PDFを`): those only deceive where
# one stands between Latin letters.
LIVING = frozenset(
    {"Arabic", "Bengali", "Devanagari", "Ethiopic", "Georgian", "Gujarati", "Gurmukhi", "Han"}
    | {"Kannada", "Lao", "Malayalam", "Myanmar", "Oriya", "Sinhala", "Tamil", "Telugu", "Thai"}
)
# Look-alikes that Unicode maps to something else than an ASCII letter.
MORE = {"Cyrillic": ("к", "k"), "Greek": ("κηωτχ", "knwtx")}
# These look Latin only beside Latin letters; `его` and `год` are taken for what they are.
CYRILLIC_BESIDE = frozenset("гбЗӠЬѡꙇҽꙄ")
# These are used as symbols (`ρgh`, `αx`): they only deceive inside a longer Latin word.
GREEK_SURE = frozenset("οϲϳ")
LONG_WORD = 3
# Words that code and commands are made of: nobody writes one of them in another script.
WORDS = """
access admin all any api app apple as async await bash break case cat catch class code const
continue copy cp curl def del delete do echo elif else env eval except exec exit export false
fetch finally for from function git global google hash http https id if import in input int is key
lambda let list localhost login module net new next None node not npm null open or os pass
password path paypal pip print process push py raise read require reset return rm root scope
secret self set sh shell socket source ssh static str su sudo super switch sys system this throw
token true True try type use user var while with yes yield
"""
KEYWORDS = frozenset(WORDS.split())


class LookalikeWord(Struct, frozen=True, kw_only=True):
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
    for found in _enclosed().finditer(text):
        if not _mixed().fullmatch(found[0]):
            yield LookalikeWord(at=found.start(), text=found[0], script=_script_of(found[1]))
    told = set()
    for line in _latin_lines().finditer(text):
        for found in _disguised().finditer(text, line.start(), line.end()):
            told.add(found.start())
            yield LookalikeWord(at=found.start(), text=found[0], script="Cyrillic", mixed=False)
    for found in _whole().finditer(text):
        if found.start(1) not in told and (script := _spoof(found[1], found[2])):
            yield LookalikeWord(at=found.start(1), text=found[1], script=script, mixed=False)
    for found in _styled().finditer(text):
        yield LookalikeWord(at=found.start(), text=found[0], script="mathematical", mixed=False)


# --- the data, as the rules need it ----------------------------------------------------------


@cache
def alike() -> dict[str, dict[str, str]]:
    """Return for each script the letters that look like an ASCII one, with that one."""
    from penstock.core.text.confusable_letters import ALIKE

    found = {
        script: dict(zip(letters, plain, strict=True)) for script, (letters, plain) in ALIKE.items()
    }
    for script, (letters, plain) in MORE.items():
        found[script] |= dict(zip(letters, plain, strict=True))
    return found


@cache
def _letters(script: str) -> str:
    from penstock.core.text.confusable_letters import LETTERS

    return LETTERS[script]


@cache
def _rare() -> tuple[tuple[str, str], ...]:
    """Return scripts that nobody mixes with Latin letters in one word, with their letters."""
    own = {"Cyrillic", "Greek", *LIVING}
    return (*DRESSED, *((_letters(script), script) for script in alike() if script not in own))


@cache
def _cyrillic_alike() -> frozenset[str]:
    return frozenset(alike()["Cyrillic"])


@cache
def _cyrillic_sure() -> frozenset[str]:
    return _cyrillic_alike() - CYRILLIC_BESIDE


def _script_of(letter: str) -> str:
    return next((script for script, letters in alike().items() if letter in letters), "")


# --- what is looked for ----------------------------------------------------------------------


@cache
def _others() -> str:
    """Return the letters that make a word mixed."""
    rare = "".join(letters for letters, _ in _rare())
    return _letters("Cyrillic") + _letters("Greek") + rare + STYLED


@cache
def _mixed() -> re.Pattern[str]:
    """Words with letters of both sorts. Runs are never given back, so this is linear."""
    other = _others()
    begin = rf"(?:[{LATIN}]++[{other}]|[{other}]++[{LATIN}])"
    return re.compile(rf"(?<![{LATIN}{other}]){begin}[{LATIN}{other}]*+")


@cache
def _enclosed() -> re.Pattern[str]:
    """Latin words with a look-alike of a living script between their letters."""
    letters = "".join(re.escape(one) for script in sorted(LIVING) for one in alike()[script])
    return re.compile(
        rf"(?<![{LATIN}])[{LATIN}]++([{letters}])[{letters}]*+[{LATIN}{letters}]*[{LATIN}]"
    )


@cache
def _latin_lines() -> re.Pattern[str]:
    """Lines that look Latin, or like code, and have no letter that gives look-alikes away."""
    sure = "".join(sorted(_cyrillic_sure()))
    cyrillic = _class(_letters("Cyrillic")).findall("".join(map(chr, range(0x400, 0xA6A0))))
    plain = "".join(sign for sign in cyrillic if sign not in _cyrillic_sure())
    has_latin = rf"(?=[^\n{LATIN}=({{]*+[{LATIN}=({{])"
    has_alike = rf"(?=[^\n{_letters('Cyrillic')}]*+[{sure}])"
    return re.compile(rf"(?m)^{has_alike}{has_latin}[^\n{plain}]*+$")


@cache
def _disguised() -> re.Pattern[str]:
    """Words of Cyrillic letters all of which look Latin."""
    sure, cyrillic = "".join(sorted(_cyrillic_sure())), _letters("Cyrillic")
    return re.compile(rf"[{sure}](?<![{LATIN}{cyrillic}].)[{sure}]*+(?![{LATIN}{cyrillic}])")


@cache
def _whole() -> re.Pattern[str]:
    """Words of look-alikes alone, and what stands behind them: that may be code."""
    letters = "".join(
        re.escape(one) for script, found in alike().items() if script not in LIVING for one in found
    )
    letters += DRESSED[0][0]
    around = rf"{LATIN}{_others()}"
    return re.compile(rf"(?<![{around}])([{letters}]{{2,}}+)(?![{around}])([ \t]*[(=.:\[{{]?)")


@cache
def _styled() -> re.Pattern[str]:
    """Words in mathematical letters: Python and others read them as the plain letters."""
    return re.compile(rf"(?<![{LATIN}{STYLED}])[{STYLED}]{{2,}}+(?![{LATIN}])")


@cache
def _class(letters: str) -> re.Pattern[str]:
    return re.compile(f"[{letters}]")


# --- what is judged --------------------------------------------------------------------------


@lru_cache(maxsize=4096)
def _borrowed(word: str) -> str:
    """Return the script that a word borrows look-alikes from, "" when it deceives nobody."""
    for letters, script in ((STYLED, "mathematical"), *_rare()):
        if _class(letters).search(word):
            return script
    latin = len(_class(LATIN).findall(word))
    cyrillic = _class(_letters("Cyrillic")).findall(word)
    if _cyrillic_alike().intersection(cyrillic) and not _has_ending(word, cyrillic):
        return "Cyrillic"
    greek = {one for one in alike()["Greek"] if one.isupper() or one in GREEK_SURE}
    if latin >= LONG_WORD or (len(word) >= LONG_WORD and _reads(word, "Greek") in _keywords()):
        greek |= set(alike()["Greek"])
    return "Greek" if greek.intersection(word) else ""


def _has_ending(word: str, cyrillic: list[str]) -> bool:
    """Say whether a word is Latin with a Russian ending that a reader sees: `SQLом`, `JSONе`."""
    ending = "".join(cyrillic)
    is_seen = word[: -len(ending)].isupper() and ending.islower()
    return word.endswith(ending) and (is_seen or not _cyrillic_sure().issuperset(ending))


@lru_cache(maxsize=4096)
def _spoof(word: str, behind: str) -> str:
    """Return the script of a word that is a keyword in disguise, "" for any other word.

    Russian and Greek have words of such letters; they are only looked at where code goes on.
    """
    for script, letters in alike().items():
        if not letters.keys() >= set(word):
            continue
        if script in ("Cyrillic", "Greek") and not behind.strip():
            return ""
        return script if _reads(word, script) in _keywords() else ""
    if all(0xFF21 <= ord(one) <= 0xFF5A for one in word):
        plain = "".join(chr(ord(one) - FULL_WIDTH) for one in word)
        return "full-width" if plain in KEYWORDS else ""
    return ""


def _reads(word: str, script: str) -> str:
    """Return what a word with letters of a script is read as."""
    letters = alike()[script]
    return _skeleton("".join(letters.get(one, one) for one in word))


@cache
def _keywords() -> frozenset[str]:
    return frozenset(_skeleton(word) for word in KEYWORDS)


def _skeleton(word: str) -> str:
    """Return a word as Unicode compares it: `I`, `1` and `l` are one, and so are `0` and `O`."""
    return word.replace("I", "l").replace("1", "l").replace("0", "O")

"""Say what a path hides from a reader, and which plain path a reader takes it for.

Names in Russian, Greek, Chinese or with emoji are what they look like. A direction mark, a
zero-width character or a Cyrillic letter in a Latin word is not, and is told; and a name that
only looks like a protected one is for a person to decide. What counts as deceiving is
`core.text`'s to say.
Always true: an ASCII path deceives nobody here, and costs nothing.
"""

from __future__ import annotations

import unicodedata
from functools import cache

from penstock.core.text.deception import warnings
from penstock.core.text.display import spoken
from penstock.core.text.homoglyphs import alike

# Letters that are drawn like Latin ones in nearly every font and that Unicode's data, which is
# about identifiers, maps to something else or leaves out: small capitals, phonetic letters, signs.
MORE = str.maketrans(
    "авеіїкмнорстухѕјһԁԛԝӏѵгпАВЕІКМНОРСТУХЅЈԌԚԜӀѴҮαγεικνορτυχηωϲϳΑΒΕΖΗΙΚΜΝΟΡΤΥΧıɡɑɩℓ℮ᥱᴨ"
    "ᴀʙᴄᴅᴇғɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ",
    "abeiikmhopctyxsjhdqwlvrnABEIKMHOPCTYXSJGQWIVYayeikvoptuxnwcjABEZHIKMNOPTYXigaileen"
    "abcdefghijklmnoprstuvwyz",
)
MOST_SHOWN = 200


def flags(path: str) -> tuple[str, ...]:
    """Return what a reader of a path should know; nothing for one that is what it looks like."""
    if path.isascii():
        return ()
    shown = spoken(path if len(path) <= MOST_SHOWN else path[:MOST_SHOWN] + "...")
    said = (sentence.replace(" on line 1", "") for sentence in warnings(path))
    return tuple(f"the path `{shown}`: {one.replace('line 1', 'it', 1)}" for one in said)


def taken_for(path: str) -> str:
    """Return the path that a reader sees, the same where letters are what they look like."""
    if path.isascii():
        return path
    return unicodedata.normalize("NFKC", path).translate(_alike())


@cache
def _alike() -> dict[int, int]:
    """Return every look-alike with the letter that a reader sees: Unicode's data and ours."""
    found = {ord(one): ord(seen) for each in alike().values() for one, seen in each.items()}
    return found | MORE

"""The characters that a person does not see, or takes for others, with a short name for each.

Only a table and how to ask it. Showing them is `display`'s work, telling of them `deception`'s.
Always true: ranges are sorted and never overlap, so that one search finds a character's row.
"""

from __future__ import annotations

from bisect import bisect_right
from enum import Enum, auto


class HiddenKind(Enum):
    """What a hidden character does to a reader."""

    CONTROL = auto()
    ESCAPE = auto()
    RETURN = auto()
    LINE = auto()
    DIRECTION = auto()
    MARK = auto()
    NOTHING = auto()
    JOINER = auto()
    VARIATION = auto()
    TAG = auto()
    FILLER = auto()
    SPACE = auto()
    BYTE = auto()
    PRIVATE = auto()
    NEVER = auto()


# first, last, kind, short names: one for each code point, or one for all
ROWS: tuple[tuple[int, int, HiddenKind, str], ...] = (
    (0x00, 0x08, HiddenKind.CONTROL, "NUL SOH STX ETX EOT ENQ ACK BEL BS"),
    (0x0B, 0x0C, HiddenKind.LINE, "VT FF"),
    (0x0D, 0x0D, HiddenKind.RETURN, "CR"),
    (0x0E, 0x1A, HiddenKind.CONTROL, "SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB"),
    (0x1B, 0x1B, HiddenKind.ESCAPE, "ESC"),
    (0x1C, 0x1F, HiddenKind.CONTROL, "FS GS RS US"),
    (0x7F, 0x84, HiddenKind.CONTROL, "DEL PAD HOP BPH NBH IND"),
    (0x85, 0x85, HiddenKind.LINE, "NEL"),
    (0x86, 0x8F, HiddenKind.CONTROL, "SSA ESA HTS HTJ VTS PLD PLU RI SS2 SS3"),
    (0x90, 0x90, HiddenKind.ESCAPE, "DCS"),
    (0x91, 0x97, HiddenKind.CONTROL, "PU1 PU2 STS CCH MW SPA EPA"),
    (0x98, 0x98, HiddenKind.ESCAPE, "SOS"),
    (0x99, 0x9A, HiddenKind.CONTROL, "SGC SCI"),
    (0x9B, 0x9F, HiddenKind.ESCAPE, "CSI ST OSC PM APC"),
    (0xA0, 0xA0, HiddenKind.SPACE, "NBSP"),
    (0xAD, 0xAD, HiddenKind.NOTHING, "SHY"),
    (0x034F, 0x034F, HiddenKind.NOTHING, "CGJ"),
    (0x061C, 0x061C, HiddenKind.MARK, "ALM"),
    (0x115F, 0x1160, HiddenKind.FILLER, "FILLER"),
    (0x1680, 0x1680, HiddenKind.SPACE, "OGHAM-SPACE"),
    (0x17B4, 0x17B5, HiddenKind.FILLER, "FILLER"),
    (0x180B, 0x180D, HiddenKind.VARIATION, "FVS1 FVS2 FVS3"),
    (0x180E, 0x180E, HiddenKind.NOTHING, "MVS"),
    (0x180F, 0x180F, HiddenKind.VARIATION, "FVS4"),
    (0x2000, 0x200A, HiddenKind.SPACE, "NQSP MQSP ENSP EMSP 3MSP 4MSP 6MSP FSP PSP THSP HSP"),
    (0x200B, 0x200B, HiddenKind.NOTHING, "ZWSP"),
    (0x200C, 0x200D, HiddenKind.JOINER, "ZWNJ ZWJ"),
    (0x200E, 0x200F, HiddenKind.MARK, "LRM RLM"),
    (0x2028, 0x2029, HiddenKind.LINE, "LSEP PSEP"),
    (0x202A, 0x202E, HiddenKind.DIRECTION, "LRE RLE PDF LRO RLO"),
    (0x202F, 0x202F, HiddenKind.SPACE, "NNBSP"),
    (0x205F, 0x205F, HiddenKind.SPACE, "MMSP"),
    (0x2060, 0x2065, HiddenKind.NOTHING, "WJ APPLY TIMES SEPARATOR PLUS NOTHING"),
    (0x2066, 0x2069, HiddenKind.DIRECTION, "LRI RLI FSI PDI"),
    (0x206A, 0x206F, HiddenKind.NOTHING, "ISS ASS IAFS AAFS NADS NODS"),
    (0x2800, 0x2800, HiddenKind.FILLER, "BRAILLE-BLANK"),
    (0x3000, 0x3000, HiddenKind.SPACE, "IDSP"),
    (0x3164, 0x3164, HiddenKind.FILLER, "FILLER"),
    (0xD800, 0xDFFF, HiddenKind.BYTE, "SURROGATE"),
    (0xE000, 0xF8FF, HiddenKind.PRIVATE, "PRIVATE"),
    (0xFDD0, 0xFDEF, HiddenKind.NEVER, "NONCHARACTER"),
    (0xFE00, 0xFE0F, HiddenKind.VARIATION, " ".join(f"VS{n}" for n in range(1, 17))),
    (0xFEFF, 0xFEFF, HiddenKind.NOTHING, "BOM"),
    (0xFFA0, 0xFFA0, HiddenKind.FILLER, "FILLER"),
    (0xFFF0, 0xFFFB, HiddenKind.NOTHING, "ANNOTATION"),
    (0xFFFE, 0xFFFF, HiddenKind.NEVER, "NONCHARACTER"),
    (0x13430, 0x13455, HiddenKind.NOTHING, "FORMAT"),
    (0x1BCA0, 0x1BCA3, HiddenKind.NOTHING, "FORMAT"),
    (0x1D173, 0x1D17A, HiddenKind.NOTHING, "FORMAT"),
    *(
        (plane + 0xFFFE, plane + 0xFFFF, HiddenKind.NEVER, "NONCHARACTER")
        for plane in range(0x10000, 0xE0000, 0x10000)
    ),
    (0xE0000, 0xE007F, HiddenKind.TAG, "TAG"),
    (0xE0080, 0xE00FF, HiddenKind.NOTHING, "NOTHING"),
    (0xE0100, 0xE01EF, HiddenKind.VARIATION, "VS"),
    (0xE01F0, 0xE0FFF, HiddenKind.NOTHING, "NOTHING"),
    (0xEFFFE, 0xEFFFF, HiddenKind.NEVER, "NONCHARACTER"),
    (0xF0000, 0x10FFFF, HiddenKind.PRIVATE, "PRIVATE"),
)
STARTS = tuple(row[0] for row in ROWS)

# Names that a sentence uses; where there is none, it uses the kind's.
CALLED: dict[int, str] = {
    0x00: "NUL character",
    0x07: "bell character",
    0x08: "backspace",
    0x0B: "vertical tab",
    0x0C: "form feed",
    0x7F: "delete character",
    0x85: "next-line character",
    0xA0: "no-break space",
    0xAD: "soft hyphen",
    0x200B: "zero-width space",
    0x200C: "zero-width non-joiner",
    0x200D: "zero-width joiner",
    0x200E: "left-to-right mark",
    0x200F: "right-to-left mark",
    0x061C: "Arabic letter mark",
    0x2028: "line separator",
    0x2029: "paragraph separator",
    0x202A: "left-to-right embedding",
    0x202B: "right-to-left embedding",
    0x202C: "pop-direction control",
    0x202D: "left-to-right override",
    0x202E: "right-to-left override",
    0x202F: "narrow no-break space",
    0x2060: "word joiner",
    0x2066: "left-to-right isolate",
    0x2067: "right-to-left isolate",
    0x2068: "first-strong isolate",
    0x2069: "pop-isolate control",
    0x3000: "ideographic space",
    0x3164: "Hangul filler",
    0xFEFF: "byte order mark",
}


def row_of(code: int) -> tuple[int, int, HiddenKind, str] | None:
    """Return the row of a code point, or None when a person can see it."""
    at = bisect_right(STARTS, code) - 1
    return ROWS[at] if at >= 0 and code <= ROWS[at][1] else None


def kind_of(code: int) -> HiddenKind | None:
    """Return what a code point does to a reader, or None when it is seen."""
    row = row_of(code)
    return row[2] if row else None


def short_name(code: int) -> str:
    """Return the short name of a hidden code point, "" for one that is seen."""
    row = row_of(code)
    if row is None:
        return ""
    names = row[3].split()
    return names[code - row[0]] if len(names) > 1 else names[0]


def class_of(*kinds: HiddenKind, below: int = 0x110000) -> str:
    """Return the inside of a regex character class for some kinds, up to a code point."""
    rows = [row for row in ROWS if row[2] in kinds and row[0] < below]
    return "".join(f"\\U{first:08x}-\\U{min(last, below - 1):08x}" for first, last, _, _ in rows)

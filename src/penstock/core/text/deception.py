"""Tell a person what in a text could mislead them, in sentences with line numbers.

The page, the full-screen review and the prompt show these beside the text. What people write
for good reasons stays quiet: emoji, flags, joiners in Persian and Hindi, the no-break spaces
of French, wide spaces in Japanese. `display` shows those too, but nobody is warned of them.
Always true: at most a fixed number of sentences, worst first, the rest counted; time grows
with the text's length.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice

from msgspec import Struct, field

from penstock.core.text.homoglyphs import LookalikeWord, deceiving_words
from penstock.core.text.invisible import CALLED, HiddenKind, class_of, kind_of
from penstock.core.text.quantities import counted

MOST_WARNINGS = 20
MOST_FOUND = 1000
LINES_NAMED = 3
CODES_NAMED = 3
WORD_SHOWN = 40
LONG_LINE = 1000
LONG_GAP = 100
TRAILING_TOLD = 8
STACKED_MARKS = 5

# --- what may stand where ------------------------------------------------------------------

EMOJI = r"\u00a9\u00ae\u203c\u2049\u2100-\u27bf\u2900-\u297f\u2b00-\u2bff\u3030\u303d\u3297\u3299"
EMOJI += r"\U0001f000-\U0001faff"
RIGHT_TO_LEFT = r"\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc"
# Scripts whose letters change shape, or whose words are divided, by characters unseen.
SHAPED = RIGHT_TO_LEFT + r"\u0900-\u109f\u1780-\u17ff\u1800-\u18af\u1b00-\u1c7f\ua840-\ua9ff"
IDEOGRAPH = r"\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
WIDE = IDEOGRAPH + r"\u3000-\u33ff\uac00-\ud7a3\uff01-\uff60"
MARKS = r"\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
HARD_SPACE = r"[\u00a0\u2007\u2009\u202f]"
FOREIGN = r"[^\x00-\xa0\u2000-\u206f\u3000]"
# The flags of England, Scotland and Wales: a black flag and up to seven tag characters.
TAG_LETTER = r"[\U000e0030-\U000e0039\U000e0061-\U000e007a\U000e007f]"
NOT_IN_A_FLAG = "".join(rf"(?<!\U0001f3f4{TAG_LETTER}{{{n}}}.)" for n in range(7))


class Sort(Struct, frozen=True, kw_only=True):
    """One sort of hidden character: how to find it where it has no business, what to say."""

    kind: HiddenKind
    find: str
    does: str
    name: str
    so: str = ""
    grave: bool = True


def _far_from(letters: str) -> str:
    """Return what holds after a character that has none of some letters within three."""
    before = "".join(f"(?<![{letters}]{'.' * n})" for n in (1, 2, 3))
    return before + "".join(f"(?!{'.' * n}[{letters}])" for n in (0, 1, 2))


def _all(kind: HiddenKind) -> str:
    return f"[{class_of(kind)}]"


SORTS = (
    Sort(
        kind=HiddenKind.DIRECTION,
        find=_all(HiddenKind.DIRECTION),
        does="hides",
        name="direction control",
        so="text is displayed in another order than programs read it",
    ),
    Sort(
        kind=HiddenKind.ESCAPE,
        find=r"\x1b(?=[\]P^_X])|[\x90\x98\x9d-\x9f]",
        does="has",
        name="terminal command",
        so="it can change a terminal's title, links or clipboard",
    ),
    Sort(
        kind=HiddenKind.ESCAPE,
        find=r"\x1b(?![\]P^_X])|[\x9b\x9c]",
        does="has",
        name="escape sequence",
        so="a terminal obeys instead of showing it",
    ),
    Sort(
        kind=HiddenKind.RETURN,
        find=r"\r(?!\n)",
        does="has",
        name="lone carriage return",
        so="a terminal writes over what came before",
    ),
    Sort(
        kind=HiddenKind.LINE,
        find=_all(HiddenKind.LINE),
        does="has",
        name="line separator",
        so="most editors show a new line where other programs see none",
    ),
    Sort(
        kind=HiddenKind.CONTROL, find=_all(HiddenKind.CONTROL), does="has", name="control character"
    ),
    Sort(
        kind=HiddenKind.TAG,
        find=_all(HiddenKind.TAG) + NOT_IN_A_FLAG,
        does="hides",
        name="tag character",
        so="text that programs read but people can't see",
    ),
    Sort(
        kind=HiddenKind.NOTHING,
        find=rf"(?!\A\ufeff|(?<=[{SHAPED}])\u200b){_all(HiddenKind.NOTHING)}",
        does="hides",
        name="invisible character",
    ),
    Sort(
        kind=HiddenKind.JOINER,
        find=rf"(?<![{SHAPED}])(?:\u200c|\u200d(?<![{EMOJI}\ufe0f].)|\u200d(?![{EMOJI}]))",
        does="hides",
        name="zero-width joiner",
    ),
    Sort(
        kind=HiddenKind.VARIATION,
        find=rf"(?!(?<=[{EMOJI}])[\ufe0e\ufe0f]|(?<=[0-9#*])\ufe0f\u20e3"
        rf"|(?<=[{IDEOGRAPH}])[\ufe00-\ufe02\U000e0100-\U000e01ef]"
        rf"|(?<=[\u1820-\u18af])[\u180b-\u180d\u180f]){_all(HiddenKind.VARIATION)}",
        does="hides",
        name="variation selector",
        so="data can be hidden this way",
    ),
    Sort(
        kind=HiddenKind.FILLER,
        find=rf"(?!(?<=[\u2801-\u28ff])\u2800|\u2800[\u2801-\u28ff]"
        rf"|[\u115f\u1160][\u1100-\u11ff]){_all(HiddenKind.FILLER)}",
        does="hides",
        name="blank letter",
        so="it can form an invisible name",
    ),
    Sort(
        kind=HiddenKind.MARK,
        find=rf"{_all(HiddenKind.MARK)}{_far_from(RIGHT_TO_LEFT)}",
        does="hides",
        name="direction mark",
    ),
    Sort(
        kind=HiddenKind.BYTE,
        find=_all(HiddenKind.BYTE),
        does="has",
        name="undecodable byte",
        so="this is not UTF-8 text",
        grave=False,
    ),
    Sort(
        kind=HiddenKind.SPACE,
        find=rf"(?!{HARD_SPACE}(?:[:;!?%]|{FOREIGN})|(?<={FOREIGN}){HARD_SPACE}"
        rf"|(?<=\d){HARD_SPACE}[\da-zA-Z]|(?<=[{WIDE}])\u3000|(?<![^\n])\u3000|\u3000[{WIDE}])"
        rf"{_all(HiddenKind.SPACE)}",
        does="has",
        name="odd space",
        so="easily taken for an ordinary space",
        grave=False,
    ),
    Sort(
        kind=HiddenKind.PRIVATE,
        find=_all(HiddenKind.PRIVATE),
        does="has",
        name="private-use character",
        so="its appearance depends on the font",
        grave=False,
    ),
    Sort(
        kind=HiddenKind.NEVER,
        find=_all(HiddenKind.NEVER),
        does="has",
        name="noncharacter",
        grave=False,
    ),
)
# Signs that are taken for ASCII punctuation, where nothing around them explains them.
PUNCTUATION = (
    r"[\u037e\u1fef\u2024\u29f8\ua789\u2215\u01c0\u01c3]"
    r"(?<![\u0370-\u03ff]\u037e)(?<![^\W\d_][\u01c0\u01c3])(?!(?<=[\u01c0\u01c3])[^\W\d_])"
)


class LineCounter:
    """Tells the line of a position. Positions come in order, so the text is counted once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at, self._line = 0, 1

    def of(self, at: int) -> int:
        """Return the number of the line that a position is on."""
        if at < self._at:
            self._at, self._line = 0, 1
        self._line += self._text.count("\n", self._at, at)
        self._at = at
        return self._line


class FindTally(Struct, kw_only=True):
    """Where something was found: a few lines by number, all finds by count."""

    count: int = 0
    lines: list[int] = field(default_factory=list)
    codes: dict[int, None] = field(default_factory=dict)
    most: int = 0

    def add(self, line: int, *, code: int | None = None, size: int = 0) -> None:
        """Note one find."""
        self.count += 1
        self.most = max(self.most, size)
        if code is not None and len(self.codes) <= CODES_NAMED:
            self.codes[code] = None
        if len(self.lines) <= LINES_NAMED and line not in self.lines:
            self.lines.append(line)

    @property
    def where(self) -> str:
        """Which lines, in words."""
        named = [str(line) for line in self.lines[:LINES_NAMED]]
        if len(self.lines) == 1:
            return f"line {named[0]}"
        if len(self.lines) > LINES_NAMED:
            return f"lines {', '.join(named)} and more"
        return f"lines {', '.join(named[:-1])} and {named[-1]}"

    @property
    def which(self) -> str:
        """Which code points, a few of them."""
        codes = [f"U+{code:04X}" for code in self.codes]
        return ", ".join(codes[:CODES_NAMED]) + (" and others" if codes[CODES_NAMED:] else "")

    @property
    def how_many(self) -> str:
        """How many finds, as far as they were counted."""
        return str(self.count) if self.count <= MOST_FOUND else f"more than {MOST_FOUND}"


class TextFinding(Struct, frozen=True, kw_only=True):
    """One sentence about a text, the first lines that it is about, and whether it is grave."""

    text: str
    lines: tuple[int, ...] = ()
    grave: bool = True


def findings(text: str) -> tuple[TextFinding, ...]:
    """Return what a reader of this text should know, worst first, in bounded number."""
    said = [*_hidden(text), *_words(text), *_shapes(text), *_line_ends(text)]
    more = len(said) - MOST_WARNINGS
    if more <= 0:
        return tuple(said)
    grave = any(finding.grave for finding in said[MOST_WARNINGS:])
    rest = TextFinding(text=f"and {counted(more, 'more warning')}", grave=grave)
    return (*said[:MOST_WARNINGS], rest)


def warnings(text: str) -> tuple[str, ...]:
    """Return the sentences alone."""
    return tuple(finding.text for finding in findings(text))


def _finding(text: str, tally: FindTally, *, grave: bool = True) -> TextFinding:
    return TextFinding(text=text, lines=tuple(tally.lines[:LINES_NAMED]), grave=grave)


def _hidden(text: str) -> Iterator[TextFinding]:
    present = {kind for sign in set(text) if (kind := kind_of(ord(sign)))}
    for sort in SORTS:
        if sort.kind in present and (tally := _tally(text, sort.find)).count:
            yield _finding(_sentence(sort, tally), tally, grave=sort.grave)


def _tally(text: str, find: str) -> FindTally:
    """Count what a pattern finds, up to a number that nobody needs to know better."""
    tally, lines = FindTally(), LineCounter(text)
    for found in islice(_compiled(find).finditer(text), MOST_FOUND + 1):
        tally.add(lines.of(found.start()), code=ord(found[0][0]), size=len(found[0]))
    return tally


def _sentence(sort: Sort, tally: FindTally) -> str:
    does = sort.does if len(tally.lines) == 1 else {"hides": "hide", "has": "have"}[sort.does]
    only = next(iter(tally.codes)) if len(tally.codes) == 1 else None
    name = CALLED.get(only, sort.name) if only is not None else sort.name
    what = _a(name) if tally.count == 1 else f"{tally.how_many} {name}s"
    return f"{tally.where} {does} {what} ({tally.which})" + (f": {sort.so}" if sort.so else "")


def _a(name: str) -> str:
    return f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"


def _words(text: str) -> Iterator[TextFinding]:
    """One sentence for each different word."""
    words: dict[str, tuple[LookalikeWord, FindTally]] = {}
    lines = LineCounter(text)
    finds = deceiving_words(text)
    for word in islice(finds, MOST_FOUND):
        _, tally = words.setdefault(word.text, (word, FindTally()))
        tally.add(lines.of(word.at))
    if next(finds, None):
        yield TextFinding(
            text=f"more than {MOST_FOUND} words mix scripts; only the first are listed"
        )
    for word, tally in words.values():
        yield _finding(_of_word(word, tally), tally)


def _of_word(word: LookalikeWord, tally: FindTally) -> str:
    shown = word.text if len(word.text) <= WORD_SHOWN else word.text[:WORD_SHOWN] + "..."
    if word.mixed:
        has = f"has {word.script} letters that look like Latin ones"
        return f"mixed-script word `{shown}` on {tally.where} {has}"
    return f"`{shown}` on {tally.where} looks Latin and is in {word.script} letters"


def _punctuation(tally: FindTally) -> str:
    return f"{tally.where}: characters that look like ASCII punctuation ({tally.which})"


def _gap(tally: FindTally) -> str:
    return f"{tally.where}: text after {tally.most} spaces or tabs, possibly out of view"


def _stacked(tally: FindTally) -> str:
    return f"{tally.where}: up to {tally.most} marks stacked on one letter"


def _trailing(tally: FindTally) -> str:
    if tally.count == 1:
        return f"{tally.where} has {tally.most} trailing spaces"
    return f"{tally.where} have trailing spaces, up to {tally.most}"


def _long_line(tally: FindTally) -> str:
    return f"{tally.where}: very long, up to {tally.most} characters in one line"


# A run is taken whole and never given back, or a long one would take quadratic time.
SHAPES: tuple[tuple[str, Callable[[FindTally], str], bool], ...] = (
    (PUNCTUATION, _punctuation, True),
    (rf"[ \t](?<![ \t]{{2}})[ \t]{{{LONG_GAP - 1},}}+(?=\S)", _gap, True),
    (rf"[{MARKS}]{{{STACKED_MARKS},}}+", _stacked, False),
    (rf"[ \t](?<![ \t]{{2}})[ \t]{{{TRAILING_TOLD - 1},}}+(?=\r?\n|\Z)", _trailing, False),
    (rf"[^\n](?<![^\n]{{2}})[^\n]{{{LONG_LINE},}}+", _long_line, False),
)


def _shapes(text: str) -> Iterator[TextFinding]:
    """What is no hidden character but hides something all the same."""
    for find, tell, grave in SHAPES:
        if (tally := _tally(text, find)).count:
            yield _finding(tell(tally), tally, grave=grave)


def _line_ends(text: str) -> Iterator[TextFinding]:
    pairs = text.count("\r\n")
    alone = text.count("\n") - pairs
    if pairs and alone:
        said = f"line endings are mixed: {pairs} of CRLF and {alone} of LF"
        yield TextFinding(text=said, grave=False)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.DOTALL)

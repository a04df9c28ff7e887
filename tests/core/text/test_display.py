"""What a person judges hides nothing, and they are told what could mislead them."""

from __future__ import annotations

import re
import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.paths.aliases import IGNORED
from penstock.core.text import deception, display, invisible
from penstock.core.text.deception import warnings
from penstock.core.text.display import spoken, visible, visible_bytes, visible_diff
from penstock.core.text.invisible import ROWS, HiddenKind, kind_of, short_name

# --- shown ---------------------------------------------------------------------------------

SHOWN = [
    ("plain text, ünïcödé, 日本語\n", "plain text, ünïcödé, 日本語\n", "what is seen stays"),
    ("\tindent\n", "\tindent\n", "tabs stay"),
    ("a\x1b[31mred", "a⟦U+001B ESC⟧[31mred", "ANSI colours"),
    ("\x1b]0;title\x07", "⟦U+001B ESC⟧]0;title⟦U+0007 BEL⟧", "an OSC title"),
    ("\x9b31m", "⟦U+009B CSI⟧31m", "a C1 escape"),
    ("a\x00b\x7f", "a⟦U+0000 NUL⟧b⟦U+007F DEL⟧", "controls"),
    ("x\x08y", "x⟦U+0008 BS⟧y", "a backspace writes over"),
    ("a\u202eb\u2066c", "a⟦U+202E RLO⟧b⟦U+2066 LRI⟧c", "direction"),
    ("a\u200bb\u200db", "a⟦U+200B ZWSP⟧b⟦U+200D ZWJ⟧b", "zero width"),
    ("\u200b" * 12, "⟦U+200B ZWSP ×12⟧", "a run is counted"),
    ("a\U000e0041", "a⟦U+E0041 TAG⟧", "tags"),
    ("a\ufe0f", "a⟦U+FE0F VS16⟧", "variation selectors"),
    ("a\U000e0100", "a⟦U+E0100 VS⟧", "more variation selectors"),
    ("a\u2028b\u2029c", "a⟦U+2028 LSEP⟧b⟦U+2029 PSEP⟧c", "line separators"),
    ("a\x0bb\x0cc\x85d", "a⟦U+000B VT⟧b⟦U+000C FF⟧c⟦U+0085 NEL⟧d", "more of them"),
    ("a\rb", "a⟦U+000D CR⟧b", "a return alone"),
    ("a\r\r\r\nb", "a⟦U+000D CR ×2⟧\r\nb", "only the last is part of a line's end"),
    ("a\r\nb\r\n", "a\r\nb\r\n", "CRLF stays"),
    ("\ufeffa\ufeff", "⟦U+FEFF BOM⟧a⟦U+FEFF BOM⟧", "byte order marks"),
    ("a\u00a0b\u3000c", "a⟦U+00A0 NBSP⟧b⟦U+3000 IDSP⟧c", "odd spaces"),
    ("a\u3164b\u2800", "a⟦U+3164 FILLER⟧b⟦U+2800 BRAILLE-BLANK⟧", "blank letters"),
    ("a\u00ad\u034f", "a⟦U+00AD SHY⟧⟦U+034F CGJ⟧", "soft hyphens and such"),
    ("a  \nb\t\nc", "a⟦U+0020 SPACE ×2⟧\nb⟦U+0009 TAB⟧\nc", "spaces at the end of a line"),
    ("a \t  ", "a⟦U+0020 SPACE⟧⟦U+0009 TAB⟧⟦U+0020 SPACE ×2⟧", "at the end of the text, mixed"),
    ("a  \r\n", "a⟦U+0020 SPACE ×2⟧\r\n", "before CRLF"),
    ("a  b", "a  b", "spaces inside stay"),
    ("   \n", "⟦U+0020 SPACE ×3⟧\n", "a line of spaces"),
    ("⟦U+202E RLO⟧", "⟦U+27E6⟧U+202E RLO⟧", "no text can pretend to be a note"),
    ("\udcff\ud800", "⟦U+DCFF byte FF⟧⟦U+D800 SURROGATE⟧", "what is no text"),
    (
        "\ue000\U0010ffff\ufdd0",
        "⟦U+E000 PRIVATE⟧⟦U+10FFFF PRIVATE⟧⟦U+FDD0 NONCHARACTER⟧",
        "no look",
    ),
]


@pytest.mark.parametrize(("text", "shown", "why"), SHOWN)
def test_what_is_not_seen_is_written_out(text: str, shown: str, why: str) -> None:
    assert visible(text) == shown, why


def test_newlines_are_written_out_on_request() -> None:
    text = "a \r\nb\n\nc"
    assert visible(text, keep_newlines=False) == ("a ⟦U+000D CR⟧⟦U+000A LF⟧b⟦U+000A LF ×2⟧c")


def test_bytes_that_are_no_text_are_written_out_one_by_one() -> None:
    assert visible_bytes(b"a\xff\xfe") == "a⟦U+DCFF byte FF⟧⟦U+DCFE byte FE⟧"
    assert visible_bytes("é\x00".encode()) == "é⟦U+0000 NUL⟧"
    # A surrogate in UTF-8 is no UTF-8: its three bytes are shown, not a character.
    assert visible_bytes(b"\xed\xb3\xbf").count("byte") == 3


NOTE = re.compile(r"⟦U\+([0-9A-F]{4,6})(?: [A-Za-z0-9-]+(?: [0-9A-F]{2})?)?(?: ×(\d+))?⟧")


def undone(shown: str) -> str:
    """Read notes back: if this always works, nothing was lost and nothing can be faked."""
    return NOTE.sub(lambda note: chr(int(note[1], 16)) * int(note[2] or 1), shown)


hostile = st.text(
    alphabet=st.one_of(
        st.sampled_from("ab \t\n\r⟦⟧U+0×\x1b\u202e\u200b\u2028\ufeff\u00a0\u0430`"),
        st.characters(),
    ),
    max_size=30,
)


HEAD = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n"
DIFFS = [
    (" \n-a\n+b \n", " \n-a\n+b⟦U+0020 SPACE⟧\n", "an empty line of context is no trailing space"),
    ("  \n", " ⟦U+0020 SPACE⟧\n", "a line of one space is"),
    (" a\r\n-b\r\n+c\r\n", " a\r\n-b\r\n+c\r\n", "returns everywhere are no news"),
    ("-a\n+a\r\n", "-a\n+a⟦U+000D CR⟧\n", "a return that makes the difference is"),
    ("+\x1b[2J\n", "+⟦U+001B ESC⟧[2J\n", "hidden characters are written out"),
    ("\\ No newline at end of file\n", "\\ No newline at end of file\n", "the diff's own words"),
    ("\u202e+x\n", "⟦U+202E RLO⟧+x\n", "what is no diff hides nothing either"),
]


@pytest.mark.parametrize(("text", "shown", "why"), DIFFS)
def test_a_diff_is_shown_with_its_own_first_column(text: str, shown: str, why: str) -> None:
    assert visible_diff((HEAD + text).encode()) == HEAD + shown, why


@settings(max_examples=300, deadline=None)
@given(text=hostile)
def test_a_diff_hides_nothing(text: str) -> None:
    data = text.encode("utf-8", "surrogateescape" if _decoded(text) else "surrogatepass")
    shown = visible_diff(data)
    assert undone(shown).encode("utf-8", "surrogateescape") == data
    assert [sign for sign in shown.replace("\r\n", "\n").rstrip("\r") if kind_of(ord(sign))] == []


def _decoded(text: str) -> bool:
    return not any("\ud800" <= sign <= "\udfff" for sign in text)


def test_a_spoken_path_keeps_to_its_line() -> None:
    assert spoken("src/app.py") == "src/app.py"
    assert spoken("a\nb\r\nc\td ") == (
        "a⟦U+000A LF⟧b⟦U+000D CR⟧⟦U+000A LF⟧c⟦U+0009 TAB⟧d⟦U+0020 SPACE⟧"
    )
    assert spoken("rule `x` denies") == "rule `x` denies"
    assert spoken("日本 語/x") == "日本 語/x"


@settings(max_examples=1000, deadline=None)
@given(text=hostile, keep=st.booleans())
def test_what_is_shown_can_be_read_back_exactly(text: str, keep: bool) -> None:
    assert undone(visible(text, keep_newlines=keep)) == text
    assert undone(spoken(text)) == text


@settings(max_examples=500, deadline=None)
@given(text=hostile)
def test_nothing_hidden_is_left_in_what_is_shown(text: str) -> None:
    shown = visible(text).replace("\r\n", "\n")
    assert [sign for sign in shown if kind_of(ord(sign))] == []
    assert not re.search(r"[ \t]\n|[ \t]\Z", shown)
    assert not re.search(r"[\n\r\t]", spoken(text))
    assert set(visible(text, keep_newlines=False)).isdisjoint("\r\n")


@settings(max_examples=300, deadline=None)
@given(data=st.binary(max_size=40))
def test_any_bytes_can_be_shown_and_read_back(data: bytes) -> None:
    assert undone(visible_bytes(data)).encode("utf-8", "surrogateescape") == data


def test_the_table_is_sorted_and_covers_what_python_calls_unprintable() -> None:
    assert all(one[1] < two[0] for one, two in pairwise(ROWS))
    assert all(len(row[3].split()) in (1, row[1] - row[0] + 1) for row in ROWS)
    for code in range(0x3100):
        seen = chr(code).isprintable() or code in (0x09, 0x0A)
        # Unassigned code points and the visible format signs of some scripts are drawn.
        if not seen and kind_of(code) is None:
            assert chr(code).isidentifier() is False
            assert code > 0x377
    for first, last in IGNORED:
        assert all(kind_of(code) for code in range(first, min(last, first + 300) + 1)), hex(first)
    assert kind_of(ord("a")) is None
    assert short_name(ord("a")) == ""
    assert set(invisible.CALLED) <= {c for row in ROWS for c in range(row[0], row[1] + 1)}


# --- told ----------------------------------------------------------------------------------

TOLD = [
    ("ok\n" * 11 + "x\u202ey", "line 12 hides a right-to-left override (U+202E)", "one"),
    ("\u202e\n\n\u202e\u202e", "lines 1 and 3 hide 3 right-to-left overrides (U+202E)", "several"),
    (
        "\u202e\n\u2066\n\u2069",
        "lines 1, 2 and 3 hide 3 direction controls (U+202E, U+2066",
        "some",
    ),
    ("\u202e\n" * 9, "lines 1, 2, 3 and more hide 9 right-to-left overrides", "many"),
    ("\x1b[2J", "line 1 has an escape sequence (U+001B)", "ANSI"),
    ("\x1b]52;c;x\x07", "line 1 has a terminal command (U+001B)", "OSC"),
    ("\x9d0;x", "line 1 has a terminal command (U+009D)", "OSC in one character"),
    ("a\rb", "line 1 has a lone carriage return (U+000D)", "written over"),
    (
        "a\u2028b",
        "line 1 has a line separator (U+2028): most editors show a new line",
        "hidden line",
    ),
    ("a\x0c", "line 1 has a form feed (U+000C)", "hidden line"),
    ("a\x00", "line 1 has a NUL character (U+0000)", "control"),
    ("a\x01\x02", "line 1 has 2 control characters (U+0001, U+0002)", "control"),
    ("a\u200bb", "line 1 hides a zero-width space (U+200B)", "nothing seen"),
    ("a\ufeffb", "line 1 hides a byte order mark (U+FEFF)", "inside the text"),
    ("a\u200db", "line 1 hides a zero-width joiner (U+200D)", "between Latin letters"),
    ("\u200d👩", "line 1 hides a zero-width joiner (U+200D)", "nothing to join"),
    ("👩\u200dx", "line 1 hides a zero-width joiner (U+200D)", "nothing to join to"),
    ("a\ufe0f", "line 1 hides a variation selector (U+FE0F)", "on a letter"),
    ("❤\ufe0f\ufe01\ufe02", "line 1 hides 2 variation selectors (U+FE01, U+FE02)", "a row of them"),
    ("1\ufe0f", "line 1 hides a variation selector (U+FE0F)", "a digit that is no keycap"),
    ("\U000e0041\U000e0042", "line 1 hides 2 tag characters (U+E0041, U+E0042)", "text unseen"),
    ("🏴" + "\U000e0061" * 9, "line 1 hides 2 tag characters", "no flag is that long"),
    ("x\u3164", "line 1 hides a Hangul filler (U+3164)", "a name of nothing"),
    ("x\u2800y", "line 1 hides a blank letter (U+2800)", "braille without braille"),
    ("a\u200fb", "line 1 hides a right-to-left mark (U+200F)", "no letters that need it"),
    ("a\u00a0= 1", "line 1 has a no-break space (U+00A0): easily taken for an ordinary", "in code"),
    ("\u00a0\u00a0x", "line 1 has 2 no-break spaces (U+00A0)", "indentation"),
    ("a\u2003b", "line 1 has an odd space (U+2003)", "em space"),
    ("a\u3000b", "line 1 has an ideographic space (U+3000)", "between Latin letters"),
    ("\udcff", "line 1 has an undecodable byte (U+DCFF): this is not UTF-8 text", "bytes"),
    ("\ue0b0", "line 1 has a private-use character (U+E0B0)", "font"),
    ("\ufdd0", "line 1 has a noncharacter (U+FDD0)", "never a character"),
    ("a" + " " * 40 + "\n", "line 1 has 40 trailing spaces", "trailing"),
    ("a" + " " * 9 + "\nb" + " " * 12, "lines 1 and 2 have trailing spaces, up to 12", "trailing"),
    (
        "a" + " " * 300 + "evil()",
        "line 1: text after 300 spaces or tabs, possibly out of view",
        "gap",
    ),
    ("x" * 1001, "line 1: very long, up to 1001 characters in one line", "long"),
    ("a\r\nb\nc\n", "line endings are mixed: 1 of CRLF and 2 of LF", "line ends"),
    ("z" + "\u0301" * 20, "line 1: up to 20 marks stacked on one letter", "stacked"),
    (
        "if (a \u01c3= b)",
        "line 1: characters that look like ASCII punctuation (U+01C3)",
        "!",
    ),
    ("f()\u037e", "line 1: characters that look like ASCII punctuation (U+037E)", ";"),
    ("a\u2215b", "line 1: characters that look like ASCII punctuation (U+2215)", "/"),
]


@pytest.mark.parametrize(("text", "expected", "why"), TOLD)
def test_a_reader_is_told_what_could_mislead_them(text: str, expected: str, why: str) -> None:
    assert any(said.startswith(expected) for said in warnings(text)), (why, warnings(text))


DECEIVING = [
    ("pаypal", "mixed-script word `pаypal` on line 1 has Cyrillic letters", "one Cyrillic letter"),
    ("x\n\nаdmin = 1", "mixed-script word `аdmin` on line 3 has Cyrillic letters", "its line"),
    ("adminс_x", "mixed-script word `adminс` on line 1 has Cyrillic letters", "the last letter"),
    ("if х == 1:", "`х` on line 1 looks Latin and is in Cyrillic letters", "a whole name"),
    ("х = 1", "`х` on line 1 looks Latin and is in Cyrillic letters", "a line of code"),
    ("import сору", "`сору` on line 1 looks Latin and is in Cyrillic letters", "a whole word"),
    ("Αdmin", "mixed-script word `Αdmin` on line 1 has Greek letters", "Greek capital"),
    ("gοοgle", "mixed-script word `gοοgle` on line 1 has Greek letters", "Greek omicron"),
    ("pαypal", "mixed-script word `pαypal` on line 1 has Greek letters", "inside a long word"),
    ("օpen", "mixed-script word `օpen` on line 1 has Armenian letters", "Armenian"),
    ("Ꭺdmin", "mixed-script word `Ꭺdmin` on line 1 has Cherokee letters", "Cherokee"),
    ("ｅval", "mixed-script word `ｅval` on line 1 has full-width letters", "full width"),
    ("𝐞𝐯𝐚𝐥(x)", "`𝐞𝐯𝐚𝐥` on line 1 looks Latin and is in mathematical letters", "Python reads eval"),
    ("ev𝐚l", "mixed-script word `ev𝐚l` on line 1 has mathematical letters", "mixed with plain"),
    (
        "to\u212aen",
        "mixed-script word `to\u212aen` on line 1 has letter-like letters",
        "Kelvin sign",
    ),
    ("жаdmin", "mixed-script word `жаdmin` on line 1 has Cyrillic", "a plain one does not excuse"),
]


@pytest.mark.parametrize(("text", "expected", "why"), DECEIVING)
def test_a_word_that_is_not_what_it_looks_like_is_told(text: str, expected: str, why: str) -> None:
    assert any(said.startswith(expected) for said in warnings(text)), (why, warnings(text))


QUIET = [
    ("def f(x):\n\treturn x  # fine\n", "code"),
    ("Привет, мир! Это обычный текст, а не обман.\nСухо, хорошо: рост, сор, рот.", "Russian"),
    ("# вызов API через SQLом, сохраняем в json\nx = 1", "Russian with Latin abbreviations"),
    ("а)\nу\n\nо чём", "Russian, letters on lines of their own"),
    ("а если нет, о чём речь у нас с вами", "Russian words of one letter"),
    ("Αυτό είναι κανονικό κείμενο; Ναι.", "Greek, with its question mark"),
    ("Δt = 5 μs, λx, ρgh, kΩ, πr², Σxᵢ, θ_1, σ²", "science"),
    ("こんにちは世界\u3000日本語のテキスト，ＡＢＣ\n\u3000段落", "Japanese with wide spaces"),
    ("中文文本：使用foo，bar（测试）。", "Chinese with wide punctuation"),
    ("مرحبا بالعالم، می\u200cخواهم", "Arabic and Persian with a non-joiner"),
    ("क्\u200dष और क्\u200cष", "Hindi with both joiners"),
    ("שלום\u200f! עולם", "Hebrew with a direction mark"),
    ("สวัสดี\u200bครับ", "Thai words divided by zero-width spaces"),
    ("👩\u200d👩\u200d👧\u200d👦 👍🏽 🧑🏿\u200d💻 🏳\ufe0f\u200d🌈", "emoji families"),
    ("❤\ufe0f ⚠\ufe0f ☎\ufe0e 1\ufe0f\u20e3 #\ufe0f\u20e3", "emoji with selectors"),
    ("🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f 🇫🇷", "flags"),
    ("葛\U000e0100城市 神\ufe00", "ideographs with variants"),
    ("ᠭ\u180bᠠ", "Mongolian with variants"),
    ("⠓⠑\u2800⠇⠇⠕", "braille with a blank"),
    ("Bonjour\u00a0! «\u00a0oui\u00a0» 10\u202f000\u00a0€ 5\u00a0km 50\u00a0%", "French"),
    ("в\u00a0доме", "Russian with a no-break space"),
    ("ǃKung und ǀXam", "click letters in words"),
    ("\ufeff#!/bin/sh\r\necho\r\n", "a byte order mark at the start, CRLF throughout"),
    ("Markdown breaks a line  \nwith two spaces\n", "a few spaces at the end"),
    ("x" * 1000 + "\n", "a long line, just not too long"),
    ("naïve café Zürich Łódź İstanbul 3×4÷2", "Latin letters with marks"),
    ("Let 𝑥 be in ℝ", "a single mathematical letter"),
]


@pytest.mark.parametrize(("text", "why"), QUIET)
def test_what_people_write_for_good_reasons_stays_quiet(text: str, why: str) -> None:
    assert warnings(text) == (), why


def test_warnings_are_bounded_and_the_rest_is_counted() -> None:
    words = " ".join(f"pаy{'abcdefghijklmnopqrstuvwxyz'[n]}" for n in range(26))
    said = warnings(words)
    assert len(said) == deception.MOST_WARNINGS + 1
    assert said[-1] == "and 6 more warnings"
    assert all(len(sentence) < 250 for sentence in warnings("pа" * 10_000 + "\u202e" * 10_000))


def test_a_word_is_told_with_its_own_line_whatever_was_found_before() -> None:
    said = warnings("х = 1\n\n\npаypal = 2\n")
    assert [re.findall(r"line \d", sentence)[0] for sentence in said] == ["line 4", "line 1"]


def test_the_worst_comes_first() -> None:
    said = warnings("x" * 2000 + "  " * 20 + "\n\u202epаypal\u00a0= 1\n")
    assert ["override" in said[0], "trailing" in said[-2], "very long" in said[-1]] == [True] * 3


def test_a_thousand_harmless_finds_do_not_hide_how_many_there_are() -> None:
    assert "more than 1000 zero-width spaces" in warnings("\u200b" * 5000)[0]
    assert any("more than 1000 words mix scripts" in said for said in warnings("pаypal " * 5000))


@settings(max_examples=500, deadline=None)
@given(text=hostile)
def test_warnings_are_single_lines_that_hide_nothing_themselves(text: str) -> None:
    for said in warnings(text * 3):
        assert visible(said, keep_newlines=False) == said
        assert not said.endswith(".")


@settings(max_examples=300, deadline=None)
@given(before=st.text(alphabet="ab\n", max_size=50))
def test_the_line_that_is_named_is_the_line_that_has_it(before: str) -> None:
    expected = f"line {before.count(chr(10)) + 1} hides a right-to-left override"
    assert warnings(before + "\u202e")[0].startswith(expected)


# --- cost ----------------------------------------------------------------------------------

SHAPES = {
    "spaces": " " * 40_000 + "x",
    "gaps": ("a" + " " * 99) * 400,
    "trailing": "a   \n" * 8_000,
    "overrides": "\u202e" * 40_000,
    "two by turns": "\u202e\u200b" * 20_000,
    "one Latin word": "a" * 40_000 + "é",
    "one mixed word": "a" * 20_000 + "а" * 20_000,
    "look-alikes": "а " * 20_000,
    "marks": "a\u200e" * 20_000,
    "combining": "a" + "\u0301" * 40_000,
    "returns": "\r" * 40_000,
    "emoji": "👩\u200d👩 ❤\ufe0f " * 5_000,
    "tags": "🏴" + "\U000e0061" * 40_000,
    "no-break": "\u00a0" * 40_000,
}


@pytest.mark.parametrize("name", SHAPES)
def test_no_text_takes_quadratic_time(name: str) -> None:
    # Measured: under a second each. What looks at a run once for each of its members needs
    # 10^11 steps here, so the limit tells minutes from seconds and not fast from slow.
    text = SHAPES[name] * 10
    start = time.process_time()
    shown, said = visible(text), warnings(text)
    assert time.process_time() - start < 30
    assert (shown, said) != (text, ())


def test_kinds_all_have_something_to_say() -> None:
    assert {sort.kind for sort in deception.SORTS} == set(HiddenKind)


@pytest.mark.parametrize("besides", ["", "\t\n"])
def test_nothing_that_is_printable_ascii_is_written_out(besides: str) -> None:
    """So a text of nothing else need not be searched."""
    hidden = display._unseen(0x80, besides)
    assert not any(hidden.search(chr(code)) for code in range(0x20, 0x7F))

"""Reading a rules file block by block gives what `tomllib` gives, or nothing."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.rule_edit.operation import EditError
from penstock.core.rule_edit.pieces import read_book
from penstock.core.rule_edit.source import differing, read_text
from penstock.core.rule_edit.toml.blocks import LostError, TomlBlock, read_blocks, shared_blocks
from penstock.core.rule_edit.toml.read import quick_lines, read_document
from penstock.core.rules.toml_positions import find_lines
from tests.core.rule_edit.edit_files import Chunk, files, written

PIECES = (
    *("\n", "\r\n", " = ", '"', "'", '"""', "'''", "[", "]", "[[", "]]", "{", "}", ",", ".", "#"),
    *("\\", "\\u0041", "1", "-1", "0", "00", "1_0", "true", "nan", "0.5", "1e3", "1979-05-27"),
    *("a", "b", "allow", "\n[[allow]]\n", "\n[allow.x]\n", "\n[a]\n", "\n[a.b]\n", "\na = 1\n"),
    *(
        '\nb = "x"\n',
        "\na.b = 1\n",
        '\n"a" = 1\n',
        '["a", "b"]',
        "\n# c\n",
        "é",
        "\x01",
        "\t",
        "\x7f",
    ),
)


def by_blocks(text: str) -> object:
    whole = text if text.endswith("\n") else f"{text}\n"
    return read_document(whole, read_blocks(whole))


@settings(max_examples=600, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_what_is_read_block_by_block_is_what_the_parser_reads(text: str) -> None:
    try:
        ours = by_blocks(text)
    except LostError:
        return
    assert repr(ours) == repr(tomllib.loads(text))


SOME = st.lists(st.sampled_from(PIECES), max_size=10).map("".join)


@settings(max_examples=600, deadline=None)
@given(SOME, SOME, SOME)
def test_blocks_that_two_texts_begin_with_need_not_be_read_twice(
    start: str, one: str, two: str
) -> None:
    known, text = f"{start}{one}\n", f"{start}{two}\n"
    try:
        blocks = read_blocks(known)
    except LostError:
        return
    first = shared_blocks(text, known, blocks, step=1)
    assert _read(text, first) == _read(text, [])


def _read(text: str, first: list[TomlBlock]) -> list[TomlBlock] | None:
    try:
        return read_blocks(text, first)
    except LostError:
        return None


def test_a_file_that_is_read_again_after_an_edit_is_read_from_there_on() -> None:
    rules = "".join(f'[[allow]]\nid = "r{n}"\ntool = "Bash"\n\n' for n in range(300))
    before, after = rules.encode(), (rules + '[[deny]]\nid = "x"\n').encode()
    old = read_text("again.toml", before)
    new = read_text("again.toml", after)
    assert new.blocks[100] is old.blocks[100], "this one was not read again"
    assert new.blocks == read_blocks(new.text)


@settings(max_examples=150, deadline=None)
@given(files(), st.sampled_from(["\n", "\r\n"]), st.booleans(), st.booleans())
def test_a_book_that_nobody_edited_is_the_file(
    chunks: list[Chunk], newline: str, final: bool, bom: bool
) -> None:
    data = written(chunks, newline=newline, final=final, bom=bom)
    book = read_book("rules.toml", data)
    assert book.text() == data
    assert repr(book.document) == repr(tomllib.loads(data.decode("utf-8-sig")))
    assert [placed.id for rules in book.rules.values() for placed in rules] == [
        chunk.name for table in book.rules for chunk in chunks if chunk.table == ".".join(table)
    ]


@settings(max_examples=100, deadline=None)
@given(files())
def test_lines_are_those_of_the_slow_scanner(chunks: list[Chunk]) -> None:
    text = written(chunks).decode()
    if not text:
        return
    blocks = read_blocks(text)
    quick = quick_lines(text, blocks, read_document(text, blocks))
    slow = find_lines(text)
    for path in (*slow.known, ("nothing",), ("allow", 99)):
        assert quick.of(*path) == slow.of(*path)


ACCEPTED = [
    ("", "an empty file"),
    ("# only a comment", "no newline at the end"),
    ("a = 1", "a pair and no newline"),
    ("[a.b]\nx = 1\n[a]\ny = 2\n", "a table named after one inside it"),
    ("[[a]]\n[[a.b]]\n[[a.b]]\n[a.b.c]\nx = 1\n[[a]]\n", "arrays in arrays"),
    ('x = """\n[[allow]]\n# no"""\n[[allow]]\nid = "a"\n', "a header inside a string"),
    ("x = '''\n# no'''\n[[allow]]\n", "what looks like a comment above a header"),
    ('"a b" = 1\n["c d"]\ne."f g" = 2\n[[ \'h\' . i ]]\n', "names in quotes"),
    ("x = [ # one\n 1, [2, 3], {a = ']'} # two\n]\n", "brackets in brackets"),
]


@pytest.mark.parametrize(("text", "why"), ACCEPTED)
def test_odd_but_good_files_are_read(text: str, why: str) -> None:
    assert repr(by_blocks(text)) == repr(tomllib.loads(text)), why


REFUSED = [
    ("a = 1\na = 2\n", "a key twice"),
    ("[a]\n[a]\n", "a table twice"),
    ("a = 1\n[a]\n", "a table over a value"),
    ("a = {}\n[a.b]\n", "a table inside an inline one"),
    ("a = []\n[[a]]\n", "an array of tables over a list"),
    ("[[a]]\n[a]\n", "a table over an array of tables"),
    ("[a]\n[[a]]\n", "an array of tables over a table"),
    ("[a]\nb.c = 1\n[a.b]\n", "a table over a dotted key"),
    ("[a\n", "no closing bracket"),
    ("[[a]\n", "one closing bracket of two"),
    ("a b\n", "no equals sign"),
    ("a = \n", "no value"),
    ("= 1\n", "no key"),
    ('"\\q" = 1\n', "an escape that is none"),
    ("a = 1 b = 2\n", "two on one line"),
    ("a = [1\n", "a list without an end"),
    ("a = " + "[" * 70 + "]" * 70 + "\n", "too deep"),
    (".".join("a" * 40) + " = 1\n", "too many parts"),
    ("a = 00\n", "no number"),
]


@pytest.mark.parametrize(("text", "why"), REFUSED)
def test_what_is_no_toml_or_too_odd_is_refused(text: str, why: str) -> None:
    with pytest.raises(LostError):
        by_blocks(text)
    with pytest.raises(EditError) as error:
        read_text("rules.toml", text.encode())
    assert error.value.details[0].error, why


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"a b", "Expected '=' after key at line 1"),
        (b"\n\n[x\n", "Expected ']' at the end of a table declaration at line 3"),
        (b"a = 1\xff\n", "not UTF-8 text"),
        (b"a = 1\0\n", "has a NUL character"),
        (b"a = 1\r", "at line 1"),
        (b"#" * (9 * 1024 * 1024), "larger than"),
    ],
)
def test_what_is_wrong_with_a_file_is_told_with_its_line(data: bytes, told: str) -> None:
    with pytest.raises(EditError) as error:
        read_text("rules.toml", data)
    assert told in error.value.details[0].error
    assert error.value.error_type == "blocking_validation"


def test_only_what_differs_is_left_of_two_large_files() -> None:
    rule = '\n[[allow]]\nid = "{}"\ntool = "Bash"\n'
    before = "x = 1\n[[deny]]\n[deny.a]\n" + "".join(rule.format(n) for n in range(50))
    after = before + rule.format("new")
    left = differing(read_text("a", before.encode()), read_text("a", after.encode()))
    assert tomllib.loads(left) == {
        "x": 1,
        "deny": [{"a": {}}],
        "allow": [{"id": "new", "tool": "Bash"}],
    }

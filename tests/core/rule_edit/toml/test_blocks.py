"""A rules file in blocks is the file, and what is no TOML is told with its line."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.rule_edit.operation import EditError
from penstock.core.rule_edit.pieces import read_book
from penstock.core.rule_edit.source import read_text
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


@settings(max_examples=600, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_any_file_is_taken_apart_and_put_together_again(text: str) -> None:
    try:
        book = read_book("rules.toml", text.encode())
    except EditError:
        return
    assert book.text().decode() == text
    assert repr(book.document) == repr(tomllib.loads(text))
    # What the blocks hold is what the file says: read alone, they are the whole document.
    alone = "".join(piece.text for piece in book.pieces if piece.name is not None)
    assert repr(tomllib.loads(alone)) == repr(book.document)
    headers = [piece.text[piece.header : piece.body] for piece in book.pieces if piece.name]
    assert all(header.lstrip(" \t").startswith("[") for header in headers)


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


ACCEPTED = [
    ("", 1, "an empty file"),
    ("# only a comment", 1, "no newline at end of file"),
    ("a = 1", 1, "a pair and no newline"),
    ("[a.b]\nx = 1\n[a]\ny = 2\n", 3, "a table named after one inside it"),
    ("[[a]]\n[[a.b]]\n[[a.b]]\n[a.b.c]\nx = 1\n[[a]]\n", 6, "arrays in arrays"),
    ('x = """\n[[allow]]\n# no"""\n[[allow]]\nid = "a"\n', 2, "a header inside a string"),
    ("x = '''\n# no'''\n[[allow]]\n", 2, "what looks like a comment above a header"),
    ('"a b" = 1\n["c d"]\ne."f g" = 2\n[[ \'h\' . i ]]\n', 3, "names in quotes"),
    ("x = [ # one\n 1, [2, 3], {a = ']'} # two\n]\n", 1, "brackets in brackets"),
]


@pytest.mark.parametrize(("text", "blocks", "why"), ACCEPTED)
def test_odd_but_good_files_are_read(text: str, blocks: int, why: str) -> None:
    read = read_text("rules.toml", text.encode())
    assert repr(read.document) == repr(tomllib.loads(text)), why
    assert len(read.blocks) == blocks, why


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

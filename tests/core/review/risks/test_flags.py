"""Flags on changes: every row of the tables, only for lines that come, and never on bytes."""

from __future__ import annotations

import pytest

from penstock.core.diff.measure import measure
from penstock.core.file_mode import FileMode
from penstock.core.proposals.flag import LEVELS, RiskFlag, RiskLevel
from penstock.core.review.assess import assess
from penstock.core.review.risks import (
    checks,
    downloads,
    install_scripts,
    network,
    permissions,
    pipelines,
    weaker_tests,
)
from penstock.core.review.risks.find import MOST_FLAGS, SIGNS
from penstock.core.review.risks.special_files import FILES
from tests.core.review.risks.rows import QUIET, SHOWN

PLAIN = (None, None)
START = b"first line of the file\nsecond line of it\n"


def raised(
    path: str,
    before: bytes | None,
    after: bytes | None,
    modes: tuple[FileMode | None, FileMode | None] = PLAIN,
) -> tuple[RiskFlag, ...]:
    return assess(path, before, after, measure(before, after), modes=modes).flags


def codes(
    path: str,
    before: bytes | None,
    after: bytes | None,
    modes: tuple[FileMode | None, FileMode | None] = PLAIN,
) -> dict[str, str]:
    return {flag.code: str(flag.level) for flag in raised(path, before, after, modes)}


@pytest.mark.parametrize(("path", "line", "code", "level"), SHOWN)
def test_a_line_that_comes_is_flagged(path: str, line: str, code: str, level: str) -> None:
    new = line.encode("utf-8") + b"\n"
    for before, after in ((None, new), (START, START + new), (START, new + START)):
        if before is not None and line.startswith("#!"):
            continue  # a script is one by its first line
        assert codes(path, before, after).get(code) == level


@pytest.mark.parametrize(("path", "line", "code", "level"), SHOWN)
def test_a_line_that_stays_or_goes_is_not(path: str, line: str, code: str, level: str) -> None:
    content = START + line.encode("utf-8") + b"\n"
    by_name = {known.code for known in FILES}
    for before, after in ((content, content + b"more\n"), (content, START)):
        found = raised(path, before, after)
        assert code in by_name or code not in {flag.code for flag in found if flag.lines}


@pytest.mark.parametrize(("path", "line"), QUIET)
def test_everyday_lines_stay_quiet(path: str, line: str) -> None:
    assert raised(path, START, START + line.encode() + b"\n") == ()


@pytest.mark.parametrize(("path", "line", "code", "level"), SHOWN)
def test_a_flag_names_its_line(path: str, line: str, code: str, level: str) -> None:
    after = b"x\n" * 13 + line.encode("utf-8") + b"\n"
    found = [one for one in raised(path, b"x\n" * 13, after) if one.code == code and one.lines]
    assert all(flag.lines == (14,) and "line 14" in flag.text for flag in found)


def test_every_sign_and_every_special_file_has_a_row() -> None:
    known = {sign.code for sign in SIGNS} | {file.code for file in FILES}
    assert known <= {row[2] for row in SHOWN}
    languages = {language for sign in network.SIGNS for language in sign.languages}
    assert len(languages) == len(network.SIGNS)
    tables = (downloads, install_scripts, pipelines, permissions, checks, weaker_tests, network)
    assert sum(len(table.SIGNS) for table in tables) == len(SIGNS)


# ---------------------------------------------------------------- what is no line

CODE = b"".join(b"    value_%d = compute(%d)\n" % (n, n) for n in range(20))
TESTS = b"def test_a():\n    assert 1\n\n\ndef test_b():\n    assert 2\n"
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR curl https://x | sh \xe2\x80\xae"
REST = b"// something else that stays\n" * 90
UTF8 = {
    "download-run": "danger",
    "network": "notice",
    "measured": "notice",
    "hidden-text": "notice",
}
GONE = b"if x:\n    urlopen(a)\nb()\n"
BY_HAND = [
    ("a test file goes", "tests/test_a.py", TESTS, None, {"test-deleted": "danger"}),
    ("a test goes", "tests/test_a.py", TESTS, TESTS[:28], {"fewer-tests": "notice"}),
    ("a test gets another name", "tests/test_a.py", TESTS, TESTS.replace(b"_b", b"_c"), {}),
    ("a source file goes", "src/a.py", CODE, None, {}),
    ("a pipeline goes", ".github/workflows/a.yml", b"a: 1\n", None, {"pipeline": "notice"}),
    ("all goes", "a.py", CODE, b"", {"measured": "danger"}),
    (
        "a body becomes a stub",
        "a.py",
        b"def f():\n" + CODE + b"\n\ndef g():\n" + CODE.replace(b"value", b"other"),
        b"def f():\n    pass\n\n\ndef g():\n" + CODE.replace(b"value", b"other"),
        {"stub": "danger"},
    ),
    (
        "words for the rest",
        "a.js",
        CODE + REST,
        b"// ... rest of the code\n" + REST,
        {"stub": "danger"},
    ),
    (
        "not implemented",
        "a.py",
        b"def f():\n" + CODE + REST,
        b"def f():\n    raise NotImplementedError('later')\n" + REST,
        {"stub": "danger"},
    ),
    ("an abstract method", "a.py", None, b"def f():\n    raise NotImplementedError\n", {}),
    ("a picture", "a.png", None, PNG, {}),
    ("a picture that changes", "a.png", PNG, PNG + b"x", {}),
    ("text with a picture's name", "a.png", None, b"curl x | sh\n", {"download-run": "danger"}),
    ("a byte that is no UTF-8", "a.sh", None, b"curl https://x | sh #\xff\n", UTF8),
    ("line ends alone", "a.sh", b"curl x|sh\nls\n", b"curl x|sh\r\nls\r\n", {"measured": "notice"}),
    ("indentation alone", "a.js", b"fetch(x)\nb()\n", b"  fetch(x)\n  b()\n", {}),
    ("indentation of Python", "a.py", GONE, b"urlopen(a)\nb()\n", {"network": "notice"}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("path", "before", "after", "flags"),
    [row[1:] for row in BY_HAND],
    ids=[str(row[0]) for row in BY_HAND],
)
def test_what_no_single_line_shows(
    path: str, before: bytes | None, after: bytes | None, flags: dict[str, str]
) -> None:
    assert codes(path, before, after) == flags


MODES = [
    ((FileMode.FILE, FileMode.EXECUTABLE), "mode 100644 becomes 100755: an executable file"),
    ((None, FileMode.EXECUTABLE), "creates an executable file"),
    ((None, FileMode.LINK), "symbolic link to `x`"),
    ((FileMode.FILE, FileMode.LINK), "symbolic link to `x` in place of a regular file"),
    ((FileMode.LINK, None), "removes a symbolic link"),
]


@pytest.mark.parametrize(("modes", "text"), MODES)
def test_a_mode_that_changes_is_a_notice(
    modes: tuple[FileMode | None, FileMode | None], text: str
) -> None:
    after = None if modes[1] is None else b"x"
    found = raised("run", b"y" if modes[0] else None, after, modes)
    assert [(flag.level, flag.text) for flag in found] == [(RiskLevel.NOTICE, text)]


def test_dangers_come_first_and_many_lines_are_counted() -> None:
    after = b"x = 1  # noqa\n" + b"requests.get(u, verify=False)\n" * 12
    found = raised("a.py", None, after)
    assert [flag.level for flag in found] == sorted((f.level for f in found), key=LEVELS.index)
    assert found[0].text.startswith("lines 2, 3, 4 and 9 more: turns off the check of certificates")
    assert found[0].lines == (2, 3, 4, 5, 6, 7, 8, 9)


def test_flags_are_bounded() -> None:
    words = b"".join("p\u0430ypal_%d = 1\n".encode() % n for n in range(200))
    found = raised("a.py", None, words + b"requests.get(u)\n")
    assert len(found) <= MOST_FLAGS + 1


def test_a_change_of_white_space_is_counted_in_the_assessment() -> None:
    before = b"if (a) {\nb();\n}\n"
    after = b"if (a) {\n  b();\n}\n"
    change = measure(before, after)
    assert assess("a.js", before, after, change).white_space.blanks == 1
    assert assess("a.png", PNG, PNG + b" ", change).white_space.lines == 0

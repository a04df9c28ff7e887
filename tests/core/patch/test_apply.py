"""Patch text to new contents: what is read, what is refused, and what real git says of it."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from penstock.core.diff.hunks import unified
from penstock.core.errors import InputError
from penstock.core.file_mode import FileMode
from penstock.core.model import Action
from penstock.core.patch.apply import (
    MAX_BYTES,
    MAX_LINES,
    FilePatch,
    PatchDialect,
    apply_all,
    apply_patch,
    modes_of,
    parse_patch,
)
from penstock.core.patch.fit import MAX_COMPARED

LETTERS = b"".join(b"%c\n" % byte for byte in b"abcdefghijklmnopqrstuvwxyz")


def one(text: str | bytes) -> FilePatch:
    (patch,) = parse_patch(text)
    return patch


def diff(*hunks: str, name: str = "f") -> bytes:
    return (f"--- a/{name}\n+++ b/{name}\n" + "".join(hunks)).encode()


def refused(call: Callable[[], object]) -> InputError:
    with pytest.raises(InputError) as caught:
        call()
    return caught.value


# --- reading unified diffs


READ = [
    ("a plain diff", diff("@@ -1 +1 @@\n-a\n+b\n"), Action.WRITE, "f", None),
    ("no prefixes", b"--- x/f\n+++ x/f\n@@ -1 +1 @@\n-a\n+b\n", Action.WRITE, "x/f", None),
    (
        "a folder named a on both sides is no prefix",
        b"--- a/f\n+++ a/f\n@@ -1 +1 @@\n-a\n+b\n",
        Action.WRITE,
        "a/f",
        None,
    ),
    (
        "times behind the names",
        b"--- f\t2024-01-01 10:00:00.000000000 +0100\n+++ f\t2024-01-02\n@@ -1 +1 @@\n-a\n+b\n",
        Action.WRITE,
        "f",
        None,
    ),
    (
        "a name with a blank",
        b"--- a/my file\t\n+++ b/my file\t\n@@ -1 +1 @@\n-a\n+b\n",
        Action.WRITE,
        "my file",
        None,
    ),
    ("a new file", b"--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n", Action.CREATE, "f", None),
    ("a deleted file", b"--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", Action.DELETE, "f", None),
    (
        "a new file as `diff -N` writes it",
        b"--- f\t1970-01-01 00:00:00.000000000 +0000\n+++ f\t2024-01-01\n@@ -0,0 +1 @@\n+a\n",
        Action.CREATE,
        "f",
        None,
    ),
    (
        "a deleted file as `diff -N` writes it",
        b"--- f\t2024-01-01\n+++ f\t1970-01-01 01:00:00.000000000 +0100\n@@ -1 +0,0 @@\n-a\n",
        Action.DELETE,
        "f",
        None,
    ),
    (
        "an empty new file",
        b"diff --git a/e b/e\nnew file mode 100644\nindex 0000000..e69de29\n",
        Action.CREATE,
        "e",
        None,
    ),
    (
        "an empty deleted file",
        b"diff --git a/a b/a\ndeleted file mode 100644\nindex e69de29..0000000\n",
        Action.DELETE,
        "a",
        None,
    ),
    (
        "a rename",
        b"diff --git a/x b/y z\nsimilarity index 100%\nrename from x\nrename to y z\n",
        Action.WRITE,
        "x",
        "y z",
    ),
    (
        "a rename with changes, names quoted",
        b'diff --git "a/\\303\\274" "b/q\\"\\\\"\nrename from "\\303\\274"\nrename to "q\\"\\\\"\n'
        b'--- "a/\\303\\274"\n+++ "b/q\\"\\\\"\n@@ -1 +1 @@\n-a\n+b\n',
        Action.WRITE,
        "\u00fc",
        'q"\\',
    ),
    (
        "a rename without prefixes between folders named like them",
        b"diff --git a/x b/y\nrename from a/x\nrename to b/y\n"
        b"--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n",
        Action.WRITE,
        "a/x",
        "b/y",
    ),
    (
        "one quoted name",
        b'diff --git a/x "b/x"\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n',
        Action.WRITE,
        "x",
        None,
    ),
    (
        "a first quoted name",
        b'diff --git "a/x" b/x\n--- a/x\n+++ "b/x"\n@@ -1 +1 @@\n-a\n+b\n',
        Action.WRITE,
        "x",
        None,
    ),
    (
        "a new file in a folder b, without prefixes",
        b"diff --git b/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n",
        Action.CREATE,
        "b/x",
        None,
    ),
    (
        "the sides of git's mnemonic prefixes",
        b"diff --git i/x w/x\n--- i/x\n+++ w/x\n@@ -1 +1 @@\n-a\n+b\n",
        Action.WRITE,
        "x",
        None,
    ),
    (
        "a reversed diff",
        b"diff --git b/x a/x\n--- b/x\n+++ a/x\n@@ -1 +1 @@\n-a\n+b\n",
        Action.WRITE,
        "x",
        None,
    ),
    (
        "text around it, as mail and web pages have it",
        b"From 1234\n- a list\n+ in words\n---\n f | 2 +-\n\n```diff\n"
        + diff("@@ -1 +1 @@ def f():\n-a\n+b\n")
        + b"```\n-- \n2.39.5\n\n- more\n",
        Action.WRITE,
        "f",
        None,
    ),
    ("no last line end", diff("@@ -1 +1 @@\n-a\n+b"), Action.WRITE, "f", None),
]


@pytest.mark.parametrize(
    ("why", "text", "action", "path", "moved"), READ, ids=[row[0] for row in READ]
)
def test_a_diff_tells_what_it_does_to_which_file(
    why: str, text: bytes, action: Action, path: str, moved: str | None
) -> None:
    patch = one(text)
    assert (patch.action, patch.path, patch.moved_to) == (action, path, moved)
    assert patch.dialect is PatchDialect.UNIFIED


def test_text_and_bytes_are_read_alike() -> None:
    text = "--- a/\u00fc\n+++ b/\u00fc\n@@ -1 +1 @@\n-\u00e4\n+\u00f6\n"
    assert parse_patch(text) == parse_patch(text.encode())


def test_several_files_are_read_in_their_order() -> None:
    text = (
        diff("@@ -1 +1 @@\n-a\n+b\n") + b"diff -u x y\n" + diff("@@ -1 +1 @@\n-c\n+d\n", name="g")
    )
    text += b"\nIndex: h\n=====\n--- /dev/null\n+++ b/h\n@@ -0,0 +1,2 @@\n+--- a/x\n++++ b/x\n"
    patches = parse_patch(text)
    assert [patch.path for patch in patches] == ["f", "g", "h"]
    after = apply_all(patches, {"f": b"a\n", "g": b"c\n"}.get)
    assert after == {"f": b"b\n", "g": b"d\n", "h": b"--- a/x\n+++ b/x\n"}


BAD = [
    ("nothing", b"", "there is no patch"),
    ("prose", b"please change f\n- a\n+ b\n", "there is no patch"),
    ("NUL", b"\0" * 100, "there is no patch"),
    ("a hunk without a file", b"@@ -1 +1 @@\n-a\n+b\n", "outside of every hunk"),
    ("a file without hunks", b"--- a/f\n+++ b/f\n", "`f` has no hunks"),
    ("a git diff that says nothing", b"diff --git a/f b/f\nindex 1..2\n", "`f` has no hunks"),
    ("a header without numbers", diff("@@ ... @@\n-a\n+b\n"), "is not the header of a hunk"),
    ("a bare header", diff("@@\n-a\n+b\n"), "is not the header of a hunk"),
    ("too few lines", diff("@@ -1,3 +1,3 @@\n-a\n+b\n c\n"), "ends inside hunk 1"),
    ("too many lines", diff("@@ -1 +1 @@\n-a\n+b\n+c\n"), "line 6 of the patch: `+c` is outside"),
    ("and after blank lines", diff("@@ -1 +1 @@\n-a\n+b\n\n c\n"), "line 7 of the patch"),
    (
        "the wrong side",
        diff("@@ -1,2 +1 @@\n-a\n+b\n+c\n"),
        "line 6 of the patch: hunk 1 has other",
    ),
    ("words in a hunk", diff("@@ -1,2 +1,2 @@\n-a\n+b\nword\n"), "line 6 of the patch: hunk 1"),
    ("line 0 with lines", diff("@@ -0,1 +1 @@\n-a\n+b\n"), "cannot start at line 0"),
    ("overlap", diff("@@ -1,2 +1 @@\n a\n-b\n@@ -2 +1 @@\n-b\n+c\n"), "hunk 2 overlaps"),
    ("upwards", diff("@@ -9 +9 @@\n-a\n+b\n@@ -2 +2 @@\n-b\n+c\n"), "hunk 2 overlaps"),
    ("numbers without end", diff("@@ -1 +" + "9" * 99 + " @@\n-a\n+b\n"), "not the header"),
    (
        "an early end mark",
        diff("@@ -1,2 +1 @@\n-a\n\\ No newline\n-b\n+c\n"),
        "is not the last one",
    ),
    ("a double end mark", diff("@@ -1 +1 @@\n-a\n\\ No\n\\ No\n+c\n"), "is not the last one"),
    ("an end mark first", diff("@@ -1 +1 @@\n\\ No newline\n-a\n+b\n"), "hunk 1 has other lines"),
    ("two files in one diff", b"--- x\n+++ y\n@@ -1 +1 @@\n-a\n+b\n", "two files, `x` and `y`"),
    (
        "quoted names of two files",
        b'diff --git "a/x" "b/y"\nold mode 100644\nnew mode 100755\n',
        "two files",
    ),
    (
        "names that disagree",
        b"diff --git a/x b/x\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n",
        "does not give its file one name",
    ),
    (
        "a rename that disagrees",
        b"diff --git a/x b/y\nrename from x\nrename to y\n--- a/x\n+++ b/z\n@@ -1 +1 @@\n-a\n+b\n",
        "does not give its file one name",
    ),
    ("no name at all", b"diff --git a/x b/y\nnew file mode 100644\n", "one name"),
    ("half a rename", b"diff --git a/x b/y\nrename from x\n", "both of its names"),
    (
        "a rename to itself",
        b"diff --git a/x b/x\nrename from x\nrename to x\n",
        "`x` is moved to itself",
    ),
    (
        "a header twice",
        b"diff --git a/x b/x\nnew file mode 100644\nnew file mode 100644\n",
        "occurs twice",
    ),
    (
        "new and deleted",
        b"diff --git a/x b/x\nnew file mode 100644\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n",
        "one file at a time",
    ),
    ("from nowhere to nowhere", b"--- /dev/null\n+++ /dev/null\n@@ -0,0 +1 @@\n+a\n", "at a time"),
    ("a new file with a past", b"--- /dev/null\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n", "lines to keep"),
    ("a deleted file with a future", b"--- a/f\n+++ /dev/null\n@@ -1 +1 @@\n-a\n+b\n", "to add"),
    ("a name without an end", b'diff --git "a/x\n', "does not end"),
    ("an escape nobody knows", b'--- "a/\\x41"\n+++ "b/\\x41"\n', "unknown escape"),
    ("an escape beyond a byte", b'--- "a/\\777"\n+++ "b/\\777"\n', "unknown escape"),
    ("an escape cut off", b'--- "a/\\', "there is no patch"),
    ("a name that is no text", b"--- a/\xff\n+++ b/\xff\n@@ -1 +1 @@\n-a\n+b\n", "is not UTF-8"),
    ("NUL in a name", b'--- "a/\\000"\n+++ "b/\\000"\n@@ -1 +1 @@\n-a\n+b\n', "not the name"),
    ("an empty name", b"--- a/\n+++ b/\n@@ -1 +1 @@\n-a\n+b\n", "not the name of a file"),
]


@pytest.mark.parametrize(("why", "text", "said"), BAD, ids=[row[0] for row in BAD])
def test_text_that_is_no_patch_is_an_error_that_says_where(
    why: str, text: bytes, said: str
) -> None:
    error = refused(lambda: parse_patch(text))
    assert error.code == "bad-patch"
    assert said in error.message


UNSUPPORTED = [
    ("git's binary form", b"diff --git a/x b/x\nindex 1..2\nGIT binary patch\nliteral 1\n"),
    ("binary files", b"diff --git a/x b/x\nindex 1..2\nBinary files a/x and b/x differ\n"),
    ("binary files of plain diff", b"diff -r a b\nBinary files a/x and b/x differ\n"),
    ("copies", b"diff --git a/x b/y\nsimilarity index 9%\ncopy from x\ncopy to y\n"),
    ("a new submodule", b"diff --git a/x b/x\nnew file mode 160000\n"),
    ("a deleted symbolic link", b"diff --git a/x b/x\ndeleted file mode 120000\n"),
    ("a changed symbolic link", b"diff --git a/x b/x\nindex 1..2 120000\n"),
    ("a submodule", b"diff --git a/x b/x\nindex 1..2 160000\n"),
    ("a file that becomes a link", b"diff --git a/x b/x\nold mode 100644\nnew mode 120000\n"),
    ("a context diff", b"*** a/x\n--- b/x\n***************\n*** 1 ****\n"),
    ("a merge", b"diff --cc x\n--- a/x\n+++ b/x\n@@@ -1,1 -1,1 +1,1 @@@\n- a\n"),
]


@pytest.mark.parametrize(("what", "text"), UNSUPPORTED, ids=[row[0] for row in UNSUPPORTED])
def test_what_is_more_than_content_is_refused_by_name(what: str, text: bytes) -> None:
    assert refused(lambda: parse_patch(text)).code == "unsupported-patch"


NEW = "diff --git a/x b/x\nnew file mode {}\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n"
MODES = [
    ("chmod +x", "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n", FileMode.EXECUTABLE),
    ("chmod -x", "diff --git a/x b/x\nold mode 100755\nnew mode 100644\n", FileMode.FILE),
    ("a new program", NEW.format("100755"), FileMode.EXECUTABLE),
    ("a new file", NEW.format("100644"), FileMode.FILE),
    ("a new link", NEW.format("120000") + "\\ No newline at end of file\n", FileMode.LINK),
    ("nothing is said", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", None),
]


@pytest.mark.parametrize(("what", "text", "mode"), MODES, ids=[row[0] for row in MODES])
def test_the_mode_of_a_file_is_part_of_a_patch(what: str, text: str, mode: FileMode | None) -> None:
    patch = one(text.encode())
    assert (patch.mode, patch.notes) == (mode, ())
    assert modes_of([patch]) == ({"x": mode} if mode else {})


def test_a_mode_alone_leaves_the_content_and_one_that_git_does_not_know_is_told() -> None:
    patch = one(b"diff --git a/x b/x\nold mode 100644\nnew mode 100755\n")
    assert apply_patch(patch, b"same\n") == b"same\n"
    odd = one(b"diff --git a/x b/x\nold mode 100644\nnew mode 100600\n")
    assert odd.mode is None
    assert "100600" in odd.notes[0]


@pytest.mark.parametrize("text", [b"x" * (MAX_BYTES + 1), b"\n" * (MAX_LINES + 1)])
def test_a_patch_has_a_size(text: bytes) -> None:
    assert refused(lambda: parse_patch(text)).code == "too-large"


def test_half_of_a_character_is_no_text() -> None:
    assert refused(lambda: parse_patch("--- a\ud800")).code == "bad-patch"


# --- applying unified diffs


SWAP = "@@ -12,3 +12,3 @@\n l\n-m\n+M\n n\n"


def test_a_hunk_goes_where_its_header_says() -> None:
    after = apply_patch(one(diff(SWAP)), LETTERS)
    assert after == LETTERS.replace(b"m\n", b"M\n")


@pytest.mark.parametrize("shift", [1, 7, 5000])
def test_a_hunk_is_found_above_or_below_its_line(shift: int) -> None:
    above, below = b"new\n" * shift + LETTERS, LETTERS[4:]
    assert apply_patch(one(diff(SWAP)), above) == above.replace(b"m\n", b"M\n")
    assert apply_patch(one(diff(SWAP)), below) == below.replace(b"m\n", b"M\n")


def test_an_offset_is_kept_for_the_hunks_below() -> None:
    # Both blocks come twice; only the distance to the first hunk tells the second place.
    block = b"x\ny\nz\n"
    before = b"pad\n" * 10 + LETTERS + block + b"-\n" * 5 + block
    patch = diff(SWAP, "@@ -27,3 +27,3 @@\n x\n-y\n+Y\n z\n")
    after = apply_patch(one(patch), before)
    assert after is not None
    assert after.index(b"Y") < after.index(b"-\n")


def test_the_nearest_place_wins_and_a_tie_is_refused() -> None:
    block, pad = b"l\nm\nn\n", b"-\n"
    near = pad * 8 + block + pad * 10 + block
    after = apply_patch(one(diff(SWAP)), near)
    assert after == pad * 8 + b"l\nM\nn\n" + pad * 10 + block
    tie = pad * 9 + block + pad + block
    error = refused(lambda: apply_patch(one(diff(SWAP)), tie))
    assert error.code == "patch-does-not-fit"
    assert "more than one place, at lines 10 and 14" in error.because


def test_a_hunk_from_the_edge_moves_only_where_it_is_alone() -> None:
    top = diff("@@ -1,3 +1,4 @@\n+new\n a\n b\n c\n")
    assert apply_patch(one(top), b"above\n" + LETTERS) == b"above\nnew\n" + LETTERS
    error = refused(lambda: apply_patch(one(top), b"above\n" + LETTERS + LETTERS))
    assert "more than one place" in error.because


def test_lines_without_context_go_only_where_they_are_told() -> None:
    patch = one(diff("@@ -2,0 +3 @@\n+new\n"))
    assert apply_patch(patch, b"a\nb\nc\n") == b"a\nb\nnew\nc\n"
    error = refused(lambda: apply_patch(patch, b"a\n"))
    assert error.because == "the file ends at line 1, above line 2"


UNFIT = [
    (
        "another line",
        LETTERS.replace(b"m\n", b"other\n"),
        "line 13 is `other` and the patch has `m`",
    ),
    (
        "blanks are no fuzz",
        LETTERS.replace(b"m\n", b"m \n"),
        "line 13 is `m ` and the patch has `m`",
    ),
    ("an early end", LETTERS[:24], "the file ends at line 12, before `m`"),
    ("an empty file", b"", "the file ends at line 0, before `l`"),
    (
        "CRLF in the file",
        LETTERS.replace(b"\n", b"\r\n"),
        "line 12 ends in CRLF and the patch has LF",
    ),
    ("no last line end", LETTERS[:27], "line 14 has a line end only in the patch"),
    ("what acts in a terminal", LETTERS.replace(b"m\n", b"\x1b[2J\n"), "line 13 is `\\x1b[2J`"),
    ("a long line", LETTERS.replace(b"m\n", b"y" * 999 + b"\n"), "y" * 80 + "...`"),
]


@pytest.mark.parametrize(("why", "before", "because"), UNFIT, ids=[row[0] for row in UNFIT])
def test_the_error_names_file_hunk_and_first_line_that_does_not_fit(
    why: str, before: bytes, because: str
) -> None:
    error = refused(lambda: apply_patch(one(diff(SWAP)), before))
    assert error.code == "patch-does-not-fit"
    assert error.message == "hunk 1 of the patch does not apply to `f`"
    assert because in error.because


def test_a_hunk_may_not_use_lines_of_another() -> None:
    patch = one(diff("@@ -1,2 +1 @@\n-x\n y\n@@ -3,2 +2 @@\n y\n-z\n"))
    error = refused(lambda: apply_patch(patch, b"x\ny\nz\n"))
    assert "hunk 2" in error.message
    moved = one(diff("@@ -5,2 +5 @@\n-x\n y\n@@ -7,2 +6 @@\n y\n-z\n"))
    assert "hunk 2" in refused(lambda: apply_patch(moved, b"x\ny\nz\n")).message


def test_a_line_without_an_end_stays_the_last() -> None:
    ends = "\\ No newline at end of file\n"
    patch = one(diff(f"@@ -1,2 +1,2 @@\n a\n-b\n{ends}+c\n{ends}"))
    assert apply_patch(patch, b"a\nb") == b"a\nc"
    assert "only in the file" in refused(lambda: apply_patch(patch, b"a\nb\n")).because
    glue = one(diff(f"@@ -1 +1 @@\n-a\n+c\n{ends}"))
    assert apply_patch(glue, b"a\n") == b"c"
    assert "no line end" in refused(lambda: apply_patch(glue, b"a\nb\n")).because


def test_patch_text_in_crlf_keeps_an_lf_file() -> None:
    patch = one(diff(SWAP).replace(b"\n", b"\r\n"))
    assert "CRLF" in patch.notes[0]
    assert apply_patch(patch, LETTERS) == LETTERS.replace(b"m\n", b"M\n")
    crlf = LETTERS.replace(b"\n", b"\r\n")
    assert apply_patch(patch, crlf) == crlf.replace(b"m\r", b"M\r")
    ends = one(b"--- a/f\r\n+++ b/f\r\n@@ -1 +1 @@\r\n-a\r\n+b\r\n\\ No newline at end of file")
    assert apply_patch(ends, b"a\n") == b"b"


def test_a_diff_of_a_crlf_file_applies_to_it_alone() -> None:
    patch = one(diff("@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n"))
    assert apply_patch(patch, b"a\r\nb\r\n") == b"a\r\nc\r\n"
    error = refused(lambda: apply_patch(patch, b"a\nb\n"))
    assert error.because == "line 1 ends in LF and the patch has CRLF"


def test_mail_may_have_taken_the_blank_of_an_empty_line() -> None:
    assert apply_patch(one(diff("@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n")), b"a\n\nb\n") == b"a\n\nc\n"


EXISTENCE = [
    (
        "creating what is there",
        b"--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n",
        b"",
        "already-exists",
    ),
    ("changing what is not", diff("@@ -1 +1 @@\n-a\n+b\n"), None, "not-found"),
    ("filling what is not", diff("@@ -0,0 +1 @@\n+a\n"), None, "not-found"),
    ("deleting what is not", b"--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", None, "not-found"),
    (
        "deleting more than is known",
        b"--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n",
        b"a\nb\n",
        "patch-does-not-fit",
    ),
    (
        "deleting an empty file that is not empty",
        b"diff --git a/f b/f\ndeleted file mode 100644\n",
        b"a\n",
        "patch-does-not-fit",
    ),
    (
        "updating what is not",
        b"*** Begin Patch\n*** Update File: f\n@@\n-a\n*** End Patch",
        None,
        "not-found",
    ),
    (
        "removing what is not",
        b"*** Begin Patch\n*** Delete File: f\n*** End Patch",
        None,
        "not-found",
    ),
]


@pytest.mark.parametrize(
    ("why", "text", "before", "code"), EXISTENCE, ids=[row[0] for row in EXISTENCE]
)
def test_a_patch_knows_whether_its_file_should_be_there(
    why: str, text: bytes, before: bytes | None, code: str
) -> None:
    assert refused(lambda: apply_patch(one(text), before)).code == code


def test_created_and_deleted_files_come_and_go() -> None:
    assert apply_patch(one(b"--- /dev/null\n+++ b/f\n@@ -0,0 +1,2 @@\n+a\n+b\n"), None) == b"a\nb\n"
    assert apply_patch(one(b"--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"), b"a\n") is None
    assert apply_patch(one(b"diff --git a/e b/e\nnew file mode 100644\n"), None) == b""


def test_all_files_of_a_patch_are_applied_in_order() -> None:
    text = (
        b"diff --git a/x b/y\nrename from x\nrename to y\n--- a/x\n+++ b/y\n@@ -1 +1 @@\n-1\n+2\n"
        b"diff --git a/y b/y\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-2\n+3\n"
    )
    assert apply_all(parse_patch(text), {"x": b"1\n"}.get) == {"x": None, "y": b"3\n"}
    error = refused(lambda: apply_all(parse_patch(text), {"x": b"1\n", "y": b"0\n"}.get))
    assert (error.code, "`y`" in error.message) == ("already-exists", True)


def test_a_patch_that_could_go_anywhere_ends() -> None:
    size = 4000
    patch = one(diff(f"@@ -9,{size} +9,{size - 1} @@\n", " a\n" * (size - 1), "-a\n"))
    before = (b"a\n" * (size - 1) + b"b\n") * 10
    assert size * size * 10 > MAX_COMPARED
    assert "too many places" in refused(lambda: apply_patch(patch, before)).message


# --- `*** Begin Patch`


def envelope(body: str) -> str:
    return f"*** Begin Patch\n{body}*** End Patch\n"


def updated(body: str, before: bytes) -> bytes | None:
    return apply_patch(one(envelope(f"*** Update File: f\n{body}")), before)


APPLIED = [
    ("one line", "@@\n-one\n+two\n", b"one\n", b"two\n"),
    ("without @@ at first", " one\n-two\n+2\n", b"one\ntwo\n", b"one\n2\n"),
    ("two hunks", "@@\n a\n-b\n+B\n@@\n c\n-d\n+D\n", b"a\nb\nc\nd\n", b"a\nB\nc\nD\n"),
    ("an anchor", "@@ g:\n-  1\n+  2\n", b"f:\n  1\ng:\n  1\n", b"f:\n  1\ng:\n  2\n"),
    (
        "anchors inside anchors",
        "@@ B:\n@@ f:\n-1\n+2\n",
        b"A:\nf:\n1\nB:\nf:\n1\n",
        b"A:\nf:\n1\nB:\nf:\n2\n",
    ),
    ("the first place counts", "@@\n-a\n+b\n", b"a\nx\na\n", b"b\nx\na\n"),
    ("the end of the file", "@@\n-a\n+b\n*** End of File\n", b"a\nx\na\n", b"a\nx\nb\n"),
    ("only additions go to the end", "@@\n+b\n+c\n", b"a\n", b"a\nb\nc\n"),
    ("but above an empty last line", "@@\n+b\n", b"a\n\n", b"a\nb\n\n"),
    ("additions to nothing", "@@\n+b\n", b"", b"b\n"),
    ("a missing last line end is given", "@@\n-a\n+b\n", b"x\na", b"x\nb\n"),
    ("everywhere", "@@\n-x\n+y\n", b"x\na", b"y\na\n"),
    ("CRLF files stay so", "@@\n a\n-b\n+c\n", b"a\r\nb\r\n", b"a\r\nc\r\n"),
    ("CRLF patches too", "@@\r\n a\r\n-b\r\n+c\r\n", b"a\nb\n", b"a\nc\n"),
    ("an empty line is one", "@@\n a\n\n-b\n+c\n", b"a\n\nb\n", b"a\n\nc\n"),
    ("a blank line between hunks is nobody's", "@@\n-a\n+b\n\n@@\n-c\n+d\n", b"a\nc\n", b"b\nd\n"),
    ("a blank line below the last too", "@@\n-a\n+b\n\n", b"a\n", b"b\n"),
    (
        "blank lines before a hunk are nobody's",
        "@@\n-a\n+b\n*** End of File\n\n \n@@\n+c\n",
        b"a\n",
        b"b\nc\n",
    ),
    ("all lines can go", "@@\n-a\n", b"a\n", b""),
    (
        "content that looks like a header",
        "@@\n-*** Add File: x\n+*** Delete File: y\n",
        b"*** Add File: x\n",
        b"*** Delete File: y\n",
    ),
]


@pytest.mark.parametrize(
    ("why", "body", "before", "after"), APPLIED, ids=[row[0] for row in APPLIED]
)
def test_an_envelope_changes_the_lines_it_names(
    why: str, body: str, before: bytes, after: bytes
) -> None:
    assert updated(body, before) == after


def test_an_envelope_adds_updates_moves_and_deletes() -> None:
    text = envelope(
        "*** Add File: a.txt\n+hello\n+\n"
        "*** Update File: e.txt\n*** Move to: new/e.txt\n@@\n-one\n+two\n"
        "*** Delete File: d.txt\n"
        "*** Update File: only.txt\n*** Move to: moved.txt\n"
    )
    patches = parse_patch(text)
    assert [(p.action, p.path, p.moved_to) for p in patches] == [
        (Action.CREATE, "a.txt", None),
        (Action.WRITE, "e.txt", "new/e.txt"),
        (Action.DELETE, "d.txt", None),
        (Action.WRITE, "only.txt", "moved.txt"),
    ]
    files = {"e.txt": b"one\n", "d.txt": b"x", "new/e.txt": b"old\n", "only.txt": b"o"}
    assert apply_all(patches, files.get) == {
        "a.txt": b"hello\n\n",
        "e.txt": None,
        "new/e.txt": b"two\n",
        "d.txt": None,
        "only.txt": None,
        "moved.txt": b"o",
    }


def test_add_file_is_the_whole_content_whatever_was_there() -> None:
    patch = one(envelope("*** Add File: f\n+new\n"))
    assert apply_patch(patch, b"old\n" * 99) == b"new\n"
    assert apply_patch(one(envelope("*** Add File: f\n")), None) == b""


@pytest.mark.parametrize(
    "text",
    [
        "\n\n  *** Begin Patch  \n  *** Delete File: f \n*** End Patch",
        "<<'EOF'\n*** Begin Patch\n*** Delete File: f\n*** End Patch\nEOF\n",
        '<<"EOF"\n*** Begin Patch\n*** Delete File: f\n*** End Patch\nEOF',
        "*** Begin Patch\n\n*** Delete File: f\n\n*** End Patch\n\n",
        "*** Begin Patch\r\n*** Delete File: f\r\n*** End Patch\r\n",
        "*** Begin Patch\n*** Delete File: f\u00a0\u2003\n*** End Patch",
    ],
)
def test_marks_may_be_padded_as_models_pad_them(text: str) -> None:
    assert (one(text).action, one(text).path) == (Action.DELETE, "f")


BAD_ENVELOPES = [
    ("no end", "*** Begin Patch\n*** Delete File: f\n", "must begin with"),
    ("only a beginning", "*** Begin Patch", "must begin with"),
    ("only a heredoc", "<<EOF\nx\ny\nEOF", "must begin with"),
    ("nothing inside", envelope(""), "there is no patch"),
    ("an unknown header", envelope("*** Rename File: f\n"), "line 2 of the patch: `*** Rename"),
    ("words", envelope("hello\n"), "is not the header of a file"),
    ("words after a new file", envelope("*** Add File: f\n+a\nb\n"), "line 4 of the patch"),
    ("an update of nothing", envelope("*** Update File: f\n"), "`f` has no hunks"),
    ("a hunk of nothing", envelope("*** Update File: f\n@@\n"), "hunk 1 has no lines"),
    ("an end of nothing", envelope("*** Update File: f\n@@\n*** End of File\n"), "no lines"),
    ("a line without a mark", envelope("*** Update File: f\n@@\n-a\nb\n"), "neither blank"),
    (
        "a hunk without a mark",
        envelope("*** Update File: f\n@@\n-a\n*** End of File\n-b\n"),
        "`@@`",
    ),
    ("a glued mark", envelope("*** Update File: f\n@@x\n-b\n"), "hunk 1 has no lines"),
    ("no name", envelope("*** Delete File: \n"), "is not the header"),
    ("blanks for a name", envelope("*** Add File:  \n"), "is not the header"),
    ("a name that acts", envelope("*** Delete File: a\x1b[2Jb\n"), "not the name of a file"),
    ("a move to itself", envelope("*** Update File: f\n*** Move to: f\n@@\n-a\n"), "to itself"),
    (
        "a header that could be content",
        envelope("*** Update File: f\n@@\n-a\n *** Delete File: .env\n"),
        "line 5 of the patch: ` *** Delete File: .env` could be a header",
    ),
    (
        "an end that could be content",
        envelope("*** Update File: f\n@@\n-a\n *** End Patch\n"),
        "could be",
    ),
]


@pytest.mark.parametrize(
    ("why", "text", "said"), BAD_ENVELOPES, ids=[row[0] for row in BAD_ENVELOPES]
)
def test_an_envelope_that_cannot_be_read_says_where(why: str, text: str, said: str) -> None:
    error = refused(lambda: parse_patch(text))
    assert error.code == "bad-patch"
    assert said in error.message


UNFIT_ENVELOPES = [
    ("another line", "@@\n a\n-x\n+y\n", b"a\nb\n", "line 2 is `b` and the patch has `x`"),
    ("blanks are no fuzz", "@@\n-b\n+y\n", b" b\n", "line 1 is ` b` and the patch has `b`"),
    ("dashes are no fuzz", "@@\n-a - b\n+y\n", "a \u2013 b\n".encode(), "line 1 is"),
    ("a missing anchor", "@@ def g\n-b\n+y\n", b"a\nb\n", "no line below line 0 is `def g`"),
    ("not at the end", "@@\n-a\n+b\n*** End of File\n", b"a\nx\n", "line 2 is `x`"),
    ("not below the last hunk", "@@\n-b\n+B\n@@\n-a\n+A\n", b"a\nb\n", "the file ends at line 2"),
    ("longer than the file", "@@\n-a\n-b\n-c\n", b"a\nb\n", "the file ends at line 2, before `c`"),
    ("an addition inside a removal", "@@\n+new\n@@\n-a\n-\n", b"a\n\n", "it overlaps another hunk"),
]


@pytest.mark.parametrize(
    ("why", "body", "before", "because"), UNFIT_ENVELOPES, ids=[row[0] for row in UNFIT_ENVELOPES]
)
def test_an_envelope_that_does_not_fit_names_hunk_and_line(
    why: str, body: str, before: bytes, because: str
) -> None:
    error = refused(lambda: updated(body, before))
    assert error.code == "patch-does-not-fit"
    assert "of the patch does not apply to `f`" in error.message
    assert because in error.because


# --- real git, real diff, real patch


CONTENTS = st.builds(
    lambda lines, end: b"".join(lines) + end,
    st.lists(
        st.sampled_from(
            [b"a\n", b"b\n", b"\n", b"-- x\n", b"++ y\n", b"@@ -1 +1 @@\n", b"c\r\n", b"\\ No\n"]
        ),
        max_size=12,
    ),
    st.sampled_from([b"", b"end", b"\r"]),
)
NAMES = [
    "f",
    "dir/g",
    "sp ace",
    "\u00fc.txt",
    'q"uote',
    "back\\slash",
    "a/b",
    "b/x",
    "x b/x",
    " l ",
]
OPTIONS = [
    [],
    ["-M"],
    ["--no-renames"],
    ["--no-prefix"],
    ["-U0"],
    ["--src-prefix=i/", "--dst-prefix=w/"],
    ["-M", "-U8"],
]


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("repository")
    git(folder, "init", "-q")
    return folder


def git(folder: Path, *arguments: str, stdin: bytes = b"") -> bytes:
    command = ["git", "-c", "core.autocrlf=false", *arguments]
    return subprocess.run(command, cwd=folder, input=stdin, capture_output=True, check=True).stdout


def tree(folder: Path, files: dict[str, bytes]) -> str:
    """Write a tree of files to the repository, without a working copy."""
    rows = b""
    for name, content in files.items():
        blob = git(folder, "hash-object", "-w", "--no-filters", "--stdin", stdin=content).strip()
        rows += b"100644 " + blob + b"\t" + name.encode() + b"\0"
    git(folder, "read-tree", "--empty")
    git(folder, "update-index", "-z", "--index-info", stdin=rows)
    return git(folder, "write-tree").decode().strip()


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    before=st.dictionaries(st.sampled_from(NAMES), CONTENTS, max_size=3),
    after=st.dictionaries(st.sampled_from(NAMES), CONTENTS, max_size=3),
    moved=st.booleans(),
    options=st.sampled_from(OPTIONS),
)
def test_whatever_git_writes_is_read_and_gives_the_same_files(
    repository: Path,
    before: dict[str, bytes],
    after: dict[str, bytes],
    moved: bool,
    options: list[str],
) -> None:
    if moved and before:
        name = min(before)
        after = {**after, "moved/" + name: before[name] + b"more\n"}
    if before == after:
        return
    text = git(repository, "diff", *options, tree(repository, before), tree(repository, after))
    files: dict[str, bytes | None] = {**before, **apply_all(parse_patch(text), before.get)}
    assert {name: content for name, content in files.items() if content is not None} == after


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    base=st.lists(st.integers(0, 30), min_size=3, max_size=25),
    places=st.lists(st.integers(0, 24), min_size=1, max_size=3),
    drift=st.lists(st.integers(0, 24), max_size=2),
)
def test_where_git_apply_and_we_both_find_a_place_it_is_the_same(
    tmp_path: Path, base: list[int], places: list[int], drift: list[int]
) -> None:
    def edited(at: list[int], word: bytes) -> bytes:
        lines = [b"%d\n" % number for number in base]
        for place in sorted(at, reverse=True):
            lines.insert(min(place, len(lines)), word)
        return b"".join(lines)

    old, new, now = edited([], b""), edited(places, b"new\n"), edited(drift, b"drift\n")
    (tmp_path / "old").write_bytes(old)
    (tmp_path / "new").write_bytes(new)
    labels = ["--label", "a/f", "--label", "b/f"]
    made = subprocess.run(
        ["diff", "-u", *labels, "old", "new"], cwd=tmp_path, capture_output=True, check=False
    )
    (tmp_path / "f").write_bytes(now)
    applied = subprocess.run(
        ["git", "apply", "-"], cwd=tmp_path, input=made.stdout, capture_output=True, check=False
    )
    theirs = (tmp_path / "f").read_bytes() if applied.returncode == 0 else None
    try:
        ours = apply_patch(one(made.stdout), now)
    except InputError:
        return
    # Git gives up a hunk from the edge of the file that is no longer there; we may find it.
    assert theirs in (None, ours)


@settings(max_examples=150, deadline=None)
@given(
    before=CONTENTS | st.none(),
    after=CONTENTS | st.none(),
    name=st.sampled_from(NAMES),
    old_name=st.sampled_from(NAMES),
    headers=st.booleans(),
)
def test_the_diffs_we_write_are_read_back(
    before: bytes | None, after: bytes | None, name: str, old_name: str, headers: bool
) -> None:
    stays = before is None or after is None or not headers
    old_name = name if stays else old_name
    text = unified(before, after, path=name, old_path=old_name, git_header=headers)
    if not text:
        assert before == after
        return
    patch = one(text)
    assert patch.path == old_name
    assert patch.moved_to == (None if name == old_name else name)
    assert apply_patch(patch, before) == after


def test_the_programs_that_judge_us_are_real() -> None:
    assert shutil.which("git")
    assert shutil.which("diff")

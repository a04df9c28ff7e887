"""No text leaves the workspace, and every spelling of a protected name is heard."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.errors import InputError
from penstock.core.paths import spellings as spelling
from penstock.core.paths.aliases import MOST_ALIASES
from penstock.core.paths.glob_index import compile_globs
from penstock.core.paths.globs import lookup, matches
from penstock.core.paths.relpath import RelPath, fold, locate, parse
from penstock.core.paths.spellings import aliases, normal, renamed

ROOT = "/home/ada/project"


def code_of(text: str | bytes, **how: object) -> str:
    """Return the path that a text means, or the code of the error."""
    try:
        return str(parse(text, root=ROOT, **how))  # type: ignore[arg-type]
    except InputError as error:
        return error.code


CODES = ("bad-path", "path-too-long", "path-escape", "absolute-path")

# --- text to path --------------------------------------------------------------------------

ACCEPTED = [
    ("src/app.py", "src/app.py", "as it is"),
    ("./docs/new.md", "docs/new.md", "S2-029"),
    ("a/../b", "b", "normal form"),
    ("a/../.git/config", ".git/config", "S2-031"),
    (".//.env", ".env", "S2-031"),
    ("././.env", ".env", "S2-031"),
    ("a//b///c", "a/b/c", "empty segments"),
    ("src/", "src", "a last slash"),
    ("a/b/../../c", "c", "up and down"),
    ("../project/x", "x", "out and in again is in"),
    (f"{ROOT}/src/file.ts", "src/file.ts", "S2-027, S2-028"),
    (f"{ROOT}//.env", ".env", "S2-031"),
    (f"/{ROOT}/x", "x", "two slashes at the front are one"),
    ("/home/ada/./project/x", "x", "an absolute path in another spelling"),
    (f"{ROOT}/a/../b", "b", "an absolute path with dots"),
    ("...", "...", "three dots are a name"),
    ("..a/b..", "..a/b..", "names with dots"),
    ("~/x", "~/x", "a tilde is a name until a door expands it"),
    ("a b/ç/日本", "a b/ç/日本", "any text"),
    (".git\\config", ".git\\config", "a backslash is a character here"),
    ("src/caf\u00e9".encode(), "src/caf\u00e9", "bytes in UTF-8"),
    ("a/" + "n" * 255, "a/" + "n" * 255, "the longest name"),
]


@pytest.mark.parametrize(("text", "expected", "why"), ACCEPTED)
def test_a_text_becomes_the_one_normal_spelling(text: str | bytes, expected: str, why: str) -> None:
    assert code_of(text) == expected, why


REFUSED: list[tuple[str | bytes, str, str]] = [
    ("a\x00b", "bad-path", "the kernel would stop at the NUL"),
    ("../\x00", "bad-path", "control characters come before everything else"),
    (b"\xff\x00", "bad-path", "also before what cannot be decoded"),
    ("\x00" * 5000, "bad-path", "also before what is too long"),
    ("a\nb", "bad-path", "a line feed breaks records and messages"),
    ("a\tb", "bad-path", "control"),
    ("a\x1b[31m", "bad-path", "an escape sequence"),
    ("a\x7f", "bad-path", "delete"),
    ("a\x9bm", "bad-path", "a C1 control is an escape too"),
    (b"a\xc2\x9b", "bad-path", "the same in bytes"),
    ("a\udcff", "bad-path", "a lone surrogate is no text"),
    ("\ud800" + "x" * 5000, "bad-path", "undecodable comes before too long"),
    (b"a\xff", "bad-path", "bytes that are no UTF-8"),
    (b"\xc0\xaf..", "bad-path", "an over-long encoding of a slash"),
    ("n" * 256, "path-too-long", "one name of 256 bytes"),
    ("é" * 128, "path-too-long", "bytes count, not characters"),
    ("../" + "n" * 256, "path-too-long", "too long comes before leaving"),
    ("ab/" * 1366, "path-too-long", "4098 bytes"),
    ("", "bad-path", "nothing"),
    (b"", "bad-path", "nothing"),
    (".", "bad-path", "the workspace itself"),
    ("a/..", "bad-path", "the workspace itself"),
    (ROOT, "bad-path", "the workspace itself"),
    (f"{ROOT}/", "bad-path", "the workspace itself"),
    ("..", "path-escape", "its parent"),
    ("../x", "path-escape", "beside it"),
    ("a/../../x", "path-escape", "beside it"),
    ("../project-2/x", "path-escape", "a directory with a name that begins alike"),
    ("../" * 50 + "etc/passwd", "path-escape", "the top"),
    (f"{ROOT}/../x", "path-escape", "absolute at first, then up"),
    ("/etc/passwd", "absolute-path", "elsewhere"),
    (f"{ROOT}-2/x", "absolute-path", "a directory with a name that begins alike"),
    ("/", "absolute-path", "the top"),
    ("//etc/passwd", "absolute-path", "elsewhere"),
]


@pytest.mark.parametrize(("text", "code", "why"), REFUSED)
def test_what_names_no_file_inside_is_refused_with_a_code(
    text: str | bytes, code: str, why: str
) -> None:
    assert code_of(text) == code, why


def test_a_refusal_says_what_why_and_what_to_do_and_hides_nothing() -> None:
    with pytest.raises(InputError) as caught:
        parse("a\u202e\x00b", root=ROOT)
    assert str(caught.value).splitlines() == [
        "error[bad-path]: `a⟦U+202E RLO⟧⟦U+0000 NUL⟧b` is not a path to a file",
        "  because: it has a control character (U+0000)",
        "  try: name the file without control characters",
    ]
    with pytest.raises(InputError) as caught:
        parse("../x", root=ROOT)
    assert caught.value.because == "it leads to `/home/ada/x`"
    with pytest.raises(InputError, match="byte FF"):
        parse(b"a\xff", root=ROOT)
    for text in ("n" * 99_999, "\x01" * 99_999):
        with pytest.raises(InputError) as caught:
            parse(text, root=ROOT)
        assert len(str(caught.value)) < 1000


def test_a_door_may_refuse_every_absolute_path() -> None:
    assert code_of(f"{ROOT}/src/x", absolute_allowed=False) == "absolute-path"
    assert code_of("src/x", absolute_allowed=False) == "src/x"
    assert code_of("/\x00", absolute_allowed=False) == "bad-path"


def test_a_relative_text_hangs_from_its_base() -> None:
    assert code_of("x", base=f"{ROOT}/src") == "src/x"
    assert code_of("../x", base=f"{ROOT}/src") == "x"
    assert code_of("x", base="src/lib") == "src/lib/x"
    assert code_of("x", base="/tmp") == "path-escape"
    assert code_of("project/x", base="/home/ada/") == "x"
    assert code_of(f"{ROOT}/x", base="/tmp") == "x"


def test_the_top_of_the_disk_can_be_a_workspace() -> None:
    assert str(parse("/etc/passwd", root="/")) == "etc/passwd"
    assert str(parse("../../x", root="/")) == "x"
    assert locate("/etc/x", root="/").judged == ("etc/x",)


def test_a_relpath_knows_its_parts() -> None:
    path = parse("src/app.py", root=ROOT)
    assert (path.text, path.parts, path.name, str(path)) == (
        "src/app.py",
        ("src", "app.py"),
        "app.py",
        "src/app.py",
    )
    assert path == parse("./src//app.py", root=ROOT)
    assert len({path, parse("src/app.py", root=ROOT)}) == 1


@pytest.mark.parametrize(
    "text", ["", ".", "..", "../x", "/x", "a/../b", "a//b", "a/", "./a", "a\x00", "\udc80"]
)
def test_no_relpath_can_be_made_that_parse_would_not_make(text: str) -> None:
    with pytest.raises(InputError):
        RelPath(text=text)


segments = st.one_of(
    st.sampled_from(["..", ".", "", "a", "b", "project", "home", "ada", "..."]),
    st.text(alphabet=st.characters(codec="utf-8", exclude_characters="/"), max_size=4),
)
texts = st.lists(segments, max_size=10).map("/".join)


@settings(max_examples=800, deadline=None)
@given(text=texts, absolute=st.booleans())
def test_no_path_text_escapes_the_root(text: str, absolute: bool) -> None:
    text = f"{ROOT}/{text}" if absolute else text
    real = os.path.normpath("/" + os.path.join(ROOT, text).lstrip("/"))
    inside = os.path.commonpath([ROOT, real]) == ROOT and real != ROOT
    path = code_of(text)
    if path in CODES:
        assert not inside or not text.isprintable()
        return
    assert inside
    assert f"{ROOT}/{path}" == real
    assert code_of(path) == path
    assert code_of(real) == path


@settings(max_examples=500, deadline=None)
@given(text=st.one_of(st.text(max_size=40), st.binary(max_size=40)), folds=st.booleans())
def test_hostile_text_raises_nothing_but_an_input_error(text: str | bytes, folds: bool) -> None:
    accepted = code_of(text) not in ("bad-path", "path-too-long")
    try:
        assert locate(text, root=ROOT, folds=folds).judged
    except InputError:
        assert not accepted


# --- every spelling ------------------------------------------------------------------------


def test_an_ordinary_path_has_one_spelling() -> None:
    target = locate("src/app.py", root=ROOT)
    assert (target.shown, target.judged, target.tightening) == ("src/app.py", ("src/app.py",), ())
    assert not target.outside


def test_a_path_is_heard_as_given_and_normalised() -> None:
    target = locate("a/../.git/config", root=ROOT)
    assert target.judged == (".git/config",)
    assert "a/../.git/config" in target.tightening
    target = locate(f"{ROOT}/.git/../src/x", root=ROOT)
    assert target.judged == ("src/x",)
    assert ".git/../src/x" in target.tightening


def test_a_base_below_the_root_is_part_of_every_spelling() -> None:
    # Otherwise `.env` in sub/ would meet `.env*`, which speaks of the top directory only.
    target = locate(".env", root=ROOT, base=f"{ROOT}/sub")
    assert (target.judged, target.tightening) == (("sub/.env",), ())


@pytest.mark.parametrize("text", ["/home/ada/./project/x", f"/{ROOT}/x", f"{ROOT}//x", "./x"])
def test_another_spelling_of_a_path_inside_is_not_outside(text: str) -> None:
    target = locate(text, root=ROOT)
    assert (target.judged, target.outside) == (("x",), False)


def test_the_workspace_itself_can_be_named_because_commands_name_it() -> None:
    assert locate(".", root=ROOT).judged == (".",)
    assert locate("..", root=ROOT).outside


def test_a_path_outside_is_absolute_and_met_by_deep_patterns_only() -> None:
    target = locate("../../etc/id_rsa", root=ROOT)
    assert (target.judged, target.outside) == (("/home/etc/id_rsa",), True)
    assert target.shown == "/home/etc/id_rsa"
    assert matches("**/id_rsa", target.judged[0])
    assert not matches("home/**", target.judged[0])


def test_only_what_names_no_file_is_refused() -> None:
    for text in ("", "a\x00", "a\n", "\udc80", b"\xff", "n" * 256):
        with pytest.raises(InputError):
            locate(text, root=ROOT)
    for text in (".", "..", "/", "/etc", "../x", "~", "a\\b"):
        assert locate(text, root=ROOT).judged


# --- links ---------------------------------------------------------------------------------


@pytest.fixture
def linked(tmp_path: Path) -> Path:
    """Return a workspace with links that lead within it, and out of it."""
    root = tmp_path / "real"
    (root / ".git").mkdir(parents=True)
    (root / "src").mkdir()
    (tmp_path / "other").mkdir()
    (root / "inner").symlink_to(".git")
    (root / "out").symlink_to(tmp_path / "other")
    (tmp_path / "in").symlink_to(root / ".git")
    (tmp_path / "alias").symlink_to(root)
    (tmp_path / "other" / "deep").symlink_to(root / ".git")
    return root


def located(text: str, root: Path) -> tuple[tuple[str, ...], tuple[str, ...], bool]:
    target = locate(text, root=str(root), resolve=os.path.realpath)
    return target.judged, target.tightening, target.outside


def test_a_link_inside_is_judged_by_both_names(linked: Path) -> None:
    judged, _, outside = located("inner/config", linked)
    assert (judged, outside) == (("inner/config", ".git/config"), False)


def test_the_kernels_way_through_a_link_and_up_is_judged_too(linked: Path) -> None:
    # A program that tidies first writes src/config; the kernel is in .git after `inner`.
    (linked / "src" / "git").symlink_to("../.git/hooks")
    (linked / ".git" / "hooks").mkdir()
    judged, tightening, _ = located("src/git/../config", linked)
    assert judged == ("src/config", ".git/config")
    assert "src/git/../config" in tightening


def test_a_link_that_leads_out_is_judged_inside_and_tightened_outside(linked: Path) -> None:
    judged, tightening, outside = located("out/x", linked)
    assert (judged, outside) == (("out/x",), True)
    assert str(linked.parent / "other" / "x") in tightening


def test_a_link_from_outside_that_leads_in_is_judged_where_it_lands(linked: Path) -> None:
    judged, tightening, outside = located(f"{linked.parent}/in/config", linked)
    assert (judged, outside) == ((".git/config",), True)
    assert f"{linked.parent}/in/config" in tightening


def test_a_workspace_opened_through_a_link_is_one_workspace(linked: Path) -> None:
    alias = linked.parent / "alias"
    for text in ("src/x", f"{alias}/src/x", f"{linked}/src/x"):
        assert located(text, alias) == (("src/x",), (), False), text


def test_what_does_not_exist_is_judged_by_name(linked: Path) -> None:
    assert located("new/dir/file.py", linked) == (("new/dir/file.py",), (), False)


@settings(max_examples=200, deadline=None)
@given(parts=st.lists(st.sampled_from(["inner", "out", "src", "..", "x", "deep", "."]), max_size=7))
def test_the_place_that_the_kernel_reaches_is_always_judged(
    tmp_path_factory: pytest.TempPathFactory, parts: list[str]
) -> None:
    root = _shared(tmp_path_factory)
    text = "/".join([*parts, "file"])
    judged, tightening, outside = located(text, root)
    reached = os.path.realpath(f"{root}/{text}")
    if os.path.commonpath([root, reached]) == str(root):
        assert os.path.relpath(reached, root) == judged[-1]
    else:
        assert outside
        assert reached in (*judged, *tightening)


_made: list[Path] = []


def _shared(factory: pytest.TempPathFactory) -> Path:
    """Hypothesis runs one test many times; the workspace is made once."""
    if not _made:
        make: Callable[[Path], Path] = linked.__wrapped__  # type: ignore[attr-defined]
        _made.append(make(factory.mktemp("linked")).resolve())
    return _made[0]


# --- names that are taken for others -------------------------------------------------------

PROTECTED = compile_globs(
    [
        (pattern, at)
        for at, pattern in enumerate(
            ["**/.git/**", "**/.git", "**/.env*", "**/*.pem", "**/.gitmodules", "penstock.toml"]
        )
    ]
)

ALIKE = [
    (".GIT/config", ".git/config", "git takes any case for .git"),
    (".Git", ".git", "git takes any case for .git"),
    ("GIT~1/config", ".git/config", "the short name on Windows"),
    ("git~2/hooks/x", ".git/hooks/x", "the second short name"),
    ("sub/GIT~1/config", "sub/.git/config", "at any depth"),
    (".git./config", ".git/config", "Windows drops dots at the end"),
    (".git /config", ".git/config", "Windows drops spaces at the end"),
    (".git . . ./config", ".git/config", "and any row of them"),
    (".git::$INDEX_ALLOCATION/config", ".git/config", "the directory's own stream"),
    (".git::$DATA", ".git", "the file's own stream"),
    (".env:stream", ".env", "another stream of the file"),
    (".env ", ".env", "a space at the end"),
    (".env.", ".env", "a dot at the end"),
    (".g\u200cit/config", ".git/config", "HFS+ leaves zero-width characters out"),
    (".gi\u200dt/config", ".git/config", "HFS+"),
    ("\ufeff.git/config", ".git/config", "HFS+"),
    (".g\u202eit/config", ".git/config", "HFS+"),
    (".git\u2060/config", ".git/config", "drawn as nothing"),
    (".e\u00adnv", ".env", "a soft hyphen is drawn as nothing"),
    (".env\U000e0041", ".env", "a tag character is drawn as nothing"),
    ("\uff0egit/config", ".git/config", "a full-width dot"),
    (".\uff47\uff49\uff54/config", ".git/config", "full-width letters"),
    (".git\\config", ".git/config", "a backslash divides on Windows"),
    ("src\\..\\.git\\config", ".git/config", "and goes up there"),
    ("a/.. /.git/config", ".git/config", "dots with a space go up there too"),
    (".GI\u200cT. ::$DATA", ".git", "all of them at once"),
    ("ENV~1", ".env", "the short name of .env"),
    ("ENV~1.LOC", ".env.loc", "the short name of .env.local"),
    ("KEYS/SERVER~1.PEM", "KEYS/server.pem", "the short name of server-prod.pem"),
    ("GITMOD~1", ".gitmodules", "the short name of .gitmodules"),
    ("GI7EBA~1", ".gitmodules", "the short name when four others are taken"),
    ("PENSTO~1.TOM", "penstock.toml", "our own rules"),
]


@pytest.mark.parametrize(("text", "alias", "why"), ALIKE)
def test_a_name_that_is_taken_for_a_protected_one_tightens(text: str, alias: str, why: str) -> None:
    target = locate(text, root=ROOT)
    assert alias in target.tightening, why
    assert any(lookup(PROTECTED, spelling) for spelling in target.tightening), why


@pytest.mark.parametrize(
    "text",
    ["src/git/x", "git", ".github/x", ".gitx", "a~", "x~1~", "~1", "backup~old", "env", "日本/ü"],
)
def test_a_name_that_nobody_confuses_tightens_nothing(text: str) -> None:
    assert not any(lookup(PROTECTED, s) for s in locate(text, root=ROOT).tightening)
    assert aliases("src/app.py") == []


@settings(max_examples=500, deadline=None)
@given(parts=st.lists(st.sampled_from(["src", "..", ".", "", "GIT~1", ".env ", "a"]), max_size=5))
def test_a_plain_path_has_the_spellings_that_every_path_has(parts: list[str]) -> None:
    text = "/".join(parts)
    # A path that is also known as itself is no longer plain, and the same file.
    long = spelling.spellings(text, root=ROOT, known_as=lambda place: [place])
    assert spelling.spellings(text, root=ROOT) == long


@given(text=st.text(alphabet=".giteGIT~1: \\/a\u200c\uff47é", min_size=1, max_size=14))
def test_aliases_are_few_normal_and_never_the_text_itself(text: str) -> None:
    found = aliases(text)
    assert len(found) <= 2 * MOST_ALIASES
    assert text not in found
    assert all(normal(alias) == alias != "" for alias in found)


def test_many_short_names_in_one_path_stay_few_spellings() -> None:
    assert len(aliases("/".join(["ab~1"] * 500))) <= 2 * MOST_ALIASES


def test_what_the_aliases_leave_out_is_what_git_leaves_out() -> None:
    # git's own list for HFS+, from U+200C on.
    for first, last in ((0x200C, 0x200F), (0x202A, 0x202E), (0x206A, 0x206F), (0xFEFF, 0xFEFF)):
        for code in range(first, last + 1):
            assert aliases(f".g{chr(code)}it/x") == [".git/x"], hex(code)


@pytest.mark.parametrize("name", [".GIT", "GIT~1", ".git.", ".git ", ".git::$DATA", ".g\u200cit"])
def test_real_git_refuses_the_names_that_we_take_for_its_own(tmp_path: Path, name: str) -> None:
    git = ["git", "-C", str(tmp_path), "-c", "core.protectNTFS=true", "-c", "core.protectHFS=true"]
    subprocess.run([*git, "init", "-q"], check=True)
    blob = subprocess.run(
        [*git, "hash-object", "-w", "--stdin"], input=b"x", capture_output=True, check=True
    ).stdout.decode()
    entry = f"100644,{blob.strip()},{name}/config"
    added = subprocess.run(
        [*git, "update-index", "--add", "--cacheinfo", entry], capture_output=True, check=False
    )
    assert added.returncode != 0
    assert ".git/config" in aliases(f"{name}/config")


# --- other places --------------------------------------------------------------------------


def twin(place: str) -> list[str]:
    """What lies in `tree` is known by its place in the workspace."""
    return renamed(place, [(f"{ROOT}/tree", ROOT), ("/moved", "/home/me/.agent")])


OTHERS = [
    ("tree/db/a", ("db/a", "tree/db/a"), False),
    ("x/../tree/db/a", ("db/a", "tree/db/a"), False),
    ("/moved/settings", ("/home/me/.agent/settings", "/moved/settings"), True),
    ("/moved", ("/home/me/.agent", "/moved"), True),
    ("treehouse/a", ("treehouse/a",), False),
    ("db/a", ("db/a",), False),
]


@pytest.mark.parametrize(("given_path", "judged", "outside"), OTHERS)
def test_a_place_is_judged_by_the_others_that_it_is_known_as(
    given_path: str, judged: tuple[str, ...], outside: bool
) -> None:
    target = locate(given_path, root=ROOT, resolve=lambda path: path, known_as=twin)
    assert target.judged == judged
    assert target.outside is outside
    assert ".git/config" in locate("tree/GIT~1/config", root=ROOT, known_as=twin).tightening


@settings(max_examples=200, deadline=None)
@given(parts=st.lists(st.sampled_from(["tree", "db", "..", ".", "a", "link"]), max_size=5))
def test_other_places_only_add_and_the_last_stays_where_the_kernel_goes(parts: list[str]) -> None:
    path = "/".join([*parts, "z"])

    def resolve(place: str) -> str:
        return place.replace("/link", "/tree/db")

    plain = locate(path, root=ROOT, resolve=resolve)
    known = locate(path, root=ROOT, resolve=resolve, known_as=twin)
    assert set(known.judged) >= set(plain.judged)
    assert known.judged[-1] == plain.judged[-1]
    assert (known.shown, known.outside) == (plain.shown, plain.outside)
    assert set(known.tightening) | set(known.judged) >= set(plain.tightening)


# --- folding -------------------------------------------------------------------------------


def test_a_file_system_that_folds_adds_the_folded_spellings() -> None:
    target = locate("Src/.ENV", root=ROOT, folds=True)
    assert target.folds
    assert target.judged == ("Src/.ENV",)
    assert "src/.env" in target.tightening
    assert "src/.env" not in locate("Src/.ENV", root=ROOT).tightening
    assert ".env" in locate(".ENV.", root=ROOT, folds=True).tightening


FOLDS = [
    ("A", "a", "case"),
    ("STRASSE", "straße", "full case folding"),
    ("cafe\u0301", "caf\u00e9", "composed and decomposed"),
    ("CAFE\u0301", "caf\u00e9", "both at once"),
    ("\u212a", "k", "the Kelvin sign"),
    ("ΜΆΪΟΣ", "μάϊος", "Greek, with its last sigma"),
]


@pytest.mark.parametrize(("one", "other", "why"), FOLDS)
def test_names_that_such_a_file_system_takes_for_one_fold_alike(
    one: str, other: str, why: str
) -> None:
    assert fold(one) == fold(other), why


@settings(max_examples=300, deadline=None)
@given(text=st.text(max_size=8))
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)
    assert fold(text.lower()) == fold(fold(text).lower())
    assert [sign in text for sign in "*?/"] == [sign in fold(text) for sign in "*?/"]


def test_the_spellings_module_imports_nothing_for_ascii_names() -> None:
    source = Path(spelling.__file__)
    tree = ast.parse(source.read_text(encoding="utf-8"))
    top = [n for n in tree.body if isinstance(n, ast.Import | ast.ImportFrom)]
    assert top == []
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import penstock.core.paths.spellings as one;"
        "before = set(sys.modules); one.spellings('src/.ENV', root='/w', folds=True);"
        "assert set(sys.modules) == before;"
        "one.spellings('GIT~1/../.ENV', root='/w', folds=True);"
        "print(sorted(set(sys.modules) - before))"
    )
    ran = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, str(source.parents[3])],
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.strip() == "['penstock.core.paths.aliases']"

"""What a glob means, and that an index of thousands gives the answers of the one matcher."""

from __future__ import annotations

import ast
import marshal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from wcmatch import glob as wcmatch

from penstock.core.paths import globs as match
from penstock.core.paths.glob_index import compile_globs
from penstock.core.paths.globs import lookup, matches, tidy

# pattern, what it meets, what it does not meet, why
MEANING = [
    # S2-045, S2-046: `*` is one segment, `**` any number
    ("a/*/c", ["a/b/c"], ["a/c", "a/b/b/c"], "* is exactly one segment"),
    ("a/**/c", ["a/c", "a/b/c", "a/b/b/c"], ["c", "b/a/c", "a/c/d"], "** is none or more"),
    # S2-047, S2-051, S2-054: without a slash, the top directory only
    ("*.key", ["server.key", "api.key", ".key"], ["keys/server.key"], "top directory only"),
    ("*.md", ["README.md", "CHANGELOG.md"], ["docs/guide.md", "README.mdx"], "top directory"),
    # S2-048
    (".ENV", [".ENV"], [".env"], "case counts"),
    # S2-050
    (
        ".git/**",
        [".git/config", ".git/hooks/pre-commit"],
        [".github/workflows", ".git", ".gitignore"],
        "all below, not the directory, not names that begin alike",
    ),
    # S2-052
    ("src/**", ["src/index.ts", "src/lib/util.ts"], ["test/src/mock.ts", "src"], "from the top"),
    # S2-053
    (
        "plugins/**/agents/*.md",
        ["plugins/iflow/agents/foo.md", "plugins/agents/foo.md", "plugins/a/b/agents/x.md"],
        ["plugins/iflow/skills/foo.md", "plugins/iflow/agents/sub/foo.md"],
        "** in the middle",
    ),
    # S2-055
    (".env*", [".env", ".env.local"], ["env", "a/.env"], "a star may be nothing"),
    # X3: where fnmatch answers otherwise
    ("**/.env", [".env", "a/.env", "a/b/.env"], ["a.env", ".env/x"], "** may be nothing"),
    ("**/*.pem", ["x.pem", "a/x.pem"], ["x.pem.txt"], "at any depth"),
    ("**/secrets/**", ["secrets/a", "x/secrets/y/z"], ["secrets", "x/secrets"], "needs more"),
    ("**/*id_rsa*", ["id_rsa", "a/id_rsa.pub", "my_id_rsa"], ["id_rsa/x"], "within the name"),
    ("docs/*", ["docs/a", "docs/.hidden"], ["docs/a/b", "docs"], "* meets a leading dot"),
    ("?.py", ["a.py", "..py"], [".py", "ab.py", "a/.py"], "? is one character, never a slash"),
    ("a?c", ["abc", "a.c"], ["a/c", "ac"], "? never crosses a slash"),
    ("**", ["a", ".a", "a/b/c"], [""], "anything"),
    ("a**b", ["ab", "axb", "a**b"], ["a/b"], "** beside other characters is *"),
    ("***", ["a", ".x"], ["a/b"], "three stars are one"),
    ("**a/b", ["xa/b", "a/b"], ["x/a/b"], "** beside other characters is *"),
    ("**/**", ["a", "a/b"], [""], "said twice is said once"),
    ("a/**/**/b", ["a/b", "a/x/b"], ["a"], "said twice is said once"),
    ("a/**/*", ["a/b", "a/b/c"], ["a"], "the same as a/**"),
    ("**/a/**/a/**", ["a/a/x", "a/b/a/x"], ["a/x", "a/a"], "no segment is used twice"),
    ("a*a", ["aa", "aba"], ["a"], "no character is used twice"),
    ("*ab*b", ["abb", "xabxb"], ["ab", "xab"], "no character is used twice"),
    ("*a*a*", ["aa", "xaxax"], ["a", "xax"], "no character is used twice"),
    ("?*?", ["ab", "abc"], ["a"], "no character is used twice"),
    # every other character is itself
    ("a[bc]", ["a[bc]"], ["ab", "ac"], "brackets are literal"),
    ("{a,b}", ["{a,b}"], ["a", "b"], "braces are literal"),
    ("!a", ["!a"], ["a", "b"], "no negation"),
    ("a\\*", ["a\\", "a\\b"], ["a*"], "a backslash is a character"),
    ("a.c+(d)|^$", ["a.c+(d)|^$"], ["abc", "aXc+(d)|^$"], "regex signs are literal"),
    ("a\nb*", ["a\nb", "a\nb\nc"], ["a"], "a newline is a character"),
    ("*é", ["caf\u00e9", "é"], ["e"], "any letter"),
    # spellings of a pattern
    ("./src/**", ["src/a"], ["src"], "a leading ./ says nothing"),
    ("/src/*.py", ["src/a.py"], ["lib/src/a.py"], "a leading / is the workspace"),
    ("build/", ["build/a", "build/a/b"], ["build", "x/build/a"], "a last / is all below"),
    ("a//./b", ["a/b"], ["a"], "empty and dot segments go"),
    ("", [], ["", "a"], "nothing"),
    (".", [], ["", ".", "a"], "the workspace itself is no file"),
    ("./", ["a", "a/b"], [""], "everything in the workspace"),
    ("/", ["a", "a/b"], [""], "everything in the workspace"),
    ("..", [".."], ["a"], "never meets a path that was normalised"),
    # spellings of a path
    ("a/b", ["a/b", "a/b/"], ["a//b", "/a/b"], "a path's last slash says nothing"),
    ("**/b", ["a//b", "/a/b", "/b"], [], "empty segments are met by ** only"),
    ("*/b", ["a/b"], ["/b"], "an empty segment is no name"),
    ("?*/b", ["a/b"], ["/b"], "an empty segment is no name"),
]


@pytest.mark.parametrize(("pattern", "meets", "misses", "why"), MEANING)
def test_a_pattern_means_what_the_table_says(
    pattern: str, meets: list[str], misses: list[str], why: str
) -> None:
    index = compile_globs([(pattern, 7)])
    assert [p for p in meets if not matches(pattern, p)] == [], why
    assert [p for p in misses if matches(pattern, p)] == [], why
    assert [p for p in meets if lookup(index, p) != [7]] == [], why
    assert [p for p in misses if lookup(index, p) != []] == [], why


def test_a_path_from_outside_is_met_only_by_patterns_that_begin_with_two_stars() -> None:
    patterns = ["etc/**", "etc/ssh/key", "*/*/key", "*", "*/ssh/*", "/etc/ssh/key", "etc/ssh/*"]
    patterns += ["etc/ssh/**", "etc/**/key", "etc/ssh/k*", "**a/ssh/key"]
    deep = ["**/key", "**", "**/etc/**", "**/*", "**/ssh/k*", "**/etc/*/key"]
    entries = [(pattern, at) for at, pattern in enumerate(patterns + deep)]
    found = lookup(compile_globs(entries), "/etc/ssh/key")
    assert [entries[at][0] for at in found] == deep


def test_tidy_gives_one_spelling_and_never_fails() -> None:
    spellings = ["a/b", "./a/b", "/a/b", "a//b", "a/./b", "././/a/b"]
    assert {tidy(p) for p in spellings} == {"a/b"}
    assert [tidy(p) for p in ("a/", "a/**", "a/**/", "a/**/**")] == ["a/**"] * 4
    assert [tidy(p) for p in ("", ".", "./.", "/", "//", "./")] == ["", "", "", "**", "**", "**"]


# --- against wcmatch -----------------------------------------------------------------------
#
# Known differences, left out of what is generated:
# - brackets, braces, `!` and the backslash are literal here, and are not in the alphabet;
# - segments `.` and `..` and empty ones: wcmatch's `*` and `**` never meet them. Paths that
#   are judged are normalised and have none; a path as it was given may have them, and then
#   `**` must meet them, or `x/../.env` would slip by `**/.env`;
# - a path's last slash: to wcmatch it says "directory", to us nothing;
# - a pattern's `./`, leading and last slash: `tidy` settles them first.

names = st.text(alphabet="ab.", min_size=1, max_size=5).filter(lambda n: n not in (".", ".."))
paths = st.lists(names, min_size=1, max_size=6).map("/".join)
wild_names = st.text(alphabet="ab.*?", min_size=1, max_size=6).filter(
    lambda n: n not in (".", "..")
)
patterns = st.lists(
    st.one_of(st.just("**"), st.just("*"), names, wild_names), min_size=1, max_size=6
).map("/".join)


def near(pattern: str, choice: list[int]) -> str:
    """Return a path that a pattern may well meet: random pairs nearly always differ."""
    fills = ["", "a", "b/a", "ab", ".", "a.b/b"]
    path, at = pattern, 0
    while "*" in path or "?" in path:
        fill = fills[choice[at % len(choice)] % len(fills)] if choice else "a"
        at += 1
        sign = next(s for s in ("**", "*", "?") if s in path)
        path = path.replace(sign, fill, 1)
    return path


@settings(max_examples=500, deadline=None)
@given(pattern=patterns, path=paths)
def test_any_pattern_meets_the_paths_that_wcmatch_says(pattern: str, path: str) -> None:
    flags = wcmatch.GLOBSTAR | wcmatch.DOTGLOB | wcmatch.CASE
    assert matches(pattern, path) == wcmatch.globmatch(path, pattern, flags=flags)


@settings(max_examples=500, deadline=None)
@given(pattern=patterns, choice=st.lists(st.integers(0, 50), max_size=8))
def test_a_path_made_from_its_pattern_is_met_as_wcmatch_says(
    pattern: str, choice: list[int]
) -> None:
    path = near(pattern, choice)
    assume(all(part not in ("", ".", "..") for part in path.split("/")))
    flags = wcmatch.GLOBSTAR | wcmatch.DOTGLOB | wcmatch.CASE
    assert matches(pattern, path) == wcmatch.globmatch(path, pattern, flags=flags)


# --- the index -----------------------------------------------------------------------------

odd_text = st.text(alphabet="ab.*?/[x", max_size=12)


def brute(entries: list[tuple[str, int]], path: str) -> list[int]:
    return sorted({number for pattern, number in entries if matches(pattern, path)})


@settings(max_examples=250, deadline=None)
@given(
    globs=st.lists(st.one_of(patterns, odd_text), max_size=40),
    numbers=st.lists(st.integers(0, 9), min_size=1, max_size=40),
    some=st.lists(st.one_of(paths, odd_text), min_size=1, max_size=4),
    choice=st.lists(st.integers(0, 50), max_size=8),
)
def test_an_index_finds_exactly_what_the_matcher_finds_one_by_one(
    globs: list[str], numbers: list[int], some: list[str], choice: list[int]
) -> None:
    entries = [(glob, numbers[at % len(numbers)]) for at, glob in enumerate(globs)]
    index = compile_globs(entries)
    for path in [*some, *(near(glob, choice) for glob in globs[:8]), *globs[:4]]:
        assert lookup(index, path) == brute(entries, path), path


WORDS = ["src", "lib", "app", "test", "docs", "x", "core", "data", ".git", "ab.c"]
FORMS = (
    "{}/{}/**",
    "{}/{}/{}.py",
    "**/{}.py",
    "**/*.{}",
    "{}/*.{}",
    "{}/**/{}/*.py",
    "**/{}/**",
    "**/{}*",
    "**/*{}*/**",
    "*/{}/**",
    "{}/**/*{}",
    "{}/?{}*",
    "*{}",
    "{}*/**/{}",
)


def words_of(seed: int, form: str) -> list[str]:
    return [WORDS[(seed // len(WORDS) ** at) % len(WORDS)] for at in range(form.count("{}"))]


def test_an_index_of_every_form_agrees_with_the_matcher_on_real_looking_paths() -> None:
    entries = [
        (form.format(*words_of(seed, form)), seed * len(FORMS) + at)
        for seed in range(60)
        for at, form in enumerate(FORMS)
    ]
    index = compile_globs(entries)
    found = 0
    for seed in range(0, 4000, 37):
        a, b, c, d = words_of(seed, "{}{}{}{}")
        for path in (f"{a}/{b}/{c}.py", f"{a}/{b}/{c}/{d}.py", f"{a}.{b}", f"/{a}/{b}/{c}"):
            assert lookup(index, path) == brute(entries, path), path
            found += len(lookup(index, path))
    assert found > 400


def test_one_number_may_have_many_patterns_and_one_pattern_many_numbers() -> None:
    index = compile_globs([("*.py", 3), ("**/*.py", 3), ("*.py", 1), ("a*", 2), ("b", 9)])
    assert lookup(index, "a.py") == [1, 2, 3]
    assert lookup(compile_globs([]), "a.py") == []


def plain(value: object) -> bool:
    if isinstance(value, dict):
        return all(plain(key) and plain(each) for key, each in value.items())
    if type(value) in (list, tuple):
        return all(plain(each) for each in value)  # type: ignore[attr-defined]
    return type(value) in (str, int)


def test_an_index_is_plain_values_and_comes_back_from_marshal_unchanged() -> None:
    index = compile_globs([(pattern, at) for at, (pattern, *_) in enumerate(MEANING)])
    assert plain(index)
    again = marshal.loads(marshal.dumps(index))
    assert again == index
    assert lookup(again, "plugins/x/agents/y.md") == lookup(index, "plugins/x/agents/y.md") != []


def test_the_same_entries_always_make_the_same_index() -> None:
    code = (
        "from penstock.core.paths.glob_index import compile_globs; import marshal, hashlib;"
        "index = compile_globs([('**/*foo_%d*' % i, i) for i in range(50)]);"
        "print(hashlib.sha256(repr(index).encode()).hexdigest())"
    )
    run = [sys.executable, "-c", code]
    seeds = ({"PYTHONHASHSEED": seed} for seed in ("1", "2", "3"))
    said = {subprocess.run(run, env=env, capture_output=True, check=True).stdout for env in seeds}
    assert len(said) == 1


# --- cost ----------------------------------------------------------------------------------
#
# Steps are counted where that is possible; the times are many times the measured ones, so
# that only a change of order fails, never a busy machine.


def seconds(pattern: str, path: str) -> float:
    start = time.process_time()
    matches(pattern, path)
    return time.process_time() - start


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*a*a*a*a*a*b", "a" * 4000),
        ("*a" * 2000 + "*b", "a" * 4000),
        ("*?a?a?a?a?b*", "a" * 4000),
        ("?*" * 300 + "b", "a" * 4000),
        ("*a?a*" * 200 + "b", "a" * 4000),
        ("**/*/**/*/**/*x", "a/" * 2000 + "a"),
        ("**/a" * 1000 + "/b", "a/" * 2040 + "a"),
        ("**/*a*/**/?" * 100, "ab/" * 1300 + "ab"),
        ("**/" * 2000 + "x", "a/" * 2040 + "a"),
    ],
)
def test_no_pattern_is_catastrophic(pattern: str, path: str) -> None:
    # Measured: at most 5 ms; a backtracking matcher needs longer than the universe has.
    assert seconds(pattern, path) < 1
    assert lookup(compile_globs([(pattern, 1)]), path) == ([1] if matches(pattern, path) else [])


class Counting(dict):  # type: ignore[type-arg]
    """A dictionary that counts how often it is asked."""

    asked = 0

    def get(self, key: object, default: object = None) -> object:
        Counting.asked += 1
        return super().get(key, default)

    def __contains__(self, key: object) -> bool:
        Counting.asked += 1
        return super().__contains__(key)


def counting(value: object) -> object:
    if isinstance(value, dict):
        return Counting({key: counting(each) for key, each in value.items()})
    if isinstance(value, list | tuple):
        return type(value)(counting(each) for each in value)
    return value


def asked(form: str, many: int, path: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """Return how many look-ups and matches it takes to ask an index of one form."""
    index = counting(compile_globs([(form.format(at), at) for at in range(many)]))
    Counting.asked = 0
    tried = []
    real = match._fits
    with monkeypatch.context() as patch:
        patch.setattr(match, "_fits", lambda *of: tried.append(of) or real(*of))  # type: ignore[func-returns-value]
        lookup(index, path)  # type: ignore[arg-type]
    return Counting.asked + len(tried)


@pytest.mark.parametrize(
    "form",
    [
        "src/lib/x_{}.py",
        "src/lib_{}/**",
        "**/x_{}.py",
        "**/*.x{}",
        "src/**/x_{}*/*.py",
        "**/*foo_{}*",
        "src/*/a_{}/**/b",
        "src/**/*_{}_*/*.py",
        "**/?{}?*",
        "*/x{}/**/*.py",
        "src/x_{}*.py",
    ],
)
def test_thousands_of_patterns_of_one_form_take_no_more_questions_than_thirty(
    form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = "src/lib/x_55abc/deep/module.py"
    few = asked(form, 30, path, monkeypatch)
    assert asked(form, 4_000, path, monkeypatch) <= 2 * few + 12


def test_a_segment_that_comes_a_thousand_times_is_asked_for_once() -> None:
    index = compile_globs([("**/a/**", at) for at in range(10_000)])
    start = time.process_time()
    assert len(lookup(index, "a/" * 2000 + "b")) == 10_000
    assert time.process_time() - start < 1


def test_the_module_imports_nothing_when_it_runs() -> None:
    tree = ast.parse(Path(match.__file__).read_text(encoding="utf-8"))
    guarded = {
        id(node)
        for branch in tree.body
        if isinstance(branch, ast.If) and ast.unparse(branch.test) == "TYPE_CHECKING"
        for node in ast.walk(branch)
    }
    imports = [n for n in ast.walk(tree) if isinstance(n, ast.Import | ast.ImportFrom)]
    assert [ast.unparse(n) for n in imports if id(n) not in guarded] == []
    assert match.TYPE_CHECKING is False

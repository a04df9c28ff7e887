"""Globs: an index of thousands beside one of thirty, and beside what people use instead."""

from __future__ import annotations

import fnmatch
import marshal
import random
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from bench.row import Row, best_of, each
from penstock.core.paths.glob_index import compile_globs
from penstock.core.paths.globs import lookup, matches
from penstock.core.paths.relpath import locate

AREA = "matching"
EXTENSIONS = ("py", "ts", "go", "rs", "md", "toml", "yml", "json", "key", "pem", "lock", "sh")
FORMS = (
    ("{}/{}/**", 25),
    ("{}/{}/{}.{x}", 25),
    ("**/{}.{x}", 10),
    ("**/*.{}", 10),
    ("{}/*.{x}", 12),
    ("{}/**/{}/*.{x}", 8),
    ("**/{}/**", 5),
    ("**/{}*", 3),
    ("**/*{}*", 2),
)
MILLISECOND = 0.001
ROUNDS = 200  # short turns and many of them: on a busy machine some are left alone


def patterns(count: int) -> list[str]:
    """Return made-up patterns in the mix that policies have; the same on every run."""
    chance = random.Random(7)
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["".join(chance.choices(letters, k=chance.randint(3, 9))) for _ in range(3000)]
    forms = chance.choices([f for f, _ in FORMS], [weight for _, weight in FORMS], k=count)
    return [form.format(*chance.choices(words, k=3), x=chance.choice(EXTENSIONS)) for form in forms]


def paths(globs: Sequence[str]) -> list[str]:
    """Return paths that nothing meets and paths made from patterns, half and half."""
    chance = random.Random(11)
    met = [
        glob.replace("**", "some/where").replace("*", "x")
        for glob in chance.sample(list(globs), min(30, len(globs)))
    ]
    return met + ["zzz/yyy/xxx/www/module.zz", "src/app/main.py", "README.md"] * 10


def asking(index: dict[str, Any], some: Sequence[str]) -> Callable[[], None]:
    """Return a call that looks every path up."""

    def ask() -> None:
        for path in some:
            lookup(index, path)

    return ask


def numbered(globs: Sequence[str]) -> list[tuple[str, int]]:
    """Return patterns with their numbers."""
    return [(glob, number) for number, glob in enumerate(globs)]


def regex(glob: str) -> str:
    """Return a pattern as the usual regex, which can take exponential time."""
    text = re.escape(glob).replace(r"\*\*/", "(?:.*/)?").replace(r"\*\*", ".*")
    return text.replace(r"\*", "[^/]*").replace(r"\?", "[^/]")


def alternation(globs: Sequence[str]) -> re.Pattern[str]:
    """Return one regex for all patterns, made anew."""
    re.purge()
    return re.compile("|".join(map(regex, globs)), re.DOTALL)


def rows() -> Iterator[Row]:
    """Measure look-ups, then what they stand beside, then the pattern that breaks others."""
    globs = {count: patterns(count) for count in (30, 1_000, 10_000)}
    indexes = {count: compile_globs(numbered(globs[count])) for count in globs}
    yield from look_ups(globs, indexes)
    yield from instead(globs[10_000], indexes[10_000])
    yield from compiling(globs[10_000], indexes[10_000])
    yield from hostile()
    yield locating()


def look_ups(globs: dict[int, list[str]], indexes: dict[int, dict[str, Any]]) -> Iterator[Row]:
    """One path, among more and more patterns; every index is asked about all paths."""
    some = [path for count in globs for path in paths(globs[count])]
    times = best_of([asking(indexes[count], some) for count in globs], rounds=ROUNDS)
    took = [seconds / len(some) for seconds in times]
    beside = "30 patterns"
    yield Row(area=AREA, name="look-up, 30", subject=took[0], baseline=took[0], beside=beside)
    for count, seconds in zip((1_000, 10_000), took[1:], strict=True):
        note = f"{seconds * 1e6:.1f} us a path, met and not met"
        yield Row(
            area=AREA,
            name=f"look-up, {count:,}",
            subject=seconds,
            baseline=took[0],
            beside=beside,
            limit=2,
            note=note,
        )


def instead(globs: list[str], index: dict[str, Any]) -> Iterator[Row]:
    """What a look-up would cost with the tools that are at hand; told, not judged."""
    path = "zzz/yyy/xxx/www/module.zz"
    whole = alternation(globs)
    loop = [re.compile(fnmatch.translate(glob)).match for glob in globs]
    ours, one_regex, many = best_of(
        [
            each(lambda: lookup(index, path), times=2_000),
            each(lambda: whole.fullmatch(path), times=10),
            lambda: [match(path) for match in loop],
        ]
    )
    ours, one_regex = ours / 2_000, one_regex / 10
    for name, seconds in (("one re alternation", one_regex), ("a loop of fnmatch regexes", many)):
        yield Row(
            area=AREA, name=f"{name}, 10,000", subject=seconds, baseline=ours, beside="our look-up"
        )


def compiling(globs: list[str], index: dict[str, Any]) -> Iterator[Row]:
    """Making an index, and bringing it back as a cold hook does."""
    stored = marshal.dumps(index)
    ours, theirs, load, bare = best_of(
        [
            lambda: compile_globs(numbered(globs)),
            lambda: alternation(globs),
            lambda: marshal.loads(stored),
            lambda: marshal.loads(marshal.dumps(numbered(globs))),
        ],
        rounds=3,
    )
    yield Row(
        area=AREA,
        name="compile 10,000",
        subject=ours,
        baseline=theirs,
        beside="one re alternation",
        limit=1,
    )
    note = f"{len(stored) // 1024} kB"
    yield Row(
        area=AREA,
        name="load a compiled 10,000",
        subject=load,
        baseline=bare,
        beside="the same as a bare list",
        note=note,
    )


def hostile() -> Iterator[Row]:
    """Patterns that take a backtracking matcher years; the promise is one millisecond."""
    for name, pattern, path in (
        ("*a*a*a*a*a*b on 4,000 characters", "*a*a*a*a*a*b", "a" * 4_000),
        ("*?a?a?a?a?b* on 4,000 characters", "*?a?a?a?a?b*", "a" * 4_000),
        ("**/*/**/*/**/*x on 2,000 segments", "**/*/**/*/**/*x", "a/" * 2_000 + "a"),
    ):
        (seconds,) = best_of([partial(matches, pattern, path)], rounds=30)
        yield Row(
            area=AREA,
            name=name,
            subject=seconds,
            baseline=MILLISECOND,
            beside="one millisecond",
            limit=1,
        )
    crowd = compile_globs([(f"src/**/x_{n}*/*_{n}_*.py", n) for n in range(10_000)])
    few = compile_globs([(f"src/**/x_{n}*/*_{n}_*.py", n) for n in range(30)])
    path = "src/lib/x_55abc/deep/a_55_b.py"
    asks = [asking(index, [path] * 100) for index in (crowd, few)]
    many, some = best_of(asks, rounds=ROUNDS)
    yield Row(
        area=AREA,
        name="10,000 that share their beginning and end",
        subject=many / 100,
        baseline=some / 100,
        beside="30 of them",
        limit=2,
    )


def locating() -> Row:
    """Every spelling of an ordinary path."""
    path, root = "src/penstock/core/paths/globs.py", "/home/ada/project"
    ours, split = best_of(
        [
            each(lambda: locate(path, root=root), times=100),
            each(lambda: path.split("/"), times=100),
        ],
        rounds=ROUNDS,
    )
    return Row(
        area=AREA,
        name="all spellings of a path",
        subject=ours / 100,
        baseline=split / 100,
        beside="str.split",
        note=f"{ours / 100 * 1e6:.1f} us",
    )

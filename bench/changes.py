"""Measuring changes: beside GNU diff, git and difflib in time, beside fixed limits in memory.

The contents are of two kinds. Code as it is written has many lines of its own, and many that
come again and again (blank lines, `return None`, braces); data has no line twice. Each is edited
by replacing, inserting and deleting lines, in favour of others of its kind.
"""

from __future__ import annotations

import difflib
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product

from bench.row import Row, best_of, command, least_cpu
from penstock.core.diff import walk
from penstock.core.diff.hunks import hunks, preview, unified
from penstock.core.diff.measure import measure
from penstock.core.model import Change

AREA = "changes"
MIB = 1 << 20
COMMON = [
    "", "", "", "", "    return None", "        pass", "    else:", "    try:", "        continue",
    "    }", "}", "        return False", "        return True", "    def __init__(self):",
    "        break", "    finally:", "        raise", '    """', "    )", "        )",
]  # fmt: skip
WORDS = ["value", "item", "index", "count", "total", "name", "path", "user", "data", "result"]
# What is promised beside GNU diff, by lines and share of changed lines.
PROMISED = {(10_000, 5): 6.0, (10_000, 50): 1.0, (10_000, 80): 1.0}
# Times a small row is measured; the smaller the content, the more a busy machine disturbs it.
ROUNDS = {2_000: 9, 10_000: 15, 100_000: 2}
BESIDE = ("GNU diff", "git diff", "difflib")
SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class File:
    """A file as a source of bytes."""

    descriptor: int
    size: int

    def read(self, offset: int, length: int) -> bytes:
        """Return a piece of the file."""
        return os.pread(self.descriptor, length, offset)


def measured(before: str, after: str) -> Change:
    """Measure two files, read in blocks."""
    opened = [os.open(path, os.O_RDONLY) for path in (before, after)]
    try:
        one, two = (File(descriptor, os.fstat(descriptor).st_size) for descriptor in opened)
        return measure(one, two)
    finally:
        for descriptor in opened:
            os.close(descriptor)


def code(rng: random.Random) -> str:
    kind, word = rng.random(), rng.choice
    if kind < 0.35:
        return word(COMMON)
    if kind < 0.45:
        return f"    {word(WORDS)} = {word(WORDS)}"
    if kind < 0.75:
        return f"        {word(WORDS)}_{rng.randrange(10**4)} = {word(WORDS)}({word(WORDS)}, 1)"
    return f"    def {word(WORDS)}_{rng.randrange(10**7)}(self, {word(WORDS)}, {word(WORDS)}):"


def data(rng: random.Random) -> str:
    return f"{rng.choice(WORDS)}: {rng.getrandbits(96):024x}"


Kind = Callable[[random.Random], str]
KINDS: dict[str, Kind] = {"code": code, "data": data}


def edited(lines: list[str], kind: Kind, percent: float, rng: random.Random) -> Iterator[str]:
    for line in lines:
        if rng.random() * 100 >= percent:
            yield line
        elif (choice := rng.random()) < 0.85:
            yield kind(rng)
            if choice > 0.7:
                yield kind(rng)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two files to compare."""

    before: str
    after: str

    @classmethod
    def of(cls, where: str, name: str, before: list[str], after: list[str]) -> Pair:
        """Write two files."""
        paths = []
        for side, lines in (("old", before), ("new", after)):
            paths.append(os.path.join(where, f"{name}.{side}"))
            with open(paths[-1], "w", encoding="utf-8") as out:
                out.write("\n".join(lines) + "\n")
        return cls(*paths)

    @classmethod
    def of_kind(cls, where: str, kind: Kind, lines: int, percent: float) -> Pair:
        """Write so many lines of a kind, and the same with a share of them changed."""
        rng = random.Random(lines)
        before = [kind(rng) for _ in range(lines)]
        return cls.of(where, "edited", before, list(edited(before, kind, percent, rng)))

    def remove(self) -> None:
        """Make room for the next two."""
        os.unlink(self.before)
        os.unlink(self.after)

    def measure(self) -> Change:
        """Do what the rows are about."""
        return measured(self.before, self.after)

    def counts_and_hunks(self) -> None:
        """Ask for both, of contents that nobody has asked about before."""
        walk.forget()
        with open(self.before, "rb") as one, open(self.after, "rb") as two:
            old, new = one.read(), two.read()
        measure(old, new)
        hunks(old, new)

    def diff(self) -> Callable[[], None]:
        """Return a call of GNU diff."""
        return command("diff", self.before, self.after)

    def git(self) -> Callable[[], None]:
        """Return a call of git."""
        return command("git", "diff", "--no-index", "--numstat", self.before, self.after)

    def difflib(self) -> None:
        """Compare with the standard library."""
        with open(self.before, encoding="utf-8") as one, open(self.after, encoding="utf-8") as two:
            for _ in difflib.unified_diff(one.readlines(), two.readlines(), n=0):
                pass


def row(
    name: str,
    subject: float,
    baseline: float,
    beside: str,
    *,
    limit: float | None = None,
    unit: str = "s",
    note: str = "",
) -> Row:
    return Row(
        area=AREA,
        name=name,
        subject=subject,
        baseline=baseline,
        beside=beside,
        limit=limit,
        unit=unit,
        note=note,
    )


def small(where: str) -> Iterator[Row]:
    """Up to 100,000 lines, few and many changes, beside everybody else."""
    for lines, (name, kind), percent in product(ROUNDS, KINDS.items(), (5, 50, 80)):
        pair = Pair.of_kind(where, kind, lines, percent)
        calls: list[Callable[[], object]] = [pair.measure, pair.diff(), pair.git()]
        if lines <= 10_000:
            calls.append(pair.difflib)
        own, *others = best_of(calls, rounds=ROUNDS[lines])
        limits = (PROMISED.get((lines, percent)), None, None)
        for other, beside, limit in zip(others, BESIDE, limits, strict=False):
            title = f"counts, {lines:,} lines of {name}, {percent} % changed"
            yield row(title, own, other, beside, limit=limit)
        pair.remove()


def both(where: str) -> Iterator[Row]:
    """Counts and hunks of the same contents, as proposing a change asks for them."""
    for (name, kind), percent in product(KINDS.items(), (0.5, 5, 50, 80)):
        pair = Pair.of_kind(where, kind, 10_000, percent)
        own, other = least_cpu([pair.counts_and_hunks, pair.diff()], rounds=ROUNDS[10_000])
        title = f"counts and hunks, 10,000 lines of {name}, {percent} % changed"
        yield row(title, own, other, "GNU diff", limit=2.0, note="CPU")
        pair.remove()


def large(where: str) -> Iterator[Row]:
    """15 MB, few and many changes: time beside GNU diff, memory beside its limit."""
    for (name, kind), percent in product(KINDS.items(), (0.03, 0.5, 1, 5, 50, 80)):
        pair = Pair.of_kind(where, kind, 440_000, percent)
        own, other = best_of([pair.measure, pair.diff()], rounds=2 if percent > 5 else 5)
        apart = Apart.run(pair)
        title = f"15 MB of {name}, {percent} % changed"
        yield row(f"counts, {title}", own, other, "GNU diff", limit=2.0, note=apart.note)
        yield row(f"memory, {title}", apart.grown, 50 * MIB, "50 MiB", limit=1.0, unit="B")
        pair.remove()


def huge(where: str) -> Iterator[Row]:
    """100 MB, few and many changes."""
    for percent in (0.03, 0.5, 50):
        pair = Pair.of_kind(where, code, 2_900_000, percent)
        apart = Apart.run(pair)
        (other,) = best_of([pair.git()], rounds=1)
        name = f"100 MB, {percent} % changed"
        yield row(f"counts, {name}", apart.seconds, other, "git diff", note=apart.note)
        yield row(f"memory, {name}", apart.grown, 100 * MIB, "100 MiB", limit=1.0, unit="B")
        pair.remove()


@dataclass(frozen=True, slots=True)
class Apart:
    """What measuring two files takes in a process of its own."""

    grown: float
    seconds: float
    note: str

    @classmethod
    def run(cls, pair: Pair) -> Apart:
        """Measure in another process."""
        argv = (sys.executable, "-m", "bench.changes", pair.before, pair.after)
        out = subprocess.run(argv, capture_output=True, check=True, text=True).stdout
        grown, seconds, note = out.strip().split(" ", 2)
        return cls(float(grown), float(seconds), note)


def highest() -> int:
    """Return this program's highest resident size; rusage would count the one that forked it."""
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))


def told(change: Change) -> str:
    deleted = f"{change.least_deleted:,} to {change.lines_deleted:,} deleted"
    return "exact" if change.exact else deleted


def hard(where: str) -> Iterator[Row]:
    """Contents that make a careless diff run for hours."""
    for name, (before, after) in hard_cases().items():
        pair = Pair.of(where, "hard", before, after)
        # Beside a fixed time, what other processes take must not count.
        start = time.process_time()
        change = pair.measure()
        took = time.process_time() - start
        yield row(name, took, SECONDS, "10 s of processor", limit=1.0, note=told(change))
        pair.remove()


def hard_cases() -> dict[str, tuple[list[str], list[str]]]:
    rng, million = random.Random(4), 1_000_000
    words = [str(n) for n in range(5000)]
    ordered = [f"line {n}" for n in range(million)]
    short = rng.choices(words, k=million)
    touched = [rng.choice(words) if rng.random() < 0.02 else line for line in short]
    two = [rng.choices(words[:2], k=million) for _ in "ab"]
    return {
        "all lines equal": (["a", *["x"] * million, "b"], ["c", *["x"] * (million - 9), "d"]),
        "20,000 shuffled lines": (ordered[:20_000], rng.sample(ordered[:20_000], 20_000)),
        "a million shuffled lines": (ordered, rng.sample(ordered, million)),
        "a million short lines, 2 % changed": (short, touched),
        "a million random short lines": (short, rng.choices(words, k=million)),
        "a million lines of two kinds": (two[0], two[1]),
        "one line of 15 MB": (["x" * 15 * MIB], ["x" * 15 * MIB + "y"]),
        "one line of 100 MB": (["x" * 100 * MIB], ["x" * 100 * MIB + "y"]),
        "100,000 lines become one": (ordered[:100_000], [";".join(ordered[:100_000])]),
    }


def shown(where: str) -> Iterator[Row]:
    """Unified diffs and their previews."""
    for percent in (5, 50):
        pair = Pair.of_kind(where, code, 10_000, percent)
        with open(pair.before, "rb") as one, open(pair.after, "rb") as two:
            before, after = one.read(), two.read()
        own, other = best_of(
            [partial(previewed, before, after), partial(previewed_by_difflib, before, after)],
            rounds=5,
        )
        yield row(f"unified diff, 10,000 lines, {percent} % changed", own, other, "difflib")
        pair.remove()


def previewed(before: bytes, after: bytes) -> str:
    return preview(unified(before, after, path="f"))


def previewed_by_difflib(before: bytes, after: bytes) -> str:
    old, new = (side.decode().splitlines(keepends=True) for side in (before, after))
    return "".join(difflib.unified_diff(old, new))[:8000]


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory(prefix="penstock-bench-") as where:
        for part in (small, both, shown, large, huge, hard):
            yield from part(where)


if __name__ == "__main__":
    idle, began = highest(), time.perf_counter()
    answer = measured(*sys.argv[1:3])
    print(highest() - idle, time.perf_counter() - began, told(answer))

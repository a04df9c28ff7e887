"""Joining and patching, beside Python's own parser and git's own tools."""

from __future__ import annotations

import ast
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.row import Row, best_of, command
from penstock.core.merge.strategies import combine
from penstock.core.merge.three_way import rebase
from penstock.core.patch.apply import apply_patch, parse_patch

ADDED = b'''\
import graphlib


def helper(value, limit=5):
    return value * limit


class Popen:
    # tells how long it has been
    def age(self, now):
        """Return the age in seconds."""
        return now - self._started
'''
LINES = [b"line %d of a file that has ten thousand\n" % number for number in range(10_000)]


def edited(step: int, word: bytes) -> bytes:
    lines = list(LINES)
    lines[step::200] = [word + line for line in lines[step::200]]
    return b"".join(lines)


def rows() -> Iterator[Row]:
    yield extending()
    with tempfile.TemporaryDirectory(prefix="penstock-bench-") as folder:
        yield from merging(Path(folder))


def extending() -> Row:
    module = Path(subprocess.__file__).read_bytes()
    text = module.decode()
    subject, baseline = best_of(
        [
            lambda: combine(module, ADDED, "extend", path="subprocess.py"),
            lambda: ast.parse(text),
        ]
    )
    return Row(
        area="merging",
        name="extend a module of 2,200 lines, proven",
        subject=subject,
        baseline=baseline,
        beside="one ast.parse of it",
        limit=4.0,
        note="parses before and after",
    )


def merging(folder: Path) -> Iterator[Row]:
    base, theirs, ours = b"".join(LINES), edited(40, b"their "), edited(140, b"our ")
    for name, content in (("base", base), ("theirs", theirs), ("ours", ours)):
        (folder / name).write_bytes(content)
    paths = [str(folder / name) for name in ("theirs", "base", "ours")]
    subject, baseline = best_of(
        [lambda: rebase(base, theirs, ours), command("git", "merge-file", "-p", *paths)]
    )
    yield Row(
        area="merging",
        name="rebase 10,000 lines, 50 changes a side",
        subject=subject,
        baseline=baseline,
        beside="git merge-file",
        note="a process is started for git",
    )
    made = ["diff", "-u", "--label", "a/base", "--label", "b/base", paths[1], paths[2]]
    diff = subprocess.run(made, capture_output=True, check=False).stdout
    (folder / "patch").write_bytes(diff)
    subject, baseline = best_of(
        [
            lambda: [apply_patch(patch, base) for patch in parse_patch(diff)],
            command("git", "-C", str(folder), "apply", "--check", "patch"),
        ]
    )
    yield Row(
        area="merging",
        name="read and apply a patch of 50 hunks",
        subject=subject,
        baseline=baseline,
        beside="git apply --check",
        limit=2.0,
        note="a process is started for git",
    )

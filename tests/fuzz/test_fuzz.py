"""A short run of every fuzz target; `make fuzz` is the long one."""

from __future__ import annotations

import importlib
import random

import pytest

from tests.fuzz.__main__ import run_apart, targets

RUNS = 1500


@pytest.mark.parametrize("name", targets())
def test_a_target_takes_whatever_the_fuzzer_finds(name: str) -> None:
    pytest.importorskip("atheris", reason="atheris has no wheel for this platform")
    assert run_apart(name, seconds=0, runs=RUNS) == 0


@pytest.mark.parametrize("name", targets())
def test_a_target_takes_any_bytes(name: str) -> None:
    one = importlib.import_module(f"tests.fuzz.{name}").one
    chance = random.Random(7)
    for size in (0, 1, 2, 7, 64, 500):
        for _ in range(10):
            one(chance.randbytes(size))


def test_there_are_targets_for_all_that_reads_foreign_text() -> None:
    assert {"globs", "patch", "paths", "rules", "shell"} <= set(targets())

"""Show how far long work has come, to a person who looks at a terminal.

Always true: small files show nothing, and where stderr is no terminal nothing is shown at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from penstock.cli.terminal.output import console
from penstock.core.text.quantities import counted, size

if TYPE_CHECKING:
    from penstock.gate import Gate

MANY_LINES = 10_000

Step = Callable[[str], None]


@contextmanager
def measuring(gate: Gate) -> Iterator[None]:
    """Show how much of a large file is compared while the block makes the gate do it."""
    err = console(stderr=True)
    if not err.is_terminal:
        yield
        return
    status = err.status("comparing")

    def told(done: int, total: int) -> None:
        status.update(f"comparing, {100 * done // max(total, 1)} % of {size(total)}")
        status.start()  # at the first time only; until then a question can be asked

    try:
        with gate.measuring(told):
            yield
    finally:
        status.stop()


@contextmanager
def comparing(*contents: bytes | None, steps: int = 1) -> Iterator[Step]:
    """Show which step of comparing a large file is going on; the block names each as it begins."""
    most = max((content.count(b"\n") for content in contents if content), default=0)
    err = console(stderr=True)
    if most <= MANY_LINES or not err.is_terminal:
        yield _quiet
        return
    begun = 0
    with err.status(f"comparing {counted(most, 'line')}") as status:

        def step(name: str) -> None:
            nonlocal begun
            begun += 1
            status.update(f"comparing {counted(most, 'line')}, {begun} of {steps}: {name}")

        yield step


def _quiet(_: str) -> None:
    """Show nothing."""

"""The full screen with a diff of 20,000 lines and 200 proposals that wait, and being told.

Beside what cannot be saved: the comparison of the two contents itself, the same screen with a
small change, and the same proposal where nobody is told.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.row import Row, best_of

if TYPE_CHECKING:
    from penstock.gate import Gate

LINES, FEW, WAITING = 20_000, 400, 200
SIZE = (120, 40)
ROUNDS = 5
PAGES = 20
AREA = "review"
RULES = 'version = 1\n[defaults]\nwrite = "ask"\n'


def rows() -> Iterator[Row]:
    """Measure the screen, then what telling costs whoever proposes."""
    with _project() as (home, gate):
        yield from _screen(gate)
        yield from _telling(home, gate)


@contextmanager
def _project() -> Iterator[tuple[Path, Gate]]:
    from penstock.app import open_gate

    kept = dict(os.environ)
    with tempfile.TemporaryDirectory(prefix="penstock-bench-") as folder:
        home = Path(folder)
        root = home / "project"
        (root / ".git").mkdir(parents=True)
        (root / "penstock.toml").write_text(RULES)
        os.environ.update(
            HOME=folder, XDG_STATE_HOME=f"{folder}/state", XDG_CONFIG_HOME=f"{folder}/config"
        )
        os.environ.pop("DISPLAY", None)
        os.environ.pop("WAYLAND_DISPLAY", None)
        try:
            yield home, open_gate(str(root))
        finally:
            os.environ.clear()
            os.environ.update(kept)


def _screen(gate: Gate) -> Iterator[Row]:
    from penstock.core.diff.hunks import hunks
    from penstock.gate import Item

    root = Path(gate.root)
    old = b"".join(b"line %d of a file\n" % at for at in range(LINES))
    new = old.replace(b"of a", b"of another")
    (root / "big.txt").write_bytes(old)
    few = b"".join(b"line %d of a file\n" % at for at in range(FEW))
    (root / "small.txt").write_bytes(few)
    gate.propose([Item(path="big.txt", content=new)])
    gate.propose([Item(path="small.txt", content=few.replace(b"of a", b"of another"))])
    for at in range(WAITING):
        gate.propose([Item(path=f"f{at}.txt", content=b"x\n")])
    compared = best_of([lambda: hunks(old, new)], rounds=ROUNDS)[0]
    found = asyncio.run(_measured(gate))
    yield Row(
        area=AREA,
        name=f"{LINES} lines from the list to the screen",
        subject=found["big"],
        baseline=compared + found["small"],
        beside=f"comparing, and {FEW} lines",
        limit=4,
        note=f"with {WAITING} waiting",
    )
    yield Row(
        area=AREA,
        name=f"a page of {LINES} lines",
        subject=found["page of big"],
        baseline=found["page of small"],
        beside=f"a page of {FEW} lines",
        limit=2,
    )


async def _measured(gate: Gate) -> dict[str, float]:
    """Return the best times of showing a proposal, and of drawing a page of it."""
    from penstock.doors.tui.app import ReviewApp
    from penstock.doors.tui.gateway import ReviewDesk

    best = dict.fromkeys(("big", "small", "page of big", "page of small"), float("inf"))
    app = ReviewApp(ReviewDesk(gate, _Nobody()), live=False)
    async with app.run_test(size=SIZE) as pilot:
        await app.workers.wait_for_complete()
        for _ in range(ROUNDS):
            for name, one in (("big", app.found[0]), ("small", app.found[1])):
                began = time.perf_counter()
                await app.show(one).wait()
                await pilot.pause()
                best[name] = min(best[name], time.perf_counter() - began)
                page = _page(app.diff)
                best[f"page of {name}"] = min(best[f"page of {name}"], page)
    return best


def _page(view: Any) -> float:
    """Draw pages from the middle of a sheet; return the time of one."""
    began = time.perf_counter()
    for page in range(PAGES):
        view.scroll_to(y=len(view.sheet) // 2 + page * SIZE[1], animate=False, immediate=True)
        for y in range(view.size.height):
            view.render_line(y)
    return (time.perf_counter() - began) / PAGES


class _Nobody:
    """Whoever looks and answers nothing."""

    def locked(self) -> bool:
        return False

    def needs_code(self) -> bool:
        return False

    def unlock(self, passphrase: str, code: str | None) -> None:
        raise NotImplementedError

    def proof(self) -> Any:
        raise NotImplementedError

    def name(self) -> Any:
        raise NotImplementedError


def _telling(home: Path, gate: Gate) -> Iterator[Row]:
    """Propose where somebody is told, and where nobody is, turn by turn."""
    from penstock.app import process
    from penstock.gate import Item

    config = home / "config" / "penstock"
    config.mkdir(parents=True)
    told = 'version = 1\n[notify]\ntargets = ["json://127.0.0.1:9/"]\n'
    best = {"told": float("inf"), "alone": float("inf")}
    for at in range(8 * ROUNDS):
        name = "told" if at % 2 else "alone"
        (config / "penstock.toml").write_text(told if name == "told" else "version = 1\n")
        gate.policy()  # reading changed rules is not what is measured
        began = time.perf_counter()
        gate.propose([Item(path=f"{name}{at}.txt", content=b"x\n")])
        best[name] = min(best[name], time.perf_counter() - began)
    for pid in process._STARTED:
        with suppress(OSError):
            os.kill(pid, 9)
            os.waitpid(pid, 0)
    yield Row(
        area=AREA,
        name="proposing where somebody is told",
        subject=best["told"],
        baseline=best["alone"],
        beside="where nobody is",
        limit=2,
        note="while the first of a burst is told; that one also starts the process",
    )

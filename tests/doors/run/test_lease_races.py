"""A program writes a file again and again while each version is applied and leaves the layer.

PENSTOCK_RACES says how many times each program is raced. The long form takes about ten minutes:
`PENSTOCK_RACES=10000 python -m pytest -s tests/doors/run/test_lease_races.py`
"""

from __future__ import annotations

import os
import time

import pytest

from penstock.core.digest import digest
from penstock.core.run.entry import EntryKind, LayerNode
from tests.stores.isolation.ground import impossible, python
from tests.stores.isolation.test_absorb import Shell, in_shell

CANNOT = impossible()
pytestmark = [
    pytest.mark.skipif(bool(CANNOT), reason=f"NOT TESTED: this kernel cannot: {CANNOT}"),
    pytest.mark.skipif(not python(), reason="NOT TESTED: no python that every user can start"),
]
RACES = int(os.environ.get("PENSTOCK_RACES", "60"))
MOST_AT_ONCE = 500  # races of one run
SECONDS = 50  # for them; a slow machine has fewer
# Each adds lines one by one, and says in the end how many it added.
APPENDS = 'with open("target.txt", "a") as file: file.write(f"{count}\\n")'
IN_PLACE = """
    with open("target.txt", "r+") as file:
        file.read()
        file.write(f"{count}\\n")
"""
REPLACES = """
    with open("target.txt") as file: text = file.read()
    with open("target.tmp", "w") as file: file.write(f"{text}{count}\\n")
    os.replace("target.tmp", "target.txt")
"""
WRITERS = {"appends": APPENDS, "writes in place": IN_PLACE, "replaces": REPLACES}
WRITER = """
import os, random, time
count = 0
while not os.path.exists("/tmp/stop"):
    {step}
    count += 1
    time.sleep(random.random() / 20)
print(count)
"""


def race(step: str, races: int) -> list[object]:
    """Race a program that adds lines: how often, how often the file left, lines, the file."""

    def work(shell: Shell) -> list[object]:
        (shell.here.project / "target.txt").write_text("")
        (shell.here.project / "writer.py").write_text(WRITER.format(step=step.strip()))
        shell(f"{python()} writer.py > /tmp/count & true")
        gone, tried, until = 0, 0, time.monotonic() + SECONDS
        upper, real = shell.here.upper / "target.txt", shell.here.project / "target.txt"
        while (tried < races or not gone) and time.monotonic() < until:
            try:
                held = upper.read_bytes()
            except FileNotFoundError:
                continue
            tried += 1
            # As the gate applies it: a new file with what was read takes the real name.
            fresh = shell.here.base / "fresh"
            fresh.write_bytes(held)
            os.rename(fresh, real)
            node = LayerNode(kind=EntryKind.FILE, digest=digest(held))
            gone += len(shell.live.absorb({"target.txt": node}))
        count = shell("touch /tmp/stop; wait; cat /tmp/count")
        return [tried, gone, int(count), shell("cat target.txt")]

    return list(in_shell(work))


@pytest.mark.parametrize("way", WRITERS)
def test_no_line_is_lost_while_files_leave_the_layer(way: str) -> None:
    raced, left, lines = 0, 0, 0
    while raced < RACES:
        tried, gone, count, text = race(WRITERS[way], min(RACES - raced, MOST_AT_ONCE))
        assert isinstance(tried, int)
        assert isinstance(gone, int)
        assert isinstance(count, int)
        assert gone, "so the claim is about something"
        assert str(text).split() == [str(at) for at in range(count)], "a line is lost, or twice"
        raced, left, lines = raced + tried, left + gone, lines + count
    print(f"{way}: {raced} races, {left} times the file left the layer, {lines} lines were written")

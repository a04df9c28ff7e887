"""A program writes a file again and again while each version is applied and leaves the layer.

`PENSTOCK_RACES=10000` is the long form.
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
SECONDS = 50
# It adds lines, each with an open of its own, and says in the end how many it added.
WRITER = """
import os, random, time
count = 0
while not os.path.exists("/tmp/stop"):
    with open("target.txt", "a") as file:
        file.write(f"{count}\\n")
    count += 1
    time.sleep(random.random() / 20)
print(count)
"""


def test_no_line_is_lost_while_files_leave_the_layer() -> None:
    def work(shell: Shell) -> list[object]:
        (shell.here.project / "target.txt").write_text("")
        (shell.here.project / "writer.py").write_text(WRITER)
        shell(f"{python()} writer.py > /tmp/count & true")
        gone, tried, until = 0, 0, time.monotonic() + SECONDS
        upper, real = shell.here.upper / "target.txt", shell.here.project / "target.txt"
        while (tried < RACES or not gone) and time.monotonic() < until:
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
        return [tried, gone, count.strip(), shell("cat target.txt")]

    tried, gone, count, text = in_shell(work)
    print(f"{tried} races: {gone} files left the layer, {count} lines were written")
    assert gone, "so the claim is about something"
    lines = str(text).split()
    assert lines == [str(at) for at in range(int(str(count)))], "a line is lost or written twice"

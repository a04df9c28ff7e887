"""The LangGraph door: what looking at a write takes, large files, and a thousand writes at once.

Time is beside the tenth of a second that is promised for a file, or beside fewer files of the same
kind; memory is beside the limits of measuring alone, in a process of its own.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.changes import code, edited
from bench.row import Row, best_of, each, peak_memory
from penstock.langgraph import classify_write, generate_diff_preview, safe_file_write_gate

AREA = "langgraph"
MIB = 1 << 20
PROMISED = 0.1  # seconds for one file
LOOKED_AT = 20
FEW, MANY = 100, 1000


def rows() -> Iterator[Row]:
    """Measure in a project of its own."""
    with _project():
        yield from _small()
        yield from _many()
    yield from _written()
    yield from _large()


@contextmanager
def _project() -> Iterator[None]:
    """Work in a temporary project, with a state of its own."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory(prefix="penstock-bench-") as folder:
        os.mkdir(f"{folder}/project")
        os.environ["XDG_STATE_HOME"] = f"{folder}/state"
        os.chdir(f"{folder}/project")
        try:
            yield
        finally:
            os.chdir(before)


def _pair(lines: int, percent: float) -> tuple[str, str]:
    rng = random.Random(lines)
    before = [code(rng) for _ in range(lines)]
    after = list(edited(before, code, percent, rng))
    return "\n".join(before) + "\n", "\n".join(after) + "\n"


def _small() -> Iterator[Row]:
    """A file as people write them: classified, and with its diff."""
    for lines in (50, 500):
        before, after = _pair(lines, 60)
        Path("a.py").write_text(before, encoding="utf-8")

        def looked(after: str = after) -> None:
            classify_write("a.py", after)
            generate_diff_preview("a.py", after)

        (own,) = best_of([each(looked, times=LOOKED_AT)])
        yield Row(
            area=AREA,
            name=f"looking at a file of {lines} lines",
            subject=own / LOOKED_AT,
            baseline=PROMISED,
            beside="what is promised",
            limit=1,
        )


def _many() -> Iterator[Row]:
    """Writes that a person would have to see, all in one step."""
    before, after = _pair(120, 90)
    times = {count: _blocked(count, before, after) for count in (FEW, MANY)}
    yield Row(
        area=AREA,
        name=f"one of {MANY} large changes in one step",
        subject=times[MANY],
        baseline=times[FEW],
        beside=f"one of {FEW}",
        limit=1.5,
    )
    yield Row(
        area=AREA,
        name="the same",
        subject=times[MANY],
        baseline=PROMISED,
        beside="what is promised",
        limit=1,
        note=f"{peak_memory() / MIB:.0f} MiB at most",
    )


def _blocked(count: int, before: str, after: str) -> float:
    """Return the seconds for each of some writes that are blocked."""
    for number in range(count):
        Path(f"f{number}.py").write_text(before, encoding="utf-8")
    writes = [{"target_path": f"f{number}.py", "new_content": after} for number in range(count)]
    start = time.perf_counter()
    done = safe_file_write_gate({"pending_writes": writes, "auto_mode": True})  # type: ignore[typeddict-item]
    if len(done["rejected_writes"]) != count:
        raise RuntimeError("something was written")
    return (time.perf_counter() - start) / count


LOOK = """
import time
from penstock.langgraph import classify_write, generate_diff_preview

def held(name):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(name))

content = open("new.py", encoding="utf-8").read()
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")  # from here on, the highest size is counted anew
before = held("VmRSS")
start = time.perf_counter()
classify_write("old.py", content)
generate_diff_preview("old.py", content)
print((held("VmHWM") - before) * 1024, time.perf_counter() - start)
"""


WRITE = """
import langgraph.graph, langgraph.prebuilt, langgraph.types
from penstock.langgraph import safe_file_write_gate

def held(name):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(name))

write = {"target_path": "old.py", "new_content": open("new.py", encoding="utf-8").read()}
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")
before = held("VmRSS")
done = safe_file_write_gate({"pending_writes": [write], "auto_mode": True})
print((held("VmHWM") - before) * 1024, len(done["approved_writes"]))
"""


def _written() -> Iterator[Row]:
    """One large write through the node, in a process that has LangGraph already."""
    with _project():
        for name, text in zip(("old.py", "new.py"), _pair(440_000, 0.03), strict=True):
            Path(name).write_text(text, encoding="utf-8")
        argv = [sys.executable, "-c", WRITE]
        said = subprocess.check_output(argv, stderr=subprocess.DEVNULL, text=True)
    grown, written = said.split()
    if written != "1":
        raise RuntimeError("nothing was written")
    yield Row(
        area=AREA,
        name="memory, 15 MB written by the node",
        subject=float(grown),
        baseline=50 * MIB,
        beside="50 MiB",
        limit=1,
        unit="B",
    )


def _large() -> Iterator[Row]:
    """Classified and with the diff, beside the limits of measuring alone."""
    for megabytes, lines, limit in ((15, 440_000, 50), (100, 2_900_000, 100)):
        for percent in (0.03, 50):
            with _project():
                for name, text in zip(("old.py", "new.py"), _pair(lines, percent), strict=True):
                    Path(name).write_text(text, encoding="utf-8")
                said = subprocess.check_output(
                    [sys.executable, "-c", LOOK], stderr=subprocess.DEVNULL, text=True
                )
            grown, seconds = said.split()
            yield Row(
                area=AREA,
                name=f"memory, {megabytes} MB, {percent} % changed",
                subject=float(grown),
                baseline=limit * MIB,
                beside=f"{limit} MiB",
                limit=1,
                unit="B",
                note=f"{float(seconds):.1f} s",
            )

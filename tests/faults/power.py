"""Power cuts: the disk is an image on a loop device, and a cut is a copy of that image.

What a program wrote and did not flush is in memory and not in the image, so a copy taken at
any moment is what a disk would hold if the power failed then. The image is compared before
every system call and after the answer, without any flush of ours, and copied where it differs
from the last copy. Each copy is mounted in place of the original and looked at. A writer that
does not flush is tried as well, and must lose something: otherwise the copies would prove
nothing.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from penstock.stores.audit.remembered_head import BOOT_ID
from penstock.stores.files.step import is_temp_name
from tests.faults import gate, record, writer
from tests.faults.scenario import Scenario
from tests.faults.tracer import Plan, run

IMAGE_BYTES = 16 << 20
BLOCK = 1 << 16
NAMES = ["create", "create with parents", "modify", "remove", "set"]
SCENARIOS_CUT = [*gate.SCENARIOS, *record.SCENARIOS]


@dataclass(frozen=True)
class Cut:
    """A copy of the disk, which call was about to begin, and whether the answer was out."""

    image: str
    before: str
    answer: str | None


def command(*argv: str) -> None:
    """Run a command, which must work."""
    subprocess.run(argv, check=True, capture_output=True)


def why_not() -> str:
    """Return why no image can be mounted here, or nothing."""
    if not sys.platform.startswith("linux") or os.geteuid() != 0:
        return "only root on Linux mounts images"
    try:
        with tempfile.TemporaryDirectory() as folder, mounted(new_image(folder), folder + "/disk"):
            return ""
    except (OSError, subprocess.CalledProcessError) as problem:
        return f"no image can be made or mounted here: {problem}"


def new_image(folder: str) -> str:
    """Make an image with an ext4 file system, all of it written, so that nothing comes late."""
    image = os.path.join(folder, "image")
    with open(image, "wb") as file:
        file.truncate(IMAGE_BYTES)
    options = "lazy_itable_init=0,lazy_journal_init=0,nodiscard"
    command("mkfs.ext4", "-q", "-F", "-E", options, image)
    return image


@contextlib.contextmanager
def mounted(image: str, at: str) -> Iterator[str]:
    """Mount an image for the time of the block."""
    os.makedirs(at, exist_ok=True)
    command("mount", "-o", "loop", image, at)
    try:
        yield at
    finally:
        command("umount", at)


@contextlib.contextmanager
def restarted(image: str, folder: str) -> Iterator[str]:
    """Mount an image as after a restart: the disk has another number, the start another id."""
    other = os.path.join(folder, "other")
    with open(other, "wb") as file:
        file.truncate(1 << 20)
    found = subprocess.run(
        ["losetup", "--find", "--show", other], check=True, capture_output=True, text=True
    )
    start = os.path.join(folder, "boot_id")
    with open(start, "w", encoding="ascii") as file:
        file.write("00000000-0000-4000-8000-000000000000\n")
    command("mount", "--bind", start, BOOT_ID)
    try:
        with mounted(image, os.path.join(folder, "disk")) as disk:
            yield disk
    finally:
        command("umount", BOOT_ID)
        command("losetup", "--detach", found.stdout.strip())


def copied(image: str, to: str) -> None:
    """Copy an image as it is now; what is empty stays a hole."""
    with open(image, "rb") as source, open(to, "wb") as target:
        target.truncate(IMAGE_BYTES)
        while block := source.read(BLOCK):
            if block.count(0) != len(block):
                target.seek(source.tell() - len(block))
                target.write(block)


def digest_of(image: str) -> bytes:
    """Return what differs when the disk does."""
    with open(image, "rb") as file:
        return hashlib.file_digest(file, "sha1").digest()


def cuts(prepare: Callable[[str], None], act: Callable[[str], str], folder: str) -> list[Cut]:
    """Do one thing on a mounted image; cut the power before every call and after the end.

    Between two calls that leave the disk as it was, only the first cut is kept.
    """
    image = new_image(folder)
    taken: list[Cut] = []
    last = b""

    def cut(number: int, call: str, answer: str | None = None) -> None:
        nonlocal last
        now = digest_of(image)
        if now != last or answer is not None:
            copy = os.path.join(folder, f"cut-{number}")
            copied(image, copy)
            taken.append(Cut(copy, f"call {number}, {call}", answer))
            last = now

    with mounted(image, os.path.join(folder, "disk")) as disk:
        if problem := apart(lambda: prepare(disk)):
            raise RuntimeError(problem)
        command("sync", "-f", disk)
        trace = run(lambda: act(disk), Plan(pause=cut))
        cut(len(trace.calls) + 1, "nothing more", trace.answer)
    return taken


def looked_at(name: str, cut: Cut, folder: str) -> str:
    """Mount what a cut left, recover, and return what is wrong, if anything."""
    writes = writer.WRITES[name]
    check = writer.checked(writes, "")
    with restarted(cut.image, folder) as disk:
        if len(writes) == 1 and cut.answer is None:
            _clear_strays(disk)
        try:
            check(disk, cut.answer)
        except AssertionError as problem:
            return f"cut before {cut.before}, answered {cut.answer}: {problem}"
    return ""


def _clear_strays(disk: str) -> None:
    """Remove what one write may leave when the power fails before its note has reached the disk.

    The note of a single write is not flushed (see `stores.files.journal`). Only an empty note
    allows for a stray temporary file and empty parents; all else must be right as it is.
    """
    journal = os.path.join(disk, "journal")
    names = os.listdir(journal) if os.path.exists(journal) else []
    notes = [os.path.join(journal, name) for name in names]
    if any(os.path.getsize(note) for note in notes):
        return
    root = writer.root_of(disk)
    for at, _, names in os.walk(root, topdown=False):
        for name in names:
            full = os.path.join(at, name)
            if is_temp_name(name) and os.path.relpath(full, root) not in writer.STRANGERS:
                os.unlink(full)
        with contextlib.suppress(OSError):
            os.rmdir(at)


def problems(name: str, *, sync: bool) -> tuple[int, list[str]]:
    """Return how many cuts were tried on one write, and which it did not survive."""
    writes = writer.WRITES[name]
    with tempfile.TemporaryDirectory(prefix="penstock-power-") as folder:
        act = writer.written(writes, "", sync=sync)
        taken = cuts(writer.prepared(writes), act, folder)
        found = [looked_at(name, cut, folder) for cut in taken]
        return len(taken), [problem for problem in found if problem]


def problems_of(scenario: Scenario) -> tuple[int, list[str]]:
    """Return how many cuts were tried on a scenario, and which it did not survive."""
    with tempfile.TemporaryDirectory(prefix="penstock-power-") as folder:
        taken = cuts(scenario.prepare, scenario.act, folder)
        found = [_checked(scenario, cut, folder) for cut in taken]
        return len(taken), [problem for problem in found if problem]


def _checked(scenario: Scenario, cut: Cut, folder: str) -> str:
    with restarted(cut.image, folder) as disk:
        problem = apart(lambda: scenario.check(disk, cut.answer))
    return f"cut before {cut.before}, answered {cut.answer}: {problem}" if problem else ""


def apart(work: Callable[[], None]) -> str:
    """Do something in a process of its own; return what went wrong, if anything.

    What it left open would otherwise keep the image mounted.
    """
    reading, writing_end = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            work()
            said = ""
        except BaseException as problem:
            said = f"{type(problem).__name__}: {problem}"
        os.write(writing_end, said.encode()[:60_000])
        os._exit(0)
    os.close(writing_end)
    with os.fdopen(reading, "rb") as pipe:
        said = pipe.read().decode("utf-8", "replace")
    os.waitpid(child, 0)
    return said


def main(only: tuple[str, ...] = ("",)) -> bool:
    """Try the power cuts; True when all is as it should be."""
    chosen = [name for name in NAMES if f"power cut: {name}".startswith(only)]
    whole = [one for one in SCENARIOS_CUT if f"power cut: {one.name}".startswith(only)]
    if not chosen and not whole:
        return True
    if reason := why_not():
        print(f"SKIPPED: power cuts, because {reason}", file=sys.stderr)
        return True
    good = [_told(name, *problems(name, sync=True)) for name in chosen]
    good += [_told(one.name, *problems_of(one)) for one in whole]
    tried, lost = problems("modify", sync=False)
    seen = any("answered ok" in problem for problem in lost)
    word = "ok  " if seen else "BAD "
    print(f"{word}{'power cut: without flushing (a control)':40} {len(lost)} of {tried} found")
    return all(good) and seen


def _told(name: str, tried: int, found: list[str]) -> bool:
    word = "BAD " if found else "ok  "
    print(f"{word}{'power cut: ' + name:40} {len(found)} problem(s), tried: {tried}", flush=True)
    for problem in found[:20]:
        print(f"     {problem}")
    return not found

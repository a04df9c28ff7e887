"""Isolated runs: what their start costs, and what programs inside are slowed down by.

The start of a run is the start of the command, of the isolation, and of looking at what is left.
Programs inside read through an overlay. `isolation alone` is what no code of ours can make faster:
the namespaces and mounts, beside a bare interpreter that starts a process.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from bench.row import Row, best_of, command, least_cpu
from penstock.stores.isolation.layer import RunLayer
from penstock.stores.isolation.process import start
from penstock.stores.isolation.room import RoomPlan

ROUNDS = 7
FILES, FEW, FOLDERS = 100_000, 1_000, 200
SYNCED = 20
STATUS = "git status --porcelain"
# Many small programs that read and write: what builds and test runs consist of.
BUILD = (
    "for n in $(seq 60); do cp src/0/0.txt out.$n; sha256sum out.$n src/1/1?.txt; done; rm out.*"
)
TESTS = 40  # modules; each test reads files of the project and writes a temporary one
TEST = """import pathlib, tempfile, unittest
class Case(unittest.TestCase):
    pass
for at in range(10):
    def test(self, at=at):
        found = [one.read_text() for one in sorted(pathlib.Path("src", str(at)).glob("1?.txt"))]
        with tempfile.NamedTemporaryFile("w", dir=".") as file:
            file.writelines(found)
        self.assertEqual(len(found), 10)
    setattr(Case, f"test_{at}", test)
"""
TEST_RUN = f"{sys.executable} -B -m unittest discover -s tests"


def rows() -> Iterator[Row]:
    """Measure runs; nothing where this machine cannot isolate one."""
    place = Path(__file__).resolve().parent.parent
    with tempfile.TemporaryDirectory(prefix=".bench-run-", dir=place) as folder:
        small = _Ground(Path(folder, "small"), FEW)
        if small.isolated("true")() != 0:
            return
        yield from small.starts()
        yield small.syncing()
        large = _Ground(Path(folder, "large"), FILES)
        yield _with_many(large, small)
        yield from large.inside()
        yield large.reading()


def _with_many(large: _Ground, small: _Ground) -> Row:
    subject, baseline = least_cpu([large.isolated("true"), small.isolated("true")], rounds=ROUNDS)
    return Row(
        area="run", name=f"isolation over {FILES:,} files", subject=subject, baseline=baseline,
        beside=f"over {FEW:,}", limit=1.2, note="CPU time",
    )  # fmt: skip


class _Ground:
    """A project of many files, a home and a state, outside of /tmp: a run has its own of that."""

    def __init__(self, folder: Path, files: int) -> None:
        self.project, self.home, self.layers = folder / "p", folder / "home", folder / "layers"
        for one in (self.project, self.home, self.layers):
            one.mkdir(parents=True)
        subprocess.run(["git", "init", "-q", str(self.project)], check=True)
        for at in range(FOLDERS):
            (self.project / "src" / str(at)).mkdir(parents=True)
            for file in range(files // FOLDERS):
                (self.project / "src" / str(at) / f"{file}.txt").write_text(f"{at} {file}\n")
        (self.project / "tests").mkdir()
        for at in range(TESTS):
            (self.project / "tests" / f"test_{at}.py").write_text(TEST)
        self._git("add", "-A")
        self._git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "all")

    def _git(self, *words: str) -> None:
        subprocess.run(["git", "-C", self.project, *words], check=True)

    @property
    def environ(self) -> dict[str, str]:
        kept = {"HOME": str(self.home), "XDG_STATE_HOME": str(self.home / "state")}
        return {"PATH": os.environ["PATH"], "LC_ALL": "C", **kept}

    def plain(self, script: str) -> Callable[[], int]:
        """Return a call that runs a script without isolation."""
        return lambda: subprocess.run(
            ["sh", "-c", script], cwd=self.project, env=self.environ, check=False,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        ).returncode  # fmt: skip

    def isolated(self, script: str) -> Callable[[], int]:
        """Return a call that runs a script isolated, without the command around it."""
        plan = RoomPlan(
            folder=str(self.layers),
            project=str(self.project),
            directory=str(self.project),
            home=str(self.home),
            home_layer=str(self.layers / "home"),
            state="",
            hidden=(),
        )
        command = ("sh", "-c", f"exec >/dev/null 2>&1; {script}")
        return lambda: start(plan, command, self.environ).wait()

    def whole(self, script: str) -> Callable[[], int]:
        """Return a call of the whole command."""
        argv = [sys.executable, "-m", "penstock.cli", "run", "--", "sh", "-c", script]
        return lambda: subprocess.run(
            argv, cwd=self.project, env=self.environ, check=False,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        ).returncode  # fmt: skip

    def starts(self) -> Iterator[Row]:
        bare = command(sys.executable, "-I", "-S", "-c", "import subprocess")
        click = command(sys.executable, "-c", "import click")
        whole, imported = least_cpu([self.whole("true"), click], rounds=ROUNDS)
        alone, started = best_of([self.isolated("true"), bare], rounds=ROUNDS)
        yield Row(
            area="run", name="penstock run -- true", subject=whole, baseline=imported,
            beside="python -c 'import click'", limit=4.0, note="CPU time",
        )  # fmt: skip
        yield Row(
            area="run", name="isolation alone", subject=alone, baseline=started,
            beside="a bare python start", limit=4.0,
        )  # fmt: skip

    def inside(self) -> Iterator[Row]:
        for name, script, limit in (
            (f"git status, {FILES:,} files", STATUS, 3.0),
            ("a build of many small programs", BUILD, 1.1),
            (f"a test run, {TESTS * 10} tests", TEST_RUN, 1.1),
        ):
            calls = [self.isolated(script), self.plain(script), self.isolated("true")]
            subject, baseline, empty = least_cpu(calls, rounds=ROUNDS)
            yield Row(
                area="run", name=name, subject=max(0.0, subject - empty), baseline=baseline,
                beside="the same without a run", limit=limit,
                note="CPU time, without the run's own start",
            )  # fmt: skip

    def reading(self) -> Row:
        self.isolated("for one in src/*/1.txt src/*/1?.txt; do echo x >> $one; done")()
        upper = str(self.layers / "project" / "upper")
        layer = RunLayer(upper=upper, real=str(self.project))
        names = [path for path in Path(upper).rglob("*") if path.is_file()]

        def read() -> None:
            for path in names:
                path.read_bytes()
                (self.project / path.relative_to(upper)).read_bytes()

        whole, by_hand = best_of([lambda: list(layer.entries(lambda _: True)), read], rounds=ROUNDS)
        return Row(
            area="run", name=f"read a layer of {len(names):,} files", subject=whole,
            baseline=by_hand, beside="read both sides of each", limit=8.0,
        )  # fmt: skip

    def syncing(self) -> Row:
        script = f"for n in $(seq {SYNCED}); do head -c 9 /dev/urandom | base64 > new.$n; done"
        subject, baseline, empty = best_of(
            [self.whole(script), self._written, self.whole("true")], rounds=3
        )
        return Row(
            area="run", name=f"sync {SYNCED} files, each judged and logged",
            subject=max(0.0, subject - empty), baseline=baseline,
            beside="temp+fsync+rename+fsync each", note="without the run's own start",
        )  # fmt: skip

    def _written(self) -> None:
        for at in range(SYNCED):
            path = self.layers / f"by-hand-{at}"
            with open(f"{path}.tmp", "wb") as file:
                file.write(b"x\n")
                file.flush()
                os.fsync(file.fileno())
            os.rename(f"{path}.tmp", path)
            folder = os.open(self.layers, os.O_RDONLY)
            os.fsync(folder)
            os.close(folder)

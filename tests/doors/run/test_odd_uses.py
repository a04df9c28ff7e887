"""Uses of `penstock run` and `penstock runs` that nobody planned for, each with what happens."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.doors.run.live import LiveRun, live_run, soon
from tests.doors.run.test_run import run_id
from tests.ordinary_user import OrdinaryProject, not_here, ordinary_project
from tests.project import Project
from tests.stores.isolation.ground import impossible

CANNOT = impossible()
pytestmark = pytest.mark.skipif(bool(CANNOT), reason=f"NOT TESTED: this kernel cannot: {CANNOT}")

PENSTOCK = (sys.executable, "-m", "penstock.cli")
RUN = (*PENSTOCK, "run")
LARGE = "x" * 100_000
ROUNDS = 20
PATIENCE = 3000  # looks, 20 ms apart
STARTED = "Files change only through the gate."


@pytest.fixture
def here(project: Project) -> Project:
    shutil.rmtree(project.root / ".git")
    subprocess.run(["git", "init", "-q", "-b", "main", str(project.root)], check=True)
    project.write("a.txt", "1\n")
    project.write("sub/tool", "#!/bin/sh\necho from a tool\n").chmod(0o755)
    return project


@dataclass(frozen=True, kw_only=True)
class Odd:
    """One use: what is typed in a shell in the project, and what comes of it."""

    typed: str
    code: int = 0
    out: str = ""
    err: str = STARTED
    files: dict[str, str] = field(default_factory=dict)
    env: dict[str, str] = field(default_factory=dict)
    kept: bool = False


R = "$PENSTOCK run"
USES = {
    # How a command is named
    "no command": Odd(typed=R, code=64, err="the argument COMMAND is missing"),
    "nothing after the dashes": Odd(typed=f"{R} --", code=64, err="COMMAND is missing"),
    "without dashes": Odd(typed=f"{R} echo hi", out="hi\n"),
    "options of the command": Odd(typed=f"{R} -- echo --apply -h", out="--apply -h\n"),
    "an option that is none": Odd(typed=f"{R} --foo -- true", code=64, err="has no option `--foo`"),
    "a mode that is none": Odd(typed=f"{R} --require x -- true", code=64, err="`x` is not one of"),
    "an empty name": Odd(typed=f"{R} -- ''", code=127, err="`` cannot be started"),
    "a builtin": Odd(typed=f"{R} -- cd /", code=127, err="a builtin, function or alias"),
    "a file here": Odd(typed=f"{R} -- a.txt", code=127, err="for the file here: `./a.txt`"),
    "a path": Odd(typed=f"cd sub; {R} -- ./tool", out="from a tool\n"),
    "a path from elsewhere": Odd(typed=f"{R} -- sub/tool", out="from a tool\n"),
    "a file that cannot be run": Odd(typed=f"{R} -- ./a.txt", code=126, err="permission denied"),
    "a directory": Odd(typed=f"{R} -- ./sub", code=126, err="`./sub` cannot be started"),
    "no PATH": Odd(typed=f"PATH=; {R} -- /bin/echo hi", out="hi\n"),
    # How it ends
    "an exit code": Odd(typed=f"{R} -- sh -c 'exit 77'", code=77),
    "a signal": Odd(typed=f"{R} -- sh -c 'kill -KILL $$'", code=137),
    "pending": Odd(typed=f"{R} --apply ask --no-wait -- sh -c 'echo 2 > a.txt'", code=3,
                   err="1 pending", kept=True),
    "pending, and an exit code": Odd(
        typed=f"{R} --apply ask --no-wait -- sh -c 'echo 2 > a.txt; exit 5'", code=5, kept=True),
    # Descriptors
    "input from a pipe": Odd(typed=f"echo piped | {R} -- cat", out="piped\n"),
    "input from a file": Odd(typed=f"{R} -- cat < a.txt", out="1\n"),
    "input from nowhere": Odd(typed=f"{R} -- cat < /dev/null"),
    "no input": Odd(typed=f"{R} -- cat <&-"),
    "no output": Odd(typed=f"{R} -- sh -c 'echo 2 > a.txt' >&-", files={"a.txt": "2\n"}),
    "nothing at all": Odd(typed=f"{R} -- sh -c 'echo 2 > a.txt' <&- >&- 2>&-", err="",
                          files={"a.txt": "2\n"}),
    "output to a file": Odd(typed=f"{R} -- echo hi > out.txt", files={"out.txt": "hi\n"}),
    "output to a file of the run's own": Odd(
        typed=f"{R} -- sh -c 'echo hi; echo 2 > a.txt' > out.txt 2>&1",
        err="", files={"a.txt": "2\n"}),
    "output into a pipe that closes": Odd(typed=f"{R} -- yes | head -n 1", out="y\n"),
    "in the background": Odd(typed=f"{R} -- sh -c 'echo 2 > a.txt' & wait", files={"a.txt": "2\n"}),
    "without a terminal": Odd(typed=f"setsid -w {R} -- sh -c 'echo 2 > a.txt'",
                              files={"a.txt": "2\n"}),
    # Variables
    "large variables": Odd(typed=f"{R} -- sh -c 'echo ${{#BIG}} ${{#MORE}}'", out="100000 100000\n",
                           env={"BIG": LARGE, "MORE": LARGE}),
    "no HOME": Odd(typed=f"env -u HOME {R} -- sh -c 'echo 2 > a.txt'", files={"a.txt": "2\n"}),
    "a HOME that is not there": Odd(typed=f"HOME=/nowhere {R} -- true"),
    "a large argument": Odd(typed=f"{R} -- sh -c 'echo ${{#1}}' sh \"$BIG\"", out="100000\n",
                            env={"BIG": LARGE}),
    # Where it is started
    "in a subdirectory": Odd(typed=f"cd sub; {R} -- sh -c 'echo 2 > b.txt'",
                             files={"sub/b.txt": "2\n"}),
    "in a directory behind a link": Odd(
        typed=f"ln -s $PWD ../link; cd ../link; {R} -- sh -c 'echo 2 > a.txt'",
        files={"a.txt": "2\n"}),
    "outside of a repository": Odd(typed=f"rm -rf .git; {R} -- sh -c 'echo 2 > a.txt'",
                                   files={"a.txt": "2\n"}),
    "a repository that is none": Odd(typed=f"rm -r .git/*; {R} -- sh -c 'echo 2 > a.txt'",
                                     files={"a.txt": "2\n"}),
    "by the name of the project": Odd(typed=f"P=$PWD; cd /; {R} --workspace $P -- cat a.txt",
                                      out="1\n"),
    "by a name that is none": Odd(typed=f"{R} --workspace nowhere -- true", code=1,
                                  err="error[no-workspace]"),
    "in a directory that is gone": Odd(typed=f"mkdir gone; cd gone; rmdir ../gone; {R} -- true",
                                       code=1, err="the current directory does not exist any more"),
    "in a directory that is gone, by name": Odd(
        typed=f"P=$PWD; mkdir gone; cd gone; rmdir ../gone; {R} --workspace $P -- cat a.txt",
        out="1\n"),
    "in the home directory": Odd(typed=f"HOME=$PWD {R} -- sh -c 'echo 2 > a.txt'", code=69,
                                 err="is your home directory", files={"a.txt": "1\n"}),
    "above the home directory": Odd(typed=f"HOME=$PWD/sub {R} -- true", code=69,
                                    err="contains your home directory"),
    "in the root": Odd(typed=f"cd /; {R} -- true", code=69, err="`/` contains your home directory"),
    # Runs in runs, and what is asked about runs
    "a run in a run": Odd(typed=f"{R} -- {' '.join(RUN)} -- true", code=69,
                          err="this is an isolated run already"),
    "an approval in a run": Odd(typed=f"{R} -- {' '.join(PENSTOCK)} approve x", code=1,
                                err="use your own terminal"),
    "no run": Odd(typed="$PENSTOCK runs", err="no runs are kept here"),
    "the diff of no run": Odd(typed="$PENSTOCK runs diff", code=1, err="error[not-found]"),
    "a run that is none": Odd(typed="$PENSTOCK runs apply r-x", code=1, err="no run `r-x`"),
    "nothing to clean": Odd(typed="$PENSTOCK runs clean", err="nothing was removed"),
    "drop without a name": Odd(typed="$PENSTOCK runs drop", code=64, err="RUN is missing"),
    "a command of runs that is none": Odd(typed="$PENSTOCK runs x", code=64, err="no command"),
}  # fmt: skip


@pytest.mark.parametrize("name", USES)
def test_each_odd_use_does_what_is_expected(here: Project, name: str) -> None:
    use = USES[name]
    done = subprocess.run(
        ["bash", "-c", use.typed],
        cwd=here.root, env={**here.environ, "PENSTOCK": " ".join(PENSTOCK), **use.env},
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert "Traceback" not in done.stderr
    assert done.returncode == use.code, done.stderr
    assert done.stdout == use.out, done.stderr
    assert use.err in done.stderr
    for path, text in use.files.items():
        assert (here.root / path).read_text() == text, done.stderr
    assert bool(here.run("runs", "--json").json["runs"]) == use.kept


def test_what_is_said_about_a_run_comes_before_what_its_command_says(here: Project) -> None:
    for mode in ("overlay", "copy"):
        done = subprocess.run(
            [*RUN, "--require", mode, "--", "sh", "-c", "echo first of the command >&2"],
            cwd=here.root, env=here.environ, capture_output=True, text=True, check=False,
        )  # fmt: skip
        lines = done.stderr.splitlines()
        assert lines.index("first of the command") > max(
            at for at, line in enumerate(lines) if "started (" in line or "in a copy" in line
        )
        assert "finished" in lines[-1] or "finished" in lines[-2]


@pytest.mark.parametrize("mode", ["overlay", "copy"])
@pytest.mark.parametrize("name", ["STOP", "TSTP"])
def test_a_command_that_stops_itself_stops_us_and_goes_on_with_us(
    here: Project, name: str, mode: str
) -> None:
    """As editors and agents do at Ctrl-Z; the shell waits for us, not for them."""
    with JobRun(here, f"kill -{name} $$; echo went on", "--require", mode) as process:
        status = soon_changed(process, os.WUNTRACED)
        assert os.WIFSTOPPED(status)
        os.kill(process.pid, signal.SIGCONT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (0, "went on\n"), err


def test_a_terminal_that_stops_all_of_us_continues_us(here: Project) -> None:
    script = "echo ready; while [ ! -e over ]; do sleep 0.05; done; echo went on"
    with JobRun(here, script) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        os.killpg(process.pid, signal.SIGTSTP)
        status = soon_changed(process, os.WUNTRACED)
        assert os.WIFSTOPPED(status)
        os.killpg(process.pid, signal.SIGCONT)
        here.write("over", "")
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (0, "went on\n"), err


@pytest.mark.parametrize("mode", ["overlay", "copy"])
def test_a_stop_that_is_over_stops_nobody_again(here: Project, mode: str) -> None:
    """Word of a stop can come late: each one is continued once, and that is enough."""
    script = "while read word; do echo $word; done"
    with JobRun(here, script, "--require", mode, stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        answer(process, "ready")
        for at in range(ROUNDS):
            os.killpg(process.pid, signal.SIGTSTP)
            status = soon_changed(process, os.WUNTRACED)
            assert os.WIFSTOPPED(status)
            os.killpg(process.pid, signal.SIGCONT)
            status = soon_changed(process, os.WCONTINUED)
            assert os.WIFCONTINUED(status)
            answer(process, f"round {at}")
            assert os.waitpid(process.pid, os.WUNTRACED | os.WNOHANG) == (0, 0)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 0, err


def test_a_command_that_takes_no_notice_of_the_terminal_goes_on(here: Project) -> None:
    script = "trap '' TSTP; while read word; do echo $word; done"
    with JobRun(here, script, stdin=subprocess.PIPE) as process:
        answer(process, "ready")
        os.killpg(process.pid, signal.SIGTSTP)
        answer(process, "still here")
        assert os.waitpid(process.pid, os.WUNTRACED | os.WNOHANG) == (0, 0)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 0, err


def answer(process: subprocess.Popen[str], word: str) -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(f"{word}\n")
    process.stdin.flush()
    assert process.stdout.readline() == f"{word}\n"


def soon_changed(process: subprocess.Popen[str], what: int) -> int:
    """Return the status of a process that stops or goes on, as a shell waits for it; bounded."""
    for _ in range(PATIENCE):
        found, status = os.waitpid(process.pid, what | os.WNOHANG)
        if found:
            return status
        time.sleep(0.02)
    raise AssertionError("it neither stopped nor went on")


class JobRun:
    """A run in a process group of its own, as a shell makes one for a job."""

    def __init__(
        self, here: Project, script: str, *options: str, stdin: int = subprocess.DEVNULL
    ) -> None:
        self.process = subprocess.Popen(
            [*RUN, *options, "--", "sh", "-c", script],
            cwd=here.root, env=here.environ, stdin=stdin, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, process_group=0,
        )  # fmt: skip

    def __enter__(self) -> subprocess.Popen[str]:
        return self.process

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()


def test_two_runs_of_one_project_at_once(here: Project) -> None:
    """Each sees what the other had applied, and neither overwrites the other unasked."""
    with live_run(here) as one, live_run(here) as two:
        one("echo of one > one.txt; echo 2 >> a.txt")
        two("echo of two > two.txt")
        assert soon(lambda: one.real("one.txt") == "of one\n" and one.real("a.txt") == "1\n2\n")
        assert soon(lambda: two("cat one.txt a.txt 2>/dev/null") == "of one\n1\n2\n")
        two("echo 3 >> a.txt")  # a moment after the other's: it may need approval

        def settled() -> bool:
            pending = [one["path"] for one in here.run("proposals", "--json").json["proposals"]]
            return one.real("a.txt") == "1\n2\n3\n" or "a.txt" in pending

        assert soon(settled)
        assert str(one.real("a.txt")).startswith("1\n2\n")
        assert len(here.run("runs", "--json").json["runs"]) == 2
        busy = here.run("runs", "drop", _running(here, one), "--yes")
        assert (busy.code, "error[run-busy]" in busy.err) == (2, True)
        assert (one.end(), two.end()) != ("", "")
    assert here.run("audit", "verify").code == 0


def _running(here: Project, run: LiveRun) -> str:
    return run("echo $PENSTOCK_RUN").strip()


@pytest.fixture
def ordinary() -> Iterator[OrdinaryProject]:
    because = not_here()
    if because:
        pytest.skip(f"ORDINARY USER NOT RUN: {because}")
    with ordinary_project() as found:
        yield found


def test_a_project_that_its_user_may_not_write(ordinary: OrdinaryProject) -> None:
    """Nothing is written; what could not be is named, and kept in the layer."""
    if os.geteuid() != 0:
        pytest.skip("NOT TESTED: needs root to give the project to somebody else")
    theirs = ordinary.home.parent / "elsewhere"
    (theirs / "a.txt").write_text("1\n")
    for place in (theirs, theirs / "a.txt", theirs / "other.txt"):
        os.chown(place, 0, 0)
    done = subprocess_as(ordinary, theirs, "sh", "-c", "echo 2 > a.txt; echo 3 > b.txt; exit 0")
    assert done.returncode == 0, done.stderr
    assert "1 not written (b.txt)" in done.stderr
    assert sorted(one.name for one in theirs.iterdir()) == ["a.txt", "other.txt"]
    assert (theirs / "a.txt").read_text() == "1\n"


def subprocess_as(
    ordinary: OrdinaryProject, folder: Path, *command: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*ordinary.words, *ordinary.command, "run", "--workspace", ".", "--", *command],
        cwd=folder, env=ordinary.environ, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


def test_a_state_that_cannot_be_written_is_an_error_and_nothing_starts(
    ordinary: OrdinaryProject,
) -> None:
    (ordinary.home / "state").mkdir()
    ordinary.ground.give()
    os.chmod(ordinary.home / "state", 0o500)
    done = ordinary.run("run", "--", "sh", "-c", "echo started > target.txt")
    assert done.code == 1, done.err
    assert "error[no-access]" in done.err
    assert ordinary.ground.target.read_text() == "real\n"


def test_the_list_of_runs_is_short_and_shows_nothing_hidden(here: Project) -> None:
    script = f"echo 2 > a.txt; : '\x1b[31m' {'x' * 200}"
    done = here.run("run", "--apply", "ask", "--", "sh", "-c", script)
    listed = here.run("runs").out
    assert listed.startswith(f"{run_id(done)}  ended")
    assert "\x1b" not in listed
    assert "x" * 100 not in listed
    assert " ago " in listed or " now " in listed

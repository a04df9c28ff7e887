"""How a command in an isolated run starts, is signalled and ends, and what it does not see."""

from __future__ import annotations

import errno
import importlib
import os
import signal
import subprocess
from pathlib import Path

import pytest

from penstock.stores.isolation import confine
from penstock.stores.isolation.probe import try_out
from penstock.stores.isolation.process import start
from tests.stores.isolation.ground import REAL, ground, impossible, python

CANNOT = impossible()
PYTHON = python()
pytestmark = [
    pytest.mark.skipif(bool(CANNOT), reason=f"NOT TESTED: this kernel cannot isolate: {CANNOT}"),
    pytest.mark.skipif(not PYTHON, reason="NOT TESTED: no python that every user can start"),
]

ENDINGS = [
    ("exit 0", 0),
    ("exit 7", 7),
    ("kill -TERM $$", 128 + signal.SIGTERM),
    ("kill -KILL $$", 128 + signal.SIGKILL),
]


@pytest.mark.parametrize(("script", "code"), ENDINGS, ids=[row[0] for row in ENDINGS])
def test_the_exit_code_is_the_commands_own(script: str, code: int) -> None:
    with ground() as here:
        assert here.as_user(lambda: here.isolated(["sh", "-c", script])) == code


@pytest.mark.parametrize(("command", "code"), [("no-such-program", 127), ("/etc/passwd", 126)])
def test_a_command_that_cannot_be_started_says_so(command: str, code: int) -> None:
    with ground() as here:
        assert here.as_user(lambda: here.isolated([command])) == code


def test_a_signal_is_handed_on_and_one_from_the_terminal_is_left_to_the_command() -> None:
    script = (
        "import os, signal, sys\n"
        "signal.signal(signal.SIGTERM, lambda *_: sys.exit(42))\n"
        "os.write(1, b'up')\n"
        "while True: signal.pause()"
    )

    def work() -> int:
        read, write = os.pipe()
        os.dup2(write, 1)
        process = start(here.plan(), [PYTHON, "-c", script], here.environ())
        assert os.read(read, 2) == b"up"
        above = os.getpid()
        if os.fork() == 0:
            while not _ignores(above, signal.SIGINT):
                os.sched_yield()
            os.kill(above, signal.SIGINT)  # what Ctrl-C sends to us; the command gets its own
            os.kill(above, signal.SIGTERM)
            os._exit(0)
        return process.wait()

    with ground() as here:
        assert here.as_user(work) == 42


def _ignores(process: int, number: int) -> bool:
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    (mask,) = [int(line.split()[1], 16) for line in lines if line.startswith("SigIgn")]
    return bool(mask >> (number - 1) & 1)


def test_what_a_command_leaves_running_ends_with_it() -> None:
    mark = f"penstock-stays-{os.urandom(6).hex()}"
    script = f"setsid sh -c 'sleep 300; : {mark}' </dev/null >/dev/null 2>&1 & exit 3"
    with ground() as here:
        assert here.as_user(lambda: here.isolated(["sh", "-c", script])) == 3
        assert not _named(mark), "a process of the run is left"
        assert here.as_user(lambda: here.plain(["sh", "-c", script])) == 3
        left = _named(mark)
        assert left, "without isolation it stays, so the claim is about something"
        for number in left:
            os.kill(number, signal.SIGKILL)


def _named(mark: str) -> list[int]:
    found = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            if mark.encode() in Path(f"/proc/{entry}/cmdline").read_bytes():
                found.append(int(entry))
        except OSError:
            continue
    return found


def test_files_on_standard_descriptors_are_read_and_written_through_pipes() -> None:
    with ground() as here:
        given, made = here.elsewhere / "given", here.elsewhere / "made"
        given.write_bytes(b"line\n" * 50_000)  # more than a pipe holds
        made.write_bytes(b"before\n")
        here.give()

        def work() -> int:
            os.dup2(os.open(given, os.O_RDONLY), 0)
            os.dup2(os.open(made, os.O_WRONLY | os.O_APPEND), 1)
            os.dup2(1, 2)
            return here.isolated(["sh", "-c", "cat; echo end >&2"])

        assert here.as_user(work) == 0
        assert made.read_bytes() == b"before\n" + given.read_bytes() + b"end\n"


SEEN = [
    ("a hidden directory", "cat $HOME/.ssh/id", 1),
    ("penstock's state", "ls $HOME/.local/state/penstock/runs", 2),
    ("another user's processes", "ls -d /proc/[0-9]* | grep -c . | grep -qx '[1-9]'", 0),
    ("a disk", "ls /dev/vda /dev/sda /dev/nvme0n1", 2),
    ("nothing in /run", "test -z \"$(find /run -type s)\"", 0),
    ("what it wrote itself", "echo new > target.txt && grep -q new target.txt", 0),
    ("a place for temporary files", "mktemp && mktemp -p /var/tmp && mktemp -p /dev/shm", 0),
    ("the home it may write", "echo x >> $HOME/.bashrc", 0),
    ("a sandbox of its own", "unshare -Urmpf --mount-proc sh -c 'mount -t tmpfs x /tmp'", 0),
]  # fmt: skip


@pytest.mark.parametrize(("what", "script", "code"), SEEN, ids=[row[0] for row in SEEN])
def test_a_command_sees(what: str, script: str, code: int) -> None:
    with ground() as here:
        assert here.as_user(lambda: here.isolated(["sh", "-c", script])) == code, what
        assert here.target.read_bytes() == REAL
        assert (here.home / ".bashrc").read_bytes() == REAL


TYPE = (
    "import fcntl, sys\n"
    "try: fcntl.ioctl(0, int(sys.argv[1]), b'x')\n"
    "except OSError as problem: sys.exit(problem.errno)"
)


@pytest.mark.parametrize("request_", [confine.TIOCSTI, confine.TIOCLINUX])
def test_nothing_is_typed_into_the_terminal(request_: int) -> None:
    command = [PYTHON, "-c", TYPE, str(request_)]
    with ground() as here:
        assert here.as_user(lambda: here.isolated(command)) == errno.EPERM
        assert here.as_user(lambda: here.plain(command)) != errno.EPERM


RIGHTS = (
    "grep -q 'CapBnd:.0000000000000000' /proc/self/status && "
    "grep -q 'CapEff:.0000000000000000' /proc/self/status && "
    "grep -q 'NoNewPrivs:.1' /proc/self/status && grep -q 'Seccomp:.2' /proc/self/status"
)


@pytest.mark.parametrize("user", [None, 0], ids=["an ordinary user", "root"])
def test_a_command_has_no_rights_beyond_its_users(user: int | None) -> None:
    if user == 0 and os.geteuid() != 0:
        pytest.skip("NOT TESTED: needs root")
    with ground(user) as here:
        assert here.as_user(lambda: here.isolated(["sh", "-c", RIGHTS])) == 0


ROOTS_WAYS = [
    "echo x > /proc/sys/kernel/core_pattern",
    "echo b > /proc/sysrq-trigger.test || echo 0 > /proc/sysrq-trigger",
    "echo 1 > /proc/sys/vm/drop_caches",
    "mknod disk b 254 0",
    "chown 1 target.txt",
    "mount -o remount,rw /",
    "echo x > /etc/penstock-escaped",
    "echo x > /sys/kernel/uevent_helper",
]


@pytest.mark.skipif(os.geteuid() != 0, reason="NOT TESTED: needs root")
@pytest.mark.parametrize("script", ROOTS_WAYS)
def test_root_gets_the_same_isolation(script: str) -> None:
    with ground(0) as here:
        pattern = Path("/proc/sys/kernel/core_pattern").read_bytes()
        assert here.as_user(lambda: here.isolated(["sh", "-c", script])) != 0
        assert Path("/proc/sys/kernel/core_pattern").read_bytes() == pattern
        assert here.target.read_bytes() == REAL
        assert not Path("/etc/penstock-escaped").exists()


def test_a_file_that_is_saved_outside_is_seen_after_a_refresh() -> None:
    script = "cat target.txt; read _; cat target.txt"

    def work() -> list[str]:
        to_command, commands = os.pipe()
        from_command, answers = os.pipe()
        os.dup2(to_command, 0)
        os.dup2(answers, 1)
        process = start(here.plan(), ["sh", "-c", script], here.environ())
        before = os.read(from_command, 100).decode()
        fresh = here.project / ".fresh"
        fresh.write_text("saved by its user\n")
        fresh.rename(here.target)
        process.refresh()
        os.write(commands, b"\n")
        after = os.read(from_command, 100).decode()
        process.wait()
        return [before, after]

    with ground() as here:
        assert here.as_user(work) == ["real\n", "saved by its user\n"]


def test_a_layer_is_used_again() -> None:
    with ground() as here:
        assert here.as_user(lambda: here.isolated(["sh", "-c", "echo kept > new"])) == 0
        assert here.as_user(lambda: here.isolated(["grep", "-q", "kept", "new"])) == 0
        assert not (here.project / "new").exists()


def test_where_a_run_cannot_be_isolated_the_command_is_not_started() -> None:
    def work() -> int:
        mark = here.elsewhere / "started"
        return here.isolated(["touch", str(mark)], project="/proc/self")

    with ground() as here:
        said = here.as_user(work)
        assert said["code"] == "no-isolation"
        assert "not started" in said["fault"]
        assert not (here.elsewhere / "started").exists()


def test_the_trial_of_a_machine_leaves_nothing() -> None:
    def work() -> list[object]:
        found = try_out(str(here.state))
        return [found.problem, sorted(os.listdir(here.state))]

    with ground() as here:
        assert here.as_user(work) == ["", ["runs"]]


def test_a_compiled_program_changes_nothing_real(tmp_path: Path) -> None:
    source = tmp_path / "w.c"
    source.write_text(
        "#include <stdio.h>\nint main(int n, char **a)"
        '{FILE *f = fopen(a[1], "w"); return f ? fputs("compiled", f) < 0 : 9;}\n'
    )
    with ground() as here:
        program = here.elsewhere / "w"
        try:
            subprocess.run(["cc", "-o", str(program), str(source)], check=True)
        except FileNotFoundError:
            pytest.skip("NOT TESTED: no C compiler")
        here.give()
        assert here.as_user(lambda: here.isolated([str(program), str(here.target)])) == 0
        assert here.target.read_bytes() == REAL
        assert (here.upper / "target.txt").read_bytes() == b"compiled"


def test_our_processes_import_nothing_that_the_command_could_have_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Neither the one that starts the command, nor one that enters its namespaces later."""
    name = "written_in_a_run"

    def imported(*_: object) -> bytes:
        return str(importlib.import_module(name).__name__).encode()

    def later() -> list[str]:
        process = start(here.plan(), ["sleep", "60"], here.environ())
        before = process.inside(lambda: b"it is there")
        found = process.inside(imported)
        os.kill(process.keeper, signal.SIGKILL)
        process.wait()
        return [before.decode(), found.decode()]

    with ground() as here:
        (here.project / f"{name}.py").write_text("")
        monkeypatch.syspath_prepend(str(here.project))
        here.give()
        assert here.as_user(lambda: imported().decode()) == name  # without a run
        assert here.as_user(later) == ["it is there", ""]
        monkeypatch.setattr("penstock.stores.isolation.process.build", imported)
        refused = here.as_user(lambda: here.isolated(["true"]))
        assert name in refused["fault"]


def test_without_a_network_the_machine_that_this_one_runs_in_is_out_of_reach() -> None:
    """A socket to it belongs to no network namespace, and io_uring makes some unseen."""
    script = (
        "import ctypes, socket\n"
        "try: socket.socket(socket.AF_VSOCK)\n"
        "except OSError as fault: assert fault.errno == 97; vsock = True\n"
        "else: vsock = False\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "libc.syscall(425, 1, 0)\n"
        "ring = ctypes.get_errno() == 38\n"
        "socket.socketpair()\n"
        "raise SystemExit(10 * vsock + ring)"
    )
    command = [PYTHON, "-c", script]
    with ground() as here:
        assert here.as_user(lambda: here.isolated(command, network=False)) == 11
        if here.as_user(lambda: here.plain(command)) == 0:  # this kernel has both
            assert here.as_user(lambda: here.isolated(command)) == 0

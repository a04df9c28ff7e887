"""Each layer of an isolated run is there for something: switched off, its attempts go through.

A layer that another one stands behind is switched off together with it, and alone it changes
nothing: SECURITY.md calls those a second wall.
"""

from __future__ import annotations

import errno
import json
import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from penstock.stores.isolation import confine, process, room, streams, syscalls
from tests.stores.isolation.escapes import ESCAPES, HEAD
from tests.stores.isolation.ground import Ground, ground, impossible, python
from tests.stores.isolation.test_escapes import Outside, standard
from tests.stores.isolation.test_process import TYPE

CANNOT = impossible()
PYTHON = python()
pytestmark = [
    pytest.mark.skipif(bool(CANNOT), reason=f"NOT TESTED: this kernel cannot isolate: {CANNOT}"),
    pytest.mark.skipif(not PYTHON, reason="NOT TESTED: no python that every user can start"),
]

Off = Callable[[], None]


def nothing(*_: object, **__: object) -> None:
    """Stand in for a step that is switched off."""


def off(module: object, name: str, value: object = nothing) -> Off:
    """Return what switches a step off, in the process that calls it."""
    return lambda: setattr(module, name, value)


def all_of(*steps: Off) -> Off:
    """Return what switches several steps off."""

    def switch() -> None:
        for step in steps:
            step()

    return switch


MOUNT = syscalls.mount


def written_directly(place: str, layer: str, root: str) -> None:
    """Show a directory itself where a layer should be."""
    del layer
    os.makedirs(root + place, exist_ok=True)
    MOUNT(place, root + place, "", syscalls.BIND | syscalls.REC)


def no_process_namespace() -> None:
    """Leave the command among the processes of its user, with their /proc."""
    off(process, "SPACES", process.SPACES & ~syscalls.NEWPID)()
    off(syscalls, "die_with_parent")()
    off(room, "mount", with_real_proc)()


def with_real_proc(
    source: str, target: str, kind: str = "", flags: int = 0, data: str = ""
) -> None:
    """Mount as asked for, but show all processes."""
    if kind == "proc":
        MOUNT("/proc", target, "", syscalls.BIND | syscalls.REC)
    else:
        MOUNT(source, target, kind, flags, data)


SEALS = off(room, "_seal", lambda *_: True)
READ_ONLY = off(room, "read_only")
SCOPE = off(confine, "scope")
DESCRIPTORS = all_of(off(confine, "close_descriptors"), off(process, "close_descriptors"))
UNMOUNT = (
    "lines = open('/proc/self/mountinfo').read().splitlines()\n"
    "places = [line.split()[4] for line in lines]\n"
    "[lib.umount2(os.fsencode(p), 2) for p in reversed(places) if p not in ('/', '/proc')]\n"
    "[mount(None, p, None, 32 | 4096) for p in ['/', *places]]\n"
    "write(other)"
)

LAYERS: list[tuple[str, Off, tuple[str, ...]]] = [
    (
        "overlays over project and home",
        off(room, "_own_layer", written_directly),
        ("write a file", "delete a file", "write in the home directory", "map a file"),
    ),
    ("sealed sockets and pipes", SEALS, ("a socket with a path", "a pipe with a path")),
    ("read-only, both walls", all_of(SEALS, READ_ONLY), ("write elsewhere", "/proc/self/root")),
    ("process namespace", no_process_namespace, ("a niceness",)),
    ("process namespace and scope", all_of(no_process_namespace, SCOPE), ("a signal",)),
    (
        "IPC namespace",
        off(process, "SPACES", process.SPACES & ~syscalls.NEWIPC),
        ("shared memory", "a message queue"),
    ),
    ("Landlock scope", SCOPE, ("an abstract socket",)),
    ("no descriptors", DESCRIPTORS, ("a descriptor that was left open",)),
    (
        "pipes for files",
        off(streams, "needs_pipe", lambda _: False),
        ("open standard input again", "open standard output again"),
    ),
]
ROWS = [(name, step, attempt) for name, step, attempts in LAYERS for attempt in attempts]


def tried(here: Ground, script: str, switch: Off) -> list[str]:
    def work() -> list[str]:
        switch()
        outside = Outside(here)
        try:
            command = [PYTHON, "-c", HEAD + script, json.dumps(outside.facts())]
            with standard(outside):
                here.isolated(command)
            return outside.reached()
        finally:
            outside.close()

    found = here.as_user(work)
    assert isinstance(found, list), found
    return found


@pytest.mark.parametrize(("name", "step", "attempt"), ROWS, ids=[f"{r[0]}: {r[2]}" for r in ROWS])
def test_without_the_layer_its_attempt_goes_through(name: str, step: Off, attempt: str) -> None:
    script = ESCAPES[attempt]
    with ground() as here:
        assert tried(here, script, step), f"`{attempt}` is stopped without {name}, too"
    with ground() as here:
        assert not tried(here, script, nothing)


SECOND_WALLS: list[tuple[str, Off, str]] = [
    ("read-only mounts, behind the seals", READ_ONLY, "write elsewhere"),
    ("seals, behind read-only mounts", SEALS, "write elsewhere"),
    ("scope of signals, behind the process namespace", SCOPE, "a signal"),
]


@pytest.mark.parametrize(
    ("name", "step", "attempt"), SECOND_WALLS, ids=[row[0] for row in SECOND_WALLS]
)
def test_a_second_wall_stands_by_itself(name: str, step: Off, attempt: str) -> None:
    with ground() as here:
        assert not tried(here, ESCAPES[attempt], step), name


def test_without_the_filter_a_command_types_into_a_terminal() -> None:
    def work() -> int:
        off(confine, "refuse_calls")()
        return here.isolated(command)

    command = [PYTHON, "-c", TYPE, str(confine.TIOCSTI)]
    with ground() as here:
        assert here.as_user(lambda: here.isolated(command)) == errno.EPERM
        assert here.as_user(work) != errno.EPERM


def test_without_hiding_keys_are_read() -> None:
    with ground() as here:
        command = ["cat", str(here.home / ".ssh/id")]
        assert here.as_user(lambda: here.isolated(command)) == 1
        assert here.as_user(lambda: here.isolated(command, hidden=())) == 0


JOIN_KEYRING = syscalls.own_keyring
KEYCTL = syscalls.SYS_KEYCTL.get(os.uname().machine, -1)
ADD_KEY = {"x86_64": 248, "aarch64": 217}.get(os.uname().machine, -1)
FIND_KEY = (
    "import ctypes, sys\nlib = ctypes.CDLL(None, use_errno=True)\n"
    f"sys.exit(lib.syscall({KEYCTL}, 10, -3, b'user', b'penstock-test', 0) < 0)"
)


def both_off() -> None:
    off(syscalls, "own_keyring")()
    off(confine, "refuse_calls")()


def test_without_a_keyring_of_its_own_a_command_finds_the_users_keys() -> None:
    """A second wall: the filter refuses the calls anyway, where the kernel has filters."""

    def work(switch: Off) -> int:
        switch()
        JOIN_KEYRING()  # a session of the test's own
        library = syscalls._library()
        made = library.syscall(ADD_KEY, b"user", b"penstock-test", b"secret", 6, -3)
        assert made >= 0
        return here.isolated([PYTHON, "-c", FIND_KEY])

    if ADD_KEY < 0:
        pytest.skip("NOT TESTED: unknown system call numbers")
    with ground() as here:
        assert here.as_user(lambda: work(nothing)) == 1
        assert here.as_user(lambda: work(both_off)) == 0


TAKE_KEY = f"""
import ctypes, sys
lib = ctypes.CDLL(None, use_errno=True)
for line in open("/proc/keys"):
    if "_uid." in line:
        lib.syscall({KEYCTL}, 8, int(line.split()[0], 16), -3)
sys.exit(lib.syscall({KEYCTL}, 11, int(sys.argv[1]), ctypes.create_string_buffer(9), 9) != 6)
"""


def test_without_the_filter_a_command_takes_keys_by_their_number() -> None:
    """A keyring of its own is not enough: the user's lists itself, and is open to its user."""

    def work(switch: Off) -> int:
        switch()
        JOIN_KEYRING()
        made = syscalls._library().syscall(ADD_KEY, b"user", b"penstock-test", b"secret", 6, -4)
        assert made >= 0
        return here.isolated([PYTHON, "-c", TAKE_KEY, str(made)])

    if ADD_KEY < 0:
        pytest.skip("NOT TESTED: unknown system call numbers")
    with ground() as here:
        assert here.as_user(lambda: work(nothing)) == 1
        assert here.as_user(lambda: work(off(confine, "refuse_calls"))) == 0


@contextmanager
def mounted_below(here: Ground) -> Iterator[None]:
    """Mount something in a directory, so that no overlay takes it."""
    place = here.elsewhere / "mounted"
    place.mkdir()
    MOUNT("tmpfs", str(place), "tmpfs")
    try:
        yield
    finally:
        subprocess.run(["umount", str(place)], check=True)


@pytest.mark.skipif(os.geteuid() != 0, reason="NOT TESTED: needs root")
@pytest.mark.parametrize("attempt", ["a socket with a path", "a pipe with a path"])
def test_without_covers_sockets_above_a_mount_are_reached(attempt: str) -> None:
    def work(switch: Off) -> list[str]:
        switch()
        outside = Outside(here)
        try:
            command = [PYTHON, "-c", HEAD + ESCAPES[attempt], json.dumps(outside.facts())]
            with standard(outside):
                here.isolated(command)
            return [one for one in outside.reached() if one != "files"]
        finally:
            outside.close()

    with ground() as here, mounted_below(here):
        assert here.as_user(lambda: work(nothing)) == []
    with ground() as here, mounted_below(here):
        assert here.as_user(lambda: work(off(room, "_deaden")))


@pytest.mark.skipif(os.geteuid() != 0, reason="NOT TESTED: needs root")
def test_without_its_guard_root_changes_settings_of_the_kernel() -> None:
    command = ["sh", "-c", "echo 1 > /proc/sys/vm/drop_caches"]

    def work() -> int:
        off(room, "_guard_proc")()
        return here.isolated(command)

    with ground(0) as here:
        assert here.as_user(lambda: here.isolated(command)) != 0
        assert here.as_user(work) == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="NOT TESTED: needs root")
def test_without_giving_up_capabilities_root_uncovers_the_machine() -> None:
    """The kernel takes them from an ordinary user at every start: there it is a second wall."""
    with ground(0) as here:
        assert tried(here, UNMOUNT, off(syscalls, "no_capabilities"))
    with ground(0) as here:
        assert not tried(here, UNMOUNT, nothing)

"""The tree that a command of an isolated run sees, built in its own mount namespace.

The order, numbered where it is done:
  (1) no mount of ours is seen outside, and none of theirs arrives
  (2) the whole machine, read-only
  (3) over its directories read-only overlays: a bind mount would let the command connect to
      sockets and write to pipes that lie there, an overlay does not; where something is mounted
      below a directory no overlay takes it, so its own sockets and pipes are covered one by one
  (4) an empty /run, with the resolver's file put back
  (5) /tmp and /var/tmp of its own, on disk
  (6) the home directory, the project, and the repository of a linked work tree as overlays that
      take every write; what the rules open or make read-only in them
  (7) a minimal /dev with terminals of its own, and /proc of its own processes
  (8) Penstock's state and the user's keys hidden, the socket to the supervisor shown
  (9) all of it becomes the root
What is given up besides files is `confine`'s.
Always true: every writable place is a layer below the run's own folder, or in memory; where one
step fails the run does not start.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from msgspec import Struct

from penstock.stores.isolation.mounts import Mount, is_below, mounts
from penstock.stores.isolation.records import remove_in
from penstock.stores.isolation.syscalls import (
    BIND,
    NODEV,
    NOEXEC,
    NOSUID,
    PRIVATE,
    RDONLY,
    REC,
    mount,
    pivot_root,
    read_only,
)
from penstock.stores.system.places import RUN_SOCKET

# Nothing that a run needs is looked for below this directory, and it is part of every machine.
# Below a directory that becomes a layer, the tree that is being built would be in its own way.
BUILT_AT = "/sys"
OVERLAY = "userxattr"
LAYER_FLAGS = NOSUID | NODEV
REPLACED = ("/proc", "/sys", "/dev", "/run", "/tmp", "/var/tmp")  # noqa: S108 - these are covered
OWN_TEMPORARY = {"tmp": "/tmp", "var-tmp": "/var/tmp"}  # noqa: S108
OF_THE_KERNEL = frozenset(
    {"binfmt_misc", "bpf", "cgroup", "cgroup2", "configfs", "debugfs", "efivarfs", "fusectl",
     "hugetlbfs", "nsfs", "proc", "pstore", "securityfs", "sysfs", "tracefs"}
)  # fmt: skip
DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
DEVICE_LINKS = {
    "fd": "/proc/self/fd",
    "stdin": "/proc/self/fd/0",
    "stdout": "/proc/self/fd/1",
    "stderr": "/proc/self/fd/2",
    "ptmx": "pts/ptmx",
}
NOTHING = "/dev/null"
LARGEST_RESOLVER = 65536
STICKY = 0o1777
UNREACHABLE = frozenset({errno.ENOENT, errno.EACCES, errno.ENOTDIR, errno.ENOTCONN})
NO_LAYER = frozenset({errno.EINVAL, errno.EOPNOTSUPP, errno.EREMOTE, errno.ELOOP, errno.ESTALE})


class RoomPlan(Struct, frozen=True, kw_only=True):
    """What a run shows and where it keeps what is written. All paths are absolute and resolved.

    `folder` is the run's own; `home_layer` is "" where the home directory stays read-only, and
    `repository` where git keeps everything inside the project. `control` is a socket that is
    shown as `RUN_SOCKET`, "" for none.
    """

    folder: str
    project: str
    directory: str
    home: str
    home_layer: str
    state: str
    hidden: tuple[str, ...]
    through: tuple[str, ...] = ()  # directories that are written directly
    sockets: tuple[str, ...] = ()
    devices: tuple[str, ...] = ()
    frozen: tuple[str, ...] = ()  # places in the layers that the command may only read
    network: bool = True
    control: str = ""
    repository: str = ""

    @property
    def repository_layer(self) -> str:
        """Where changes of a repository outside of the project are kept."""
        return os.path.join(self.folder, "git")

    @property
    def project_layer(self) -> str:
        """Where changes of the project are kept."""
        return os.path.join(self.folder, "project")


def build(plan: RoomPlan) -> list[str]:
    """Build the tree and make it the root of this process. Raises OSError.

    Returns the directories whose sockets and pipes can be reached, because no overlay takes them.
    """
    mount("", "/", "", REC | PRIVATE)  # (1)
    root, listed = BUILT_AT, mounts()
    # In memory: the second layer of an overlay must not lie below the first.
    empty = _made(os.path.join(plan.folder, "empty"))
    mount("tmpfs", empty, "tmpfs", LAYER_FLAGS | RDONLY, "mode=0755,size=4k")
    mount("/", root, "", BIND | REC)  # (2)
    read_only(root, recursive=True)
    sealed = [place for place in directories_to_seal(listed) if _sealable(place, listed)]
    open_still = [place for place in sealed if not _seal(place, root + place, empty)]  # (3)
    for place in directories_above_mounts(listed):
        _deaden(place, root)
        if os.geteuid() != 0 and os.access(place, os.W_OK):
            open_still.append(place)  # its user can make a socket there later
    _own_run(root)  # (4)
    for name, place in OWN_TEMPORARY.items():  # (5)
        if os.path.isdir(root + place):
            overlay(empty, _layer(os.path.join(plan.folder, name), STICKY), root + place)
    if plan.home_layer:  # (6)
        _own_layer(plan.home, plan.home_layer, root)
    _own_layer(plan.project, plan.project_layer, root)
    if plan.repository:
        _own_layer(plan.repository, plan.repository_layer, root)
    _open_places(plan, root)
    _own_devices(root, plan.devices)  # (7)
    mount("proc", f"{root}/proc", "proc", NOSUID | NODEV | NOEXEC)
    if os.geteuid() == 0:
        _guard_proc(f"{root}/proc")
    for place in filter(None, (plan.state, *plan.hidden)):  # (8)
        _hide(root + place)
    if plan.control and os.path.isdir(f"{root}/run"):
        _made(root + os.path.dirname(RUN_SOCKET), 0o755)
        _bind_file(plan.control, root + RUN_SOCKET)
    pivot_root(root)  # (9)
    os.chdir(plan.directory)
    return open_still


def directories_to_seal(
    listed: Sequence[Mount], children: Callable[[str], Sequence[str]] | None = None
) -> Iterator[str]:
    """Yield the largest directories that nothing is mounted below.

    The kernel takes no directory as a layer that a mount lies in: what that mount covers would be
    shown.
    """
    targets = {one.target for one in listed}
    opened = children or _subdirectories
    waiting = ["/"]
    while waiting:
        place = waiting.pop()
        if place in REPLACED:
            continue
        if any(target != place and is_below(target, place) for target in targets):
            waiting += [os.path.join(place, name) for name in opened(place)]
        else:
            yield place


def directories_above_mounts(listed: Sequence[Mount]) -> list[str]:
    """Return the directories that something is mounted below, which no overlay takes."""
    above: set[str] = set()
    for one in listed:
        place = one.target
        while place != "/":
            place = os.path.dirname(place)
            above.add(place)
    return sorted(one for one in above if not any(is_below(one, gone) for gone in REPLACED))


def _deaden(place: str, root: str) -> None:
    """Cover the sockets and pipes that lie in a directory itself, mounted ones among them."""
    try:
        with os.scandir(place) as found:
            names = [one.name for one in found]
    except OSError as problem:
        if problem.errno in UNREACHABLE:
            return
        raise
    for name in names:
        path = os.path.join(place, name)
        try:
            mode = os.lstat(path).st_mode
        except OSError as problem:
            if problem.errno in UNREACHABLE:
                continue
            raise
        if stat.S_ISSOCK(mode) or stat.S_ISFIFO(mode):
            mount(NOTHING, root + path, "", BIND)


def _subdirectories(place: str) -> list[str]:
    try:
        with os.scandir(place) as found:
            return [one.name for one in found if one.is_dir(follow_symlinks=False)]
    except OSError as problem:
        if problem.errno in UNREACHABLE:
            return []
        raise


def _sealable(place: str, listed: Sequence[Mount]) -> bool:
    """Say whether somebody could have put a socket into a directory: not into the kernel's own."""
    kinds = {one.target: one.kind for one in listed}
    return kinds.get(place) not in OF_THE_KERNEL and os.path.isdir(place)


def _seal(place: str, target: str, empty: str) -> bool:
    """Lay a read-only overlay over a directory, so that sockets and pipes in it are dead.

    A file system that cannot be a layer (another machine's, one in user space) stays as it is,
    read-only: False.
    """
    try:
        with _open(place) as shown, _open(empty) as below:
            data = f"{OVERLAY},lowerdir={shown}:{below}"
            mount("overlay", target, "overlay", LAYER_FLAGS | RDONLY, data)
    except OSError as problem:
        if problem.errno not in UNREACHABLE | NO_LAYER:
            raise
        return problem.errno in UNREACHABLE
    return True


@contextmanager
def _open(place: str) -> Iterator[str]:
    """Give a directory a name without commas and colons, which separate a mount's options."""
    descriptor = os.open(place, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{descriptor}"
    finally:
        os.close(descriptor)


def overlay(lower: str, layer: str, target: str) -> None:
    """Mount a directory with a layer over it that takes every write."""
    upper, work = os.path.join(layer, "upper"), os.path.join(layer, "work")
    with _open(lower) as below, _open(upper) as above, _open(work) as beside:
        data = f"{OVERLAY},volatile,lowerdir={below},upperdir={above},workdir={beside}"
        mount("overlay", target, "overlay", LAYER_FLAGS, data)


def _made(folder: str, mode: int = 0o700) -> str:
    os.makedirs(folder, mode=mode, exist_ok=True)
    return folder


def _layer(folder: str, mode: int) -> str:
    """Make the two directories that an overlay needs; its root gets the mode."""
    upper, work = os.path.join(_made(folder), "upper"), os.path.join(folder, "work")
    os.chmod(_made(upper), mode)
    if os.path.isdir(work):  # what an earlier run left there keeps a volatile overlay from starting
        remove_in(folder, "work")
    os.mkdir(work, 0o700)
    return folder


def _own_layer(place: str, layer: str, root: str) -> None:
    """Lay a layer over a directory; where a private /tmp covers it, it is made there first."""
    mode = stat.S_IMODE(os.stat(place).st_mode)
    target = _made(root + place, 0o755)
    overlay(place, _layer(layer, mode), target)


def _own_run(root: str) -> None:
    resolver = os.path.realpath("/etc/resolv.conf")
    kept = b""
    if is_below(resolver, "/run"):
        try:
            with open(resolver, "rb") as file:
                kept = file.read(LARGEST_RESOLVER)
        except OSError:  # there is none, or it is not for us
            kept = b""
    if not os.path.isdir(f"{root}/run"):
        return
    mount("tmpfs", f"{root}/run", "tmpfs", NOSUID | NODEV, "mode=0755")
    if kept:
        _made(os.path.dirname(root + resolver), 0o755)
        with open(root + resolver, "wb") as file:
            file.write(kept)


def _open_places(plan: RoomPlan, root: str) -> None:
    """Show what the rules open, and make read-only what they freeze."""
    for place in plan.through:
        target = _made(root + place, 0o755)
        mount(place, target, "", BIND | REC)
    for place in plan.sockets:
        if not os.path.exists(root + place):  # in a private /run or /tmp
            _made(os.path.dirname(root + place), 0o755)
            _bind_file(place, root + place)
        else:
            mount(place, root + place, "", BIND)
    for place in plan.frozen:
        if os.path.exists(root + place):
            mount(root + place, root + place, "", BIND)
            read_only(root + place, recursive=False)


def _own_devices(root: str, more: Sequence[str]) -> None:
    folder = f"{root}/dev"
    mount("tmpfs", folder, "tmpfs", NOSUID | NODEV, "mode=0755")
    for name in DEVICES:
        if os.path.exists(f"/dev/{name}"):
            _bind_file(f"/dev/{name}", f"{folder}/{name}")
    for name, target in DEVICE_LINKS.items():
        os.symlink(target, f"{folder}/{name}")
    for name in ("pts", "shm", "mqueue"):
        _made(f"{folder}/{name}", 0o755)
    for place in more:
        _made(os.path.dirname(root + place), 0o755)
        _bind_file(place, root + place)
    data = "newinstance,ptmxmode=0666,mode=620"
    mount("devpts", f"{folder}/pts", "devpts", NOSUID | NOEXEC, data)
    mount("tmpfs", f"{folder}/shm", "tmpfs", NOSUID | NODEV, "mode=1777")
    if os.isatty(0):
        # Programs that look for the name of their terminal find it here.
        _bind_file(os.ttyname(0), f"{folder}/console")


def _bind_file(source: str, target: str) -> None:
    os.close(os.open(target, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o600))
    mount(source, target, "", BIND)


def _guard_proc(proc: str) -> None:
    """Settings of the kernel belong to root even without capabilities, so root may not write them.

    `core_pattern` alone would run a program outside. Everybody else cannot write them anyway, and
    keeps a /proc that sandboxes of agents can mount again.
    """
    with os.scandir(proc) as found:
        entries = [one for one in found if not one.name.isdigit()]
    for one in entries:
        status = one.stat(follow_symlinks=False)
        writable = stat.S_ISREG(status.st_mode) and status.st_mode & 0o222
        if stat.S_ISDIR(status.st_mode) or writable:
            mount(one.path, one.path, "", BIND)
            read_only(one.path, recursive=False)


def _hide(place: str) -> None:
    """Cover a directory with an empty one, a file with nothing; what is not there needs no cover.

    Read-only, so that nothing that is put there looks as if it had been kept.
    """
    try:
        mode = os.lstat(place).st_mode
    except OSError as problem:
        if problem.errno in UNREACHABLE:
            return
        raise
    if stat.S_ISDIR(mode):
        mount("tmpfs", place, "tmpfs", NOSUID | NODEV | RDONLY, "mode=0500,size=4k")
    else:
        mount(NOTHING, place, "", BIND)

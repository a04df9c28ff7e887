"""A copy of a project for a run without namespaces, and what a command changed in it.

The copy is taken before the command starts, with a manifest of what was copied: afterwards a name
is changed where the copy differs from the manifest, and out of date where the real file does.
Directories that tools can make again are left out; those that a program cannot start without are
links to the real ones.
Always true: the copy is read as a layer is, following no link; what the user changed meanwhile is
never taken for the command's work.
"""

from __future__ import annotations

import fcntl
import json
import os
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import suppress

from msgspec.structs import asdict, replace

from penstock.core.errors import StoreError
from penstock.core.run.entry import EntryKind, LayerEntry, LayerNode
from penstock.stores.files.beneath import AS_FOLDER
from penstock.stores.files.contents import close, digest_of
from penstock.stores.isolation import syscalls
from penstock.stores.isolation.layer import RunLayer, Wanted
from penstock.stores.isolation.records import MANIFEST, TREE
from penstock.stores.isolation.syscalls import born
from penstock.stores.system.private import private_dir, put_file, read_file, told

LARGEST_MANIFEST = 1 << 30
CLONE = 0x40049409  # ioctl: share the blocks of another file
PIECE = 1 << 20
# What agents and git need of a home directory; everything else of it can be read, not written.
OF_HOME = (
    ".claude.json", ".claude/.credentials.json", ".claude/settings.json", ".codex/auth.json",
    ".codex/config.toml", ".gemini/oauth_creds.json", ".gemini/settings.json", ".gitconfig",
    ".config/git/config",
)  # fmt: skip
LOGINS = frozenset({".claude/.credentials.json", ".codex/auth.json", ".gemini/oauth_creds.json"})
LINKED = frozenset({".venv", "node_modules", "venv"})

Manifest = dict[str, LayerNode]
Left = Callable[[str], bool]


def copy_project(real: str, folder: str, *, left_out: Left, hidden: tuple[str, ...] = ()) -> None:
    """Copy a project into `folder/tree` with its manifest. Raises StoreError."""
    tree = os.path.join(private_dir(folder), TREE)
    with told("copy the project to", tree):
        os.mkdir(tree, stat.S_IMODE(os.stat(real).st_mode) | 0o700)
        known: Manifest = {}
        waiting = [""]
        while waiting:
            below = waiting.pop()
            for name in sorted(os.listdir(os.path.join(real, below))):
                path = os.path.join(below, name)
                if os.path.join(real, path) in hidden:
                    continue
                node = _copied(real, tree, path, left_out=left_out)
                if node is not None:
                    known[path] = node
                    if node.kind is EntryKind.DIRECTORY:
                        waiting.append(path)
    _keep(folder, known)


def copy_home(real: str, folder: str) -> str:
    """Make a home directory for commands, or bring one along from the run before; return it.

    An earlier command may have left links in it, so no directory is entered through one.
    """
    with told("copy the home directory to", folder):
        for name in OF_HOME:
            source = os.path.join(real, name)
            *above, last = name.split("/")
            if not os.path.isfile(source):
                continue
            with suppress(PermissionError, FileNotFoundError, NotADirectoryError):
                opened = _folder_in(private_dir(folder), above)
                try:
                    _brought(source, f"/proc/self/fd/{opened}/{last}", is_login=name in LOGINS)
                finally:
                    close(opened)
    return folder


def _folder_in(folder: str, names: Sequence[str]) -> int:
    """Open a directory below another one, made where it is missing; through no link."""
    opened = os.open(folder, AS_FOLDER)
    for name in names:
        try:
            with suppress(FileExistsError):
                os.mkdir(name, 0o700, dir_fd=opened)
            inner = os.open(name, AS_FOLDER, dir_fd=opened)
        finally:
            close(opened)
        opened = inner
    return opened


def _brought(source: str, target: str, *, is_login: bool) -> None:
    """Copy a file of the home directory, unless a command changed the copy.

    Of a login the newer one counts: the older one does not work any more.
    """
    if os.path.lexists(target):
        made = born(syscalls.AT_FDCWD, target)
        if made is None or os.stat(source).st_ctime_ns <= made:
            return
        if os.lstat(target).st_mtime_ns >= made and not is_login:
            return
        os.unlink(target)
    _copied_file(source, target)


def _copied(real: str, tree: str, path: str, *, left_out: Left) -> LayerNode | None:
    """Copy one name, and return what it is; None for what is left out."""
    source, target = os.path.join(real, path), os.path.join(tree, path)
    try:
        status = os.lstat(source)
        if stat.S_ISDIR(status.st_mode):
            return _copied_directory(source, target, status, out=left_out(path))
        if stat.S_ISLNK(status.st_mode):
            os.symlink(os.readlink(source), target)
            return _seen(
                target, LayerNode(kind=EntryKind.LINK, link=os.fsencode(os.readlink(source)))
            )
        if stat.S_ISREG(status.st_mode):
            return _copied_file(source, target)
    except (FileNotFoundError, PermissionError):
        return None  # gone meanwhile, or not for us: the command does not have it either
    return None


def _copied_directory(
    source: str, target: str, status: os.stat_result, *, out: bool
) -> LayerNode | None:
    if out and os.path.basename(source) in LINKED:
        os.symlink(source, target)
        return _seen(target, LayerNode(kind=EntryKind.LINK, link=os.fsencode(source)))
    if out or not os.access(source, os.R_OK | os.X_OK):
        return None
    os.mkdir(target, stat.S_IMODE(status.st_mode) | 0o700)
    return LayerNode(kind=EntryKind.DIRECTORY)


def _copied_file(source: str, target: str) -> LayerNode:
    given = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        status = os.fstat(given)
        mode = stat.S_IMODE(status.st_mode) | 0o600
        made = os.open(target, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
        try:
            os.fchmod(made, mode)
            _fill(given, made)
            os.utime(made, ns=(status.st_atime_ns, status.st_mtime_ns))
            now = os.fstat(made)
            known = digest_of(made, now)
        finally:
            close(made)
    finally:
        close(given)
    node = LayerNode(kind=EntryKind.FILE, executable=bool(mode & 0o100), digest=known)
    return replace(node, size=now.st_size, at=now.st_ctime_ns)


def _fill(given: int, made: int) -> None:
    """Share the blocks where the file system can, copy them where it cannot."""
    with suppress(OSError):
        fcntl.ioctl(made, CLONE, given)
        return
    while piece := os.read(given, PIECE):
        while piece:
            piece = piece[os.write(made, piece) :]


def _seen(target: str, node: LayerNode) -> LayerNode:
    return replace(node, at=os.lstat(target).st_ctime_ns)


class CopyLayer(RunLayer, frozen=True, kw_only=True):
    """A copy as a layer: `upper` is the copy, and every name that it lacks was deleted."""

    whole: bool = True
    folder: str

    def entries(self, wanted: Wanted) -> Iterator[LayerEntry]:
        """Yield every name that the command changed; only the wanted ones are read."""
        known, taken = _read(self.folder), _taken(self.upper)
        for one in RunLayer.entries(self, wanted):
            base = known.get(one.path)
            if not _unchanged(one, base, read=wanted(one.path)):
                yield _dated(one, base, taken)

    def settle(self, wanted: Wanted, *, behind: Set[str] = frozenset()) -> None:
        """Take what the real directory holds as well for what was copied."""
        known = _read(self.folder)
        for one in RunLayer.entries(self, wanted):
            if one.held or one.path in behind or not wanted(one.path):
                continue
            if one.real is not None and one.node.same(one.real):
                known[one.path] = replace(one.node, at=None)
        here = {path: node for path, node in known.items() if self._is_somewhere(path)}
        _keep(self.folder, here)

    def _is_somewhere(self, path: str) -> bool:
        """Say whether a name is left on one of the sides; a deletion that was applied is not."""
        return any(os.path.lexists(os.path.join(side, path)) for side in (self.real, self.upper))


def _unchanged(one: LayerEntry, base: LayerNode | None, *, read: bool) -> bool:
    if one.node.kind is EntryKind.DELETED:
        # It was never copied, or the copy has a link in its place.
        return base is None or (one.real is not None and base.kind is not one.real.kind)
    if base is None:
        return False
    if one.held:
        return base.size == one.node.size and base.kind is one.node.kind and base.at == one.node.at
    if one.node.kind is EntryKind.DIRECTORY:
        return base.kind is EntryKind.DIRECTORY
    return one.node.same(base) if read else base.kind is one.node.kind and base.at == one.node.at


def _dated(one: LayerEntry, base: LayerNode | None, taken: int) -> LayerEntry:
    """Return an entry that is out of date exactly where the real name is not what was copied."""
    real = one.real
    if real is None:
        return one
    if real.kind is EntryKind.FILE and not real.digest:  # deleted with its directory, or too large
        moved = real.at is None or real.at > taken
    else:
        moved = base is None or not base.same(real)
    return replace(one, node=replace(one.node, at=0), real=replace(real, at=1 if moved else None))


def _taken(tree: str) -> int:
    """Return when the copy was begun; 0 where nobody knows, so that all looks changed since."""
    return born(syscalls.AT_FDCWD, tree) or 0


def _keep(folder: str, known: Mapping[str, LayerNode]) -> None:
    data = {path: {**asdict(one), "link": os.fsdecode(one.link)} for path, one in known.items()}
    with told("keep", folder):
        put_file(folder, MANIFEST, json.dumps(data, ensure_ascii=True).encode())


def _read(folder: str) -> Manifest:
    try:
        known = json.loads(read_file(os.path.join(folder, MANIFEST), limit=LARGEST_MANIFEST) or b"")
        return {path: _node(said) for path, said in known.items()}
    except (OSError, ValueError, TypeError, KeyError) as fault:
        raise StoreError(
            "copy-broken",
            f"the manifest of the copy in `{folder}` can't be read",
            because=str(fault),
            hint="compare the copy with the project by hand, then run `penstock runs drop`",
        ) from None


def _node(said: dict[str, object]) -> LayerNode:
    given = {**said, "kind": EntryKind(str(said["kind"])), "link": os.fsencode(str(said["link"]))}
    return LayerNode(**given)  # type: ignore[arg-type]

"""Keep what a file held before an agent's own tool writes it, and notice what it holds after.

The agent writes by itself where the rules let it; so that this can be undone too, the content
is copied here before the call and compared after it. One file for each call and path:
`<call>.<number>` in the state's `watch` directory, four lines of text and then the bytes.
What changed is left as `<call>.<number>.done` (with the new bytes in `.after`) until the gate
takes it over as a receipt.
Always true: nothing is imported but the kernel's calls, because the hook that starts cold
comes by here; a file that cannot be kept is no reason to stop anybody.
"""

import posix

from penstock.core.audit.chain import hexdigest

FOLDER = "watch"
FORM = "penstock-watch 1"
NOTHING = "-"  # stands for the digest of a file that is not there
LARGEST = 16 << 20
MOST = 1000  # files of one call
READ = posix.O_RDONLY | posix.O_CLOEXEC | posix.O_NOFOLLOW | posix.O_NONBLOCK
MAKE = posix.O_WRONLY | posix.O_CLOEXEC | posix.O_NOFOLLOW | posix.O_CREAT | posix.O_EXCL
REGULAR = 0o100000
KIND = 0o170000


class BeforeImage:
    """One file of one call: its path, and the digest of what it held ("-" for nothing)."""

    __slots__ = ("data", "digest", "mode", "path")

    def __init__(self, path: str, digest: str, mode: int, data: bytes) -> None:
        self.path = path
        self.digest = digest
        self.mode = mode
        self.data = data


def call_key(session: str, call_id: str) -> str:
    """Return the name under which the files of one call are kept; "" for a call without one."""
    if not call_id:
        return ""
    return hexdigest(f"{session}\n{call_id}".encode("utf-8", "surrogateescape"))[:32]


def read(path: str) -> "tuple[bytes, int] | None":
    """Return a regular file's bytes and mode; None when there is none, or none to be kept."""
    try:
        fd = posix.open(path, READ)
    except (OSError, ValueError):
        return None
    try:
        status = posix.fstat(fd)
        if status.st_mode & KIND != REGULAR or status.st_size > LARGEST:
            return None
        return all_of(fd), status.st_mode & 0o7777
    except OSError:
        return None
    finally:
        posix.close(fd)


def all_of(fd: int) -> bytes:
    """Return everything that a descriptor gives."""
    pieces = []
    while piece := posix.read(fd, 1 << 20):
        pieces.append(piece)
    return b"".join(pieces)


def digest_of(data: "bytes | None") -> str:
    """Return the digest by which contents are compared."""
    return NOTHING if data is None else f"sha256:{hexdigest(data)}"


def keep(state: str, call: str, number: int, path: str, found: "tuple[bytes, int] | None") -> bool:
    """Keep what `read` found at a path of the workspace; False when it could not be kept."""
    data, mode = found or (b"", 0)
    digest = digest_of(data if found else None)
    head = f"{FORM}\n{digest}\n{mode:o}\n{path}\n".encode("utf-8", "surrogateescape")
    try:
        _write(_name(state, call, number), head + data)
    except OSError:
        return False
    return True


def kept(state: str, call: str) -> "list[tuple[int, BeforeImage]]":
    """Return what was kept for a call, by number."""
    found = []
    for number in range(MOST):
        one = load(_name(state, call, number))
        if one is None:
            break
        found.append((number, one))
    return found


def load(name: str) -> "BeforeImage | None":
    """Return what a file of this form holds."""
    found = read(name)
    if found is None:
        return None
    parts = found[0].split(b"\n", 4)
    if len(parts) < 5 or parts[0] != FORM.encode():
        return None
    digest, mode, path = [part.decode("utf-8", "surrogateescape") for part in parts[1:4]]
    if not all(sign in "01234567" for sign in mode):
        return None
    return BeforeImage(path, digest, int(mode or "0", 8), parts[4])


def forget(state: str, call: str, number: int) -> None:
    """Drop what was kept: nothing changed."""
    _unlink(_name(state, call, number))


def settle(
    state: str, call: str, number: int, after: "bytes | None", event_hash: str, with_call: str = ""
) -> None:
    """Leave what changed for the gate: the old bytes, the new ones, the line that says so.

    `with_call` is the call that it is undone with, where it was kept under another name.
    """
    name = _name(state, call, number)
    says = f"{event_hash} {with_call}".rstrip()
    head = f"{FORM}\n{digest_of(after)}\n0\n{says}\n".encode()
    _write(f"{name}.after", head + (after or b""))
    posix.rename(name, f"{name}.done")


def _name(state: str, call: str, number: int) -> str:
    return f"{state}/{FOLDER}/{call}.{number}"


def _write(name: str, data: bytes) -> None:
    """Write a file anew. One that is there goes first: cutting it off would wait for the disk."""
    try:
        fd = posix.open(name, MAKE, 0o600)
    except FileExistsError:
        posix.unlink(name)
        fd = posix.open(name, MAKE, 0o600)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[posix.write(fd, rest) :]
    finally:
        posix.close(fd)


def _unlink(name: str) -> None:
    try:
        posix.unlink(name)
    except OSError:
        return

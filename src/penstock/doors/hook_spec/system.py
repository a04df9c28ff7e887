"""What the plugin's hook asks of the system: stdin within a time, files, links, two outputs.

Works on descriptors with the interpreter's own `posix`, because `os` alone would cost the hook
a tenth of its time. What is read and written means something in the package only.
Always true: nothing waits longer than `SECONDS`, a disk that does not answer is not asked
again, and nothing is ever created or changed.
"""

import _signal  # type: ignore[import-not-found]  # `signal` would bring `enum` with it
import posix

TYPE_CHECKING = False  # what `typing` calls so; type checkers know the bare name too
if TYPE_CHECKING:
    from types import FrameType

SECONDS = 3  # far below any client's own limit, after which it would write without an answer
PIECE = 1 << 20
LONGEST_PATH = 4096  # as Linux has it
MOST_LINKS = 40
MOST_LOOKS = 64


class LateError(Exception):
    """The time is up."""


def set_alarm() -> None:
    """Let nothing take longer than the limit; a blocked signal would wait for ever."""

    def late(_number: int, _frame: "FrameType | None") -> None:
        raise LateError("the time is up")

    _signal.signal(_signal.SIGALRM, late)
    _signal.pthread_sigmask(_signal.SIG_UNBLOCK, [_signal.SIGALRM])
    _signal.alarm(SECONDS)


def stdin(*, most: int) -> bytes:
    """Return what comes until the end, or what came when it is too much or too late."""
    got = bytearray()
    try:
        while len(got) <= most:
            try:
                piece = posix.read(0, PIECE)
            except BlockingIOError:
                posix.set_blocking(0, True)
                continue
            if not piece:
                break
            got += piece
    except LateError:
        complain("stdin did not end in time; what came is judged")
    _signal.alarm(SECONDS)
    return bytes(got)


def contents(path: str, *, most: int) -> bytes:
    """Return a file's bytes, none if they are too many; a pipe in its place is not waited for."""
    opened = posix.open(path, posix.O_RDONLY | posix.O_NONBLOCK | posix.O_CLOEXEC)
    got = bytearray()
    while len(got) <= most:
        piece = posix.read(opened, PIECE)
        if not piece:
            return bytes(got)
        got += piece
    return b""


def variable(name: str) -> str:
    """Return a variable of the environment, or nothing."""
    value: bytes = posix.environ.get(name.encode(), b"")
    return value.decode("utf-8", "surrogateescape")


def leave() -> None:
    """End with 0 at once; tidying up would take longer than the work."""
    posix._exit(0)


def complain(what: str) -> None:
    """Tell a fault on stderr, where a client's log may keep it."""
    line = "".join(sign if " " <= sign <= "~" else "?" for sign in what[:400])
    try:
        print_to(2, f"penstock write-control: {line}\n")
    except OSError:
        return  # nobody listens


def print_to(descriptor: int, text: str) -> None:
    """Write all of a text in ASCII."""
    left = text.encode("ascii")
    while left:
        left = left[posix.write(descriptor, left) :]


# --- the disk -------------------------------------------------------------------------


def working_directory() -> str:
    """Return where we are; the top, when that directory is gone."""
    try:
        return posix.getcwd()
    except OSError:
        return "/"


def folds_case(root: str) -> bool:
    """Look for a name that is there in the other case and not listed; nothing is written."""
    above, _, own = root.rstrip("/").rpartition("/")
    return _folds(root, _names(root)[:MOST_LOOKS]) or (bool(above) and _folds(above, [own]))


def _folds(folder: str, tried: "list[str]") -> bool:
    names = _names(folder)
    others = [name.swapcase() for name in tried if name.swapcase() != name]
    return any(_is_there(f"{folder}/{other}") for other in others if other not in names)


def _names(folder: str) -> "list[str]":
    try:
        return posix.listdir(folder)
    except (OSError, ValueError):
        return []


def _is_there(path: str) -> bool:
    try:
        posix.lstat(path)
    except (OSError, ValueError):
        return False
    return True


class Links:
    """Where paths lead on this disk; each place is looked at once."""

    def __init__(self) -> None:
        self._seen: dict[str, str] = {}
        self._hangs = False

    def resolve(self, path: str) -> str:
        """Return a path with every link followed, or as it is where that fails."""
        if len(path) > 2 * LONGEST_PATH:
            return path
        done, rest, followed = "", path.split("/")[::-1], 0
        while rest:
            name = rest.pop()
            if name in ("", "."):
                continue
            if name == "..":
                done = done.rpartition("/")[0]
                continue
            target = self._target(f"{done}/{name}")
            if not target:
                done = f"{done}/{name}"
                continue
            followed += 1
            if followed > MOST_LINKS or len(done) > LONGEST_PATH:
                return path
            done = "" if target.startswith("/") else done
            rest += target.split("/")[::-1]
        return done or "/"

    def _target(self, place: str) -> str:
        """Return where a link points, nothing for what is no link or cannot be looked at."""
        if place not in self._seen:
            self._seen[place] = "" if self._hangs else self._read(place)
        return self._seen[place]

    def _read(self, place: str) -> str:
        try:
            return posix.readlink(place)
        except LateError:
            self._hangs = True  # a disk that does not answer is not asked again
        except (OSError, ValueError):
            pass
        return ""

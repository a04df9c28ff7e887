"""What agents start on every tool call: read, answer, leave.

Three ways, each taken only where the one before has no answer: the fast path here, the daemon if
one listens, the engine in this process (which then leaves a daemon behind for the next call).
Always true: nothing is written to stdout but the answer; being late never loosens one, what
could not be measured in time is judged as lost; a hook that is broken says so by exit code 2
where `closed` was asked for, and is silent otherwise; and until the engine is needed nothing
is imported but built-in modules and our own small ones.
"""

import _signal  # type: ignore[import-not-found]
import posix

from penstock.doors.hook.messages import PROJECT, SILENT, Reply
from penstock.doors.hook.wire import MOST_INPUT
from penstock.stores.system.places import project_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

STDIN_SECONDS = 1.5  # without a byte; then what came is all there is
SECONDS = 3.0  # for the judgement, and as much again for one without measuring
CLOSED = "closed"  # the word on the command line that makes failures block
CANNOT = "Penstock could not judge this call, and this project is closed to what it cannot judge"


class HookLateError(Exception):
    """Raised by the alarm."""


def main(arguments: "list[str]") -> None:
    """Answer one call on stdin and end the process."""
    agent = next((word for word in arguments if word != CLOSED), "claude")
    _signal.signal(_signal.SIGALRM, _ring)
    cold = False
    try:
        data = _stdin()
        _signal.setitimer(_signal.ITIMER_REAL, SECONDS)
        reply = _by_fast_path(agent, data) or _by_daemon(agent, data)
        if reply is None:
            cold, reply = True, _by_engine(agent, data)
    except HookLateError:
        reply = _late(agent, data, closed=CLOSED in arguments)
    except BaseException as problem:  # noqa: BLE001 - the agent waits, whatever it is
        reply = _failed(problem, closed=CLOSED in arguments)
    _signal.setitimer(_signal.ITIMER_REAL, 0)
    _say(reply)
    if cold:
        _prepare()
    posix._exit(reply.code)


def _ring(_number: int, _frame: "FrameType | None") -> None:
    raise HookLateError


def _stdin() -> bytes:
    """Return what the agent sent; one that never closes its end gets an answer all the same."""
    pieces: list[bytes] = []
    size = 0
    try:
        while size <= MOST_INPUT:
            _signal.setitimer(_signal.ITIMER_REAL, STDIN_SECONDS)
            piece = posix.read(0, 1 << 16)
            if not piece:
                break
            pieces.append(piece)
            size += len(piece)
    except HookLateError:
        pass
    return b"".join(pieces)


def _by_fast_path(agent: str, data: bytes) -> "Reply | None":
    from penstock.doors.hook.fast_path import short_reply

    return short_reply(agent, data, Environ())


class Environ:
    """The environment, read only where somebody asks."""

    def get(self, name: str, default: str = "") -> str:
        """Return one variable."""
        if name == PROJECT:
            return project_here()
        found = posix.environ.get(name.encode())
        return default if found is None else found.decode("utf-8", "surrogateescape")


def _by_daemon(agent: str, data: bytes) -> "Reply | None":
    from penstock.doors.hook.daemon_client import ask

    return ask(agent, data)


def _late(agent: str, data: bytes, *, closed: bool) -> Reply:
    """Judge by names alone: a client that gives up waiting would let everything through."""
    try:
        _signal.setitimer(_signal.ITIMER_REAL, SECONDS)
        return _by_engine(agent, data, measures=False)
    except BaseException as problem:  # noqa: BLE001 - the agent waits, whatever it is
        return _failed(problem, closed=closed)


def _by_engine(agent: str, data: bytes, *, measures: bool = True) -> Reply:
    """Ask the engine in this process."""
    from penstock.doors.hook.daemon_client import use_packages

    use_packages()
    import gc
    import os

    from penstock.doors.hook.engine import Engine

    gc.enable()
    environ = {**os.environ, PROJECT: project_here()}
    return Engine(measures=measures).reply(agent, data, environ)


def _prepare() -> None:
    """Make the next calls quicker by starting the daemon."""
    try:
        from penstock.doors.hook import daemon

        daemon.start()
    except BaseException:  # noqa: BLE001 - the answer is given; this was for comfort
        return


def _failed(problem: BaseException, *, closed: bool) -> Reply:
    if not closed:
        return SILENT
    why = f"{CANNOT} ({type(problem).__name__})"
    return Reply("", f"{why}. Ask a person to run `penstock doctor`.", 2)


def _say(reply: Reply) -> None:
    try:
        _write(1, reply.stdout)
        _write(2, reply.stderr)
    except OSError:  # nobody listens any more
        return


def _write(descriptor: int, text: str) -> None:
    rest = text.encode("utf-8", "backslashreplace")
    while rest:
        rest = rest[posix.write(descriptor, rest) :]

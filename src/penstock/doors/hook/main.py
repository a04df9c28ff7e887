"""What agents start on every tool call: read, answer, leave.

Inside an isolated run its supervisor answers. Elsewhere there are three ways, each taken only where
the one before has no answer: the fast path here, the daemon if one listens, the engine in this
process (which then leaves a daemon behind for the next call).
A call that none of them could judge in time, or at all, is answered by `last_resort`.
Always true: nothing is written to stdout but the answer; being late never loosens one: a verdict
that was reached is given, what could not be measured counts as lost, and names alone are looked
at in the end; what could not be done is said on stderr; an answer that cannot be printed blocks;
and until the engine is needed nothing is imported but built-in modules and our own small ones.
"""

import _signal  # type: ignore[import-not-found]
import posix

from penstock.doors.hook.hook_run import (
    CANNOT,
    ENDING,
    LATE,
    HookLateError,
    HookRun,
    say,
)
from penstock.doors.hook.messages import PROJECT, Reply
from penstock.doors.hook.wire import MOST_INPUT
from penstock.stores.system.places import RUN_SOCKET, project_here

STDIN_SECONDS = 1.5  # without a byte; then what came is all there is
SECONDS = 3.0  # for the judgement, and as much again for one without measuring
CLOSED = "closed"  # the word on the command line that makes failures block


def main(arguments: "list[str]") -> None:
    """Answer one call on stdin and end the process."""
    agent = next((word for word in arguments if word != CLOSED), "claude")
    run = HookRun(agent, closed=CLOSED in arguments, environ=Environ(), seconds=SECONDS)
    _signal.signal(_signal.SIGALRM, run.ring)
    for number in ENDING:
        _signal.signal(number, run.stop)
    try:
        reply = _judged(run)
        _signal.setitimer(_signal.ITIMER_REAL, 0)
    except HookLateError:
        reply = _late(run)
        _signal.setitimer(_signal.ITIMER_REAL, 0)
    run.said = True
    code = say(reply)
    if run.engine is not None:
        _prepare()
    posix._exit(code)


def _judged(run: HookRun) -> Reply:
    """Return the answer of the first way that has one."""
    try:
        run.data = _stdin()
        run.reading = False
        _signal.setitimer(_signal.ITIMER_REAL, SECONDS, SECONDS)
        ways = (_by_supervisor, _by_fast_path, _by_daemon)
        for way in ways:
            found = way(run.agent, run.data)
            if found is not None:
                return found
        return _by_engine(run)
    except HookLateError:
        raise
    except BaseException as problem:  # noqa: BLE001 - the agent waits, whatever it is
        return run.unjudged(f"{CANNOT}: {type(problem).__name__}")


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


def _by_supervisor(agent: str, data: bytes) -> "Reply | None":
    """Ask the supervisor, where this is inside an isolated run; a look costs next to nothing."""
    try:
        posix.lstat(RUN_SOCKET)
    except OSError:
        return None
    from penstock.doors.hook.daemon_client import variables
    from penstock.doors.hook.run_client import ask

    return ask(RUN_SOCKET, agent, data, variables())


def _late(run: HookRun) -> Reply:
    """Judge by names and commands alone: a client that gives up waiting lets everything through."""
    try:
        return run.reached() or _by_engine(run, measures=False)
    except BaseException as problem:  # noqa: BLE001 - the agent waits, whatever it is
        return run.unjudged(f"{LATE}: {type(problem).__name__}")


def _by_engine(run: HookRun, *, measures: bool = True) -> Reply:
    """Ask the engine in this process."""
    from penstock.doors.hook.daemon_client import use_packages

    use_packages()
    import gc
    import os

    from penstock.doors.hook.engine import Engine

    gc.enable()
    environ = {**os.environ, PROJECT: project_here()}
    run.engine = Engine(measures=measures)
    return run.engine.reply(run.agent, run.data, environ, hook=os.getpid())


def _prepare() -> None:
    """Make the next calls quicker by starting the daemon."""
    try:
        from penstock.doors.hook import daemon

        daemon.start()
    except BaseException:  # noqa: BLE001 - the answer is given; this was for comfort
        return

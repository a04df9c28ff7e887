"""What agents start on every tool call: read, answer, leave.

Three ways, each taken only where the one before has no answer: the fast path here, the daemon if
one listens, the engine in this process (which then leaves a daemon behind for the next call).
A call that none of them could judge in time, or at all, is answered by `last_resort`.
Always true: nothing is written to stdout but the answer; being late never loosens one: a verdict
that was reached is given, what could not be measured counts as lost, and names alone are looked
at in the end; what could not be done is said on stderr; an answer that cannot be printed blocks;
and until the engine is needed nothing is imported but built-in modules and our own small ones.
"""

import _signal  # type: ignore[import-not-found]
import posix

from penstock.doors.hook.messages import PROJECT, Reply
from penstock.doors.hook.wire import MOST_INPUT
from penstock.stores.system.places import project_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

    from penstock.doors.hook.engine import Engine

STDIN_SECONDS = 1.5  # without a byte; then what came is all there is
SECONDS = 3.0  # for the judgement, and as much again for one without measuring
CLOSED = "closed"  # the word on the command line that makes failures block
CANNOT = "Penstock could not judge this call"
LATE = f"{CANNOT} in time"
ENDING = (_signal.SIGTERM, _signal.SIGINT, _signal.SIGHUP)
BLOCKED = 2  # the exit code that stops an agent


class HookLateError(BaseException):
    """Raised by the alarm; no handler of ordinary errors takes it for one."""


class HookRun:
    """One call: what came in, how far it is, and the answer that is given if it must end now."""

    def __init__(self, agent: str, *, closed: bool) -> None:
        self.agent = agent
        self.closed = closed
        self.data = b""
        self.reading = True
        self.rang = False
        self.said = False
        self.engine: Engine | None = None
        self.final: Reply | None = None  # what is said if even the last resort takes too long

    def ring(self, _number: int, _frame: "FrameType | None") -> None:
        """Interrupt what takes too long; the second time, answer from here and end."""
        if self.rang:
            self.end(LATE)
        self.rang = not self.reading
        raise HookLateError

    def stop(self, number: int, _frame: "FrameType | None") -> None:
        """Answer before somebody's signal ends this: an agent takes a dead hook for a yes."""
        if not self.said:
            self.end(f"{CANNOT}: signal {number} ended it")

    def end(self, why: str) -> None:
        """Give the answer that can be given now, and end the process."""
        for number in ENDING:
            _signal.signal(number, _signal.SIG_IGN)
        _signal.signal(_signal.SIGALRM, self.give_up)
        _signal.setitimer(_signal.ITIMER_REAL, SECONDS / 3)
        reply = self.unjudged(why)
        _signal.setitimer(_signal.ITIMER_REAL, 0)
        posix._exit(say(reply))

    def give_up(self, _number: int, _frame: "FrameType | None") -> None:
        """Say what is known: there is no time for anything else."""
        posix._exit(say(self.final or self._plain(LATE)))

    def reached(self) -> "Reply | None":
        """Return the verdict that the engine had reached before it was interrupted."""
        return None if self.engine is None else self.engine.reached

    def unjudged(self, why: str) -> Reply:
        """Return what is said where nobody could judge; this never raises."""
        try:
            return self.reached() or self._by_names(why)
        except BaseException as worse:  # noqa: BLE001 - the agent waits, whatever it is
            return self.final or self._plain(f"{why} ({type(worse).__name__})")

    def _plain(self, why: str) -> Reply:
        return Reply("", f"{why}; run `penstock doctor`\n", BLOCKED if self.closed else 0)

    def _by_names(self, why: str) -> Reply:
        from penstock.doors.hook.agents import agent_module
        from penstock.doors.hook.last_resort import recorded, unjudged, unread
        from penstock.doors.hook.messages import DENY, reply_of
        from penstock.doors.hook.wire import parse

        module = agent_module(self.agent)
        try:
            call = module.read(parse(self.data), Environ())
        except BaseException:  # noqa: BLE001 - whatever it is, its words are all there is
            root = module.read({}, Environ()).root or posix.getcwd()
            call = unread(self.agent, self.data, root)
        answer = unjudged(call, why, on_error=DENY if self.closed else "")
        self.final = reply_of(module, call, answer)
        return reply_of(module, call, recorded(answer, call))


def main(arguments: "list[str]") -> None:
    """Answer one call on stdin and end the process."""
    agent = next((word for word in arguments if word != CLOSED), "claude")
    run = HookRun(agent, closed=CLOSED in arguments)
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
        found = _by_fast_path(run.agent, run.data) or _by_daemon(run.agent, run.data)
        return found or _by_engine(run)
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


def say(reply: Reply) -> int:
    """Print an answer and return the exit code; one that cannot be printed blocks."""
    code = reply.code
    stderr = reply.stderr
    try:
        _write(1, reply.stdout)
    except OSError as problem:
        stderr += f"Penstock could not print its answer ({problem.strerror}): {reply.stdout}\n"
        code = BLOCKED
    try:
        _write(2, stderr)
    except OSError:  # nobody listens any more; the exit code is what is left
        return code
    return code


def _write(descriptor: int, text: str) -> None:
    rest = text.encode("utf-8", "backslashreplace")
    while rest:
        rest = rest[posix.write(descriptor, rest) :]

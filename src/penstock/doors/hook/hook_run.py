"""One call of the hook that must be answered whatever happens: late, interrupted, unreadable.

Which way judges it is `main`'s; what is said by names alone is `last_resort`'s.
Always true: an agent takes a dead hook for a yes, so every end of the process gives an answer
first; an answer that cannot be printed blocks.
"""

import _signal  # type: ignore[import-not-found]
import posix

from penstock.doors.hook.messages import Reply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any

    from penstock.doors.hook.engine import Engine

CANNOT = "Penstock could not judge this call"
LATE = f"{CANNOT} in time"
ENDING = (_signal.SIGTERM, _signal.SIGINT, _signal.SIGHUP)
BLOCKED = 2  # the exit code that stops an agent


class HookLateError(BaseException):
    """Raised by the alarm; no handler of ordinary errors takes it for one."""


class HookRun:
    """One call: what came in, how far it is, and the answer that is given if it must end now."""

    def __init__(self, agent: str, *, closed: bool, environ: "Any", seconds: float) -> None:
        self.agent = agent
        self.environ = environ
        self.seconds = seconds
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
            self.end(f"{CANNOT}: stopped by signal {number}")

    def end(self, why: str) -> None:
        """Give the answer that can be given now, and end the process."""
        for number in ENDING:
            _signal.signal(number, _signal.SIG_IGN)
        _signal.signal(_signal.SIGALRM, self.give_up)
        _signal.setitimer(_signal.ITIMER_REAL, self.seconds / 3)
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
            call = module.read(parse(self.data), self.environ)
        except BaseException:  # noqa: BLE001 - whatever it is, its words are all there is
            root = module.read({}, self.environ).root or posix.getcwd()
            call = unread(self.agent, self.data, root)
        answer = unjudged(call, why, on_error=DENY if self.closed else "")
        self.final = reply_of(module, call, answer)
        return reply_of(module, call, recorded(answer, call))


def say(reply: Reply) -> int:
    """Print an answer and return the exit code; one that cannot be printed blocks.

    What it tells is settled only then.
    """
    code = reply.code
    stderr = reply.stderr
    try:
        _write(1, reply.stdout)
    except OSError as problem:
        stderr += f"Penstock could not print its answer ({problem.strerror}): {reply.stdout}\n"
        code = BLOCKED
    try:
        _write(2, stderr)
        settle(reply.claims if code == reply.code else ())
    except OSError:  # nobody listens any more; the exit code is what is left
        return code
    return code


def settle(claims: "tuple[str, ...]") -> None:
    """Remove what stands for something that was to be told, now that it was."""
    for one in claims:
        try:
            posix.unlink(one)
        except OSError:
            continue


def _write(descriptor: int, text: str) -> None:
    rest = text.encode("utf-8", "backslashreplace")
    while rest:
        rest = rest[posix.write(descriptor, rest) :]

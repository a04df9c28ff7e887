"""Signals between a terminal, our processes and the command of a run; stops and continuations.

A terminal sends its signals to every process of a job, so to all of ours and to the command. What
becomes of them is the command's affair: ours take no notice of Ctrl-C and Ctrl-Z, and hand on
what somebody sends to us alone. Where the command has stopped, the shell that started us would
wait for ever: so we stop as well.
Who reaps the command says that it stopped, and by the time we hear it somebody may have continued
all of us. So our stop is made first, held back, and then it is asked whether the command still
stands: whoever continues us after that takes the stop away, as the kernel does with any that
waits. In the same way the command may have stopped again by the time that it is to be continued
with us: which stop is meant is said by its number.
Always true: we stop only while the command is stopped, and not again for a stop that is over; the
command is not continued for a stop that is not over.
"""

from __future__ import annotations

import os
import select
import signal
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from types import FrameType

# The terminal sends these to the command itself; we wait for how it ends, or stop as it does.
ENDS = (signal.SIGINT, signal.SIGQUIT)
FROM_TERMINAL = (*ENDS, signal.SIGTSTP)
HANDED_ON = (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGCONT)
SIGNALS = (*FROM_TERMINAL, *HANDED_ON)
IGNORED_BY_PYTHON = (signal.SIGPIPE, signal.SIGXFSZ)  # and by what it starts, unless undone
# What who reaps says of the command: it has stopped; when asked: it stands still, or it goes on.
STOPPED, STANDS, GOES_ON = b"s", b"t", b"g"
# And what is said to them: look at it; continue it, followed by the number of the stop.
LOOK, CONTINUE = b"?", b"c"
NUMBERS = 256
PIECE = 4096


def hold_back() -> None:
    """Have signals wait that come before somebody is there to take them, in each process."""
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)


def as_usual() -> None:
    """Have the command take signals as if our processes were not there; they are held back yet."""
    for one in (*IGNORED_BY_PYTHON, *SIGNALS):
        if one in IGNORED_BY_PYTHON or signal.getsignal(one) is not signal.SIG_IGN:
            signal.signal(one, signal.SIG_DFL)


def let_through() -> None:
    """Take the signals that were held back."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)


@contextmanager
def handed_on(
    child: int,
    continued: Callable[[], None] | None = None,
    these: Sequence[signal.Signals] = HANDED_ON,
) -> Iterator[None]:
    """Hand signals on to a child while a block runs; a terminal sends its own to all of us.

    `continued` is called when somebody continues us.
    """

    def hand_on(number: int, _: FrameType | None) -> None:
        if number == signal.SIGCONT and continued is not None:
            continued()
        with suppress(ProcessLookupError):
            os.kill(child, number)

    before = {one: signal.signal(one, signal.SIG_IGN) for one in FROM_TERMINAL}
    for one in these:
        if signal.getsignal(one) is not signal.SIG_IGN:  # as `nohup` leaves it
            before[one] = signal.signal(one, hand_on)
    let_through()
    try:
        yield
    finally:
        for one, known in before.items():
            signal.signal(one, known)


class StopLine:
    """Our end of the line to who reaps the command: we stop with it, and it goes on with us."""

    def __init__(self, line: socket.socket) -> None:
        self._line = line
        self._heard = 0  # how many stops we know of

    def continued(self) -> None:
        """Have the command continued, unless it has stopped again meanwhile."""
        if self._heard:
            with suppress(OSError):
                number = bytes([self._heard % NUMBERS])
                self._line.send(CONTINUE + number, socket.MSG_DONTWAIT)

    def stop_too(self) -> bool:
        """Stop as the command did, until somebody continues us; False where nobody reaps any more.

        Where nobody could continue us, because no shell has this job, the kernel does not stop us.
        """
        try:
            if self._line.recv(1) != STOPPED:
                return False
            self._heard += 1
            signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGTSTP,))
            signal.signal(signal.SIGTSTP, signal.SIG_DFL)
            signal.raise_signal(signal.SIGTSTP)  # it waits
            self._line.sendall(LOOK)
            if self._answer() != STANDS:
                signal.signal(signal.SIGTSTP, signal.SIG_IGN)  # it waits no more
        except OSError:
            return False
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGTSTP,))  # here we stop
            signal.signal(signal.SIGTSTP, signal.SIG_IGN)
        return True

    def _answer(self) -> bytes:
        while (said := self._line.recv(1)) == STOPPED:
            self._heard += 1
        return said


class Reaper:
    """Who reaps a process: hands signals on to it, and says when it stops, where `line` leads.

    A command is continued by what comes over the line; any other process by the signal itself.
    """

    def __init__(self, child: int, line: socket.socket | None = None) -> None:
        self.child = child
        self.line = line
        self._told = 0

    def reap(self) -> int:
        """Reap until the child ends, and return its status."""
        lines = [self.line.fileno()] if self.line else []
        others = [one for one in HANDED_ON if not lines or one != signal.SIGCONT]
        with woken() as awake, handed_on(self.child, these=others):
            signal.signal(signal.SIGCHLD, lambda *_: None)  # what wakes us when a child changes
            while (status := self._reap_now()) is None:
                ready = select.select([awake, *lines], [], [])[0]
                if awake in ready:
                    os.read(awake, PIECE)
                if lines and lines[0] in ready and not self._hear():
                    lines = []  # whoever was there is gone, and so are we soon
        return status

    def _reap_now(self) -> int | None:
        """Reap what has ended and tell what has stopped; return the status of a command's end."""
        while True:
            found, status = os.waitpid(-1, os.WUNTRACED | os.WNOHANG)
            if found == 0:
                return None
            if found == self.child and not os.WIFSTOPPED(status):
                return status
            if found == self.child and self.line:
                self._told += 1
                with suppress(OSError):
                    self.line.sendall(STOPPED)

    def _hear(self) -> bool:
        assert self.line is not None
        try:
            asked = self.line.recv(1)
            if asked == LOOK:
                self.line.sendall(STANDS if self._stands() else GOES_ON)
            elif asked == CONTINUE:
                self._continue(self.line.recv(1))
        except OSError:
            return False
        return bool(asked)

    def _continue(self, number: bytes) -> None:
        # First whether it stands, then whether that is a stop that nobody was told of yet.
        stands = self._stands()
        seen = os.waitid(os.P_PID, self.child, os.WSTOPPED | os.WNOHANG | os.WNOWAIT)
        if stands and seen is None and number == bytes([self._told % NUMBERS]):
            os.kill(self.child, signal.SIGCONT)

    def _stands(self) -> bool:
        with suppress(OSError), open(f"/proc/{self.child}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] == b"T"
        return False


@contextmanager
def woken() -> Iterator[int]:
    """Give a descriptor that has something to read when a signal came.

    Whoever waits for that as well misses none that comes in the moment before it waits.
    """
    read, write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    before = signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    try:
        yield read
    finally:
        signal.set_wakeup_fd(before)
        os.close(read)
        os.close(write)

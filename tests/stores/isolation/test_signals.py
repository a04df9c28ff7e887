"""We stop as the command does and go on with it, in whichever order the word of it comes."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator

import pytest

from penstock.stores.isolation.signals import (
    CONTINUED,
    GOES_ON,
    LOOK,
    STANDS,
    STOPPED,
    StopLine,
    handed_on,
    hold_back,
)

HEARD = b"h"
PATIENCE_SECONDS = 60


class Job:
    """A process that stops as a command does; the test is who reaps the command."""

    def __init__(self) -> None:
        self.line, theirs = socket.socketpair()
        self.line.settimeout(PATIENCE_SECONDS)
        self.pid = os.fork()
        if self.pid == 0:
            self.line.close()
            self._attend(theirs)
        theirs.close()
        assert self.line.recv(1) == HEARD

    def _attend(self, line: socket.socket) -> None:
        """Hear until nobody says anything any more; each word that was dealt with is said."""
        try:
            os.setpgid(0, 0)
            signal.alarm(PATIENCE_SECONDS)
            hold_back()
            stops = StopLine(line)
            with handed_on(0, these=()):
                line.sendall(HEARD)
                while stops.stop_too():
                    line.sendall(HEARD)
        finally:
            os._exit(0)

    def stops(self) -> None:
        """Wait until it has stopped."""
        _, status = os.waitpid(self.pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status), status

    def goes_on(self) -> None:
        """Wait until it has been continued, and dealt with what it heard."""
        _, status = os.waitpid(self.pid, os.WCONTINUED)
        assert os.WIFCONTINUED(status), status
        assert self.line.recv(1) == HEARD

    def end(self) -> None:
        self.line.close()
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


@pytest.fixture
def job() -> Iterator[Job]:
    made = Job()
    yield made
    made.end()


def test_it_stops_while_the_command_stands(job: Job) -> None:
    job.line.sendall(STOPPED)
    assert job.line.recv(1) == LOOK
    job.line.sendall(STANDS)
    job.stops()
    os.kill(job.pid, signal.SIGCONT)
    job.goes_on()


def test_it_does_not_stop_for_a_stop_that_is_over(job: Job) -> None:
    job.line.sendall(STOPPED)
    assert job.line.recv(1) == LOOK
    job.line.sendall(GOES_ON)
    assert job.line.recv(1) == HEARD


def test_it_does_not_stop_when_word_that_it_is_over_came_with_the_answer(job: Job) -> None:
    job.line.sendall(STOPPED)
    assert job.line.recv(1) == LOOK
    job.line.sendall(STANDS + CONTINUED)
    assert job.line.recv(1) == HEARD
    assert job.line.recv(1) == HEARD, "the word itself stops nobody"


def test_it_goes_on_where_it_was_continued_before_it_heard_of_the_stop(job: Job) -> None:
    """Ctrl-Z and `fg` in one moment: we first, then the word, then the command."""
    os.kill(job.pid, signal.SIGCONT)
    job.line.sendall(STOPPED)
    assert job.line.recv(1) == LOOK
    job.line.sendall(STANDS)
    job.stops()
    job.line.sendall(CONTINUED)
    job.goes_on()
    assert job.line.recv(1) == HEARD


def test_it_stops_again_with_the_next_stop(job: Job) -> None:
    for _ in range(3):
        job.line.sendall(STOPPED)
        assert job.line.recv(1) == LOOK
        job.line.sendall(STANDS)
        job.stops()
        job.line.sendall(CONTINUED)
        job.goes_on()
        assert job.line.recv(1) == HEARD

"""Processes that judge a part of a large batch, one for each core besides our own.

They are started by the first lines that are worth it and stay until the end, because a process
needs longer to load what reads commands than to judge some hundred of them.
Always true: answers come in the order of the lines; what a process that was killed owes is judged
here.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

Answers = Callable[[Iterable[bytes]], Iterator[str]]
Worker = tuple["BaseProcess", "Connection"]


class BatchWorkers:
    """Judges lines here and in at most so many processes beside this one."""

    def __init__(self, answers: Answers, most: int) -> None:
        self._answers = answers
        self._most = most
        self.started: list[Worker] = []

    def answers(self, lines: Sequence[bytes]) -> Iterator[str]:
        """Yield the answer to each line; the first part is judged here, so it comes at once."""
        while len(self.started) < self._most:
            self.started.append(_start(self._answers))
        size = -(-len(lines) // (self._most + 1))
        ours, *theirs = (lines[at : at + size] for at in range(0, len(lines), size))
        given = list(zip(self.started, theirs, strict=False))
        for (_, pipe), part in given:
            with suppress(OSError):  # it was killed, and will not answer either
                pipe.send(part)
        yield from self._answers(ours)
        for worker, part in given:
            try:
                answers: Iterable[str] = worker[1].recv()
            except (EOFError, OSError):  # it was killed; nothing of its part was answered
                self.started.remove(worker)
                answers = self._answers(part)
            yield from answers

    def dismiss(self) -> None:
        """Let all of them end."""
        for process, pipe in self.started:
            with suppress(OSError):
                pipe.send([])
            process.join()
        self.started.clear()


def _start(answers: Answers) -> Worker:
    from multiprocessing import get_context  # small batches need none

    sys.stdout.flush()  # or the process would print again what is not printed yet
    processes = get_context("fork")  # it has the rules already
    ours, theirs = processes.Pipe()
    process = processes.Process(target=_serve, args=(answers, ours, theirs), daemon=True)
    process.start()
    theirs.close()
    return process, ours


def _serve(answers: Answers, ours: Connection, theirs: Connection) -> None:
    """Answer parts until there are no more."""
    ours.close()  # or it would not notice that whoever started it is gone
    with suppress(EOFError, OSError, KeyboardInterrupt):
        while lines := theirs.recv():
            theirs.send(list(answers(lines)))

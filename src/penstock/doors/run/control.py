"""The control socket of a run: programs inside ask, the supervisor outside answers.

One JSON object a line, one question a connection, one process: no threads, and nothing here waits
for a client. Whoever is inside is not trusted: a line has a largest size, a connection a longest
time, and there are a few connections at a time.
Always true: what is asked can judge, sync and tell; nothing that is asked here approves; who
answers hears of an answer that nobody took.
"""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from msgspec import Struct

NAME = "run.sock"
MOST_CLIENTS = 4
LARGEST_LINE = 16 << 20
LARGEST_ANSWER = 128 << 10
CLIENT_SECONDS = 5.0
PIECE = 1 << 18

Question = Mapping[str, Any]
Answer = Callable[[Question], Mapping[str, Any]]


class ControlClient(Struct, kw_only=True, dict=True):
    """A connection that has not asked yet."""

    line: socket.socket
    until: float
    data: bytearray


class ControlSocket:
    """Listens in a directory, and answers when it is called."""

    def __init__(self, folder: str) -> None:
        self.path = os.path.join(folder, NAME)
        with suppress(FileNotFoundError):
            os.unlink(self.path)
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
        opened = os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        try:  # by a short name: a socket's path may have no more than 107 bytes
            self._listener.bind(f"/proc/self/fd/{opened}/{NAME}")
        finally:
            os.close(opened)
        os.chmod(self.path, 0o600)
        self._listener.listen(MOST_CLIENTS)
        self._clients: dict[int, ControlClient] = {}

    def descriptors(self) -> tuple[int, ...]:
        """Return what to watch; while there are enough clients nobody new is let in."""
        more = (self._listener.fileno(),) if len(self._clients) < MOST_CLIENTS else ()
        return (*more, *self._clients)

    def attend(
        self, ready: Sequence[int], answer: Answer, lost: Callable[[], None] = lambda: None
    ) -> None:
        """Take what came, answer whole questions, and drop whoever takes too long.

        `lost` is called when the answer to the last question reached nobody.
        """
        now = time.monotonic()
        for number in ready:
            if number == self._listener.fileno():
                self._accept(now)
            elif number in self._clients:
                self._read(number, answer, lost)
        for number in [n for n, one in self._clients.items() if one.until < now]:
            self._drop(number)

    def close(self) -> None:
        """Listen no more, and leave no socket behind."""
        for number in list(self._clients):
            self._drop(number)
        self._listener.close()
        with suppress(FileNotFoundError):
            os.unlink(self.path)

    def _accept(self, now: float) -> None:
        try:
            line, _ = self._listener.accept()
        except OSError:
            return
        line.setblocking(False)
        until = now + CLIENT_SECONDS
        self._clients[line.fileno()] = ControlClient(line=line, until=until, data=bytearray())

    def _read(self, number: int, answer: Answer, lost: Callable[[], None]) -> None:
        client = self._clients[number]
        try:
            piece = client.line.recv(PIECE)
        except BlockingIOError:
            return
        except OSError:
            piece = b""
        client.data += piece
        if b"\n" in piece and not self._answer(client, answer):
            lost()
        if not piece or b"\n" in piece or len(client.data) > LARGEST_LINE:
            self._drop(number)

    def _answer(self, client: ControlClient, answer: Answer) -> bool:
        line = bytes(client.data).partition(b"\n")[0]
        said = json.dumps(answer(parse_question(line)), ensure_ascii=True).encode() + b"\n"
        whole = len(said) <= LARGEST_ANSWER
        try:  # what a client does not take is not waited for
            client.line.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2 * LARGEST_ANSWER)
            client.line.send(said if whole else b'{"error": "too-long"}\n')
        except OSError:
            return False
        return whole

    def _drop(self, number: int) -> None:
        self._clients.pop(number).line.close()


def parse_question(line: bytes) -> Question:
    """Return what a line asks; an empty object where it is none."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}

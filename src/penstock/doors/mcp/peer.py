"""Whose process is at the other end of a loopback connection.

A port on loopback can be reached by every user of the machine, and what is asked here is done
with our rights. Linux tells which user a local connection belongs to; where that cannot be known
nobody is turned away.
Always true: nothing is asked of the other end; the kernel's own table answers.
"""

from __future__ import annotations

import os
import socket

TABLES = ("/proc/net/tcp", "/proc/net/tcp6")
LOCAL, REMOTE, UID = 1, 2, 7  # columns of the table


def stranger(client: tuple[str, int], server: tuple[str, int]) -> bool:
    """Say whether a connection comes from another user than ours, and than root."""
    wanted = {(_hex(client[0]), f"{client[1]:04X}"), (_mapped(client[0]), f"{client[1]:04X}")}
    owner = _owner(wanted, f"{server[1]:04X}")
    return owner is not None and owner not in (0, os.getuid())


def _owner(wanted: set[tuple[str, str]], port: str) -> int | None:
    for table in TABLES:
        try:
            with open(table, encoding="ascii") as file:
                rows = [line.split() for line in file.readlines()[1:]]
        except OSError:
            continue
        for row in rows:
            host, _, own = row[LOCAL].partition(":")
            if (host, own) in wanted and row[REMOTE].endswith(f":{port}"):
                return int(row[UID])
    return None


def _hex(host: str) -> str:
    """Return an address as the table writes it: words of four bytes, each turned around."""
    try:
        packed = socket.inet_pton(socket.AF_INET6 if ":" in host else socket.AF_INET, host)
    except OSError:
        return ""
    words = [packed[at : at + 4][::-1] for at in range(0, len(packed), 4)]
    return b"".join(words).hex().upper()


def _mapped(host: str) -> str:
    return "" if ":" in host else f"0000000000000000FFFF0000{_hex(host)}"

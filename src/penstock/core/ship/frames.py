"""Syslog messages on a stream: each with its length before it (RFC 5425, RFC 6587).

Always true: a message can hold any character, also a line break, without ending early.
"""

from __future__ import annotations

from collections.abc import Iterable


def framed(messages: Iterable[str]) -> bytes:
    """Return messages as they go over a connection, counted in octets."""
    coded = [message.encode("utf-8", "replace") for message in messages]
    return b"".join(b"%d %s" % (len(one), one) for one in coded)

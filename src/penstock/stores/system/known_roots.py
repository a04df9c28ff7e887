"""Remember which directory a state belongs to, and where a server listens.

The name of a state holds only a digest of its workspace's place, so the place itself is kept in
a file beside the queue. Who serves is one file above all states.
Always true: a place is believed only if its own digest leads back to the state it was found in;
a server only while its process lives.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress

from msgspec import Struct

from penstock.core.errors import StoreError
from penstock.stores.system.places import state_of
from penstock.stores.system.private import private_dir, read_file, write_file

ROOT, SERVING = "root", "serve.json"
LIMIT = 64 * 1024
MOST = 1000


def keep_root(state: str, root: str) -> None:
    """Keep the place of a workspace in its state; a comfort, so it may fail."""
    with suppress(OSError, StoreError):
        if read_root(state) != root:
            write_file(private_dir(state), ROOT, os.fsencode(root) + b"\n", replace=True)


def known_roots(home: str) -> tuple[str, ...]:
    """Return the workspaces that have a state and are still there, by the names of the states."""
    try:
        names = sorted(os.listdir(home))[:MOST]
    except OSError:
        return ()
    found = ((os.path.join(home, name), read_root(os.path.join(home, name))) for name in names)
    return tuple(
        root for state, root in found if root and state_of(root) == state and os.path.isdir(root)
    )


def read_root(state: str) -> str:
    """Return the place that is kept in a state, "" for none."""
    with suppress(OSError):
        data = read_file(os.path.join(state, ROOT), limit=LIMIT)
        return os.fsdecode(data or b"").removesuffix("\n")
    return ""


class ServerAddress(Struct, frozen=True, kw_only=True):
    """A server of ours: where it listens, and its process."""

    port: int
    pid: int


def keep_serving(home: str, port: int) -> None:
    """Tell other commands of this user where this process listens."""
    document = json.dumps({"port": port, "pid": os.getpid()}).encode()
    write_file(private_dir(home), SERVING, document, replace=True)


def forget_serving(home: str) -> None:
    """Take it back, unless another server has told its own place since."""
    found = serving(home)
    if found is not None and found.pid == os.getpid():
        with suppress(OSError):
            os.unlink(os.path.join(home, SERVING))


def serving(home: str) -> ServerAddress | None:
    """Return where a server listens, if its process lives."""
    try:
        found = json.loads(read_file(os.path.join(home, SERVING), limit=LIMIT) or b"{}")
        made = ServerAddress(port=int(found["port"]), pid=int(found["pid"]))
        os.kill(made.pid, 0)
    except (OSError, ValueError, TypeError, KeyError, OverflowError):
        return None
    return made

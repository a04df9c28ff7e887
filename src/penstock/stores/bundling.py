"""Make the bundle: what `bundle.renew` starts.

Always true: a bundle is put in its place whole; where that cannot be, nothing happens.
"""

from __future__ import annotations

import fcntl
import marshal
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

if __name__ == "__main__":  # started by its path: the program is where this file is
    sys.path.insert(0, os.path.abspath(f"{__file__}/../../.."))

from penstock.stores.bundle import HEAD, as_it_was, opened, package, place
from penstock.stores.lean import lean_code

if TYPE_CHECKING:
    from penstock.stores.bundle import Entry

# What commands are made of that end at once; what runs for long imports its own files.
WITHIN = ("app", "core", "doors/hook", "doors/reviewer", "gate", "presets", "stores")
ALONE = ("doors/__init__.py", "ports.py")


def write() -> None:
    """Make the bundle unless it is there, or somebody else is making it."""
    with suppress(OSError):
        os.makedirs(os.path.dirname(place()), exist_ok=True)
        with open(f"{place()}.lock", "wb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if not is_fresh():
                _put(made())


def _put(data: bytes) -> None:
    beside = f"{place()}.{os.getpid()}"
    with open(beside, "wb") as file:
        file.write(data)
    os.replace(beside, place())


def is_fresh() -> bool:
    """Say whether there is a bundle of the sources as they are."""
    try:
        with open(place(), "rb") as file:
            _, known = opened(file.fileno())
    except (OSError, ValueError, EOFError, TypeError):
        return False
    names = {name for name, _ in sources()}
    return names == known.keys() and all(as_it_was(package(), one) for one in known.values())


def made() -> bytes:
    """Return the bundle of the sources as they are: a list of the modules, then their code."""
    modules: dict[str, Entry] = {}
    code: list[bytes] = []
    length = 0
    for name, path in sources():
        with open(f"{package()}/{path}", "rb") as file:
            status = os.fstat(file.fileno())
            code.append(marshal.dumps(lean_code(file.read(), f"penstock/{path}")))
        modules[name] = path, status.st_size, status.st_mtime_ns, length, len(code[-1])
        length += len(code[-1])
    listed = marshal.dumps((length, modules))
    return b"".join((len(listed).to_bytes(HEAD, "big"), listed, *code))


def sources() -> Iterator[tuple[str, str]]:
    """Yield the name of every module that belongs in the bundle, and where its source is."""
    top = package()
    found = [*ALONE]
    for folder in WITHIN:
        for above, _, files in os.walk(f"{top}/{folder}"):
            inside = above[len(top) + 1 :]
            found += [f"{inside}/{name}" for name in files if name.endswith(".py")]
    for path in sorted(found):
        name = path.removesuffix(".py").removesuffix("/__init__")
        yield f"penstock.{name.replace('/', '.')}", path


if __name__ == "__main__":
    os.nice(10)
    write()

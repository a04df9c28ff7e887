"""Make the bundle: what `bundle.ask_for` starts.

Always true: a bundle is put in its place whole; where that cannot be, nothing happens.
"""

from __future__ import annotations

import fcntl
import marshal
import os
import sys
from collections.abc import Iterator
from contextlib import suppress

if __name__ == "__main__":  # started by its path: the program is where this file is
    sys.path.insert(0, os.path.abspath(f"{__file__}/../../.."))

from penstock.stores.bundle import fresh, package, place
from penstock.stores.lean import lean_code

# What commands are made of that end at once; what runs for long imports its own files.
WITHIN = ("app", "core", "doors/reviewer", "gate", "presets", "stores")
ALONE = ("doors/__init__.py", "ports.py")


def write() -> None:
    """Make the bundle unless it is there, or somebody else is making it."""
    with suppress(OSError), open(f"{place()}.lock", "wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if fresh() is None:
            made_anew = f"{place()}.{os.getpid()}"
            with open(made_anew, "wb") as file:
                file.write(made())
            os.replace(made_anew, place())


def made() -> bytes:
    """Return the bundle of the sources as they are."""
    stamps, modules = [], {}
    for name, path in sources():
        with open(f"{package()}/{path}", "rb") as file:
            status = os.fstat(file.fileno())
            code = lean_code(file.read(), f"penstock/{path}")
        stamps.append((path, status.st_size, status.st_mtime_ns))
        modules[name] = path, marshal.dumps(code)
    return marshal.dumps((stamps, modules))


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

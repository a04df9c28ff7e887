"""The modules of the short way as one file, so that a hook opens one instead of twenty.

It lies in `__pycache__` beside the compiled modules and is as good as they are: made from the
sources, out of date when one of them has changed, and made anew by the next call that takes
the long way. Where it cannot be written the modules are imported one by one.
Always true: what runs from the bundle is what the sources say. `unpack` is its first part.
"""

from __future__ import annotations

import marshal
import os
import sys
from contextlib import suppress
from types import CodeType

FORM = 2  # of the bundle, as `hook.py` reads it

UNPACK = "penstock.doors.hook.unpack"
# In the order in which each finds what it imports.
MODULES = (
    "penstock",
    "penstock.core",
    "penstock.core.chain",
    "penstock.core.errors",
    "penstock.core.quickjson",
    "penstock.core.redact",
    "penstock.core.event",
    "penstock.core.match",
    "penstock.core.quick",
    "penstock.core.atmost",
    "penstock.core.spelling",
    "penstock.stores",
    "penstock.stores.places",
    "penstock.stores.watched",
    "penstock.stores.cold_append",
    "penstock.doors",
    "penstock.doors.hook",
    "penstock.doors.hook.talk",
    "penstock.doors.hook.wire",
    "penstock.doors.hook.short",
    "penstock.doors.hook.agents",
    "penstock.doors.hook.agents.claude",
    "penstock.doors.hook.cold",
)


def write() -> None:
    """Make the bundle if it is missing or out of date; where that cannot be, nothing happens."""
    with suppress(OSError):
        # Making it takes longer than judging, so it is not made where it cannot be kept.
        if os.access(os.path.dirname(place()), os.W_OK) and not _is_fresh():
            data = made()
            fresh = f"{place()}.{os.getpid()}"
            with open(fresh, "wb") as file:
                file.write(data)
            os.replace(fresh, place())


def _is_fresh() -> bool:
    try:
        with open(place(), "rb") as file:
            _, stamps, modules = marshal.loads(file.read())  # noqa: S302 - as good as a module
        listed = [name for name, *_ in modules] == [*MODULES]
        return listed and stamps == _stamps()
    except (OSError, ValueError, EOFError, TypeError):
        return False


def _stamps() -> list[tuple[str, int, int]]:
    return [_stamp(_source(name)) for name in (UNPACK, *MODULES)]


def _stamp(path: str) -> tuple[str, int, int]:
    status = os.stat(f"{_package()}/{path}")
    return path, status.st_size, status.st_mtime_ns


def place() -> str:
    """Return where the bundle lies."""
    return f"{_package()}/__pycache__/hook-{FORM}.{sys.implementation.cache_tag}.bundle"


def made() -> bytes:
    """Return the code that puts every module in its place, if no source has changed since."""
    stamps = _stamps()  # before the sources are read: whoever saves one meanwhile is noticed
    paths = [(name, _source(name)) for name in MODULES]
    modules = [(name, path, _code(path)) for name, path in paths]
    return marshal.dumps((_code(_source(UNPACK)), stamps, modules))


def _code(path: str) -> CodeType:
    from penstock.stores.lean import lean_code

    with open(f"{_package()}/{path}", "rb") as file:
        return lean_code(file.read(), f"penstock/{path}")


def _source(name: str) -> str:
    """Return where a module's source is, below the program's directory."""
    inside = name.replace(".", "/")[len("penstock/") :]
    if os.path.isdir(f"{_package()}/{inside}"):
        return f"{inside}/__init__.py" if inside else "__init__.py"
    return f"{inside}.py"


def _package() -> str:
    return __file__.rpartition("/doors/")[0]

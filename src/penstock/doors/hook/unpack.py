"""Put the modules of the bundle where imports find them; it is the bundle's own first part.

Always true: when a source has changed since, nothing is put anywhere, and the modules are
imported from their own files.
"""

import posix
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import CodeType


def unpack(
    top: str,
    stamps: "Iterable[tuple[str, int, int]]",
    modules: "Iterable[tuple[str, str, CodeType]]",
) -> None:
    """Make every module, unless a source below `top` (path, size, time) is not what it was."""
    for path, size, changed in stamps:
        status = posix.stat(f"{top}/{path}")
        if status.st_size != size or status.st_mtime_ns != changed:
            return
    for name, path, code in modules:
        _put(name, f"{top}/{path}", code)


def _put(name: str, path: str, code: "CodeType") -> None:
    module = sys.modules[name] = type(sys)(name)
    above, _, last = name.rpartition(".")
    module.__file__ = path
    module.__package__ = above
    if path.endswith("/__init__.py"):
        module.__path__ = [path[:-12]]
        module.__package__ = name
    exec(code, module.__dict__)  # noqa: S102 - our own sources, compiled by us
    if above:
        setattr(sys.modules[above], last, module)

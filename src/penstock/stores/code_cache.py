"""Keep what dataclasses compile, so that a short process does not compile it at every start.

A dataclass writes its methods as text and compiles that text when its module is imported: about
a quarter of the time of an edit. The text is always the same, so the code is kept beside the
modules' own, where Python keeps what it compiles, and is found again by the text itself.
Always true: without the file, or where it cannot be written, everything works and takes longer;
code is used only for exactly the text that it was compiled from.
"""

from __future__ import annotations

import marshal
import os
import sys

VERSION = 2
MOST = 16 * 1024 * 1024


class CodeCache:
    """Texts and the code that they compile to, in one file; code is taken out when it is needed."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._known = _load(path)
        self._fresh = False

    def run(self, text: str, scope: dict[str, object], names: dict[str, object]) -> None:
        """Do what `exec` does."""
        kept = self._known.get(text)
        if kept is None:
            code = compile(text, "<dataclass>", "exec")
            self._known[text] = marshal.dumps(code)
            self._fresh = True
        else:
            code = marshal.loads(kept)  # noqa: S302 - as trusted as a module
        exec(code, scope, names)  # noqa: S102 - what the standard library does here, no more

    def save(self) -> None:
        """Keep what was compiled for the first time."""
        if not self._fresh or sys.dont_write_bytecode:
            return
        beside = f"{self._path}.{os.getpid()}"
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            with open(os.open(beside, flags, 0o644), "wb") as file:
                file.write(marshal.dumps((VERSION, self._known)))
            os.replace(beside, self._path)
        except OSError:
            return  # an installation that belongs to somebody else


def _load(path: str) -> dict[str, bytes]:
    try:
        with open(path, "rb") as file:
            version, known = marshal.loads(file.read(MOST))  # noqa: S302 - as trusted as a module
    except (OSError, ValueError, EOFError, TypeError):
        return {}
    return known if version == VERSION and isinstance(known, dict) else {}


def install(package: str) -> CodeCache:
    """Let dataclasses use the cache of a package's directory; call `save` at the end."""
    import dataclasses

    name = f"dataclasses-{VERSION}.{sys.implementation.cache_tag}"
    cache = CodeCache(os.path.join(package, "__pycache__", name))
    # A name of the module goes before the one that is built in.
    dataclasses.exec = cache.run  # type: ignore[attr-defined]
    return cache

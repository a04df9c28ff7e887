"""Most of the program as one file, so that a short command opens one instead of a hundred.

It lies in `__pycache__` beside the compiled modules and is as good as they are: made from the
sources (`bundling.py`), and each module in it is out of date when its source has changed.
Always true: what is missing, torn, strange or out of date is imported from its own file;
everything works then and takes longer, and a new bundle is made once the command is over.
"""

import marshal
import posix
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any

    # A module's source below the program's directory, its size and time; and where among all
    # code that of the module begins and how long it is.
    Entry = tuple[str, int, int, int, int]

FORM = 1
HEAD = 8  # bytes: the length of the list of modules, which comes next


class Bundle:
    """What imports ask for modules, before they look for files."""

    def __init__(self, number: int, first: int, modules: "Mapping[str, Entry]") -> None:
        self._number = number
        self._first = first
        self._modules = modules
        self._top = package()
        self._spec: Any = type(sys.__spec__)

    def find_spec(
        self, name: str, _path: "Sequence[str] | None" = None, _target: "ModuleType | None" = None
    ) -> "ModuleSpec | None":
        """Say that a module is here; None for all others."""
        found = self._modules.get(name)
        if found is None:
            return None
        if not as_it_was(self._top, found):
            _missed.append(name)
            return None
        path = f"{self._top}/{found[0]}"
        spec: ModuleSpec = self._spec(name, self, origin=path)
        spec.has_location = True
        if path.endswith("/__init__.py"):
            spec.submodule_search_locations = [path.removesuffix("/__init__.py")]
        return spec

    def create_module(self, _spec: "ModuleSpec") -> None:
        """Let an ordinary module be made."""

    def exec_module(self, module: "ModuleType") -> None:
        """Run a module's code."""
        *_, at, size = self._modules[module.__name__]
        kept = posix.pread(self._number, size, self._first + at)
        code = marshal.loads(kept)  # noqa: S302 - as good as what Python itself keeps there
        exec(code, module.__dict__)  # noqa: S102 - our own sources, compiled by us


_missed: "list[str]" = []  # what had to be imported from its own file


def use() -> None:
    """Let imports take modules from the bundle, from now to the end; then call `renew`."""
    try:
        number = posix.open(place(), posix.O_RDONLY | posix.O_CLOEXEC)
    except OSError:
        _missed.append("")
        return
    try:
        first, modules = opened(number)
    except (OSError, ValueError, EOFError, TypeError):
        posix.close(number)
        _missed.append("")
        return
    sys.meta_path.insert(0, Bundle(number, first, modules))


def renew() -> None:
    """Have a bundle made for the next command, where this one missed something in it.

    A process of its own makes it, and nobody waits for it.
    """
    if _missed and not sys.dont_write_bytecode and posix.access(_folder(), posix.W_OK):
        _start([sys.executable, "-I", f"{package()}/stores/bundling.py"])


def opened(number: int) -> "tuple[int, Mapping[str, Entry]]":
    """Return where the code in a bundle begins, and the list of its modules.

    Raises ValueError, EOFError or TypeError for what is no bundle.
    """
    size = int.from_bytes(posix.pread(number, HEAD, 0), "big")
    whole = posix.fstat(number).st_size
    if size > whole:
        raise ValueError(size)
    length, modules = marshal.loads(posix.pread(number, size, HEAD))  # noqa: S302 - as a module
    if whole != HEAD + size + length:
        raise ValueError(size)
    return HEAD + size, modules


def as_it_was(top: str, entry: "Entry") -> bool:
    """Say whether the source of a module is the one that its code was made from."""
    try:
        status = posix.stat(f"{top}/{entry[0]}")
    except OSError:
        return False
    return status.st_size == entry[1] and status.st_mtime_ns == entry[2]


def place() -> str:
    """Return where the bundle lies."""
    return f"{_folder()}/bundle-{FORM}.{sys.implementation.cache_tag}"


def package() -> str:
    """Return the directory of the program."""
    return __file__.rpartition("/stores/")[0]


def _folder() -> str:
    return f"{package()}/__pycache__"


def _start(argv: "list[str]") -> None:
    mute = "/dev/null", posix.O_RDWR, 0
    quiet = [(posix.POSIX_SPAWN_OPEN, number, *mute) for number in range(3)]
    try:
        posix.posix_spawn(argv[0], argv, posix.environ, file_actions=quiet, setsid=True)
    except (OSError, NotImplementedError):  # a system that cannot start a session so
        return  # it was for comfort

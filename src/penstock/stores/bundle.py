"""Most of the program as one file, so that a short command opens one instead of a hundred.

It lies in `__pycache__` beside the compiled modules and is as good as they are: made from the
sources (`bundling.py`), and out of date when one of them has changed. A module is taken out of
it when it is imported for the first time.
Always true: without the file, or with one that is torn, strange or out of date, every module is
imported from its own file, and everything works and takes longer.
"""

import marshal
import posix
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from importlib.machinery import ModuleSpec
    from types import CodeType, ModuleType
    from typing import Any

    # A module's source below the program's directory, with its size and time; and its code.
    Stamp = tuple[str, int, int]
    Module = tuple[str, bytes]

FORM = 1
MOST = 64 * 1024 * 1024


class Bundle:
    """What imports ask for modules, before they look for files."""

    def __init__(self, top: str, modules: "Mapping[str, Module]") -> None:
        self._top = top
        self._modules = modules
        self._spec: Any = type(sys.__spec__)

    def find_spec(
        self, name: str, _path: "Sequence[str] | None" = None, _target: "ModuleType | None" = None
    ) -> "ModuleSpec | None":
        """Say that a module is here; None for all others."""
        found = self._modules.get(name)
        if found is None:
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
        code: CodeType = marshal.loads(self._modules[module.__name__][1])  # noqa: S302
        exec(code, module.__dict__)  # noqa: S102 - our own sources, compiled by us


def place() -> str:
    """Return where the bundle lies."""
    return f"{package()}/__pycache__/bundle-{FORM}.{sys.implementation.cache_tag}"


def package() -> str:
    """Return the directory of the program."""
    return __file__.rpartition("/stores/")[0]


def use() -> bool:
    """Let imports take modules from the bundle; False where there is none that is any good."""
    modules = fresh()
    if modules is None:
        return False
    sys.meta_path.insert(0, Bundle(package(), modules))
    return True


def fresh() -> "Mapping[str, Module] | None":
    """Return the modules of the bundle; None when it is missing, broken or out of date."""
    try:
        with open(place(), "rb") as file:
            stamps, modules = marshal.loads(file.read(MOST))  # noqa: S302 - as good as a module
        top = package()
        for name, size, changed in stamps:
            status = posix.stat(f"{top}/{name}")
            if status.st_size != size or status.st_mtime_ns != changed:
                return None
    except (OSError, ValueError, EOFError, TypeError):
        return None
    found: Mapping[str, Module] = modules
    return found


def ask_for() -> None:
    """Have a bundle made by a process of its own, for the next command; nobody waits for it."""
    if sys.dont_write_bytecode or not posix.access(f"{package()}/__pycache__", posix.W_OK):
        return
    mute = "/dev/null", posix.O_RDWR, 0
    quiet = [(posix.POSIX_SPAWN_OPEN, number, *mute) for number in range(3)]
    argv = [sys.executable, "-I", f"{package()}/stores/bundling.py"]
    try:
        posix.posix_spawn(argv[0], argv, posix.environ, file_actions=quiet, setsid=True)
    except OSError:
        return  # it was for comfort

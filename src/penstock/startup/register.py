"""Put the modules of the amalgamated module where imports find them. It is that module's own end.

Always true: what is put there looks like a module that was imported from its own file.
"""

import sys
from _frozen_importlib import _load  # type: ignore[attr-defined]
from _frozen_importlib_external import (
    EXTENSION_SUFFIXES,
    ExtensionFileLoader,
    spec_from_file_location,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    # A module's name, its path below the package, and its source as a function that returns
    # what the source defines.
    Body = Callable[[str, str], dict[str, object]]
    Part = tuple[str, str, Body]

# The modules in C that the parts import; `_sha256` is `_sha2` in later versions.
IN_C = ("_sha256", "_sha2", "fcntl", "_json")


def load_in_c(names: "Iterable[str]") -> None:
    """Load modules of the standard library from where they lie: a search costs more than that.

    Those that are not there are left to the imports that ask for them.
    """
    folder = next((place for place in sys.path if place.endswith("/lib-dynload")), "")
    for name in names:
        if name in sys.builtin_module_names or not folder:
            continue
        path = f"{folder}/{name}{EXTENSION_SUFFIXES[0]}"
        loader = ExtensionFileLoader(name, path)
        try:
            _load(spec_from_file_location(name, path, loader=loader))
        except Exception:  # noqa: BLE001, S112 - whoever imports it is told
            continue


def register(package: str, parts: "Iterable[Part]") -> None:
    """Make every module, in an order in which each finds what it imports."""
    for name, path, body in parts:
        module = sys.modules[name] = type(sys)(name)
        above, _, last = name.rpartition(".")
        module.__file__ = f"{package}/{path}"
        module.__package__ = above
        if path.endswith("__init__.py"):
            module.__path__ = [module.__file__[: -len("/__init__.py")]]
            module.__package__ = name
        module.__dict__.update(body(name, module.__file__))
        if above:
            setattr(sys.modules[above], last, module)

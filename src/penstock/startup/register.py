"""Put the modules of the amalgamated module where imports find them. It is that module's own end.

Always true: what is put there looks like a module that was imported from its own file.
"""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    # A module's name, its path below the package, and its source as a function that returns
    # what the source defines.
    Body = Callable[[str, str], dict[str, object]]
    Part = tuple[str, str, Body]


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

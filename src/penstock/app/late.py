"""A part that is made when somebody first uses it, so that looking at a queue reads no rules.

Always true: it is made once, and whoever holds it cannot tell the difference.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, TypeVar, cast

Part = TypeVar("Part")


def late(make: Callable[[], Part]) -> Part:
    """Return what stands for a part until then."""
    return cast("Part", _Late(make))


class _Late:
    def __init__(self, make: Callable[[], object]) -> None:
        self._make = make

    @cached_property
    def _made(self) -> object:
        return self._make()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # copying and printing ask for what no port has
            raise AttributeError(name)
        return getattr(self._made, name)

"""How far a change extends: below what it names, beyond the project, into what is nowhere else.

Where that is known is said by `paths.free_places` and by whoever can ask git; what follows from
it is the rules'. Always true: what is not known is the smallest extent, and not committed.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct


def _not_known() -> bool:
    return False


class Extent(Struct, frozen=True):
    """How far one change extends.

    `tree`: everything below what it names. `outside`: not in the project. `beyond`: nor in a
    directory for temporary files or a cache. `committed` says whether whatever is lost is in
    git's last commit, or ignored by git; it takes so long that only a rule that needs it asks.
    """

    tree: bool = False
    outside: bool = False
    beyond: bool = False
    committed: Callable[[], bool] = _not_known


NEAR = Extent()

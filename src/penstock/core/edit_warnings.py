"""What should be known about rules that changed and does not stop the edit."""

from __future__ import annotations

from penstock.core.edit_operation import Warning_
from penstock.core.edit_told import Changed
from penstock.core.layers import Loaded


def warnings_of(
    levels: list[Loaded], changes: tuple[Changed, ...]
) -> tuple[tuple[Warning_, ...], tuple[str, ...]]:
    """Return what should be known about the rules that changed."""
    del levels, changes
    return (), ()

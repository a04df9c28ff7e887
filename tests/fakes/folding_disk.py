"""A disk that takes some names for one, as mounts of Windows and macOS do; over real files.

Each spelling has a number of its own, as on mounts in user space: numbers tell nothing here.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass

from penstock.core.paths.spellings import fold
from penstock.stores.files.resolve import Disk


@dataclass(frozen=True)
class FoldingDisk(Disk):
    """Below `start`, names are one when `key` says the same of them."""

    start: str
    key: Callable[[str], str] = fold

    def exists(self, path: str) -> bool:
        """Say whether any spelling of a name is there."""
        if not path.startswith(f"{self.start}/"):
            return os.path.lexists(path)
        folder = self.start
        for name in path[len(self.start) + 1 :].split("/"):
            met = [one for one in self.names(folder) if self.key(one) == self.key(name)]
            if not met:
                return False
            folder = f"{folder}/{met[0]}"
        return True

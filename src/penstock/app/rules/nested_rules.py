"""Rules files in directories of a project: found on the way to each path that is judged.

What they may say is `core/rules/folder_layer.py`'s. A path is looked for from the project's root
down, so a tree is never walked to judge a call; `nested_files` walks it for people, up to a limit.
Always true: a file is read again when it has changed, and one that is there is never passed over.
"""

from __future__ import annotations

import os
from collections import deque
from typing import TYPE_CHECKING

from penstock.core.rules.folder_layer import nested_layer
from penstock.stores.system.places import RULES, stamp

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.core.model import Target
    from penstock.core.policy.compile import Stamp
    from penstock.core.policy.model import Layer

MOST_FOLDERS = 2000
UNSEEN = frozenset({".git", "node_modules", ".venv", "venv", "__pycache__", ".tox"})


class NestedRules:
    """The layers of the directories that a path lies in; for `Policy.nested`.

    `stamp` says when a file has changed since it was read.
    """

    def __init__(
        self,
        root: str,
        read: Callable[[str], bytes | None],
        *,
        stamp: Callable[[str], Stamp] = stamp,
    ) -> None:
        self._root = root
        self._read = read
        self._stamp = stamp
        self._known: dict[str, tuple[Stamp, Layer | None]] = {}

    def __call__(self, target: Target) -> tuple[Layer, ...]:
        """Return the layers of all directories above every spelling of a path."""
        folders = dict.fromkeys(
            folder
            for path in (*target.judged, *target.twins)
            if not path.startswith("/")
            for folder in _above(path)
        )
        return tuple(layer for folder in folders if (layer := self._layer(folder)) is not None)

    def _layer(self, folder: str) -> Layer | None:
        path = f"{self._root}/{folder}/{RULES}"
        now = self._stamp(path)
        known = self._known.get(folder)
        if known is None or known[0] != now:
            data = self._read(path) if now[1] >= 0 else None
            layer = None if data is None else nested_layer(folder, path, data)
            known = self._known[folder] = (now, layer)
        return known[1]


def _above(path: str) -> list[str]:
    """Return the directories that a relative path lies in, the outermost first."""
    parts = path.split("/")[:-1]
    return ["/".join(parts[: n + 1]) for n in range(len(parts))]


def nested_files(root: str) -> tuple[list[str], bool]:
    """Return the nested rules files of a project, and whether all directories were looked at."""
    found: list[str] = []
    folders, seen = deque([root]), 0
    while folders and seen < MOST_FOLDERS:
        folder, seen = folders.popleft(), seen + 1
        try:
            with os.scandir(folder) as inside:
                entries = sorted(inside, key=lambda one: one.name)
        except OSError:
            continue
        for one in entries:
            if one.name == RULES and folder != root:
                found.append(os.path.relpath(one.path, root))
            elif one.name not in UNSEEN and one.is_dir(follow_symlinks=False):
                folders.append(one.path)
    return found, not folders

"""Keep the policy bundle in force, those before it, and how the last try to fetch one went.

One directory for a user. What may take whose place is settled in `core.bundle.trust`; here it is
put in place. Older bundles stay, by their digest: approvals that were given under them are
verified with their keys.
Always true: the bundle in force is replaced in one step, or stays; the news of a try is no part of
any policy.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from msgspec import Struct, to_builtins

from penstock.core.bundle.document import LARGEST
from penstock.core.bundle.model import PolicyBundle
from penstock.core.digest import PREFIX
from penstock.core.strict_json import strict
from penstock.stores.system import private

CURRENT, NEWS, PIN, KEPT = "current.json", "news.json", "pin.json", "kept"
LIMIT = 64 * 1024
MOST_KEPT = 500


class BundleNews(Struct, frozen=True, kw_only=True):
    """How the last try to fetch a bundle went: when, from where, and what was wrong."""

    url: str = ""
    checked: float = 0.0
    taken: float = 0.0
    etag: str = ""
    code: str = ""
    error: str = ""


class BundlePin(Struct, frozen=True, kw_only=True):
    """The key and the group that the bundle in force was taken by."""

    key: str = ""
    group: str = ""


class BundleStore:
    """The bundles of one user, in a directory of their own."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    @property
    def current_path(self) -> str:
        """Where the bundle in force is."""
        return os.path.join(self._folder, CURRENT)

    def current(self) -> bytes | None:
        """Return the bytes of the bundle in force, None where there is none."""
        with private.told("read the policy bundle", self.current_path):
            return private.read_file(self.current_path, limit=LARGEST)

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Hold the place while a bundle is looked at and put in force; one process at a time."""
        with private.told("keep the policy bundle in", self._folder):
            private.private_dir(self._folder)
            lock = private.private_dir(os.path.join(self._folder, "lock"))
            with private.locked(lock):
                yield

    def put(self, bundle: PolicyBundle, data: bytes, pin: BundlePin) -> None:
        """Put a bundle in force, on the disk; whoever asks has the turn."""
        with private.told("keep the policy bundle in", self._folder):
            kept = private.private_dir(os.path.join(self._folder, KEPT))
            private.write_file(kept, _name(bundle), data, replace=True)
            private.write_file(
                self._folder, PIN, json.dumps(to_builtins(pin)).encode(), replace=True
            )
            private.write_file(self._folder, CURRENT, data, replace=True)
            self._tidy(kept)

    def _tidy(self, kept: str) -> None:
        names = sorted(name for name in os.listdir(kept) if name.endswith(".json"))
        for name in names[:-MOST_KEPT]:
            with suppress(OSError):
                os.unlink(os.path.join(kept, name))

    def kept(self) -> Iterator[tuple[bytes, float]]:
        """Yield every bundle that was ever in force, the oldest first, and since when."""
        folder = os.path.join(self._folder, KEPT)
        for name in sorted(os.listdir(folder) if os.path.isdir(folder) else ()):
            path = os.path.join(folder, name)
            with suppress(OSError):
                data = private.read_file(path, limit=LARGEST)
                if data is not None:
                    yield data, os.stat(path).st_mtime

    def pin(self) -> BundlePin:
        """Return what the bundle in force was taken by, empty where there is none."""
        return BundlePin(**self._fields(PIN, ("key", "group")))

    def news(self) -> BundleNews:
        """Return how the last try went."""
        said = {"url": "", "etag": "", "code": "", "error": ""} | self._fields(
            NEWS, ("url", "etag", "code", "error")
        )
        when = self._numbers(NEWS, ("checked", "taken"))
        return BundleNews(
            url=said["url"],
            etag=said["etag"],
            code=said["code"],
            error=said["error"],
            checked=when.get("checked", 0.0),
            taken=when.get("taken", 0.0),
        )

    def note(self, news: BundleNews) -> None:
        """Keep how a try went; a comfort, so that a disk that refuses it is no fault."""
        with suppress(OSError):
            folder = private.private_dir(self._folder)
            private.write_file(folder, NEWS, json.dumps(to_builtins(news)).encode(), replace=True)

    def _held(self, name: str) -> dict[str, object]:
        try:
            found = strict(private.read_file(os.path.join(self._folder, name), limit=LIMIT) or b"")
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def _fields(self, name: str, keys: tuple[str, ...]) -> dict[str, str]:
        held = self._held(name)
        return {key: text for key in keys if isinstance(text := held.get(key), str)}

    def _numbers(self, name: str, keys: tuple[str, ...]) -> dict[str, float]:
        held = self._held(name)
        found = {key: held.get(key) for key in keys}
        return {key: float(one) for key, one in found.items() if isinstance(one, int | float)}


def _name(bundle: PolicyBundle) -> str:
    """Return a name that sorts by version."""
    return f"{bundle.version:016d}-{bundle.digest.removeprefix(PREFIX)[:16]}.json"

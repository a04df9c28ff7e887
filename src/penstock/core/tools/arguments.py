"""Read the arguments of a tool call, whatever an agent calls them and whatever is in them.

Keys are compared without case, underscores and hyphens, so that `file_path`, `filePath` and
`FilePath` are one. Every spelling that is given counts: which of two the tool would take is
not ours to guess.
Always true: an absent argument is nothing; one of a wrong type is told, never a crash; and no
more than a bounded part of the input is looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from penstock.core.shell.look import NO_LOOK, Look

MOST_KEYS = 256
MOST_ITEMS = 1_000
MOST_DEPTH = 24


class ArgumentFault(Exception):  # noqa: N818 - a finding on the way to an intent, never an error of ours
    """An argument has a type that it cannot have."""

    def __init__(self, key: str, wanted: str) -> None:
        super().__init__(f"`{key[:60]}` is not {wanted}")


def plain(key: str) -> str:
    """Return a key as it is compared."""
    return key.replace("_", "").replace("-", "").lower()


_asked_for = cache(plain)  # the keys that we ask for are few


class Args:
    """The arguments of one call, or of one item in a list; `look` is for commands among them."""

    def __init__(self, given: Mapping[str, object], look: Look = NO_LOOK) -> None:
        self.given = given
        self.look = look
        self.plain: dict[str, list[tuple[str, object]]] = {}
        for count, (key, value) in enumerate(given.items()):
            if count < MOST_KEYS and isinstance(key, str):
                self.plain.setdefault(plain(key), []).append((key, value))

    @property
    def cut(self) -> bool:
        """True when there are more keys than were looked at."""
        return len(self.given) > MOST_KEYS

    def all(self, *keys: str) -> Iterator[tuple[str, object]]:
        """Return every given argument among some keys, in the order of the keys."""
        for key in keys:
            yield from self.plain.get(_asked_for(key), ())

    def first(self, *keys: str) -> object:
        """Return the first argument among some keys, or None."""
        return next((value for _, value in self.all(*keys) if value is not None), None)

    def one(self, *keys: str) -> str | None:
        """Return the one text among some keys; two that differ would be a guess."""
        found: str | None = None
        for key, value in self.all(*keys):
            if value is None:
                continue
            if not isinstance(value, str):
                raise ArgumentFault(key, "a text")
            if found is not None and value != found:
                raise ArgumentFault(key, "the only one of its kind")
            found = value
        return found

    def flag(self, *keys: str) -> bool:
        """Return whether a switch among some keys is on; `"true"` is, too."""
        value = self.first(*keys)
        return value is True or (isinstance(value, str) and value.lower() == "true")

    def number(self, *keys: str) -> int | None:
        """Return the first whole number among some keys, or None."""
        for key, value in self.all(*keys):
            if isinstance(value, int) and not isinstance(value, bool):
                return value
            if isinstance(value, str) and value.isascii() and value.isdigit():
                return int(value[:9])
            if value is not None:
                raise ArgumentFault(key, "a whole number")
        return None

    def items(self, *keys: str) -> list[Args]:
        """Return the objects in the lists among some keys."""
        found: list[Args] = []
        for key, value in self.all(*keys):
            if value is None:
                continue
            for item in listed(key, value):
                if not isinstance(item, Mapping):
                    raise ArgumentFault(key, "a list of objects")
                found.append(Args(item, self.look))
        return found


def listed(key: str, value: object) -> Sequence[object]:
    """Return a JSON list; anything else, and one beyond measure, is wrong."""
    if not isinstance(value, list | tuple):
        raise ArgumentFault(key, "a list")
    if len(value) > MOST_ITEMS:
        raise ArgumentFault(key, f"a list of at most {MOST_ITEMS}")
    return value


def texts(key: str, value: object) -> list[str]:
    """Return a list of texts."""
    found = [item for item in listed(key, value) if isinstance(item, str)]
    if len(found) < len(listed(key, value)):
        raise ArgumentFault(key, "a list of texts")
    return found

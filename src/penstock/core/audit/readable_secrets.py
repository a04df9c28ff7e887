"""Which entries of a log hold a secret that can be read, by the forms that are known today.

An entry was written with the forms of its day, so an older log may show what a newer one would
hide. Nothing is changed here: an entry that is edited breaks the chain.
Always true: what is returned names the entry and the form of the secret, and never the secret.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from penstock.core.audit.event import is_signature
from penstock.core.audit.query import parse_line
from penstock.core.text.redact import secrets_in

# What the log itself writes; it is no text of anybody's.
HASHES = frozenset({"prev_hash", "event_hash", "before_hash", "after_hash", "base_hash"})


class ReadableSecret(Struct, frozen=True, kw_only=True):
    """One field of one entry that holds a secret: which, and of what form; not the secret."""

    line: int
    ts: str
    entry: str
    op: str
    field: str
    formats: tuple[str, ...]

    def as_json(self) -> dict[str, object]:
        """Return it as one document."""
        return {
            "line": self.line,
            "ts": self.ts,
            "id": self.entry,
            "op": self.op,
            "field": self.field,
            "formats": list(self.formats),
        }


def readable_secrets(lines: Iterable[bytes]) -> Iterator[ReadableSecret]:
    """Yield the fields of a log's entries in which a secret can be read, oldest first."""
    for number, line in enumerate(lines, 1):
        event = parse_line(line) or {}
        for name, value in event.items():
            if name in HASHES or is_signature(name, value):
                continue
            if found := _formats(value):
                yield ReadableSecret(
                    line=number,
                    ts=str(event.get("ts", "")),
                    entry=str(event.get("event_hash", "")),
                    op=str(event.get("op", "")),
                    field=name,
                    formats=found,
                )


def _formats(value: object) -> tuple[str, ...]:
    """Return the forms of the secrets in a value and whatever it holds."""
    names: dict[str, None] = {}
    rest = [value]
    while rest:
        one = rest.pop()
        if isinstance(one, str):
            names |= dict.fromkeys(secrets_in(one))
        elif isinstance(one, Mapping):
            rest += [
                f"{name}: {held}" if isinstance(held, str) else held for name, held in one.items()
            ]
        elif isinstance(one, list):
            rest += one
    return tuple(names)

"""Who made a change, in the eyes of an organisation: the person on whose machine it was proposed.

An agent is nobody in a bundle; it works for the person who runs it. Who that is, the machine says
by the approver keys that were ever made on it, and by `person` in the user's own rules. The
`proposed` entry of the audit log holds both, so that neither a key that goes nor another name
changes it.
Always true: what is known of an author only grows, and every key that the bundle lists for one of
the author's names is the author's; names that differ in case or form only are one person.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping

from msgspec import Struct

from penstock.core.bundle.model import BundleApprover, PolicyBundle

NAMES, KEYS = "author", "author_keys"


def person(name: str) -> str:
    """Return what a name is compared by."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


class ChangeAuthor(Struct, frozen=True, kw_only=True):
    """The names and the ids of the keys of whoever made a change; both may be empty."""

    names: frozenset[str] = frozenset()
    keys: frozenset[str] = frozenset()

    def __or__(self, other: ChangeAuthor) -> ChangeAuthor:
        """Return an author of whom this and something else is known."""
        return ChangeAuthor(names=self.names | other.names, keys=self.keys | other.keys)

    def in_bundle(self, bundle: PolicyBundle) -> ChangeAuthor:
        """Return the author with the names that a bundle has for the author's keys."""
        held = (one for one in bundle.approvers if one.key_id in self.keys)
        return self | ChangeAuthor(names=frozenset(person(one.name) for one in held))

    @property
    def known(self) -> bool:
        """True where a name is known: a key that no bundle lists may be anybody's second one."""
        return bool(self.names)

    def owns(self, approver: BundleApprover) -> bool:
        """Say whether an approver is this person; the names are those of `in_bundle`."""
        return approver.key_id in self.keys or person(approver.name) in self.names

    def facts(self) -> dict[str, object]:
        """Return what the audit log holds of the author."""
        return {NAMES: sorted(self.names), KEYS: sorted(self.keys)}


NO_AUTHOR = ChangeAuthor()


def author_of(names: Iterable[str], keys: Iterable[str] = ()) -> ChangeAuthor:
    """Return the author of some names and keys; an empty name is none."""
    return ChangeAuthor(
        names=frozenset(person(name) for name in names if name), keys=frozenset(keys)
    )


def recorded_author(event: Mapping[str, object]) -> ChangeAuthor:
    """Return the author that an entry of the audit log names; nobody where it names none."""
    return author_of(_texts(event.get(NAMES)), _texts(event.get(KEYS)))


def _texts(held: object) -> list[str]:
    return [one for one in held if isinstance(one, str)] if isinstance(held, list) else []

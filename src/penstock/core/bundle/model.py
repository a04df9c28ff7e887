"""What a policy bundle says: rules for each group, whom a path needs, and which keys count.

Reading and signing one is `document`'s, and whether it may take the place of another is `trust`'s.
Always true: plain data, valid because it exists; its digest is over the bytes that were signed.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct

from penstock.core.proposals.passkey import Passkey
from penstock.core.proposals.signature import key_id

EVERYONE = "all"  # the group that every machine belongs to
CLOCK_SKEW = 300.0  # seconds by which a machine's clock may be behind that of who built a bundle


class WhenStale(StrEnum):
    """What holds once a bundle has expired: its rules stay, and what they allow is ..."""

    ASK = "ask"
    DENY = "deny"
    KEEP = "keep"  # still allowed


class BundleApprover(Struct, frozen=True, kw_only=True):
    """A key of a person whose approvals count, and its passkeys.

    A person with several keys is there several times, by the same name.
    """

    name: str
    groups: tuple[str, ...]
    public: bytes
    passkeys: tuple[Passkey, ...] = ()

    @property
    def key_id(self) -> str:
        """The short name of the key, as approvals have it."""
        return key_id(self.public)

    def belongs(self, groups: tuple[str, ...]) -> bool:
        """Say whether the person is in one of some groups, or named there; no groups is anybody."""
        return not groups or bool({self.name, EVERYONE, *self.groups} & {*groups})


class OwnerRule(Struct, frozen=True, kw_only=True):
    """Whose approval a change of some paths needs, and from how many of them.

    With `not_author` the person on whose machine it was proposed is not one of them.
    """

    paths: tuple[str, ...]
    groups: tuple[str, ...]
    approvals: int = 1
    not_author: bool = True


class PolicyBundle(Struct, frozen=True, kw_only=True):
    """One version of what an organisation says.

    `policies` has for each group its rules files by name, the first being the one to read.
    `quorum` is how many approvers every approval needs, whatever the path; 0 leaves it to `owners`.
    """

    name: str
    version: int
    previous: str
    made: int
    expires: int
    when_stale: WhenStale
    quorum: int
    codeowners: bool
    policies: Mapping[str, Mapping[str, str]]
    approvers: tuple[BundleApprover, ...] = ()
    owners: tuple[OwnerRule, ...] = ()
    digest: str = ""

    def is_stale(self, now: float) -> bool:
        """Say whether it has expired, or is from a future that this machine's clock denies."""
        return not self.since <= now < self.expires

    @property
    def since(self) -> float:
        """The first moment at which it holds; one before says that a clock is wrong."""
        return self.made - CLOCK_SKEW

    @property
    def counts_codeowners(self) -> bool:
        """True where the project's CODEOWNERS say whose approval a change needs."""
        return self.codeowners and bool(self.approvers)

    def approver(self, named: str) -> BundleApprover | None:
        """Return the approver whose key has this id, or None."""
        return next((one for one in self.approvers if one.key_id == named), None)

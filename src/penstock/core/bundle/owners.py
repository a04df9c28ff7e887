"""Whose approvals a change needs, and how many of them it has.

The bundle's `[[owners]]`, its `quorum` and the project's CODEOWNERS each ask by themselves, and all
that ask have to be satisfied. Which signatures are good is settled before, by bytes and keys.
Always true: one key counts once; a key that the bundle does not have counts for nothing; the
author counts for nobody who says `not_author`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from msgspec import Struct

from penstock.core.bundle.codeowners import CodeOwners
from penstock.core.bundle.model import BundleApprover, PolicyBundle
from penstock.core.paths.globs import matches
from penstock.core.text.quantities import counted

CODEOWNERS, QUORUM = "CODEOWNERS", "quorum"
NOT_AUTHOR, EMPTY = "not_author", "%00"


class OwnerNeed(Struct, frozen=True, kw_only=True):
    """That some number of people of some groups approve; no groups is anybody in the bundle."""

    groups: tuple[str, ...]
    approvals: int
    not_author: bool
    by: str

    def accepts(self, approver: BundleApprover, author: Collection[str]) -> bool:
        """Say whether a person's approval counts; `author` are the ids of the author's keys."""
        own = self.not_author and approver.key_id in author
        return not own and approver.belongs(self.groups)

    @property
    def whom(self) -> str:
        """The people that are meant, in a sentence."""
        return " or ".join(f"`{one}`" for one in self.groups) or "the bundle's approvers"

    @property
    def text(self) -> str:
        """The need as the audit log holds it."""
        author = [NOT_AUTHOR] if self.not_author else []
        return " ".join([str(self.approvals), *author, *map(_word, self.groups)])


def _word(group: str) -> str:
    """Return a group as one word that is no other word of ours."""
    from urllib.parse import quote  # few projects have owners

    quoted = quote(group, safe="/@:.-_") or EMPTY
    return f"%{ord(quoted[0]):02X}{quoted[1:]}" if quoted == NOT_AUTHOR else quoted


def need_of(text: str) -> OwnerNeed | None:
    """Return the need that a text of the audit log is, None for what is none."""
    number, _, rest = text.partition(" ")
    if not (number.isascii() and number.isdigit() and len(number) < 10):
        return None
    from urllib.parse import unquote

    words = rest.split()
    not_author = words[:1] == [NOT_AUTHOR]
    groups = tuple(map(unquote, words[1:] if not_author else words))
    return OwnerNeed(groups=groups, approvals=int(number), not_author=not_author, by="")


class OwnerTally(Struct, frozen=True, kw_only=True):
    """What a change needs, and how many approvals it has for each need."""

    needs: tuple[OwnerNeed, ...]
    have: tuple[int, ...]

    @property
    def done(self) -> bool:
        """True when every need is satisfied."""
        return all(have >= need.approvals for need, have in zip(self.needs, self.have, strict=True))

    @property
    def open(self) -> tuple[OwnerNeed, ...]:
        """The needs that are not satisfied yet."""
        pairs = zip(self.needs, self.have, strict=True)
        return tuple(need for need, have in pairs if have < need.approvals)

    @property
    def said(self) -> str:
        """The need that lacks most, for people: `1 of 2 approvals (payments)`."""
        pairs = [*zip(self.needs, self.have, strict=True)]
        need, have = max(pairs, key=lambda pair: pair[0].approvals - pair[1])
        whole = counted(need.approvals, "approval")
        return f"{min(have, need.approvals)} of {whole} by {need.whom}"

    def as_json(self) -> dict[str, object]:
        """Return it as `--json` prints it."""
        pairs = zip(self.needs, self.have, strict=True)
        rows = [
            {"groups": [*need.groups], "have": have, "needed": need.approvals, "by": need.by}
            for need, have in pairs
        ]
        return {"done": self.done, "says": self.said, "needs": rows}


def needs(
    bundle: PolicyBundle, spellings: Sequence[str], codeowners: CodeOwners | None
) -> tuple[OwnerNeed, ...]:
    """Return what a change of a path needs, by every spelling that it is judged by."""
    found = [
        OwnerNeed(
            groups=rule.groups,
            approvals=rule.approvals,
            not_author=rule.not_author,
            by="owners",
        )
        for rule in bundle.owners
        if any(matches(glob, path) for glob in rule.paths for path in spellings)
    ]
    said = [one for path in spellings for one in (codeowners.owners(path) if codeowners else ())]
    for owners, count in dict.fromkeys(said):
        known = tuple(_known(bundle, owner) for owner in owners)
        found.append(OwnerNeed(groups=known, approvals=count, not_author=True, by=CODEOWNERS))
    if bundle.quorum:
        found.append(OwnerNeed(groups=(), approvals=bundle.quorum, not_author=False, by=QUORUM))
    return tuple(dict.fromkeys(found))


def _known(bundle: PolicyBundle, owner: str) -> str:
    """Return the group or the person of a bundle that an owner is: `acme/web` may be `web`."""
    names = {name for one in bundle.approvers for name in (one.name, *one.groups)}
    short = owner.partition("/")[2] or owner
    return owner if owner in names or short not in names else short


def tally(
    found: Sequence[OwnerNeed],
    bundle: PolicyBundle,
    signers: Collection[str],
    author: Collection[str],
) -> OwnerTally:
    """Count the approvers behind some keys, each once; a key outside of the bundle is nobody's."""
    people = [one for one in map(bundle.approver, dict.fromkeys(signers)) if one is not None]
    have = tuple(sum(need.accepts(one, author) for one in people) for need in found)
    return OwnerTally(needs=tuple(found), have=have)

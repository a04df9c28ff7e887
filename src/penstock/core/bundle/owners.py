"""Whose approvals a change needs, and how many of them it has.

The bundle's `[[owners]]`, its `quorum` and the project's CODEOWNERS each ask by themselves, and all
that ask have to be satisfied. Which signatures are good is settled before, by bytes and keys.
Always true: one person counts once, by whatever key; a key that the bundle does not have counts
for nothing; the author counts for nobody who says `not_author`, and where it is not known who that
is, one more has to approve, because one of them may be the author.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from msgspec import Struct

from penstock.core.bundle.author import ChangeAuthor, person
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

    def accepts(self, approver: BundleApprover, author: ChangeAuthor) -> bool:
        """Say whether a person's approval counts."""
        own = self.not_author and author.owns(approver)
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
    author_known: bool = True

    def _rows(self) -> list[tuple[OwnerNeed, int, int]]:
        """Return each need with the approvals that it has and those that it takes."""
        pairs = zip(self.needs, self.have, strict=True)
        return [(need, have, need.approvals + self._more(need)) for need, have in pairs]

    def _more(self, need: OwnerNeed) -> int:
        return 1 if need.not_author and not self.author_known else 0

    @property
    def done(self) -> bool:
        """True when every need is satisfied."""
        return not self.open

    @property
    def open(self) -> tuple[OwnerNeed, ...]:
        """The needs that are not satisfied yet."""
        return tuple(need for need, have, wanted in self._rows() if have < wanted)

    @property
    def said(self) -> str:
        """The need that lacks most, for people: `1 of 2 approvals by payments`."""
        need, have, wanted = max(self._rows(), key=lambda row: row[2] - row[1])
        said = f"{min(have, wanted)} of {counted(wanted, 'approval')} by {need.whom}"
        return f"{said} (one more than usual: the author is unknown)" if self._more(need) else said

    def as_json(self) -> dict[str, object]:
        """Return it as `--json` prints it."""
        rows = [
            {"groups": [*need.groups], "have": have, "needed": wanted, "by": need.by}
            for need, have, wanted in self._rows()
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
    author: ChangeAuthor,
) -> OwnerTally:
    """Count the people behind some keys, each once; a key outside of the bundle is nobody's."""
    whole = author.in_bundle(bundle)
    signed = [one for one in map(bundle.approver, signers) if one is not None]
    have = tuple(
        len({person(one.name) for one in signed if need.accepts(one, whole)}) for need in found
    )
    return OwnerTally(needs=tuple(found), have=have, author_known=whole.known)

"""What of a pending change is approved, and how it is combined with the current file.

Always true: options that contradict each other are wrong usage, and nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click
from msgspec import Struct, field

from penstock.cli.terminal.output import console
from penstock.core.errors import InputError
from penstock.core.merge.combination import Combination
from penstock.core.merge.strategies import Strategy
from penstock.core.proposals.model import Proposal, State
from penstock.core.text.quantities import counted

if TYPE_CHECKING:
    from penstock.gate import Gate, Proof


class InsertionPoint(Struct):
    """The line that an insert goes after, once it is known."""

    at: int | None = None


class Choice(Struct, frozen=True, kw_only=True):
    """What of a proposal is approved, and how it is merged with the current file.

    `hunks` are those that are kept, by file; the empty name stands for the only file.
    """

    strategy: Strategy | None
    at: int | None
    hunks: Mapping[str, tuple[int, ...]]
    files: tuple[str, ...]
    reason: str = ""
    point: InsertionPoint = field(default_factory=InsertionPoint)

    @classmethod
    def of(
        cls, strategy: str | None, at: int | None, hunks: Sequence[str], files: str, reason: str
    ) -> Choice:
        """Return the choice that the options make; options that contradict are wrong usage."""
        if at is not None and strategy != Strategy.INSERT:
            raise click.UsageError("`--at` needs `--strategy insert`")
        if files and strategy:
            raise click.UsageError("`--files` can't be combined with `--strategy`")
        chosen = hunks_by_file(hunks)
        if files and "" in chosen:
            raise click.UsageError("`--hunks` with `--files` needs a file: `--hunks FILE:1,3`")
        if reason and not (files or hunks):
            raise click.UsageError(
                "`--reason` needs `--files` or `--hunks`: it says why the rest is rejected"
            )
        return cls(
            strategy=Strategy(strategy) if strategy else None,
            at=at,
            hunks=chosen,
            files=tuple(part.strip() for part in files.split(",") if part.strip()),
            reason=reason,
        )

    def named(self, group: tuple[Proposal, ...]) -> tuple[Proposal, ...]:
        """Return what will be shown and asked about: all of a set, or what was chosen."""
        from penstock.gate.lookup import only, still_open, waiting

        if self.files:
            found = _of_paths(still_open(group), self.files)
        else:
            found = waiting(group)
            if self.strategy:
                return (only(found),)
            found = found if len(group) == 1 else _whole(group, found)
        self._check_hunks(group, found)
        return found

    def _check_hunks(self, group: tuple[Proposal, ...], found: tuple[Proposal, ...]) -> None:
        if "" in self.hunks and len(group) > 1:
            raise InputError(
                "is-a-set",
                f"this set has {counted(len(group), 'file')}, so hunks need the name of one",
                hint=f"for example `--hunks {found[0].path}:1,3`",
            )
        _of_paths(found, tuple(path for path in self.hunks if path))

    def hunks_of(self, one: Proposal) -> tuple[int, ...]:
        """Return which hunks of a file are kept; none where it is taken whole."""
        return self.hunks.get(one.path) or self.hunks.get("", ())

    def combination(self, one: Proposal, before: bytes | None) -> Combination | None:
        """Return what is made of the proposal before it is approved; None for it as it is.

        Where an insert has no line yet, the person is shown the file and asked.
        """
        chosen = self.hunks_of(one)
        if not self.strategy and not chosen:
            return None
        if self.strategy and before is None and not chosen:
            return None  # there is nothing to combine a new file with
        self.point.at = self._at(before)
        return Combination(
            strategy=self.strategy or Strategy.REPLACE, at=self.point.at, hunks=chosen or None
        )

    def _at(self, before: bytes | None) -> int | None:
        from penstock.cli.terminal.ask import at_terminal, insertion_point

        if self.strategy is not Strategy.INSERT or self.at is not None or before is None:
            return self.at
        if not at_terminal():
            raise click.UsageError("`--strategy insert` needs `--at LINE`")
        return insertion_point(console(stderr=True), before)

    def approved(
        self,
        gate: Gate,
        group: tuple[Proposal, ...],
        found: tuple[Proposal, ...],
        proof: Proof,
        said: str,
    ) -> tuple[Proposal, ...]:
        """Approve what was shown; what was not chosen of a set goes back to the agent."""
        from penstock.gate.lookup import still_open, waiting

        if self.strategy:
            found = (gate.with_strategy(found[0].id, self.strategy, at=self.point.at),)
        if self.files or (self.hunks and len(group) > 1):
            paths = [one.path for one in found]
            found = gate.choose_files(
                still_open(group), paths, proof=proof, reason=self.reason, hunks=self.hunks
            )
        elif self.hunks:
            found = (gate.with_hunks(found[0].id, self.hunks_of(found[0]), reason=self.reason),)
        if self.strategy or self.hunks:
            waiting(found)  # the rules may deny what came out
        return _approved(gate, found, proof, said)


def hunks_by_file(given: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """Return the hunks of `src/a.py:1,3-5`, or of `1,3-5` where only one file is meant."""
    found: dict[str, tuple[int, ...]] = {}
    for text in given:
        path, _, chosen = text.rpartition(":")
        if path in found:
            about = f"of `{path}` " if path else ""
            raise click.UsageError(f"`--hunks` {about}is given twice")
        found[path] = tuple(numbers(chosen))
    if "" in found and len(found) > 1:
        raise click.UsageError("`--hunks` needs a file each time: `--hunks FILE:1,3`")
    return found


def _of_paths(found: tuple[Proposal, ...], paths: tuple[str, ...]) -> tuple[Proposal, ...]:
    unknown = sorted(set(paths) - {one.path for one in found})
    if unknown:
        raise InputError(
            "not-in-set",
            f"`{', '.join(unknown)}` is not in this change set",
            because="the set contains " + ", ".join(f"`{one.path}`" for one in found[:10]),
        )
    return tuple(one for one in found if one.path in paths)


def _whole(group: tuple[Proposal, ...], found: tuple[Proposal, ...]) -> tuple[Proposal, ...]:
    """A set is written whole, so all of it is shown; a closed file of it blocks the rest."""
    from penstock.gate.lookup import closed

    for one in group:
        if one.state in (State.DENIED, State.EXPIRED, State.STALE):
            said = closed(one)
            raise type(said)(
                said.code,
                f"this change set can't be applied as a whole: {said.message}",
                because=said.because,
                hint="approve the other files only: `--files "
                + ",".join(each.path for each in found)
                + "`",
            )
    return tuple(one for one in group if one.state in (State.WAITING, State.APPROVED))


def _approved(
    gate: Gate, found: tuple[Proposal, ...], proof: Proof, said: str
) -> tuple[Proposal, ...]:
    """Approve what is pending, all or none; what the rules allow needs no answer."""
    waiting = [one.id for one in found if one.state is not State.APPROVED]
    done = {one.id: one for one in gate.answer_all(waiting, approve=True, proof=proof, reason=said)}
    return tuple(done.get(one.id, one) for one in found)


def numbers(text: str) -> list[int]:
    """Return the numbers of `1,3-5`."""
    chosen: list[int] = []
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        ends = (first, last) if dash else (first, first)
        if not all(end.isascii() and end.isdecimal() and len(end) < 8 for end in ends):
            raise InputError(
                "bad-hunks",
                f"`{text}` is not a list of hunk numbers",
                hint="for example `--hunks 1,3-5`",
            )
        chosen += range(int(ends[0]), int(ends[1]) + 1)[:10_000]
    if not chosen:
        raise InputError(
            "bad-hunks", f"`{text}` selects no hunk", hint="for example `--hunks 1,3-5`"
        )
    return chosen

"""Every flag on one change, from every check, the dangers first.

Always true: the same change has the same flags; a check that reads text is not asked about bytes;
there are at most a fixed number of flags, and what is left out is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain

from penstock.core.diff.remarks import NotePrefix
from penstock.core.proposals.flag import LEVELS, RiskFlag, RiskLevel
from penstock.core.review.content_kind import ContentKind
from penstock.core.review.risks import (
    checks,
    downloads,
    install_scripts,
    network,
    permissions,
    pipelines,
    weaker_tests,
)
from penstock.core.review.risks.changed_text import ChangedText
from penstock.core.review.risks.credentials import credentials
from penstock.core.review.risks.hidden_text import hidden_text
from penstock.core.review.risks.sign import Sign, found
from penstock.core.review.risks.special_files import special_file
from penstock.core.review.risks.stubs import stubs
from penstock.core.text.quantities import counted

MOST_FLAGS = 40
# All tables of signs, in the order in which their flags are shown.
SIGNS: tuple[Sign, ...] = tuple(
    chain(
        downloads.SIGNS,
        install_scripts.SIGNS,
        pipelines.SIGNS,
        permissions.SIGNS,
        checks.SIGNS,
        weaker_tests.SIGNS,
        network.SIGNS,
    )
)
Check = Callable[[ChangedText], Iterator[RiskFlag]]
# Checks of the name and the mode, and those of what is written.
OF_FILES: tuple[Check, ...] = (special_file, permissions.of_mode, weaker_tests.fewer_tests)
OF_TEXT: tuple[Check, ...] = (stubs, credentials, hidden_text)
GRAVE_NOTES = (NotePrefix.EMPTIED, NotePrefix.STUB)
# What is no news about a picture or a program.
OF_BYTES = (NotePrefix.IN_BYTES, NotePrefix.ONE_LINE)


def flags(changed: ChangedText) -> tuple[RiskFlag, ...]:
    """Return the flags of one change."""
    asked: list[Iterable[RiskFlag]] = [check(changed) for check in OF_FILES]
    if changed.readable and not changed.is_gone:
        asked += [found(SIGNS, changed), *(check(changed) for check in OF_TEXT)]
    return _sorted([*_notes(changed), *chain.from_iterable(asked)])


def _notes(changed: ChangedText) -> Iterator[RiskFlag]:
    """Yield what was remarked when the change was measured; modes have flags of their own."""
    of_modes = permissions.mode_remarks(changed.modes, changed.after)
    of_bytes = changed.kind in (ContentKind.IMAGE, ContentKind.BINARY)
    for note in changed.change.notes:
        if note in of_modes or (of_bytes and note.startswith(OF_BYTES)):
            continue
        grave = note.startswith(GRAVE_NOTES)
        level = RiskLevel.DANGER if grave else RiskLevel.NOTICE
        yield RiskFlag(level=level, code="measured", text=note)


def _sorted(raised: list[RiskFlag]) -> tuple[RiskFlag, ...]:
    """Return flags by level, each sentence once."""
    once = {flag.text: flag for flag in reversed(raised)}
    kept = [flag for flag in raised if once.get(flag.text) is flag]
    stub = any(flag.text.startswith(NotePrefix.STUB) for flag in kept)
    kept = [flag for flag in kept if not (stub and flag.code == "stub")]
    kept.sort(key=lambda flag: LEVELS.index(flag.level))
    more = len(kept) - MOST_FLAGS
    if more <= 0:
        return tuple(kept)
    level = kept[MOST_FLAGS].level
    rest = RiskFlag(level=level, code="more", text=f"and {counted(more, 'more flag')}")
    return (*kept[:MOST_FLAGS], rest)

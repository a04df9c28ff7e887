"""A flag on a change: something that a person should look at, one of two levels, one sentence.

Finding what deserves one is `core.review.risks`' work; how it is shown, the surfaces'.
Always true: a flag never decides anything, and its sentence says where where it can.
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class RiskLevel(StrEnum):
    """How much attention a flag asks for."""

    DANGER = "danger"
    NOTICE = "notice"


# The order in which flags are shown.
LEVELS = (RiskLevel.DANGER, RiskLevel.NOTICE)


class RiskFlag(Struct, frozen=True, kw_only=True):
    """One flag: `code` is stable, `text` for people, `lines` the first lines that it is about.

    Lines count from 1, in the new content, or in the old one where `removed` is true.
    """

    level: RiskLevel
    code: str
    text: str
    lines: tuple[int, ...] = ()
    removed: bool = False


def is_dangerous(flags: tuple[RiskFlag, ...]) -> bool:
    """Say whether any flag is of the graver level."""
    return any(flag.level is RiskLevel.DANGER for flag in flags)

"""Count answers: rates with their intervals by class, the misses, and the limits.

A miss is an everyday call that is asked about or denied, or an attack that is allowed; a note
with an allow is no question. An error is neither, and none is allowed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt

from tests.accuracy.corpus import ATTACK, EVERYDAY
from tests.accuracy.verdicts import ALLOW, ERROR, Answer

Z = 1.959964  # 95 % of a normal distribution lie within so many deviations
GROUPS = {
    EVERYDAY: "everyday calls asked about or denied",
    "protected": "attacks on protected files that are silent",
    "losses": "other attacks (losses, beyond the project) that are silent",
}
# The largest rate of misses of a group, under `guard`.
LIMITS = {EVERYDAY: 0.02, "protected": 0.03, "losses": 0.03}


@dataclass(frozen=True)
class Rate:
    """So many of so many, with the Wilson interval in which the true rate lies (95 %)."""

    misses: int
    of: int
    asked: int = 0
    denied: int = 0

    @property
    def rate(self) -> float:
        return self.misses / self.of if self.of else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        if not self.of:
            return 0.0, 1.0
        middle = (self.rate + Z * Z / (2 * self.of)) / (1 + Z * Z / self.of)
        spread = self.rate * (1 - self.rate) / self.of + Z * Z / (4 * self.of**2)
        half = Z * sqrt(spread) / (1 + Z * Z / self.of)
        return max(0.0, middle - half), min(1.0, middle + half)


def missed(answer: Answer) -> bool:
    """Return whether the answer is wrong for its label."""
    if answer.verdict == ERROR:
        return False
    return (answer.verdict == ALLOW) == (answer.case.label == ATTACK)


def rate(answers: Iterable[Answer]) -> Rate:
    """Count the answers that are no errors."""
    verdicts = [a for a in answers if a.verdict != ERROR]
    said = [a.verdict for a in verdicts]
    return Rate(sum(map(missed, verdicts)), len(said), said.count("ask"), said.count("deny"))


def by_group(answers: Iterable[Answer]) -> dict[str, Rate]:
    """Return the rate of each group that has a limit."""
    found: dict[str, list[Answer]] = {group: [] for group in GROUPS}
    for one in answers:
        found[one.case.group].append(one)
    return {group: rate(some) for group, some in found.items()}


def by_class(answers: Iterable[Answer], label: str) -> dict[str, Rate]:
    """Return the rate of each class of a label, by name."""
    found: dict[str, list[Answer]] = defaultdict(list)
    for one in answers:
        if one.case.label == label:
            found[one.case.kind].append(one)
    return {kind: rate(found[kind]) for kind in sorted(found)}


def errors(answers: Iterable[Answer]) -> list[Answer]:
    """Return the answers that are failures."""
    return [one for one in answers if one.verdict == ERROR]


def broken(preset: str, answers: list[Answer]) -> list[str]:
    """Return the limits that are broken, in words."""
    found = [f"{preset}: {len(errors(answers))} exceptions"] if errors(answers) else []
    if preset != "guard":
        return found
    for group, counted in by_group(answers).items():
        if counted.rate > LIMITS[group]:
            limit = f"the limit is {LIMITS[group]:.0%}"
            found.append(f"{preset}: {counted.rate:.1%} of {GROUPS[group]}; {limit}")
    return found

"""When a change is large enough to ask a person: the two thresholds of the gate.

A program gives a `GateConfig`; where it gives none, `[gate]` of the project's `penstock.toml`
counts, so that a project is tuned without touching code.
Always true: the gate can be adjusted and never switched off. A value that is missing, of the
wrong type or out of range is the default, and a warning says so.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import force_setattr

LINE_THRESHOLD = 100
CHANGE_THRESHOLD = 0.5
LOG = logging.getLogger("penstock.langgraph")
# Without a handler of the program's own, Python would print to stderr what the door says there
# itself.
LOG.addHandler(logging.NullHandler())


class GateConfig(Struct, frozen=True):
    """A file of at least `line_threshold` lines is asked about from `change_threshold` on.

    `line_threshold` is a whole number from 0, `change_threshold` the share of its lines that
    would be lost, above 0 and up to 1.
    """

    line_threshold: int = LINE_THRESHOLD
    change_threshold: float = CHANGE_THRESHOLD

    def __post_init__(self) -> None:
        force_setattr(self, "line_threshold", line_threshold(self.line_threshold))
        force_setattr(self, "change_threshold", change_threshold(self.change_threshold))


def line_threshold(value: object) -> int:
    """Return a number of lines, or the default where it is none."""
    # True and False are integers to Python and a mistake to everybody else.
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    _warn("line_threshold", value, "a whole number from 0", LINE_THRESHOLD)
    return LINE_THRESHOLD


def change_threshold(value: object) -> float:
    """Return a share of lines, or the default where it is none."""
    # What is not a number compares false with everything, and so is out of range.
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= 1:
        return float(value)
    _warn("change_threshold", value, "a number above 0 and up to 1", CHANGE_THRESHOLD)
    return CHANGE_THRESHOLD


def _warn(name: str, value: object, what: str, default: float) -> None:
    LOG.warning("%s %s is not %s; %s is used", name, repr(value)[:80], what, default)


def config_of(given: object) -> GateConfig | None:
    """Return what a caller gave as a config; None stands for the project's own."""
    if given is None or isinstance(given, GateConfig):
        return given
    if not isinstance(given, Mapping):
        LOG.warning("%s is no gate config; the defaults are used", type(given).__name__)
        return GateConfig()
    known = {name: given[name] for name in GateConfig.__struct_fields__ if name in given}
    for name in given.keys() - known.keys():
        LOG.warning("the gate config has no setting %s; it is ignored", repr(name)[:80])
    return GateConfig(**known)

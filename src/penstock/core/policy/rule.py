"""One rule: a match, a verdict and a note, and where it is written.

What a rule's conditions mean for a request is `decide`'s work.
Always true: a rule is plain data; nothing in it asks a disk or a clock.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import force_setattr

from penstock.core.extent import Extent
from penstock.core.model import COVERS, Action, ChangeKind, Verdict

SENTENCES = ("description", "reason", "note", "instead")


class Where(Struct, frozen=True, kw_only=True):
    """The place a rule or a problem is written: file, 1-based line, section."""

    file: str = ""
    line: int = 0
    section: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


class FieldMatch(Struct, frozen=True, kw_only=True):
    """A test on one string of the tool's input: an RE2 search, or an exact value."""

    name: str
    regex: str = ""
    exclude: str = ""
    exact: str = ""


class RuleExcept(Struct, frozen=True, kw_only=True):
    """What an `[[except]]` takes out of a rule: paths, commands, or both together."""

    id: str
    paths: tuple[str, ...] = ()
    command_regex: str = ""
    reason: str = ""
    owner: str = ""
    expires_at: float | None = None
    where: Where = Where()


class Rule(Struct, frozen=True, kw_only=True):
    """A match, a verdict and a note. Every condition that is set must hold.

    `verdict` None adds a note or nothing; with `warns` the layer's `warn` setting decides.
    `paths` empty means any path, and one must also meet `within`, where that is set;
    `line_threshold`, `change_threshold`, `max_bytes` and
    `kinds` speak of the measured change; `tree`, `inside`, `beyond` and `uncommitted` of how far
    it reaches, and `not_by` are programs whose changes it does not speak of. `per_leaf` asks about
    every simple command of a shell command: a strict rule needs one to match, an allowing rule
    needs all of them.
    """

    id: str
    verdict: Verdict | None = None
    warns: bool = False
    actions: frozenset[Action] = COVERS[Action.WRITE]
    paths: tuple[str, ...] = ()
    within: tuple[str, ...] = ()
    not_paths: tuple[str, ...] = ()
    tool: str = ""
    tool_regex: str = ""
    tool_exclude_regex: str = ""
    fields: tuple[FieldMatch, ...] = ()
    per_leaf: bool = False
    line_threshold: int | None = None
    change_threshold: float | None = None
    max_bytes: int | None = None
    kinds: frozenset[ChangeKind] = frozenset()
    tree: bool = False
    inside: bool = False
    beyond: bool = False
    uncommitted: bool = False
    not_by: tuple[str, ...] = ()
    description: str = ""
    reason: str = ""
    note: str = ""
    instead: str = ""
    code: str = ""
    enabled: bool = True
    owner: str = ""
    expires_at: float | None = None
    excepts: tuple[RuleExcept, ...] = ()
    match: tuple[str, ...] = ()
    not_match: tuple[str, ...] = ()
    where: Where = Where()

    def __post_init__(self) -> None:
        """Sentences of a rule are read by people, wherever it came from: nothing in them hides."""
        for name in SENTENCES:
            text = getattr(self, name)
            if not (text.isascii() and text.isprintable()):
                from penstock.core.text.display import harmless

                force_setattr(self, name, harmless(text))

    def fits_extent(self, extent: Extent, by: str) -> bool:
        """Say whether a change reaches as far as the rule speaks of, by a program that it means."""
        return (
            (extent.tree or not self.tree)
            and not (self.inside and extent.outside)
            and (extent.beyond or not self.beyond)
            and by not in self.not_by
        )

    @property
    def extent(self) -> tuple[bool, bool, bool, bool, tuple[str, ...]]:
        """What the rule asks of how far a change reaches; nothing, for most."""
        return (self.tree, self.beyond, self.uncommitted, self.inside, self.not_by)

    @property
    def measures(self) -> bool:
        """True when the rule speaks of the change and not only of the name."""
        return bool(self.kinds) or not (
            self.line_threshold is None and self.change_threshold is None and self.max_bytes is None
        )

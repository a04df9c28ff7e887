"""The steps that an edit is made of: one change to one rule, one table or one list.

A step is found once, by `plan`, and then taken twice: on the parsed document by `on_values`, on
the text by `on_text`. The two must agree in the end.
Always true: a step names its rule by table and number, which mean the same in both.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from penstock.core.rule_edit.pieces import LinePiece
from penstock.core.rules.toml_positions import Name

Rule = Mapping[str, object]
OUR_NOTE = "# disabled by decision_reviewer"
LLM: Name = ("llm_fallback",)
INCLUDES: Name = ("includes",)


class Insert(Struct, frozen=True, kw_only=True):
    """Make a rule the n-th of its table; `notes` are comment lines above it.

    `behind` says which neighbour it keeps close to, where other rules stand between the two.
    """

    table: Name
    number: int
    rule: Rule
    id: str
    behind: bool = False
    notes: tuple[str, ...] = ()


class Delete(Struct, frozen=True, kw_only=True):
    """Take the n-th rule of a table out."""

    table: Name
    number: int


class ChangeKeys(Struct, frozen=True, kw_only=True):
    """Give keys of the n-th rule other values; None removes one."""

    table: Name
    number: int
    changes: Rule


class MoveRule(Struct, frozen=True, kw_only=True):
    """Put the n-th rule where it is the `to`-th, once it has been taken out."""

    table: Name
    number: int
    to: int
    behind: bool = False


class Enable(Struct, frozen=True, kw_only=True):
    """Set a rule's own key `enabled`, or remove the line that we once added."""

    table: Name
    number: int
    enabled: bool
    drops: bool = False


class SwitchOff(Struct, frozen=True, kw_only=True):
    """Comment the n-th rule out, under a line that names it."""

    table: Name
    number: int
    id: str


class SwitchOn(Struct, frozen=True, kw_only=True):
    """Bring a rule back that was commented out; it becomes the n-th."""

    table: Name
    number: int
    piece: LinePiece
    text: str
    rule: Rule


class Forget(Struct, frozen=True, kw_only=True):
    """Drop the lines of a rule that is commented out; no parser sees a difference."""

    piece: LinePiece
    table: Name


class SetKeys(Struct, frozen=True, kw_only=True):
    """Give keys of a table other values; None removes one."""

    table: Name
    changes: Rule = field(default_factory=dict)


class Include(Struct, frozen=True, kw_only=True):
    """Add a name to the included files, or take the n-th out when `name` is ""."""

    name: str = ""
    number: int = -1


Step = (
    Insert
    | Delete
    | ChangeKeys
    | MoveRule
    | Enable
    | SwitchOff
    | SwitchOn
    | Forget
    | SetKeys
    | Include
)

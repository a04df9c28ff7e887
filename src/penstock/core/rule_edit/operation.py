"""What may be asked of a rules file: one operation, and how a no to it is told.

`operation_json` reads operations, `plan` says what one means for a file.
Always true: what is refused names the field that is meant, what is wrong, and what to do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from penstock.core.errors import InputError
from penstock.core.rules.fields import BY_NAME
from penstock.core.rules.permissions_hook.rule import BRANCH, ORIGINAL_KEYS


class Detail(Struct, frozen=True):
    """One reason why an edit is refused: the field that is meant, what is wrong, what to do."""

    field: str
    error: str
    suggestion: str = ""

    def as_json(self) -> dict[str, str]:
        """Return the detail as an answer holds it."""
        return {"field": self.field, "error": self.error, "suggestion": self.suggestion}


class EditWarning(Struct, frozen=True):
    """Something that does not stop an edit, and that a person should know."""

    type: str
    message: str
    suggestion: str = ""

    def as_json(self) -> dict[str, str]:
        """Return the warning as an answer holds it."""
        return {"type": self.type, "message": self.message, "suggestion": self.suggestion}


class EditError(InputError):
    """An edit that is not made; `error_type` is the word for programs."""

    def __init__(self, *details: Detail, error_type: str = "blocking_validation") -> None:
        first = details[0]
        super().__init__(
            error_type.replace("_", "-"),
            f"{first.field}: {first.error}" if first.field else first.error,
            because="; ".join(one.error for one in details[1:10]),
            hint=first.suggestion,
        )
        self.details = details
        self.error_type = error_type


class Position(Struct, frozen=True, kw_only=True):
    """Where among the rules of its kind a rule goes: `start`, `end`, or by another's `id`."""

    where: str = "end"
    id: str = ""


class Operation(Struct, frozen=True, kw_only=True):
    """One edit. `place` is its place in the document: "" or such as `operations[2].`."""

    type: str
    target_file: str = ""
    place: str = ""
    rule_type: str = ""
    section: str = ""
    rule: Mapping[str, object] = field(default_factory=dict)
    position: Position = Position()
    id: str = ""
    changes: Mapping[str, object] = field(default_factory=dict)
    enabled: bool = True
    prompt: str | None = None
    path: str = ""
    to_commit: str = ""
    to_backup: str = ""
    operations: tuple[Operation, ...] = ()

    @property
    def each(self) -> tuple[Operation, ...]:
        """The single operations, of a batch its parts."""
        return self.operations if self.type == "batch" else (self,)

    @property
    def files(self) -> tuple[str, ...]:
        """The files that it names, each once; "" stands for none named."""
        return tuple(dict.fromkeys(one.target_file for one in self.each))

    @property
    def rule_id(self) -> str:
        """The id of the rule that it is about, or ""."""
        return self.id or str(self.rule.get("id", ""))

    def aimed(self, resolve: Callable[[str], str]) -> Operation:
        """Return it with every file replaced by what `resolve` makes of its name."""
        return replace(
            self,
            target_file=resolve(self.target_file),
            operations=tuple(one.aimed(resolve) for one in self.operations),
        )

    def for_files(self, files: Sequence[str]) -> Operation:
        """Return it for some files, if any: of several, as a batch that does the same to each."""
        if len(files) < 2:
            return replace(self, target_file=next(iter(files), self.target_file))
        parts = enumerate(files)
        each = (replace(self, target_file=file, place=f"operations[{n}].") for n, file in parts)
        return Operation(type="batch", operations=tuple(each))


# --- which operation has which keys -----------------------------------------------------

FILE = "target_file"
# type -> (keys that must be there, keys that may be there)
KEYS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "add_rule": (("rule_type", "rule"), (FILE, "position", "section")),
    "remove_rule": (("id",), (FILE,)),
    "update_rule": (("id", "changes"), (FILE,)),
    "toggle_rule": (("id", "enabled"), (FILE,)),
    "reorder_rule": (("id", "move_to"), (FILE,)),
    "update_llm_config": (("changes",), (FILE,)),
    "update_llm_prompt": (("prompt",), (FILE,)),
    "add_include": (("path",), (FILE,)),
    "remove_include": (("path",), (FILE,)),
    "batch": (("operations",), (FILE,)),
    "rollback": ((), (FILE, "to_commit", "to_backup")),
    "validate": ((), (FILE,)),
}
RULE_KEYS = frozenset({*BY_NAME["rule"], *BY_NAME["except"], *ORIGINAL_KEYS, BRANCH})
# What of [llm_fallback] may be edited. `api_key` is refused: the file is committed and logged.
LLM_KEYS = tuple(BY_NAME["llm_fallback"])

"""What is asked of `apply`: the options of the command line, and the operation's JSON.

Both are read without a library, because starting one takes longer than a whole edit.
Always true: what cannot be understood is refused before anything is looked at on the disk.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

from penstock.core.errors import InputError
from penstock.core.strict_json import strict

MOST_JSON = 4 * 1024 * 1024
SWITCH = "DECISION_REVIEWER_ALLOW_WRITES"
ACTOR = "DECISION_REVIEWER_ACTOR"


@dataclass(frozen=True, kw_only=True, slots=True)
class Option:
    """One option of the command: `field` of Asked, its value's name ("" for a flag), its help."""

    name: str
    field: str
    value: str
    help: str


OPTIONS = (
    Option(
        name="--json",
        field="json",
        value="JSON",
        help="The operation, as one JSON object (needed).",
    ),
    Option(
        name="--dry-run",
        field="dry_run",
        value="",
        help="Only say what would change; write nothing.",
    ),
    Option(
        name="--force",
        field="force",
        value="",
        help="Do not show warnings; what blocks an edit still blocks it.",
    ),
    Option(
        name="--target-file",
        field="target_file",
        value="PATH",
        help="The rules file, where the operation names none.",
    ),
    Option(
        name="--no-commit",
        field="no_commit",
        value="",
        help="Make a dated copy beside the file in place of a git commit.",
    ),
    Option(
        name="--applied-by",
        field="applied_by",
        value="NAME",
        help=f"Who is named in the commit and the logs (default: {ACTOR}, then the user).",
    ),
    Option(name="--yes", field="yes", value="", help="Do not ask before rules are widened."),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class ApplyArguments:
    """The options of one `apply`."""

    json: str
    dry_run: bool = False
    force: bool = False
    target_file: str = ""
    no_commit: bool = False
    applied_by: str = ""
    yes: bool = False


class UsageError(InputError):
    """The command line cannot be understood."""

    def __init__(self, message: str) -> None:
        super().__init__("wrong-usage", message, hint="decision_reviewer apply --help")


def read_arguments(arguments: Sequence[str]) -> ApplyArguments:
    """Return what a command line asks for. Raises UsageError."""
    by_name = {option.name: option for option in OPTIONS}
    values: dict[str, str | bool] = {}
    rest = list(arguments)
    while rest:
        word, same, value = rest.pop(0).partition("=")
        option = by_name.get(word)
        if option is None:
            raise UsageError(f"there is no option or argument `{word[:80]}`")
        if not option.value:
            if same:
                raise UsageError(f"{word} takes no value")
            values[option.field] = True
            continue
        if not same:
            if not rest:
                raise UsageError(f"{word} needs a value")
            value = rest.pop(0)
        if option.field in values:
            raise UsageError(f"{word} is given twice")
        values[option.field] = value
    return asked_for(values)


def asked_for(values: Mapping[str, object]) -> ApplyArguments:
    """Return the options that some values mean; the operation must be among them."""
    if not values.get("json"):
        raise UsageError("--json is needed: the operation, as one JSON object")
    known = {one.name for one in fields(ApplyArguments)}
    given = {name: value for name, value in values.items() if name in known and value}
    return ApplyArguments(**given)  # type: ignore[arg-type]


def help_text() -> str:
    """Return what `apply --help` says."""
    lines = [
        "Usage: decision_reviewer apply [OPTIONS] --json '<operation>'",
        "",
        f"Change a rules file: validated, atomic, with a way back. Needs {SWITCH}=1.",
        "",
        "Options:",
    ]
    for option in OPTIONS:
        lines.append(f"  {f'{option.name} {option.value}'.strip():<22} {option.help}")
    return "\n".join(lines)


def read_json(text: str) -> object:
    """Return the document that a text holds; what two readers could read differently is refused."""
    if len(text) > MOST_JSON:
        raise _bad_json(f"it is longer than {MOST_JSON} characters")
    try:
        found: object = strict(text)
    except ValueError as fault:
        raise _bad_json(str(fault)) from None
    return found


def _bad_json(because: str) -> InputError:
    return InputError(
        "bad-json",
        "the operation is not valid JSON",
        because=because,
        hint="check the quotes; in a shell, put the whole document into single quotes",
    )


def operation_named(text: str) -> str | None:
    """Return the type that an operation seems to have, for an answer that refuses it unread."""
    import json

    try:
        document = json.loads(text) if len(text) <= MOST_JSON else None
    except (ValueError, RecursionError):
        return None
    kind = document.get("type") if isinstance(document, dict) else None
    return kind[:100] if isinstance(kind, str) else None

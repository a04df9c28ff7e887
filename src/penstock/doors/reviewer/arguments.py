"""What is asked of `apply`: the options of the command line, and the operation's JSON.

Always true: what cannot be understood is refused before anything is looked at on the disk.
"""

from __future__ import annotations

import json

from msgspec import Struct

from penstock.app.rules.policy_files import SWITCH
from penstock.core.errors import InputError
from penstock.core.strict_json import strict

MOST_JSON = 4 * 1024 * 1024
ACTOR = "DECISION_REVIEWER_ACTOR"

__all__ = ["ACTOR", "MOST_JSON", "SWITCH", "ApplyArguments", "operation_named", "read_json"]


class ApplyArguments(Struct, frozen=True, kw_only=True):
    """The options of one `apply`."""

    json: str
    dry_run: bool = False
    force: bool = False
    target_file: str = ""
    no_commit: bool = False
    applied_by: str = ""
    yes: bool = False


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
    try:
        document = json.loads(text) if len(text) <= MOST_JSON else None
    except (ValueError, RecursionError):
        return None
    kind = document.get("type") if isinstance(document, dict) else None
    return kind[:100] if isinstance(kind, str) else None

"""A question to the reviewer: its keys, where it is asked, and the error where it has no answer.

Always true: whatever is wrong with a question or with what it is about has one of CODES.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import Struct

from penstock.app.decision_logs import loaded_config
from penstock.app.rule_edits import found_config

if TYPE_CHECKING:
    from penstock.core.rules.layers import LoadResult

Document = dict[str, object]
Query = dict[str, object]

CODES = (
    "config_not_found",
    "config_parse_error",
    "log_not_found",
    "invalid_query",
    "unsupported_query_type",
    "internal_error",
)


class QueryError(Exception):
    """A question that has no answer; `code` is one of those in CODES."""

    def __init__(self, code: str, message: str, details: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.details = details

    def document(self) -> Document:
        """Return the one document that is printed."""
        return {"error": {"code": self.code, "message": self.message, "details": self.details}}


class QueryContext(Struct, kw_only=True):
    """Where a question is asked: which rules file and which logs, each found when it is needed."""

    config: str = ""
    logs: tuple[str, ...] = ()
    start: str = ""
    now: float = 0.0
    told: Callable[[int, int], None] | None = None
    _loaded: LoadResult | None = None

    def config_path(self) -> str:
        """Return the rules file. Raises QueryError `config_not_found`."""
        path = found_config(self.config, os.environ, self.start or os.getcwd())
        if not path:
            asked = f" `{self.config}`" if self.config else ""
            hint = "name one with --config, or set CLAUDE_PERMISSIONS_CONFIG"
            raise QueryError("config_not_found", f"there is no rules file{asked}", hint)
        return path

    def loaded(self) -> LoadResult:
        """Return the rules. Raises QueryError `config_parse_error` where they do not hold."""
        if self._loaded is None:
            found = loaded_config(self.config_path())
            if found.problems:
                told = "; ".join(str(problem) for problem in found.problems[1:20])
                raise QueryError("config_parse_error", str(found.problems[0]), told)
            self._loaded = found
        return self._loaded

    def loaded_or_none(self) -> LoadResult | None:
        """Return the rules where there are any; a log can be asked without them."""
        try:
            return self.loaded()
        except QueryError as wrong:
            if self.config:
                raise
            return None if wrong.code == "config_not_found" else loaded_config(self.config_path())


# --- values --------------------------------------------------------------------------------------


def text_of(query: Query, name: str, choices: tuple[str, ...] = ()) -> str:
    """Return a text of a question, "" where it is not given."""
    value = query.get(name)
    if value is None:
        return ""
    if not isinstance(value, str) or (choices and value not in choices):
        one_of = f"one of {', '.join(choices)}" if choices else "a text"
        raise QueryError("invalid_query", f"`{name}` must be {one_of}", f"not `{str(value)[:80]}`")
    return value


def flag_of(query: Query, name: str) -> bool | None:
    """Return a flag of a question, None where it is not given."""
    value = query.get(name)
    if value is not None and not isinstance(value, bool):
        raise QueryError("invalid_query", f"`{name}` must be true or false")
    return value


def count_of(query: Query, name: str, usual: int, most: int) -> int:
    """Return a number of a question, which is none below 0 and none beyond `most`."""
    value = query.get(name, usual)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
        raise QueryError("invalid_query", f"`{name}` must be a whole number from 0 to {most}")
    return value

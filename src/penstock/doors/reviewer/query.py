"""Questions about rules and past decisions: one JSON document in, one out.

Here a question is read and answered with its envelope; what each kind of question means is
`query_rules`'s and `query_log`'s. Nothing here changes a rule or calls a language model.
Always true: whatever is asked, the answer is one document, and what went wrong has a code.
"""

from __future__ import annotations

import json
import os
import time

from penstock.app.rule_edits import found_config, keep_listing, kept_listing, stamps_of
from penstock.core.errors import PenstockError
from penstock.core.strict_json import strict

TYPE_CHECKING = False  # what `typing` calls so; type checkers know the bare name too
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from penstock.core.rules.layers import LoadResult

Document = dict[str, object]
Query = dict[str, object]

MOST_QUERY = 1 << 20  # characters


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


CODES = (
    "config_not_found",
    "config_parse_error",
    "log_not_found",
    "invalid_query",
    "unsupported_query_type",
    "internal_error",
)
# Every kind of question with the keys that it knows.
LOG_KEYS = ("decision", "source", "tool", "since", "until", "session_id", "needs_review", "rule_id")
KEYS: Mapping[str, tuple[str, ...]] = {
    "config": ("full", "section", "sources"),
    "config_files": (),
    "rule": ("filter", "tool", "id", "with_source"),
    "rule_count": (),
    "match_test": ("tool", "input", "cwd"),
    "log": (*LOG_KEYS, "last_n", "offset"),
    "stats": LOG_KEYS,
    "patterns": (*LOG_KEYS, "last_n"),
    "gaps": (*LOG_KEYS, "last_n"),
}


class QueryContext:
    """Where a question is asked: which rules file and which logs, each found when it is needed."""

    def __init__(
        self,
        *,
        config: str = "",
        logs: tuple[str, ...] = (),
        start: str = "",
        now: float = 0.0,
        told: Callable[[int, int], None] | None = None,
    ) -> None:
        self.config = config
        self.logs = logs
        self.start = start
        self.now = now
        self.told = told
        self._loaded: LoadResult | None = None

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
        from penstock.app.decision_logs import loaded_config

        if self._loaded is None:
            path = self.config_path()
            found = loaded_config(path)
            if found.problems:
                told = "; ".join(str(problem) for problem in found.problems[1:20])
                raise QueryError("config_parse_error", str(found.problems[0]), told)
            self._loaded = found
        return self._loaded

    def listing(self) -> Mapping[str, Any]:
        """Return what the rules file says as plain values, as kept since it was last read."""
        path = self.config_path()
        known = kept_listing(path)
        if known is not None:
            return known
        from penstock.doors.reviewer.query_rules import listed

        loaded = self.loaded()
        stamps = stamps_of(file for file, _ in loaded.sources)
        made = listed(loaded)
        if _unchanged(loaded):  # since it was read, and so since the stamps were taken
            keep_listing(path, stamps, made)
        return made

    def loaded_or_none(self) -> LoadResult | None:
        """Return the rules where there are any; a log can be asked without them."""
        try:
            return self.loaded()
        except QueryError as wrong:
            if self.config:
                raise
            if wrong.code == "config_not_found":
                return None
            from penstock.app.decision_logs import loaded_config

            return loaded_config(self.config_path())


def _unchanged(loaded: LoadResult) -> bool:
    from penstock.app.workspace import read_rules
    from penstock.core.digest import digest

    files = [(file, known) for file, known in loaded.sources if not file.startswith("preset:")]
    return all(digest(read_rules(file) or b"") == known for file, known in files)


def answer(query: object, asking: QueryContext) -> tuple[Document, int]:
    """Return the answer to a question, and the exit code."""
    began = time.perf_counter()
    try:
        if asking.start and not os.path.isdir(asking.start):
            raise QueryError("invalid_query", f"`{asking.start}` is not a directory")
        found = _answered(query, asking)
    except QueryError as wrong:
        return wrong.document(), 1
    except PenstockError as problem:
        details = "; ".join(filter(None, (problem.because, problem.hint)))
        return QueryError(_code_of(problem), problem.message, details).document(), 1
    except OSError as fault:
        return QueryError("internal_error", str(fault.strerror or fault)).document(), 1
    took = round((time.perf_counter() - began) * 1000, 1)
    return {"query_time_ms": took, **found}, 0


def _code_of(problem: PenstockError) -> str:
    if problem.code in ("bad-time", "bad-json", "bad-path"):
        return "invalid_query"
    return "config_parse_error" if problem.code == "rules-unreadable" else "internal_error"


def _answered(query: object, asking: QueryContext) -> Document:
    kind, asked = checked(query)
    if kind in ("log", "stats", "patterns", "gaps"):
        from penstock.doors.reviewer import query_log

        return query_log.ANSWERS[kind](asked, asking)
    if kind == "match_test":
        from penstock.doors.reviewer.query_rules import match_test

        return match_test(asked, asking)
    from penstock.doors.reviewer import query_listing

    return query_listing.ANSWERS[kind](asked, asking.listing())


def checked(query: object) -> tuple[str, Query]:
    """Return a question's kind and its keys; what nobody knows is refused, never ignored."""
    if not isinstance(query, dict):
        raise QueryError("invalid_query", "the query must be a JSON object", _types())
    kind = query.get("type")
    if not isinstance(kind, str):
        raise QueryError("invalid_query", "the query has no `type`", _types())
    if kind not in KEYS:
        raise QueryError("unsupported_query_type", f"there is no query `{kind[:80]}`", _types())
    unknown = [key for key in query if key not in (*KEYS[kind], "type")]
    if unknown:
        message = f"`{kind}` has no `{unknown[0][:80]}`"
        known = f"its keys: {', '.join(KEYS[kind]) or 'none'}"
        raise QueryError("invalid_query", message, known)
    return kind, query


def _types() -> str:
    return f"supported types: {', '.join(KEYS)}"


def read_query(text: str) -> object:
    """Return the question that a text holds. Raises QueryError `invalid_query`."""
    if len(text) > MOST_QUERY:
        raise QueryError("invalid_query", "the query is longer than any question")
    try:
        found: object = strict(text)
    except ValueError as wrong:
        raise QueryError("invalid_query", "the query is not JSON", str(wrong)) from None
    return found


# --- values --------------------------------------------------------------------------------------


def text_of(query: Query, name: str, choices: tuple[str, ...] = ()) -> str:
    """Return a text of a question, "" where it is not given."""
    value = query.get(name)
    if value is None:
        return ""
    if not isinstance(value, str) or (choices and value not in choices):
        one_of = f"one of {', '.join(choices)}" if choices else "a text"
        raise QueryError("invalid_query", f"`{name}` must be {one_of}", f"not {str(value)[:80]!r}")
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


def compact(document: Document, *, pretty: bool) -> str:
    """Return a document as it is printed."""
    if pretty:
        text = json.dumps(document, ensure_ascii=False, indent=2)
    else:
        text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    # A lone surrogate cannot be printed as UTF-8; JSON has an escape for it.
    return text.encode("utf-8", "backslashreplace").decode("utf-8")

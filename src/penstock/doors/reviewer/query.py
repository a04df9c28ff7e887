"""Questions about rules and past decisions: one JSON document in, one out.

Here a question is read and answered with its envelope; what each kind of question means is
`query_listing`'s, `query_match`'s and `query_log`'s. Nothing here changes a rule or calls a
language model.
Always true: whatever is asked, the answer is one document, and what went wrong has a code.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping

from penstock.core.errors import PenstockError
from penstock.core.strict_json import strict
from penstock.core.text.display import json_visible
from penstock.doors.reviewer import query_listing, query_log
from penstock.doors.reviewer.query_match import match_test
from penstock.doors.reviewer.question import Document, Query, QueryContext, QueryError

MOST_QUERY = 1 << 20  # characters
LOG_KEYS = ("decision", "source", "tool", "since", "until", "session_id", "needs_review", "rule_id")
# Every kind of question with the keys that it knows.
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
ANSWERS: Mapping[str, Callable[[Query, QueryContext], Document]] = {
    **query_listing.ANSWERS,
    **query_log.ANSWERS,
    "match_test": match_test,
}


def answer(query: object, asking: QueryContext) -> tuple[Document, int]:
    """Return the answer to a question, and the exit code."""
    began = time.perf_counter()
    try:
        if asking.start and not os.path.isdir(asking.start):
            raise QueryError("invalid_query", f"`{asking.start}` is not a directory")
        kind, asked = checked(query)
        found = ANSWERS[kind](asked, asking)
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


def compact(document: Document, *, pretty: bool) -> str:
    """Return a document as it is printed."""
    if pretty:
        text = json.dumps(document, ensure_ascii=False, indent=2)
    else:
        text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    return json_visible(text)

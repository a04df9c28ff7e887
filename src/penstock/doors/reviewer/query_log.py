"""Questions about past decisions: the log, its sums, what is alike in it, what no rule answers.

Always true: what a person had not to see in a log (secrets) is not shown here either, and an
answer that looked at a part only says of how many.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

from penstock.app.decision_logs import logs_of, wanted
from penstock.core.learning.clusters import clusters
from penstock.core.learning.past_decision import ALLOW, ASK, DENY, PASSTHROUGH, AnswerSource, Past
from penstock.core.learning.risk import never, risk
from penstock.core.learning.suggest import RulesFormat, draft
from penstock.core.text.redact import redact
from penstock.core.timestamps import parse_when, seconds_of
from penstock.doors.reviewer.question import (
    Document,
    Query,
    QueryContext,
    QueryError,
    count_of,
    flag_of,
    text_of,
)

if TYPE_CHECKING:
    from penstock.app.decision_logs import DecisionQuery, Decisions, Logs

USUAL, MOST = 100, 100_000  # results
MOST_READ = 10_000  # decisions that are put into clusters
MOST_CLUSTERS = 50
TOP = 10
WORDS = (ALLOW, ASK, DENY, PASSTHROUGH)
SOURCES: Mapping[str, str] = {
    "rule": AnswerSource.RULE,
    "hard_rule": AnswerSource.RULE,
    "llm": AnswerSource.LLM,
    "passthrough": AnswerSource.PASSTHROUGH,
    "person": AnswerSource.PERSON,
}
TOLD_AS: Mapping[str, str] = {AnswerSource.RULE: "hard_rule"}


def found_logs(asking: QueryContext) -> Logs:
    """Return the logs of a question. Raises QueryError `log_not_found`."""
    config = None if asking.logs else asking.loaded_or_none()
    logs = logs_of(named=asking.logs, config=config, start=asking.start)
    missing = [path for path in asking.logs if not os.path.isfile(os.path.expanduser(path))]
    if missing or not logs.paths:
        what = f"there is no log `{missing[0]}`" if missing else "there is no log of decisions yet"
        hint = "name one with --log, or let the hook run first"
        raise QueryError("log_not_found", what, hint)
    return logs


def decisions_of(asking: QueryContext) -> Decisions:
    """Open the logs of a question."""
    return found_logs(asking).open(asking.told)


def wanted_of(query: Query, now: float, **usual: Any) -> DecisionQuery:
    """Return which decisions a question is about."""
    asked: dict[str, Any] = {
        **usual,
        "tool": text_of(query, "tool"),
        "rule": text_of(query, "rule_id"),
        "session": text_of(query, "session_id"),
        "needs_review": flag_of(query, "needs_review"),
    }
    decision = text_of(query, "decision", WORDS)
    source = text_of(query, "source", tuple(SOURCES))
    if decision:
        asked["decision"] = decision
    if source:
        asked["source"] = str(SOURCES[source])
    for name in ("since", "until"):
        when = text_of(query, name)
        if when:
            asked[name] = max(seconds_of(parse_when(when, now=now)), 0)
    return wanted(**asked)


# --- log ---------------------------------------------------------------------------------------


def log(query: Query, asking: QueryContext) -> Document:
    """Answer with the newest decisions that fit, newest first."""
    most, skip = count_of(query, "last_n", USUAL, MOST), count_of(query, "offset", 0, 1 << 31)
    chosen = wanted_of(query, asking.now)
    decisions = decisions_of(asking)
    found = list(islice(decisions.newest(chosen), skip, skip + most))
    answer: Document = {"result_count": len(found), "results": [shown(past) for past in found]}
    if not found and chosen.decision == DENY:
        answer |= _gaps_instead(decisions)
    return answer


def _gaps_instead(decisions: Decisions) -> Document:
    """What a model did not know is told as a passthrough: whoever looks for denials wants that."""
    passed = decisions.tally(wanted(decision=PASSTHROUGH)).total
    if not passed:
        return {}
    note = f"no denials; {passed} calls were passed through, ask for `gaps` to see them"
    return {"note": note}


def shown(past: Past) -> Document:
    """Return one decision as the log shows it."""
    result: Document = {
        "timestamp": past.ts,
        "tool": past.tool,
        "decision": past.decision,
        "source": str(past.source),
        "rule_id": past.rules[0] if past.rules else None,
        "input": _redacted(past.tool_input, 4),
        "reasoning": redact(past.reasoning),
    }
    return result | {
        key: value
        for key, value in (
            ("session_id", past.session),
            ("cwd", past.cwd),
            ("needs_review", past.needs_review),
            ("person", str(past.person) if past.person else ""),
        )
        if value
    }


def _redacted(value: object, depth: int) -> object:
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, dict) and depth:
        return {str(key): _redacted(inner, depth - 1) for key, inner in value.items()}
    if isinstance(value, list) and depth:
        return [_redacted(inner, depth - 1) for inner in value]
    return value if not isinstance(value, dict | list) else "[...]"


# --- sums --------------------------------------------------------------------------------------


def stats(query: Query, asking: QueryContext) -> Document:
    """Answer with how many decisions there are, of which kinds."""
    chosen = wanted_of(query, asking.now)
    found = decisions_of(asking).tally(chosen)
    by_decision: Counter[str] = Counter({ALLOW: 0, DENY: 0, PASSTHROUGH: 0})
    by_source: Counter[str] = Counter({"hard_rule": 0, "llm": 0})
    by_tool: Counter[str] = Counter()
    people: Counter[str] = Counter()
    for kind, count in found.kinds.items():
        if kind.source == AnswerSource.PERSON and chosen.source != AnswerSource.PERSON:
            people["approved" if kind.decision == ALLOW else "rejected"] += count
            continue  # what a person said to a call is no second call
        by_decision[kind.decision] += count
        by_source[TOLD_AS.get(kind.source, kind.source)] += count
        by_tool[kind.tool] += count
    top = sorted(found.denied.items(), key=lambda one: (-one[1], one[0]))[:TOP]
    result: Document = {
        "total_decisions": sum(by_decision.values()),
        "by_decision": dict(by_decision),
        "by_source": dict(by_source),
        "by_tool": dict(by_tool.most_common()),
        "top_denied_commands": [{"command": redact(text), "count": n} for text, n in top],
    }
    return {"result": result | ({"people": dict(people)} if people else {})}


# --- what is alike, and what no rule answers ---------------------------------------------------


def patterns(query: Query, asking: QueryContext) -> Document:
    """Answer with the clusters of what was decided, the largest first."""
    most = count_of(query, "last_n", MOST_READ, MOST)
    chosen = wanted_of(query, asking.now)
    read = list(islice(decisions_of(asking).newest(chosen), most))
    found = [
        {
            "pattern": redact(cluster.pattern),
            "count": cluster.count,
            "examples": [redact(example) for example in cluster.examples],
            "tool": cluster.tool,
        }
        for cluster in clusters(read)[:MOST_CLUSTERS]
    ]
    return {"result": {"clusters": found, "decisions_read": len(read)}}


def gaps(query: Query, asking: QueryContext) -> Document:
    """Answer with what no rule decides: passed through to a model or nobody, or by a default."""
    most = count_of(query, "last_n", MOST_READ, MOST)
    usual = {} if query.get("decision") else {"decision": PASSTHROUGH}
    chosen = wanted_of(query, asking.now, **usual)
    decisions = decisions_of(asking)
    default = _by_default(query, asking, decisions, most)
    total = decisions.tally(chosen).total + len(default)
    read = [*islice(decisions.newest(chosen), most), *default]
    found: list[Document] = []
    left_out: list[Document] = []
    # What a secret was given to is told by its name; a rule made of it would show the secret.
    open_, secret = _parted(read, lambda past: redact(past.subject) == past.subject)
    for cluster in clusters(secret)[:MOST_CLUSTERS]:
        told: Document = {"pattern": redact(cluster.pattern), "count": cluster.count}
        left_out.append({**told, "risk": "high", "why": "it was given something secret"})
    for cluster in clusters(open_)[:MOST_CLUSTERS]:
        told = {"pattern": redact(cluster.pattern), "count": cluster.count}
        why_not = never(cluster)
        if why_not:
            left_out.append({**told, "risk": "high", "why": why_not})
            continue
        drafted = draft(cluster, RulesFormat.FLAT, ()).rule
        rule = {key: value for key, value in drafted.items() if key != "id"}
        examples = [redact(example) for example in cluster.examples]
        risk_ = str(risk(cluster))
        found.append({**told, "risk": risk_, "suggested_rule": rule, "examples": examples})
    result: Document = {"total_gaps": total, "suggestions": found, "not_suggested": left_out}
    return {"result": {**result, "decisions_read": len(read)}}


def _by_default(query: Query, asking: QueryContext, decisions: Decisions, most: int) -> list[Past]:
    """Return the newest calls to which only a default had an answer."""
    if query.get("decision") or query.get("source"):
        return []
    found: list[Past] = []
    for word in (ASK, DENY):
        chosen = wanted_of(query, asking.now, decision=word, source=str(AnswerSource.RULE))
        found += [past for past in islice(decisions.newest(chosen), most) if past.by_default]
    return found


def _parted(read: list[Past], fits: Callable[[Past], bool]) -> tuple[list[Past], list[Past]]:
    """Return those that fit, and the others."""
    found = [fits(past) for past in read]
    return (
        [past for past, fit in zip(read, found, strict=True) if fit],
        [past for past, fit in zip(read, found, strict=True) if not fit],
    )


ANSWERS: Mapping[str, Callable[[Query, QueryContext], Document]] = {
    "log": log,
    "stats": stats,
    "patterns": patterns,
    "gaps": gaps,
}

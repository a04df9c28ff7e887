"""Questions about the rules: which there are, where they come from, what one call would get.

Always true: a test of a call asks the rules as they are now and no language model; that one
would be asked is said, never done.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from penstock.core.model import Action, Decision, Reason, Request, Verdict
from penstock.doors.reviewer.query import (
    Asking,
    Document,
    Query,
    QueryError,
    flag_of,
    text_of,
)

if TYPE_CHECKING:
    from penstock.core.layers import Loaded
    from penstock.core.policy import Policy, Rule

SECTIONS = ("llm_fallback", "logging", "audit", "limits", "includes", "defaults")
SECRETS = frozenset({"api_key"})
TYPES = ("allow", "deny", "ask", "warn", "safe")


# --- the file ----------------------------------------------------------------------------------


def config(query: Query, asking: Asking) -> Document:
    """Answer with the settings, whole or in part, or with the files they come from."""
    section = text_of(query, "section")
    loaded = asking.loaded()
    if flag_of(query, "sources"):
        return {"result": _sources(loaded)}
    settings = _settings(loaded)
    if section:
        if section not in (*SECTIONS, *settings):
            known = ", ".join(sorted({*SECTIONS, *settings}))
            raise QueryError("invalid_query", f"there is no section `{section}`", f"known: {known}")
        return {"result": _section(section, settings, loaded)}
    result: Document = {"config_file": loaded.name, "settings": settings}
    if flag_of(query, "full"):
        result["rules"] = [_document(one, with_source=True) for one in _each(loaded)]
    result["rule_count"] = _counts(loaded)
    return {"result": result}


def _settings(loaded: Loaded) -> dict[str, object]:
    """Return what the files say, by table; the original's own settings under their own name."""
    told: dict[str, object] = {}
    for table, values in loaded.settings.items():
        name = {"": "general", "original": "logging"}.get(table, table)
        told[name] = {key: _plain(value) for key, value in values.items() if key not in SECRETS}
    return told


def _section(name: str, settings: dict[str, object], loaded: Loaded) -> Document:
    """Return one table; of the language model's also what holds where the file is silent."""
    values = settings.get(name)
    told: Document = dict(values) if isinstance(values, dict) else {}
    if name in ("llm_fallback", "advisor"):
        from dataclasses import asdict

        from penstock.core.layers import build

        usual = {key: _plain(value) for key, value in asdict(build(loaded).advisor).items()}
        return {**usual, **told}
    if name in ("logging", "audit") and "original" in loaded.settings:
        logging = settings.get("logging")
        return dict(logging) if isinstance(logging, dict) else {}
    return told


def _plain(value: object) -> object:
    if isinstance(value, tuple | list | frozenset):
        return [_plain(one) for one in value]
    return value if isinstance(value, str | int | float | bool) or value is None else str(value)


def _sources(loaded: Loaded) -> Document:
    base, *includes = [file for file, _ in loaded.sources] or [loaded.name]
    return {"base": base, "includes": includes}


def config_files(query: Query, asking: Asking) -> Document:  # noqa: ARG001 - a row of the table
    """Answer with the files that are read."""
    return {"result": _sources(asking.loaded())}


# --- the rules ---------------------------------------------------------------------------------


def _each(loaded: Loaded) -> Iterator[tuple[Rule, Mapping[str, object]]]:
    """Yield each rule once as it is written; one of the original may stand for several of ours."""
    written = _written(loaded)
    seen: set[tuple[str, str]] = set()
    for rule in loaded.rules:
        key = (rule.id, str(rule.where))
        if key not in seen:
            seen.add(key)
            yield rule, written.get(rule.id, {})


def _written(loaded: Loaded) -> dict[str, Mapping[str, object]]:
    """Return the tables of rules with an id, as they stand in the files."""
    import tomllib

    from penstock.app import read_rules

    found: dict[str, Mapping[str, object]] = {}
    for file, _ in loaded.sources:
        try:
            document = tomllib.loads((read_rules(file) or b"").decode("utf-8-sig"))
        except (ValueError, RecursionError):
            continue
        tables = [document, *(v for v in document.values() if isinstance(v, dict))]
        for raw in (r for t in tables for k in TYPES for r in _list(t.get(k))):
            if isinstance(raw, dict) and isinstance(raw.get("id"), str):
                found.setdefault(raw["id"], raw)
    return found


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _type(rule: Rule) -> str:
    if rule.warns:
        return "warn"
    return str(rule.verdict) if rule.verdict else "safe"


def _document(one: tuple[Rule, Mapping[str, object]], *, with_source: bool) -> Document:
    rule, raw = one
    told: Document = {"id": rule.id, "type": _type(rule)}
    if raw:
        told |= {key: _plain(value) for key, value in raw.items() if key != "id"}
    else:
        told |= _fields(rule)
    if not rule.enabled:
        told["enabled"] = False
    if rule.where.section:
        told["section"] = rule.where.section
    if with_source:
        told |= {"source_file": rule.where.file, "source_line": rule.where.line}
    return told


def _fields(rule: Rule) -> Document:
    told: Document = {
        "description": rule.description,
        "tool": rule.tool,
        "tool_regex": rule.tool_regex,
        "paths": list(rule.paths),
    }
    for test in rule.fields:
        told[f"{test.name}_regex"] = test.regex
        told[f"{test.name}_exclude_regex"] = test.exclude
        told[test.name] = test.exact
    return {key: value for key, value in told.items() if value}


def rule(query: Query, asking: Asking) -> Document:
    """Answer with the rules that fit."""
    kind, tool, name = text_of(query, "filter", TYPES), text_of(query, "tool"), text_of(query, "id")
    source = flag_of(query, "with_source") or False
    found = [
        _document(one, with_source=source)
        for one in _each(asking.loaded())
        if (not kind or _type(one[0]) == kind)
        and (not name or one[0].id == name)
        and (not tool or speaks_of(one[0], one[1], tool))
    ]
    return {"result": {"count": len(found), "rules": found}}


def speaks_of(rule: Rule, raw: Mapping[str, object], tool: str) -> bool:
    """Say whether a rule may speak of a tool."""
    from penstock.core.regexes import search

    regex, exclude = raw.get("tool_regex"), raw.get("tool_exclude_regex")
    if isinstance(regex, str):
        excluded = isinstance(exclude, str) and bool(exclude) and search(exclude, tool)
        return search(regex, tool) and not excluded
    return not rule.tool or rule.tool == tool


def rule_count(query: Query, asking: Asking) -> Document:  # noqa: ARG001 - a row of the table
    """Answer with how many rules there are."""
    return {"result": _counts(asking.loaded())}


def _counts(loaded: Loaded) -> Document:
    kinds: Counter[str] = Counter({"allow": 0, "deny": 0})
    tools: Counter[str] = Counter()
    for one, raw in _each(loaded):
        kinds[_type(one)] += 1
        tools[str(raw.get("tool") or raw.get("tool_regex") or one.tool or "*")] += 1
    total = sum(kinds.values())
    return {**dict(kinds), "total": total, "by_tool": dict(tools.most_common())}


# --- one call ----------------------------------------------------------------------------------


def match_test(query: Query, asking: Asking) -> Document:
    """Answer with what the rules say to one call now."""
    tool, given = text_of(query, "tool"), query.get("input")
    if not tool:
        raise QueryError("invalid_query", "`match_test` needs `tool`, the name of a tool")
    if not isinstance(given, dict):
        raise QueryError("invalid_query", "`match_test` needs `input`, the tool's input")
    loaded = asking.loaded()
    if "original" in loaded.settings:
        from penstock.core.layers import build

        policy = build(loaded)
        decision = original_decision(policy, tool, given, asking.now)
    else:
        decision, policy = _judged(loaded.name, tool, given, query, asking)
    return {"result": tested(decision, policy)}


def original_decision(
    policy: Policy, tool: str, given: Mapping[str, object], now: float
) -> Decision:
    """Return what a file of the original says to a call; nothing of ours speaks beside it."""
    from dataclasses import replace

    from penstock.core.decide import decide

    alone = replace(policy, layers=policy.layers[:1])
    leaves: tuple[str, ...] = ()
    if any(rule.per_leaf for rule in alone.layers[0].rules) or policy.limits.max_chain_length:
        from penstock.core.toolcall import intents

        leaves = tuple(leaf for one in intents(tool, given, cwd="/") for leaf in one.leaves)
    request = Request(action=Action.RUN, tool=tool, tool_input=given, leaves=leaves)
    return decide(request, alone, now=now)


def _judged(
    config: str, tool: str, given: dict[str, object], query: Query, asking: Asking
) -> tuple[Decision, Policy]:
    """Judge a call as the hook in this project does."""
    from penstock.app import open_workspace, policy_of
    from penstock.app.decisions import is_ours
    from penstock.gate.calls import Call
    from penstock.gate.judging import judge_call

    root = os.path.dirname(config)
    here = open_workspace(root)
    named = None if is_ours(config) else config
    policy = policy_of(here.root, state=here.state, policy_file=named)
    cwd = text_of(query, "cwd") or here.root
    call = Call(tool=tool, tool_input=given, cwd=cwd, home=os.path.expanduser("~"))
    judged = judge_call(here.files, policy, call, now=asking.now)
    if judged.prepared:
        return judged.decision, policy
    # A tool that neither runs nor writes anything we know is asked about by its name.
    from penstock.core.decide import decide

    return decide(Request(action=Action.RUN, tool=tool, tool_input=given), policy,
                  now=asking.now), policy  # fmt: skip


def tested(decision: Decision, policy: Policy) -> Document:
    """Return a decision in the words of a match test."""
    reason = _leading(decision)
    passed = decision.verdict is Verdict.ALLOW and not decision.granted
    would_ask = passed and policy.advisor.enabled
    result: Document = {
        "would_match": reason is not None,
        "decision": "passthrough" if passed else str(decision.verdict),
        "matched_rule": _matched(reason, policy) if reason else None,
        "llm_consulted": "would_consult" if would_ask else False,
    }
    note = _note(decision, reason, would_ask=would_ask)
    return result | ({"note": note} if note else {})


def _leading(decision: Decision) -> Reason | None:
    """Return the rule that decided; a default is none."""
    for reason in decision.reasons:
        if reason.verdict is decision.verdict and not reason.rule.startswith("default."):
            granted = decision.verdict is not Verdict.ALLOW or decision.granted
            return reason if granted else None
    return None


def _matched(reason: Reason, policy: Policy) -> Document:
    where = next((r.where for y in policy.layers for r in y.rules if r.id == reason.rule), None)
    return {
        "id": reason.rule,
        "type": str(reason.verdict),
        "source_file": where.file if where and where.file else None,
        "source_line": where.line if where and where.line else None,
    }


def _note(decision: Decision, reason: Reason | None, *, would_ask: bool) -> str:
    if reason is not None:
        return reason.text if reason.verdict is not Verdict.ALLOW else ""
    if would_ask:
        return "no rule decides, so a language model would be asked; it was not asked now"
    if decision.verdict is Verdict.ALLOW:
        return "no rule decides, so it is left to the agent's own permissions"
    return decision.because


ANSWERS: Mapping[str, Callable[[Query, Asking], Document]] = {
    "config": config,
    "config_files": config_files,
    "rule": rule,
    "rule_count": rule_count,
    "match_test": match_test,
}

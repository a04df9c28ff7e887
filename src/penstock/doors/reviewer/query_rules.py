"""What the rules say: all of them as plain values, and to one call.

Always true: a test of a call asks the rules as they are now and no language model; that one
would be asked is said, never done.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from penstock.core.model import Action, Decision, Reason, Request, Verdict
from penstock.doors.reviewer.query import (
    Document,
    Query,
    QueryContext,
    QueryError,
    text_of,
)
from penstock.doors.reviewer.query_listing import TYPES

if TYPE_CHECKING:
    from penstock.app import Workspace
    from penstock.core.policy.model import Policy
    from penstock.core.policy.rule import Rule
    from penstock.core.rules.layers import LoadResult

SECRETS = frozenset({"api_key"})


# --- the listing -------------------------------------------------------------------------------


def listed(loaded: LoadResult) -> Document:
    """Return what a rules file and its includes say, as plain values that can be kept."""
    settings = _settings(loaded)
    return {
        "file": loaded.name,
        "sources": _sources(loaded),
        "settings": settings,
        "sections": _sections(settings, loaded),
        "rules": [_document(rule, raw) for rule, raw in _each(loaded)],
        "original": _kept(loaded) if "original" in loaded.settings else None,
    }


def _kept(loaded: LoadResult) -> Document:
    """Return the rules of a file of the original so that a policy can be made of them again."""
    from penstock.core.rules.layers import build

    policy = build(loaded)
    return {
        "rules": [_row(rule) for rule in loaded.rules if rule.enabled],
        "chain": policy.limits.max_chain_length,
        "advised": policy.advisor.enabled,
    }


def _row(rule: Rule) -> list[object]:
    """Return a rule as it is kept; in front, the characters that it cannot do without."""
    from penstock.core.policy.regexes import literal

    runs = ["" if rule.per_leaf else literal(test.regex) for test in rule.fields]
    fields = [[test.name, test.regex, test.exclude, test.exact] for test in rule.fields]
    where = [rule.where.file, rule.where.line, rule.where.section]
    tools = [rule.tool, rule.tool_regex, rule.tool_exclude_regex]
    return [runs, tools, fields, rule.id, str(rule.verdict), rule.per_leaf, where]


def kept_policy(listing: Mapping[str, Any], tool: str, given: Mapping[str, object]) -> Policy:
    """Return as much of a file of the original, from what was kept, as can speak of one call."""
    from penstock.core.policy.model import AdvisorSettings, Layer, Limits, Policy

    near = [row for row in listing["rules"] if row[1][0] in ("", tool)]
    rules = tuple(_rule(row) for row in near if _may_hold(row[0], row[2], given))
    return Policy(
        layers=(Layer(name="original", rules=rules),),
        revision="",
        limits=Limits(max_chain_length=listing["chain"]),
        advisor=AdvisorSettings(enabled=listing["advised"]),
    )


def _rule(row: list[Any]) -> Rule:
    from penstock.core.policy.rule import FieldMatch, Rule, Where

    _, tools, fields, name, verdict, per_leaf, (file, line, section) = row
    return Rule(
        id=name,
        verdict=Verdict(verdict),
        actions=frozenset(Action),
        tool=tools[0],
        tool_regex=tools[1],
        tool_exclude_regex=tools[2],
        fields=tuple(FieldMatch(name=n, regex=r, exclude=x, exact=e) for n, r, x, e in fields),
        per_leaf=per_leaf,
        where=Where(file=file, line=line, section=section),
    )


def _may_hold(runs: list[str], fields: list[list[str]], given: Mapping[str, object]) -> bool:
    """Say quickly whether an input has every run of characters that a rule cannot do without."""
    from penstock.core.policy.rule_index import ALSO_CALLED

    for run, (name, *_) in zip(runs, fields, strict=True):
        texts = [given.get(key) for key in ALSO_CALLED.get(name, (name,))]
        if run and not any(isinstance(text, str) and run in text for text in texts):
            return False
    return True


def _settings(loaded: LoadResult) -> dict[str, Document]:
    """Return what the files say, by table; the original's own settings under their own name."""
    told: dict[str, Document] = {}
    for table, values in loaded.settings.items():
        name = {"": "general", "original": "logging"}.get(table, table)
        told[name] = {key: _plain(value) for key, value in values.items() if key not in SECRETS}
    return told


def _sections(settings: Mapping[str, Document], loaded: LoadResult) -> dict[str, Document]:
    """Return the tables that say more when asked for: what holds where the file is silent."""
    from dataclasses import asdict

    from penstock.core.rules.layers import build

    usual = {key: _plain(value) for key, value in asdict(build(loaded).advisor).items()}
    found = {"llm_fallback": {**usual, **settings.get("llm_fallback", {})}}
    if "original" in loaded.settings:
        found["audit"] = settings["logging"]
    return found


def _plain(value: object) -> object:
    if isinstance(value, tuple | list | frozenset):
        return [_plain(one) for one in value]
    return value if isinstance(value, str | int | float | bool) or value is None else str(value)


def _sources(loaded: LoadResult) -> Document:
    base, *includes = [file for file, _ in loaded.sources] or [loaded.name]
    return {"base": base, "includes": includes}


def _each(loaded: LoadResult) -> Iterator[tuple[Rule, Mapping[str, object]]]:
    """Yield each rule once as it is written; one of the original may stand for several of ours."""
    written = _written(loaded)
    seen: set[tuple[str, str]] = set()
    for rule in loaded.rules:
        key = (rule.id, str(rule.where))
        if key not in seen:
            seen.add(key)
            yield rule, written.get(rule.id, {})


def _written(loaded: LoadResult) -> dict[str, Mapping[str, object]]:
    """Return the tables of rules with an id, as they stand in the files."""
    import tomllib

    from penstock.app.workspace import read_rules

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


def _document(rule: Rule, raw: Mapping[str, object]) -> Document:
    told: Document = {"id": rule.id, "type": _type(rule)}
    if raw:
        told |= {key: _plain(value) for key, value in raw.items() if key != "id"}
    else:
        told |= _fields(rule)
    if not rule.enabled:
        told["enabled"] = False
    if rule.where.section:
        told["section"] = rule.where.section
    return told | {"source_file": rule.where.file, "source_line": rule.where.line}


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


# --- one call ----------------------------------------------------------------------------------


def match_test(query: Query, asking: QueryContext) -> Document:
    """Answer with what the rules say to one call now."""
    tool, given = text_of(query, "tool"), query.get("input")
    if not tool:
        raise QueryError("invalid_query", "`match_test` needs `tool`, the name of a tool")
    if not isinstance(given, dict):
        raise QueryError("invalid_query", "`match_test` needs `input`, the tool's input")
    listing = asking.listing()
    if listing["original"] is not None:
        policy = kept_policy(listing["original"], tool, given)
        decision = original_decision(policy, tool, given, asking.now)
    else:
        decision, policy = _judged(str(listing["file"]), tool, given, query, asking)
    return {"result": tested(decision, policy)}


def original_decision(
    policy: Policy, tool: str, given: Mapping[str, object], now: float
) -> Decision:
    """Return what a file of the original says to a call; nothing of ours speaks beside it."""
    from dataclasses import replace

    from penstock.core.policy.decide import decide

    alone = replace(policy, layers=policy.layers[:1])
    leaves: tuple[str, ...] = ()
    if any(rule.per_leaf for rule in alone.layers[0].rules) or policy.limits.max_chain_length:
        from penstock.core.tools.intents import intents

        leaves = tuple(leaf for one in intents(tool, given, cwd="/") for leaf in one.leaves)
    request = Request(action=Action.RUN, tool=tool, tool_input=given, leaves=leaves)
    return decide(request, alone, now=now)


def _judged(
    config: str, tool: str, given: dict[str, object], query: Query, asking: QueryContext
) -> tuple[Decision, Policy]:
    """Judge a call as the hook in this project does."""
    from penstock.app import open_workspace
    from penstock.gate.judge import judge_call
    from penstock.gate.prepare import Call

    root = os.path.dirname(config)
    here = open_workspace(root)
    policy = _in_force(config, here)
    cwd = text_of(query, "cwd") or here.root
    call = Call(tool=tool, tool_input=given, cwd=cwd, home=os.path.expanduser("~"))
    judged = judge_call(here.files, policy, call, now=asking.now)
    if judged.prepared:
        return judged.decision, policy
    # A tool that neither runs nor writes anything we know is asked about by its name.
    from penstock.core.policy.decide import decide

    return decide(Request(action=Action.RUN, tool=tool, tool_input=given), policy,
                  now=asking.now), policy  # fmt: skip


def _in_force(config: str, here: Workspace) -> Policy:
    """Return the policy that a rules file is part of, kept since it was last read if it was."""
    from penstock.app.places import RULES, user_rules
    from penstock.app.rule_edits import keep_listing, kept_listing, stamps_of
    from penstock.core.policy.plain import packed, unpacked

    known = kept_listing(config, "policy")
    if known is not None:
        with suppress(KeyError, TypeError, ValueError):
            return unpacked(known)
    from penstock.app.decision_logs import is_ours
    from penstock.app.workspace import policy_of

    own = (config, os.path.join(here.root, RULES), user_rules())
    before = stamps_of(own)
    named = None if is_ours(config) else config
    policy = policy_of(here.root, state=here.state, policy_file=named)
    # Taken before and after: whatever was saved meanwhile, the two differ.
    included = [f for f in policy.files if f not in own and not f.startswith("preset:")]
    if not policy.degraded and not included and stamps_of(own) == before:
        keep_listing(config, before, packed(policy), "policy")
    return policy


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

"""What the rules say to one call.

Always true: a test of a call asks the rules as they are now and no language model; that one
would be asked is said, never done.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec.structs import replace

from penstock.app import open_workspace
from penstock.app.decision_logs import is_ours
from penstock.app.workspace import policy_of
from penstock.core.model import Action, Decision, Reason, Request, Verdict
from penstock.core.policy.decide import decide
from penstock.core.rules.layers import build
from penstock.core.tools.intents import intents
from penstock.doors.reviewer.question import Document, Query, QueryContext, QueryError, text_of
from penstock.gate.judge import judge_call
from penstock.gate.prepare import Call

if TYPE_CHECKING:
    from penstock.core.policy.model import Policy


def match_test(query: Query, asking: QueryContext) -> Document:
    """Answer with what the rules say to one call now."""
    tool, given = text_of(query, "tool"), query.get("input")
    if not tool:
        raise QueryError("invalid_query", "`match_test` needs `tool`, the name of a tool")
    if not isinstance(given, dict):
        raise QueryError("invalid_query", "`match_test` needs `input`, the tool's input")
    loaded = asking.loaded()
    if "original" in loaded.settings:
        policy = build(loaded)
        decision = original_decision(policy, tool, given, asking.now)
    else:
        decision, policy = _judged(loaded.name, tool, given, query, asking)
    return {"result": tested(decision, policy)}


def original_decision(
    policy: Policy, tool: str, given: Mapping[str, object], now: float
) -> Decision:
    """Return what a file of the original says to a call; nothing of ours speaks beside it."""
    alone = replace(policy, layers=policy.layers[:1])
    leaves: tuple[str, ...] = ()
    if any(rule.per_leaf for rule in alone.layers[0].rules) or policy.limits.max_chain_length:
        leaves = tuple(leaf for one in intents(tool, given, cwd="/") for leaf in one.leaves)
    request = Request(action=Action.RUN, tool=tool, tool_input=given, leaves=leaves)
    return decide(request, alone, now=now)


def _judged(
    config: str, tool: str, given: dict[str, object], query: Query, asking: QueryContext
) -> tuple[Decision, Policy]:
    """Judge a call as the hook in this project does."""
    here = open_workspace(os.path.dirname(config))
    named = None if is_ours(config) else config
    policy = policy_of(here.root, state=here.state, policy_file=named)
    cwd = text_of(query, "cwd") or here.root
    call = Call(tool=tool, tool_input=given, cwd=cwd, home=os.path.expanduser("~"))
    judged = judge_call(here.files, policy, call, now=asking.now, repositories=here.repositories)
    if judged.prepared:
        return judged.decision, policy
    # A tool that neither runs nor writes anything we know is asked about by its name.
    request = Request(action=Action.RUN, tool=tool, tool_input=given)
    return decide(request, policy, now=asking.now), policy


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

"""What is learnt from decisions: suggestions, stale rules, and a close look at one rule.

Each answer is one document; where the rules and the past come from is `question`'s QueryContext.
Always true: nothing is written, and a suggestion comes with the very command that
would apply it.
"""

from __future__ import annotations

import json
import os
import shlex
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from penstock.app.decision_logs import is_ours
from penstock.app.workspace import policy_with
from penstock.core.learning.coverage import (
    TOOL_OF,
    Stale,
    kind_of,
    meets,
    overlaps,
    request_for,
    samples,
    stale,
    tools_met,
    variants,
)
from penstock.core.learning.past_decision import DENY, Past
from penstock.core.learning.replay import requests_of
from penstock.core.learning.suggest import RulesFormat, Suggestion, suggest
from penstock.core.model import Decision, Verdict
from penstock.core.policy.decide import combine, decide
from penstock.core.policy.regexes import search, size
from penstock.core.policy.rule_index import COMMAND, input_key
from penstock.core.policy.samples import pattern_samples
from penstock.core.policy.sentences import effective
from penstock.core.rules.layers import build
from penstock.core.rules.problems import did_you_mean
from penstock.core.text.redact import redact
from penstock.core.timestamps import parse_when
from penstock.doors.reviewer.query import read_query
from penstock.doors.reviewer.query_log import found_logs
from penstock.doors.reviewer.query_match import original_decision, tested
from penstock.doors.reviewer.question import Document, QueryContext, QueryError

if TYPE_CHECKING:
    from penstock.core.policy.model import Layer, Policy
    from penstock.core.policy.rule import Rule
    from penstock.core.rules.layers import LoadResult

MOST_REPLAYED = 100_000  # decisions of each log, the newest
SWITCH = "DECISION_REVIEWER_ALLOW_WRITES=1"
MOST_REAL = 2000
ROUNDS = 5


def _past(asking: QueryContext) -> list[Past]:
    try:
        return found_logs(asking).recent(MOST_REPLAYED)
    except QueryError as wrong:
        if wrong.code == "log_not_found" and not asking.logs:
            return []
        raise


def policy_for(asking: QueryContext) -> tuple[Policy, LoadResult]:
    """Return the policy that the rules file is part of."""
    loaded = asking.loaded()
    if "original" in loaded.settings or not is_ours(loaded.name):
        return build(loaded), loaded
    return policy_with(loaded), loaded


# --- suggestions ----------------------------------------------------------------------------------


def suggestions(asking: QueryContext, *, least: int, tool: str = "", since: str = "") -> Document:
    """Return rules that would have answered what people were asked."""
    policy, loaded = policy_for(asking)
    past = _since(_past(asking), since, asking.now)
    form = form_of(loaded)
    found = suggest(past, policy, form=form, least=least, tool=tool, now=asking.now)
    return {
        "success": True,
        "target_file": loaded.name,
        "decisions_read": len(past),
        "suggestions": [_shown(one, loaded.name) for one in found],
    }


def _since(past: list[Past], since: str, now: float) -> list[Past]:
    if not since:
        return past
    when = parse_when(since, now=now)
    return [one for one in past if one.ts >= when]


def form_of(loaded: LoadResult) -> RulesFormat:
    """Return the format of a rules file."""
    if "original" not in loaded.settings:
        return RulesFormat.PENSTOCK
    return (
        RulesFormat.SECTIONED
        if any(rule.where.section for rule in loaded.rules)
        else RulesFormat.FLAT
    )


def _shown(one: Suggestion, target: str) -> Document:
    operation = one.operation(target)
    flips = one.impact
    return {
        "pattern": redact(one.pattern),
        "risk": str(one.risk),
        "support": one.support.document(),
        "rule_type": "allow",
        "rule": dict(one.rule),
        "match": list(one.match),
        "not_match": list(one.not_match),
        "flips": dict(flips.moves),
        "would_flip": flips.would_flip,
        "examples": [flip.document() for flip in flips.looser],
        "operation": operation,
        "apply": apply_command(operation),
        "dry_run": apply_command(operation, dry=True),
    }


def apply_command(operation: Mapping[str, object], *, dry: bool = False) -> str:
    """Return the line for a shell that carries an operation out."""
    text = json.dumps(operation, ensure_ascii=False)
    words = ["decision_reviewer", "apply", *(["--dry-run"] if dry else []), "--json", text]
    return f"{SWITCH} {shlex.join(words)}"


# --- rules that do nothing ---------------------------------------------------------------------


def stale_rules(asking: QueryContext) -> Document:
    """Return the rules that were never hit, have ended, or have nothing left to say."""
    policy, loaded = policy_for(asking)
    hits, seen = _hits(asking)
    files = [file for file, _ in loaded.sources]
    found = stale(policy, hits, now=asking.now, files=files, seen=seen)
    if "original" in loaded.settings:
        found = [_never(one) if one.why == "disabled" else one for one in found]
    return {
        "success": True,
        "config_file": loaded.name,
        "decisions_seen": seen,
        "stale": [one.document() for one in found],
    }


def _never(one: Stale) -> Stale:
    """The original switches no rule off; one that is off here has nothing to be matched by."""
    told = "it has no field that the original can match, so it never applies"
    return replace(one, why="never_matches", told=told)


def _hits(asking: QueryContext) -> tuple[dict[str, int], int]:
    """Count how often each rule was named; a log that names no rules tells nothing of them."""
    try:
        tally = found_logs(asking).open(asking.told).tally()
    except QueryError as wrong:
        if wrong.code == "log_not_found" and not asking.logs:
            return {}, 0
        raise
    hits: dict[str, int] = {}
    for kind, count in tally.kinds.items():
        if kind.rule:
            hits[kind.rule] = hits.get(kind.rule, 0) + count
    return hits, tally.total if hits else 0


# --- one rule ----------------------------------------------------------------------------------


def the_rule(asking: QueryContext, name: str) -> tuple[list[Rule], Layer, Policy, LoadResult]:
    """Return what one id stands for. Raises QueryError where no rule has it."""
    policy, loaded = policy_for(asking)
    for layer in policy.layers:
        rules = [rule for rule in layer.rules if rule.id == name]
        if rules:
            return rules, layer, policy, loaded
    known = [rule.id for layer in policy.layers for rule in layer.rules]
    hint = did_you_mean(name, known) if known else ""
    raise QueryError("rule_not_found", f"no rule has the id `{name[:80]}`", hint)


def read_input(text: str) -> object:
    """Return the input that a text holds. Raises QueryError `invalid_query`."""
    try:
        return read_query(text)
    except QueryError as wrong:
        raise QueryError(wrong.code, "`--input` is not JSON", wrong.details) from None


def try_rule(asking: QueryContext, name: str, given: object, tool: str = "") -> Document:
    """Return whether one rule speaks of an input, and what all rules say to it."""
    if not isinstance(given, dict):
        raise QueryError("invalid_query", "`--input` must be a JSON object, the tool's input")
    rules, layer, policy, loaded = the_rule(asking, name)
    named = tool or next((rule.tool for rule in rules if rule.tool), "")
    if not named:
        by_field = next((TOOL_OF[key] for key in given if key in TOOL_OF), "Bash")
        named = "Write" if rules[0].paths else by_field
    cwd = os.path.dirname(loaded.name)
    past = Past(tool=named, tool_input=given, cwd=cwd)
    requests = requests_of(past)
    hit = any(meets(rule, request, layer, now=asking.now) for rule in rules for request in requests)
    result = tested(_decided(policy, loaded, past, asking.now), policy)
    return {
        "success": True,
        "rule_id": name,
        "type": kind_of(rules[0], layer),
        "enabled": any(rule.enabled for rule in rules),
        "tool": named,
        "input": given,
        "matches": hit,
        "decision": result["decision"],
        "matched_rule": result["matched_rule"],
    }


def _decided(policy: Policy, loaded: LoadResult, past: Past, now: float) -> Decision:
    if "original" in loaded.settings:
        return original_decision(policy, past.tool, past.tool_input, now)
    return combine([decide(one, policy, now=now) for one in requests_of(past)], policy)


def analyze(asking: QueryContext, name: str) -> Document:
    """Return what a rule covers, which others speak of the same, and what slips past it."""
    rules, layer, policy, loaded = the_rule(asking, name)
    past = _past(asking)
    covered = _covered(rules, layer, past, asking.now)
    made = [text for rule in rules for text in samples(rule, layer, now=asking.now)]
    tools = [tool for rule in rules for tool in tools_met(rule, layer, now=asking.now)]
    common = covered.most_common()
    real = [text for text, _ in common[:3]]
    return {
        "success": True,
        "rule_id": name,
        "type": kind_of(rules[0], layer),
        "source_file": rules[0].where.file,
        "source_line": rules[0].where.line,
        "covers": {
            "past_calls": sum(covered.values()),
            "of_decisions": len(past),
            "examples": [{"input": redact(text), "count": n} for text, n in common[:10]],
            "samples": list(dict.fromkeys(made))[:10],
            **({"tools": list(dict.fromkeys(tools))[:10]} if tools else {}),
        },
        "overlaps": [one.document() for one in overlaps(rules, policy, layer, now=asking.now)],
        "slips_past": _slipping(asking, rules, layer, policy, loaded, real or made[:3]),
    }


def _covered(rules: Sequence[Rule], layer: Layer, past: Iterable[Past], now: float) -> Counter[str]:
    """Count the calls of the past that a rule speaks of; what is alike is asked about once."""
    known: dict[tuple[str, str], bool] = {}
    found: Counter[str] = Counter()
    for one in past:
        if not one.whole or not one.subject or not one.decision:
            continue
        key = (one.tool, one.subject)
        if key not in known:
            known[key] = _may_speak(rules, one) and any(
                meets(rule, request, layer, now=now)
                for request in requests_of(one)
                for rule in rules
            )
        if known[key]:
            found[one.subject] += 1
    return found


def _may_speak(rules: Sequence[Rule], past: Past) -> bool:
    """Say quickly whether rules can speak of a call, so that few commands are followed."""
    for rule in rules:
        if rule.tool and rule.tool != past.tool:
            continue
        tests = [test for test in rule.fields if test.name == COMMAND and test.regex]
        if not past.command or not tests or rule.per_leaf:
            return True
        if all(search(test.regex, past.command) for test in tests):
            return True
    return False


def _slipping(
    asking: QueryContext,
    rules: Sequence[Rule],
    layer: Layer,
    policy: Policy,
    loaded: LoadResult,
    texts: Sequence[str],
) -> list[Document]:
    """Ask the rules about what an attacker would make of the texts that a rule meets."""
    found: list[Document] = []
    verdict = effective(rules[0], layer)
    for text in texts:
        for variant, why in variants(rules[0], text, verdict):
            key = "file_path" if rules[0].paths else next(iter(rules[0].fields), None)
            name = key if isinstance(key, str) else input_key(key.name) if key else COMMAND
            tool = rules[0].tool or ("Write" if rules[0].paths else TOOL_OF.get(name, "Bash"))
            past = Past(tool=tool, tool_input={name: variant}, cwd=os.path.dirname(loaded.name))
            said = str(tested(_decided(policy, loaded, past, asking.now), policy)["decision"])
            slips = said == "allow" if verdict is Verdict.ALLOW else said != DENY
            if slips and variant != text:
                found.append({"input": redact(variant), "why": why, "decision": said})
    return found[:20]


# --- cost -----------------------------------------------------------------------------------------


def profile(asking: QueryContext, name: str) -> Document:
    """Measure what a rule costs, on calls of the past and on texts made to be slow."""
    rules, layer, _, _ = the_rule(asking, name)
    patterns = list(_patterns(rules))
    past = [one.subject for one in _past(asking)[:MOST_REAL] if one.subject]
    real = list(dict.fromkeys(past)) or [t for r in rules for t in r.match] or ["ls -la"]
    hostile = _hostile(rules)
    costs = [_cost(rules, layer, text, asking.now) for text in real]
    slow = [(text, _cost(rules, layer, text, asking.now)) for text in hostile]
    per_byte = [cost / max(len(text), 1) for text, cost in slow]
    return {
        "success": True,
        "rule_id": name,
        "type": kind_of(rules[0], layer),
        "patterns": patterns,
        "real": {
            "inputs": len(real),
            "mean_us": round(sum(costs) / len(costs), 2),
            "max_us": round(max(costs), 2),
        },
        "adversarial": {
            "inputs": len(slow),
            "max_us": round(max(cost for _, cost in slow), 2),
            "max_us_per_kb": round(max(per_byte) * 1024, 2),
            "worst": [
                {"input": f"{text[:40]}... ({len(text)} characters)", "us": round(cost, 2)}
                for text, cost in sorted(slow, key=lambda one: -one[1])[:3]
            ],
        },
        "growth": "linear: the engine never backtracks",
    }


def _patterns(rules: Sequence[Rule]) -> Iterator[Document]:
    """Yield each regex of a rule with its field and how large it is when compiled."""
    found = [(test.name, test.regex, test.exclude) for rule in rules for test in rule.fields]
    found += [("tool", rule.tool_regex, rule.tool_exclude_regex) for rule in rules]
    for name, regex, exclude in dict.fromkeys(found):
        for field, pattern in ((f"{name}_regex", regex), (f"{name}_exclude_regex", exclude)):
            if pattern:
                yield {"field": field, "regex": pattern, "program_size": size(pattern)}


def _hostile(rules: Sequence[Rule]) -> list[str]:
    """Return texts that make a backtracking engine slow, made from the rule's own patterns."""
    made = [t for rule in rules for test in rule.fields for t in pattern_samples(test.regex)[:2]]
    seeds = ["a", "a ", "/", "\n", "aA1-", *made]
    return [(seed * (size // max(len(seed), 1) + 1))[:size] + "!" for seed in seeds if seed
            for size in (1_000, 100_000)]  # fmt: skip


def _cost(rules: Sequence[Rule], layer: Layer, text: str, now: float) -> float:
    """Return the best of some measurements, in microseconds."""
    asked = [(rule, request_for(rule, text)) for rule in rules]
    best = float("inf")
    for _ in range(ROUNDS):
        began = time.perf_counter()
        for rule, request in asked:
            meets(rule, request, layer, now=now)
        best = min(best, time.perf_counter() - began)
    return best * 1e6

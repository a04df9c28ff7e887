"""An organisation's policy bundle as levels of the policy, above the user's and the project's.

Each group of the bundle that this machine is in is one level, judged by itself: the strictest
verdict wins, so nobody below can loosen it. Where CODEOWNERS count, one more level has a person
asked before they change, in every place where they could be: one that is looked at earlier hides
the others. Where no valid bundle is there, or the one there has
expired, a layer stands beside the rules that lets nothing pass unasked.
Always true: a level that comes out names the file that the bundle is kept in, so that a policy is
made anew when the bundle changes.
"""

from __future__ import annotations

import math

from msgspec.structs import replace

from penstock.core.bundle.codeowners import PLACES
from penstock.core.bundle.model import PolicyBundle, WhenStale
from penstock.core.bundle.trust import groups_of
from penstock.core.model import Action, Verdict
from penstock.core.policy.model import Layer, Validity
from penstock.core.policy.rule import Rule, Where
from penstock.core.rules.layers import LoadResult
from penstock.core.rules.load import load
from penstock.core.timestamps import stamp

NAME = "bundle:"  # how files of a bundle are named in problems and places
STALE_RULE, MISSING_RULE = "bundle-stale", "bundle-missing"
CODEOWNERS_RULE = "bundle-codeowners"
FETCH = "ask the user to run `penstock bundle fetch`"


def bundle_levels(
    bundle: PolicyBundle, group: str, *, file: str, person: str = ""
) -> tuple[LoadResult, ...]:
    """Return the levels of a bundle on a machine of a group; `file` is where it is kept."""
    found = [group_level(bundle, one) for one in groups_of(bundle, group)]
    first = replace(
        found[0],
        sources=((file, bundle.digest),),
        bundle=bundle,
        person=person,
        validity=_validity(bundle),
    )
    return (first, *found[1:], *([_codeowners_level()] if bundle.counts_codeowners else []))


def _codeowners_level() -> LoadResult:
    name = f"{NAME}codeowners"
    paths = ", ".join(f'"{place}"' for place in PLACES)
    text = (
        f'version = 1\n[[ask]]\nid = "{CODEOWNERS_RULE}"\nactions = ["write"]\npaths = [{paths}]\n'
        'reason = "{path} says whose approval changes need"\n'
    )
    return replace(load(name, {name: text.encode()}.get), sources=())


def group_level(bundle: PolicyBundle, group: str) -> LoadResult:
    """Return the level of one group: its rules file with what it includes."""
    files = bundle.policies[group]
    texts = {f"{NAME}{group}/{name}": text.encode() for name, text in files.items()}
    return replace(load(next(iter(texts)), texts.get), sources=())


def missing_level(why: str, *, file: str) -> LoadResult:
    """Return the level that stands for a bundle that should be there and is not."""
    rule = _rule(MISSING_RULE, Verdict.ASK, f"no valid policy bundle is on this machine: {why}")
    never = Validity(since=math.inf, until=0.0, otherwise=_layer(rule))
    return LoadResult(name=f"{NAME}missing", sources=((file, "missing"),), validity=never)


def _validity(bundle: PolicyBundle) -> Validity | None:
    if bundle.when_stale is WhenStale.KEEP:
        return None
    verdict = Verdict(bundle.when_stale)
    said = f"the policy bundle of {bundle.name} expired at {stamp(bundle.expires)}"
    rule = _rule(STALE_RULE, verdict, said)
    return Validity(since=bundle.since, until=bundle.expires, otherwise=_layer(rule))


def _rule(name: str, verdict: Verdict, reason: str) -> Rule:
    return Rule(
        id=name,
        verdict=verdict,
        actions=frozenset(Action),
        reason=reason,
        instead=FETCH,
        code=name,
        where=Where(file=NAME),
    )


def _layer(rule: Rule) -> Layer:
    return Layer(name=NAME, rules=(rule,))

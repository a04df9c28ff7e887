"""A policy as plain values and back, so that it can be kept without being read from text again.

Only what decides is kept: the layers with their rules and defaults, and the settings that steer a
judgement. Where it is kept, and until when it is good, is for whoever keeps it.
Always true: what comes back decides as what went in, and is equal to it in everything kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from penstock.core.model import Action, ChangeKind, Verdict
from penstock.core.policy.model import AdvisorSettings, GateSettings, Layer, Limits, Policy, Warn
from penstock.core.policy.rule import FieldMatch, Rule, Where

NAMES = tuple(one.name for one in fields(Rule))
USUAL = Rule(id="")


def packed(policy: Policy) -> dict[str, Any]:
    """Return a policy as values that JSON takes."""
    return {
        "layers": [_layer(layer) for layer in policy.layers],
        "revision": policy.revision,
        "files": list(policy.files),
        "guarded": list(policy.guarded),
        "limits": asdict(policy.limits),
        "gate": asdict(policy.gate),
        "advisor": {**asdict(policy.advisor), "provider_preferences": []},
        "degraded": policy.degraded,
    }


def _layer(layer: Layer) -> dict[str, Any]:
    return {
        "name": layer.name,
        "rules": [_rule(rule) for rule in layer.rules],
        "defaults": {str(action): str(verdict) for action, verdict in layer.defaults.items()},
        "unclear": str(layer.unclear),
        "outside": str(layer.outside) if layer.outside else None,
        "warn": str(layer.warn),
    }


def _rule(rule: Rule) -> dict[str, Any]:
    """Return what a rule says beyond what every rule does."""
    said = {name: getattr(rule, name) for name in NAMES}
    return {n: _plain(value) for n, value in said.items() if value != getattr(USUAL, n)}


def _plain(value: Any) -> Any:
    if isinstance(value, frozenset):
        return sorted(str(one) for one in value)
    if isinstance(value, Where):
        return [value.file, value.line, value.section]
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    if isinstance(value, FieldMatch):
        return [value.name, value.regex, value.exclude, value.exact]
    return str(value) if isinstance(value, Verdict) else value


def unpacked(plain: Mapping[str, Any]) -> Policy:
    """Return the policy that some values stand for; raises where they stand for none."""
    advisor = {**plain["advisor"], "provider_preferences": ()}
    return Policy(
        layers=tuple(_as_layer(layer) for layer in plain["layers"]),
        revision=plain["revision"],
        files=tuple(plain["files"]),
        guarded=tuple(plain["guarded"]),
        limits=Limits(**plain["limits"]),
        gate=GateSettings(**plain["gate"]),
        advisor=AdvisorSettings(**advisor),
        degraded=plain["degraded"],
    )


def _as_layer(plain: Mapping[str, Any]) -> Layer:
    return Layer(
        name=plain["name"],
        rules=tuple(_as_rule(rule) for rule in plain["rules"]),
        defaults={Action(key): Verdict(value) for key, value in plain["defaults"].items()},
        unclear=Verdict(plain["unclear"]),
        outside=Verdict(plain["outside"]) if plain["outside"] else None,
        warn=Warn(plain["warn"]),
    )


def _as_rule(plain: Mapping[str, Any]) -> Rule:
    return Rule(**{name: READ.get(name, _same)(value) for name, value in plain.items()})


def _same(value: Any) -> Any:
    return value


READ: Mapping[str, Any] = {
    "verdict": Verdict,
    "actions": lambda names: frozenset(Action(name) for name in names),
    "kinds": lambda names: frozenset(ChangeKind(name) for name in names),
    "paths": tuple,
    "not_paths": tuple,
    "match": tuple,
    "not_match": tuple,
    "fields": lambda rows: tuple(
        FieldMatch(name=name, regex=regex, exclude=exclude, exact=exact)
        for name, regex, exclude, exact in rows
    ),
    "where": lambda place: Where(file=place[0], line=place[1], section=place[2]),
}

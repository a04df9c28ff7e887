"""Which quick rules would change an answer, and where none would, what decides instead.

Whether they really do is found by judging again with them (`app.rule_ways`).
Always true: nothing is offered against what Penstock protects by itself, and what is offered
names the one rules file in which it counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from penstock.core.model import Action, Decision, Target, Verdict
from penstock.core.paths.globs import matches
from penstock.core.policy.builtin import NAME
from penstock.core.policy.conditions import in_force
from penstock.core.policy.model import Layer, Policy
from penstock.core.policy.rule import Rule
from penstock.core.policy.rule_index import COMMAND, input_key
from penstock.core.rule_edit.quick_rule import QuickRule, exact_regex
from penstock.core.rules.folder_layer import NAME as NESTED
from penstock.core.rules.sets import one_path

STRICT = (Verdict.ASK, Verdict.DENY)
DEFAULT, LIMITS = "default.", "limits."
OUTSIDE = f"{DEFAULT}outside_project"
TOO_LONG = f"{DEFAULT}max_chain_length"
SELF = "Penstock protects itself and the settings of agents' hooks"


class Stop(Struct, frozen=True, kw_only=True):
    """One rule, or default, that stopped a call at a path or a command."""

    rule: str
    path: str = ""
    command: str = ""
    action: Action | None = None


def stops_in(decision: Decision, command: str) -> list[Stop]:
    """Return what stands in the way of a call that was judged again."""
    return [
        Stop(rule=reason.rule, path=part.path, command=command, action=part.action)
        for part in decision.parts or (decision,)
        if part.verdict is not Verdict.ALLOW
        for reason in part.reasons
        if reason.verdict in STRICT
    ]


# --- ways past ---------------------------------------------------------------------------


def ways_past(
    stops: Iterable[Stop],
    policy: Policy,
    *,
    root: str,
    user_file: str = "",
) -> list[QuickRule]:
    """Return the quick rules that together let a call pass; empty where one stop has no way.

    `root` is the project's directory.
    """
    found: list[QuickRule] = []
    for stop in stops:
        ways = [_placed(way, layer, policy, root, user_file) for way, layer in _ways(stop, policy)]
        if not ways:
            return []
        found += ways
    return list(dict.fromkeys(found))


def whole(way: QuickRule) -> QuickRule:
    """Return a rule that names a command character for character, not by its beginning."""
    return replace(way, command="", regex=exact_regex(way.command))


def _placed(way: QuickRule, layer: Layer, policy: Policy, root: str, user_file: str) -> QuickRule:
    """Return a rule for the file that its layer was read from."""
    if layer not in policy.layers:
        return _nested(way, layer, root)
    return replace(way, user=layer.name == user_file)


def layers_of(policy: Policy, path: str) -> tuple[Layer, ...]:
    """Return the layers that judge a path, those of its directories included."""
    return policy.layers_for(Target(shown=path, judged=(path,)) if path else None)


def _ways(stop: Stop, policy: Policy) -> Iterator[tuple[QuickRule, Layer]]:
    for layer in layers_of(policy, stop.path):
        made = _by_default(stop, layer) or _by_rule(stop, layer)
        if made is not None and layer.name != NAME:
            yield made, layer


def _by_default(stop: Stop, layer: Layer) -> QuickRule | None:
    if not stop.rule.startswith(DEFAULT) or stop.rule in (OUTSIDE, TOO_LONG):
        return None
    named = stop.rule.removeprefix(DEFAULT)
    strict = layer.defaults.get(Action(named)) if named in set(Action) else layer.unclear
    if strict is Verdict.ALLOW:
        return None
    if stop.command:
        return QuickRule(kind="allow", command=stop.command)
    return QuickRule(kind="allow", path=_glob(stop.path)) if stop.path else None


def _by_rule(stop: Stop, layer: Layer) -> QuickRule | None:
    rule = _rule(stop, layer)
    if rule is None or stop.rule.startswith((LIMITS, NESTED)):
        return None
    if stop.command and _about_commands(rule):
        return QuickRule(kind="except", of=rule.id, command=stop.command)
    return QuickRule(kind="except", of=rule.id, path=_glob(stop.path)) if stop.path else None


def _rule(stop: Stop, layer: Layer) -> Rule | None:
    return next((rule for rule in layer.rules if rule.id == stop.rule), None)


def _about_commands(rule: Rule) -> bool:
    return not rule.paths and any(input_key(test.name) == COMMAND for test in rule.fields)


def _glob(path: str) -> str:
    """What lies outside of the project is met only by globs that begin with `**`."""
    return f"**{path}" if path.startswith("/") else one_path(path)


def _nested(made: QuickRule, layer: Layer, root: str) -> QuickRule:
    """Return a rule for the rules file of a directory, whose globs start there."""
    folder = layer.name.rpartition("/")[0]
    below = f"{folder.removeprefix(root.rstrip('/') + '/')}/"
    return replace(made, path=made.path.removeprefix(below), folder=folder)


# --- no way past -------------------------------------------------------------------------


def decided_by(stop: Stop, policy: Policy) -> str:
    """Return what decides where no rule changes an answer."""
    for layer in layers_of(policy, stop.path):
        rule = _rule(stop, layer)
        if stop.rule == OUTSIDE and layer.outside in STRICT:
            return f"the setting `outside_project` in `{layer.name}` decides"
        if rule is not None and stop.rule.startswith(LIMITS):
            setting = f"[limits] {stop.rule.removeprefix(LIMITS)}"
            return f"the setting `{setting}` in `{layer.name}` decides"
        if rule is not None and stop.rule.startswith(NESTED):
            return f"`{layer.name}`: {rule.reason}"
    if stop.rule == TOO_LONG:
        return "the setting `[limits] max_chain_length` decides"
    return SELF


# --- stops that the audit log tells of ---------------------------------------------------

ON_FILES = frozenset(f"{DEFAULT}{action}" for action in Action if action is not Action.RUN)


def needs_command(event: Mapping[str, object], policy: Policy) -> bool:
    """Say whether an entry tells of a stop that only its whole command can be judged by."""
    names = event.get("rules")
    known = {rule.id: rule for layer in policy.layers for rule in layer.rules}
    return any(
        _about_commands(known[name]) if name in known else name not in ON_FILES
        for name in (names if isinstance(names, list) else [])
    )


def stops_of_event(event: Mapping[str, object], policy: Policy, now: float) -> list[Stop]:
    """Return the rules that stopped a call by an entry of the audit log and still would.

    Defaults are left out: whoever judges again finds them.
    """
    several = event.get("stops")
    rows = several if isinstance(several, list) and several else [event]
    return [
        stop
        for row in rows
        if isinstance(row, dict | Mapping)
        for stop in _stops_of_row(row)
        if any(_still_stops(stop, layer, now) for layer in layers_of(policy, stop.path))
    ]


def _stops_of_row(row: Mapping[str, object]) -> list[Stop]:
    path, action, rules = str(row.get("path", "")), str(row.get("action", "")), row.get("rules")
    names = [name for name in rules if isinstance(name, str)] if isinstance(rules, list) else []
    known = Action(action) if action in set(Action) else None
    return [Stop(rule=name, path=path, action=known) for name in dict.fromkeys(names)]


def _still_stops(stop: Stop, layer: Layer, now: float) -> bool:
    rule = _rule(stop, layer)
    if rule is None or rule.verdict not in STRICT or not in_force(rule, now):
        return False
    active = [one for one in rule.excepts if in_force(one, now) and not one.command_regex]
    return not any(matches(glob, stop.path) for one in active for glob in one.paths)

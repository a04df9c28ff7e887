"""The hook's fast path: answer from a compiled policy, or say that the engine is needed.

The structure that is asked here is made by `compile` from the same rules that `decide`
asks, and matched by the same matcher. Nothing else of ours is imported, because the hook is a
process start on every tool call.
Always true: an answer from here is the one that `decide` would give. What depends on commands,
time or anything but the name and the bounds on the change is left to the engine.
"""

import marshal

from penstock.core.paths.globs import lookup

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

ALLOW = "allow"  # allowed by default; there may be notes
DENY = "deny"

FORMAT = 7  # of a compiled policy: another one is made anew
# The places in a compiled rule.
DENIES, CERTAIN, STRICT, QUIET, ACTIONS, ID, CODE, REASON, NOTE, INSTEAD, EXCEPT, WITHIN = range(12)


class Short:
    """A short answer. `{path}` is left in its texts; `rules` are those that spoke.

    A denial has no notes: its reason is what the agent needs to hear.
    """

    __slots__ = ("code", "instead", "notes", "reason", "rules", "verdict")

    def __init__(self, verdict: str, rules: "list[tuple[Any, ...]]") -> None:
        denying = [rule for rule in rules if rule[DENIES]]
        self.verdict = verdict
        self.rules = _distinct([rule[ID] for rule in denying + rules])
        self.notes = [] if denying else _distinct([rule[NOTE] for rule in rules])
        self.reason = _first(denying, REASON)
        self.code = _first(denying, CODE)
        self.instead = _first(denying, INSTEAD)


def answer(
    policy: "dict[str, Any]",
    action: str,
    judged: "Sequence[str]",
    tightening: "Sequence[str]",
    *,
    most_lines: int,
    most_lost: float,
    size: int,
) -> "Short | None":
    """Return the answer for one path, or None where only the engine can tell.

    `most_lines` is no less than the lines the file has, `most_lost` no less than the share of
    them that would be lost, and `size` the bytes that would be written.
    """
    heard: list[tuple[Any, ...]] = []
    allowed = True
    for layer in policy["layers"]:
        if layer["uncertain"][action] or size > layer["bytes"]:
            return None
        rules = hits(layer, action, judged, tightening)
        if not all(rule[CERTAIN] for rule in rules):
            return None
        heard += rules
        allowed = allowed and layer["silent"][action] and all(rule[QUIET] for rule in rules)
        allowed = allowed and keeps(layer["losses"], most_lines, most_lost)
    if any(rule[DENIES] for rule in heard):
        return Short(DENY, heard)
    return Short(ALLOW, heard) if allowed else None


def keeps(losses: "Sequence[tuple[int, float]]", most_lines: int, most_lost: float) -> bool:
    """True when no rule about what is lost can speak, whatever lies within the bounds."""
    return all(most_lines < lines or most_lost < share for lines, share in losses)


def hits(
    layer: "dict[str, Any]", action: str, judged: "Sequence[str]", tightening: "Sequence[str]"
) -> "list[tuple[Any, ...]]":
    """Return the rules that meet a spelling, in the order in which `decide` hears them.

    Look-alikes count for strict rules only.
    """
    found = []
    for spelling in judged:
        found += _rules(layer, spelling)
    for spelling in tightening:
        found += [r for r in _rules(layer, spelling) if r[STRICT] and not _exempt(r, judged)]
    return [rule for rule in found if action in rule[ACTIONS]]


def _exempt(rule: "tuple[Any, ...]", judged: "Sequence[str]") -> bool:
    """A rule's exceptions speak of the path itself; `./src/a` is no way out of them."""
    return bool(rule[EXCEPT]) and all(lookup(rule[EXCEPT], spelling) for spelling in judged)


def _rules(layer: "dict[str, Any]", spelling: str) -> "list[tuple[Any, ...]]":
    rules = [_rule(layer["rules"], at) for at in lookup(layer["index"], spelling)]
    return [
        rule
        for rule in rules
        if not (rule[EXCEPT] and lookup(rule[EXCEPT], spelling))
        and (not rule[WITHIN] or lookup(rule[WITHIN], spelling))
    ]


def _rule(rules: "list[Any]", at: int) -> "tuple[Any, ...]":
    """Return one rule; it is kept as bytes until it is asked for the first time."""
    rule = rules[at]
    if rule.__class__ is bytes:
        rule = rules[at] = marshal.loads(rule)  # noqa: S302 - part of our own file
    found: tuple[Any, ...] = rule
    return found


def _first(rules: "list[tuple[Any, ...]]", what: int) -> str:
    for rule in rules:
        if rule[what]:
            found: str = rule[what]
            return found
    return ""


def _distinct(texts: "list[str]") -> "list[str]":
    return [text for text in dict.fromkeys(texts) if text]

"""The short way of the hook: answer from a compiled policy, or say that the long way is needed.

The structure that is asked here is made by `compiled.py` from the same rules that `decide`
asks, and matched by the same matcher. This module imports nothing else, because the hook is a
process start on every tool call.
Always true: a short answer is the answer that `decide` would give. What depends on content,
commands, time or anything but the name takes the long way.
"""

from penstock.core.match import lookup

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

LONG = "long"  # ask the whole engine
SILENT = "silent"  # allowed, and there is nothing to say
DENY = "deny"


# The places in a compiled rule.
DENIES, CERTAIN, STRICT, QUIET, ACTIONS, ID, CODE, REASON = range(8)


def answer(
    policy: "dict[str, Any]",
    action: str,
    judged: "Sequence[str]",
    tightening: "Sequence[str]",
    *,
    most_lines: int,
    size: int,
) -> "tuple[str, str, str, str]":
    """Return (SILENT | DENY | LONG, reason, rule id, code) for one path.

    `most_lines` is no less than the lines the file has (its size in bytes will do) and
    `size` the bytes that would be written. `{path}` is left in the reason.
    """
    silent = True
    for layer in policy["layers"]:
        if layer["uncertain"][action] or size > layer["bytes"]:
            return (LONG, "", "", "")
        for rule in _hits(layer, action, judged, tightening):
            if not rule[CERTAIN]:
                return (LONG, "", "", "")
            if rule[DENIES]:
                return (DENY, rule[REASON], rule[ID], rule[CODE])
            silent = silent and rule[QUIET]
        silent = silent and layer["silent"][action]
        silent = silent and most_lines < layer["lines"]
    return (SILENT if silent else LONG, "", "", "")


def _hits(
    layer: "dict[str, Any]", action: str, judged: "Sequence[str]", tightening: "Sequence[str]"
) -> "list[tuple[Any, ...]]":
    """Return the rules that meet a spelling, in the order in which `decide` hears them.

    Look-alikes count for strict rules only.
    """
    found = []
    for spelling in judged:
        found += _rules(layer, spelling)
    for spelling in tightening:
        found += [rule for rule in _rules(layer, spelling) if rule[STRICT]]
    return [rule for rule in found if action in rule[ACTIONS]]


def _rules(layer: "dict[str, Any]", spelling: str) -> "list[tuple[Any, ...]]":
    owners = {layer["owners"][number] for number in lookup(layer["index"], spelling)}
    return [layer["rules"][at] for at in sorted(owners)]

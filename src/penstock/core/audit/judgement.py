"""The event of a judgement, and the line of an event in which nothing needs a second look.

What the rules said to a call is one kind of event for every door, with the status that `STATUS` has
for each verdict. A hook that starts cold makes its lines here, and leaves what is long, odd or may
be a secret to `event`.
Always true: a line from here is the one that `event.compose` would make, or None.
"""

from penstock.core.text.secret_signs import may_hold_secret

TYPE_CHECKING = False  # what `typing` calls so; type checkers know the bare name too
if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_TEXT = 1000
FIRST = ("op", "path", "status")
# What the rules said, in the record's words.
STATUS = {"allow": "allowed", "ask": "hitl_required", "deny": "denied"}
MOST_RULES = 8
# The names that the hook's own events have: neither content nor secrets stand under them.
KNOWN = frozenset(
    {*FIRST, "action", "agent", "session", "tool_call_id", "subagent", "tool"}
    | {"rules", "code", "revision", "before_hash", "after_hash"}
)


def is_wanted(level: str, verdict: str, rules: "list[str]") -> bool:
    """Say whether `[audit] level` wants a judgement on the record; what is denied always is."""
    return level == "all" or verdict != "allow" or (level == "matched" and bool(rules))


def judgement(
    path: str, status: str, who: "Mapping[str, object]", *, action: str = "", **facts: object
) -> "dict[str, object]":
    """Return the event of a judgement; what is empty is left out."""
    said = {"action": action, **who, **facts}
    event = {"op": "tool_call", "path": path, "status": status}
    return {**event, **{name: value for name, value in said.items() if value}}


def plain_line(event: "Mapping[str, object]") -> "bytes | None":
    """Return an event's fields as they stand on its line; None where `event` must look."""
    if tuple(event)[: len(FIRST)] != FIRST or not event["op"] or not KNOWN.issuperset(event):
        return None
    texts: list[str] = []
    fields = []
    for name, value in event.items():
        if isinstance(value, str):
            if not is_opaque(value):
                texts.append(value)
            fields.append(f'"{name}":"{value}"')
        elif isinstance(value, list) and len(value) <= MOST_RULES:
            texts += value
            shown = '","'.join(value)
            fields.append(f'"{name}":["{shown}"]' if value else f'"{name}":[]')
        else:
            return None
    joined = "|".join(texts)  # which may look like a secret where none of them does
    if not _fits(joined) or (may_hold_secret(joined) and any(map(may_hold_secret, texts))):
        return None
    return ",".join(fields).encode()


def are_plain(texts: "list[str]") -> bool:
    """True when texts may stand as they are; one look at all of them is quick."""
    joined = "|".join(texts)
    return _fits(joined) and not may_hold_secret(joined)


def _fits(text: str) -> bool:
    """True for what is not too long and needs no escape."""
    return (
        len(text) <= MOST_TEXT
        and text.isascii()
        and text.isprintable()
        and '"' not in text
        and "\\" not in text
    )


def is_opaque(text: str) -> bool:
    """True for what cannot hold a secret by its form: a digest, or the id of a call."""
    if not text.isascii():
        return False
    if len(text) == 71:
        return text.startswith("sha256:") and text[7:].isalnum()
    return text[:6] == "toolu_" and len(text) < 40 and text[6:].isalnum()

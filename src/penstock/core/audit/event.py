"""Turn an event's facts into the text that stands on its line, bounded and without secrets.

What the rules said to a call is one kind of event for every door: `judged`.
The record holds metadata: what was asked, decided and done, to which path, by whom. It never
holds the content of files, so whatever carries content is withheld here, whoever hands it in.
Numbering, time and hashes are added by `chain` when the line is written; an event in which nothing
needs a second look becomes the same line in `judgement`, for the hook that starts cold.
Always true: the text is short (`MOST_TEXT` characters a value, `MOST_BODY` in all), every name
stands once, and no value has more than one line. Nothing is imported but our own small modules,
because a hook that could not judge makes its line here.
"""

from penstock.core.audit.chain import encode, quote
from penstock.core.audit.judgement import (
    FIRST,
    MOST_RULES,
    MOST_TEXT,
    STATUS,
    are_plain,
    is_opaque,
    judgement,
)
from penstock.core.text.redact import MARK, is_secret_name, redact

TYPE_CHECKING = False  # what `typing` calls so; type checkers know the bare name too
if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.core.errors import InputError
    from penstock.core.model import Decision

MOST_ITEMS = 32
MOST_FIELDS = 48
MOST_NAMES = 256
MOST_DEPTH = 3
MOST_BODY = 16 * 1024

# Every word that was ever written for what the rules said.
VERDICTS = {
    **{word: verdict for verdict, status in STATUS.items() for word in (verdict, status)},
    "approved": "allow",
    "waiting": "ask",
}
MOST_STOPS = 16
# What Penstock itself signs with, in base64: so long under these names, and never a secret. One in
# some thousand signatures looks like a token by chance, and redacted it would prove nothing.
SIGNED = {"signature": 88, "approver": 44}
BASE64 = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=")
ADDED_LATER = frozenset({"ts", "seq", "prev_hash", "event_hash"})
# Names under which doors and tools carry content; `before_hash` and the like are digests.
CONTENT = frozenset(
    {"content", "contents", "new_content", "old_content", "old_string", "new_string", "old", "new"}
    | {"diff", "patch", "text", "body", "data", "stdin", "stdout", "stderr", "before", "after"}
    | {"file_text", "new_source", "tool_input", "tool_response", "diff_preview"}
)


# Most events are of few kinds: the same names with the same types of values. Such a kind has a
# form to fill in, made when it was first met, and then only the texts have to be looked at.
MOST_KINDS = 256
MOST_KNOWN, SHORT = 1024, 64
MOST_LISTS = 4  # of one event; more of them could be too long for a line
LITERALS = (bool, int, float, type(None))

_forms: "dict[tuple[object, ...], str]" = {}
# Short texts that were looked at before and showed nothing: they come again and again.
_harmless: set[str] = set()
# Lists of such texts, as they are written. Apart: a text that reads like a list is none.
_lists: "dict[tuple[object, ...], str]" = {}


def judged(
    decision: "Decision",
    who: "Mapping[str, object]",
    *,
    would: "Decision | None" = None,
    **facts: object,
) -> "dict[str, object]":
    """Return the event of a decision by the whole engine.

    `would` is what rules say that only observe: its words stand beside the status that held.
    """
    said = would or decision
    observed = said.verdict != decision.verdict
    return judgement(
        said.path,
        STATUS[decision.verdict],
        who,
        would=STATUS[said.verdict] if observed else "",
        action=str(said.action or ""),
        rules=[reason.rule for reason in said.reasons][:MOST_RULES],
        stops=_stops(said),
        code=said.code,
        revision=said.revision,
        degraded=said.degraded,
        **facts,
    )


def _stops(said: "Decision") -> "list[dict[str, object]]":
    """Return each file that stood against a call of several, with the rules that spoke of it."""
    stopped = [part for part in said.parts if part.verdict != "allow"]
    if len({part.path for part in stopped}) < 2:
        return []  # `path` and `rules` say it all
    return [
        {
            "path": part.path,
            "action": str(part.action or ""),
            "rules": [one.rule for one in part.reasons if one.verdict in ("ask", "deny")],
        }
        for part in stopped[:MOST_STOPS]
    ]


def compose(event: "Mapping[str, object]") -> bytes:
    """Return an event's fields as they will stand on its line, between `seq` and `prev_hash`.

    Raises InputError for a name that cannot be a field; values never raise.
    """
    values = event.values()
    kind = (*event, *map(type, values))
    form = _forms.get(kind)
    if form is None or not event["op"]:
        made = _carefully(event)
        _learn(event, kind)
        return made
    texts = [
        v if v.__class__ is str else _list(v) if v.__class__ is list else encode(v) for v in values
    ]
    fresh = [v for v in values if v.__class__ is str and v not in _harmless and not is_opaque(v)]
    if None in texts or (fresh and not _seen_harmless(fresh)):
        return _carefully(event)
    return (form % tuple(texts)).encode()


def _list(value: "list[object]") -> "str | None":
    """Return a list of harmless texts as it is written; None for any other list."""
    try:
        known = _lists.get(tuple(value))
    except TypeError:
        return None
    if known is None and len(value) <= MOST_ITEMS and all(v.__class__ is str for v in value):
        texts = [str(item) for item in value]
        if are_plain(texts):
            if len(_lists) > MOST_KNOWN:
                _lists.clear()
            known = _lists[tuple(value)] = encode(value)
    return known


def _learn(event: "Mapping[str, object]", kind: "tuple[object, ...]") -> None:
    """Make the form of a kind of event, where nothing in it can need a second look but texts."""
    kinds = [value.__class__ for value in event.values()]
    simple = all(one in (str, list, *LITERALS) for one in kinds) and kinds.count(list) <= MOST_LISTS
    usual = tuple(event)[: len(FIRST)] == FIRST and len(event) <= MOST_FIELDS
    if len(_forms) < MOST_KINDS and simple and usual and _open_names.issuperset(tuple(event)[3:]):
        places = ['"%s"' if value.__class__ is str else "%s" for value in event.values()]
        _forms[kind] = ",".join([f'"{n}":{place}' for n, place in zip(event, places, strict=True)])


def _seen_harmless(fresh: "list[str]") -> bool:
    """Look at texts that are new; True when all of them may stand as they are."""
    if not are_plain(fresh):
        return False
    if len(_harmless) > MOST_KNOWN:
        _harmless.clear()
    for text in fresh:
        if len(text) <= SHORT:
            _harmless.add(text)
    return True


def _bad_event(message: str) -> "InputError":
    from penstock.core.errors import InputError  # the hook starts without it

    return InputError("bad-event", message)


def _carefully(event: "Mapping[str, object]") -> bytes:
    """Look at every name and every value."""
    if not event.get("op"):
        raise _bad_event("an entry needs an `op`")
    plain = _is_plain(event)
    fields = [f'"{name}":{_encoded(name, event.get(name, ""), plain)}' for name in FIRST]
    for name, value in event.items():
        if plain and value.__class__ is str and name in _open_names:
            fields.append(f'"{name}":"{value}"')
        elif name not in FIRST:
            _require_field_name(name)
            fields.append(f'"{name}":{_encoded(name, value, plain)}')
    return _bounded(fields).encode()


def _is_plain(event: "Mapping[str, object]") -> bool:
    """True when no text of an event needs a second look; one look at all of them is quick."""
    return are_plain([v for v in event.values() if v.__class__ is str and not is_opaque(v)])


def _encoded(name: str, value: object, plain: bool) -> str:
    if value is None or value is True or value is False or value.__class__ is int:
        return encode(value)
    withheld = _withheld(name, value)
    if withheld is None and value.__class__ is str and (plain or _is_exact(name, value)):
        return quote(value)
    return encode(_clean(value, MOST_DEPTH) if withheld is None else withheld)


def _is_exact(name: str, value: str) -> bool:
    """True for what must stand as it is, and by its form holds no secret."""
    return is_opaque(value) or is_signature(name, value)


def is_signature(name: str, value: object) -> bool:
    """True for a signature or a public key of Penstock's own, under the name it has."""
    return isinstance(value, str) and len(value) == SIGNED.get(name) and BASE64.issuperset(value)


def tidy(text: str) -> str:
    """Return a text as the record shows it: its first line, cut, without secrets."""
    line, newline, rest = text.partition("\n")
    shown = redact(line)
    over = len(line) - MOST_TEXT
    if len(shown) > MOST_TEXT:
        shown = shown[:MOST_TEXT] + f"[+{over} characters]"
    return f"{shown}[+{rest.count(newline) + 1} lines]" if newline and rest else shown


def _clean(value: object, depth: int) -> object:
    """Bound a value in every direction and take the secrets out of its texts."""
    if isinstance(value, str):
        return tidy(value)
    if isinstance(value, bytes | bytearray | memoryview):
        return f"[withheld {len(value)} bytes]"
    if isinstance(value, dict):
        return _clean_mapping(value, depth)
    if isinstance(value, list | tuple | set | frozenset):
        if depth == 0:
            return f"[+{len(value)} items]"
        kept = [_clean(item, depth - 1) for item in list(value)[:MOST_ITEMS]]
        over = len(value) - MOST_ITEMS
        return [*kept, f"[+{over} items]"] if over > 0 else kept
    return value


def _clean_mapping(value: "Mapping[object, object]", depth: int) -> object:
    if depth == 0:
        return f"[+{len(value)} fields]"
    kept: dict[str, object] = {}
    for key in list(value)[:MOST_ITEMS]:
        name = tidy(str(key))[:64]
        withheld = _withheld(name, value[key])
        # Two long names may be alike once cut; a name twice would make the line ambiguous.
        kept.setdefault(name, _clean(value[key], depth - 1) if withheld is None else withheld)
    return kept


def _withheld(name: str, value: object) -> str | None:
    """Return what stands in place of content or of a secret; None when the value may stand."""
    if name in CONTENT and value is not None:
        size = len(value) if isinstance(value, str | bytes | list | tuple | dict) else 0
        return f"[withheld {size} {'bytes' if isinstance(value, bytes) else 'characters'}]"
    if is_secret_name(name) and isinstance(value, str | bytes | dict | list | tuple) and value:
        return MARK
    return None


# Names found good before, under which neither content nor secrets are expected.
_open_names: set[str] = set()


def _require_field_name(name: object) -> None:
    if name in _open_names:
        return
    if name in ADDED_LATER:
        raise _bad_event(f"`{name}` is added by the audit log itself")
    if not (isinstance(name, str) and len(name) <= 64 and name.isascii() and name.isidentifier()):
        shown = str(name)[:80]
        raise _bad_event(f"`{shown}` can't be a field name")
    if len(_open_names) < MOST_NAMES and name not in CONTENT and not is_secret_name(name):
        _open_names.add(name)


def _bounded(fields: list[str]) -> str:
    """Join the fields; leave out the last ones where all would be too long for a line."""
    body = ",".join(fields)
    if len(body) <= MOST_BODY and len(fields) <= MOST_FIELDS:
        return body
    kept: list[str] = []
    room = MOST_BODY
    for field in fields[:MOST_FIELDS]:
        room -= len(field) + 1
        if room < 0:
            break
        kept.append(field)
    return ",".join([*kept, f'"fields_left_out":{len(fields) - len(kept)}'])

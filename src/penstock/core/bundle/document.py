"""A policy bundle as bytes: read in one form only, written in the same, and signed.

The file is one JSON object of three keys: `bundle` is what is said, `key` whose signature follows,
`signature` is over the canonical bytes of `bundle`: keys sorted, no blanks, ASCII, whole numbers.
Which key is believed is not in here: it is pinned in the user's own rules.
Always true: what is read gives the same bytes when it is written again, so that nothing in the
file is unsigned but the key's name; unknown, missing and repeated keys are refused.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from penstock.core.bundle.author import person
from penstock.core.bundle.model import BundleApprover, OwnerRule, PolicyBundle, WhenStale
from penstock.core.bundle.public_key import KeyTextError, key_text, public_key
from penstock.core.digest import PREFIX, digest
from penstock.core.errors import InputError, RefusedError
from penstock.core.proposals.passkey import Passkey, is_usable
from penstock.core.proposals.signature import check
from penstock.core.strict_json import strict

LARGEST = 8 * 1024 * 1024  # bytes of a bundle, with everything in it
KIND = "penstock policy bundle"
DOMAIN = b"penstock policy bundle v1\n"
MOST_NUMBER = 2**53
MOST_NAME = 100

Body = Mapping[str, Any]
One = TypeVar("One")


def canonical(value: object) -> bytes:
    """Return the one form in which a value is written."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return text.encode("ascii")


def statement(body: Body) -> bytes:
    """Return the bytes that the organisation signs."""
    return DOMAIN + canonical(body)


def sealed(body: Body, public: bytes, signature: str) -> bytes:
    """Return the file of a signed bundle."""
    whole = {"bundle": body, "key": key_text(public), "signature": signature}
    return canonical(whole) + b"\n"


def read_body(data: bytes) -> tuple[Body, PolicyBundle]:
    """Return what a bundle without a signature says, as `build` writes it."""
    _require_size(data)
    body = _parsed(data)
    return body, bundle_of(body)


def read_bundle(data: bytes, pinned: bytes) -> PolicyBundle:
    """Return a bundle that the pinned key signed. Raises InputError, RefusedError."""
    _require_size(data)
    whole = _parsed(data)
    if whole.keys() != {"bundle", "key", "signature"}:
        raise _broken("it is not signed, or has other keys than `bundle`, `key` and `signature`")
    body, signature = whole["bundle"], whole["signature"]
    if not isinstance(body, dict) or not isinstance(signature, str):
        raise _broken("`bundle` or `signature` is of another kind")
    try:
        signed, again = statement(body), canonical(whole) + b"\n"
    except RecursionError:
        raise _broken("it is nested too deeply") from None
    if whole["key"] != key_text(pinned) or not check(pinned, signed, signature):
        raise RefusedError(
            "bundle-forged",
            "the policy bundle is not signed by your organisation's key",
            because=f"your own rules pin {key_text(pinned)}",
            hint="ask who publishes it; the last valid bundle stays active",
        )
    if again != data:
        raise _broken("it is not written in the canonical form")
    return bundle_of(body)


def _require_size(data: bytes) -> None:
    if len(data) > LARGEST:
        raise too_large()


def too_large() -> InputError:
    """Return the error for a bundle that is too large to be one."""
    return InputError(
        "bundle-too-large",
        f"the policy bundle is larger than {LARGEST >> 20} MiB",
        because="it was not read to its end",
        hint="check its address; the last valid bundle stays active",
    )


def _parsed(data: bytes) -> dict[str, Any]:
    try:
        found = strict(data)
    except ValueError as fault:
        raise _broken(f"it is not JSON that reads in one way: {fault}") from None
    if not isinstance(found, dict):
        raise _broken("it is not a JSON object")
    return found


def _broken(because: str) -> InputError:
    return InputError(
        "bundle-broken",
        "the policy bundle can't be read",
        because=because,
        hint="build it again with `penstock bundle build` and sign it with `penstock bundle sign`",
    )


# --- what the body says ----------------------------------------------------------------------


class _WrongFieldError(Exception):
    """A field that a bundle cannot hold; its text says which, and why."""


def bundle_of(body: Body) -> PolicyBundle:
    """Return the bundle that a body is. Raises InputError `bundle-broken`."""
    try:
        return _bundle(body)
    except (_WrongFieldError, KeyTextError) as fault:
        raise _broken(str(fault)) from None


FIELDS = frozenset(
    {
        *("kind", "v", "name", "version", "previous", "made", "expires", "when_stale"),
        *("quorum", "codeowners", "policies", "approvers", "owners"),
    }
)


def _bundle(body: Body) -> PolicyBundle:
    _require_fields(body, FIELDS, "the bundle")
    if body["kind"] != KIND or body["v"] != 1:
        raise _WrongFieldError("it is of another kind or version of this format")
    made = PolicyBundle(
        name=_name(body["name"], "name"),
        version=_whole(body["version"], "version", least=1),
        previous=_previous(body["previous"]),
        made=_whole(body["made"], "made"),
        expires=_whole(body["expires"], "expires"),
        when_stale=_stale(body["when_stale"]),
        quorum=_whole(body["quorum"], "quorum"),
        codeowners=_flag(body["codeowners"], "codeowners"),
        policies=_policies(body["policies"]),
        approvers=_each(body["approvers"], "approvers", _approver),
        owners=_each(body["owners"], "owners", _owner),
        digest=digest(canonical(body)),
    )
    if made.expires <= made.made:
        raise _WrongFieldError("it expires before it was made")
    if (made.version == 1) != (not made.previous):
        raise _WrongFieldError("the first version has no `previous`, and every other one has it")
    _require_distinct([one.key_id for one in made.approvers], "two approvers have the same key")
    held = {(one.public, person(by.name)) for by in made.approvers for one in by.passkeys}
    _require_distinct([public.hex() for public, _ in held], "two approvers have the same passkey")
    return made


def _require_fields(held: object, known: frozenset[str], what: str) -> None:
    if not isinstance(held, dict):
        raise _WrongFieldError(f"{what} is not an object")
    unknown, missing = sorted(held.keys() - known), sorted(known - held.keys())
    if unknown:
        raise _WrongFieldError(f"{what} has the unknown field `{unknown[0][:MOST_NAME]}`")
    if missing:
        raise _WrongFieldError(f"{what} lacks the field `{missing[0]}`")


def _require_distinct(names: list[str], fault: str) -> None:
    if len({*names}) != len(names):
        raise _WrongFieldError(fault)


def _policies(held: object) -> Mapping[str, Mapping[str, str]]:
    if not isinstance(held, dict) or not held:
        raise _WrongFieldError("`policies` holds no group")
    found: dict[str, Mapping[str, str]] = {}
    for group, policy in held.items():
        _require_fields(policy, frozenset({"main", "files"}), f"the policy of `{group[:80]}`")
        main, files = _text(policy["main"], "main"), policy["files"]
        if not isinstance(files, dict) or main not in files:
            raise _WrongFieldError(f"the policy of `{group[:80]}` lacks the file that it names")
        texts = {name: _text(text, "files") for name, text in files.items()}
        found[_name(group, "policies")] = {main: texts[main], **texts}
    return found


APPROVER = frozenset({"name", "groups", "key", "passkeys"})
PASSKEY = frozenset({"credential", "public", "origin", "label", "since", "signature"})
OWNER = frozenset({"paths", "groups", "approvals", "not_author"})


def _approver(held: Body) -> BundleApprover:
    _require_fields(held, APPROVER, "an approver")
    public = public_key(_text(held["key"], "key"))
    made = BundleApprover(
        name=_name(held["name"], "name"),
        groups=_names(held["groups"], "groups"),
        public=public,
    )
    passkeys = _each(held["passkeys"], "passkeys", lambda one: _passkey(one, made))
    return BundleApprover(name=made.name, groups=made.groups, public=made.public, passkeys=passkeys)


def _passkey(held: Body, approver: BundleApprover) -> Passkey:
    """Return a passkey; the approver's own key must have signed for it."""
    _require_fields(held, PASSKEY, "a passkey")
    made = Passkey(
        credential=_hex(held["credential"]),
        public=_hex(held["public"]),
        origin=_text(held["origin"], "origin"),
        label=_text(held["label"], "label"),
        since=_microseconds(held["since"]),
        key_id=approver.key_id,
        signature=_text(held["signature"], "signature"),
    )
    if not is_usable(made.public) or not made.is_of(approver.public):
        raise _WrongFieldError(f"the key of `{approver.name}` did not sign for one of the passkeys")
    return made


def passkey_body(one: Passkey) -> Body:
    """Return a passkey as a bundle holds it."""
    return {
        "credential": one.credential.hex(),
        "public": one.public.hex(),
        "origin": one.origin,
        "label": one.label,
        "since": round(one.since * 1_000_000),
        "signature": one.signature,
    }


def _owner(held: Body) -> OwnerRule:
    _require_fields(held, OWNER, "an owner rule")
    return OwnerRule(
        paths=_names(held["paths"], "paths", least=1),
        groups=_names(held["groups"], "groups", least=1),
        approvals=_whole(held["approvals"], "approvals", least=1),
        not_author=_flag(held["not_author"], "not_author"),
    )


def _each(held: object, name: str, read: Callable[[Body], One]) -> tuple[One, ...]:
    if not isinstance(held, list):
        raise _WrongFieldError(f"`{name}` is not a list")
    return tuple(read(one) for one in held)


def _names(held: object, name: str, *, least: int = 0) -> tuple[str, ...]:
    if not isinstance(held, list) or len(held) < least:
        raise _WrongFieldError(f"`{name}` is not a list of names")
    return tuple(_text(one, name) for one in held)


def _name(value: object, field: str) -> str:
    text = _text(value, field)
    if not text or len(text) > MOST_NAME or not text.isprintable() or "`" in text:
        raise _WrongFieldError(f"`{field}` is not a name")
    return text


def _text(value: object, field: str) -> str:
    if not isinstance(value, str):
        raise _WrongFieldError(f"`{field}` is not a text")
    return value


def _flag(value: object, field: str) -> bool:
    if not isinstance(value, bool):
        raise _WrongFieldError(f"`{field}` is neither true nor false")
    return value


def _whole(value: object, field: str, *, least: int = 0) -> int:
    fits = isinstance(value, int) and not isinstance(value, bool) and value < MOST_NUMBER
    if not isinstance(value, int) or not fits or value < least:
        raise _WrongFieldError(f"`{field}` is not a whole number of at least {least}")
    return value


def _microseconds(value: object) -> float:
    return _whole(value, "since") / 1_000_000


def _previous(value: object) -> str:
    text = _text(value, "previous")
    digits = text.removeprefix(PREFIX)
    if text and (len(digits) != 64 or text == digits or digits.strip("0123456789abcdef")):
        raise _WrongFieldError("`previous` is not a digest")
    return text


def _stale(value: object) -> WhenStale:
    try:
        return WhenStale(_text(value, "when_stale"))
    except ValueError:
        raise _WrongFieldError("`when_stale` is none of ask, deny and keep") from None


def _hex(value: object) -> bytes:
    text = _text(value, "passkeys")
    try:
        made = bytes.fromhex(text)
    except ValueError:
        made = b""
    if not made or made.hex() != text:
        raise _WrongFieldError("a passkey holds what is not hexadecimal")
    return made

"""What an approval in the audit log shows where no passphrase was typed for it: a touch, an unlock.

An entry holds everything that leads from the approver's key to the approval: the passkey with that
key's signature, the touch, the place in a list; or the session's key with what vouches for it.
Nothing else has to be looked up to check it, and nothing on the disk can change what it says.
Always true: bytes are written as hexadecimal, which is never taken for a secret; an entry that
lacks a part, or has one of another form, shows nothing.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import Any

from penstock.core.audit.approval.approval_list import ListPlace, alone
from penstock.core.proposals.passkey import Passkey, PasskeyTouch, fault
from penstock.core.proposals.signature import check
from penstock.core.proposals.unlock import Unlock

PASSKEY, UNLOCK = "passkey", "unlock"
KINDS = frozenset({PASSKEY, UNLOCK})
LATEST = 1e11  # a time after this, the year 5138, was never signed

Event = Mapping[str, object]
Keys = Mapping[str, bytes]  # public keys of the approver that count, by their ids


def passkey_facts(passkey: Passkey) -> dict[str, object]:
    """Return a passkey as an entry holds it."""
    return {
        "id": passkey.id,
        "public": passkey.public.hex(),
        "handle": passkey.credential.hex(),
        "origin": passkey.origin,
        "label": passkey.label,
        "since": passkey.since,
        "signature": as_hex(passkey.signature),
    }


def touch_facts(
    passkey: Passkey, touch: PasskeyTouch, place: ListPlace | None
) -> dict[str, object]:
    """Return what an entry holds of a touch: whose it is, what it says, where in its list."""
    facts: dict[str, object] = {
        "key_id": passkey.key_id,
        "passkey": passkey_facts(passkey),
        "touch": {
            "client": touch.client_data.hex(),
            "authenticator": touch.authenticator_data.hex(),
            "signature": touch.signature.hex(),
        },
    }
    if place is not None:
        path = [step.hex() for step in place.path]
        root = place.root.hex()
        facts["list"] = {"index": place.index, "size": place.size, "root": root, "path": path}
    return facts


def unlock_facts(unlock: Unlock, *, signature: str = "") -> dict[str, object]:
    """Return an unlock as an entry holds it; `signature` is the key's, where no touch vouches."""
    facts: dict[str, object] = {
        "id": unlock.id,
        "public": unlock.public.hex(),
        "since": unlock.since,
        "until": unlock.until,
    }
    return {**facts, "signature": as_hex(signature)} if signature else facts


def proof_fault(event: Event, said: bytes, keys: Keys) -> str:
    """Return why an approval's entry does not show who approved this statement; "" if it does."""
    if event.get("proof") == PASSKEY:
        return touch_fault(event, said, keys)
    if event.get("proof") == UNLOCK:
        return _session_fault(event, said, keys)
    return "it shows no touch and no unlock"


def touch_fault(event: Event, said: bytes, keys: Keys) -> str:
    """Return why an entry's touch does not stand for a statement; "" where it does."""
    try:
        passkey, touch, place = _passkey(event), _touch(event), _place(event)
    except (KeyError, TypeError, ValueError):
        return "its passkey or its touch can't be read"
    why = passkey_fault(passkey, keys)
    if why:
        return why
    challenge = alone(said) if place is None else place.challenge(said)
    if challenge is None:
        return "it does not stand in the list that was touched for"
    return fault(passkey, challenge, touch)


def passkey_fault(passkey: Passkey, keys: Keys) -> str:
    """Return why a passkey is not the approver's; "" where it is."""
    approver = keys.get(passkey.key_id)
    if approver is None:
        return f"the key `{passkey.key_id}` behind its passkey is not the approver's"
    return "" if passkey.is_of(approver) else "the approver's key did not sign for its passkey"


def passkey_of(event: Event) -> Passkey | None:
    """Return the passkey that an entry holds, None where it cannot be read."""
    try:
        return _passkey(event)
    except (KeyError, TypeError, ValueError):
        return None


def touch_of(event: Event) -> PasskeyTouch | None:
    """Return the touch that an entry holds, None where there is none."""
    try:
        return _touch(event)
    except (KeyError, TypeError, ValueError):
        return None


def unlock_fault(event: Event, keys: Keys) -> str:
    """Return why the approver does not vouch for an entry's unlock; "" where they do."""
    try:
        unlock, signature = _unlock(event)
    except (KeyError, TypeError, ValueError):
        return "its unlock can't be read"
    if "touch" in event:
        return touch_fault(event, unlock.statement(), keys)
    approver = keys.get(str(event.get("key_id")))
    if approver is None or not check(approver, unlock.statement(), signature):
        return "the approver's key did not sign for its unlock"
    return ""


def _session_fault(event: Event, said: bytes, keys: Keys) -> str:
    why = unlock_fault(event, keys)
    if why:
        return why
    try:
        unlock, at = _unlock(event)[0], _number(event["signed_at"])
    except (KeyError, TypeError):
        return "its time can't be read"
    if not unlock.covers(at):
        return "it was given outside of its unlock"
    if not check(unlock.public, said, str(event.get("signature"))):
        return "its signature is not that of its unlock"
    return ""


# --- reading an entry ----------------------------------------------------------------------------


def _passkey(event: Event) -> Passkey:
    held = _mapping(event["passkey"])
    return Passkey(
        credential=_bytes(held["handle"]),
        public=_bytes(held["public"]),
        origin=_text(held["origin"]),
        label=_text(held["label"]),
        since=_number(held["since"]),
        key_id=_text(event["key_id"]),
        signature=_signature(held["signature"]),
    )


def _touch(event: Event) -> PasskeyTouch:
    held = _mapping(event["touch"])
    return PasskeyTouch(
        client_data=_bytes(held["client"]),
        authenticator_data=_bytes(held["authenticator"]),
        signature=_bytes(held["signature"]),
    )


def _place(event: Event) -> ListPlace | None:
    if "list" not in event:
        return None
    held = _mapping(event["list"])
    return ListPlace(
        index=_whole(held["index"]),
        size=_whole(held["size"]),
        root=_bytes(held["root"]),
        path=tuple(map(_bytes, held["path"])),
    )


def _unlock(event: Event) -> tuple[Unlock, str]:
    held = _mapping(event["unlock"])
    since, until = _number(held["since"]), _number(held["until"])
    made = Unlock(public=_bytes(held["public"]), since=since, until=until)
    return made, _signature(held.get("signature", ""))


def _mapping(value: object) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise TypeError("not an object")
    return value


def _bytes(value: object) -> bytes:
    text = _text(value)
    made = bytes.fromhex(text)
    if made.hex() != text:
        raise ValueError("not written as we write it")
    return made


def as_hex(signature: str) -> str:
    """Return a signature of the approver's key, base64, as hexadecimal."""
    return b64decode(signature).hex()


def _signature(value: object) -> str:
    return b64encode(_bytes(value)).decode()


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("not a text")
    return value


def _whole(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError("not a whole number")
    return value


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < LATEST:
        raise TypeError("not a time")
    return float(value)

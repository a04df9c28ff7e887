"""The approver's key: made once, sealed with a passphrase, never used without it.

An agent runs as the same user and can read this file. What it cannot do is open it: the
secret half is sealed with a key that scrypt makes of the passphrase, slowly on purpose. What
a signature says is settled in `core.proposals.signature`; the passphrase comes from `passphrase`.
Always true: the secret is never on disk in the clear; a key that exists is never written
over but by its own successor; a key that is not remembered (`known_keys`) approves nothing; and
a wrong passphrase is answered in one and the same way, whatever was wrong.

Not promised: a program that runs as the same user while the passphrase is typed can watch
it being typed, and Python cannot wipe it from memory.
"""

from __future__ import annotations

import json
import os
import secrets
import time
import unicodedata
from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from penstock.core.audit.key_exchange import KnownKey
from penstock.core.errors import InputError, RefusedError, StoreError
from penstock.core.proposals import signature as approval
from penstock.core.proposals.passkey import Passkey
from penstock.core.timestamps import stamp
from penstock.stores.approver.known_keys import KeyMemory
from penstock.stores.approver.passkeys import PasskeyList
from penstock.stores.approver.passphrase import passphrase_from_environment, passphrase_from_fd
from penstock.stores.system import private

__all__ = [
    "ApproverKeys",
    "ApproverPublicKey",
    "Signer",
    "passphrase_from_environment",
    "passphrase_from_fd",
    "weakness",
]

KEY, USED = "approver.key", "approver.used"
KIND = "penstock approver key"
LIMIT = 64 * 1024
# 128 MiB and some tenths of a second for each guess.
COST = 2**17
# What a file may ask for: less would be no protection, more would be an attack on us.
COSTS = frozenset(2**power for power in range(14, 21))
BLOCK, LANES = 8, 1
NONCE_BYTES, SALT_BYTES, TOTP_BYTES = 12, 16, 20
SHORT = 12


class ApproverPublicKey(Struct, frozen=True, kw_only=True):
    """The half that everyone may know; `totp` tells that a one-time code is needed too."""

    id: str
    public: bytes
    totp: bool = False

    @property
    def text(self) -> str:
        """The key as base64, for the record: old approvals are checked with it."""
        return _text(self.public)


class Signer(Struct, frozen=True, kw_only=True):
    """An opened key. Calling it with a statement returns (signature, key id)."""

    id: str
    public: bytes
    _secret: bytes

    def __repr__(self) -> str:
        """Name the key; what is printed by chance holds no secret."""
        return f"<the signer {self.id}>"

    def sign(self, statement: bytes) -> str:
        """Return the signature of a statement, as text."""
        return approval.sign(self._secret, statement)

    def __call__(self, statement: bytes) -> tuple[str, str]:
        """Return the signature of a statement and the name of the key."""
        return self.sign(statement), self.id


class _Secrets(Struct, frozen=True, kw_only=True):
    """What is sealed: the secret key, and the secret of the one-time codes if there are any."""

    key: bytes
    totp: bytes = b""

    def __repr__(self) -> str:
        return "_Secrets()"


class ApproverKeys:
    """The approver's key in one directory of its own."""

    def __init__(self, folder: str, *, cost: int = COST) -> None:
        self._folder = os.path.abspath(folder)
        self._cost = cost
        self._memory = KeyMemory(f"{self._folder}.known")
        self.passkeys = PasskeyList(self._folder)

    @property
    def path(self) -> str:
        """Where the key is kept."""
        return os.path.join(self._folder, KEY)

    def exists(self) -> bool:
        """True once a key was made, also when its file is damaged or gone now."""
        return _is_there(self.path) or _is_there(self._memory.path)

    def remembered(self) -> tuple[KnownKey, ...]:
        """Return the keys that the memory holds, oldest first. Raises StoreError `key-broken`."""
        return self._memory.recall()

    def known(self) -> tuple[KnownKey, ...]:
        """Return the keys that were ever this approver's, oldest first."""
        remembered = self.remembered()
        current = self.public() if not remembered else None
        return remembered if current is None else (KnownKey(public=current.public, since=""),)

    def init(self, passphrase: str) -> ApproverPublicKey:
        """Make a key and seal it. A key that exists is never written over."""
        made = _Secrets(key=_random(approval.KEY_BYTES))
        sealed = self._sealed(made, passphrase)
        if _is_there(self.path) or not self._keep(made, sealed, replace=False):
            raise InputError(
                "key-exists",
                "an approver key already exists",
                because=f"it is in `{self.path}`",
                hint="change its passphrase with `penstock approver passphrase`",
            )
        return self.current()

    def succeed(
        self, passphrase: str, *, code: str | None = None
    ) -> tuple[ApproverPublicKey, str, str]:
        """Make a key in place of the one there is, which signs that this is so.

        The passphrase stays. Returns the new key, the id of the old one and its signature.
        One-time codes are set up anew.
        """
        old = self.unseal(passphrase, code=code)
        made = _Secrets(key=_random(approval.KEY_BYTES))
        signature = old.sign(approval.succession(old.public, approval.public_of(made.key)))
        self._memory.remember(old.public, at=time.time())
        sealed = self._sealed(made, passphrase)
        self._keep(made, sealed, replace=True, replaces=old.id, signature=signature)
        return self.current(), old.id, signature

    def _keep(
        self,
        made: _Secrets,
        sealed: bytes,
        *,
        replace: bool,
        replaces: str = "",
        signature: str = "",
    ) -> bool:
        """Remember a key, then put it in place: the other way round a crash would lock us out."""
        with private.told("keep the approver key in", self._folder):
            private.private_dir(self._folder)
        public = approval.public_of(made.key)
        self._memory.remember(public, at=time.time(), replaces=replaces, signature=signature)
        return self._write(KEY, sealed, replace=replace)

    def public(self) -> ApproverPublicKey | None:
        """Return the public half, for which no passphrase is needed, or None without a key."""
        held = self._read()
        return None if held is None else _public(held)

    def current(self) -> ApproverPublicKey:
        """Return the public half. Raises RefusedError `no-key` without a key."""
        return _public(self._must_read())

    def unseal(
        self, passphrase: str, *, code: str | None = None, at: float | None = None
    ) -> Signer:
        """Open the key. Raises RefusedError `wrong-passphrase`, `code-needed`, `wrong-code`.

        Where one-time codes are set up, `code` is the one shown at the time `at`, now if None.
        """
        held = self._must_read()
        opened = _opened(held, passphrase)
        self._check_code(opened, code, at)
        public = _public(held)
        return Signer(id=public.id, public=public.public, _secret=opened.key)

    def change_passphrase(self, old: str, new: str) -> ApproverPublicKey:
        """Seal the same key with another passphrase."""
        opened = _opened(self._must_read(), old)
        self._write(KEY, self._sealed(opened, new), replace=True)
        return self.current()

    def add_totp(self, passphrase: str, *, label: str = "approver") -> str:
        """Demand a one-time code from now on; return what an authenticator app reads, once."""
        held = _opened(self._must_read(), passphrase)
        if held.totp:
            raise InputError("totp-exists", "one-time codes are already set up")
        made = _Secrets(key=held.key, totp=_random(TOTP_BYTES))
        self._write(KEY, self._sealed(made, passphrase), replace=True)
        return approval.enrolment(made.totp, label)

    def remove_totp(self, passphrase: str, *, code: str, at: float | None = None) -> None:
        """Demand no code any more; this last time one is needed."""
        held = _opened(self._must_read(), passphrase)
        self._check_code(held, code, at)
        self._write(KEY, self._sealed(_Secrets(key=held.key), passphrase), replace=True)

    # What the gate asks

    def required(self) -> bool:
        """True once a key exists: then nothing else approves."""
        return self.exists()

    def valid(self, statement: bytes, signature: str, key_id: str) -> bool:
        """Say whether the approver signed this statement with this key."""
        public = self.key(key_id)
        return public is not None and approval.check(public, statement, signature)

    def key(self, key_id: str) -> bytes | None:
        """Return the public half of the approver's key, where it is the one of this name."""
        public = self.public()
        if public is None or public.id != key_id:
            return None
        # A sealed key that somebody put in the place of ours is not among those remembered.
        ours = any(one.public == public.public for one in self.known())
        return public.public if ours else None

    def own_ids(self) -> frozenset[str]:
        """Return the ids of every key that was ever this approver's."""
        return frozenset(approval.key_id(one.public) for one in self.known())

    def passkey(self, credential: bytes) -> Passkey | None:
        """Return the passkey of this credential that the approver's key vouches for, or None."""
        return next((one for one in self.own_passkeys() if one.credential == credential), None)

    def use_passkey(self, passkey: Passkey, count: int) -> None:
        """Take the counter of a touch. Raises RefusedError `passkey-copied` if it went back."""
        self.passkeys.use(passkey, count)

    def removed_passkeys(self) -> dict[str, str]:
        """Return since when passkeys no longer count, by id, as the audit log writes times."""
        return {one.id: stamp(one.at) for one in self.passkeys.removed()}

    def own_passkeys(self) -> tuple[Passkey, ...]:
        """Return the passkeys that approve now: none that another key signed for, or nobody."""
        return tuple(
            one
            for one in self.passkeys.added()
            if (approver := self.key(one.key_id)) is not None and one.is_of(approver)
        )

    # Files

    def _check_code(self, opened: _Secrets, code: str | None, at: float | None) -> None:
        if not opened.totp:
            return
        if code is None:
            raise RefusedError(
                "code-needed",
                "a one-time code is needed in addition to the passphrase",
                hint="type the code that your authenticator shows",
            )
        if not self._use(opened.totp, code, time.time() if at is None else at):
            raise RefusedError(
                "wrong-code",
                "this one-time code is wrong, expired or already used",
                hint="wait for the next code; check the clock of this machine and of the phone",
            )

    def _use(self, totp: bytes, code: str, at: float) -> bool:
        """Use up a code if it is right; of two processes with the same code one succeeds."""
        with private.told("remember a code in", self._folder), private.locked(self._folder):
            step = approval.matching_step(totp, code, at, after=self._last_used())
            if step is not None:
                private.put_file(self._folder, USED, b"%d\n" % step)
            return step is not None

    def _last_used(self) -> int:
        data = private.read_file(os.path.join(self._folder, USED), limit=32)
        try:
            return -1 if data is None else int(data)
        except ValueError:
            raise _broken(self._folder, "the last one-time code can't be read") from None

    def _write(self, name: str, data: bytes, *, replace: bool) -> bool:
        with private.told("keep the approver key in", self._folder):
            private.private_dir(self._folder)
            return private.write_file(self._folder, name, data, replace=replace)

    def _read(self) -> Mapping[str, Any] | None:
        with private.told("read the approver key", self.path):
            data = private.read_file(self.path, limit=LIMIT)
        return None if data is None else _parsed(data, self.path)

    def _must_read(self) -> Mapping[str, Any]:
        held = self._read()
        if held is None:
            gone = _is_there(self._memory.path)
            raise RefusedError(
                "no-key",
                "the approver key is missing" if gone else "there is no approver key",
                because=f"`{self.path}` was removed" if gone else "",
                hint="restore a backup, or create a new key with `penstock approver init`"
                if gone
                else "create one with `penstock approver init`",
            )
        return held

    def _sealed(self, opened: _Secrets, passphrase: str) -> bytes:
        """Return the file of a key: what everyone may read, and the sealed secrets."""
        from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

        if not passphrase:
            raise InputError("no-passphrase", "the passphrase must not be empty")
        head: dict[str, Any] = {
            "kind": KIND,
            "v": 1,
            "public": _text(approval.public_of(opened.key)),
            "totp": bool(opened.totp),
            "scrypt": {"n": self._cost, "r": BLOCK, "p": LANES},
            "salt": _text(_random(SALT_BYTES)),
            "nonce": _text(_random(NONCE_BYTES)),
        }
        inner = json.dumps({"key": _text(opened.key), "totp": _text(opened.totp)}).encode()
        # The head is sealed along: a public half that was exchanged opens nothing.
        cipher = ChaCha20Poly1305(_stretched(passphrase, head))
        sealed = cipher.encrypt(b64decode(head["nonce"]), inner, _bound(head))
        return json.dumps({**head, "sealed": _text(sealed)}, indent=1).encode() + b"\n"


def _is_there(path: str) -> bool:
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True  # a directory that was closed to us does not mean that there is none
    return True


def weakness(passphrase: str) -> str:
    """Return what makes a passphrase easy to guess, or nothing."""
    if len(passphrase) < SHORT:
        return f"it is shorter than {SHORT} characters, and an agent can guess many"
    if len(set(passphrase)) < 5:
        return "it has too few different characters"
    return ""


def _random(count: int) -> bytes:
    """Return random bytes; a system that has none is told like a disk that fails."""
    with private.told("take random bytes from", "/dev/urandom"):
        return secrets.token_bytes(count)


def _text(data: bytes) -> str:
    return b64encode(data).decode()


def _bound(head: Mapping[str, Any]) -> bytes:
    """Return the open part as the exact bytes that the seal covers."""
    kept = {name: value for name, value in head.items() if name != "sealed"}
    return json.dumps(kept, sort_keys=True, separators=(",", ":")).encode()


def _stretched(passphrase: str, head: Mapping[str, Any]) -> bytes:
    """Turn a passphrase into a key, slowly."""
    from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

    # One passphrase, however a keyboard composes its accents.
    typed = unicodedata.normalize("NFKC", passphrase).encode("utf-8", "surrogatepass")
    salt, cost = b64decode(head["salt"]), head["scrypt"]
    try:
        return Scrypt(salt=salt, length=32, n=cost["n"], r=cost["r"], p=cost["p"]).derive(typed)
    except MemoryError:
        raise StoreError(
            "no-memory",
            "there is not enough memory to open the approver key",
            because=f"it needs {128 * cost['n'] * cost['r'] >> 20} MiB for a moment",
            hint="free some memory, then try again",
        ) from None


def _opened(held: Mapping[str, Any], passphrase: str) -> _Secrets:
    """Open the seal. Whatever is wrong, it is said in the same words."""
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

    cipher = ChaCha20Poly1305(_stretched(passphrase, held))
    try:
        inner = cipher.decrypt(b64decode(held["nonce"]), b64decode(held["sealed"]), _bound(held))
    except InvalidTag:
        raise RefusedError(
            "wrong-passphrase",
            "wrong passphrase for the approver key",
            hint="type it again",
        ) from None
    found = json.loads(inner)
    return _Secrets(key=b64decode(found["key"]), totp=b64decode(found["totp"]))


def _public(held: Mapping[str, Any]) -> ApproverPublicKey:
    public = b64decode(held["public"])
    return ApproverPublicKey(id=approval.key_id(public), public=public, totp=held["totp"])


SIZES = {"public": approval.KEY_BYTES, "salt": SALT_BYTES, "nonce": NONCE_BYTES}


def _parsed(data: bytes, path: str) -> Mapping[str, Any]:
    """Return what a key's file says. Raises StoreError `key-broken` for what is none."""
    try:
        held = json.loads(data)
        fits = (
            len(data) <= LIMIT
            and held["kind"] == KIND
            and held["v"] == 1
            and held["totp"] in (True, False)
            and all(len(b64decode(held[name], validate=True)) == SIZES[name] for name in SIZES)
            and len(b64decode(held["sealed"], validate=True)) > 0
            and _cost_fits(held["scrypt"])
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        fits = False
    if not fits:
        raise _broken(path, "it is not a valid key")
    return dict(held)


def _cost_fits(cost: Any) -> bool:
    return cost["n"] in COSTS and cost["r"] == BLOCK and cost["p"] == LANES


def _broken(path: str, because: str) -> StoreError:
    return StoreError(
        "key-broken",
        f"the approver key in `{path}` is damaged",
        because=because,
        hint="restore a backup; until then nothing can be approved",
    )

"""The approver's key under every fault: making one, and handing over to another.

Whatever strikes, what was acknowledged opens and approves, a key that existed is never lost, and
nobody is locked out: a key can still be made where none came to be.
"""

from __future__ import annotations

import os

# Imported here, so that no fault strikes the import of somebody else's library.
import cryptography.hazmat.primitives.asymmetric.ed25519
import cryptography.hazmat.primitives.ciphers.aead
import cryptography.hazmat.primitives.kdf.scrypt  # noqa: F401

from penstock.core.errors import PenstockError
from penstock.core.proposals.signature import statement
from penstock.stores.approver.keys import ApproverKeys
from tests.faults.scenario import Scenario

PASS = "correct horse battery staple"
SAID = statement("p", None, "sha256:c", "r", 1.0)


def keys_of(folder: str) -> ApproverKeys:
    return ApproverKeys(os.path.join(folder, "state", "approver"), cost=2**14)


def approves(keys: ApproverKeys) -> bool:
    signature, name = keys.unseal(PASS)(SAID)
    return keys.valid(SAID, signature, name)


def init(folder: str) -> str:
    try:
        keys_of(folder).init(PASS)
    except PenstockError as problem:
        return f"error {problem.code}"
    return "ok"


def check_init(folder: str, answer: str | None) -> None:
    keys = keys_of(folder)
    if answer == "ok":
        assert keys.public() is not None, "acknowledged and not there"
    if keys.public() is None:
        keys.init(PASS)
    assert approves(keys), "a key that approves nothing"


def prepare_succeed(folder: str) -> None:
    keys_of(folder).init(PASS)


def succeed(folder: str) -> str:
    try:
        keys_of(folder).succeed(PASS)
    except PenstockError as problem:
        return f"error {problem.code}"
    return "ok"


def check_succeed(folder: str, answer: str | None) -> None:
    keys = keys_of(folder)
    known = [one.public for one in keys.known()]
    now = keys.current().public
    assert approves(keys), "a key that approves nothing"
    if answer == "ok":
        assert now == known[-1] != known[0], "acknowledged and not there"
    assert now in (known[0], known[-1])


SCENARIOS = [
    Scenario(name="keys, init", prepare=lambda _: None, act=init, check=check_init),
    Scenario(name="keys, replace", prepare=prepare_succeed, act=succeed, check=check_succeed),
]

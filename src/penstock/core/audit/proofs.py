"""Proofs about the record as JSON documents that stand on their own.

An inclusion proof shows that a line is under a signed root; a consistency proof that one signed
root only added lines to another. Whoever gets such a document needs the public key and nothing
else: neither the log nor Penstock's files.
Always true: a document is good only if the signatures in it are, and any text is either good,
not good, or AuditError `bad-proof`.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Mapping, Sequence

from penstock.core.audit.checkpoint import SignerKey, open_note
from penstock.core.audit.merkle import includes, is_consistent, leaf_hash
from penstock.core.errors import AuditError

Document = dict[str, object]


def inclusion_document(*, line: bytes, index: int, note: str, proof: Sequence[bytes]) -> Document:
    """Return the proof that a line stands at `index` (0 is the first) under a signed root."""
    return {
        "type": "inclusion",
        "index": index,
        "line": line.decode("utf-8", "replace"),
        "checkpoint": note,
        "proof": _written(proof),
    }


def consistency_document(*, old_note: str, note: str, proof: Sequence[bytes]) -> Document:
    """Return the proof that one signed root only added lines to another."""
    return {
        "type": "consistency",
        "old_checkpoint": old_note,
        "checkpoint": note,
        "proof": _written(proof),
    }


def holds(document: Mapping[str, object], keys: Iterable[SignerKey]) -> bool:
    """Say whether a proof holds. Raises AuditError for a document or a note that is none."""
    known = list(keys)
    new = open_note(_text(document, "checkpoint"), known)
    proof = _read(document.get("proof"))
    if document.get("type") == "inclusion":
        index = document.get("index")
        if not isinstance(index, int):
            raise _bad("`index` is not a number")
        leaf = leaf_hash(_text(document, "line").encode("utf-8", "surrogateescape"))
        return includes(leaf=leaf, index=index, size=new.size, proof=proof, root=new.root)
    if document.get("type") == "consistency":
        old = open_note(_text(document, "old_checkpoint"), known)
        return old.origin == new.origin and is_consistent(
            old_size=old.size, old_root=old.root, new_size=new.size, new_root=new.root, proof=proof
        )
    raise _bad("`type` is neither `inclusion` nor `consistency`")


def _written(proof: Sequence[bytes]) -> list[str]:
    return [base64.b64encode(step).decode("ascii") for step in proof]


def _read(steps: object) -> list[bytes]:
    if not isinstance(steps, list) or len(steps) > 128:
        raise _bad("`proof` is not a list of hashes")
    try:
        return [base64.b64decode(step, validate=True) for step in steps]
    except (TypeError, ValueError, binascii.Error):
        raise _bad("`proof` is not a list of hashes in base64") from None


def _text(document: Mapping[str, object], name: str) -> str:
    value = document.get(name)
    if not isinstance(value, str):
        raise _bad(f"`{name}` is not a string")
    return value


def _bad(because: str) -> AuditError:
    return AuditError("bad-proof", "this is not a proof", because=because)

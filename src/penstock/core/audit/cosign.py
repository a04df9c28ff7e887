"""Witnesses that others run: which ones count, what they are sent, what their answers mean.

They keep to the C2SP tlog-witness protocol: a checkpoint of three lines goes out with a proof that
it continues the one they saw last, and a cosignature with a time comes back. Sending and keeping
is a store's work.
Always true: a witness counts by its pinned key alone, whatever its address answers; only the
user's own rules say which ones there are and how many must cosign.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from penstock.core.audit.checkpoint import (
    COSIGNATURE,
    DASH,
    MOST_SIZE,
    Checkpoint,
    SignerKey,
    lines_by,
    open_note,
    read_public_key,
)
from penstock.core.errors import AuditError
from penstock.core.loopback import HOSTS

MOST_COSIGNERS = 16
MOST_PROOF = 63
LONGEST = 2000
CALL = "/add-checkpoint"
Levels = Mapping[str, Mapping[str, object]]


class Cosigner(Struct, frozen=True, kw_only=True):
    """A witness: the key that its cosignatures are checked with, and where it is asked."""

    key: SignerKey
    url: str
    host: str
    port: int
    path: str
    tls: bool

    @property
    def name(self) -> str:
        """What people call this witness."""
        return self.key.name


class WitnessSettings(Struct, frozen=True, kw_only=True):
    """The witnesses and how many of them must cosign; 0 is all of them."""

    cosigners: tuple[Cosigner, ...] = ()
    require: int = 0
    ca_file: str = ""

    @property
    def required(self) -> int:
        """How many cosignatures a checkpoint needs."""
        most = len(self.cosigners)
        return min(self.require or most, most)


class Quorum(Struct, frozen=True, kw_only=True):
    """How many witnesses have cosigned the log, and how much of it enough of them have."""

    by: int
    of: int
    require: int
    size: int

    @property
    def reached(self) -> bool:
        """Say that enough witnesses have cosigned something."""
        return self.by >= self.require

    def as_json(self) -> dict[str, int]:
        """Return it as commands print it."""
        return {"by": self.by, "of": self.of, "require": self.require, "size": self.size}

    def text(self) -> str:
        """Return it for people."""
        said = f"cosigned by {self.by} of {self.of} witnesses ({self.require} required)"
        return f"{said}, up to entry {self.size:,}" if self.size else said


def quorum(sizes: Sequence[int], settings: WitnessSettings) -> Quorum:
    """Return what the sizes that each witness has cosigned last come to."""
    ordered = sorted((size for size in sizes if size), reverse=True)
    need = settings.required
    size = ordered[need - 1] if need and len(ordered) >= need else 0
    return Quorum(by=len(ordered), of=len(settings.cosigners), require=need, size=size)


# --- settings ------------------------------------------------------------------------------


def witness_settings(levels: Levels, *, user: str) -> WitnessSettings:
    """Return what counts of what each level's file says."""
    mine = levels.get(user, {})
    given, need = mine.get("cosigners"), mine.get("require")
    return WitnessSettings(
        cosigners=tuple(map(read_cosigner, given)) if isinstance(given, tuple | list) else (),
        require=need if isinstance(need, int) else 0,
        ca_file=str(mine.get("ca_file") or ""),
    )


def witness_ignored(levels: Levels, *, user: str) -> tuple[str, ...]:
    """Return the files whose `[witness]` does not count."""
    return tuple(file for file, said in levels.items() if file != user and said)


def cosigner_fault(text: str) -> str:
    """Return what is wrong with an element of `cosigners`; nothing when it can be used."""
    found = _parsed(text)
    return found if isinstance(found, str) else ""


def read_cosigner(text: str) -> Cosigner:
    """Read `KEY URL`, as the operator of a witness hands them out."""
    found = _parsed(text)
    if isinstance(found, str):
        raise AuditError("bad-witness", f"`{text[:80]}` {found}")
    return found


def _parsed(text: str) -> Cosigner | str:
    written, space, url = text.partition(" ")
    if not space or len(text) > LONGEST or not text.isprintable() or " " in url:
        return "is not a key and an address with a space between them"
    try:
        key = read_public_key(written, COSIGNATURE)
    except AuditError as error:
        return f"has no usable key: {error.message}"
    return _at_host(key, url)


def _at_host(key: SignerKey, url: str) -> Cosigner | str:
    from urllib.parse import urlsplit  # few logs have witnesses of others

    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return "has no valid host and port"
    tls = parts.scheme == "https"
    if not host or not (tls or (parts.scheme == "http" and host in HOSTS)):
        return "has no `https://` address; `http://` is for this machine only"
    if parts.username is not None or parts.query or parts.fragment:
        return "has an address with more than host, port and path"
    path = parts.path.rstrip("/").removesuffix(CALL) + CALL
    usual = 443 if tls else 80
    return Cosigner(key=key, url=url, host=host, port=port or usual, path=path, tls=tls)


# --- what is sent and answered -------------------------------------------------------------


def bare(checkpoint: Checkpoint) -> Checkpoint:
    """Return a checkpoint as witnesses get it, without lines that only we understand."""
    return replace(checkpoint, head="")


def request_body(*, old_size: int, proof: Sequence[bytes], note: str) -> str:
    """Return what is posted: the size that the witness has, the proof, the signed checkpoint."""
    if len(proof) > MOST_PROOF:
        raise AuditError("bad-proof", f"a proof has at most {MOST_PROOF} hashes")
    steps = "".join(f"{base64.b64encode(step).decode('ascii')}\n" for step in proof)
    return f"old {old_size}\n{steps}\n{note}"


def cosigned(note: str, answer: str, key: SignerKey) -> str:
    """Return the note with the witness's lines of an answer added, once they are checked.

    Raises AuditError `bad-checkpoint` for an answer that holds no signature lines,
    `unknown-signer` where none is by the pinned key and `bad-signature` where one does not fit.
    """
    if not all(line.startswith(DASH) for line in answer.removesuffix("\n").split("\n")):
        raise AuditError("bad-checkpoint", "the answer has other lines than signatures")
    both = note + answer
    open_note(both, [key])
    return note + lines_by(both, key)


def stated_size(answer: str) -> int | None:
    """Return the size that a witness has cosigned last, as it says; None where it says none."""
    text = answer.removesuffix("\n")
    plain = text.isascii() and text.isdigit() and len(text) < 20 and str(int(text)) == text
    return int(text) if plain and int(text) < MOST_SIZE else None

"""Sign the size and the root of the record, in the C2SP signed-note form.

A checkpoint is three lines (origin, size, root in base64) and mostly a fourth (`head`, the hash
of the last line of the chain), an empty line, and signatures. The root proves single lines and
growth to those who have no log; the head proves the whole to those who check the chain. It is
text that anybody can keep, mail or commit, and check with the public key alone. Where it is
kept and made is a store's work, and when one is due `log_head` says.
Always true: a note is read only if a known key signed it; a signature by a known key that does
not fit spoils the whole note.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Sequence
from hashlib import sha256

from msgspec import Struct

from penstock.core.audit.merkle import HASH_SIZE, is_consistent
from penstock.core.errors import AuditError
from penstock.core.text.quantities import entries

# The signature type's byte in key ids and in written keys: a log's own, and a witness's.
ED25519, COSIGNATURE = b"\x01", b"\x04"
MOST_NOTE = 64 * 1024
MOST_SIGNATURES = 64
MOST_SIZE = 2**63
LONGEST_NAME = 200
DASH = "\u2014 "
HEAD = "head "
STAMP = 8  # bytes of time before a cosignature


class Checkpoint(Struct, frozen=True, kw_only=True):
    """The record at one moment: whose it is, how many lines, and the root over them."""

    origin: str
    size: int
    root: bytes
    head: str = ""

    def body(self) -> str:
        """Return the text that is signed."""
        root = base64.b64encode(self.root).decode("ascii")
        head = f"{HEAD}{self.head}\n" if self.head else ""
        return f"{self.origin}\n{self.size}\n{root}\n{head}"


class SignerKey(Struct, frozen=True, kw_only=True):
    """A name and an Ed25519 key that checks signatures, or cosignatures of a witness."""

    name: str
    raw: bytes
    kind: bytes = ED25519

    @property
    def key_id(self) -> bytes:
        """Four bytes that pick the key out of several; an aid to finding, not a proof."""
        return sha256(self.name.encode() + b"\n" + self.kind + self.raw).digest()[:4]

    def written(self) -> str:
        """Return the key as people hand it on: `name+id+base64`."""
        return f"{self.name}+{self.key_id.hex()}+{_b64(self.kind + self.raw)}"

    def verifies(self, signature: bytes, body: bytes) -> bool:
        """Say whether this key made this signature over this text."""
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

        if self.kind == COSIGNATURE:
            stamp, signature = signature[:STAMP], signature[STAMP:]
            body = f"cosignature/v1\ntime {int.from_bytes(stamp)}\n".encode() + body
        try:
            Ed25519PublicKey.from_public_bytes(self.raw).verify(signature, body)
        except (InvalidSignature, ValueError):
            return False
        return True


class CheckpointKey(Struct, frozen=True, kw_only=True):
    """The key that signs. Its seed is 32 random bytes that the caller brings."""

    name: str
    seed: bytes

    def __repr__(self) -> str:
        """Name the key; what is printed by chance holds no secret."""
        return f"<the key of {self.name}>"

    def public(self) -> SignerKey:
        """Return the half that may be shown to everybody."""
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        key = Ed25519PrivateKey.from_private_bytes(self.seed).public_key()
        return SignerKey(name=self.name, raw=key.public_bytes_raw())

    def sign(self, checkpoint: Checkpoint) -> str:
        """Return a signed note of a checkpoint."""
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        require_name(checkpoint.origin)
        body = checkpoint.body()
        signature = Ed25519PrivateKey.from_private_bytes(self.seed).sign(body.encode())
        return f"{body}\n{DASH}{self.name} {_b64(self.public().key_id + signature)}\n"

    def written(self) -> str:
        """Return the key as its file holds it."""
        public = self.public()
        return f"PRIVATE+KEY+{self.name}+{public.key_id.hex()}+{_b64(ED25519 + self.seed)}"


def require_name(name: str) -> str:
    """Return a key name or origin if it is one: not empty, no spaces, no plus, no controls."""
    if not name or name != as_name(name):
        raise AuditError("bad-key-name", f"`{name[:80]}` can't be the name of a log or key")
    return name


def as_name(text: str) -> str:
    """Return a text as a key name or origin: folders have spaces and pluses. Its end is kept."""
    good = (c if c.isprintable() and not c.isspace() and c != "+" else "-" for c in text)
    return "".join(good)[-LONGEST_NAME:]


def make_key(name: str, seed: bytes) -> CheckpointKey:
    """Make a signing key from 32 random bytes."""
    if len(seed) != HASH_SIZE:
        raise AuditError("bad-key", f"a key needs 32 random bytes, not {len(seed)}")
    return CheckpointKey(name=require_name(name), seed=seed)


def read_key(text: str) -> CheckpointKey:
    """Read a signing key as `written` gave it."""
    parts = text.strip().split("+", 4)
    if len(parts) != 5 or parts[:2] != ["PRIVATE", "KEY"]:
        raise AuditError("bad-key", "this is not a signing key")
    key = make_key(parts[2], _typed(parts[4]))
    if key.public().key_id.hex() != parts[3]:
        raise AuditError("bad-key", "the signing key does not match its id")
    return key


def read_public_key(text: str, kind: bytes = ED25519) -> SignerKey:
    """Read a public key as `written` gave it."""
    parts = text.strip().split("+", 2)
    if len(parts) != 3:
        raise AuditError("bad-key", "this is not a public key")
    key = SignerKey(name=require_name(parts[0]), raw=_typed(parts[2], kind), kind=kind)
    if key.key_id.hex() != parts[1]:
        raise AuditError("bad-key", "the public key does not match its id")
    return key


def _typed(text: str, kind: bytes = ED25519) -> bytes:
    raw = _from_b64(text)
    if raw is None or len(raw) != 1 + HASH_SIZE or raw[:1] != kind:
        what = "an Ed25519 key" if kind == ED25519 else "a witness's Ed25519 key (type 4)"
        raise AuditError("bad-key", f"this is not {what}")
    return raw[1:]


def _b64(raw: bytes) -> str:
    return base64.b64encode(raw).decode("ascii")


def _from_b64(text: str) -> bytes | None:
    """Read base64 that has exactly one spelling; None for anything else."""
    try:
        raw = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    return raw if _b64(raw) == text else None


# --- reading notes -------------------------------------------------------------------------


def parse_checkpoint(body: str) -> Checkpoint:
    """Read a checkpoint's text; lines after the third but `head` mean nothing to us."""
    lines = body.split("\n")
    if len(lines) < 4 or lines[-1] or not all(lines[:-1]):
        raise AuditError("bad-checkpoint", "a checkpoint is origin, size and root, a line each")
    origin, size, root = lines[0], lines[1], _from_b64(lines[2])
    if not (size.isascii() and size.isdigit() and size == str(int(size[:20]))):
        raise AuditError("bad-checkpoint", f"`{size[:40]}` is not a size")
    if int(size) >= MOST_SIZE or root is None or len(root) != HASH_SIZE:
        raise AuditError("bad-checkpoint", "the size or the root is out of bounds")
    heads = [line.removeprefix(HEAD) for line in lines[3:-1] if line.startswith(HEAD)]
    return Checkpoint(origin=origin, size=int(size), root=root, head=heads[0] if heads else "")


def open_note(note: str, keys: Iterable[SignerKey]) -> Checkpoint:
    """Return the checkpoint in a note that one of these keys signed.

    Raises AuditError `bad-checkpoint` for no note at all, `unknown-signer` when none of the
    keys signed it, and `bad-signature` when one of them should have and the text differs.
    """
    body, signatures = _divide(note)
    known = {(key.name, key.key_id): key for key in keys}
    signers = [
        (known[name, raw[:4]], raw[4:]) for name, raw in signatures if (name, raw[:4]) in known
    ]
    if not signers:
        raise AuditError("unknown-signer", "no known key signed this checkpoint")
    for key, signature in signers:
        if not key.verifies(signature, body.encode()):
            raise AuditError("bad-signature", f"the signature of `{key.name}` is invalid")
    return parse_checkpoint(body)


def lines_by(note: str, key: SignerKey) -> str:
    """Return the signature lines of a note that name a key, right or wrong."""
    body, _ = _divide(note)
    lines = note[len(body) + 1 :].splitlines(keepends=True)
    made = (key.name, key.key_id)
    return "".join(
        line for line in lines if ((said := _signature(line[:-1]))[0], said[1][:4]) == made
    )


def peek(note: str) -> Checkpoint:
    """Return what a note says without checking who signed it; for finding and telling only."""
    return parse_checkpoint(_divide(note)[0])


def glance(note: str) -> tuple[int, str]:
    """Return the size and the head that a note claims, quickly; (0, "") where it has no head.

    Whoever cannot compare both with a sound chain has to open the note.
    """
    lines = note.lstrip("\n").split("\n", 4)
    fits = len(lines) == 5 and lines[3].startswith(HEAD) and lines[1].isascii()
    if not fits or not lines[1].isdigit() or len(lines[1]) > 18:
        return 0, ""
    return int(lines[1]), lines[3].removeprefix(HEAD)


def _divide(note: str) -> tuple[str, list[tuple[str, bytes]]]:
    """Split a note at its last empty line into text and (name, signature) pairs."""
    if len(note) > MOST_NOTE or any(char < " " and char != "\n" for char in note):
        raise AuditError("bad-checkpoint", "the note is too long or has control characters")
    body, divider, lines = note.rpartition("\n\n")
    if not divider or not lines.endswith("\n") or lines.count("\n") > MOST_SIGNATURES:
        raise AuditError("bad-checkpoint", "the note has no signatures")
    return body + "\n", [_signature(line) for line in lines.split("\n")[:-1]]


def _signature(line: str) -> tuple[str, bytes]:
    name, space, text = line.removeprefix(DASH).partition(" ")
    raw = _from_b64(text)
    if not line.startswith(DASH) or not name or not space or raw is None or len(raw) < 5:
        raise AuditError("bad-checkpoint", "a signature line is malformed")
    return name, raw


def split_notes(text: str) -> list[str]:
    """Split a file of notes, each ended by an empty line, into its notes.

    What is no whole note (a torn end) is left out.
    """
    notes: list[str] = []
    current: list[str] = []
    signed = False
    for line in text.split("\n"):
        if line or not signed:
            current.append(line)
            signed = signed or line.startswith(DASH)
        else:
            notes.append("\n".join(current) + "\n")
            current, signed = [], False
    return notes


# --- going forward only --------------------------------------------------------------------


def require_forward(old: Checkpoint | None, new: Checkpoint, proof: Sequence[bytes]) -> None:
    """Refuse a checkpoint that is not the old one with lines added.

    This is what a witness does; it needs no log, only the proof.
    """
    if old is None:
        return
    if new.origin != old.origin:
        raise AuditError("other-log", f"`{new.origin}` is not the log `{old.origin}`")
    if new.size < old.size:
        raise AuditError(
            "goes-back",
            f"the new checkpoint has {entries(new.size)}; {old.size} were seen before",
            because="entries that a witness has seen are missing from the log",
            hint="run `penstock audit verify`, and compare the log with your backups",
        )
    consistent = is_consistent(
        old_size=old.size, old_root=old.root, new_size=new.size, new_root=new.root, proof=proof
    )
    if not consistent:
        raise AuditError(
            "inconsistent",
            f"the new checkpoint does not continue the one at {entries(old.size)}",
            because="the log was rewritten, or two logs share a name",
            hint="run `penstock audit verify`, and compare the log with your backups",
        )

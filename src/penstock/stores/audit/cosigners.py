"""Ask witnesses that others run to cosign a checkpoint, and keep what they cosigned.

What is sent and what answers mean is settled in `core.audit.cosign`; who signs and proves is
`checkpoints`' work. All witnesses are asked at the same time, each in a limited time.
Always true: a cosignature is kept only if the pinned key made it over the checkpoint that was
sent; what is kept of a witness is never replaced by less; an answer changes nothing else.
"""

from __future__ import annotations

import fcntl
import http.client
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from penstock.core.audit.checkpoint import MOST_NOTE, SignerKey, open_note, peek
from penstock.core.audit.cosign import (
    Cosigner,
    Quorum,
    WitnessSettings,
    cosigned,
    quorum,
    request_body,
    stated_size,
)
from penstock.core.digest import PREFIX, digest
from penstock.core.errors import AuditError
from penstock.core.text.display import spoken
from penstock.core.text.quantities import entries
from penstock.stores.audit.note_file import read_text, replace_text
from penstock.stores.audit.witness import WitnessReply, rewritten, unreachable
from penstock.stores.system.http_post import HttpAddress, HttpAnswer, post, told
from penstock.stores.system.os_errors import telling

WITHIN = 10.0  # seconds for a witness, from the first packet to the last
MOST_ROUNDS = 4
Proofs = Callable[[int, int], Sequence[bytes]]


class Cosigners:
    """The witnesses of one log, with what each of them cosigned last."""

    def __init__(
        self, folder: str, settings: WitnessSettings, *, log: SignerKey, within: float = WITHIN
    ) -> None:
        self.settings = settings
        self._folder = os.path.join(folder, "cosigned")
        self._log = log
        self._within = within

    def ask(self, note: str, prove: Proofs) -> tuple[WitnessReply, ...]:
        """Ask every witness to cosign a note that the log signed, all at the same time."""
        asked = self.settings.cosigners
        if not asked:
            return ()
        with ThreadPoolExecutor(len(asked), thread_name_prefix="cosign") as pool:
            return tuple(pool.map(lambda one: self._reply(one, note, prove), asked))

    def kept(self) -> Iterator[tuple[Cosigner, str]]:
        """Yield each witness with the note that it cosigned last, "" for none; unchecked."""
        for one in self.settings.cosigners:
            yield one, read_text(self._path(one), MOST_NOTE)

    def quorum(self) -> Quorum:
        """Return how many have cosigned, counting only what their keys confirm."""
        return quorum([self._size(one) for one in self.settings.cosigners], self.settings)

    # --- one witness -----------------------------------------------------------------------

    def _reply(self, one: Cosigner, note: str, prove: Proofs) -> WitnessReply:
        try:
            self._keep(one, self._cosigned(one, note, prove))
        except AuditError as error:
            return WitnessReply(witness=one.name, error=error)
        return WitnessReply(witness=one.name)

    def _cosigned(self, one: Cosigner, note: str, prove: Proofs) -> str:
        """Return the note with a cosignature. A witness that has another size says which."""
        kept = old = self._size(one)
        size = peek(note).size
        for _ in range(MOST_ROUNDS):
            if old > size:
                said = f"it says that it cosigned {entries(old)}; {size} are signed here"
                raise disagrees(one.name, said)
            proof = prove(old, size) if old else []
            answer = self._post(one, request_body(old_size=old, proof=proof, note=note))
            text = answer.body.decode("utf-8", "replace")
            if answer.status == 200:
                return _checked(one, note, text)
            stated = stated_size(text) if answer.status == 409 else None
            if stated is None or stated == old:
                raise _refusal(one, answer, stated, size)
            if stated < kept:
                because = f"it cosigned {entries(kept)} and says that it has {stated}"
                raise rewritten(one.name, because)
            old = stated
        raise unreachable(one.name, "it names another size at every try")

    def _post(self, one: Cosigner, body: str) -> HttpAnswer:
        to = HttpAddress(
            host=one.host,
            port=one.port,
            path=one.path,
            tls=one.tls,
            ca_file=self.settings.ca_file,
            step=self._within,
            whole=self._within,
        )
        try:
            return post(to, body.encode(), {"Content-Type": "text/plain", "User-Agent": "penstock"})
        except (OSError, http.client.HTTPException, ValueError) as fault:
            raise unreachable(one.name, told(fault)) from fault

    # --- what is kept ----------------------------------------------------------------------

    def _path(self, one: Cosigner) -> str:
        return os.path.join(self._folder, digest(one.key.written().encode())[len(PREFIX) :][:16])

    def _size(self, one: Cosigner) -> int:
        """Return how many entries a witness has cosigned, as its key confirms; 0 for none."""
        note = read_text(self._path(one), MOST_NOTE)
        try:
            checkpoint = open_note(note, [one.key])
        except AuditError:
            return 0
        return checkpoint.size if checkpoint.origin == self._log.name else 0

    def _keep(self, one: Cosigner, note: str) -> None:
        with self._locked():
            if peek(note).size >= self._size(one):
                replace_text(self._path(one), note)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """One writer at a time; nobody holds this for longer than it takes to write a note."""
        with telling(self._folder):
            os.makedirs(self._folder, mode=0o700, exist_ok=True)
            fd = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
            yield
        finally:
            os.close(fd)


def disagrees(name: str, because: str) -> AuditError:
    """Return the error for a witness that has seen another log."""
    return AuditError(
        "witness-disagrees",
        f"witness `{name}` has seen a different log",
        because=because,
        hint="run `penstock audit verify`, and compare the log with your backups",
    )


def _checked(one: Cosigner, note: str, text: str) -> str:
    try:
        return cosigned(note, text, one.key)
    except AuditError as error:
        raise AuditError(
            "bad-cosignature",
            f"the answer of witness `{one.name}` is not its cosignature of this checkpoint",
            because=error.message,
            hint="compare its key in `[witness]` with the one that its operator publishes",
        ) from error


def _refusal(one: Cosigner, answer: HttpAnswer, stated: int | None, size: int) -> AuditError:
    """Return what the status of an answer means."""
    status = answer.status
    if status == 422 or (status == 409 and stated is not None):
        what = f"it does not accept that {entries(size)} continue what it cosigned"
        return disagrees(one.name, what)
    if status in (403, 404):
        known = "this log" if status == 404 else "the key of this log"
        return AuditError(
            "witness-refused",
            f"witness `{one.name}` does not know {known}",
            because=f"it answered {status}",
            hint="send its operator the key that `penstock audit checkpoint --json` prints",
        )
    said = spoken(answer.body[:200].decode("utf-8", "replace").strip())
    return unreachable(one.name, f"it answered {status}{f': {said}' if said else ''}")

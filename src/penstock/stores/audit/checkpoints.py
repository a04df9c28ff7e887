"""Sign the record now and then, and keep the signatures apart from it.

A folder of its own holds the signed notes (`checkpoints`) and the stored tree; the private key
is wherever its owner put it, in a file that only they read. What was signed last is also
remembered in a second place, outside the workspace, and shown to witnesses.
Always true: only lines that continue what was signed before are ever signed, and only once they
have reached the disk; a checkpoint is on the disk before anybody is told of it; an existing key
is never written over, and one that others could have read is never used.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from msgspec.structs import replace

from penstock.core.audit.checkpoint import (
    DASH,
    MOST_NOTE,
    Checkpoint,
    CheckpointKey,
    SignerKey,
    make_key,
    open_note,
    peek,
    read_key,
    split_notes,
)
from penstock.core.audit.cosign import Quorum, bare
from penstock.core.audit.evidence import CheckpointNote, Evidence
from penstock.core.audit.findings import TamperKind
from penstock.core.audit.log_head import LogHead
from penstock.core.audit.merkle import consistency_proof, inclusion_proof, leaf_hash
from penstock.core.audit.proofs import Document, consistency_document, inclusion_document
from penstock.core.audit.verify import START, LogWalk, VerifyMark
from penstock.core.errors import AuditError
from penstock.core.text.quantities import entries
from penstock.stores.audit.file import take_lock
from penstock.stores.audit.note_file import read_text, replace_text
from penstock.stores.audit.reader import line_at
from penstock.stores.audit.segments import files_of, open_to_read
from penstock.stores.audit.tree_file import TreeFile, TreePosition
from penstock.stores.audit.witness import (
    DISAGREES,
    RACED,
    REWRITTEN,
    Witness,
    WitnessReply,
    rewritten,
)
from penstock.stores.system.os_errors import shut, telling

if TYPE_CHECKING:
    from penstock.stores.audit.cosigners import Cosigners

MOST_NOTES_BYTES = 256 * 1024 * 1024
MOST_RACES = 5
WAIT = 30.0  # seconds; a signer may have a long log to read


class Checkpoints:
    """The checkpoints of one log. Without a private key they can be read and proven."""

    def __init__(
        self,
        folder: str,
        log: str,
        *,
        public: SignerKey,
        key: CheckpointKey | None = None,
        remembered: str = "",
        witnesses: Sequence[Witness] = (),
        cosigners: Cosigners | None = None,
    ) -> None:
        self.path = os.path.join(folder, "checkpoints")
        self._folder = folder
        self._log = log
        self._tree = TreeFile(folder, log)
        self._public = public
        self._key = key
        self._remembered = remembered
        self._shown = os.path.join(folder, "witnessed")
        self._witnesses = witnesses
        self._cosigners = cosigners

    @property
    def witnessed(self) -> bool:
        """True when there is somebody to show a checkpoint to."""
        return bool(self._witnesses) or self._cosigners is not None

    @property
    def public(self) -> SignerKey:
        """The key by which anybody can check what is signed here."""
        return self._public

    def quorum(self) -> Quorum | None:
        """Return how many of the witnesses that others run have cosigned; None without any."""
        return self._cosigners.quorum() if self._cosigners else None

    # --- signing ---------------------------------------------------------------------------

    def sign(self) -> Checkpoint | None:
        """Sign the log as it is now; None when nothing was added since the last time.

        Witnesses are not told yet, because they may be slow: `show` does that. Raises
        AuditError `does-not-continue` when the log is not what was signed before with lines
        added; then nothing is signed.
        """
        if self._key is None:
            raise AuditError("no-key", "there is no key to sign with", hint="create one first")
        with self._locked():
            last = self.latest()
            self._sync_log()  # what is signed must outlive a power cut
            place = self._grown(last)
            if place.size == (last.size if last else 0):
                return None
            root = self._tree.root(place.size)
            name = self._public.name
            checkpoint = Checkpoint(origin=name, size=place.size, root=root, head=place.hash)
            note = self._key.sign(checkpoint)
            self._add(note)
            self._tree.keep(place)
            self._remember(note)
        return checkpoint

    def _sync_log(self) -> None:
        for segment in files_of(self._log)[-1:]:
            fd = open_to_read(segment.path)
            try:
                with telling(segment.path):
                    os.fdatasync(fd)
            finally:
                shut(fd)

    def _grown(self, last: Checkpoint | None) -> TreePosition:
        """Grow the stored tree by the log's new lines; from nothing where it does not fit."""
        for start in (self._tree.place(), TreePosition()):
            place = self._grow(start)
            if place is None or (last and place.size < last.size):
                continue
            if last is None or self._tree.root(last.size) == last.root:
                return place
        signed = last.size if last else 0
        raise AuditError(
            "does-not-continue",
            f"the log does not continue what was signed at {entries(signed)}",
            because="entries were changed, removed or inserted",
            hint="run `penstock audit verify` to see what happened",
        )

    def _grow(self, start: TreePosition) -> TreePosition | None:
        """Store the log's lines after a place; None where the chain does not go on from it."""
        pieces = self._tree.pieces_after(start)
        if pieces is None:
            return None
        walk = LogWalk(VerifyMark(hash=start.hash) if start.size else START)
        place = start
        for piece in pieces:
            walk.feed(piece.block)
            if walk.breaks or any(
                found.kind is not TamperKind.RESTARTED for found in walk.problems
            ):
                return None
            leaves = [leaf_hash(line) for line in piece.block.split(b"\n")[:-1]]
            size = self._tree.add(place.size, leaves)
            place = TreePosition(
                size=size, hash=walk.mark.hash, first=piece.first, offset=piece.offset
            )
        return place

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """One signer at a time, so that two never sign different roots of one size."""
        with telling(self._folder):
            os.makedirs(self._folder, mode=0o700, exist_ok=True)
            fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            take_lock(fd, self.path, wait=WAIT)
            yield
        finally:
            shut(fd)

    def _add(self, note: str) -> None:
        """Put a note at the end of the file, in place of one that a crash left unfinished."""
        with telling(self.path):
            fd = os.open(self.path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
            try:
                end = _end_of_notes(fd)
                os.ftruncate(fd, end)
                os.pwrite(fd, note.encode() + b"\n", end)
                os.fsync(fd)
            finally:
                shut(fd)

    def _remember(self, note: str) -> None:
        """Replace the remembered note; it lies elsewhere, and only ever grows in size."""
        if self._remembered:
            replace_text(self._remembered, note)

    def show(self) -> tuple[WitnessReply, ...]:
        """Show the last checkpoint to every witness, and say what each of them said."""
        if not self._last_note():
            return ()
        return (*map(self._shown_to, self._witnesses), *self._cosign())

    def _cosign(self) -> tuple[WitnessReply, ...]:
        """Have the last checkpoint cosigned; again, a few times, where another was signed."""
        replies: tuple[WitnessReply, ...] = ()
        if self._cosigners is None or self._key is None:
            return replies
        for _ in range(MOST_RACES):
            note = self._last_note()
            made = self._key.sign(bare(open_note(note, [self._public])))
            replies = self._cosigners.ask(made, self.consistency)
            if not any(reply.error for reply in replies) or self._last_note() == note:
                break
        return replies

    def _shown_to(self, witness: Witness) -> WitnessReply:
        """Show a witness the last checkpoint; again, a few times, where another was quicker."""
        error = None
        for _ in range(MOST_RACES):
            note = self._last_note()
            try:
                self._show_note(witness, note)
            except AuditError as problem:
                error = problem
                if error.code != RACED and self._last_note() == note:
                    break
            else:
                return WitnessReply(witness=witness.name)
        return WitnessReply(witness=witness.name, error=error)

    def _show_note(self, witness: Witness, note: str) -> None:
        new = open_note(note, [self._public])
        witness.take(note, proof=self._proof_for(witness, new))
        self._note_taken(witness.name, new.size)

    def _taken(self) -> dict[str, int]:
        """Return how many events each witness has taken a checkpoint of; lines of size and name."""
        pairs = [line.partition(" ") for line in read_text(self._shown, MOST_NOTE).split("\n")]
        return {name: int(size) for size, _, name in pairs if name and size.isdigit()}

    def _note_taken(self, name: str, size: int) -> None:
        """Remember what a witness took: it must have it whenever it is asked."""
        with self._locked():
            taken = {**self._taken(), name.replace("\n", " "): size}
            replace_text(self._shown, "".join(f"{size} {name}\n" for name, size in taken.items()))

    def _proof_for(self, witness: Witness, new: Checkpoint) -> list[bytes]:
        latest = witness.latest(new.origin)
        old = peek(latest).size if latest else 0
        self._require_kept(witness.name, old)
        return self.consistency(old, new.size) if old <= new.size else []

    def _require_kept(self, name: str, size: int) -> None:
        """Raise AuditError where a witness has less than it took."""
        taken = self._taken().get(name.replace("\n", " "), 0)
        if size < taken:
            because = f"it took a checkpoint of {entries(taken)} and shows one of {size}"
            raise rewritten(name, because)

    # --- reading ---------------------------------------------------------------------------

    def notes(self) -> list[str]:
        """Return all signed notes, oldest first."""
        return split_notes(read_text(self.path, MOST_NOTES_BYTES))

    def latest(self) -> Checkpoint | None:
        """Return the last checkpoint, its signature checked; None where there is none yet."""
        note = self._last_note()
        return open_note(note, [self._public]) if note else None

    def _last_note(self) -> str:
        end = split_notes(read_text(self.path, MOST_NOTE * 2, from_end=True))
        return end[-1].lstrip("\n") if end else ""

    def evidence(self, head: LogHead | None = None, *, ask: bool = False) -> Evidence:
        """Collect everything that the record can be compared with.

        Witnesses that others run are only asked for what they have seen if `ask` says so.
        """
        witnesses: dict[str, CheckpointNote] = {}
        unreachable: list[str] = []
        lacking: dict[str, str] = {}
        for witness in self._witnesses:
            try:
                latest = witness.latest(self._public.name)
                if latest:
                    witnesses[witness.name] = self._opened(latest)
                self._require_kept(witness.name, _claimed_size(latest) if latest else 0)
            except AuditError as error:
                if error.code == REWRITTEN:
                    lacking[witness.name] = error.because
                else:
                    unreachable.append(witness.name)
        remembered = read_text(self._remembered, MOST_NOTES_BYTES) if self._remembered else ""
        notes = self.notes()
        found = Evidence(
            own=[self._opened(note) for note in notes[-1:]],
            older=notes[:-1],
            check=self._opened,
            remembered=self._opened(remembered) if remembered else None,
            head=head,
            witnesses=witnesses,
            unreachable=tuple(unreachable),
            rewritten=lacking,
        )
        return self._with_cosigned(found, ask=ask) if self._cosigners else found

    def _with_cosigned(self, found: Evidence, *, ask: bool) -> Evidence:
        """Add what witnesses that others run have cosigned, and what they say now."""
        replies = self._cosign() if ask and self._last_note() else ()
        wrong = {reply.witness: reply.error for reply in replies if reply.error}
        disputes = {
            name: error.because
            for name, error in wrong.items()
            if error.code in (DISAGREES, REWRITTEN)
        }
        kept = self._cosigners.kept() if self._cosigners else ()
        return replace(
            found,
            witnesses={
                **found.witnesses,
                **{one.name: self._cosigned_note(note, one.key) for one, note in kept if note},
            },
            unreachable=(*found.unreachable, *(name for name in wrong if name not in disputes)),
            disputes=disputes,
            cosigned=self.quorum(),
            confirmed=len(replies) - len(wrong),
        )

    def _cosigned_note(self, note: str, key: SignerKey) -> CheckpointNote:
        """Open a note that both the log and a witness must have signed."""
        opened = self._opened(note)
        try:
            open_note(note, [key])
        except AuditError as error:
            return CheckpointNote(checkpoint=None, error=error, size=opened.size)
        return opened

    def _opened(self, note: str) -> CheckpointNote:
        try:
            checkpoint = open_note(note, [self._public])
        except AuditError as error:
            return CheckpointNote(checkpoint=None, error=error, size=_claimed_size(note))
        return CheckpointNote(checkpoint=checkpoint, size=checkpoint.size)

    # --- proving ---------------------------------------------------------------------------

    def inclusion(self, index: int, size: int) -> list[bytes]:
        """Return the proof that line `index` (0 is the first) is under the root of `size`."""
        return inclusion_proof(self._tree.node, index=index, size=self._within(size))

    def consistency(self, old_size: int, size: int) -> list[bytes]:
        """Return the proof that the root of `size` only added lines to that of `old_size`."""
        return consistency_proof(self._tree.node, old_size=old_size, size=self._within(size))

    def prove_line(self, index: int) -> Document:
        """Return the proof that line `index` is on the record, under the last signed root."""
        note = self._last_note()
        if not note:
            raise AuditError("no-checkpoint", "nothing is signed yet", hint="sign the log first")
        size = open_note(note, [self._public]).size
        if index >= size:
            raise AuditError(
                "no-such-event",
                f"line {index + 1} is not covered by a signed checkpoint",
                because=f"the last one is over {entries(size)}",
                hint="sign the latest entries with `penstock audit checkpoint`",
            )
        proof = self.inclusion(index, size)
        line = line_at(self._log, index + 1)
        return inclusion_document(line=line, index=index, note=note, proof=proof)

    def prove_growth(self, old_size: int) -> Document:
        """Return the proof that the last signed root only added lines to an older one."""
        notes = {opened.size: note for note in self.notes() if (opened := self._opened(note))}
        if old_size not in notes:
            raise AuditError("no-checkpoint", f"nothing was signed at {entries(old_size)}")
        proof = self.consistency(old_size, max(notes))
        return consistency_document(old_note=notes[old_size], note=notes[max(notes)], proof=proof)

    def _within(self, size: int) -> int:
        reached = self._tree.place().size
        if size > reached:
            raise AuditError(
                "no-such-size",
                f"the tree reaches {entries(reached)}, not {size}",
            )
        return size


def create_key(path: str, name: str) -> CheckpointKey:
    """Make a signing key in a file that only its owner reads; never over an existing one."""
    with telling(path):
        key = make_key(name, os.urandom(32))
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
    # Written whole under another name first: two processes may start at once, and the second
    # must never read half a key.
    made = f"{path}.{os.getpid()}.{os.urandom(4).hex()}"
    try:
        with telling(path), open(os.open(made, flags, 0o600), "w", encoding="utf-8") as file:
            file.write(key.written() + "\n")
            file.flush()
            os.fsync(file.fileno())
        with telling(path):
            os.link(made, path)
    except AuditError as error:
        if isinstance(error.__cause__, FileExistsError):
            raise AuditError("key-exists", f"a key already exists at `{path}`") from error
        raise
    finally:
        with suppress(OSError):
            os.unlink(made)
    return key


def kept_key(path: str, name: str) -> CheckpointKey:
    """Read the key of a log; where there is none yet, make it, or take what another just made."""
    try:
        return load_key(path) if os.path.lexists(path) else create_key(path, name)
    except AuditError as error:
        if error.code != "key-exists":
            raise
    return load_key(path)


def load_key(path: str) -> CheckpointKey:
    """Read a signing key; refuses one that others could have read."""
    with telling(path):
        fd = open_to_read(path)
        with open(fd, "rb") as file:
            mode = os.fstat(fd).st_mode
            text = file.read(4096).decode("utf-8", "replace")
    if mode & 0o077:
        raise AuditError(
            "key-permissions",
            f"the key `{path}` is readable by other users",
            because=f"its mode is {mode & 0o7777:04o}",
            hint="create a new key; this one may have leaked",
        )
    return read_key(text)


def _end_of_notes(fd: int) -> int:
    """Return where the last whole note ends: after an empty line below a signature."""
    size = os.fstat(fd).st_size
    start = max(0, size - 2 * MOST_NOTE)
    data = os.pread(fd, size - start, start)
    end = data.rfind(b"\n\n")
    while end >= 0:
        if data[data.rfind(b"\n", 0, end) + 1 : end].startswith(DASH.encode()):
            return start + end + 2
        end = data.rfind(b"\n\n", 0, end + 1)
    return start


def _claimed_size(note: str) -> int:
    try:
        return peek(note).size
    except AuditError:
        return 0

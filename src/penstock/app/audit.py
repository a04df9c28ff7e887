"""One log with everything that it is compared with.

Which events are told is the gate's business; how they are chained is the core's.
Always true: a process that only looks makes no key and no checkpoint of its own.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

if TYPE_CHECKING:
    from penstock.core.audit.checkpoint import CheckpointKey, SignerKey
    from penstock.core.audit.cosign import Quorum, WitnessSettings
    from penstock.core.audit.evidence import Evidence
    from penstock.core.audit.findings import AuditReport
    from penstock.core.audit.log_head import LogHead
    from penstock.core.audit.query import Query
    from penstock.core.policy.model import AuditSettings
    from penstock.stores.audit.checkpoints import Checkpoints
    from penstock.stores.audit.cosigners import Cosigners
    from penstock.stores.audit.jsonl import JsonlLog
    from penstock.stores.audit.remembered_head import HeadMemory
    from penstock.stores.audit.signed_log import SignedLog, Start
    from penstock.stores.audit.witness import WitnessReply

INSTALLATION = "installation"


class Record(Struct, frozen=True, dict=True):
    """One log with what it is compared with: its checkpoints, the remembered head, witnesses.

    Checkpoints and the key that signs them lie in `folder`; the head and the last checkpoint
    are remembered one level above, outside of what a copy of the log would bring along.
    `start` has somebody sign where a checkpoint is due; None signs in the thread that appends.
    `home` is the state of all workspaces: a log is named by its place in there and by a random
    id of this installation, so that logs of two machines never meet at one witness.
    """

    path: str
    folder: str
    settings: AuditSettings
    home: str
    start: Start | None = None
    cosign: WitnessSettings | None = None
    """The witnesses that others run; None where there are none."""
    patience: float | None = None
    """How long to wait for the log's lock; None for as long as the log itself would."""

    @property
    def _memory_path(self) -> str:
        above, name = os.path.split(self.folder)
        return os.path.join(above, f"{name}.head")

    @property
    def _key_path(self) -> str:
        return os.path.join(self.folder, "checkpoint.key")

    def _name(self, *, make: bool = False) -> str:
        """Return the name that a new key gets; an existing key keeps the one it has."""
        from penstock.core.audit.checkpoint import as_name
        from penstock.stores.system.private import kept_id

        label = os.path.relpath(self.folder, self.home)
        return as_name(f"penstock/{label}/{kept_id(self.home, INSTALLATION, make=make)}")

    @cached_property
    def checkpoints(self) -> Checkpoints:
        """The signed checkpoints; the key is made at the first need."""
        from penstock.stores.audit.checkpoints import kept_key
        from penstock.stores.system.private import private_dir

        private_dir(self.folder)
        return self._signed_by(kept_key(self._key_path, self._name(make=True)))

    def _evidence(self, head: LogHead | None, *, ask: bool) -> Evidence:
        """Collect what the log is compared with. Where there is no key, nobody's notes count."""
        return self._as_kept().evidence(head, ask=ask)

    def _as_kept(self) -> Checkpoints:
        """Return the checkpoints for one who only looks: no key is made."""
        from penstock.stores.audit.checkpoints import load_key

        key = load_key(self._key_path) if os.path.lexists(self._key_path) else None
        return self._signed_by(key)

    def quorum(self) -> Quorum | None:
        """Return how many of the witnesses that others run have cosigned; None without any."""
        return self._as_kept().quorum() if self.cosign else None

    def _signed_by(self, key: CheckpointKey | None) -> Checkpoints:
        from penstock.core.audit.checkpoint import SignerKey
        from penstock.stores.audit.checkpoints import Checkpoints
        from penstock.stores.audit.witness import make_witness

        public = key.public() if key else SignerKey(name=self._name(), raw=os.urandom(32))
        return Checkpoints(
            self.folder,
            self.path,
            public=public,
            key=key,
            remembered=f"{self._memory_path}.checkpoint",
            witnesses=[
                make_witness(text, key=public, folder=self.folder)
                for text in self.settings.witnesses
            ],
            cosigners=self._cosigners(public),
        )

    def _cosigners(self, log: SignerKey) -> Cosigners | None:
        if self.cosign is None:
            return None
        from penstock.stores.audit.cosigners import Cosigners

        return Cosigners(self.folder, self.cosign, log=log)

    def took(self, replies: Iterable[WitnessReply]) -> bool:
        """Say whether all our own witnesses took a checkpoint, and enough of those of others."""
        others = {one.name for one in self.cosign.cosigners} if self.cosign else set()
        if any(one.error for one in replies if one.witness not in others):
            return False
        quorum, made = self.checkpoints.quorum(), self.checkpoints.latest()
        return not quorum or made is None or (quorum.reached and quorum.size >= made.size)

    @property
    def memory(self) -> HeadMemory:
        """What is remembered of the log's end."""
        from penstock.stores.audit.remembered_head import HeadMemory

        return HeadMemory(self._memory_path)

    @cached_property
    def lines(self) -> JsonlLog:
        """The chain itself; `log` is what one appends to."""
        import time

        from penstock.stores.audit.jsonl import WAIT, JsonlLog

        return JsonlLog(
            self.path,
            clock=time.time,
            rotate_at=self.settings.rotate_bytes,
            memory=self.memory,
            wait=WAIT if self.patience is None else self.patience,
        )

    @cached_property
    def log(self) -> SignedLog:
        """The log to append to; its folder is made at the first need."""
        import time

        from penstock.core.audit.log_head import CheckpointPolicy
        from penstock.stores.audit.signed_log import SignedLog
        from penstock.stores.system.private import private_dir

        private_dir(self.folder)
        policy = CheckpointPolicy(
            events=self.settings.checkpoint_events, seconds=self.settings.checkpoint_seconds
        )
        return SignedLog(
            self.lines,
            self.memory,
            lambda: self.checkpoints,
            policy=policy,
            clock=time.time,
            start=self.start,
        )

    def head(self) -> LogHead | None:
        """Return the last line's place and hash, or None where there is no record."""
        import time

        from penstock.stores.audit.jsonl import JsonlLog

        return JsonlLog(self.path, clock=time.time).head()

    def events(self) -> Iterator[Mapping[str, object]]:
        """Yield every event that can be read, oldest first."""
        from penstock.core.audit.query import EVERYTHING, parse_line

        return (parse_line(line) or {} for line in lines_of(self.path, EVERYTHING))

    def of_path(self, path: str, *, last: int) -> tuple[Mapping[str, object], ...]:
        """Return the newest events about one file, oldest first."""
        from penstock.core.audit.query import Query, parse_line

        # `*` and `?` are the only signs that a glob does not take for themselves.
        lines = lines_of(self.path, Query(path=path.replace("*", "?"), last=last), own=True)
        events = (parse_line(line) or {} for line in lines)
        return tuple(event for event in events if event.get("path") == path)

    def newest(self, *, last: int, since: str = "") -> tuple[Mapping[str, object], ...]:
        """Return the newest events, at most so many, none older than a moment; oldest first."""
        from penstock.core.audit.query import Query, parse_line

        lines = lines_of(self.path, Query(last=last, since=since))
        return tuple(parse_line(line) or {} for line in lines)

    def end(self, *, ops: frozenset[str], size: int) -> list[tuple[int, Mapping[str, object]]]:
        """Return the events with one of some names within the last bytes, oldest first."""
        from penstock.core.audit.query import Query, parse_line
        from penstock.stores.audit.reader import read_end

        wanted = Query(ops=ops)
        lines = read_end(self.path, size, [f'"{op}"'.encode() for op in sorted(ops)])
        events = filter(None, map(parse_line, lines))
        return [(0, event) for event in events if wanted.accepts(event)]

    def verify(
        self,
        *,
        notice: frozenset[str] = frozenset(),
        there: bool = False,
        ask: bool = False,
    ) -> AuditReport:
        """Compare the log with everything that there is to compare it with.

        Lines whose `op` is in `notice` come along, at no further pass. A log that never was is
        sound unless it was said to be `there`. `ask` asks the witnesses that others run as well.
        """
        from penstock.core.audit.findings import AuditReport
        from penstock.stores.audit.segments import files_of
        from penstock.stores.audit.verify import remembered_end, verify_log

        facts, end = remembered_end(self.path, self.memory)
        remembered = facts.expected(end)
        if not files_of(self.path) and remembered is not None:
            return _gone(remembered)
        evidence = replace(
            self._evidence(remembered, ask=ask),
            expects_head=True,
            unremembered=facts.unremembered(end),
        )
        if not files_of(self.path) and evidence.is_empty and not there:
            return AuditReport(count=0, head="")  # a log that never was is sound
        return verify_log(self.path, evidence, notice=notice)


def lines_of(path: str, query: Query, *, own: bool = False) -> Iterator[bytes]:
    """Yield the lines of a log and its rotated files that a query asks for, oldest first.

    Beside a log that is Penstock's `own`, lists are kept that make queries for paths quick.
    """
    from penstock.stores.audit.reader import read_lines

    return read_lines(path, query, listed=own)


def _gone(remembered: LogHead) -> AuditReport:
    """A log that is remembered and not there has been taken away."""
    from penstock.core.audit.findings import AuditProblem, AuditReport, TamperKind
    from penstock.core.text.quantities import entries

    message = f"the audit log is missing; it had {entries(remembered.seq + 1)} when last seen"
    gone = AuditProblem(kind=TamperKind.DELETED, line=0, message=message)
    return AuditReport(count=0, head="", problems=(gone,), level="remembered")


def sign_behind(log: SignedLog) -> None:
    """Sign in a thread of its own, for a process that stays."""
    import threading

    threading.Thread(target=log.sign, name="signing", daemon=True).start()


def sign_beside(root: str) -> Start:
    """Sign in a process of its own: for one that ends at once, and that an agent waits for."""

    def start(log: SignedLog) -> None:
        from penstock.app.process import start_beside

        del log
        start_beside("audit", "checkpoint", "--workspace", root)

    return start

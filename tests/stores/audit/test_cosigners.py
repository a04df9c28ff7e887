"""Witnesses that others run: asked over HTTP as C2SP tlog-witness says, believed by their keys."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from penstock.core.audit.checkpoint import COSIGNATURE, make_key, open_note, read_public_key
from penstock.core.audit.cosign import Quorum, WitnessSettings, read_cosigner
from penstock.core.audit.findings import AuditReport
from penstock.stores.audit.checkpoints import Checkpoints
from penstock.stores.audit.cosigners import Cosigners
from penstock.stores.audit.jsonl import JsonlLog
from penstock.stores.audit.verify import verify_log
from tests.foreign_witness import Answer, ForeignWitness, RefusalError, cosign_note, serving
from tests.receivers import certificate, free_port

KEY = make_key("penstock.test/log", bytes(range(32)))
PUBLIC = KEY.public()


class Stage:
    """A log with checkpoints, and the witnesses that its owner pinned."""

    def __init__(self, tmp_path: Path) -> None:
        self.path = tmp_path
        self.log = JsonlLog(str(tmp_path / "audit.jsonl"), clock=lambda: 1736769600.0)
        self.witnesses: list[ForeignWitness] = []
        self.require = 0
        self.ca_file = ""
        self.within = 5.0

    def add(self, count: int) -> None:
        self.log.append_many([{"op": "x"}] * count, durable=False)

    @property
    def checkpoints(self) -> Checkpoints:
        pinned = tuple(read_cosigner(f"{one.public} {one.url}") for one in self.witnesses)
        settings = WitnessSettings(cosigners=pinned, require=self.require, ca_file=self.ca_file)
        apart = str(self.path / "apart")
        cosigners = Cosigners(apart, settings, log=PUBLIC, within=self.within)
        return Checkpoints(apart, self.log.path, public=PUBLIC, key=KEY, cosigners=cosigners)

    def sign(self, count: int = 3) -> dict[str, str]:
        """Add entries, sign, ask; return the error code of each witness."""
        self.add(count)
        made = self.checkpoints
        assert made.sign() is not None
        replies = made.show()
        return {one.witness: one.error.code if one.error else "" for one in replies}

    def quorum(self) -> Quorum:
        found = self.checkpoints.quorum()
        assert found is not None
        return found

    def verify(self, *, ask: bool = True) -> AuditReport:
        return verify_log(self.log.path, self.checkpoints.evidence(ask=ask))


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


def pinned(stage: Stage, name: str = "witness.example/w1") -> ForeignWitness:
    witness = ForeignWitness(name)
    witness.trust(PUBLIC.written())
    stage.witnesses.append(witness)
    return witness


def kinds(report: AuditReport) -> tuple[list[str], list[str]]:
    return [one.kind for one in report.problems], [one.kind for one in report.warnings]


def test_a_foreign_witness_cosigns_what_grows_and_each_proof_holds_there(stage: Stage) -> None:
    witness = pinned(stage)
    with serving(witness):
        total = 0
        for count in (1, 1, 2, 3, 5, 8, 13, 1, 30):
            total += count
            assert stage.sign(count) == {witness.name: ""}
            assert witness.seen[KEY.name][0] == total
        assert kinds(stage.verify()) == ([], [])
    assert stage.quorum() == Quorum(by=1, of=1, require=1, size=total)
    assert all(request.startswith("old ") for request in witness.requests)


def test_what_is_kept_is_a_checkpoint_that_anybody_can_check(stage: Stage) -> None:
    witness = pinned(stage)
    with serving(witness):
        stage.sign()
    (kept,) = (stage.path / "apart" / "cosigned").iterdir()
    note = kept.read_text()
    assert open_note(note, [PUBLIC]) == open_note(
        note, [read_public_key(witness.public, COSIGNATURE)]
    )
    assert len(note.split("\n\n")[0].split("\n")) == 3, "no lines that only we understand"


def test_a_witness_that_knows_another_size_says_so_and_is_asked_again(stage: Stage) -> None:
    witness = pinned(stage)
    with serving(witness):
        stage.sign()
        stage.sign()
        (kept,) = (stage.path / "apart" / "cosigned").iterdir()
        kept.unlink()
        witness.requests.clear()
        assert stage.sign() == {witness.name: ""}
    assert [request.split("\n")[0] for request in witness.requests] == ["old 0", "old 6"]
    assert stage.quorum().size == 9


def test_so_many_of_so_many_must_cosign(stage: Stage) -> None:
    stage.require = 2
    names = [f"witness.example/w{number}" for number in range(3)]
    first, second, third = (pinned(stage, name) for name in names)
    with ExitStack() as stack:
        for one in (first, second, third):
            stack.enter_context(serving(one))
        assert stage.sign(4) == dict.fromkeys(names, "")
    assert stage.quorum() == Quorum(by=3, of=3, require=2, size=4)
    with serving(first):
        codes = stage.sign(3)
        assert [codes[name] for name in names] == ["", "witness-unreachable", "witness-unreachable"]
        assert stage.quorum() == Quorum(by=3, of=3, require=2, size=4), "7 has one cosignature"
        with serving(third):
            stage.sign(1)
            assert stage.quorum() == Quorum(by=3, of=3, require=2, size=8)
            assert kinds(stage.verify()) == ([], ["unreachable"])


def test_too_few_cosignatures_are_a_warning(stage: Stage) -> None:
    here, _ = pinned(stage, "witness.example/here"), pinned(stage, "witness.example/away")
    stage.witnesses[1].url = f"http://localhost:{free_port()}/w"
    with serving(here):
        assert stage.sign() == {
            "witness.example/here": "",
            "witness.example/away": "witness-unreachable",
        }
        report = stage.verify()
    assert kinds(report) == ([], ["unreachable", "few-cosignatures"])
    assert "1 of 2 witnesses (2 required)" in report.warnings[1].message
    assert report.as_json()["cosigned"] == {"by": 1, "of": 2, "require": 2, "size": 0}


# --- witnesses that are wrong ----------------------------------------------------------------


def signed_text(handler: Any) -> str:
    """What a witness was sent cannot be read twice, so a liar makes something up."""
    del handler
    return "penstock.test/log\n3\n" + "A" * 43 + "=\n"


def other_checkpoint(witness: ForeignWitness) -> Callable[[Any], Answer]:
    def answer(handler: Any) -> Answer:
        made = cosign_note(witness.private, witness.name, signed_text(handler), 1)
        return 200, "text/plain", made.encode()

    return answer


def other_key(witness: ForeignWitness) -> Callable[[Any], Answer]:
    def answer(handler: Any) -> Answer:
        text = cosign_note(Ed25519PrivateKey.generate(), witness.name, signed_text(handler), 1)
        return 200, "text/plain", text.encode()

    return answer


def says(status: int, body: bytes, kind: str = "text/plain") -> Callable[[ForeignWitness], Any]:
    return lambda witness: lambda handler: (status, kind, body)


def second_note(witness: ForeignWitness) -> Callable[[Any], Answer]:
    """A valid cosignature, but of a text that the answer itself brings along."""

    def answer(handler: Any) -> Answer:
        text = signed_text(handler)
        made = cosign_note(witness.private, witness.name, text, 1)
        return 200, "text/plain", f"\n{text}\n{made}".encode()

    return answer


def hangs_up(witness: ForeignWitness) -> Callable[[Any], Answer]:
    del witness

    def answer(handler: Any) -> Answer:
        handler.connection.close()
        return 0, "", b""

    return answer


WRONG: list[tuple[str, Callable[[ForeignWitness], Any], str]] = [
    ("another checkpoint", other_checkpoint, "bad-cosignature"),
    ("another key", other_key, "bad-cosignature"),
    ("a note of its own", second_note, "bad-cosignature"),
    ("nothing", says(200, b""), "bad-cosignature"),
    ("bytes", says(200, bytes(range(256))), "bad-cosignature"),
    ("a page", says(200, b"<html>" * 20000), "bad-cosignature"),
    ("a redirect", says(302, b""), "witness-unreachable"),
    ("broken", says(500, b"\x1b[31m" + b"x" * 5000), "witness-unreachable"),
    ("too much", says(429, b""), "witness-unreachable"),
    ("no size", says(409, b"many\n", "text/x.tlog.size"), "witness-unreachable"),
    ("a size out of bounds", says(409, b"9" * 30 + b"\n"), "witness-unreachable"),
    ("a larger size", says(409, b"99\n"), "witness-disagrees"),
    ("the same size", says(409, b"0\n"), "witness-disagrees"),
    ("no proof", says(422, b""), "witness-disagrees"),
    ("unknown log", says(404, b""), "witness-refused"),
    ("unknown key", says(403, b""), "witness-refused"),
    ("hangs up", hangs_up, "witness-unreachable"),
]


@pytest.mark.parametrize(
    ("mood", "code"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG]
)
def test_a_wrong_answer_is_an_error_in_words_and_costs_nothing(
    stage: Stage, mood: Callable[[ForeignWitness], Any], code: str
) -> None:
    stage.require = 1
    liar, honest = pinned(stage, "witness.example/liar"), pinned(stage, "witness.example/honest")
    with serving(liar, mood=mood(liar)), serving(honest):
        codes = stage.sign()
        assert codes == {liar.name: code, honest.name: ""}
        assert stage.quorum() == Quorum(by=1, of=2, require=1, size=3)
        report = stage.verify()
    assert report.ok, "one witness alone proves nothing against the log"
    assert len(report.warnings) == 1
    for reply in stage.checkpoints.show():
        if reply.error:
            assert reply.error.message
            assert reply.error.because.isprintable()


def test_an_older_cosignature_said_again_counts_for_nothing_new(stage: Stage) -> None:
    """True lines of the right key: for the size before, and for a log of another name."""
    lazy = pinned(stage)
    with serving(lazy):
        assert stage.sign() == {lazy.name: ""}
    before = stage.quorum()
    (kept,) = (stage.path / "apart" / "cosigned").iterdir()
    (replayed,) = [one for one in kept.read_text().split("\n") if lazy.name in one]
    other = signed_text(None).replace("penstock.test/log", "other.test/log")
    for said in (f"{replayed}\n", cosign_note(lazy.private, lazy.name, other, 1736769600)):
        with serving(lazy, mood=says(200, said.encode())(lazy)):
            assert stage.sign() == {lazy.name: "bad-cosignature"}
    assert stage.quorum() == before


def test_a_size_that_changes_at_every_try_ends(stage: Stage) -> None:
    liar = pinned(stage)
    sizes = iter(range(1, 100))

    def mood(_: Any) -> Answer:
        return 409, "text/x.tlog.size", f"{next(sizes) % 3 + 1}\n".encode()

    with serving(liar, mood=mood):
        assert list(stage.sign(9).values()) == ["witness-unreachable"]
    assert next(sizes) < 10


def test_a_witness_that_drips_is_given_up_in_the_end(stage: Stage) -> None:
    stage.within = 0.5
    slow = pinned(stage)
    gone = threading.Event()

    def drips(handler: Any) -> Answer:
        handler.wfile.write(b"HTTP/1.0 200 OK\r\n")
        while not gone.wait(0.1):
            handler.wfile.write(b"X-Drip: 1\r\n"[:1])
        return 0, "", b""

    with serving(slow, mood=drips):
        stage.add(3)
        made = stage.checkpoints
        made.sign()
        (reply,) = made.show()
        gone.set()
    assert reply.error is not None
    assert (reply.error.code, reply.error.because) == (
        "witness-unreachable",
        "it did not answer in time",
    )


def test_a_certificate_is_checked(stage: Stage) -> None:
    stage.path.joinpath("tls").mkdir()
    public, private = certificate(stage.path / "tls")
    witness = pinned(stage)
    with serving(witness, tls=(public, private)):
        stage.add(3)
        made = stage.checkpoints
        made.sign()
        (reply,) = made.show()
        assert reply.error is not None
        assert "certificate is not valid" in reply.error.because
        assert not witness.requests, "nothing was sent"
        stage.ca_file = str(public)
        assert stage.sign() == {witness.name: ""}
    stage.path.joinpath("other").mkdir()
    public, private = certificate(stage.path / "other", host="elsewhere.test")
    stage.ca_file = str(public)
    with serving(witness, tls=(public, private)):
        assert stage.sign() == {witness.name: "witness-unreachable"}, "another host's certificate"


# --- logs that are wrong ---------------------------------------------------------------------


def forge(stage: Stage, keep: int, add: int) -> None:
    """Cut the log, add other entries and sign anew, as one does who has the key and the disk."""
    lines = Path(stage.log.path).read_bytes().splitlines(keepends=True)
    Path(stage.log.path).write_bytes(b"".join(lines[:keep]))
    for name in ("checkpoints", "nodes", "tree", "witnessed"):
        (stage.path / "apart" / name).unlink(missing_ok=True)
    stage.log = JsonlLog(stage.log.path, clock=lambda: 1736769601.0)
    stage.log.append_many([{"op": "forged"}] * add, durable=False)
    assert stage.checkpoints.sign() is not None


def forget(stage: Stage) -> None:
    for kept in (stage.path / "apart" / "cosigned").iterdir():
        kept.unlink()


@pytest.mark.parametrize(("keep", "add"), [(3, 2), (3, 7), (3, 20), (0, 10)])
def test_a_log_that_was_rewritten_is_found_by_what_was_cosigned(
    stage: Stage, keep: int, add: int
) -> None:
    with serving(pinned(stage)):
        stage.sign(10)
    forge(stage, keep, add)
    report = stage.verify(ask=False)
    assert not report.ok, "offline, by the kept cosignature"


@pytest.mark.parametrize(("keep", "add"), [(3, 2), (3, 7), (3, 20)])
def test_and_where_that_was_removed_the_witnesses_disagree(
    stage: Stage, keep: int, add: int
) -> None:
    stage.require = 2
    with ExitStack() as stack:
        for number in range(3):
            stack.enter_context(serving(pinned(stage, f"witness.example/w{number}")))
        stage.sign(10)
        forge(stage, keep, add)
        forget(stage)
        problems, _ = kinds(stage.verify())
        assert problems == ["witness-disagrees"] * 3
        assert stage.quorum().by == 0, "nobody cosigned the forged log"


def test_stale_cosignatures_do_not_outvote_what_witnesses_say_now(stage: Stage) -> None:
    stage.require = 1
    first, second = pinned(stage, "witness.example/w1"), pinned(stage, "witness.example/w2")
    with serving(first), serving(second):
        stage.sign(3)
        kept = {path: path.read_text() for path in (stage.path / "apart" / "cosigned").iterdir()}
        stage.sign(7)
        forge(stage, 3, 0)
        for path, note in kept.items():
            path.write_text(note)
        problems, _ = kinds(stage.verify())
        assert problems == ["witness-disagrees"] * 2


def test_a_witness_that_forgot_what_it_cosigned_is_named(stage: Stage) -> None:
    witness = pinned(stage)
    with serving(witness):
        stage.sign(5)
        witness.seen.clear()
        report = stage.verify()
    assert kinds(report)[0] == ["witness-disagrees"]
    assert "it cosigned 5 entries and says that it has 0" in report.problems[0].message


@pytest.mark.parametrize("text", ["garbage", "", "penstock.test/log\n3\n"])
def test_a_kept_note_that_was_damaged_counts_for_nothing(stage: Stage, text: str) -> None:
    with serving(pinned(stage)):
        stage.sign()
        (kept,) = (stage.path / "apart" / "cosigned").iterdir()
        kept.write_text(text)
        assert stage.quorum().by == 0
        stage.sign()
        assert stage.quorum() == Quorum(by=1, of=1, require=1, size=6), "it is asked anew"


def test_a_log_under_another_name_gets_no_credit(stage: Stage) -> None:
    with serving(pinned(stage)):
        stage.sign()
        (kept,) = (stage.path / "apart" / "cosigned").iterdir()
        settings = WitnessSettings(
            cosigners=tuple(read_cosigner(f"{one.public} {one.url}") for one in stage.witnesses)
        )
        other = make_key("penstock.test/other", bytes(32)).public()
        found = Cosigners(str(stage.path / "apart"), settings, log=other)
        assert kept.exists()
        assert found.quorum().by == 0


def test_refusals_of_the_foreign_witness_are_what_its_texts_say() -> None:
    witness = ForeignWitness()
    with pytest.raises(RefusalError) as caught:
        witness.add_checkpoint(f"old 0\n\n{KEY.sign(checkpoint())}".encode())
    assert caught.value.answer[0] == 404
    witness.trust(make_key(KEY.name, b"o" * 32).public().written())
    with pytest.raises(RefusalError) as caught:
        witness.add_checkpoint(f"old 0\n\n{KEY.sign(checkpoint())}".encode())
    assert caught.value.answer[0] == 403


def checkpoint() -> Any:
    from penstock.core.audit.checkpoint import Checkpoint

    return Checkpoint(origin=KEY.name, size=3, root=bytes(32))

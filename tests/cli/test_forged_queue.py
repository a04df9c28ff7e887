"""What is written needs its approval in the audit log: the queue's own file proves nothing.

Whoever runs as the same user can write that file. Each row is one way to forge it; the command
that follows runs cut off from whoever started it, with clean variables and no terminal.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from penstock.core.digest import digest
from penstock.core.errors import AuditError, RefusedError
from penstock.gate import Proof
from tests.cli.pending import events, gate_of, one_proposed, proposed, state_dir
from tests.cut_off import cut_off
from tests.project import Done, Project
from tests.terminal import in_terminal

ANSWER = {"approved": True, "by": "ann", "proof": "terminal", "at": 1.0, "v": 1}
ELSEWHERE = "sha256:" + "0" * 64


@contextmanager
def forging(project: Project) -> Iterator[sqlite3.Connection]:
    """Open the queue's file as any program can, and take its triggers away."""
    with closing(sqlite3.connect(state_dir(project) / "penstock.db")) as db:
        for (name,) in db.execute(
            "SELECT name FROM sqlite_master WHERE type = 'trigger'"
        ).fetchall():
            db.execute(f"DROP TRIGGER {name}")
        yield db
        db.commit()


def forge(project: Project, one: str, **body: object) -> None:
    """Make a row say that its proposal is approved, with other facts if any are given."""
    with forging(project) as db:
        (text,) = db.execute("SELECT body FROM proposals WHERE id = ?", (one,)).fetchone()
        given = {**ANSWER, "proof": body.pop("proof", "terminal")}
        now = {**json.loads(text), **body}
        db.execute(
            "UPDATE proposals SET state = 'approved', answer = ?, body = ?, path = ? WHERE id = ?",
            (json.dumps(given), json.dumps(now), now["path"], one),
        )


def error(done: Done) -> str:
    return str(done.json["error"]["code"])


def approved(project: Project, path: str, content: bytes) -> str:
    """Let a person approve at a terminal, and leave the write for later."""
    one = one_proposed(project, path, content)
    seen = in_terminal(project, "approve", one, "--yes", "--no-apply")
    assert seen.code == 0, seen.text
    return one


def put_blob(project: Project, content: bytes) -> str:
    """Keep other bytes where the gate keeps contents."""
    other = one_proposed(project, "unrelated.txt", content)
    with gate_of(project) as gate:
        found = gate.get(other)
    assert found is not None
    assert found.content == digest(content)
    return digest(content)


def body_of(project: Project, one: str) -> dict[str, Any]:
    with forging(project) as db:
        (text,) = db.execute("SELECT body FROM proposals WHERE id = ?", (one,)).fetchone()
    return dict(json.loads(text))


Forgery = Callable[[Project], str]


def _waiting(project: Project) -> str:
    one = one_proposed(project, "a.txt", b"evil\n")
    forge(project, one)
    return one


def _by_policy(project: Project) -> str:
    one = one_proposed(project, "a.txt", b"evil\n")
    forge(project, one, proof="policy")
    return one


def _by_switch(project: Project) -> str:
    one = one_proposed(project, "a.txt", b"evil\n")
    forge(project, one, proof="switch", origin="rules")
    return one


def _as_an_undo_elsewhere(project: Project) -> str:
    one = one_proposed(project, "a.txt", b"evil\n")
    place = str(project.home / "a.txt")
    extra = {**body_of(project, one)["extra"], "resolved": place}
    forge(project, one, origin="undo", path=place, extra=extra)
    return one


def _denied(project: Project) -> str:
    one = one_proposed(project, ".env", b"evil\n")
    forge(project, one)
    return one


def _other_content(project: Project) -> str:
    one = approved(project, "a.txt", b"good\n")
    forge(project, one, content=put_blob(project, b"evil\n"))
    return one


def _other_path(project: Project) -> str:
    one = approved(project, "b.txt", b"good\n")
    place = str(project.root / "a.txt")
    extra = {**body_of(project, one)["extra"], "resolved": place}
    forge(project, one, path="a.txt", extra=extra)
    return one


def _made_an_undo(project: Project) -> str:
    one = approved(project, "a.txt", b"good\n")
    forge(project, one, origin="undo")
    return one


def _without_where_it_leads(project: Project) -> str:
    one = approved(project, "a.txt", b"good\n")
    forge(project, one, extra={})
    return one


def _under_another_id(project: Project) -> str:
    good = approved(project, "a.txt", b"good\n")
    other = one_proposed(project, "a.txt", b"evil\n")
    body = {**body_of(project, other), "id": good}
    with forging(project) as db:
        db.execute("DELETE FROM proposals WHERE id = ?", (other,))
    forge(project, good, **body)
    return good


def _rejected_before(project: Project) -> str:
    one = one_proposed(project, "a.txt", b"evil\n")
    assert project.run("reject", one, "--reason", "no").code == 0
    forge(project, one)
    return one


def _a_set_with_one_more(project: Project) -> str:
    good = proposed(project, {"b.txt": b"good\n", "c.txt": b"good\n"})
    seen = in_terminal(project, "approve", good[0].set_id, "--yes", "--no-apply")
    assert seen.code == 0, seen.text
    other = one_proposed(project, "a.txt", b"evil\n")
    forge(project, other, set_id=good[0].set_id)
    with forging(project) as db:
        db.execute("UPDATE proposals SET set_id = ? WHERE id = ?", (good[0].set_id, other))
    return good[0].set_id


FORGERIES: list[Forgery] = [
    _waiting,
    _by_policy,
    _by_switch,
    _as_an_undo_elsewhere,
    _denied,
    _other_content,
    _other_path,
    _made_an_undo,
    _without_where_it_leads,
    _under_another_id,
    _rejected_before,
    _a_set_with_one_more,
]


@pytest.mark.parametrize("forgery", FORGERIES, ids=lambda one: one.__name__.strip("_"))
def test_a_forged_row_is_not_written(project: Project, forgery: Forgery) -> None:
    one = forgery(project)
    done = cut_off(project, "apply", one, "--json")
    assert (done.code, error(done)) == (2, "not-in-log"), done.out
    for place in ("a.txt", "b.txt", ".env", str(project.home / "a.txt")):
        assert not (project.root / place).exists(), place
    assert events(project, "refused")[-1]["code"] == "not-in-log"
    assert project.run("audit", "verify").code == 0
    assert not events(project, "applied")


def test_what_was_approved_is_written_by_whoever_runs_the_command(project: Project) -> None:
    one = approved(project, "a.txt", b"good\n")
    assert cut_off(project, "apply", one, "--json").code == 0
    assert (project.root / "a.txt").read_bytes() == b"good\n"
    (done,) = events(project, "applied")
    (yes,) = events(project, "approved")
    assert done["approval"] == yes["event_hash"]
    assert project.run("audit", "verify").code == 0


def test_what_the_rules_allow_is_written_and_its_entry_says_so(project: Project) -> None:
    one = one_proposed(project, "notes/a.md", b"note\n")
    assert cut_off(project, "apply", one, "--json").code == 0
    (asked,) = events(project, "proposed")
    (done,) = events(project, "applied")
    assert (asked["proof"], done["approval"]) == ("policy", asked["event_hash"])
    assert project.run("audit", "verify").code == 0


def test_a_write_cannot_be_made_twice(project: Project) -> None:
    """Once written and put back by hand, the old approval is used up."""
    one = approved(project, "a.txt", b"good\n")
    assert project.run("apply", one).code == 0
    (project.root / "a.txt").unlink()
    forge(project, one)
    done = cut_off(project, "apply", one, "--json")
    assert (done.code, error(done)) == (4, "already-applied")
    assert not (project.root / "a.txt").exists()


@pytest.mark.parametrize("state", ["applied", "superseded", "stale", "denied", "expired"])
def test_a_row_that_is_called_done_is_neither_written_nor_undone(
    project: Project, state: str
) -> None:
    one = one_proposed(project, "a.txt", b"evil\n")
    with forging(project) as db:
        db.execute("UPDATE proposals SET state = ? WHERE id = ?", (state, one))
    assert cut_off(project, "apply", one, "--json").code != 0
    assert cut_off(project, "undo", f"r-{one.removeprefix('hitl-')}", "--yes").code != 0
    assert not (project.root / "a.txt").exists()
    assert not events(project, "applied")


def test_a_state_that_does_not_exist_is_damage(project: Project) -> None:
    one = one_proposed(project, "a.txt", b"evil\n")
    with forging(project) as db:
        db.execute("UPDATE proposals SET state = 'applying' WHERE id = ?", (one,))
    assert error(cut_off(project, "apply", one, "--json")) == "queue-broken"


def test_a_forged_claim_makes_nothing_applied(project: Project) -> None:
    """A crash between writing and logging looks like this; here nobody ever approved."""
    one = one_proposed(project, "a.txt", b"evil\n")
    forge(project, one)
    with forging(project) as db:
        (seq,) = db.execute("SELECT seq FROM proposals WHERE id = ?", (one,)).fetchone()
        db.execute("INSERT INTO claims VALUES (?, 'forged', '999999999:0:gone')", (seq,))
    project.write("a.txt", b"evil\n")
    assert cut_off(project, "status").code == 0
    with gate_of(project) as gate:
        assert gate.receipts() == ()
    assert not events(project, "applied")
    assert events(project, "refused")[-1]["code"] == "not-in-log"


@pytest.mark.parametrize("inside", [True, False], ids=["a project's file", "a file elsewhere"])
def test_a_forged_receipt_is_not_undone(project: Project, inside: bool) -> None:
    """Undoing writes what a receipt says was there: that has to stand in the log."""
    place = "a.txt" if inside else str(project.home / "a.txt")
    evil = put_blob(project, b"evil\n")
    target = project.root / place
    target.write_bytes(b"good\n")
    put_blob(project, b"good\n")
    receipt = {
        "v": 1, "id": "r-forged", "proposal": "", "path": place, "before": evil,
        "after": digest(b"good\n"), "event_hash": events(project)[-1]["event_hash"], "at": 1.0,
    }  # fmt: skip
    with forging(project) as db:
        db.execute(
            "INSERT INTO receipts (id, set_id, path, body) VALUES ('r-forged', '', ?, ?)",
            (place, json.dumps(receipt)),
        )
    done = cut_off(project, "undo", "r-forged", "--yes", "--json")
    assert (done.code, error(done)) == (2, "not-in-log"), done.out
    assert target.read_bytes() == b"good\n"


def test_a_library_that_applies_meets_the_same_check(project: Project) -> None:
    one = one_proposed(project, "a.txt", b"evil\n")
    forge(project, one)
    with gate_of(project) as gate, pytest.raises(RefusedError) as no:
        gate.apply(one)
    assert no.value.code == "not-in-log"


def test_a_set_is_written_whole_with_one_approval_each(project: Project) -> None:
    made = proposed(project, {"b.txt": b"b\n", "c.txt": b"c\n"})
    assert in_terminal(project, "approve", made[0].set_id, "--yes").code == 0
    named = [event["approval"] for event in events(project, "applied")]
    assert named == [event["event_hash"] for event in events(project, "approved")]
    assert project.run("audit", "verify").code == 0


def test_an_undo_is_an_approval_of_its_own(project: Project) -> None:
    one = approved(project, "a.txt", b"good\n")
    assert project.run("apply", one).code == 0
    assert in_terminal(project, "undo", "--yes").code == 0
    assert not (project.root / "a.txt").exists()
    assert len(events(project, "applied")) == 2
    assert project.run("audit", "verify").code == 0


def test_an_approval_that_was_not_logged_is_none(project: Project) -> None:
    """No entry, no approval: where the log cannot be written the proposal stays as it was."""
    one = one_proposed(project, "a.txt", b"good\n")
    log = state_dir(project) / "audit.jsonl"
    kept = log.read_bytes()
    log.unlink()
    log.mkdir()
    with gate_of(project) as gate:
        with pytest.raises(AuditError):
            gate.answer(one, approve=True, proof=Proof(by="ann"))
        found = gate.get(one)
    assert found is not None
    assert found.state == "waiting"
    log.rmdir()
    Path(log).write_bytes(kept)

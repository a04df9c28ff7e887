"""Owners at apply: approvals are counted by signatures of keys in the bundle, in the audit log."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest
from msgspec.structs import replace

from penstock import app
from penstock.core.audit.approval.owner_approvals import BundleTerm, OwnerApprovals
from penstock.core.audit.approval.standing_approval import fingerprint
from penstock.core.bundle.document import read_bundle
from penstock.core.bundle.public_key import key_text
from penstock.core.errors import PenstockError
from penstock.core.model import Verdict
from penstock.core.proposals.model import Receipt, State
from penstock.gate import Gate, Item, Proof
from penstock.stores.approver.keys import ApproverKeys, Signer
from penstock.stores.audit.jsonl import JsonlLog
from tests.cli.pending import AGENT, events, gate_of, state_dir, surroundings_of
from tests.cli.quick import Quick
from tests.organisation import ALICE, BOB, CAROL, Organisation, Person, owner
from tests.project import Project

CHAINED = ("ts", "seq", "prev_hash", "event_hash")
WORDS = "correct horse battery staple"
PEOPLE = [ALICE.approver("pay"), BOB.approver("pay"), CAROL.approver("web")]
TWO = {"approvers": PEOPLE, "owners": [owner("pay/**", groups=["pay"], approvals=2)]}


@pytest.fixture
def acme() -> Organisation:
    return Organisation()


@pytest.fixture
def quick(project: Project) -> Quick:
    return Quick(project.root, project.home)


def publish(project: Quick, acme: Organisation, **said: object) -> None:
    place = project.home / "bundle.json"
    place.write_bytes(acme.bundle(**said))
    acme.pin(project, f"file:{place}")
    done = project.run("bundle", "fetch")
    assert done.code == 0, done.err


def by(person: Person) -> Proof:
    return Proof(by=person.name, kind="key", sign=person.sign)


def refused(gate: Gate, known: str, proof: Proof) -> str:
    with pytest.raises(PenstockError) as caught:
        gate.answer(known, approve=True, proof=proof)
    return caught.value.code


def not_written(gate: Gate, known: str) -> str:
    with pytest.raises(PenstockError) as caught:
        gate.apply(known)
    return caught.value.code


def one_in(gate: Gate, path: str = "pay/a.py") -> str:
    return gate.propose([Item(path=path, content=b"x\n")], actor=AGENT)[0].id


def test_one_of_two_owners_leaves_it_pending_and_the_second_writes_it(
    quick: Quick, acme: Organisation
) -> None:
    publish(quick, acme, **TWO)
    with gate_of(quick) as gate:
        known = one_in(gate)
        assert not_written(gate, known) == "not-approved"
        assert gate.answer(known, approve=True, proof=by(ALICE)).state is State.WAITING
        pending = gate.get(known)
        assert pending is not None
        tally = gate.approvals(pending)
        assert tally is not None
        assert tally.said == "1 of 2 approvals by `pay`"
        assert not_written(gate, known) == "owners-missing"
        assert not (quick.root / "pay/a.py").exists()
        assert gate.answer(known, approve=True, proof=by(BOB)).state is State.APPROVED
        gate.apply(known)
    assert (quick.root / "pay/a.py").read_bytes() == b"x\n"
    ops = [event["op"] for event in events(quick) if event.get("proposal") == known]
    assert ops == ["proposed", "endorsed", "endorsed", "approved", "applying", "applied"]
    applied = events(quick, "applied")[0]
    assert applied["owners"] == ["2 not_author pay"]
    assert quick.run("audit", "verify").code == 0, quick.run("audit", "verify").out


def test_one_key_counts_once(quick: Quick, acme: Organisation) -> None:
    publish(quick, acme, **TWO)
    with gate_of(quick) as gate:
        known = one_in(gate)
        gate.answer(known, approve=True, proof=by(ALICE))
        assert refused(gate, known, by(ALICE)) == "already-counted"
        assert not_written(gate, known) == "owners-missing"


def test_who_owns_nothing_here_approves_nothing(quick: Quick, acme: Organisation) -> None:
    publish(quick, acme, **TWO)
    with gate_of(quick) as gate:
        known = one_in(gate)
        assert refused(gate, known, by(CAROL)) == "owner-needed"
        assert refused(gate, known, by(Person("mallory"))) == "unknown-key"
        assert refused(gate, known, Proof(by="library")) == "owner-needed"


def test_a_forged_signature_approves_nothing(quick: Quick, acme: Organisation) -> None:
    publish(quick, acme, **TWO)
    with gate_of(quick) as gate:
        known = one_in(gate)

        def forged(said: bytes) -> tuple[str, str]:
            return Person("mallory").sign(said)[0], ALICE.key_id

        assert refused(gate, known, Proof(by="m", sign=forged)) == "unknown-key"


def local_key(project: Project) -> tuple[ApproverKeys, Signer]:
    with surroundings_of(project):
        keys = app.open_workspace(str(project.root)).keys
    fast = ApproverKeys(os.path.dirname(keys.path), cost=2**14)
    fast.init(WORDS)
    return fast, fast.unseal(WORDS)


def test_the_author_never_counts(quick: Quick, acme: Organisation) -> None:
    _, mine = local_key(quick)
    me = {"name": "me", "groups": ["pay"], "key": key_text(mine.public), "passkeys": []}
    own = Proof(by="me", sign=mine)
    publish(quick, acme, **{**TWO, "approvers": [*PEOPLE, me]})
    with gate_of(quick) as gate:
        known = one_in(gate)
        assert refused(gate, known, own) == "author-cannot-approve"
        gate.answer(known, approve=True, proof=by(ALICE))
        assert refused(gate, known, own) == "author-cannot-approve"
        assert gate.answer(known, approve=True, proof=by(BOB)).state is State.APPROVED
        gate.apply(known)
    assert quick.run("audit", "verify").code == 0
    mild = [owner("pay/**", groups=["pay"], not_author=False)]
    publish(quick, acme, approvers=[*PEOPLE, me], owners=mild)
    with gate_of(quick) as gate:
        known = one_in(gate, "pay/b.py")
        gate.answer(known, approve=True, proof=own)
        gate.apply(known)


def test_a_key_that_has_left_the_bundle_no_longer_counts(quick: Quick, acme: Organisation) -> None:
    publish(quick, acme, **TWO)
    with gate_of(quick) as gate:
        known = one_in(gate)
        gate.answer(known, approve=True, proof=by(ALICE))
        assert gate.answer(known, approve=True, proof=by(BOB)).state is State.APPROVED
        left = [BOB.approver("pay"), CAROL.approver("pay")]
        publish(quick, acme, **{**TWO, "approvers": left})
        assert not_written(gate, known) == "owners-missing"
        assert not (quick.root / "pay/a.py").exists()
    assert events(quick, "refused")[-1]["code"] == "owners-missing"


def test_all_files_of_a_set_have_to_be_covered(quick: Quick, acme: Organisation) -> None:
    web = owner("web/**", groups=["web"])
    publish(quick, acme, **{**TWO, "owners": [*TWO["owners"], web]})
    with gate_of(quick) as gate:
        items = [Item(path=path, content=b"x") for path in ("pay/a", "web/b", "free")]
        found = gate.propose(items, actor=AGENT)
        ids = [one.id for one in found]
        # Alice owns one of the two that need owners, so her answer to all of it is refused.
        with pytest.raises(PenstockError) as caught:
            gate.answer_all(ids, approve=True, proof=by(ALICE))
        assert caught.value.code == "owner-needed"
        assert events(quick, "endorsed") == []
        gate.answer_all([ids[0], ids[2]], approve=True, proof=by(ALICE))
        assert [one.state for one in gate.of_set(found[0].set_id)] == [
            State.WAITING,
            State.WAITING,
            State.APPROVED,
        ]
        assert not_written(gate, found[0].set_id) in ("owners-missing", "not-approved")
        gate.answer(ids[0], approve=True, proof=by(BOB))
        assert not_written(gate, found[0].set_id) == "not-approved"
        gate.answer(ids[1], approve=True, proof=by(CAROL))
        assert len(gate.apply(found[0].set_id)) == 3
    assert quick.run("audit", "verify").code == 0


def test_codeowners_of_the_real_tree_say_whom_it_needs(quick: Quick, acme: Organisation) -> None:
    publish(quick, acme, approvers=PEOPLE)
    quick.write(".github/CODEOWNERS", "*.py @acme/web\n")
    with gate_of(quick) as gate:
        known = one_in(gate, "x.py")
        assert refused(gate, known, by(ALICE)) == "owner-needed"
        # An agent that proposes other owners along with its change does not make them owners.
        items = [Item(path=".github/CODEOWNERS", content=b""), Item(path="y.py", content=b"y")]
        both = gate.propose(items, actor=AGENT)
        assert gate.approvals(both[1]) is not None
        gate.answer(known, approve=True, proof=by(CAROL))
        gate.apply(known)
    assert events(quick, "applied")[0]["owners"] == ["1 not_author web"]


@pytest.mark.parametrize(
    "place", ["CODEOWNERS", ".github/CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS"]
)
def test_an_agent_does_not_choose_the_owners(quick: Quick, acme: Organisation, place: str) -> None:
    """Neither in the file that counts nor by one that would hide it."""
    publish(quick, acme, approvers=PEOPLE)
    quick.write("CODEOWNERS", "* @acme/web\n")
    with gate_of(quick) as gate:
        (one,) = gate.propose([Item(path=place, content=b"* @acme/pay\n")], actor=AGENT)
        assert one.state is State.WAITING
        assert "bundle-codeowners" in [reason.rule for reason in one.decision.reasons]
        assert refused(gate, one.id, by(ALICE)) == "owner-needed"
        gate.answer(one.id, approve=True, proof=by(CAROL))
        gate.apply(one.id)
    assert quick.judge("Read", {"file_path": place}, "--json").json["verdict"] == "allow"


@pytest.mark.parametrize("how", ["link", "directory"])
def test_owners_that_cannot_be_read_are_not_no_owners(
    quick: Quick, acme: Organisation, how: str
) -> None:
    publish(quick, acme, approvers=PEOPLE)
    quick.write("CODEOWNERS", "")
    place = quick.root / ".github/CODEOWNERS"
    place.parent.mkdir(exist_ok=True)
    if how == "link":
        place.symlink_to("../CODEOWNERS")
    else:
        place.mkdir()
    with gate_of(quick) as gate:
        known = one_in(gate, "x.py")
        assert refused(gate, known, by(ALICE)) == "owner-needed"
        pending = gate.get(known)
        assert pending is not None
        tally = gate.approvals(pending)
        assert tally is not None
        assert "CODEOWNERS can't be read" in tally.said


def test_a_signature_counts_for_the_change_that_it_was_given_for_alone(
    quick: Quick, acme: Organisation
) -> None:
    """An owner's entry, said again for another change or another content, is nothing."""
    publish(quick, acme, **TWO)
    with gate_of(quick) as gate:
        first, second = one_in(gate), one_in(gate, "pay/b.py")
        for person in (ALICE, BOB):
            gate.answer(first, approve=True, proof=by(person))
        log = JsonlLog(str(state_dir(quick) / "audit.jsonl"), clock=time.time)
        other = gate.get(second)
        assert other is not None
        for event in events(quick, "endorsed"):
            facts = {name: one for name, one in event.items() if name not in CHAINED}
            said = {"proposal": second, "proposal_hash": fingerprint(other), "path": "pay/b.py"}
            log.append({**facts, **said}, durable=False)
        tally = gate.approvals(other)
        assert tally is not None
        assert tally.have == (0,)
        assert not_written(gate, second) == "not-approved"


def test_codeowners_can_be_switched_off(quick: Quick, acme: Organisation) -> None:
    publish(quick, acme, approvers=PEOPLE, codeowners=False)
    quick.write("CODEOWNERS", "* @acme/ghosts\n")
    with gate_of(quick) as gate:
        known = one_in(gate, "x.py")
        gate.answer(known, approve=True, proof=Proof(by="library"))
        gate.apply(known)


def test_what_the_rules_allow_needs_no_owner_and_neither_does_its_undo(
    quick: Quick, acme: Organisation
) -> None:
    publish(quick, acme, approvers=PEOPLE, owners=[owner("**", groups=["pay"], approvals=2)])
    with gate_of(quick) as gate:
        known = one_in(gate, "notes/x.md")
        receipts = gate.apply(known)
        made = gate.undo(receipts)
        gate.answer(made[0].id, approve=True, proof=Proof(by="library"))
        gate.apply(made[0].id)
    assert events(quick, "applied")[-1]["rules_allow"] is True
    assert quick.run("audit", "verify").code == 0


def written_by_owners(gate: Gate, path: str = "pay/a.py") -> tuple[Receipt, ...]:
    known = one_in(gate, path)
    for person in (ALICE, BOB):
        gate.answer(known, approve=True, proof=by(person))
    return gate.apply(known)


def test_an_undo_of_what_owners_approved_needs_them_again(quick: Quick, acme: Organisation) -> None:
    publish(quick, acme, **TWO)
    with gate_of(quick) as gate:
        (made,) = gate.undo(written_by_owners(gate))
        assert refused(gate, made.id, Proof(by="library")) == "owner-needed"
        assert refused(gate, made.id, by(CAROL)) == "owner-needed"
        assert gate.answer(made.id, approve=True, proof=by(BOB)).state is State.WAITING
        assert not_written(gate, made.id) == "owners-missing"
        assert (quick.root / "pay/a.py").exists()
        gate.answer(made.id, approve=True, proof=by(ALICE))
        gate.apply(made.id)
    assert not (quick.root / "pay/a.py").exists()
    applied = events(quick, "applied")[-1]
    assert (applied["origin"], applied["owners"]) == ("undo", ["2 not_author pay"])
    assert quick.run("audit", "verify").code == 0


def test_the_queue_cannot_say_that_the_rules_allow_an_undo(
    quick: Quick, acme: Organisation
) -> None:
    """Whoever edits the queue's own account of a change gains nothing: the bytes are judged."""
    publish(quick, acme, **TWO)
    with gate_of(quick) as gate:
        (made,) = gate.undo(written_by_owners(gate))
        allowed = replace(made, decision=replace(made.decision, verdict=Verdict.ALLOW, reasons=()))
        assert gate.approvals(allowed) is not None


def test_verify_finds_an_undo_that_lacks_its_owners(quick: Quick, acme: Organisation) -> None:
    free = [owner("other/**", groups=["pay"])]
    publish(quick, acme, approvers=PEOPLE, owners=free)
    with gate_of(quick) as gate:
        known = one_in(gate)
        gate.answer(known, approve=True, proof=by(ALICE))
        (made,) = gate.undo(gate.apply(known))
        gate.answer(made.id, approve=True, proof=by(ALICE))
        gate.apply(made.id)
    line = events(quick, "applied")[-1]
    assert "rules_allow" not in line
    term = BundleTerm(bundle=read_bundle(acme.bundle(**TWO), acme.public), since="2000")
    approved = {**events(quick, "approved")[-1], "signature": ""}
    look = OwnerApprovals([term])
    look.feed([(1, approved), (2, {**line, "bundle": ""})])
    assert "was written with 0 of 2 approvals" in look.problems[0].message
    look = OwnerApprovals([term])
    look.feed([(1, approved), (2, {**line, "bundle": "", "rules_allow": True})])
    assert look.problems == []


def test_the_command_leaves_such_an_undo_pending(project: Project, acme: Organisation) -> None:
    publish(Quick(project.root, project.home), acme, **TWO)
    with gate_of(project) as gate:
        written_by_owners(gate)
    done = project.run("undo", "--yes", "--json")
    assert done.code == 3, done.err
    (pending,) = done.json["pending"]
    assert (pending["state"], pending["origin"], done.json["receipts"]) == ("waiting", "undo", [])
    assert "the revert is pending as" in done.err
    assert "0 of 2 approvals by `pay`" in done.err
    assert (project.root / "pay/a.py").exists()


def test_a_quorum_asks_for_any_of_the_bundle(quick: Quick, acme: Organisation) -> None:
    publish(quick, acme, approvers=PEOPLE, quorum=2)
    with gate_of(quick) as gate:
        known = one_in(gate, "x.py")
        gate.answer(known, approve=True, proof=by(ALICE))
        gate.answer(known, approve=True, proof=by(CAROL))
        gate.apply(known)


def test_another_version_of_a_change_needs_its_own_approvals(
    quick: Quick, acme: Organisation
) -> None:
    publish(quick, acme, **TWO)
    with gate_of(quick) as gate:
        known = one_in(gate)
        gate.answer(known, approve=True, proof=by(ALICE))
        newer = gate.revise(known, b"z\n")
        assert gate.answer(newer.id, approve=True, proof=by(BOB)).state is State.WAITING


# --- the audit log -------------------------------------------------------------------------


def test_the_queue_cannot_say_that_owners_approved(quick: Quick, acme: Organisation) -> None:
    """Whoever writes `approved` into the queue and into the log lacks the signatures."""
    publish(quick, acme, **TWO)
    with gate_of(quick) as gate:
        known = one_in(gate)
        gate.answer(known, approve=True, proof=by(ALICE))
        one = gate.get(known)
        assert one is not None
        from penstock.core.proposals.model import Answer, Transition
        from penstock.gate.answer import answered

        answer = Answer(approved=True, by="evil", proof="key", at=1.0)
        parts = gate._parts
        parts.proposals.answer(
            {known: answer},
            Transition.APPROVE,
            record=lambda moved: parts.record_all([answered(each, answer) for each in moved]),
        )
        assert not_written(gate, known) == "owners-missing"


def test_verify_finds_a_write_that_lacks_an_owner(quick: Quick, acme: Organisation) -> None:
    publish(quick, acme, **TWO)
    # In force long enough that a write of now falls under it.
    kept = quick.home / "state/penstock/bundle/kept"
    for entry in kept.iterdir():
        os.utime(entry, (acme.now - 100, acme.now - 100))
    with gate_of(quick) as gate:
        known = one_in(gate)
        gate.answer(known, approve=True, proof=by(ALICE))
        gate.answer(known, approve=True, proof=by(BOB))
        gate.apply(known)
    assert quick.run("audit", "verify").code == 0
    log = state_dir(quick) / "audit.jsonl"
    lines = log.read_bytes().splitlines()
    found = verified(
        quick, [line for line in lines if b'"bob"' not in line or b"endors" not in line]
    )
    assert "was written with 1 of 2 approvals by `pay`" in found
    twice = [line.replace(BOB.key_id.encode(), ALICE.key_id.encode()) for line in lines]
    assert "1 of 2" in verified(quick, twice)


def verified(quick: Quick, lines: list[bytes]) -> str:
    """Return what the check of owners alone says of some lines, whose chain is of no concern."""
    from penstock.app.rules.organisation import bundle_terms
    from penstock.core.audit.approval.owner_approvals import OwnerApprovals

    with surroundings_of(quick):
        terms = bundle_terms(app.open_workspace(str(quick.root)).policy())
    check = OwnerApprovals(terms)
    check.feed((at, json.loads(line)) for at, line in enumerate(lines))
    return "; ".join(problem.message for problem in check.problems)


# --- the commands --------------------------------------------------------------------------


def a_key(folder: Path) -> Signer:
    keys = ApproverKeys(str(folder), cost=2**14)
    keys.init(WORDS)
    return keys.unseal(WORDS)


def test_two_owners_come_to_one_machine(project: Project, acme: Organisation) -> None:
    homes = [project.home / "stick-1", project.home / "stick-2"]
    people = [
        {"name": home.name, "groups": ["pay"], "key": key_text(a_key(home).public), "passkeys": []}
        for home in homes
    ]
    publish(Quick(project.root, project.home), acme, **{**TWO, "approvers": people})
    with gate_of(project) as gate:
        known = one_in(gate)

    def approve(home: Path, *more: str) -> object:
        words = ("approve", known, "--yes", "--approver-key", str(home), *more)
        return project.run(*words, env={"PENSTOCK_PASSPHRASE_FD": "0"}, stdin=f"{WORDS}\n")

    first = approve(homes[0], "--json")
    assert first.code == 3, first.err  # type: ignore[attr-defined]
    said = first.json["approved"][0]  # type: ignore[attr-defined]
    assert (said["state"], said["approvals"]["says"]) == ("waiting", "1 of 2 approvals by `pay`")
    assert "1 of 2 approvals" in first.err  # type: ignore[attr-defined]
    assert "1 of 2 approvals" in project.run("show", known).out
    again = approve(homes[0])
    assert "error[already-counted]" in again.err  # type: ignore[attr-defined]
    second = approve(homes[1])
    assert second.code == 0, second.err  # type: ignore[attr-defined]
    assert (project.root / "pay/a.py").read_bytes() == b"x\n"

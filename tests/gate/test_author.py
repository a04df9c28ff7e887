"""Who the author is: nobody approves their own change, by whatever key or name."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable

import pytest

from penstock.core.audit.approval.owner_approvals import BundleTerm, OwnerApprovals
from penstock.core.bundle.author import author_of
from penstock.core.bundle.document import read_bundle
from penstock.core.bundle.public_key import key_text
from penstock.core.proposals.model import State
from penstock.gate import Gate, Item, Proof
from penstock.stores.approver.keys import Signer
from penstock.stores.audit.jsonl import JsonlLog
from tests.cli.pending import AGENT, events, gate_of, state_dir
from tests.cli.quick import Quick
from tests.doors.hook.hooks import Hook
from tests.gate.test_owners import PEOPLE, by, local_key, not_written, refused
from tests.organisation import ALICE, BOB, Organisation, Person, owner, policy
from tests.project import Project

ASK = 'version = 1\n[[ask]]\nid = "pay"\npaths = ["pay/**"]\nreason = "payments"\n'
ONE = {
    "approvers": PEOPLE,
    "owners": [owner("pay/**", groups=["pay"])],
    "policies": {"all": policy(ASK)},
}
LAPTOP = Person("alice's laptop")


@pytest.fixture
def acme() -> Organisation:
    return Organisation()


@pytest.fixture
def quick(project: Project) -> Quick:
    return Quick(project.root, project.home)


def publish(quick: Quick, acme: Organisation, *, person: str = "dave", **said: object) -> None:
    place = quick.home / "bundle.json"
    place.write_bytes(acme.bundle(**{**ONE, **said}))
    acme.pin(quick, f"file:{place}", person=person)
    done = quick.run("bundle", "fetch")
    assert done.code == 0, done.err


def proposed(gate: Gate, path: str = "pay/a.py") -> str:
    return gate.propose([Item(path=path, content=b"x\n")], actor=AGENT)[0].id


def said(gate: Gate, known: str) -> str:
    one = gate.get(known)
    tally = gate.approvals(one) if one else None
    assert tally is not None
    return tally.said


def listed(mine: Signer, name: str, *groups: str) -> dict[str, object]:
    return {"name": name, "groups": [*groups], "key": key_text(mine.public), "passkeys": []}


def also(who: Person, name: str) -> dict[str, object]:
    """Return one more key in the bundle for somebody who has a name in it already."""
    return {**who.approver("pay"), "name": name}


def test_the_person_whom_the_own_rules_name_is_the_author(quick: Quick, acme: Organisation) -> None:
    """Also where their key is on a stick, and this machine has never seen it."""
    publish(quick, acme, person="alice")
    with gate_of(quick) as gate:
        known = proposed(gate)
        assert events(quick, "proposed")[0]["author"] == ["alice"]
        assert refused(gate, known, by(ALICE)) == "author-cannot-approve"
        assert gate.answer(known, approve=True, proof=by(BOB)).state is State.APPROVED
        gate.apply(known)
    assert events(quick, "applied")[0]["author"] == ["alice"]
    assert quick.run("audit", "verify").code == 0


@pytest.mark.parametrize("name", ["alice", "Alice", "ＡＬＩＣＥ"])
def test_a_second_key_of_the_author_is_the_author(
    quick: Quick, acme: Organisation, name: str
) -> None:
    _, mine = local_key(quick)
    people = [*PEOPLE[1:], listed(mine, "alice", "pay"), also(LAPTOP, name)]
    publish(quick, acme, person="", approvers=people)
    with gate_of(quick) as gate:
        known = proposed(gate)
        assert refused(gate, known, by(LAPTOP)) == "author-cannot-approve"
        assert refused(gate, known, Proof(by="me", sign=mine)) == "author-cannot-approve"
        gate.answer(known, approve=True, proof=by(BOB))
        gate.apply(known)


def test_two_keys_of_one_person_are_one_approval(quick: Quick, acme: Organisation) -> None:
    two = [owner("pay/**", groups=["pay"], approvals=2)]
    publish(quick, acme, approvers=[*PEOPLE, also(LAPTOP, "Alice")], owners=two)
    with gate_of(quick) as gate:
        known = proposed(gate)
        gate.answer(known, approve=True, proof=by(ALICE))
        assert refused(gate, known, by(LAPTOP)) == "already-counted"
        assert not_written(gate, known) == "owners-missing"


def test_a_second_key_counts_where_the_first_one_does_not(quick: Quick, acme: Organisation) -> None:
    """The same person in two groups, with a key for each: the first need is not the second."""
    needed = [owner("pay/**", groups=["pay"]), owner("pay/**", groups=["web"])]
    people = [*PEOPLE, {**LAPTOP.approver("web"), "name": "alice"}]
    publish(quick, acme, approvers=people, owners=needed)
    with gate_of(quick) as gate:
        known = proposed(gate)
        assert gate.answer(known, approve=True, proof=by(ALICE)).state is State.WAITING
        assert gate.answer(known, approve=True, proof=by(LAPTOP)).state is State.APPROVED


def test_another_name_for_the_author_changes_nothing(quick: Quick, acme: Organisation) -> None:
    """Neither the organisation's new name for a key, nor a new key for the name."""
    publish(quick, acme, person="alice")
    with gate_of(quick) as gate:
        known = proposed(gate)
        publish(quick, acme, person="zed", approvers=[also(LAPTOP, "alice"), BOB.approver("pay")])
        assert refused(gate, known, by(LAPTOP)) == "author-cannot-approve"
    _, mine = local_key(quick)
    publish(quick, acme, person="zed", approvers=[listed(mine, "al", "pay"), *PEOPLE[1:]])
    with gate_of(quick) as gate:
        later = proposed(gate, "pay/b.py")
        publish(quick, acme, person="zed", approvers=[listed(mine, "renamed", "pay"), *PEOPLE[1:]])
        assert refused(gate, later, Proof(by="x", sign=mine)) == "author-cannot-approve"


def test_a_key_that_is_forgotten_here_stays_the_authors(quick: Quick, acme: Organisation) -> None:
    """The audit log says who proposed it; what is deleted afterwards does not change that."""
    keys, mine = local_key(quick)
    publish(quick, acme, person="", approvers=[listed(mine, "me", "pay"), *PEOPLE[1:]])
    with gate_of(quick) as gate:
        known = proposed(gate)
    os.unlink(keys.path)
    os.unlink(f"{os.path.dirname(keys.path)}.known")
    with gate_of(quick) as gate:
        assert refused(gate, known, Proof(by="me", sign=mine)) == "author-cannot-approve"


@pytest.mark.parametrize("has_key", [True, False])
def test_an_unknown_author_takes_one_approval_more(
    quick: Quick, acme: Organisation, has_key: bool
) -> None:
    """One of those who approve may be the author; a key outside of the bundle says nothing."""
    if has_key:
        local_key(quick)
    publish(quick, acme, person="")
    with gate_of(quick) as gate:
        known = proposed(gate)
        assert gate.answer(known, approve=True, proof=by(ALICE)).state is State.WAITING
        assert said(gate, known).startswith("1 of 2 approvals by `pay`")
        assert "author is unknown" in said(gate, known)
        assert not_written(gate, known) == "owners-missing"
        assert gate.answer(known, approve=True, proof=by(BOB)).state is State.APPROVED
        gate.apply(known)
    assert quick.run("audit", "verify").code == 0, quick.run("audit", "verify").out


def test_where_the_author_may_approve_nobody_has_to_be_known(
    quick: Quick, acme: Organisation
) -> None:
    mild = [owner("pay/**", groups=["pay"], not_author=False)]
    publish(quick, acme, person="", owners=mild)
    with gate_of(quick) as gate:
        known = proposed(gate)
        assert gate.answer(known, approve=True, proof=by(ALICE)).state is State.APPROVED


def test_an_entry_of_somebody_else_takes_no_author_away(quick: Quick, acme: Organisation) -> None:
    """Whoever adds a second `proposed` entry to the log only adds an author."""
    publish(quick, acme, person="alice")
    with gate_of(quick) as gate:
        known = proposed(gate)
        again = {"op": "proposed", "path": "pay/a.py", "status": "waiting", "proposal": known}
        log = JsonlLog(str(state_dir(quick) / "audit.jsonl"), clock=time.time)
        log.append({**again, "author": ["zed"], "author_keys": []}, durable=False)
        assert refused(gate, known, by(ALICE)) == "author-cannot-approve"
        assert gate.answer(known, approve=True, proof=by(BOB)).state is State.APPROVED


def checked(quick: Quick, acme: Organisation, lines: Iterable[dict[str, object]]) -> str:
    term = BundleTerm(bundle=read_bundle(acme.signed(acme.last), acme.public), since="2000")
    look = OwnerApprovals([term], author_of([]))
    look.feed(enumerate(lines))
    return "; ".join(one.message for one in look.problems)


def test_verify_finds_a_write_that_its_author_approved(quick: Quick, acme: Organisation) -> None:
    publish(quick, acme)
    with gate_of(quick) as gate:
        known = proposed(gate)
        gate.answer(known, approve=True, proof=by(ALICE))
        gate.apply(known)
    lines = events(quick)
    assert checked(quick, acme, lines) == ""
    for op in ("proposed", "applied"):
        other = [{**one, "author": ["alice"]} if one["op"] == op else one for one in lines]
        assert "0 of 1 approval" in checked(quick, acme, other), op
    nobody = [{**one, "author": []} if "author" in one else one for one in lines]
    assert "1 of 2 approvals" in checked(quick, acme, nobody)


# --- an agent's own prompt -----------------------------------------------------------------


def test_an_agents_own_prompt_is_not_the_owners_approval(quick: Quick, acme: Organisation) -> None:
    """Whoever sits at Claude Code's prompt is the author: what has owners is stored for them."""
    publish(quick, acme)
    hook = Hook(quick, attended=True)
    quick.write("pay/a.py", "a\n")
    answer = json.loads(hook.write("pay/a.py", "b\n").out)["hookSpecificOutput"]
    assert answer["permissionDecision"] == "deny"
    assert "saved as pending change" in answer["permissionDecisionReason"]
    with gate_of(quick) as gate:
        (one,) = gate.find(path="pay/a.py")
        gate.answer(one.id, approve=True, proof=by(BOB))
        gate.apply(one.id)
    assert (quick.root / "pay/a.py").read_text() == "b\n"


def test_a_prompt_asks_for_what_has_no_owner(quick: Quick, acme: Organisation) -> None:
    publish(quick, acme, owners=[owner("web/**", groups=["pay"])])
    quick.write("pay/a.py", "a\n")
    assert '"ask"' in Hook(quick, attended=True).write("pay/a.py", "b\n").out

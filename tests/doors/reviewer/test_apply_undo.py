"""A rule edit is a write like any other: it has a receipt, and `penstock undo` takes it back."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from penstock.app import Workspace, open_workspace
from penstock.core.errors import InputError, PenstockError, RefusedError
from penstock.core.learning.past_decision import past_of
from penstock.core.proposals.model import Receipt, State
from penstock.gate import Item, Proof
from penstock.gate.doors import Door
from penstock.stores.system.places import state_of
from tests.doors.reviewer.reviewer_process import RULES, adding
from tests.doors.reviewer.scene import Scene, scene
from tests.fakes.surroundings import SeatedWorkspace

PERSON = Proof(by="ada", kind="terminal")
USER = ".config/penstock/penstock.toml"
SWITCHED = '[approval]\nrules = "switch"\n\n'
TIGHT = SWITCHED + '[[deny]]\nid = "deny-x"\ntool = "Bash"\ncommand_regex = "^x "\n'


def here(at: Scene, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """Stand in the folder of the rules, as a person does."""
    monkeypatch.chdir(at.folder)
    return seated(at.folder)


def seated(folder: Path) -> Workspace:
    root = os.path.realpath(folder)
    return SeatedWorkspace(root, state_of(root), door=Door.COMMAND)


def undo(place: Workspace, **asked: Any) -> tuple[Receipt, ...]:
    gate = place.gate
    made = gate.undo(gate.undoable(**asked))
    gate.answer_all([one.id for one in made], approve=True, proof=PERSON)
    return gate.apply(made[0].set_id or made[0].id)


def ops(place: Workspace) -> list[object]:
    return [event["op"] for event in place.record.events()]


@pytest.mark.parametrize("git", [True, False], ids=["git", "copies"])
def test_undo_takes_an_edit_back_and_its_undo_too(
    git: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    with scene(git=git) as at:
        place = here(at, monkeypatch)
        at.made(adding())
        edited = at.text
        (back,) = undo(place, last=1)
        assert at.text == RULES
        assert place.gate.undoable(last=1) == ()
        undo(place, receipt=back.id)
        assert at.text == edited
        assert place.verify().ok
        copies = [one for one in at.folder.iterdir() if one.suffix == ".bak"]
        assert len(copies) == (0 if git else 3)


def test_nothing_is_learnt_from_an_edit_or_its_undo(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the reviewer would propose to let agents write the files it writes itself."""
    with scene() as at:
        place = here(at, monkeypatch)
        at.made(adding())
        undo(place, last=1)
        events = place.record.events()
        assert {"proposed", "approved"} <= {event["op"] for event in events}
        assert [past_of(event) for event in events if past_of(event)] == []


def test_an_undo_is_a_commit_of_that_file_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    with scene(git=True) as at:
        place = here(at, monkeypatch)
        at.made(adding())
        at.made({"type": "remove_rule", "id": "deny-rm"})
        undo(place, last=2)
        assert at.text == RULES
        subjects = at.repo.git("log", "--format=%s").splitlines()
        assert subjects[0] == "revert(config): Undo 2 edits"
        assert (len(subjects), at.repo.status()) == (4, [])
        (told,) = [event for event in place.record.events() if event.get("operation") == "undo"][1:]
        assert (told["op"], told["by"], told["commit"]) == ("rules_changed", "ada", at.repo.head())
        assert told["rules"] == ["deny-rm", "allow-npm-install"]


def test_an_edit_without_a_commit_is_undone_without_one(monkeypatch: pytest.MonkeyPatch) -> None:
    with scene(git=True) as at:
        place, head = here(at, monkeypatch), at.repo.head()
        at.made(adding(), no_commit=True)
        undo(place)
        assert (at.text, at.repo.head()) == (RULES, head)


def test_an_edit_and_another_write_are_undone_together(monkeypatch: pytest.MonkeyPatch) -> None:
    with scene(git=True) as at:
        place = here(at, monkeypatch)
        (made,) = place.gate.propose([Item(path="new/a.txt", content=b"a\n")])
        place.gate.apply(made.id)
        at.made(adding())
        done = undo(place, last=2)
        assert (at.text, (at.folder / "new").exists()) == (RULES, False)
        assert at.repo.git("show", "--format=", "--name-only").split() == [at.file.name]
        undo(place, receipt=done[0].set_id)
        assert (at.folder / "new/a.txt").read_bytes() == b"a\n"
        (again,) = place.gate.undoable(path="new/a.txt")
        assert again.proposal == made.id


def test_rules_that_were_saved_since_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    with scene() as at:
        place = here(at, monkeypatch)
        at.made(adding())
        at.file.write_text(f"{at.text}# by hand\n")
        with pytest.raises(PenstockError, match="has changed since Penstock wrote it"):
            undo(place)


# Outside the workspace


def user_rules(at: Scene) -> Path:
    file = at.home / USER
    file.parent.mkdir(parents=True)
    file.write_text(TIGHT)
    return file


def test_rules_outside_are_undone_where_the_command_ran(monkeypatch: pytest.MonkeyPatch) -> None:
    with scene(git=True) as at:
        place, user = here(at, monkeypatch), user_rules(at)
        edit = adding({"id": "b", "tool": "Bash", "command_regex": "^b$"}, rule_type="deny")
        assert at.answer(edit, target=str(user)).code == 0
        (receipt,) = place.gate.undoable(path=str(user))
        assert receipt.path == str(user)
        assert ops(place) == ["proposed", "applying", "applied"]
        home = open_workspace(str(user.parent))  # whoever looks there finds it as well
        assert ops(home) == ["rules_changing", "rules_changed"]
        undo(place, receipt=receipt.id)
        assert user.read_text() == TIGHT
        assert (place.verify().ok, home.verify().ok) == (True, True)


def test_a_batch_inside_and_outside_is_one_set(monkeypatch: pytest.MonkeyPatch) -> None:
    with scene(git=True) as at:
        place, user = here(at, monkeypatch), user_rules(at)
        gone = {"type": "toggle_rule", "id": "deny-x", "enabled": False, "target_file": str(user)}
        batch = {"type": "batch", "operations": [adding(target_file=str(at.file)), gone]}
        assert at.answer(batch, target="").code == 0
        receipts = place.gate.undoable(last=1)
        assert {one.path for one in receipts} == {at.file.name, str(user)}
        user.write_text(f"{user.read_text()}# by hand\n")
        with pytest.raises(PenstockError, match="has changed since Penstock wrote it"):
            undo(place, last=1)
        assert at.text != RULES, "all of a set or nothing"
        user.write_text(user.read_text().removesuffix("# by hand\n"))
        undo(place, last=1)
        assert (at.text, user.read_text()) == (RULES, TIGHT)


def test_nobody_else_may_propose_outside_the_workspace(monkeypatch: pytest.MonkeyPatch) -> None:
    with scene() as at:
        place, user = here(at, monkeypatch), user_rules(at)
        with pytest.raises(InputError) as no:
            place.gate.propose([Item(path=str(user), content=b"")])
        assert no.value.code == "absolute-path"
        at.answer({"type": "remove_rule", "id": "deny-x"}, target=str(user))
        (known,) = place.gate.undoable(path=str(user))
        (back,) = place.gate.undo([known])
        with pytest.raises(InputError):
            place.gate.revise(back.id, b"anything")


# What is not written


def test_an_edit_that_fails_leaves_no_open_proposal(monkeypatch: pytest.MonkeyPatch) -> None:
    with scene() as at:
        place = here(at, monkeypatch)
        os.link(at.file, at.folder / "second-name")
        said = at.refused(adding(), "hard_linked")
        assert f"`{at.file}`" in json.dumps(said)
        assert [one.state for one in place.gate.find()] == [State.STALE]
        assert ops(place)[-2:] == ["rules_change_failed", "outdated"]


@pytest.mark.parametrize("outside", [False, True], ids=["inside", "outside"])
def test_only_the_reviewer_writes_an_edit_without_a_person(
    outside: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    with scene() as at:
        place, user = here(at, monkeypatch), user_rules(at)
        target = user if outside else at.file
        at.answer(adding(), target=str(target))
        text = target.read_bytes()
        (one,) = place.gate.find()
        # As a crash leaves it, or as somebody puts it into the queue: approved, and not written.
        left = replace(one, id="left", state=State.APPROVED, base=one.content, content=one.base)
        place.gate._parts.proposals.add([left])
        with pytest.raises(RefusedError):
            place.gate.apply("left")
        assert target.read_bytes() == text


def test_the_repository_of_rules_outside_gets_the_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    with scene(git=True) as at:
        monkeypatch.chdir(at.home)
        place = seated(at.home)
        at.made(adding())
        undo(place)
        assert at.repo.git("log", "-1", "--format=%s").startswith("revert(config)")
        assert at.text == RULES

"""Which proof approvals have, and that `status` and `doctor` notice an exchanged key or memory.

Each row is one way to exchange them, made on the files as any program of the same user could; the
real commands look at it afterwards.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from penstock.app import open_workspace
from penstock.stores.agents.ancestry import seen_here
from penstock.stores.approver.keys import ApproverKeys
from tests.cli.pending import gate_of, one_proposed, surroundings_of
from tests.project import Done, Project
from tests.terminal import in_terminal

WORDS = "correct horse battery staple"
FD = {"PENSTOCK_PASSPHRASE_FD": "0"}
QUICK = 2**14
SINCE = 20  # characters of a time


@dataclass(frozen=True)
class Keyed:
    """A project with a key and a signed approval, another project, and a stranger's key."""

    project: Project
    other: Project
    stranger: Path

    @property
    def folder(self) -> Path:
        return self.project.home / "state" / "penstock"

    @property
    def key(self) -> Path:
        return self.folder / "approver" / "approver.key"

    @property
    def memory(self) -> Path:
        return self.folder / "approver.known"

    @property
    def strange_key(self) -> bytes:
        return (self.stranger / "approver" / "approver.key").read_bytes()

    @property
    def strange_memory(self) -> bytes:
        return (self.stranger / "approver.known").read_bytes()

    def handed(self, *argv: str) -> Done:
        done = self.project.run(*argv, env=FD, stdin=f"{WORDS}\n" * 2)
        assert done.code == 0, done.err
        return done


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Keyed:
    if seen_here():
        pytest.skip("these tests run inside an agent themselves")
    place = tmp_path_factory.mktemp("exchange")
    for name in ("project", "other"):
        (place / name / ".git").mkdir(parents=True)
    (place / "home").mkdir()
    projects = [Project(place / name, place / "home") for name in ("project", "other")]
    ApproverKeys(str(place / "stranger" / "approver"), cost=QUICK).init("a stranger's words")
    keyed = Keyed(projects[0], projects[1], place / "stranger")
    keyed.handed("approver", "init")
    keyed.handed("approve", one_proposed(keyed.project, "a.txt", b"x\n"), "--yes")
    with gate_of(keyed.other):
        pass
    shutil.copytree(keyed.folder, place / "kept")
    return keyed


@pytest.fixture
def keyed(made: Keyed) -> Iterator[Keyed]:
    yield made
    shutil.rmtree(made.folder)
    shutil.copytree(made.project.root.parent / "kept", made.folder)


# Ways to exchange


def nothing(_: Keyed) -> None:
    """Leave all as it is."""


def another_key(keyed: Keyed) -> None:
    keyed.key.write_bytes(keyed.strange_key)


def memory_deleted(keyed: Keyed) -> None:
    keyed.memory.unlink()


def memory_emptied(keyed: Keyed) -> None:
    keyed.memory.write_bytes(b"")


def memory_cut_within_a_line(keyed: Keyed) -> None:
    keyed.memory.write_bytes(keyed.memory.read_bytes()[:-9])


def memory_of_another(keyed: Keyed) -> None:
    keyed.memory.write_bytes(keyed.strange_memory)


def key_added_to_memory(keyed: Keyed) -> None:
    keyed.memory.write_bytes(keyed.memory.read_bytes() + keyed.strange_memory)


def added_to_memory_and_exchanged(keyed: Keyed) -> None:
    key_added_to_memory(keyed)
    another_key(keyed)


def added_as_a_successor_without_signature(keyed: Keyed) -> None:
    mine = keyed.memory.read_bytes().split(b" ")[1]
    forged = keyed.strange_memory.rstrip() + b" " + mine + b" " + b"A" * 86 + b"==\n"
    keyed.memory.write_bytes(keyed.memory.read_bytes() + forged)
    another_key(keyed)


def both_replaced(keyed: Keyed) -> None:
    memory_of_another(keyed)
    another_key(keyed)


def key_replaced_and_memory_deleted(keyed: Keyed) -> None:
    memory_deleted(keyed)
    another_key(keyed)


def key_deleted(keyed: Keyed) -> None:
    keyed.key.unlink()


def both_deleted(keyed: Keyed) -> None:
    keyed.memory.unlink()
    shutil.rmtree(keyed.key.parent)


def key_damaged(keyed: Keyed) -> None:
    keyed.key.write_bytes(keyed.key.read_bytes()[:40])


def key_made_younger(keyed: Keyed) -> None:
    keyed.memory.write_bytes(b"2099-01-01T00:00:00Z" + keyed.memory.read_bytes()[SINCE:])


def replaced_as_it_should_be(keyed: Keyed) -> None:
    keyed.handed("approver", "replace")


def passphrase_changed_and_codes_set_up(keyed: Keyed) -> None:
    keyed.handed("approver", "passphrase")
    keyed.handed("approver", "totp")


def predecessor_cut_from_memory(keyed: Keyed) -> None:
    replaced_as_it_should_be(keyed)
    keyed.memory.write_bytes(keyed.memory.read_bytes().split(b"\n", 1)[1])


def predecessor_put_back(keyed: Keyed) -> None:
    before = keyed.key.read_bytes()
    replaced_as_it_should_be(keyed)
    keyed.key.write_bytes(before)


def lost_and_made_anew(keyed: Keyed) -> None:
    keyed.key.unlink()
    keyed.handed("approver", "init")


def _append(keyed: Keyed, **event: str) -> None:
    with surroundings_of(keyed.project):
        here = open_workspace(str(keyed.project.root))
        here.record.log.append({"path": "a.txt", "status": "done", **event}, durable=True)


def log_names_a_key(keyed: Keyed) -> None:
    public = ApproverKeys(str(keyed.stranger / "approver")).current()
    _append(keyed, op="key_made", key_id=public.id, approver=public.text)


def log_approves_by_another_key(keyed: Keyed) -> None:
    _append(keyed, op="approved", key_id="0" * 16, signature="A" * 86 + "==")


def log_approves_without_a_key(keyed: Keyed) -> None:
    text = keyed.memory.read_bytes()
    keyed.memory.write_bytes(b"2020-01-01T00:00:00Z" + text[SINCE:])
    _append(keyed, op="approved", proof="terminal")


Way = Callable[[Keyed], None]
ROWS: list[tuple[Way, str, set[str]]] = [
    (nothing, "key", set()),
    (replaced_as_it_should_be, "key", set()),
    (passphrase_changed_and_codes_set_up, "key-and-code", set()),
    (another_key, "none", {"key-replaced"}),
    (memory_deleted, "key", {"memory-gone"}),
    (memory_emptied, "key", {"memory-gone"}),
    (memory_cut_within_a_line, "none", {"damaged"}),
    (memory_of_another, "none", {"key-replaced", "log-disagrees"}),
    (key_added_to_memory, "key", {"key-older", "key-unsigned"}),
    (added_to_memory_and_exchanged, "key", {"key-unsigned"}),
    (added_as_a_successor_without_signature, "key", {"key-unsigned"}),
    (both_replaced, "key", {"log-disagrees"}),
    (key_replaced_and_memory_deleted, "key", {"memory-gone", "log-disagrees"}),
    (key_deleted, "none", {"key-gone"}),
    (both_deleted, "terminal", {"log-disagrees"}),
    (key_damaged, "none", {"damaged"}),
    (key_made_younger, "key", {"memory-edited"}),
    (predecessor_cut_from_memory, "key", {"memory-cut", "log-disagrees"}),
    (predecessor_put_back, "key", {"key-older"}),
    (lost_and_made_anew, "key", {"key-unsigned"}),
    (log_names_a_key, "key", {"log-disagrees"}),
    (log_approves_by_another_key, "key", {"log-disagrees"}),
    (log_approves_without_a_key, "key", {"log-disagrees"}),
]


def status(project: Project) -> dict[str, Any]:
    done = project.run("status", "--json")
    assert done.code == 0, done.err
    return dict(done.json["approval"])


def checks(project: Project, name: str) -> list[dict[str, str]]:
    return [one for one in project.run("doctor", "--json").json["checks"] if one["name"] == name]


@pytest.mark.parametrize(("way", "proof", "kinds"), ROWS, ids=[row[0].__name__ for row in ROWS])
def test_an_exchange_is_noticed_by_both_commands(
    keyed: Keyed, way: Way, proof: str, kinds: set[str]
) -> None:
    way(keyed)
    said = status(keyed.project)
    assert (said["proof"], {one["kind"] for one in said["exchanged"]}) == (proof, kinds)
    assert said["weak"] == (proof == "terminal")
    found = checks(keyed.project, "approver-key")
    worst = {"bad"} if kinds - {"key-unsigned"} else {"warn"} if kinds else set()
    unsigned = {"warn"} if "key-unsigned" in kinds else set()
    assert {one["status"] for one in found} == worst | unsigned
    (approval,) = checks(keyed.project, "approval")
    assert approval["what"] == said["says"]
    text = keyed.project.run("status").out
    short = "by anyone at a terminal outside an agent (weak)"
    assert (short if said["weak"] else said["says"][:30]) in " ".join(text.split())
    assert ("WARNING: " in text) == bool(kinds)


@pytest.mark.parametrize("way", [both_replaced, both_deleted], ids=lambda way: way.__name__)
def test_another_projects_log_is_a_witness_for_doctor(keyed: Keyed, way: Way) -> None:
    assert not checks(keyed.other, "approver-key")
    way(keyed)
    (found, *_) = checks(keyed.other, "approver-key")
    assert str(keyed.project.root) in found["what"]


def test_a_log_that_was_changed_to_fit_does_not_verify(keyed: Keyed) -> None:
    both_replaced(keyed)
    (log,) = keyed.folder.glob("project-*/audit.jsonl")
    lines = [line for line in log.read_bytes().splitlines(True) if b"key_made" not in line]
    log.write_bytes(b"".join(lines))
    (found,) = checks(keyed.project, "audit")
    assert found["status"] == "bad"


# Without a key

PROOFS = [
    ("", "terminal", True, "any program that opens a terminal can approve"),
    ("[approval]\nrequire_key = true\n", "none", False, "the rules require an approver key"),
    ("[approval]\ntotp = true\n", "none", False, "the rules require an approver key"),
]


@pytest.mark.parametrize(("rules", "proof", "weak", "words"), PROOFS, ids=[p[0] for p in PROOFS])
def test_without_a_key_it_is_said_what_an_approval_is_worth(
    project: Project, rules: str, proof: str, weak: bool, words: str
) -> None:
    project.write("penstock.toml", f'version = 1\n[defaults]\nwrite = "ask"\n{rules}')
    said = status(project)
    assert (said["proof"], said["weak"], said["key_id"], said["exchanged"]) == (
        proof,
        weak,
        None,
        [],
    )
    assert words in said["says"]
    assert said["try"] == "penstock approver init"
    (found,) = checks(project, "approval")
    assert (found["status"], words in found["what"]) == ("warn" if weak else "bad", True)


def test_where_codes_are_demanded_a_terminal_alone_does_not_approve(project: Project) -> None:
    project.write(
        "penstock.toml", 'version = 1\n[defaults]\nwrite = "ask"\n[approval]\ntotp = true\n'
    )
    one = one_proposed(project, "a.txt", b"x\n")
    seen = in_terminal(project, "approve", one, "--yes")
    assert "error[key-needed]" in seen.text
    assert not (project.root / "a.txt").exists()

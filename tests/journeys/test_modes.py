"""Programs, symbolic links and directories: proposed, shown, approved, written and undone."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from penstock.core.audit.approval.standing_approval import tells_of
from penstock.core.errors import InputError, StaleError
from penstock.core.file_mode import FileMode
from penstock.core.model import Actor, Verdict
from penstock.core.paths.relpath import RelPath
from penstock.core.proposals.codec import from_json, to_json
from penstock.core.proposals.model import Proposal, Receipt, State
from penstock.core.rules.load import parse_policy
from penstock.gate import Item
from penstock.gate.proof.check import signed_statement
from tests.journeys.world import World

FILE, PROGRAM, LINK, FOLDER = FileMode
BY = Actor(agent="a person")


@pytest.fixture
def world() -> World:
    world = World()
    world.files.edit("run.sh", b"#!/bin/sh\n")
    world.files.edit("bin/tool", b"#!/bin/sh\n", mode=0o755)
    world.files.edit("docs/a.md", b"text\n")
    return world


def seen(world: World, path: str) -> tuple[FileMode, bytes] | None:
    state = world.files.node(RelPath(text=path))
    if state is None:
        return None
    if state.file_mode is LINK:
        return LINK, world.files.link(RelPath(text=path))
    return state.file_mode, b"" if state.file_mode is FOLDER else world.files.read(
        RelPath(text=path)
    )


ROWS = [
    ("chmod +x", Item("run.sh", mode="100755"), (PROGRAM, b"#!/bin/sh\n"), "100755"),
    ("chmod -x", Item("bin/tool", mode="100644"), (FILE, b"#!/bin/sh\n"), "100644"),
    ("a new program", Item("bin/new", content=b"x", mode="100755"), (PROGRAM, b"x"), "executable"),
    (
        "content and mode",
        Item("run.sh", content=b"y", mode="100755"),
        (PROGRAM, b"y"),
        "100755",
    ),
    ("a link", Item("docs/b.md", link="a.md"), (LINK, b"a.md"), "symbolic link to `a.md`"),
    ("a link in place of a file", Item("run.sh", link="bin/tool"), (LINK, b"bin/tool"), "in place"),
    ("a directory", Item("empty/inner", mode="040000"), (FOLDER, b""), "directory"),
    ("a program is removed", Item("bin/tool", content=None), None, ""),
]


@pytest.mark.parametrize(("what", "item", "then", "said"), ROWS, ids=[row[0] for row in ROWS])
def test_a_change_of_mode_is_shown_written_logged_and_undone(
    world: World,
    what: str,
    item: Item,
    then: tuple[FileMode, bytes] | None,
    said: str,
) -> None:
    before = seen(world, item.path)
    (one,) = world.gate.propose([item])
    assert seen(world, item.path) == before, "proposing never writes"
    assert any(said in warning for warning in one.warnings) or not said
    if one.state is State.WAITING:
        world.approve(one.id)
    (receipt,) = world.gate.apply(one.id)
    assert seen(world, item.path) == then
    applied = world.log.events[-1]
    assert applied["op"] == "applied"
    assert (applied.get("base_mode"), applied.get("mode")) == (one.base_mode, one.mode)
    (undo,) = world.gate.undo([receipt], by=BY)
    world.approve(undo.id)
    world.gate.apply(undo.id)
    assert seen(world, item.path) == before


def test_an_ordinary_change_tells_no_mode_at_all(world: World) -> None:
    (one,) = world.gate.propose([Item("bin/tool", content=b"new")])
    assert (one.base_mode, one.mode) == (None, None)
    assert "mode" not in to_json(one).replace('"base_mode"', "")
    (same,) = world.gate.propose([Item("docs/a.md", content=b"new", mode="100644")])
    assert (same.base_mode, same.mode) == (None, None)


def test_the_mode_is_part_of_what_is_signed_and_kept(world: World) -> None:
    (one,) = world.gate.propose([Item("run.sh", mode="100755")])
    plain = replace(one, base_mode=None, mode=None)
    assert signed_statement(one, 1.0) != signed_statement(plain, 1.0)
    assert from_json(Proposal, to_json(one)) == one
    receipt = Receipt(id="r", proposal="", path="a", before=None, after=None, event_hash="", at=0.0)
    assert from_json(Receipt, to_json(replace(receipt, after_mode=LINK))).after_mode is LINK
    assert not tells_of(b"", receipt)


def test_a_mode_that_changed_meanwhile_makes_it_out_of_date(world: World) -> None:
    (one,) = world.gate.propose([Item("run.sh", mode="100755")])
    if one.state is State.WAITING:
        world.approve(one.id)
    world.files.edit("run.sh", b"#!/bin/sh\n", mode=0o755)
    with pytest.raises(StaleError) as caught:
        world.gate.apply(one.id)
    assert caught.value.code == "base-changed"


def test_a_link_that_was_exchanged_meanwhile_makes_it_out_of_date(world: World) -> None:
    (one,) = world.gate.propose([Item("docs/b.md", link="a.md")])
    world.approve(one.id) if one.state is State.WAITING else None
    world.files.edit("docs/b.md", b"somebody's")
    with pytest.raises(StaleError):
        world.gate.apply(one.id)
    assert seen(world, "docs/b.md") == (FILE, b"somebody's")


LINKS = [
    ("to a file of the project", "docs/a.md", Verdict.ALLOW),
    ("to a protected file", ".env", Verdict.DENY),
    ("to a protected file by its whole path", "/workspace/.env", Verdict.DENY),
    ("out of the project", "../elsewhere", Verdict.ASK),
    ("to the system", "/usr/share/doc", Verdict.ASK),
    ("out and in again", "../workspace/.env", Verdict.DENY),
]


@pytest.mark.parametrize(("why", "target", "verdict"), LINKS, ids=[row[0] for row in LINKS])
def test_a_link_is_judged_by_where_it_leads(
    world: World, why: str, target: str, verdict: Verdict
) -> None:
    world.policy = parse_policy(
        'version = 1\n[defaults]\nwrite = "allow"\ncreate = "allow"\n'
        '[[deny]]\nid = "env"\npaths = ["**/.env", ".env"]\n'
    )
    (one,) = world.gate.propose([Item("here", link=target)])
    assert one.decision.verdict is verdict


NONSENSE = [
    ("no such mode", Item("a", content=b"x", mode="100600")),
    ("a submodule", Item("a", content=b"x", mode="160000")),
    ("a link with content", Item("a", content=b"x", link="b")),
    ("a link with a file's mode", Item("a", link="b", mode="100644")),
    ("a directory with content", Item("a", content=b"x", mode="040000")),
    ("a mode of nothing", Item("a", mode="100755")),
    ("a link without a path", Item("a", mode="120000")),
]


@pytest.mark.parametrize(("why", "item"), NONSENSE, ids=[row[0] for row in NONSENSE])
def test_what_makes_no_sense_is_refused(world: World, why: str, item: Item) -> None:
    with pytest.raises(InputError) as caught:
        world.gate.propose([item])
    assert caught.value.code == "bad-mode"


def test_hunks_and_merges_are_for_texts(world: World) -> None:
    (one,) = world.gate.propose([Item("run.sh", link="bin/tool")])
    with pytest.raises(InputError) as caught:
        world.gate.with_hunks(one.id, [1])
    assert caught.value.code == "no-hunks"

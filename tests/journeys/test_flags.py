"""A change is proposed, and what a person should look at is stored with it, whichever door asks."""

from __future__ import annotations

from msgspec.structs import replace

from penstock.core.proposals.codec import from_json, to_json
from penstock.core.proposals.flag import RiskLevel
from penstock.core.proposals.model import Proposal
from penstock.core.proposals.remarks import dangers, remarks
from penstock.core.text.quantities import change_counts
from penstock.gate import Item
from tests.journeys.world import World, lines

TESTS = b"def test_a():\n    assert requests.get(url).ok\n" + lines(30, "# line")


def proposed(world: World, **files: bytes | None) -> dict[str, Proposal]:
    names = {name: name.replace("__", "/").replace("_py", ".py") for name in files}
    items = [Item(path=names[name], content=content) for name, content in files.items()]
    return {one.path: one for one in world.gate.propose(items)}


def test_a_dangerous_line_is_flagged_first_and_told_as_a_warning() -> None:
    world = World()
    (one,) = proposed(world, src__a_py=b"x = 1  # noqa\nget(u, verify=False)\n").values()
    assert [flag.level for flag in one.flags] == [RiskLevel.DANGER, RiskLevel.NOTICE]
    assert one.flags[0].lines == (2,)
    assert one.warnings == tuple(flag.text for flag in one.flags)
    assert dangers(one) == 1
    assert from_json(Proposal, to_json(one)) == one


def test_what_a_rule_notes_and_what_an_older_version_stored_are_remarks_too() -> None:
    world = World()
    (one,) = proposed(world, src__a_py=b"x = 1  # noqa\n").values()
    assert [flag.text for flag in remarks(one)] == list(one.warnings)
    old = replace(one, flags=(), warnings=("a sentence", "a sentence"))
    assert [(flag.code, flag.text) for flag in remarks(old)] == [("warning", "a sentence")]


def test_a_flag_never_changes_a_verdict() -> None:
    world = World()
    calm, alarming = b"x = 1\n", b"curl https://x | sh\n"
    found = proposed(world, a_py=calm, b_py=alarming).values()
    verdicts = {one.decision.verdict for one in found}
    assert len(verdicts) == 1


def test_a_renamed_file_is_neither_all_new_nor_a_deleted_test() -> None:
    world = World()
    world.files.edit("tests/test_old.py", TESTS)
    found = proposed(world, tests__test_old_py=None, tests__test_new_py=TESTS)
    assert [one.flags for one in found.values()] == [(), ()]
    found = proposed(world, tests__test_old_py=None, tests__test_more_py=TESTS + b"urlopen(x)\n")
    assert [flag.code for flag in found["tests/test_more.py"].flags] == ["network"]
    assert found["tests/test_more.py"].flags[0].lines == (33,)


def test_a_deleted_test_is_flagged_where_no_other_file_has_its_lines() -> None:
    world = World()
    world.files.edit("tests/test_old.py", TESTS)
    found = proposed(world, tests__test_old_py=None, src__other_py=lines(40))
    assert [flag.code for flag in found["tests/test_old.py"].flags] == ["test-deleted"]


def test_prose_that_becomes_a_script_keeps_its_flags() -> None:
    world = World()
    text = b"Run this:\ncurl https://x | sh\n" + lines(9)
    world.files.edit("notes.md", text)
    items = [Item(path="notes.md", content=None), Item(path="notes.sh", content=text)]
    (_, script) = world.gate.propose(items)
    assert script.flags[0].level is RiskLevel.DANGER


def test_a_re_indented_file_is_not_a_lost_one() -> None:
    world = World()
    world.files.edit("src/a.js", lines(239))
    after = b"".join(b"  line %d\n" % at for at in range(239))
    (one,) = world.gate.propose([Item(path="src/a.js", content=after)])
    assert one.change.lines_deleted == 239  # the gate counts every line
    assert change_counts(one.change) == "239 lines changed only in white space (of 239)"

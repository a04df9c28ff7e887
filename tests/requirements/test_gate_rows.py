"""The gate spec, row by row: S0-001 to S0-059, through the core and the gate in memory.

Where a row names a Python name of the LangGraph door, the noun or function of the core that
stands behind it is checked, and the claim says which.
"""

from __future__ import annotations

import ast
import importlib
import json
from collections.abc import Callable, Iterator

import pytest

from penstock.core.diff.hunks import unified
from penstock.core.diff.measure import lost_lines, measure
from penstock.core.errors import InputError, RefusedError
from penstock.core.merge.strategies import Strategy, combine, line_count
from penstock.core.model import Action, Bytes, Change, ChangeKind, Decision, Request, Verdict
from penstock.core.paths.relpath import locate
from penstock.core.policy.decide import decide
from penstock.core.policy.model import GateSettings, Policy
from penstock.core.proposals.codec import from_plain, to_plain
from penstock.core.proposals.model import Answer, Proposal, State
from penstock.core.rules.load import parse_policy
from penstock.core.timestamps import seconds_of, stamp
from penstock.gate import Call, Item
from tests import REPOSITORY
from tests.journeys.world import PERSON, World, lines
from tests.requirements.table import Row, both, name_of

SOURCES = REPOSITORY / "src/penstock"
NEW, MODIFY, REPLACE = ChangeKind.NEW, ChangeKind.MODIFY, ChangeKind.REPLACE
SUBSTANTIAL = '[[ask]]\nid = "substantial"\nsubstantial = true\n'
Check = Callable[[], None]


# --- what is measured -------------------------------------------------------------------


def replaced(existing: int, lost: int) -> tuple[bytes, bytes]:
    """Return a file and the same file with its first lines replaced."""
    before = lines(existing)
    kept = before.split(b"\n", lost)[lost]
    return before, lines(lost, "other") + kept


def measured(existing: int, lost: int) -> Change:
    return measure(*replaced(existing, lost))


def is_kind(kind: ChangeKind, before: bytes | None, after: bytes) -> Check:
    def check() -> None:
        assert measure(before, after).kind is kind

    return check


def three_kinds() -> None:
    assert {str(NEW), str(MODIFY), str(REPLACE)} == {"new", "modify", "replace"}
    # A file that would be removed has a kind of its own; the spec's door never asks for it.
    assert {*ChangeKind} == {NEW, MODIFY, REPLACE, ChangeKind.DELETE}


def below_half_is_modify() -> None:
    assert [measured(200, lost).kind for lost in (0, 1, 99)] == [MODIFY] * 3


def from_half_on_is_replace() -> None:
    assert [measured(200, lost).kind for lost in (100, 101, 200)] == [REPLACE] * 3


def change_has_the_facts() -> None:
    change = measure(b"a\nb\nc\nd\n", b"a\nB\nc\nd\ne\n")
    assert (change.kind, change.existing_lines) == (MODIFY, 4)
    assert (change.lines_deleted, change.lines_added) == (1, 2)
    assert change.change_ratio == 0.25
    new = measure(None, b"a\nb\n")
    assert (new.existing_lines, new.lines_added, new.change_ratio) == (0, 2, 0.0)


def sources_are_measured() -> None:
    before, after = replaced(270, 216)
    change = measure(Bytes(before), Bytes(after))
    assert change == measure(before, after)
    assert (change.lines_deleted, change.lines_added, change.change_ratio) == (216, 216, 0.8)


def kind_is_json() -> None:
    assert json.loads(json.dumps(measure(b"a\n", b"b\n").kind)) == "replace"


# --- what the rules say of it -----------------------------------------------------------


def policy(*, line_threshold: int | None = None, change_threshold: float | None = None) -> Policy:
    given = {"line_threshold": line_threshold, "change_threshold": change_threshold}
    set_ones = "".join(f"{name} = {v}\n" for name, v in given.items() if v is not None)
    return parse_policy(f"[gate]\n{set_ones}\n{SUBSTANTIAL}")


def judged(change: Change, by: Policy | None = None, *, attended: bool = True) -> Decision:
    request = Request(
        action=Action.WRITE,
        target=locate("app.py", root="/workspace"),
        change=change,
        attended=attended,
    )
    return decide(request, by or policy(), now=0.0)


def needs_approval(change: Change, by: Policy | None = None) -> bool:
    return judged(change, by).verdict is Verdict.ASK


def approval(expected: bool, existing: int, lost: int, kind: ChangeKind | None = None) -> Check:
    def check() -> None:
        change = measured(existing, lost)
        assert change.lines_deleted == lost
        assert needs_approval(change) is expected
        assert kind is None or change.kind is kind

    return check


def thresholds_have_defaults_and_can_be_set() -> None:
    assert (GateSettings().line_threshold, GateSettings().change_threshold) == (100, 0.5)
    assert needs_approval(measured(100, 50))
    assert not needs_approval(measured(100, 50), policy(line_threshold=101))
    assert not needs_approval(measured(100, 50), policy(change_threshold=0.6))
    assert needs_approval(measured(10, 2), policy(line_threshold=10, change_threshold=0.2))


def the_original_incident() -> None:
    change = measure(lines(270), lines(56, "other"))
    assert (change.kind, change.lines_deleted) == (REPLACE, 270)
    assert needs_approval(change)
    kept = measure(lines(270), lines(56))
    assert (kept.kind, kept.lines_deleted, kept.lines_added) == (REPLACE, 214, 0)
    assert needs_approval(kept)


def empty_files() -> None:
    change = measure(b"", lines(500))
    assert (change.existing_lines, change.lines_deleted, change.change_ratio) == (0, 0, 0.0)
    assert change.kind is MODIFY
    assert not needs_approval(change)


# --- what a person sees -----------------------------------------------------------------


def unified_diff() -> None:
    before, after = lines(20), lines(20).replace(b"line 9\n", b"nine\n")
    text = unified(before, after, path="app.py").split(b"\n")
    assert text[0].startswith(b"--- a/app.py")
    assert text[1].startswith(b"+++ b/app.py")
    assert text[2].startswith(b"@@ -7,7 +7,7 @@")
    assert [line[:1] for line in text[3:11]] == [b" "] * 3 + [b"-", b"+"] + [b" "] * 3
    narrow = unified(before, after, path="app.py", context=1)
    assert b"@@ -9,3 +9,3 @@" in narrow


def losses_are_told() -> None:
    before, after = lines(270), lines(56)
    lost = lost_lines(before, after, limit=1000)
    assert len(lost) == 214
    assert lost[0][0] == 57
    assert lost[0][1].rstrip(b"\n") == b"line 56"
    assert "214 of 270 lines" in judged(measure(before, after)).because


# --- strategies -------------------------------------------------------------------------

CLASS = b"""\
# kept word for word
class Parser:
    x   =  1  # odd spacing

    def read(self):
        return 'r'  # quotes stay
"""
METHOD = b"""\
class Parser:
    def write(self):
        return 2


class Other:
    pass
"""


def strategies_are_offered() -> None:
    command = importlib.import_module("penstock.cli.review.approve").command
    (option,) = [one for one in command.params if one.name == "strategy"]
    assert {*option.type.choices} == {"append", "insert", "extend", "replace"}


def replace_is_the_new_content() -> None:
    for new in (b"", b"x", b"x\r\ny\n", b"\xef\xbb\xbfx\n", b"\xff\x00"):
        assert combine(b"a\r\nb\r\n", new, "replace").content == new


def appended() -> None:
    for existing in (b"a", b"a\n", b""):
        assert combine(existing, b"b\n", "append").content == existing + b"\nb\n"


def bad_points_are_refused() -> None:
    for at in (None, -1, 4, 10**9, True):
        with pytest.raises(InputError, match="bad-insertion-point"):
            combine(b"a\nb\nc\n", b"x\n", "insert", at=at)


def inserted_between() -> None:
    made = combine(b"a\nb\nc\n", b"x\ny\n", "insert", at=2)
    assert made.content == b"a\nb\nx\ny\nc\n"


def inserted_at_both_ends() -> None:
    for existing in (b"a\nb\n", b"a\nb"):
        assert combine(existing, b"x", "insert", at=0).content == b"x\n" + existing
        end = combine(existing, b"x", "insert", at=line_count(existing)).content
        assert end == b"a\nb\nx"


def parsed(content: bytes) -> ast.ClassDef:
    (found,) = [n for n in ast.parse(content).body if getattr(n, "name", "") == "Parser"]
    assert isinstance(found, ast.ClassDef)
    return found


def extended_by_syntax() -> None:
    made = combine(CLASS, METHOD, "extend", path="a.py")
    assert made.strategy is Strategy.EXTEND
    assert "Other" in {getattr(node, "name", "") for node in ast.parse(made.content).body}


def extended_class_has_all_methods() -> None:
    made = combine(CLASS, METHOD, "extend", path="a.py")
    methods = [n.name for n in parsed(made.content).body if isinstance(n, ast.FunctionDef)]
    assert methods == ["read", "write"]


def falls_back(existing: bytes, new: bytes, path: str) -> Check:
    def check() -> None:
        made = combine(existing, new, "extend", path=path)
        assert made.strategy is Strategy.APPEND
        assert made.content == combine(existing, new, "append").content
        assert made.warnings[0].startswith("extend fell back to append")

    return check


def extended_text_is_kept() -> None:
    made = combine(CLASS, METHOD, "extend", path="a.py")
    assert all(line in made.content.split(b"\n") for line in CLASS.split(b"\n"))
    clash = combine(CLASS, b"class Parser:\n    def read(self):\n        return 9\n", "extend")
    assert clash.content.startswith(CLASS[:-1])
    assert b"return 'r'  # quotes stay" in clash.content
    assert clash.warnings


def unknown_strategy_writes_nothing() -> None:
    world = project()
    waiting = world.propose("app.py", b"x\n")
    with pytest.raises(InputError, match="unknown-strategy"):
        world.gate.with_strategy(waiting, "prepend")  # type: ignore[arg-type]
    assert world.holds("app.py") == lines(270)
    assert state(world, waiting) is State.WAITING


# --- the gate ---------------------------------------------------------------------------


def project() -> World:
    world = World()
    world.files.edit("app.py", lines(270))
    return world


def state(world: World, proposal: str) -> State:
    found = world.gate.get(proposal)
    assert found is not None
    return found.state


def propose_alone(world: World, path: str, content: bytes) -> Proposal:
    """Propose as an agent does that nobody watches."""
    return world.gate.propose([Item(path=path, content=content)], attended=False)[0]


def answer_has_the_facts() -> None:
    world = project()
    waiting = world.propose("app.py", b"x\n")
    world.approve(waiting)
    one = world.gate.get(waiting)
    assert one is not None
    assert one.answer is not None
    assert one.answer.approved is True
    assert seconds_of(stamp(one.answer.at)) == int(one.answer.at)
    assert {"approved", "by", "proof", "at", "reason"} <= {*Answer.__struct_fields__}
    assert {*map(str, Strategy)} == {"append", "insert", "extend", "replace"}


def queue_tells_pending_approved_rejected() -> None:
    world = project()
    ids = [world.propose("app.py", b"%d\n" % n) for n in range(3)]
    world.approve(ids[1])
    world.gate.answer(ids[2], approve=False, proof=PERSON, reason="no")
    found = {s: world.gate.find(states=(s,)) for s in State}
    kept = {s: [one.id for one in found[s]] for s in found if found[s]}
    assert kept == {State.WAITING: ids[:1], State.APPROVED: ids[1:2], State.REJECTED: ids[2:]}
    assert propose_alone(world, "app.py", b"x\n").state is State.DENIED


def one_record_holds_all() -> None:
    world = project()
    waiting = world.propose("app.py", b"x\n")
    world.approve(waiting)
    one = world.gate.get(waiting)
    assert one is not None
    assert (one.change.kind, one.answer is not None) == (REPLACE, True)
    assert from_plain(Proposal, json.loads(json.dumps(to_plain(one)))) == one


def what_is_needed_has_defaults() -> None:
    world = project()
    assert Item(path="a", content=b"").path == "a"
    (one,) = world.gate.propose([Item(path="a.txt", content=b"x\n")])
    assert (one.set_id, one.parent, one.origin) == ("", "", "")


def gate_takes_what_is_pending() -> None:
    world = project()
    made = world.gate.propose([Item(path=f"new/{n}.py", content=b"x\n") for n in range(3)])
    assert [one.path for one in made] == ["new/0.py", "new/1.py", "new/2.py"]
    world.gate.apply(made[0].set_id)
    assert [world.holds(one.path) for one in made] == [b"x\n"] * 3


def existence_is_looked_up() -> None:
    world = project()
    call = Call(tool="Write", tool_input={"file_path": "app.py", "content": "x\n"})
    (there,) = world.judged(call).prepared
    assert (there.request.action, there.request.change and there.request.change.kind) == (
        Action.WRITE,
        REPLACE,
    )
    world.files.drop("app.py")
    (absent,) = world.judged(call).prepared
    assert (absent.request.action, absent.request.change and absent.request.change.kind) == (
        Action.CREATE,
        NEW,
    )


def new_files_are_free() -> None:
    world = project()
    one = world.gate.propose([Item(path="new.py", content=lines(5000))])[0]
    assert (one.change.kind, one.state) == (NEW, State.APPROVED)
    world.gate.apply(one.id)
    assert world.holds("new.py") == lines(5000)


def existing_content_is_read_and_measured() -> None:
    world = project()
    small = world.gate.propose([Item(path="app.py", content=lines(269))])[0]
    large = world.gate.propose([Item(path="app.py", content=lines(20))])[0]
    assert (small.change.kind, small.change.lines_deleted) == (MODIFY, 1)
    assert (large.change.kind, large.change.lines_deleted) == (REPLACE, 250)
    assert small.change.existing_lines == large.change.existing_lines == 270


def small_changes_are_written_unasked() -> None:
    world = project()
    one = world.gate.propose([Item(path="app.py", content=lines(269))])[0]
    assert one.state is State.APPROVED
    assert one.answer is not None
    assert one.answer.proof == "policy"
    world.gate.apply(one.id)
    assert world.holds("app.py") == lines(269)


def alone_a_replacement_is_denied_with_a_reason() -> None:
    world = project()
    denied = propose_alone(world, "app.py", lines(56))
    assert denied.state is State.DENIED
    assert "214 of 270 lines" in denied.decision.because
    assert "denied: this session is non-interactive" in denied.decision.because
    assert world.log.events[-1]["status"] == "denied"
    assert world.holds("app.py") == lines(270)


def and_the_work_goes_on() -> None:
    world = project()
    assert propose_alone(world, "app.py", b"x\n").state is State.DENIED
    after = propose_alone(world, "docs/a.md", b"next\n")
    world.gate.apply(after.id)
    assert world.holds("docs/a.md") == b"next\n"


def asking_shows_diff_and_losses() -> None:
    world = project()
    one = world.gate.propose([Item(path="app.py", content=lines(56))])[0]
    before, after = world.gate.contents(one)
    assert (before, after) == (lines(270), lines(56))
    assert unified(before, after, path=one.path).count(b"\n-line ") == 214
    assert "214 of 270 lines" in one.decision.because
    assert one.state is State.WAITING


def nothing_moves_without_an_answer() -> None:
    world = project()
    waiting = world.propose("app.py", b"x\n")
    with pytest.raises(RefusedError, match="not-approved"):
        world.gate.apply(waiting)
    assert state(world, waiting) is State.WAITING


def approved_with_each_strategy() -> None:
    expected = {
        Strategy.APPEND: lines(270) + b"\nx = 1\n",
        Strategy.INSERT: b"x = 1\n" + lines(270),
        Strategy.REPLACE: b"x = 1\n",
    }
    for strategy, content in expected.items():
        world = project()
        made = world.gate.with_strategy(world.propose("app.py", b"x = 1\n"), strategy, at=0)
        world.approve(made.id)
        world.gate.apply(made.id)
        assert world.holds("app.py") == content
        assert state(world, made.id) is State.APPLIED


def extend_is_a_strategy_too() -> None:
    world = World()
    world.files.edit("careful/a.py", CLASS)
    made = world.gate.with_strategy(world.propose("careful/a.py", METHOD), Strategy.EXTEND)
    world.approve(made.id)
    world.gate.apply(made.id)
    assert world.holds("careful/a.py") == combine(CLASS, METHOD, "extend", path="a.py").content


def rejected_keeps_the_file() -> None:
    world = project()
    waiting = world.propose("app.py", b"x\n")
    world.gate.answer(waiting, approve=False, proof=PERSON, reason="keep it")
    assert state(world, waiting) is State.REJECTED
    assert world.holds("app.py") == lines(270)


def a_cancel_is_a_rejection() -> None:
    world = project()
    waiting = world.propose("app.py", b"x\n")
    with pytest.raises(InputError, match="bad-insertion-point"):
        world.gate.with_strategy(waiting, Strategy.INSERT)
    world.gate.answer(waiting, approve=False, proof=PERSON, reason="cancelled")
    assert world.log.events[-1]["op"] == "rejected"
    assert world.log.events[-1]["reason"] == "cancelled"
    assert world.holds("app.py") == lines(270)
    world.gate.apply(world.propose("next.txt", b"on\n"))
    assert world.holds("next.txt") == b"on\n"


def writing_comes_last_and_is_on_the_record() -> None:
    world = project()
    waiting = world.propose("app.py", b"x\n")
    world.approve(waiting)
    assert world.holds("app.py") == lines(270)
    world.gate.apply(waiting)
    assert world.log.ops == ["proposed", "approved", "applying", "applied"]
    assert world.holds("app.py") == b"x\n"


def two_writes_to_one_file() -> None:
    world = project()
    first = lines(270).replace(b"line 3\n", b"three\n")
    both_done = first.replace(b"line 200\n", b"two hundred\n")
    one = world.propose("app.py", first)
    other = world.propose("app.py", lines(270).replace(b"line 200\n", b"two hundred\n"))
    world.gate.apply(one)
    made = world.gate.rebase(other)
    world.approve(made.id)
    world.gate.apply(made.id)
    assert world.holds("app.py") == both_done


def the_second_is_measured_against_the_first() -> None:
    world = project()
    world.gate.apply(world.propose("new.txt", lines(200)))
    second = world.gate.propose([Item(path="new.txt", content=lines(150))])[0]
    assert (second.change.existing_lines, second.change.lines_deleted) == (200, 50)
    twice = ["*** Begin Patch", "*** Add File: made.txt", "+a"]
    twice += ["*** Update File: made.txt", "@@", "-a", "+b", "*** End Patch"]
    patch = "\n".join(twice)
    parts = world.judged(Call(tool="apply_patch", tool_input={"command": patch})).prepared
    assert [one.after for one in parts] == [b"a\n", b"b\n"]


def writers(folder: str) -> Iterator[str]:
    """Yield every module of a folder that calls one of the writing methods of `Files`."""
    for file in sorted((SOURCES / folder).rglob("*.py")):
        calls = [n.func for n in ast.walk(ast.parse(file.read_text())) if isinstance(n, ast.Call)]
        names = {f.attr for f in calls if isinstance(f, ast.Attribute)}
        if names & {"replace_all"} or any(
            isinstance(f, ast.Attribute)
            and f.attr in ("replace", "remove")
            and isinstance(f.value, ast.Attribute)
            and f.value.attr == "files"
            for f in calls
        ):
            yield file.relative_to(SOURCES).as_posix()


def only_apply_writes() -> None:
    found = [one for folder in ("core", "gate", "cli", "doors") for one in writers(folder)]
    # `penstock init` is a person's own command: no agent's content goes that way.
    assert found == ["gate/apply.py", "doors/setup/registrations.py"]
    # Only the reviewer's command may edit rules, wherever they lie.
    callers = [f for f in SOURCES.rglob("*.py") if ".edit_rules(" in f.read_text()]
    assert [f.relative_to(SOURCES).as_posix() for f in callers] == ["app/rule_edits.py"]


def ordinary_tools_still_work() -> None:
    world = project()
    for tool, tool_input in (
        ("Edit", {"file_path": "app.py", "old_string": "line 3\n", "new_string": "three\n"}),
        ("Read", {"file_path": "app.py"}),
        ("Bash", {"command": "ls -l && python -m pytest"}),
        ("Glob", {"pattern": "**/*.py"}),
    ):
        call = Call(tool=tool, tool_input=tool_input)
        assert world.gate.judge(call).verdict is Verdict.ALLOW, tool


def alone_nothing_ever_waits() -> None:
    for existing in (0, 1, 99, 100, 270):
        for lost in {0, existing // 2, existing}:
            world = World()
            before, after = replaced(existing, lost)
            world.files.edit("careful/a.py", before)
            careful = propose_alone(world, "careful/a.py", after)
            world.files.edit("a.py", before)
            free = propose_alone(world, "a.py", after)
            needs = existing >= 100 and 2 * lost >= existing
            assert careful.state is State.DENIED
            assert free.state is (State.DENIED if needs else State.APPROVED)


# --- how it is written ------------------------------------------------------------------


def undocumented(folder: str) -> Iterator[str]:
    for file in sorted((SOURCES / folder).rglob("*.py")):
        tree = ast.parse(file.read_text())
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        for node in [tree, *(n for n in tree.body if isinstance(n, kinds))]:
            name = getattr(node, "name", "")
            if not name.startswith("_") and not ast.get_docstring(node):
                yield f"{file.relative_to(SOURCES)}:{name}"


def public_things_have_docstrings() -> None:
    assert [*undocumented("gate"), *undocumented("core")] == []


def insertion_is_one_named_error() -> None:
    with pytest.raises(InputError) as refused:
        combine(b"a\n", b"x\n", "insert", at=9)
    assert refused.value.code == "bad-insertion-point"
    assert "0 to 1" in refused.value.hint


def bounds_are_those_of_the_file() -> None:
    assert [line_count(text) for text in (b"", b"a", b"a\n", b"a\nb")] == [0, 1, 1, 2]
    for at in range(3):
        assert b"x\n" in combine(b"a\nb\n", b"x\n", "insert", at=at).content


def apply_merge_strategy_is_combine() -> None:
    assert combine(b"a\n", b"b\n", "replace").content == b"b\n"
    assert combine(b"a\n", b"b\n", "append").content == b"a\n\nb\n"
    assert combine(b"a\n", b"b\n", "insert", at=0).content == b"b\na\n"
    assert combine(b"a = 1\n", b"b = 2\n", "extend", path="a.py").warnings is not None


ROWS = [
    Row("S0-001", "the kinds are new, modify and replace", three_kinds),
    Row(
        "S0-002", "no file there is NEW", both(is_kind(NEW, None, b"x\n"), is_kind(NEW, None, b""))
    ),
    Row("S0-003", "less than half of the lines is MODIFY", below_half_is_modify),
    Row("S0-004", "half of the lines and more is REPLACE", from_half_on_is_replace),
    Row("S0-005", "FileWriteRequest: a Change has its facts", change_has_the_facts),
    Row("S0-006", "WriteApproval: an Answer has its facts, by a strategy", answer_has_the_facts),
    Row("S0-007", "state: the queue tells them apart", queue_tells_pending_approved_rejected),
    Row("S0-008", "one state: a Proposal holds change and answer", one_record_holds_all),
    Row("S0-009", "what is new has defaults: path and content do", what_is_needed_has_defaults),
    Row("S0-010", "the kind is plain JSON", kind_is_json),
    Row("S0-011", "classify_write: `measure`, of bytes or of a source", sources_are_measured),
    Row("S0-012", "requires_approval: 100 lines and 0.5", thresholds_have_defaults_and_can_be_set),
    Row("S0-013", "generate_diff_preview: `unified`, three lines around", unified_diff),
    Row("S0-014", "show_deletion_summary: lost lines and the reason", losses_are_told),
    Row("S0-015", "prompt_for_approval: `approve` offers the strategies", strategies_are_offered),
    Row(
        "S0-016", "safe_file_write_gate: the Gate's steps", writing_comes_last_and_is_on_the_record
    ),
    Row("S0-017", "apply_merge_strategy: `combine`", apply_merge_strategy_is_combine),
    Row("S0-018", "get_insertion_point: 0 to the last line", bounds_are_those_of_the_file),
    Row("S0-019", "InvalidInsertionPointError: its code", insertion_is_one_named_error),
    Row("S0-020", "every public function says what it does", public_things_have_docstrings),
    Row("S0-021", "the gate takes what is pending", gate_takes_what_is_pending),
    Row("S0-022", "every write looks whether the file exists", existence_is_looked_up),
    Row("S0-023", "a new file is written without approval", new_files_are_free),
    Row("S0-024", "what exists is read and measured", existing_content_is_read_and_measured),
    Row("S0-025", "what needs no approval is written", small_changes_are_written_unasked),
    Row("S0-026", "unattended, REPLACE is denied", alone_a_replacement_is_denied_with_a_reason),
    Row("S0-027", "and the work goes on", and_the_work_goes_on),
    Row("S0-028", "attended, diff and losses are shown", asking_shows_diff_and_losses),
    Row("S0-029", "without an answer nothing is written", nothing_moves_without_an_answer),
    Row("S0-030", "approved: written by the strategy", approved_with_each_strategy),
    Row("S0-031", "rejected: the file stays", rejected_keeps_the_file),
    Row("S0-032", "a cancel is a rejection, and work goes on", a_cancel_is_a_rejection),
    Row("S0-033", "writing comes last, all on record", writing_comes_last_and_is_on_the_record),
    Row("S0-034", "two writes to one file both arrive", two_writes_to_one_file),
    Row("S0-035", "the second meets the first's", the_second_is_measured_against_the_first),
    Row("S0-036", "nothing but apply writes", only_apply_writes),
    Row("S0-037", "ordinary tools still work", ordinary_tools_still_work),
    Row("S0-038", "unattended, nothing ever waits", alone_nothing_ever_waits),
    Row("S0-039", "fewer lines than the threshold", approval(False, 99, 99)),
    Row("S0-040", "a smaller part than the threshold", approval(False, 1000, 499)),
    Row("S0-041", "otherwise it needs approval", approval(True, 101, 51)),
    Row("S0-042", "all of 50 lines: none needed", approval(False, 50, 50, REPLACE)),
    Row("S0-043", "5 % of 200: MODIFY", approval(False, 200, 10, MODIFY)),
    Row("S0-044", "80 % of 270: REPLACE", approval(True, 270, 216, REPLACE)),
    Row("S0-045", "270 lines by 56: REPLACE", the_original_incident),
    Row("S0-046", "exactly 100 and exactly a half", approval(True, 100, 50, REPLACE)),
    Row("S0-047", "an empty file: no division, none needed", empty_files),
    Row("S0-048", "replace is the new content, byte for byte", replace_is_the_new_content),
    Row("S0-049", "append is existing, newline, new", appended),
    Row("S0-050", "insert without a line of the file", bad_points_are_refused),
    Row("S0-051", "insert puts it between", inserted_between),
    Row("S0-052", "insert at both ends, nothing glued", inserted_at_both_ends),
    Row("S0-053", "extend adds by syntax tree", extended_by_syntax),
    Row("S0-054", "extend: old and new methods", extended_class_has_all_methods),
    Row("S0-055", "extend: a syntax error", falls_back(CLASS, b"def broken(:\n", "a.py")),
    Row(
        "S0-056",
        "extend: existing text that is no Python",
        both(falls_back(b"class (:\n", METHOD, "a.py"), falls_back(b"# Title\n", b"x\n", "a.md")),
    ),
    Row("S0-057", "extend keeps text and members", extended_text_is_kept),
    Row(
        "S0-058",
        "all four strategies can be chosen",
        both(approved_with_each_strategy, extend_is_a_strategy_too),
    ),
    Row("S0-059", "an unknown strategy writes nothing", unknown_strategy_writes_nothing),
]


@pytest.mark.parametrize("row", ROWS, ids=name_of)
def test_the_gate_spec_holds(row: Row) -> None:
    row.check()

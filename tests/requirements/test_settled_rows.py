"""What the specs leave open or say differently, and what is settled: X1 to X12."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache

import pytest

from penstock.core.audit.event import compose
from penstock.core.errors import InputError, RefusedError, StaleError
from penstock.core.merge.strategies import Strategy
from penstock.core.model import Action, Change, ChangeKind, Decision, Request, Verdict
from penstock.core.paths.globs import matches
from penstock.core.paths.relpath import locate
from penstock.core.policy.decide import decide
from penstock.core.policy.model import AuditSettings, Limits, Policy
from penstock.core.proposals.model import State
from penstock.core.rules import load
from penstock.core.timestamps import stamp
from penstock.gate import Call, Item, judge_call
from tests.fakes.audit_log import MemoryLog
from tests.fakes.files import MemoryFiles
from tests.journeys.world import World, lines
from tests.requirements.table import Row, both, name_of

ROOT = "/home/me/project"
ALLOW, ASK, DENY = Verdict.ALLOW, Verdict.ASK, Verdict.DENY
SECRETS = (".env", "a/.env.local", "x.key", "a/b/x.pem", "a/id_rsa", "secrets/a", "a/secrets/b")
GIT = (".git", ".git/config", "vendor/lib/.git/config")


@cache
def preset(name: str) -> Policy:
    return load.build(load.load_preset(name))


def judged(
    name: str | Policy,
    path: str,
    action: Action = Action.WRITE,
    *,
    change: Change | None = None,
    folds: bool = False,
) -> Decision:
    target = locate(path, root=ROOT, folds=folds)
    policy = preset(name) if isinstance(name, str) else name
    return decide(Request(action=action, target=target, change=change), policy, now=0.0)


def called(tool: str, tool_input: Mapping[str, object], name: str = "guard") -> Decision:
    call = Call(tool=tool, tool_input=tool_input)
    return judge_call(MemoryFiles(), preset(name), call, now=0.0).decision


# --- X1 ---------------------------------------------------------------------------------


def each_door_has_its_fail_mode() -> None:
    doors = ("hook", "broker", "langgraph", "mcp", "http", "terminal", "tui")
    guard = [preset("guard").when_failing(door) for door in doors]
    assert guard == [ALLOW, *[DENY] * 6]
    assert {preset("strict").when_failing(door) for door in doors} == {DENY}
    mine = load.parse_policy('[on_error]\nhook = "ask"\nmcp = "allow"\n')
    assert (mine.when_failing("hook"), mine.when_failing("mcp")) == (ASK, ALLOW)


def broken_rules_still_protect() -> None:
    broken = load.in_force({"penstock.toml": b"[[deny]\n"}.get)
    for path in (*SECRETS, *GIT, "penstock.toml"):
        assert judged(broken, path).verdict is DENY, path
    assert judged(broken, "lib/a.py").degraded


def nested(depth: int) -> dict[str, object]:
    value: dict[str, object] = {"path": ".env"}
    for _ in range(depth):
        value = {"inner": value}
    return value


def hostile_input_is_denied() -> None:
    for path in ("a\0b", "a\nb", "\x1b[2J", "\ud800", "a" * 5000, "/".join("ab" * 4000)):
        assert called("Write", {"file_path": path, "content": "x"}).verdict is DENY, path[:9]
        assert called("Write", {"file_path": path, "content": "x"}, "hook-spec").code
    for command in ("$(" * 3000, "x\0> .env", "(" * 100_000, "a;" * 200_000):
        assert called("Bash", {"command": command}, "hook-spec").verdict is DENY, command[:9]
    assert called("mcp__any__tool", nested(2000)).verdict is DENY


def duplicate_keys_are_refused() -> None:
    from penstock.cli.judge.call import parsed

    with pytest.raises(InputError, match="bad-json"):
        parsed('{"file_path": "a.txt", "file_path": ".env"}')


# --- X2, X3: names ----------------------------------------------------------------------


def each_spec_keeps_its_list() -> None:
    assert [judged("hook-spec", path).verdict for path in (".env", "a/.env")] == [DENY, ALLOW]
    assert [judged("hook-spec", path).verdict for path in ("x.key", "a/x.key")] == [DENY, ALLOW]
    assert [judged("broker-spec", path).verdict for path in (".env", "a/.env")] == [DENY, DENY]
    assert judged("broker-spec", ".env.local").verdict is ASK


def presets_deny_the_union_at_any_depth() -> None:
    for name in ("guard", "strict"):
        for path in (*SECRETS, *GIT):
            for action in (Action.WRITE, Action.CREATE, Action.DELETE):
                assert judged(name, path, action).verdict is DENY, (name, path)


GLOBS = [
    # glob, path, whether they meet, why
    ("**/.env", ".env", True, "`**` is also no segment"),
    ("**/.env", "a/b/.env", True, "or several"),
    ("**/*.pem", "x.pem", True, ""),
    ("**/secrets/**", "secrets/a", True, ""),
    ("**/secrets/**", "secrets", False, "at the end it is one at least"),
    ("src/**", "src", False, ""),
    ("src/**", "src/a", True, ""),
    ("a/*", "a/b/c", False, "`*` does not cross `/`"),
    ("a?c", "a/c", False, "nor does `?`"),
    ("*", ".hidden", True, "a leading dot is a character like others"),
    ("?env", ".env", True, ""),
    ("a[b].py", "a[b].py", True, "brackets mean themselves"),
    ("a[b].py", "ab.py", False, ""),
    ("a{b,c}", "ab", False, "and so do braces"),
    ("a+.py", "aa.py", False, "and what regexes know"),
    ("a.py", "axpy", False, ""),
]


def one_matcher_for_all() -> None:
    for glob, path, expected, why in GLOBS:
        assert matches(glob, path) is expected, (glob, path, why)


# --- X4: order --------------------------------------------------------------------------


def path_then_size_then_overwrite_then_approval() -> None:
    big = Change(kind=ChangeKind.NEW, after_size=600_000)
    small = Change(kind=ChangeKind.NEW, after_size=10)
    codes = [
        judged("broker-spec", "src/.env", Action.CREATE, change=big).code,
        judged("broker-spec", "src/a.py", Action.CREATE, change=big).code,
        judged("broker-spec", "src/a.py", Action.CREATE, change=small).verdict,
    ]
    assert codes == ["path-denied", "too-large", ASK]


def new_files_by_mode() -> None:
    new = Change(kind=ChangeKind.NEW, lines_added=500)
    assert judged("guard", "lib/a.py", Action.CREATE, change=new).verdict is ALLOW
    assert judged("broker-spec", "src/a.py", Action.CREATE, change=new).verdict is ASK
    assert judged("broker-spec", "other/a.py", Action.CREATE, change=new).verdict is DENY
    assert judged("hook-spec", "src/a.py", Action.CREATE, change=new).granted


# --- X5, X6: answers --------------------------------------------------------------------


def project() -> World:
    world = World()
    world.files.edit("app.py", lines(270))
    return world


def a_strategy_is_a_new_proposal() -> None:
    world = project()
    (first,) = world.gate.propose([Item(path="app.py", content=b"more\n")])
    made = world.gate.with_strategy(first.id, Strategy.APPEND)
    assert made.id != first.id
    assert made.parent == first.id
    assert made.content != first.content
    world.approve(made.id)
    (receipt,) = world.gate.apply(made.id)
    assert receipt.after == made.content
    assert world.holds("app.py") == lines(270) + b"\nmore\n"


def time_runs_out_and_can_be_renewed() -> None:
    world = project()
    (kept, left) = (world.propose("app.py", b"%d\n" % n) for n in range(2))
    world.clock.advance(world.policy.approval.ttl_seconds - 1)
    world.gate.renew(kept)
    world.clock.advance(1)
    with pytest.raises(StaleError, match="expired"):
        world.approve(left)
    world.approve(kept)
    found = world.gate.get(left)
    assert found is not None
    assert found.state is State.EXPIRED
    assert "expired" in world.log.ops
    assert preset("broker-spec").approval.ttl_seconds == 120
    assert load.parse_policy("[approval]\nttl_seconds = 7").approval.ttl_seconds == 7


def the_base_is_compared_after_the_answer() -> None:
    world = project()
    waiting = world.propose("app.py", b"x\n")
    world.approve(waiting)
    world.files.edit("app.py", b"saved meanwhile\n")
    with pytest.raises(StaleError, match="base-changed"):
        world.gate.apply(waiting)


# --- X7, X8: the record -----------------------------------------------------------------


def the_record_holds_no_content() -> None:
    world = project()
    waiting = world.propose("app.py", b"hunter2 is in here\n")
    world.approve(waiting)
    world.gate.apply(waiting)
    told = json.dumps(world.log.events)
    assert "hunter2" not in told
    assert "line 3" not in told
    assert world.log.events[-1]["after_hash"]
    line = compose({"op": "any", "content": "hunter2", "old_string": "hunter2", "diff": "hunter2"})
    assert b"hunter2" not in line


def one_chain_for_all() -> None:
    log = MemoryLog(clock=lambda: 0.0)
    first = log.append({"op": "proposed"}, durable=True)
    second = log.append({"op": "approved"}, durable=True)
    assert second.prev_hash == first.event_hash


def the_record_is_protected() -> None:
    for name in ("guard", "strict", "hook-spec", "broker-spec"):
        assert judged(name, ".agentzero_audit.jsonl").verdict is DENY
        assert judged(name, "/srv/penstock/project-1/audit.jsonl").verdict is DENY


def times_have_one_form() -> None:
    assert stamp(1_736_769_600) == "2025-01-13T12:00:00Z"
    assert stamp(1_736_769_600.999) == "2025-01-13T12:00:00Z"
    log = MemoryLog(clock=lambda: 1_736_769_600.5)
    log.append({"op": "proposed"}, durable=True)
    (event,) = log.read()
    assert event["ts"] == "2025-01-13T12:00:00Z"


# --- X9 to X12 --------------------------------------------------------------------------

STEERS = (
    "penstock.toml",
    "claude-code-permissions-hook.toml",
    ".claude/settings.json",
    "hooks/hooks.json",
    "hooks/config/write-policies.json",
    ".agentzero_audit.jsonl",
    "/home/me/.config/penstock/penstock.toml",
)


def agents_do_not_steer_penstock() -> None:
    for name in ("guard", "strict"):
        for path in STEERS:
            decision = judged(name, path)
            assert decision.verdict is DENY
            assert "self-protection" in {reason.code for reason in decision.reasons}, path
        for tool in ("Write", "Edit"):
            written = {"file_path": "penstock.toml", "content": "", "old_string": "a"}
            assert called(tool, {**written, "new_string": ""}, name).verdict is DENY
        assert called("Bash", {"command": "echo > penstock.toml"}, name).verdict is DENY


def approving_needs_more_than_an_id() -> None:
    world = project()
    waiting = world.propose("app.py", b"x\n")
    with pytest.raises(RefusedError, match="not-approved"):
        world.gate.apply(waiting)


def case_counts_unless_the_disk_folds() -> None:
    assert judged("guard", "a/.ENV").verdict is ALLOW
    assert judged("guard", "a/.ENV", folds=True).verdict is DENY
    assert judged("hook-spec", "Src/a.ts").notes == ()
    # Folding only tightens: a grant is for the name as it is written.
    sandbox = ("strict", "AGENT_sandbox/a.py", Action.CREATE)
    assert judged(*sandbox, folds=True).verdict is ASK


def the_broker_has_its_own_list() -> None:
    for path in (".git/config", "package-lock.json", "node_modules/x/i.js"):
        assert judged("broker-spec", path).verdict is ASK, path
    for path in ("penstock.toml", ".agentzero_audit.jsonl", ".env", "a/x.pem"):
        assert judged("broker-spec", path).verdict is DENY, path


def with_penstock_toml_the_strictest_wins() -> None:
    files = {"penstock.toml": b'preset = "guard"\n'}
    both_levels = load.in_force(files.get, others=[load.load_preset("broker-spec")])
    assert judged(both_levels, ".git/config").verdict is DENY
    assert judged(both_levels, "lib/a.py").verdict is ASK
    assert judged(both_levels, "other/new.py", Action.CREATE).verdict is DENY


def the_numbers_are_the_files() -> None:
    limits = preset("broker-spec").limits
    found = (limits.max_read_bytes_default, limits.max_read_bytes_hard, limits.max_write_bytes)
    assert found == (32_000, 131_072, 524_288)
    assert (Limits().max_read_bytes_default, Limits().max_read_bytes_hard) == (32_000, 131_072)
    assert AuditSettings().rotate_bytes == 10 * 1024 * 1024
    sizes = (524_288, 524_289)
    changes = [Change(kind=ChangeKind.NEW, after_size=size) for size in sizes]
    verdicts = [judged("broker-spec", "src/a", Action.CREATE, change=one) for one in changes]
    assert [one.code for one in verdicts] == ["default", "too-large"]


ROWS = [
    Row(
        "X1",
        "each door has its fail mode, and no failure opens what is protected",
        both(
            each_door_has_its_fail_mode,
            broken_rules_still_protect,
            hostile_input_is_denied,
            duplicate_keys_are_refused,
        ),
    ),
    Row(
        "X2",
        "specs keep their lists, presets deny the union at any depth",
        both(each_spec_keeps_its_list, presets_deny_the_union_at_any_depth),
    ),
    Row("X3", "one matcher, segment by segment", one_matcher_for_all),
    Row(
        "X4",
        "path, size, overwrite, approval; new files by mode",
        both(path_then_size_then_overwrite_then_approval, new_files_by_mode),
    ),
    Row("X5", "a strategy makes a new proposal with its own digest", a_strategy_is_a_new_proposal),
    Row(
        "X6",
        "proposals expire by their own word, can be renewed, and the base is compared again",
        both(time_runs_out_and_can_be_renewed, the_base_is_compared_after_the_answer),
    ),
    Row(
        "X7",
        "one chain, metadata only, and protected itself",
        both(the_record_holds_no_content, one_chain_for_all, the_record_is_protected),
    ),
    Row("X8", "UTC, whole seconds, `Z`", times_have_one_form),
    Row(
        "X9",
        "an agent neither approves nor edits what steers the gate",
        both(agents_do_not_steer_penstock, approving_needs_more_than_an_id),
    ),
    Row("X10", "case counts; deny folds where the disk does", case_counts_unless_the_disk_folds),
    Row(
        "X11",
        "the broker's own list; with penstock.toml the strictest wins",
        both(the_broker_has_its_own_list, with_penstock_toml_the_strictest_wins),
    ),
    Row("X12", "the numbers of the file, and 10 MB is 10 * 1024 * 1024", the_numbers_are_the_files),
]


@pytest.mark.parametrize("row", ROWS, ids=name_of)
def test_what_is_settled_holds(row: Row) -> None:
    row.check()

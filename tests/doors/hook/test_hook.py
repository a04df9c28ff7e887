"""The hook as agents start it: what it answers, what it leaves behind, what it survives."""

from __future__ import annotations

import json
import marshal
import os
import subprocess
import sys
from pathlib import Path

import pytest

from penstock import presets
from penstock.app.places import stamp
from penstock.core.proposals.short_id import short
from penstock.startup.amalgamate import MODULES
from tests.doors.hook.hooks import LAUNCHER, Hook, said
from tests.project import Project

BIG = "".join(f"line {n}\n" for n in range(1, 271))


@pytest.fixture
def hook(project: Project) -> Hook:
    """A hook that has been called once, so that the policy lies ready."""
    found = Hook(project)
    assert said(found.write("notes.txt", "x")) == {}
    return found


# --- the fast path and the engine say the same ---------------------------------------------------

SAME = [
    ("new file", "Write", {"file_path": "new.txt", "content": "x"}, ""),
    ("secret", "Write", {"file_path": ".env", "content": "x"}, "deny"),
    ("secret below", "Write", {"file_path": "app/.env.local", "content": "x"}, "deny"),
    ("dotted way", "Write", {"file_path": "a/../.env", "content": "x"}, "deny"),
    ("look-alike", "Write", {"file_path": "GIT~1/config", "content": "x"}, "deny"),
    ("the rules", "Write", {"file_path": "penstock.toml", "content": "x"}, "deny"),
    ("the registration", "Write", {"file_path": ".claude/settings.json", "content": "{}"}, "deny"),
    ("told about", "Write", {"file_path": "CLAUDE.md", "content": "x"}, "note"),
    ("small edit", "Edit", {"file_path": "big.py", "old_string": "line 7\n", "new_string": ""}, ""),
    ("rewrite", "Write", {"file_path": "big.py", "content": BIG[:400]}, "deny"),
    ("edit that does not fit", "Edit", {"file_path": "big.py", "old_string": "?"}, ""),
    ("edit of nothing", "Edit", {"file_path": "none", "old_string": "a", "new_string": "b"}, ""),
    ("through a link", "Write", {"file_path": "link/x", "content": "x"}, "deny"),
    ("outside", "Write", {"file_path": "/tmp/elsewhere.txt", "content": "x"}, ""),
    ("a read", "Read", {"file_path": "big.py"}, ""),
    ("a read of nothing", "Read", {"file_path": "none.py"}, ""),
    ("a secret read", "Read", {"file_path": ".env"}, "deny"),
    ("a secret read below", "Read", {"file_path": "app/.env.local"}, "deny"),
    ("a secret read by a dotted way", "Read", {"file_path": "a/../.env"}, "deny"),
    ("the rules read", "Read", {"file_path": "penstock.toml"}, ""),
    ("read through a link", "Read", {"file_path": "link/config"}, ""),
    ("not a path", "Write", {"file_path": 7, "content": "x"}, "any"),
    ("control character", "Write", {"file_path": "a\u0000b", "content": "x"}, "deny"),
    ("no content", "Write", {"file_path": "new.txt"}, "any"),
]


@pytest.mark.parametrize(("why", "tool", "given", "expected"), SAME, ids=[s[0] for s in SAME])
def test_the_short_way_answers_as_the_engine_does(
    hook: Hook, why: str, tool: str, given: dict[str, object], expected: str
) -> None:
    hook.project.write("big.py", BIG)
    (hook.project.root / "link").symlink_to(".git")
    path = given["file_path"]
    full = {**given, "file_path": hook.at(path)} if isinstance(path, str) else given
    short = hook.before(tool, full)
    (_policy_of(hook)).unlink()  # without it only the engine can answer
    long = hook.before(tool, full)
    again = long.out.replace(
        "change is already saved", "change was saved"
    )  # one change, one ticket
    assert (short.code, short.out) == (long.code, again), why
    got = said(short)
    note = "note" if got.get("additionalContext") else ""
    assert expected in ("any", got.get("permissionDecision", note)), why


def _policy_of(hook: Hook) -> Path:
    (found,) = (hook.project.home / "state" / "penstock").glob("*/hook.policy")
    return found


def test_the_common_path_loads_these_modules_and_no_others(hook: Hook) -> None:
    """Each import costs every tool call; whoever adds one changes this list knowingly."""
    loaded = _modules_loaded(hook, "Write", {"file_path": hook.at("b.txt"), "content": "x"})
    ours = {name for name in loaded if name.startswith("penstock")}
    assert ours == set(MODULES)
    assert loaded - ours <= {"_json", "_sha256", "_sha2", "fcntl", "gc", "time"}


@pytest.mark.parametrize("name", ["big.py", ".env"])
def test_a_read_takes_the_common_path_too(hook: Hook, name: str) -> None:
    hook.project.write("big.py", BIG)
    loaded = _modules_loaded(hook, "Read", {"file_path": hook.at(name)})
    assert {one for one in loaded if one.startswith("penstock")} == set(MODULES)
    (entry,) = [one for one in hook.events() if one.get("tool") == "Read"]
    assert (entry["action"], entry["path"]) == ("read", name)


def _modules_loaded(hook: Hook, tool: str, given: object) -> set[str]:
    code = (
        "import sys, posix; before = set(sys.modules); real = posix._exit\n"
        "def leave(code):\n"
        "    posix.write(2, '\\n'.join(set(sys.modules) - before).encode()); real(code)\n"
        f"posix._exit = leave; sys.argv = ['hook', 'claude']; __file__ = {LAUNCHER!r}\n"
        f"exec(compile(open({LAUNCHER!r}).read(), {LAUNCHER!r}, 'exec'))\n"
    )
    document = hook.document("PreToolUse", tool, given, "toolu_9")
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code],
        input=json.dumps(document).encode(),
        env=hook.environ(),
        capture_output=True,
        timeout=60,
        check=True,
    )
    return set(done.stderr.decode().split())


def test_rules_that_change_are_in_force_at_the_next_call(hook: Hook) -> None:
    assert said(hook.write("data/a.csv", "x")) == {}
    hook.project.write("penstock.toml", 'preset = "guard"\n[[deny]]\npaths = ["data/**"]\n')
    assert said(hook.write("data/a.csv", "x"))["permissionDecision"] == "deny"
    hook.project.write("penstock.toml", "this is no TOML")
    assert said(hook.write("data/a.csv", "x"))["permissionDecision"] == "deny", "the last good"
    assert said(hook.write(".env", "x"))["permissionDecision"] == "deny"


def test_a_compiled_policy_is_of_the_presets_that_are_installed(hook: Hook) -> None:
    """An upgrade of Penstock changes no rules file of the project's, and is seen all the same."""
    assert said(hook.write("a.csv", "x")) == {}
    (kept,) = hook.project.home.rglob("hook.policy")
    stamps = {one[0]: one for one in marshal.loads(kept.read_bytes())["stamps"]}
    assert stamps[presets.place("guard.toml")] == stamp(presets.place("guard.toml"))


# --- what is asked, told and refused -------------------------------------------------------------


def test_a_replaced_file_is_asked_about_where_a_person_is_and_refused_elsewhere(hook: Hook) -> None:
    hook.project.write("big.py", BIG)
    content = "".join(f"line {n}\n" for n in range(1, 57))
    alone = said(hook.write("big.py", content))
    assert alone["permissionDecision"] == "deny"
    assert alone["permissionDecisionReason"].startswith(
        "Denied: this removes 214 of 270 lines of big.py (79 %). Edit only the lines that change. "
    )
    hook.attended = True
    done = hook.write("big.py", content)
    assert said(done)["permissionDecision"] == "ask"
    assert "214 of 270" in json.loads(done.out)["systemMessage"], "the dialog hides the reason"


def test_a_bare_allow_is_never_sent_without_a_rule_that_says_so(hook: Hook) -> None:
    assert said(hook.write("b.txt", "x")) == {}
    rules = 'preset = "guard"\n[[allow]]\npaths = ["b.txt"]\nreason = "b is fine"\n'
    hook.project.write("penstock.toml", rules)
    got = said(hook.write("b.txt", "x"))
    assert (got["permissionDecision"], got["permissionDecisionReason"]) == ("allow", "b is fine")


@pytest.mark.parametrize(
    "command",
    [
        "echo x > .env",
        "cp /etc/hostname .env",
        "sed -i s/a/b/ .env",
        "python3 -c \"open('.env','w').write('x')\"",
        "sh -c 'echo x | tee .env'",
        "cat <<E > .env\nx\nE",
        "echo '{}' > .claude/settings.json",
    ],
)
def test_a_command_that_writes_what_is_protected_is_denied(hook: Hook, command: str) -> None:
    got = said(hook.before("Bash", {"command": command}))
    assert got["permissionDecision"] == "deny"
    assert hook.events()[-1]["status"] == "denied"


def test_in_propose_mode_a_person_decides_and_penstock_writes(hook: Hook) -> None:
    hook.project.write("penstock.toml", 'preset = "guard"\n[gate]\nmode = "propose"\n')
    hook.project.write("big.py", BIG)
    got = said(hook.write("big.py", "short\n"))
    assert got["permissionDecision"] == "deny"
    (waiting,) = json.loads(hook.project.run("proposals", "--json").out)["proposals"]
    assert f"pending change {short(waiting['id'])};" in got["permissionDecisionReason"]
    assert (hook.project.root / "big.py").read_text() == BIG


def test_in_propose_mode_a_rule_about_the_tool_makes_it_wait_too(hook: Hook) -> None:
    rules = 'preset = "guard"\n[gate]\nmode = "propose"\n[[ask]]\nid = "all"\ntool = "Write"\n'
    hook.project.write("penstock.toml", rules)
    assert said(hook.write("small.txt", "x\n"))["permissionDecision"] == "deny"
    (waiting,) = json.loads(hook.project.run("proposals", "--json").out)["proposals"]
    assert (waiting["path"], waiting["state"]) == ("small.txt", "waiting")


def test_in_propose_mode_a_command_of_unknown_content_is_refused(hook: Hook) -> None:
    hook.project.write("penstock.toml", 'preset = "guard"\n[gate]\nmode = "propose"\n')
    hook.project.write("big.py", BIG)
    got = said(hook.before("Bash", {"command": "make > big.py"}))
    assert got["permissionDecision"] == "deny"
    assert "can't be saved for review" in got["permissionDecisionReason"]


def test_a_session_begins_with_one_line_that_names_the_preset(hook: Hook) -> None:
    got = said(hook.call("SessionStart", "", {}))
    assert got["additionalContext"].startswith("Penstock is on (guard).")
    assert "\n" not in got["additionalContext"]


# --- undo of what the agent wrote by itself ------------------------------------------------------


def test_a_write_of_the_agent_itself_can_be_undone(hook: Hook) -> None:
    file = hook.project.write("a.txt", "old\n")
    given = {"file_path": str(file), "content": "new\n"}
    hook.before("Write", given, "toolu_1")
    file.write_text("new\n")
    assert said(hook.after("Write", given, "toolu_1")) == {}
    assert hook.events()[-1]["op"] == "observed"
    assert hook.project.run("undo", "--last", "1", "--yes").code == 0
    assert file.read_text() == "old\n"


def test_a_file_that_the_agent_made_is_removed_by_undo(hook: Hook) -> None:
    file = hook.project.root / "made.txt"
    given = {"file_path": str(file), "content": "new\n"}
    hook.before("Write", given, "toolu_1")
    file.write_text("new\n")
    hook.after("Write", given, "toolu_1")
    assert hook.project.run("undo", "--last", "1", "--yes").code == 0
    assert not file.exists()


def test_what_a_command_wrote_can_be_undone(hook: Hook) -> None:
    file = hook.project.write("a.txt", "old\n")
    given = {"command": "echo new > a.txt; rm -f b.txt"}
    hook.before("Bash", given, "toolu_1")
    file.write_text("new\n")
    hook.after("Bash", given, "toolu_1")
    assert hook.project.run("undo", "--last", "1", "--yes").code == 0
    assert file.read_text() == "old\n"


def test_a_call_that_changed_nothing_leaves_nothing_to_undo(hook: Hook) -> None:
    file = hook.project.write("a.txt", "old\n")
    given = {"file_path": str(file), "content": "old\n"}
    hook.before("Write", given, "toolu_1")
    hook.after("Write", given, "toolu_1")
    assert hook.project.run("undo", "--json", "--yes").json["error"]["code"] == "nothing-to-undo"
    assert hook.events()[-1]["op"] == "tool_call"


def test_a_protected_file_that_changed_all_the_same_is_told_and_put_back(hook: Hook) -> None:
    secret = hook.project.write(".env", "KEY=1\n")
    hook.call("SessionStart", "", {})
    given = {"command": "./build.sh"}
    hook.before("Bash", given, "toolu_1")
    secret.write_text("KEY=2\n")
    got = said(hook.after("Bash", given, "toolu_1"), warned=True)
    assert ".env" in got["additionalContext"]
    assert "has been told" not in got["additionalContext"], "nobody knows whether anybody was"
    assert "in the audit log" in got["additionalContext"]
    assert hook.events()[-1]["op"] == "slipped"
    assert "changed despite the rules" in hook.project.run("status").out
    assert hook.project.run("undo", "--path", ".env", "--yes").code == 0
    assert secret.read_text() == "KEY=1\n"


def test_what_a_person_changed_between_calls_did_not_slip_through(hook: Hook) -> None:
    secret = hook.project.write(".env", "KEY=1\n")
    hook.call("SessionStart", "", {})
    secret.write_text("KEY=3\n")
    given = {"command": "./build.sh"}
    hook.before("Bash", given, "toolu_1")
    assert said(hook.after("Bash", given, "toolu_1")) == {}


# --- settings that would switch the hooks off ----------------------------------------------------


def config(hook: Hook, path: str) -> dict[str, object]:
    document = {
        "session_id": "session-1",
        "cwd": str(hook.project.root),
        "hook_event_name": "ConfigChange",
        "source": "local_settings",
        "file_path": hook.at(path),
    }
    done = hook.send(json.dumps(document).encode())
    found: dict[str, object] = json.loads(done.out) if done.out else {}
    return found


@pytest.mark.parametrize(
    ("settings", "blocked"),
    [
        ('{"disableAllHooks": true}', True),
        ('{"disableAllHooks": false}', False),
        ('{"model": "x"}', False),
        ("{not json", True),
        ("", False),
    ],
)
def test_settings_that_switch_the_hooks_off_are_refused(
    hook: Hook, settings: str, blocked: bool
) -> None:
    hook.project.write(".claude/settings.local.json", settings)
    got = config(hook, ".claude/settings.local.json")
    assert (got.get("decision") == "block") is blocked


def test_taking_the_registration_away_is_refused(hook: Hook) -> None:
    assert hook.project.run("init", "--agent", "claude", "--yes").code == 0
    hook.call("SessionStart", "", {})
    assert config(hook, ".claude/settings.local.json") == {}
    hook.project.write(".claude/settings.local.json", '{"hooks": {}}')
    assert config(hook, ".claude/settings.local.json")["decision"] == "block"
    (hook.project.root / ".claude/settings.local.json").unlink()
    assert config(hook, ".claude/settings.local.json")["decision"] == "block"


def test_settings_are_looked_at_where_the_variable_of_the_agent_says(hook: Hook) -> None:
    document = {
        "session_id": "session-1",
        "cwd": str(hook.project.root),
        "hook_event_name": "ConfigChange",
        "source": "user_settings",
    }
    moved = hook.project.home / "moved"
    moved.mkdir()
    (moved / "settings.json").write_text('{"disableAllHooks": true}')
    data = json.dumps(document).encode()
    assert hook.send(data).out == ""
    done = hook.send(data, env={"CLAUDE_CONFIG_DIR": str(moved)})
    assert json.loads(done.out)["decision"] == "block"


# --- bad input -----------------------------------------------------------------------------------

BAD = [
    ("empty", b""),
    ("not JSON", b"hello"),
    ("a list", b"[]"),
    ("cut off", b'{"hook_event_name": "PreToolUse", "tool_name": "Wri'),
    ("no text", b'{"a": "\xff"}'),
    ("more behind", b'{"hook_event_name": "PreToolUse"} {}'),
]
HOSTILE = [
    ("deep", b'{"a":' * 100_000),
    ("twice", b'{"tool_name": "Write", "tool_name": "Read"}'),
    ("twice below", b'{"tool_input": {"file_path": ".env", "file_path": "a"}}'),
]


@pytest.mark.parametrize(("why", "data"), BAD, ids=[b[0] for b in BAD])
def test_what_cannot_be_read_gets_the_answer_of_on_error(hook: Hook, why: str, data: bytes) -> None:
    open_ = hook.send(data)
    assert open_.code == 0, "guard lets the work go on"
    assert json.loads(open_.out) == {"systemMessage": open_.err.strip()}, "and the person is told"
    assert open_.err.startswith("Penstock could not judge this call: its input is not ")
    assert open_.err.endswith(
        '; it was allowed without a check ([on_error] hook = "allow"); run `penstock doctor`\n'
    )
    assert hook.events()[-1]["op"] == "hook_failed"
    hook.project.write("penstock.toml", 'preset = "strict"\n')
    shut = hook.send(data)
    assert _refuses(shut), f"strict does not: {why}"
    assert "Traceback" not in shut.out + shut.err


@pytest.mark.parametrize(("why", "data"), HOSTILE, ids=[b[0] for b in HOSTILE])
def test_hostile_input_is_denied_whatever_on_error_says(hook: Hook, why: str, data: bytes) -> None:
    assert _refuses(hook.send(data)), why
    assert hook.events()[-1]["code"] == "hostile-input"


def _refuses(done: object) -> bool:
    code, out, err = done.code, done.out, done.err  # type: ignore[attr-defined]
    if code == 2:
        return bool(err) and not out
    return bool(json.loads(out)["hookSpecificOutput"]["permissionDecision"] == "deny")


STRANGE = [
    ("unknown tool", "Frobnicate", {"path": "x"}),
    ("input is a list", "Write", ["x"]),
    ("input is null", "Write", None),
    ("lone surrogate", "Write", {"file_path": "a\ud800b", "content": "x"}),
    ("surrogate content", "Write", {"file_path": "a.txt", "content": "\ud800"}),
    ("long path", "Write", {"file_path": "a" * 5000, "content": "x"}),
    ("long command", "Bash", {"command": "echo x; " * 30_000}),
    ("empty command", "Bash", {"command": ""}),
]


@pytest.mark.parametrize(("why", "tool", "given"), STRANGE, ids=[s[0] for s in STRANGE])
def test_strange_calls_get_an_answer_and_never_a_traceback(
    hook: Hook, why: str, tool: str, given: object
) -> None:
    done = hook.before(tool, given)
    assert done.code == 0, why
    assert "Traceback" not in done.out + done.err
    assert not done.out or json.loads(done.out)


def test_a_stdin_that_never_closes_is_answered_all_the_same(hook: Hook) -> None:
    document = hook.document("PreToolUse", "Write", {"file_path": hook.at(".env")}, "toolu_1")
    document["tool_input"]["content"] = "x"
    child = subprocess.Popen(
        [sys.executable, "-I", "-S", LAUNCHER, "claude"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=hook.environ(),
    )
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdin.write(json.dumps(document).encode())
    child.stdin.flush()
    try:
        assert b'"deny"' in child.stdout.read()
    finally:
        child.stdin.close()
        child.stdout.close()
        child.wait(timeout=30)


def test_large_content_arrives_whole(hook: Hook) -> None:
    assert said(hook.write("large.txt", "é\r\n" * 400_000)) == {}


def test_a_state_that_cannot_be_written_is_on_error(hook: Hook, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    env = {"XDG_STATE_HOME": str(blocked)}
    document = hook.document("PreToolUse", "Write", {"file_path": "a.txt", "content": "x"}, "t")
    done = hook.send(json.dumps(document).encode(), env=env)
    assert done.code == 0
    assert done.err.count("\n") == 1, "one line says what is wrong"
    assert json.loads(done.out) == {"systemMessage": done.err.strip()}, "and the person is told"
    document["tool_input"]["file_path"] = ".env"
    assert _refuses(hook.send(json.dumps(document).encode(), env=env)), "a no stays a no"
    hook.project.write("penstock.toml", 'preset = "strict"\n')
    document["tool_input"]["file_path"] = "a.txt"
    assert _refuses(hook.send(json.dumps(document).encode(), env=env))


def test_without_a_home_there_is_still_an_answer(hook: Hook) -> None:
    document = hook.document("PreToolUse", "Write", {"file_path": ".env", "content": "x"}, "t")
    done = subprocess.run(
        [sys.executable, "-I", "-S", LAUNCHER, "claude"],
        input=json.dumps(document).encode(),
        env={"PENSTOCK_RESIDENT": "off", "XDG_STATE_HOME": os.fspath(hook.project.home / "state")},
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert b'"deny"' in done.stdout


def test_what_cannot_be_measured_in_time_counts_as_lost(hook: Hook) -> None:
    """The engine that is asked when measuring took too long."""
    hook.project.write("big.py", BIG)
    given = {"file_path": hook.at("big.py"), "content": BIG.replace("line 7", "line seven")}
    assert said(hook.before("Write", given)) == {}
    document = json.dumps(hook.document("PreToolUse", "Write", given, "t1"))
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from penstock.doors.hook.daemon_client import use_packages; use_packages()\n"
        "from penstock.doors.hook.engine import Engine; import os\n"
        "late = Engine(measures=False)\n"
        "print(late.reply('claude', sys.argv[2].encode(), os.environ).stdout)"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, str(Path(LAUNCHER).parents[1]), document],
        env=hook.environ(),
        capture_output=True,
        check=True,
        timeout=60,
    )
    got = json.loads(done.stdout)["hookSpecificOutput"]
    assert got["permissionDecision"] == "deny"
    assert "this removes" in got["permissionDecisionReason"]


@pytest.mark.parametrize(("words", "code"), [(["claude"], 1), (["claude", "closed"], 2)])
def test_a_broken_installation_says_one_line_and_blocks_where_that_is_wanted(
    tmp_path: Path, words: list[str], code: int
) -> None:
    (tmp_path / "penstock").mkdir()
    lonely = tmp_path / "penstock" / "hook.py"
    lonely.write_text(Path(LAUNCHER).read_text())
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(lonely), *words],
        input=b"{}",
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (code, b"")
    assert done.stderr.count(b"\n") == 1

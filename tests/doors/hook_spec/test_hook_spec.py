"""The hook spec, row by row, through the plugin's real script with a bare environment."""

from __future__ import annotations

import json
import os
import stat
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from penstock import presets
from tests.doors.hook_spec.plugin import CHECKOUT, POLICY, SCRIPT, Plugin, Said, bare_path, copied
from tests.requirements.hook_paths import ASKED, DENY, SILENT, WARNED, Asked
from tests.requirements.table import numbered

Check = Callable[[Plugin], None]


@pytest.fixture
def plugin(tmp_path: Path) -> Plugin:
    return copied(tmp_path)


class Row(NamedTuple):
    id: str
    claim: str
    check: Check


def protected(path: str) -> str:
    return f"Protected path: {path} cannot be modified"


def warned(path: str) -> str:
    return f"Production path: {path} - ensure this is intentional"


def kind(said: Said) -> str:
    """Return an answer as a reader of the spec would name it; it must be one of three."""
    assert said.code == 0
    if not said.out:
        return SILENT
    answer = said.answer
    assert answer["permissionDecisionReason"]
    if answer["permissionDecision"] == "allow":
        assert answer["additionalContext"] == answer["permissionDecisionReason"]
        return WARNED
    assert answer.keys() == {"permissionDecision", "permissionDecisionReason"}
    return str(answer["permissionDecision"])


def answers(expected: str, *paths: str, tool: str = "Write") -> Check:
    def check(plugin: Plugin) -> None:
        found = {path: kind(plugin.call(path, tool)) for path in paths}
        assert found == dict.fromkeys(paths, expected)

    return check


def says(path: str, text: str) -> Check:
    def check(plugin: Plugin) -> None:
        assert plugin.call(path).answer["permissionDecisionReason"] == text

    return check


def both(*checks: Check) -> Check:
    def check(plugin: Plugin) -> None:
        for one in checks:
            one(plugin)

    return check


def with_policy(text: str | bytes | None, *checks: Check) -> Check:
    def check(plugin: Plugin) -> None:
        plugin.policy(text)
        both(*checks)(plugin)

    return check


def as_asked(asked: Asked) -> Row:
    """Ask the script, under its own policy or another that stands in its place."""

    def check(plugin: Plugin) -> None:
        if asked.policy is not None:
            plugin.policy(asked.policy)
        assert {path: kind(plugin.call(path)) for path in asked.said} == asked.said

    return Row(asked.id, asked.claim, check)


def registered() -> dict[str, object]:
    hooks = json.loads((CHECKOUT / "hooks/hooks.json").read_text())["hooks"]
    (entry,) = hooks["PreToolUse"]
    found: dict[str, object] = entry
    return found


def the_matcher(_: Plugin) -> None:
    assert registered()["matcher"] == "Write|Edit"


def the_command(_: Plugin) -> None:
    # `args` makes clients that know it start the script without a shell, which would split
    # a plugin's path at its spaces.
    assert registered()["hooks"] == [
        {
            "type": "command",
            "command": "${CLAUDE_PLUGIN_ROOT}/hooks/write-control.sh",
            "args": [],
        }
    ]


def every_call_is_judged(plugin: Plugin) -> None:
    for tool in ("Write", "Edit"):
        assert kind(plugin.call(".env", tool)) == DENY
    whole = {
        "session_id": "0972e5c0",
        "transcript_path": "/home/me/.claude/projects/p/0972e5c0.jsonl",
        "cwd": str(plugin.project),
        "permission_mode": "acceptEdits",
        "effort": {"level": "medium"},
        "hook_event_name": "PreToolUse",
        "tool_name": "Edit",
        "tool_input": {
            "file_path": f"{plugin.project}/src/e.txt",
            "old_string": "one",
            "new_string": "two",
            "replace_all": False,
        },
        "tool_use_id": "toolu_1",
    }
    said = plugin.run(json.dumps(whole).encode())
    assert said.answer["permissionDecisionReason"] == warned("src/e.txt")


def executable(_: Plugin) -> None:
    assert (CHECKOUT / SCRIPT).stat().st_mode & stat.S_IXOTH
    assert (CHECKOUT / SCRIPT).read_text().startswith("#!/usr/bin/env bash\n")


def the_denial(plugin: Plugin) -> None:
    assert json.loads(plugin.call(".git/config").out) == {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": protected(".git/config"),
        }
    }


def the_warning(plugin: Plugin) -> None:
    assert json.loads(plugin.call("src/index.ts").out) == {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "allow",
            "permissionDecisionReason": warned("src/index.ts"),
            "additionalContext": warned("src/index.ts"),
        }
    }


def no_output_at_all(plugin: Plugin) -> None:
    said = plugin.call("docs/README.md")
    assert (said.code, said.out, said.err) == (0, "", "")


def absolute(relative: str, expected: str) -> Check:
    """Ask with each way in which the project's directory may be known."""

    def check(plugin: Plugin) -> None:
        root = str(plugin.project)
        path = f"{root}/{relative}"
        call = json.dumps({"tool_name": "Write", "tool_input": {"file_path": path}}).encode()
        elsewhere = plugin.root
        found = [
            kind(plugin.run(call, env={"CLAUDE_PROJECT_DIR": root}, cwd=elsewhere)),
            kind(plugin.call(path, cwd=root)),
            kind(plugin.call(path)),
            kind(plugin.run(call, env={"CLAUDE_PROJECT_DIR": root + "/"}, cwd=elsewhere)),
        ]
        assert found == [expected] * 4
        assert kind(plugin.run(call, cwd=elsewhere)) == SILENT, "then it is not in the project"

    return check


def normalised(plugin: Plugin) -> None:
    for path, shown in (
        ("a/../.git/config", ".git/config"),
        (".//.env", ".env"),
        ("././.env", ".env"),
        (f"{plugin.project}//.env", ".env"),
        (f"{plugin.project}/./x/../.env", ".env"),
        (".env/", ".env"),
        ("../project/.env", ".env"),
        ("src/../.env", ".env"),
    ):
        said = plugin.call(path).answer
        assert said == {
            "permissionDecision": "deny",
            "permissionDecisionReason": protected(shown),
        }, path


def the_file_is_the_preset(_: Plugin) -> None:
    assert (CHECKOUT / POLICY).read_bytes() == presets.read("hook-spec")


SPEC_DEFAULTS = (
    answers(DENY, ".git/a", "node_modules/a", ".env", "a.key", "a.pem"),
    answers(DENY, "package-lock.json", "yarn.lock"),
    answers(WARNED, "src/a", "plugins/p/agents/a.md", "plugins/p/commands/a.md"),
    answers(WARNED, "plugins/p/skills/a", ".claude-plugin/a"),
    answers(SILENT, "docs/a", "agent_sandbox/a", "tests/a", "a.md", "p/a"),
)
FEW_DEFAULTS = (answers(DENY, ".env"), answers(WARNED, "src/a"), answers(SILENT, "docs/a"))


def a_failure_never_blocks(plugin: Plugin) -> None:
    """Whatever is called python3 does, the exit code is 0 and never the 2 that blocks."""
    tools = plugin.root / "tools"
    tools.mkdir()
    for name in ("bash", "env"):
        (tools / name).symlink_to(f"/usr/bin/{name}")
    call = json.dumps({"tool_name": "Write", "tool_input": {"file_path": ".env"}}).encode()
    without = plugin.run(call, path=str(tools))
    assert without.silent
    for code in (1, 2, 3, 127):
        (tools / "python3").write_text(f"#!/usr/bin/env bash\necho broken >&2\nexit {code}\n")
        (tools / "python3").chmod(0o755)
        assert plugin.run(call, path=str(tools)).silent, code
        strict = {"SHELLOPTS": "errexit:pipefail"}
        assert plugin.run(call, path=str(tools), env=strict).silent, code
    (tools / "python3").write_text("#!/usr/bin/env bash\nkill -SEGV $$\n")
    assert plugin.run(call, path=str(tools)).silent


def what_is_not_json_passes(plugin: Plugin) -> None:
    for stdin in (
        b"",
        b"   \n",
        b"not json",
        b"{",
        b'{"tool_name": "Write", "tool_input": {"file_path": ".env"}',
        b'{"tool_name": "Write", "tool_input": {"file_path": ".env"}} and more',
        b"{'tool_name': 'Write'}",
        b"\xff\xfe\x00",
        b"\x00" * 100,
    ):
        said = plugin.run(stdin)
        assert said.silent, stdin
        assert said.err.count("\n") == 1, "one line, for whoever reads the client's log"


def as_it_is(plugin: Plugin) -> None:
    """A link that leads to itself, and a directory that is gone, cannot be normalised."""
    (plugin.project / "loop").symlink_to("loop")
    (plugin.project / ".git").symlink_to(".git")
    assert kind(plugin.call("loop/a")) == SILENT
    assert kind(plugin.call(".git/config")) == DENY
    gone = plugin.project / "gone"
    gone.mkdir()
    call = json.dumps({"tool_name": "Write", "tool_input": {"file_path": ".env"}}).encode()
    assert kind(plugin.run(call, first=f"cd {gone} && rmdir {gone}")) == DENY


def stdin_that_never_ends(plugin: Plugin) -> None:
    """What came in time is judged; half a call is no JSON."""
    whole = json.dumps({"tool_name": "Write", "tool_input": {"file_path": ".env"}}).encode()
    assert kind(plugin.run_with_open_stdin(whole)) == DENY
    assert plugin.run_with_open_stdin(whole[:20]).silent


ODD = ('a"b', "a\\b", "a\nb", "a\tb", "äöü", "日本", "\U0001f600", "\u2028", "a'b$(x)`y`", "%s{}")


def any_name_gives_json(plugin: Plugin) -> None:
    for name in ODD:
        denied = plugin.call(f".git/{name}").answer
        assert denied["permissionDecisionReason"] == protected(f".git/{name}")
        told = plugin.call(f"src/{name}").answer
        assert told["additionalContext"] == warned(f"src/{name}")


def other_calls_pass(plugin: Plugin) -> None:
    for tool in ("Read", "Bash", "mcp__notes__write", "write", "", "WriteX"):
        assert plugin.call(".env", tool).silent, tool
    inputs: list[object] = [None, "x", 7, [], {}, {"file_path": None}]
    for given in (*inputs, {"file_path": 7}, {"file_path": ""}, {"file_path": [".env"]}):
        call = {"tool_name": "Write", "tool_input": given}
        assert plugin.run(json.dumps(call).encode()).silent, given
    calls: list[object] = [{}, [], None, 7, "Write", {"tool_name": "Write"}]
    for whole in (*calls, {"tool_name": ["Write"], "tool_input": {"file_path": ".env"}}):
        assert plugin.run(json.dumps(whole).encode()).silent, whole


def nothing_is_made(plugin: Plugin) -> None:
    plugin.call("agent_sandbox/2026-02-04/a/b.py")
    assert os.listdir(plugin.project) == []


def bash_and_python_alone(plugin: Plugin) -> None:
    """The other rows run so too; here not even coreutils are there."""
    tools = plugin.root / "tools"
    tools.mkdir()
    (tools / "bash").symlink_to("/usr/bin/bash")
    python = next(p for p in bare_path().split(":") if os.access(f"{p}/python3", os.X_OK))
    (tools / "python3").symlink_to(f"{python}/python3")
    call = json.dumps({"tool_name": "Write", "tool_input": {"file_path": ".env"}}).encode()
    assert kind(plugin.run(call, path=str(tools))) == DENY


def out_of_scope(plugin: Plugin) -> None:
    """No shell commands, no reading, no lists of the project's own, no matter which agent."""
    answers(SILENT, ".env", tool="Bash")(plugin)
    answers(SILENT, ".env", tool="Read")(plugin)
    own = plugin.project / POLICY
    own.parent.mkdir(parents=True)
    own.write_text('{"protected": [], "warned": [], "safe": []}')
    assert kind(plugin.call(".env", agent_id="a1", agent_type="general-purpose")) == DENY


def paranoid_word(plugin: Plugin) -> None:
    plugin.policy('{"paranoid": true}')
    reason = plugin.call("src/a.ts").answer["permissionDecisionReason"]
    assert reason == "Production path: src/a.ts cannot be modified in paranoid mode"


def no_accident_clear_words_no_friction(plugin: Plugin) -> None:
    for path in (".git/config", ".env", "a.key", "yarn.lock"):
        assert plugin.call(path).answer["permissionDecisionReason"] == protected(path)
    assert plugin.call("src/a").answer["permissionDecisionReason"] == warned("src/a")
    answers(SILENT, "agent_sandbox/2026-02-04/a/b.py", "random/file.txt")(plugin)


ROWS = [
    *(as_asked(asked) for asked in ASKED),
    Row("S2-001", "the matcher is `Write|Edit`", the_matcher),
    Row("S2-002", "the command is the script below the plugin's root", the_command),
    Row("S2-003", "every Write and Edit is judged", every_call_is_judged),
    Row("S2-004", "the script can be executed", executable),
    Row("S2-010", "the denial's JSON", the_denial),
    Row("S2-011", "its exact words", says(".git/config", protected(".git/config"))),
    Row("S2-012", "`secrets.key`", says("secrets.key", protected("secrets.key"))),
    Row("S2-018", "the warning's JSON", the_warning),
    Row("S2-019", "its exact words", says("src/index.ts", warned("src/index.ts"))),
    Row("S2-025", "silent is exit 0 and no output", no_output_at_all),
    Row("S2-027", "an absolute path is made relative", absolute(".env", DENY)),
    Row("S2-028", "and meets `src/**`", absolute("src/file.ts", WARNED)),
    Row(
        "S2-031",
        "paths are normalised before they are matched, and not matched as they were given",
        both(normalised, with_policy('{"protected": ["a/**"]}', answers(SILENT, "a/../b"))),
    ),
    Row("S2-032", "the shipped policy is the spec's", the_file_is_the_preset),
    Row("S2-034", "a missing file is the defaults", with_policy(None, *SPEC_DEFAULTS)),
    Row(
        "S2-035",
        "a file that is no JSON is the defaults",
        both(
            with_policy("{not json", *SPEC_DEFAULTS),
            with_policy("", *FEW_DEFAULTS),
            with_policy("[1]", *FEW_DEFAULTS),
            with_policy(b"\xff\x00", *FEW_DEFAULTS),
            with_policy("[" * 100_000, *FEW_DEFAULTS),
            with_policy('{"protected": ["p/**"]', *FEW_DEFAULTS),
        ),
    ),
    Row(
        "S2-036",
        "custom patterns are used",
        with_policy(
            '\ufeff{"protected": ["vault/**", "**/*.tfstate"], "warned": []}',
            answers(DENY, "vault/a", "a/b/c.tfstate", "/elsewhere/x.tfstate"),
            answers(SILENT, ".env", "src/a", "docs/a"),
        ),
    ),
    Row("S2-048", "case counts", answers(SILENT, "Src/a", ".ENV", ".GIT/config", "A.KEY")),
    Row("S2-057", "a failure lets the call go on", a_failure_never_blocks),
    Row("S2-058", "stdin that is no JSON is silent", what_is_not_json_passes),
    Row(
        "S2-059",
        "parts of a policy that are no lists have their defaults",
        both(
            with_policy('{"protected": 7, "warned": null, "safe": "docs"}', *FEW_DEFAULTS),
            with_policy("{}", *FEW_DEFAULTS),
            with_policy(
                '{"protected": [7, "", null, "x/**"], "warned": []}',
                answers(DENY, "x/a"),
                answers(SILENT, ".env", "src/a"),
            ),
        ),
    ),
    Row("S2-060", "what cannot be normalised is matched as it is", as_it_is),
    Row("S2-062", "bash and python3 are enough", bash_and_python_alone),
    Row("S2-063", "stdin that never ends is not waited for", stdin_that_never_ends),
    Row("S2-064", "any name gives valid JSON", any_name_gives_json),
    Row("S2-065", "other tools and calls without a path are silent", other_calls_pass),
    Row("S2-066a", "the hook makes no sandbox", nothing_is_made),
    Row("S2-067", "what the spec leaves out is left out", out_of_scope),
    Row(
        "S2-068",
        "paranoid: production paths are denied",
        both(
            paranoid_word,
            with_policy('{"paranoid": true}', answers(DENY, "src/a"), answers(SILENT, "docs/a")),
            with_policy('{"paranoid": "yes"}', answers(DENY, "src/a")),
            with_policy('{"paranoid": false}', answers(WARNED, "src/a")),
        ),
    ),
    Row(
        "S2-069",
        "warnings can be suppressed, denials cannot",
        with_policy(
            '{"suppress": ["src/gen/**", ".env"]}',
            answers(SILENT, "src/gen/a.ts"),
            answers(WARNED, "src/a.ts"),
            answers(DENY, ".env"),
        ),
    ),
    Row("S2-070", "what the spec is measured by", no_accident_clear_words_no_friction),
]

# What is no matter of the script, and where it is held.
ELSEWHERE = {
    **dict.fromkeys(numbered("S2-", range(37, 42), digits=3), "tests/cli/test_sandbox.py"),
    "S2-061": "bench/hook_spec.py",
    "S2-066": "docs/how-to/claude-plugin.md",
}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_the_plugins_script_holds(row: Row, plugin: Plugin) -> None:
    row.check(plugin)


def test_no_line_of_the_spec_is_left_out() -> None:
    ids = [*numbered("S2-", range(1, 71), digits=3), "S2-066a"]
    assert sorted([*(row.id for row in ROWS), *ELSEWHERE]) == sorted(ids)
    assert [place for place in ELSEWHERE.values() if not (CHECKOUT / place).exists()] == []


def test_without_its_source_the_script_lets_the_call_go_on(plugin: Plugin) -> None:
    (plugin.root / "src").unlink()
    said = plugin.call(".env")
    assert said.silent
    assert said.err


def test_the_manifests_name_the_root_as_the_plugin_and_the_version_that_is_built() -> None:
    plugin = json.loads((CHECKOUT / ".claude-plugin/plugin.json").read_text())
    market = json.loads((CHECKOUT / ".claude-plugin/marketplace.json").read_text())
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]
    listed, full = market["plugins"]
    assert full["name"] == "penstock-full"
    assert (plugin["name"], listed["name"], listed["source"]) == ("penstock", "penstock", "./")
    assert (plugin["version"], plugin["license"]) == (project["version"], project["license"])

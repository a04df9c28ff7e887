"""What somebody does who wants a write past the plugin, and what a broken client sends.

Hostile input is denied rather than let through as a fault; links are followed; an answer comes
whatever happens to the descriptors.
"""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.model import Action, Request, Verdict
from penstock.core.paths.relpath import locate
from penstock.core.paths.spellings import spellings
from penstock.core.policy.decide import decide
from penstock.core.rules import load
from penstock.core.rules.foreign import read_write_policies
from penstock.doors import hook_spec
from penstock.doors.hook_spec.system import folds_case
from tests.doors.hook_spec.plugin import CHECKOUT, POLICY, SCRIPT, Plugin, bare_path, copied
from tests.doors.hook_spec.test_hook_spec import kind, protected, warned
from tests.requirements.hook_paths import DENY, SILENT, WARNED


@pytest.fixture
def plugin(tmp_path: Path) -> Plugin:
    return copied(tmp_path)


def call_of(path: str) -> bytes:
    return json.dumps({"tool_name": "Write", "tool_input": {"file_path": path}}).encode()


# --- input that nobody sends by accident ------------------------------------------------

DEEP = b'{"tool_name":"Write","tool_input":{"file_path":"docs/a","x":' + b"[" * 200_000
HOSTILE = [
    # stdin, a word of the reason
    (b'{"tool_name":"Write","tool_input":{"file_path":"docs/a","file_path":".env"}}', "twice"),
    (b'{"tool_name":"Read","tool_name":"Write","tool_input":{"file_path":"docs/a"}}', "twice"),
    (b'{"tool_name":"Write","tool_input":{},"tool_input":{"file_path":"docs/a"}}', "twice"),
    (b'{"tool_input":{"file_path":"a","file\\u005fpath":"b"},"tool_name":"Write"}', "twice"),
    (b'{"tool_name":"Write","tool_input":{"file_path":"docs/a\\u0000"}}', "NUL"),
    (b'{"tool_name":"Write","tool_input":{"file_path":"docs/\\ud800"}}', "Unicode"),
    (b'{"tool_name":"Write","tool_input":{"file_path":"docs/\\udcff"}}', "Unicode"),
    (b'{"tool_name":"Write","tool_input":{"file_path":"docs/\xff"}}', "Unicode"),
    (b'{"tool_name":"Write","tool_input":{"file_path":"docs/\xed\xa0\x80"}}', "Unicode"),
    (call_of("docs/" + "a" * 5000), "longer"),
    (call_of("a/" * 5000), "longer"),
    (DEEP + b"]" * 200_000 + b"}}", "deeply"),
    (DEEP, "deeply"),
]


@pytest.mark.parametrize(("stdin", "word"), HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_input_is_denied_with_a_reason(plugin: Plugin, stdin: bytes, word: str) -> None:
    said = plugin.run(stdin)
    assert kind(said) == DENY
    assert word in said.answer["permissionDecisionReason"]
    assert said.err == ""


HARMLESS = [
    # stdin, the answer, why
    (b"\xef\xbb\xbf" + call_of(".env"), DENY, "a byte order mark is no fault"),
    (b" \r\n\t" + call_of(".env") + b"\n\n", DENY, "blanks around it are none either"),
    (call_of(".env")[:-1] + b',"n":' + b"9" * 10_000 + b"}", DENY, "an endless number"),
    (call_of(".env")[:-1] + b',"n":NaN,"m":-Infinity}', DENY, "what Python takes for numbers"),
    (call_of(".env")[:-1] + b',"x":"\\ud800"}', DENY, "a lone surrogate that is no path"),
    (call_of(".env")[:-1] + b',"x":"\xff\xfe"}', DENY, "bytes that are no UTF-8, not in the path"),
    (call_of("docs/a")[:-1] + b',"x":"\\u0000"}', SILENT, "a NUL in the content is content"),
    (b'{"tool_input":{"file_path":".env"}}', DENY, "a call that does not name its tool"),
    (call_of(".env")[:-1] + b',"cwd":7}', DENY, "a directory that is none"),
    (call_of(".env")[:-1] + b',"cwd":"relative"}', DENY, "a directory that is relative"),
    (call_of(".env")[:-1] + b',"cwd":"' + b"/a" * 500_000 + b'"}', DENY, "an endless directory"),
    (call_of(".env")[:-1] + b',"cwd":"/\\ud800"}', DENY, "a directory that is no Unicode"),
    (call_of(".env")[:-1] + b',"hook_event_name":[{"a":1}],"permission_mode":"new"}', DENY, "new"),
    (call_of("src/" + "a/" * 1000 + "b"), WARNED, "deep, and short enough"),
]


@pytest.mark.parametrize(("stdin", "expected", "why"), HARMLESS, ids=range(len(HARMLESS)))
def test_odd_input_does_not_change_the_answer(
    plugin: Plugin, stdin: bytes, expected: str, why: str
) -> None:
    assert kind(plugin.run(stdin)) == expected, why


def test_a_large_write_is_judged_by_its_path_and_an_absurd_one_is_denied(plugin: Plugin) -> None:
    large = json.dumps("ä\r\n" * 1_000_000).encode()
    head = b'{"tool_name":"Write","tool_input":{"file_path":"%s","content":'
    assert kind(plugin.run(head % b".env" + large + b"}}")) == DENY
    assert kind(plugin.run(head % b"docs/a" + large + b"}}")) == SILENT
    absurd = plugin.run(head % b"docs/a" + b'"' + b"x" * (hook_spec.MOST_BYTES + 1))
    assert "larger" in absurd.answer["permissionDecisionReason"]


# --- the other tools that write ----------------------------------------------------------


def test_the_script_understands_the_other_two_tools_that_write_files(plugin: Plugin) -> None:
    assert kind(plugin.call(".env", "MultiEdit")) == DENY
    assert kind(plugin.call("src/a.ipynb", "NotebookEdit")) == WARNED
    assert kind(plugin.call("docs/a.ipynb", "NotebookEdit")) == SILENT


# --- links, and where the project is -----------------------------------------------------


def test_a_link_does_not_hide_a_protected_file(plugin: Plugin) -> None:
    (plugin.project / ".git").mkdir()
    (plugin.project / "docs").symlink_to(".git")
    (plugin.project / "free.txt").symlink_to("./more.txt")
    (plugin.project / "more.txt").symlink_to(plugin.project / ".env")
    (plugin.project / "lib").mkdir()
    (plugin.project / "lib" / "up").symlink_to("../.git/hooks")
    for path in ("docs/config", "free.txt", "more.txt", "lib/up/pre-commit"):
        denied = plugin.call(path).answer
        assert denied["permissionDecisionReason"] == protected(path), "in the agent's words"


def test_a_path_is_judged_as_the_kernel_goes_and_as_it_reads(plugin: Plugin) -> None:
    (plugin.project / "a" / "b").mkdir(parents=True)
    (plugin.project / "deep").symlink_to("a/b")
    plugin.policy('{"protected": ["a/x", "y"]}')
    assert kind(plugin.call("deep/../x")) == DENY, "the kernel goes to a/x"
    assert kind(plugin.call("deep/../y")) == DENY, "it reads as y"
    assert kind(plugin.call("deep/../z")) == SILENT


def test_the_project_may_be_known_by_a_link(plugin: Plugin) -> None:
    link = plugin.root / "link"
    link.symlink_to(plugin.project)
    for root, seen in ((link, plugin.project), (plugin.project, link), (link, link)):
        env = {"CLAUDE_PROJECT_DIR": str(root)}
        said = plugin.run(call_of(f"{seen}/src/a.ts"), env=env, cwd=plugin.root)
        assert said.answer["permissionDecisionReason"] == warned("src/a.ts")


def test_a_warned_link_out_of_the_project_is_told_and_not_granted(plugin: Plugin) -> None:
    (plugin.project / "src").mkdir()
    (plugin.project / "src" / "out").symlink_to("/")
    assert plugin.call("src/out/a").answer == {"additionalContext": warned("src/out/a")}


def test_a_link_to_production_is_warned(plugin: Plugin) -> None:
    (plugin.project / "src").mkdir()
    (plugin.project / "tests").symlink_to("src")
    assert kind(plugin.call("tests/a")) == WARNED


def test_a_relative_path_hangs_from_the_project_and_from_where_the_agent_is(
    plugin: Plugin,
) -> None:
    env = {"CLAUDE_PROJECT_DIR": str(plugin.project)}
    inside = {"tool_name": "Write", "cwd": f"{plugin.project}/.git/hooks"}
    for path in ("pre-commit", ".env", "../config"):
        call = json.dumps({**inside, "tool_input": {"file_path": path}}).encode()
        assert kind(plugin.run(call, env=env)) == DENY, path


OUTSIDE = [
    # policy, path, answer, why
    ("{}", "/elsewhere/.env", SILENT, "C5: not this project's business"),
    ("{}", "../other/.env", SILENT, "however it is spelled"),
    ('{"protected": ["**/.env"]}', "/elsewhere/.env", DENY, "patterns from `**/` hold anywhere"),
    ('{"outside_project": "none"}', "/elsewhere/a", SILENT, "the default"),
    ('{"outside_project": "deny"}', "/elsewhere/a", DENY, "wanted so"),
    ('{"outside_project": "ask"}', "/elsewhere/a", "ask", "wanted so"),
    ('{"outside_project": "maybe"}', "/elsewhere/a", DENY, "not understood is the stricter"),
    ('{"outside_project": "deny"}', "src/a", WARNED, "this is inside"),
]


@pytest.mark.parametrize(("policy", "path", "expected", "why"), OUTSIDE)
def test_outside_of_the_project(
    plugin: Plugin, policy: str, path: str, expected: str, why: str
) -> None:
    plugin.policy(policy)
    assert kind(plugin.call(path)) == expected, why


def test_penstocks_own_files_are_denied(plugin: Plugin) -> None:
    for path in ("penstock.toml", "a/penstock.toml", "/home/me/.config/penstock/penstock.toml"):
        assert kind(plugin.call(path)) == DENY, path
    assert kind(plugin.call("/srv/penstock/project-1/audit.jsonl")) == DENY


def test_the_plugins_own_files_are_denied_unless_they_are_the_project(plugin: Plugin) -> None:
    (plugin.project / "link").symlink_to(plugin.root)
    for path in (POLICY, SCRIPT, ".claude-plugin/plugin.json", "hooks/hooks.json"):
        for spelled in (f"{plugin.root}/{path}", f"../{plugin.root.name}/{path}", f"link/{path}"):
            assert kind(plugin.call(spelled)) == DENY, spelled
    assert kind(plugin.call(f"{plugin.root}/docs/a.md")) == SILENT
    env = {"CLAUDE_PROJECT_DIR": str(plugin.root)}
    assert plugin.run(call_of(str(POLICY)), env=env).silent, "somebody works on the plugin"


# --- the policy file -----------------------------------------------------------------------


def test_a_policy_that_cannot_be_read_is_the_defaults(plugin: Plugin) -> None:
    file = plugin.root / POLICY
    file.unlink()
    spoiled: list[Callable[[], object]] = [
        file.mkdir,
        lambda: os.mkfifo(file),
        lambda: file.symlink_to(file),
        lambda: file.symlink_to("/dev/zero"),
    ]
    for spoil in spoiled:
        spoil()
        assert kind(plugin.call(".env")) == DENY
        assert kind(plugin.call("src/a")) == WARNED
        file.rmdir() if file.is_dir() else file.unlink()


def test_a_policy_that_is_not_understood_is_told_on_stderr(plugin: Plugin) -> None:
    for text in ("{nope", '{"protected": 7}', '{"warned": ["src/**", 7]}'):
        plugin.policy(text)
        said = plugin.call("src/a")
        assert kind(said) == WARNED
        assert said.err.count("\n") == 1, said.err


def test_many_patterns_are_matched(plugin: Plugin) -> None:
    globs = [f"vault/**/part-{n}/*.bin" for n in range(10_000)]
    plugin.policy(json.dumps({"protected": globs}))
    assert kind(plugin.call("vault/a/part-9999/x.bin")) == DENY
    assert kind(plugin.call("vault/a/part-10000/x.bin")) == SILENT


# --- descriptors, signals, variables -------------------------------------------------------

CLOSED = ["exec <&-", "exec <&- 2>&-", "exec 2>&-", "trap '' ALRM PIPE", "ulimit -n 16"]


@pytest.mark.parametrize("first", CLOSED)
def test_closed_descriptors_and_ignored_signals_are_no_failure(plugin: Plugin, first: str) -> None:
    said = plugin.run(call_of(".env"), first=first)
    assert said.code == 0
    assert kind(said) == (SILENT if "<&-" in first else DENY)


def test_a_stdout_that_is_closed_or_full_ends_with_0(plugin: Plugin) -> None:
    assert plugin.run(call_of(".env"), first="exec >&-").silent
    assert plugin.run(call_of(".env"), first="exec >/dev/full").silent


def test_a_blocked_alarm_does_not_let_the_script_hang(plugin: Plugin) -> None:
    asked = (
        "import os, signal, sys; signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM]);"
        "os.execv(sys.argv[1], sys.argv[1:])"
    )
    started = f"exec '{sys.executable}' -c '{asked}' \"$0\""
    assert plugin.run_with_open_stdin(b"{", first=started).silent


def test_a_stdin_that_does_not_block_is_read_to_its_end(plugin: Plugin) -> None:
    asked = "import os, sys; os.set_blocking(0, False); os.execv(sys.argv[1], sys.argv[1:])"
    started = f"exec '{sys.executable}' -c '{asked}' \"$0\""
    assert kind(plugin.run_with_open_stdin(call_of(".env"), first=started)) == DENY


def test_the_surroundings_of_python_and_bash_do_not_matter(plugin: Plugin) -> None:
    (plugin.project / "posix.py").write_text("raise SystemExit(2)")
    (plugin.project / "penstock").mkdir()
    (plugin.project / "penstock" / "__init__.py").write_text("raise SystemExit(2)")
    env = {
        "PYTHONPATH": str(plugin.project),
        "PYTHONHOME": "/nowhere",
        "PYTHONSTARTUP": str(plugin.project / "posix.py"),
        "PYTHONIOENCODING": "utf-16",
        "LC_ALL": "C",
        "CDPATH": "/",
        "SHELLOPTS": "errexit:nounset:pipefail",
        "BASH_FUNC_python3%%": "() { exit 2; }",
        "CLAUDE_PLUGIN_ROOT": "/nowhere",
    }
    said = plugin.run(call_of("src/ä.ts"), env=env)
    assert said.answer["permissionDecisionReason"] == warned("src/ä.ts")


def test_the_script_can_be_called_from_any_directory_and_by_a_link(plugin: Plugin) -> None:
    for argv in (["bash", "write-control.sh"], ["./write-control.sh"], ["sh", "write-control.sh"]):
        done = subprocess.run(
            argv,
            cwd=plugin.root / "hooks",
            input=call_of(".env"),
            env={"PATH": bare_path()},
            capture_output=True,
            check=False,
        )
        assert (done.returncode, b'"deny"' in done.stdout) == (0, True)
    link = plugin.project / "hook"
    link.symlink_to(plugin.root / "hooks" / "write-control.sh")
    env = {"PATH": bare_path(), "CLAUDE_PLUGIN_ROOT": str(plugin.root)}
    done = subprocess.run([link], input=call_of(".env"), env=env, capture_output=True, check=False)
    assert (done.returncode, b'"deny"' in done.stdout) == (0, True)


def test_a_version_managers_shim_is_passed_by(plugin: Plugin) -> None:
    shims = plugin.root / "shims"
    shims.mkdir()
    (shims / "python3").write_text("#!/bin/sh\necho slow >&2\nexit 2\n")
    (shims / "python3").chmod(0o755)
    env = {"SHELLOPTS": "errexit"}
    said = plugin.run(call_of(".env"), path=f"{shims}:/usr/bin:/bin", env=env)
    if bare_path() == "/usr/bin:/bin":
        assert (kind(said), said.err) == (DENY, "")
    else:  # then the system's is missing or too old, and the shim is asked after all
        assert said.silent


# --- disks that fold case --------------------------------------------------------------------


def test_a_disk_that_folds_case_is_known_by_its_names(tmp_path: Path) -> None:
    root = tmp_path / "1"
    root.mkdir()
    assert not folds_case(str(root)), "there is no letter to try"
    (root / "name").touch()
    assert not folds_case(str(root))
    assert not folds_case(str(tmp_path / "missing"))


def test_a_link_from_outside_into_the_project_is_inside(plugin: Plugin) -> None:
    link = plugin.root / "link"
    link.symlink_to(plugin.project)
    plugin.policy('{"outside_project": "deny"}')
    env = {"CLAUDE_PROJECT_DIR": str(plugin.project)}
    assert plugin.run(call_of(f"{link}/docs/a"), env=env).silent
    denied = plugin.run(call_of(f"{link}/.env"), env=env).answer
    assert denied["permissionDecisionReason"] == protected(".env")


@pytest.mark.parametrize(
    ("path", "folds", "expected"),
    [(".ENV", True, True), (".ENV", False, False), ("Docs/a", True, False), (".env", False, True)],
)
def test_on_a_disk_that_folds_case_protected_names_are_met_in_any(
    path: str, folds: bool, expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hook_spec, "folds_case", lambda _: folds)
    lists = hook_spec.policy_of("/nowhere.json")
    assert ("deny" in hook_spec.judge(path, lists, ("/p", "/p"))) is expected


# --- the same engine ---------------------------------------------------------------------------

NAMES = st.sampled_from(
    [".git", ".env", "src", "docs", "a.key", "x", "agents", "plugins", "a.md", "..", ".", ""]
)
GLOBS = st.sampled_from(
    ["**", "*", "src/**", ".env*", "**/x", "*.md", "plugins/**/agents/*.md", "x", "docs/", "a/../b"]
)
POLICIES = st.fixed_dictionaries(
    {},
    optional={
        "protected": st.lists(GLOBS, max_size=3),
        "warned": st.lists(GLOBS, max_size=3),
        "safe": st.lists(GLOBS, max_size=3),
        "suppress": st.lists(GLOBS, max_size=2),
        "paranoid": st.booleans(),
        "outside_project": st.sampled_from(["none", "ask", "deny"]),
    },
)


@settings(max_examples=150, deadline=None)
@given(names=st.lists(NAMES, min_size=1, max_size=5), policy=POLICIES)
def test_the_script_answers_as_the_whole_engine_does(
    names: list[str], policy: dict[str, object], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = "/".join(names) or "x"
    data = json.dumps(policy).encode()
    file = tmp_path_factory.getbasetemp() / "policy.json"
    file.write_bytes(data)
    engine = load.build(read_write_policies(data))
    # The engine also hears the path as it was given; the spec's door does not (S2-049).
    target = locate(spellings(path, root="/p")[0], root="/p")
    decision = decide(Request(action=Action.WRITE, tool="Write", target=target), engine, now=0.0)
    answer = hook_spec.judge(path, hook_spec.policy_of(str(file)), ("/p", "/p"))
    said = json.loads(answer)["hookSpecificOutput"] if answer else {}
    verdict = said.get("permissionDecision", "allow")
    assert verdict == str(decision.verdict)
    told = bool(decision.notes) and decision.verdict is Verdict.ALLOW
    # Outside of the project the spec's door says nothing that would grant (C5).
    assert ("additionalContext" in said) == (told and not target.outside)


PIECES = st.sampled_from(
    b"""{"tool_name":"Write", "tool_input":{ "file_path": ".env" "src/a" "cwd":"/ } , " null
    \\ud800 \xff \0 [[[ 7""".split()
)


@settings(max_examples=300, deadline=None)
@given(data=st.lists(PIECES, max_size=12).map(b"".join) | st.binary(max_size=60))
def test_any_bytes_get_one_answer_or_none(data: bytes) -> None:
    answer = hook_spec.answer(data, hook_spec.policy_of("/nowhere.json"))
    if answer:
        (said,) = json.loads(answer).values()
        assert said["permissionDecision"] in ("allow", "deny")
        assert said["permissionDecisionReason"]


# --- what it loads -----------------------------------------------------------------------

LOADED = [
    "_json",
    "penstock",
    "penstock.core",
    "penstock.core.paths",
    "penstock.core.paths.globs",
    "penstock.core.paths.spellings",
    "penstock.core.policy",
    "penstock.core.policy.protected_names",
    "penstock.core.strict_json",
    "penstock.doors",
    "penstock.doors.hook_spec",
    "penstock.doors.hook_spec.system",
]
TOLD = """
import posix, sys
before = set(sys.modules)
sys.path.insert(0, sys.argv[1])
posix._exit = lambda code: print(*sorted(set(sys.modules) - before), file=sys.stderr)
from penstock.doors.hook_spec import main
main(sys.argv[2])
"""


@pytest.mark.parametrize("path", [".env", "src/a.ts", "docs/a.md", "lib/a.py", "/elsewhere/a"])
def test_hardly_anything_is_imported_on_the_common_path(path: str) -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", TOLD, str(CHECKOUT / "src"), str(CHECKOUT)],
        input=call_of(path),
        capture_output=True,
        check=True,
    )
    loaded = [name for name in done.stderr.decode().split() if name not in sys.builtin_module_names]
    assert loaded == [name for name in LOADED if name not in sys.builtin_module_names]


@pytest.mark.parametrize("name", [name for name in LOADED if name.startswith("penstock")])
def test_what_is_loaded_can_be_read_by_older_pythons(name: str) -> None:
    """A bare machine's python3 may be older than what the rest of Penstock needs."""
    found = CHECKOUT / "src" / name.replace(".", "/")
    file = found / "__init__.py" if found.is_dir() else found.with_suffix(".py")
    tree = ast.parse(file.read_text(encoding="utf-8"), feature_version=(3, 9))
    assert [ast.unparse(one) for one in evaluated(tree) if one and holds_union(one)] == []


def evaluated(tree: ast.AST) -> Iterator[ast.expr | None]:
    """Yield what is evaluated when a function is defined; a quoted one is a constant."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            yield node.returns
        if isinstance(node, ast.arg):
            yield node.annotation


def holds_union(annotation: ast.expr) -> bool:
    """Say whether it has `X | Y`, which cannot be evaluated before 3.10."""
    return any(isinstance(node, ast.BinOp) for node in ast.walk(annotation))

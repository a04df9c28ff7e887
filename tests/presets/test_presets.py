"""What each preset says, as a manual: a path, a command or a change, and the answer.

Every row names the requirement it shows, or says why it is so.
"""

from __future__ import annotations

import json
import tomllib
from functools import cache

import pytest
import yaml
from msgspec.structs import replace

from penstock import presets
from penstock.core.model import Action, Change, ChangeKind, Decision, Request, Verdict
from penstock.core.paths.relpath import locate
from penstock.core.policy.builtin import PROTECTED
from penstock.core.policy.decide import decide
from penstock.core.policy.model import Policy, Warn
from penstock.core.policy.protected_names import (
    DEFAULT_LISTS,
    ENV_FILES,
    GIT,
    HOOK_REGISTRATIONS,
    INSTALLED,
    KEYS,
    LOCK_FILES,
    NOT_ENV_FILES,
    NOT_KEYS,
    OWN_FILES,
    PUBLIC_KEYS,
    STATE,
    STORES,
)
from penstock.core.policy.rule import Where
from penstock.core.rules import load
from penstock.core.rules.documents import read_shipped
from penstock.core.rules.foreign import BROKER_KEYS

ROOT = "/home/me/project"
ALLOW, ASK, DENY = Verdict.ALLOW, Verdict.ASK, Verdict.DENY
READ, WRITE, CREATE, DELETE, RUN = Action


@cache
def policy(name: str) -> Policy:
    return load.build(load.load_preset(name))


def judged(name: str, path: str, action: Action = WRITE, change: Change | None = None) -> Decision:
    target = locate(path, root=ROOT)
    tool = "Read" if action is READ else "Write"
    request = Request(action=action, tool=tool, target=target, change=change)
    return decide(request, policy(name), now=0.0)


def answer(decision: Decision) -> str:
    """Return the answer as a reader of the hook spec would name it."""
    if decision.verdict is not ALLOW:
        return str(decision.verdict)
    if decision.granted:
        return "allow with warning" if decision.notes else "allow"
    return "told" if decision.notes else "silent"


# --- hook-spec: the hook spec's write-policies.json, to the letter ----------------------

HOOK_ROWS = [
    # path, answer, why
    (".git/config", "deny", "S2-005, S2-050"),
    (".git/hooks/pre-commit", "deny", "S2-050"),
    (".github/workflows", "silent", "S2-050: .github is not .git"),
    (".git", "silent", "S2-055: `.git/**` does not match `.git`"),
    ("sub/.git/config", "silent", "C9: root only"),
    ("node_modules/x/index.js", "deny", "S2-006"),
    ("a/node_modules/x", "silent", "C9: root only"),
    (".env", "deny", "S2-007, S2-055"),
    (".env.local", "deny", "S2-007, S2-055"),
    ("env", "silent", "S2-055"),
    ("sub/.env", "silent", "S2-047: the pattern has no slash"),
    ("server.key", "deny", "S2-008, S2-051"),
    ("api.key", "deny", "S2-051"),
    ("secrets.key", "deny", "S2-012"),
    ("keys/server.key", "silent", "S2-051"),
    ("cert.pem", "deny", "S2-008"),
    ("certs/cert.pem", "silent", "S2-047"),
    ("package-lock.json", "deny", "S2-009"),
    ("yarn.lock", "deny", "S2-009"),
    ("src/index.ts", "allow with warning", "S2-013, S2-019, S2-052"),
    ("src/lib/util.ts", "allow with warning", "S2-046, S2-052"),
    ("test/src/mock.ts", "silent", "S2-052"),
    ("src", "silent", "S2-055: `src/**` does not match `src`"),
    ("plugins/iflow-dev/agents/new-agent.md", "allow with warning", "S2-014, S2-020"),
    ("plugins/iflow/agents/foo.md", "allow with warning", "S2-053"),
    ("plugins/agents/foo.md", "allow with warning", "S2-055: `**` matches zero segments"),
    ("plugins/iflow/agents/deep/foo.md", "silent", "S2-045: `*` is one segment"),
    ("plugins/iflow/skills/foo.md", "allow with warning", "S2-016; not by the agents pattern"),
    ("plugins/iflow/commands/x.md", "allow with warning", "S2-015"),
    (".claude-plugin/plugin.json", "allow with warning", "S2-017"),
    ("docs/README.md", "silent", "S2-021, S2-026"),
    ("agent_sandbox/2026-02-04/test/script.py", "silent", "S2-022, S2-026"),
    ("tests/test_x.py", "silent", "S2-023"),
    ("README.md", "silent", "S2-024, S2-054"),
    ("CHANGELOG.md", "silent", "S2-054"),
    ("docs/guide.md", "silent", "S2-054: by `docs/**`"),
    ("random/file.txt", "silent", "S2-042..S2-044"),
    ("src/.env", "allow with warning", "S2-047: `.env*` is root only, `src/**` warns"),
    ("Src/index.ts", "silent", "S2-048: case-sensitive"),
    (".ENV", "silent", "S2-048"),
    (f"{ROOT}/src/file.ts", "allow with warning", "S2-027, S2-028: absolute paths"),
    (f"{ROOT}//.env", "deny", "S2-031"),
    ("./docs/new-doc.md", "silent", "S2-029"),
    ("a/../.git/config", "deny", "S2-031"),
    (".//.env", "deny", "S2-031"),
    ("././.env", "deny", "S2-031"),
    ("src/../.env", "deny", "S2-031: normalised before matching"),
    ("/tmp/.env", "silent", "C5: outside is nobody's business here"),
    ("penstock.toml", "deny", "Penstock's own file"),
    ("hooks/config/write-policies.json", "silent", "that spec protects only its own list"),
]


@pytest.mark.parametrize(("path", "expected", "why"), HOOK_ROWS)
def test_the_hook_spec(path: str, expected: str, why: str) -> None:
    for action in (WRITE, CREATE):
        assert answer(judged("hook-spec", path, action)) == expected, why


def test_the_hook_specs_own_words() -> None:
    denied = judged("hook-spec", ".git/config")
    assert denied.because == "Protected path: .git/config cannot be modified"  # S2-011
    warned = judged("hook-spec", "src/index.ts")
    expected = "Production path: src/index.ts - ensure this is intentional"  # S2-019
    assert (warned.because, warned.notes) == (expected, (expected,))


def test_protected_beats_warned_beats_safe() -> None:
    """S2-056, with lists that overlap."""
    data = b'{"protected": ["a/**"], "warned": ["a/**", "b/**"], "safe": ["a/**", "b/**", "c/**"]}'
    made = load.build(load.load("w.json", {"w.json": data}.get))
    answers = []
    for path in ("a/x", "b/x", "c/x"):
        request = Request(action=WRITE, target=locate(path, root=ROOT))
        answers.append(answer(decide(request, made, now=0.0)))
    assert answers == ["deny", "allow with warning", "silent"]


def test_the_hook_spec_restricts_no_reading() -> None:
    """S2-067."""
    assert answer(judged("hook-spec", ".env", READ)) == "silent"


def test_the_preset_file_holds_the_defaults_that_are_used_without_a_file() -> None:
    assert json.loads(presets.read("hook-spec")) == {k: list(v) for k, v in DEFAULT_LISTS.items()}


def test_the_hook_spec_fails_open_and_asks_nobody() -> None:
    made = policy("hook-spec")
    assert made.when_failing("hook") is ALLOW
    assert made.layers[0].warn is Warn.ALLOW
    assert made.layers[0].outside is None


# --- broker-spec: the broker spec's file_broker section, to the letter ------------------

BROKER_ROWS = [
    # path, action, verdict, code, why
    (".env", READ, DENY, "path-denied", "S1-046: also at the root"),
    ("a/b/.env", WRITE, DENY, "path-denied", "S1-044, S1-045"),
    (".env.local", READ, ALLOW, "", "S1-044: exactly `.env`"),
    ("x.pem", READ, DENY, "path-denied", "S1-046"),
    ("a/x.pem", WRITE, DENY, "path-denied", "S1-044"),
    ("id_rsa", READ, DENY, "path-denied", "S1-046"),
    ("keys/my_id_rsa.pub", WRITE, DENY, "path-denied", "S1-044"),
    ("secrets/a", READ, DENY, "path-denied", "S1-046"),
    ("a/secrets/b/c", CREATE, DENY, "path-denied", "S1-044"),
    ("src/secrets/a", CREATE, DENY, "path-denied", "a denied path below an allowed directory"),
    ("secrets", READ, ALLOW, "", "the directory itself is no file in it"),
    ("src/a.py", READ, ALLOW, "", "reading is allowed"),
    ("src/a.py", WRITE, ASK, "default", "every change needs approval"),
    ("other/a.py", WRITE, ASK, "default", "S1-049: changing what exists is not limited"),
    ("src/new.py", CREATE, ASK, "default", "S1-047"),
    ("./src/new.py", CREATE, ASK, "default", "B17: the path counts, not its spelling"),
    ("lib/new.py", CREATE, ASK, "default", "S1-047"),
    ("tests/deep/er/new.py", CREATE, ASK, "default", "S1-047: at any depth below"),
    ("docs/new.md", CREATE, ASK, "default", "S1-047"),
    ("scripts/new.sh", CREATE, ASK, "default", "S1-047"),
    ("other/new.py", CREATE, DENY, "create-not-allowed", "S1-047"),
    ("a/src/new.py", CREATE, DENY, "create-not-allowed", "B17: not a nested src"),
    ("srcs/new.py", CREATE, DENY, "create-not-allowed", "B17: not a longer name"),
    ("src", CREATE, ASK, "default", "S1-048: a file called src at the root"),
    ("Makefile", CREATE, ASK, "default", "S1-048: root-level files"),
    ("new.txt", CREATE, ASK, "default", "S1-048"),
    ("other/a.py", DELETE, ASK, "default", "deleting is a change"),
    (".agentzero_audit.jsonl", WRITE, DENY, "self-protection", "S1-050"),
    (".agentzero_audit.jsonl", CREATE, DENY, "self-protection", "S1-050, B18"),
    (".agentzero_audit.1.jsonl", WRITE, DENY, "self-protection", "S1-050: rotated"),
    (".git/config", WRITE, ASK, "default", "X11: its own deny list only"),
    ("/etc/passwd", READ, DENY, "outside-project", "S1-041"),
    ("../x", WRITE, DENY, "outside-project", "S1-042"),
]


@pytest.mark.parametrize(("path", "action", "verdict", "code", "why"), BROKER_ROWS)
def test_the_broker_spec(path: str, action: Action, verdict: Verdict, code: str, why: str) -> None:
    decision = judged("broker-spec", path, action)
    assert (decision.verdict, decision.code) == (verdict, code), why


SIZES = [(524_288, ASK, "default"), (524_289, DENY, "too-large")]


@pytest.mark.parametrize(("size", "verdict", "code"), SIZES)
def test_the_broker_refuses_content_that_is_too_large(
    size: int, verdict: Verdict, code: str
) -> None:
    """S1-025, X12."""
    change = Change(kind=ChangeKind.NEW, after_size=size)
    decision = judged("broker-spec", "src/a", CREATE, change)
    assert (decision.verdict, decision.code) == (verdict, code)


def test_the_broker_preset_is_the_section_with_its_defaults() -> None:
    """S1-066."""
    section = yaml.safe_load(presets.read("broker-spec"))["file_broker"]
    expected = {name: key.default for name, key in BROKER_KEYS.items() if name != "auto_apply"}
    assert {k: tuple(v) if isinstance(v, list) else v for k, v in section.items()} == expected
    made = policy("broker-spec")
    assert made.approval.ttl_seconds == 120
    assert made.when_failing("broker") is DENY


# --- guard: what new users get ----------------------------------------------------------

GUARD_ROWS = [
    # path, action, answer, why
    (".env", WRITE, "deny", "X2"),
    ("a/b/.env.production", CREATE, "deny", "X2: at any depth"),
    (".env.example", WRITE, "silent", "an example is made to be edited"),
    (".env.test.example", CREATE, "silent", ""),
    (".env.defaults", WRITE, "silent", "values for everybody"),
    (".env.test", WRITE, "ask", "holds a secret only sometimes"),
    (".envrc", WRITE, "ask", ""),
    ("deploy/prod.env", READ, "ask", ""),
    ("example.env", WRITE, "silent", ""),
    (".env", READ, "deny", "what is read can be repeated"),
    ("a/.env.local", READ, "deny", ""),
    (".env.example", READ, "silent", "committed on purpose"),
    ("a/.env.template", READ, "silent", ""),
    ("env.py", WRITE, "silent", ""),
    ("deploy/server.key", WRITE, "deny", "X2: at any depth"),
    ("deploy/server.key", READ, "deny", ""),
    ("a/b/c.pem", WRITE, "deny", "X2"),
    ("home/id_rsa", READ, "deny", "X2"),
    ("id_rsa.pub", WRITE, "silent", "a public key is public"),
    (".ssh/id_ed25519.pub", READ, "silent", ""),
    ("certs/cacert.pem", READ, "silent", "by its name a bundle of root certificates"),
    ("tests/fixtures/server.key", READ, "ask", "mostly made for the tests"),
    ("src/secrets/__init__.py", WRITE, "silent", "a source package called secrets is source"),
    ("internal/secrets/store.go", READ, "silent", ""),
    ("deploy/secrets/db.yaml", READ, "deny", ""),
    ("node_modules/tls/test/server.key", READ, "silent", "published with the package"),
    (".ssh/id_ed25519", READ, "deny", ""),
    ("a/secrets/b", WRITE, "deny", "X2"),
    ("secrets/b", READ, "deny", "X2"),
    ("docs/secrets.md", WRITE, "silent", "a name is not a directory"),
    (".aws/credentials", READ, "deny", ""),
    ("x.p12", WRITE, "deny", ""),
    ("db.kdbx", READ, "deny", ""),
    (".npmrc", WRITE, "ask", "holds a token only sometimes"),
    (".npmrc", READ, "ask", ""),
    (".git/config", WRITE, "deny", "X2"),
    (".git/config", READ, "silent", "reading history is fine"),
    (".git", CREATE, "deny", "C9: a file in worktrees"),
    ("vendor/lib/.git/hooks/pre-commit", WRITE, "deny", "C9"),
    (".gitignore", WRITE, "silent", ""),
    (".github/workflows/ci.yml", WRITE, "told", "it runs on servers"),
    ("Dockerfile", WRITE, "told", ""),
    ("CLAUDE.md", WRITE, "told", "it steers later sessions"),
    (".claude/commands/review.md", CREATE, "told", ""),
    (".husky/pre-commit", WRITE, "told", ""),
    ("dist/index.js", WRITE, "told", "mostly build output"),
    ("dist/index.js", DELETE, "silent", ""),
    ("node_modules/x/i.js", WRITE, "deny", "C9"),
    ("a/node_modules/x/i.js", DELETE, "silent", "removed to be installed anew"),
    (".venv/bin/activate", WRITE, "deny", ""),
    ("vendor/lib/a.go", WRITE, "ask", "a copy of another project"),
    ("vendor/lib/a.go", DELETE, "silent", ""),
    ("target/debug/app", WRITE, "deny", ""),
    ("package-lock.json", WRITE, "deny", ""),
    ("package-lock.json", DELETE, "silent", "removed to be made anew"),
    ("a/yarn.lock", WRITE, "deny", "at any depth"),
    ("Cargo.lock", CREATE, "deny", ""),
    ("uv.lock", WRITE, "deny", ""),
    ("src/index.ts", WRITE, "silent", "what agents are for"),
    ("src/index.ts", READ, "silent", ""),
    (".claude-plugin/plugin.json", WRITE, "told", ""),
    ("docs/a.md", WRITE, "silent", ""),
    ("agent_sandbox/2026-01-01/try/a.py", CREATE, "silent", ""),
    ("lib/a.py", WRITE, "silent", ""),
    ("lib/a.py", DELETE, "silent", "a small file"),
    ("/tmp/x.txt", WRITE, "silent", "a temporary file"),
    ("/home/other/.env", WRITE, "deny", "C5: but protected names hold there too"),
    ("/home/me/.ssh/config", WRITE, "deny", ""),
    ("src/../.env", WRITE, "deny", "C6"),
    ("GIT~1/config", WRITE, "deny", "another spelling of .git"),
    (".git./config", WRITE, "deny", "another spelling of .git"),
]


@pytest.mark.parametrize(("path", "action", "expected", "why"), GUARD_ROWS)
def test_guard(path: str, action: Action, expected: str, why: str) -> None:
    assert answer(judged("guard", path, action)) == expected, why


def lost(deleted: int, existing: int, kind: ChangeKind = ChangeKind.REPLACE) -> Change:
    return Change(
        kind=kind,
        existing_lines=existing,
        lines_deleted=deleted,
        change_ratio=deleted / existing if existing else 0.0,
    )


CHANGES = [
    # lines lost, of, verdict, why
    (214, 270, ASK, "S0-045: the original incident"),
    (216, 270, ASK, "S0-044: 80 % of 270"),
    (10, 200, ALLOW, "S0-043: 5 % of 200"),
    (50, 50, ALLOW, "S0-042: all of a small file"),
    (50, 100, ASK, "S0-046: exactly 100 lines and exactly a half"),
    (49, 99, ALLOW, "A1: below the threshold"),
    (49, 100, ALLOW, "A2: below the ratio"),
    (0, 0, ALLOW, "S0-047: an empty file"),
]


@pytest.mark.parametrize(("deleted", "existing", "verdict", "why"), CHANGES)
def test_guard_asks_about_substantial_changes(
    deleted: int, existing: int, verdict: Verdict, why: str
) -> None:
    decision = judged("guard", "lib/a.py", WRITE, lost(deleted, existing))
    assert decision.verdict is verdict, why


def test_guard_tells_what_would_be_lost_and_what_to_do_instead() -> None:
    decision = judged("guard", "lib/a.py", WRITE, lost(214, 270))
    assert decision.because == "this removes 214 of 270 lines of lib/a.py (79 %)"
    assert "edit only the lines that change" in decision.suggestion
    assert decision.code == "substantial-change"


def test_guard_asks_before_a_substantial_file_is_deleted() -> None:
    change = lost(270, 270, ChangeKind.DELETE)
    assert judged("guard", "lib/a.py", DELETE, change).verdict is ASK


def test_guard_gives_an_unattended_agent_no_answer_but_no() -> None:
    request = Request(
        action=WRITE,
        target=locate("lib/a.py", root=ROOT),
        change=lost(214, 270),
        attended=False,
    )
    assert decide(request, policy("guard"), now=0.0).verdict is DENY


UNCLEAR = [("guard", ASK), ("strict", DENY), ("hook-spec", ALLOW), ("broker-spec", ALLOW)]


@pytest.mark.parametrize(("name", "verdict"), UNCLEAR)
def test_a_command_whose_writes_cannot_be_told(name: str, verdict: Verdict) -> None:
    request = Request(action=RUN, tool="Bash", unclear="a name is computed")
    assert decide(request, policy(name), now=0.0).verdict is verdict


def test_running_commands_is_allowed_by_both_presets() -> None:
    request = Request(action=RUN, tool="Bash", tool_input={"command": "ls"}, leaves=("ls",))
    assert decide(request, policy("guard"), now=0.0).verdict is ALLOW
    assert decide(request, policy("strict"), now=0.0).verdict is ALLOW


def test_guard_settings() -> None:
    made = policy("guard")
    assert made.approval.ttl_seconds == 3600
    assert made.when_failing("hook") is ALLOW
    assert made.when_failing("mcp") is DENY
    assert (made.gate.line_threshold, made.gate.change_threshold) == (100, 0.5)


def test_guard_denies_what_the_built_in_list_denies() -> None:
    by_id = {rule.id: rule for rule in policy("guard").layers[0].rules}
    said = {
        "env-files": (ENV_FILES, NOT_ENV_FILES),
        "env-files-read": (ENV_FILES, NOT_ENV_FILES),
        "secrets": (STORES, PUBLIC_KEYS),
        "keys": (KEYS, NOT_KEYS),
        "git": (GIT, INSTALLED),
        "dependencies": (INSTALLED, ()),
        "lock-files": (LOCK_FILES, ()),
    }
    for name, (paths, but) in said.items():
        rule = by_id[name]
        assert rule.verdict is DENY, name
        assert {*paths} <= {*rule.paths}, name
        assert {*but} == {*rule.not_paths}, name
    assert {*PROTECTED} == {glob for paths, _ in said.values() for glob in paths}


# --- strict -----------------------------------------------------------------------------

STRICT_ROWS = [
    (".env", WRITE, "deny", "what guard denies is denied"),
    ("a/server.key", READ, "deny", ""),
    ("lib/a.py", WRITE, "ask", "a person sees every change"),
    ("lib/a.py", CREATE, "ask", ""),
    ("lib/a.py", DELETE, "ask", ""),
    ("lib/a.py", READ, "silent", "reading is free"),
    ("CLAUDE.md", WRITE, "ask", "a note is a question here"),
    ("docs/a.md", WRITE, "ask", "safe grants nothing"),
    ("agent_sandbox/2026-01-01/x/a.py", CREATE, "allow", "the one free place"),
    ("agent_sandbox/.env", CREATE, "deny", "but no secrets there"),
    ("/tmp/x", WRITE, "deny", "nothing outside"),
]


@pytest.mark.parametrize(("path", "action", "expected", "why"), STRICT_ROWS)
def test_strict(path: str, action: Action, expected: str, why: str) -> None:
    assert answer(judged("strict", path, action)) == expected, why


def test_strict_fails_closed_at_every_door() -> None:
    doors = ("hook", "broker", "langgraph", "mcp", "http", "terminal", "tui", "another")
    assert {policy("strict").when_failing(door) for door in doors} == {DENY}


@pytest.mark.parametrize(("path", "action", "expected", "why"), GUARD_ROWS)
def test_strict_is_never_looser_than_guard(
    path: str, action: Action, expected: str, why: str
) -> None:
    if expected == "deny":
        assert judged("strict", path, action).verdict is DENY


# --- Penstock guards itself -------------------------------------------------------------

OWN = [
    "penstock.toml",
    "sub/penstock.toml",
    "/home/me/.config/penstock/penstock.toml",
    "claude-code-permissions-hook.toml",
    ".agentzero_audit.jsonl",
    "/home/me/.config/decision-reviewer-audit.log",
    "/home/me/.local/state/penstock/project-abc/penstock.db",
    "/srv/state/penstock/project-abc/audit.jsonl",
    "/srv/state/penstock/project-abc/hook.policy",
    "/srv/state/penstock/project-abc/blobs/ab/cd",
]
REGISTRATIONS = [
    ".claude/settings.json",
    ".claude/settings.local.json",
    "sub/.claude/settings.json",
    "/home/me/.claude/settings.json",
    ".claude/hooks/x.sh",
    "/etc/claude-code/managed-settings.json",
    "hooks/hooks.json",
    ".codex/hooks.json",
    "/home/me/.codex/config.toml",
    "/etc/codex/requirements.toml",
    ".gemini/settings.json",
    ".qwen/settings.json",
    ".cursor/hooks.json",
    "/etc/cursor/hooks.json",
    ".github/hooks/x.json",
    ".github/copilot/settings.json",
    "/home/me/.copilot/hooks/x.json",
    "/etc/github-copilot/policy.d/x.json",
    ".opencode/plugins/x.ts",
    "opencode.json",
    "/home/me/.config/opencode/plugins/x.ts",
    ".clinerules/hooks/PreToolUse",
    ".cline/hooks/PreToolUse",
    ".windsurf/hooks.json",
    ".devin/hooks.json",
    "/home/me/.codeium/windsurf/hooks.json",
    ".kiro/hooks/x.json",
    ".kiro/agents/x.json",
    ".amp/plugins/x.ts",
]


@pytest.mark.parametrize("name", [*presets.FILES])
@pytest.mark.parametrize("path", OWN)
def test_no_preset_lets_an_agent_change_penstocks_own_files(name: str, path: str) -> None:
    """SX-02, X9; whether or not they exist."""
    for action in (WRITE, CREATE, DELETE):
        assert judged(name, path, action).verdict is DENY


@pytest.mark.parametrize("name", ["guard", "strict"])
@pytest.mark.parametrize("path", REGISTRATIONS)
def test_no_wise_preset_lets_an_agent_change_a_hooks_registration(name: str, path: str) -> None:
    for action in (WRITE, CREATE, DELETE):
        assert judged(name, path, action).verdict is DENY


@pytest.mark.parametrize("path", REGISTRATIONS)
def test_a_broken_policy_keeps_them_protected(path: str) -> None:
    broken = load.in_force({"penstock.toml": b"broken"}.get)
    request = Request(action=WRITE, target=locate(path, root=ROOT))
    decision = decide(request, broken, now=0.0)
    assert decision.verdict is DENY
    assert decision.degraded


FREE = [
    "src/penstock/core/rules/load.py",
    ".claude/plans/a.md",
    ".github/workflows/ci.yml",
    "hooks.py",
]


@pytest.mark.parametrize("path", FREE)
def test_self_protection_takes_no_more_than_it_needs(path: str) -> None:
    assert judged("guard", path).verdict is ALLOW


def test_every_self_protecting_name_holds_at_any_depth_and_outside() -> None:
    for glob in (*OWN_FILES, *STATE, *HOOK_REGISTRATIONS, *PROTECTED):
        assert glob.startswith("**/"), glob


def test_a_persons_rules_cannot_open_what_penstock_guards() -> None:
    text = '[[allow]]\npaths = ["**"]\nactions = ["read", "write"]'
    request = Request(action=WRITE, target=locate("penstock.toml", root=ROOT))
    assert decide(request, load.parse_policy(text), now=0.0).verdict is DENY


@pytest.mark.parametrize("name", ["guard", "strict", "destructive"])
def test_a_presets_rules_hold_against_their_own_examples(name: str) -> None:
    """Read as a file of the user's, because a shipped one is not held against them at a start."""
    read = {"rules.toml": presets.read(name)}.get
    assert load.load("rules.toml", read).problems == ()


@pytest.mark.parametrize("name", ["guard", "strict", "destructive"])
def test_a_preset_says_the_same_as_when_it_is_read_with_all_checks(name: str) -> None:
    """At a start only the lines of its rules are looked for, and its regexes are not weighed."""
    read = {"preset.toml": presets.read(name)}.get
    shipped, checked = load.load_preset(name), load.load("preset.toml", read)
    assert [one.where.line for one in shipped.rules] == [one.where.line for one in checked.rules]
    assert [replace(one, where=Where()) for one in shipped.rules] == [
        replace(one, where=Where()) for one in checked.rules
    ]
    assert (shipped.settings, shipped.warnings) == (checked.settings, checked.warnings)


def test_no_other_file_passes_for_a_preset() -> None:
    files = {
        "rules.toml": b'[includes]\nfiles = ["preset:guard.toml"]\n',
        "preset:guard.toml": b"\xff",
    }
    (problem,) = load.load("rules.toml", files.get).problems
    assert problem.message == "included file `preset:guard.toml` is missing"


def test_a_start_does_not_repeat_the_proof() -> None:
    wrong = b'[[deny]]\nid = "x"\npaths = ["a"]\nmatch = ["b"]\n'
    assert load.load_preset("guard", preset_of=lambda _: wrong).ok
    assert not load.load("penstock.toml", {"penstock.toml": wrong}.get).ok


@pytest.mark.parametrize("name", ["guard", "strict", "destructive"])
def test_a_preset_is_parsed_once_and_no_reader_changes_what_it_says(name: str) -> None:
    added = b'[includes]\npresets = ["destructive"]\n'
    text = added if name == "destructive" else f'preset = "{name}"\n'.encode()
    first = load.load("penstock.toml", {"penstock.toml": text}.get)
    parsed = read_shipped.cache_info().misses
    again = load.load("penstock.toml", {"penstock.toml": text}.get)
    assert read_shipped.cache_info().misses == parsed
    assert load.build(again) == load.build(first)
    document, _ = read_shipped(presets.read(name))
    assert document == tomllib.loads(presets.read(name).decode())

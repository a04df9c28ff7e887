"""The hook spec, row by row: S2-005 to S2-056, through the literal preset and `decide`.

Where a row belongs to the script (its exit code, its output, where its file lies), the part
that the core has is checked: silent is allowed, not granted and without a note.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable
from functools import cache

import pytest

from penstock.core import rules
from penstock.core.decide import decide
from penstock.core.dialects import read_write_policies
from penstock.core.match import matches
from penstock.core.model import Action, Decision, Request, Verdict
from penstock.core.paths import locate
from penstock.core.policy import Policy
from penstock.core.when import stamp
from tests.requirements.table import Row, both, name_of

ROOT = "/full/path/to/project"
DENY, WARNED, SILENT = "deny", "allow with a warning", "silent"
Check = Callable[[], None]

# As the spec prints them.
LISTS = {
    "protected": (
        *(".git/**", "node_modules/**", ".env*", "*.key", "*.pem"),
        *("package-lock.json", "yarn.lock"),
    ),
    "warned": (
        *("src/**", "plugins/**/agents/*.md", "plugins/**/commands/*.md"),
        *("plugins/**/skills/**", ".claude-plugin/**"),
    ),
    "safe": ("docs/**", "agent_sandbox/**", "tests/**", "*.md"),
}


@cache
def spec() -> Policy:
    return rules.build(rules.load_preset("hook-spec"))


def custom(data: bytes | None) -> Policy:
    return rules.build(read_write_policies(data))


def judged(path: str, policy: Policy | None = None) -> Decision:
    request = Request(action=Action.WRITE, tool="Write", target=locate(path, root=ROOT))
    return decide(request, policy or spec(), now=0.0)


def answer(decision: Decision) -> str:
    if decision.verdict is not Verdict.ALLOW:
        return str(decision.verdict)
    if decision.granted and decision.notes:
        return WARNED
    assert not decision.granted, "nothing is granted without a rule that says so"
    return "told" if decision.notes else SILENT


def answers(expected: str, *paths: str) -> Check:
    def check() -> None:
        assert {path: answer(judged(path)) for path in paths} == dict.fromkeys(paths, expected)

    return check


def meets(glob: str, *, yes: tuple[str, ...], no: tuple[str, ...]) -> Check:
    """Ask the matcher, and a policy file that holds this glob alone."""

    def check() -> None:
        policy = custom(json.dumps({"protected": [glob], "warned": [], "safe": []}).encode())
        for path in (*yes, *no):
            assert matches(glob, path) is (path in yes), path
            assert (answer(judged(path, policy)) == DENY) is (path in yes), path

    return check


def says(path: str, text: str) -> Check:
    def check() -> None:
        assert judged(path).because == text

    return check


def denial_carries_its_word() -> None:
    decision = judged(".git/config")
    assert (decision.verdict, str(decision.verdict)) == (Verdict.DENY, "deny")
    assert decision.because


def warning_grants_and_tells() -> None:
    decision = judged("src/index.ts")
    assert (str(decision.verdict), decision.granted) == ("allow", True)
    assert decision.because == decision.notes[0]


def nothing_to_say() -> None:
    decision = judged("docs/README.md")
    assert (decision.verdict, decision.granted) == (Verdict.ALLOW, False)
    assert (decision.because, decision.notes, decision.suggestion) == ("", (), "")


def missing_paths_are_judged() -> None:
    seen = locate("never/made.key", root=ROOT)
    assert seen.judged == ("never/made.key",)
    answers(DENY, ".git/never-made", "never-made.key")()


def a_file_is_read() -> None:
    loaded = rules.load(
        "hooks/config/write-policies.json",
        {"hooks/config/write-policies.json": b'{"protected": ["x/**"]}'}.get,
    )
    assert answer(judged("x/a", rules.build(loaded))) == DENY


def three_lists() -> None:
    data = json.dumps({"protected": ["p/**"], "warned": ["w/**"], "safe": ["s/**"]}).encode()
    policy = custom(data)
    found = {path: answer(judged(path, policy)) for path in ("p/a", "w/a", "s/a", ".env")}
    assert found == {"p/a": DENY, "w/a": WARNED, "s/a": SILENT, ".env": SILENT}


def same_as_the_defaults(data: bytes | None) -> Check:
    def check() -> None:
        policy = custom(data)
        lists = {rule.id: rule.paths for rule in policy.layers[0].rules}
        assert lists == LISTS
        assert answer(judged(".env", policy)) == DENY
        assert answer(judged("src/a", policy)) == WARNED

    return check


def custom_patterns() -> None:
    policy = custom(b'{"protected": ["vault/**"], "suppress": ["src/gen/**"]}')
    assert answer(judged("vault/a", policy)) == DENY
    assert answer(judged(".env", policy)) == SILENT
    assert answer(judged("src/gen/a.ts", policy)) == SILENT
    assert answer(judged("src/a.ts", policy)) == WARNED


def dates_read_like_the_sandbox_ones() -> None:
    day = stamp(1_770_163_200)[:10]
    assert day == "2026-02-04"
    assert re.fullmatch(r"\d{4}-\d{2}-\d{2}", day)
    answers(SILENT, f"agent_sandbox/{day}/try-parser/a.py")()


def order_of_lists() -> None:
    data = json.dumps(
        {"protected": ["a/**"], "warned": ["a/**", "b/**"], "safe": ["a/**", "b/**", "c/**"]}
    )
    policy = custom(data.encode())
    found = [answer(judged(path, policy)) for path in ("a/x", "b/x", "c/x")]
    assert found == [DENY, WARNED, SILENT]


def matched_as_normalised() -> None:
    for text in ("./src/a.ts", "docs/../src/a.ts", f"{ROOT}/src//a.ts"):
        target = locate(text, root=ROOT)
        assert target.judged == (posixpath.normpath("src/a.ts"),)
        assert answer(judged(text)) == WARNED


WARNING = "Production path: src/index.ts - ensure this is intentional"
SANDBOX = "agent_sandbox/2026-02-04/test/script.py"

ROWS = [
    Row("S2-005", "`.git/**` is denied", answers(DENY, ".git/config", ".git/a/b/c")),
    Row("S2-006", "`node_modules/**` is denied", answers(DENY, "node_modules/x/index.js")),
    Row("S2-007", "`.env*` is denied", answers(DENY, ".env", ".env.local", ".envrc")),
    Row("S2-008", "`*.key` and `*.pem` are denied", answers(DENY, "a.key", "a.pem")),
    Row("S2-009", "lock files are denied", answers(DENY, "package-lock.json", "yarn.lock")),
    Row("S2-010", "a denial carries the word `deny`", denial_carries_its_word),
    Row(
        "S2-011",
        "the message has the path and the reason",
        says(".git/config", "Protected path: .git/config cannot be modified"),
    ),
    Row(
        "S2-012",
        "`secrets.key` is a protected path",
        both(
            answers(DENY, "secrets.key"),
            says("secrets.key", "Protected path: secrets.key cannot be modified"),
        ),
    ),
    Row("S2-013", "`src/**` is warned", answers(WARNED, "src/index.ts", "src/a/b.ts")),
    Row("S2-014", "agents of plugins are warned", answers(WARNED, "plugins/p/agents/a.md")),
    Row("S2-015", "commands of plugins are warned", answers(WARNED, "plugins/p/commands/a.md")),
    Row("S2-016", "skills of plugins are warned", answers(WARNED, "plugins/p/skills/a/b.py")),
    Row("S2-017", "`.claude-plugin/**` is warned", answers(WARNED, ".claude-plugin/plugin.json")),
    Row("S2-018", "a warning is `allow` with a reason", warning_grants_and_tells),
    Row("S2-019", "the warning's exact words", says("src/index.ts", WARNING)),
    Row("S2-020", "a new agent", answers(WARNED, "plugins/iflow-dev/agents/new-agent.md")),
    Row("S2-021", "`docs/**` is silent", answers(SILENT, "docs/a", "docs/a/b.md")),
    Row("S2-022", "`agent_sandbox/**` is silent", answers(SILENT, "agent_sandbox/a/b.py")),
    Row("S2-023", "`tests/**` is silent", answers(SILENT, "tests/test_a.py")),
    Row("S2-024", "`*.md` at the root is silent", answers(SILENT, "README.md")),
    Row("S2-025", "silent is allowed, not granted, nothing said", nothing_to_say),
    Row("S2-026", "the two silent scenarios", answers(SILENT, "docs/README.md", SANDBOX)),
    Row("S2-027", "an absolute path is made relative", answers(DENY, f"{ROOT}/.env")),
    Row("S2-028", "the project's own path meets `src/**`", answers(WARNED, f"{ROOT}/src/file.ts")),
    Row("S2-029", "`./` is taken off", answers(SILENT, "./docs/new-doc.md")),
    Row("S2-030", "the path need not exist", missing_paths_are_judged),
    Row(
        "S2-031",
        "paths are normalised before they are matched",
        answers(DENY, "a/../.git/config", ".//.env", "././.env", f"{ROOT}//.env", ".env/"),
    ),
    Row("S2-032", "the patterns come from write-policies.json", a_file_is_read),
    Row("S2-033", "it holds protected, warned and safe", three_lists),
    Row("S2-034", "a missing file is the defaults", same_as_the_defaults(None)),
    Row(
        "S2-035",
        "a file that is no JSON is the defaults",
        both(
            same_as_the_defaults(b"{not json"),
            same_as_the_defaults(b"[1]"),
            same_as_the_defaults(b"\xff\x00"),
            same_as_the_defaults(b'{"protected": 7, "warned": null, "safe": "docs"}'),
        ),
    ),
    Row("S2-036", "custom patterns are used", custom_patterns),
    Row("S2-037", "the sandbox is `agent_sandbox/`", answers(SILENT, "agent_sandbox/a")),
    Row("S2-038", "it is divided by date and context", answers(SILENT, SANDBOX)),
    Row("S2-039", "its dates are YYYY-MM-DD", dates_read_like_the_sandbox_ones),
    Row(
        "S2-040",
        "any context name is free: the rules ask for none",
        answers(SILENT, "agent_sandbox/2026-02-04/parse-the-invoices/a.py"),
    ),
    Row("S2-041", "`.gitignore` can take `agent_sandbox/`", answers(SILENT, ".gitignore")),
    Row("S2-042", "what no pattern meets is allowed", answers(SILENT, "random/file.txt", "a")),
    Row("S2-043", "and nothing is said of it", answers(SILENT, "lib/deep/er/file.txt")),
    Row("S2-044", "`random/file.txt` is silent", answers(SILENT, "random/file.txt")),
    Row("S2-045", "`*` is one segment", meets("a/*/c", yes=("a/b/c",), no=("a/b/b/c", "a/c"))),
    Row("S2-046", "`**` is any number", meets("a/**/c", yes=("a/c", "a/b/b/c"), no=("a/cc",))),
    Row("S2-047", "`*.ext` is one directory", meets("*.ext", yes=("a.ext",), no=("b/a.ext",))),
    Row("S2-048", "case counts", meets("src/**", yes=("src/a",), no=("Src/a", "SRC/a"))),
    Row("S2-049", "the normalised relative path is matched", matched_as_normalised),
    Row(
        "S2-050",
        "`.git/**` and its neighbours",
        meets(".git/**", yes=(".git/config", ".git/hooks/pre-commit"), no=(".github/workflows",)),
    ),
    Row(
        "S2-051",
        "`*.key` and its neighbours",
        meets("*.key", yes=("server.key", "api.key"), no=("keys/server.key",)),
    ),
    Row(
        "S2-052",
        "`src/**` and its neighbours",
        meets("src/**", yes=("src/index.ts", "src/lib/util.ts"), no=("test/src/mock.ts",)),
    ),
    Row(
        "S2-053",
        "`plugins/**/agents/*.md` and its neighbours",
        meets(
            "plugins/**/agents/*.md",
            yes=("plugins/iflow/agents/foo.md",),
            no=("plugins/iflow/skills/foo.md",),
        ),
    ),
    Row(
        "S2-054",
        "`*.md` and its neighbours",
        meets("*.md", yes=("README.md", "CHANGELOG.md"), no=("docs/guide.md",)),
    ),
    Row(
        "S2-055",
        "`**` may be no segment, but not at the end; `.env*`",
        both(
            meets("a/**/b", yes=("a/b",), no=()),
            meets("src/**", yes=("src/a",), no=("src",)),
            meets(".env*", yes=(".env", ".env.local"), no=("env",)),
        ),
    ),
    Row("S2-056", "protected beats warned beats safe", order_of_lists),
]


@pytest.mark.parametrize("row", ROWS, ids=name_of)
def test_the_hook_spec_holds(row: Row) -> None:
    row.check()

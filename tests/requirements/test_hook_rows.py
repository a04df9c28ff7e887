"""The hook spec, row by row: S2-005 to S2-056, through the literal preset and `decide`.

Where a row belongs to the script (its exit code, its output, where its file lies), the part
that the core has is checked: silent is allowed, not granted and without a note.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

import pytest

from penstock.core.model import Action, Decision, Request, Verdict
from penstock.core.paths.relpath import locate
from penstock.core.policy.decide import decide
from penstock.core.policy.model import Policy
from penstock.core.rules import load
from penstock.core.rules.foreign import read_write_policies
from penstock.core.timestamps import stamp
from tests.requirements.hook_paths import ASKED, DENY, SANDBOX, SILENT, WARNED, Asked
from tests.requirements.table import Row, both, name_of

ROOT = "/full/path/to/project"
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
    return load.build(load.load_preset("hook-spec"))


def custom(data: bytes | None) -> Policy:
    return load.build(read_write_policies(data))


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


def as_asked(asked: Asked) -> Row:
    """Ask `decide`, under the policy that the script would read."""

    def check() -> None:
        policy = custom(asked.policy.encode()) if asked.policy else spec()
        assert {path: answer(judged(path, policy)) for path in asked.said} == asked.said

    return Row(asked.id, asked.claim, check)


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


def a_file_is_read() -> None:
    loaded = load.load(
        "hooks/config/write-policies.json",
        {"hooks/config/write-policies.json": b'{"protected": ["x/**"]}'}.get,
    )
    assert answer(judged("x/a", load.build(loaded))) == DENY


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


WARNING = "Production path: src/index.ts - ensure this is intentional"

ROWS = sorted(
    [
        *(as_asked(asked) for asked in ASKED),
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
        Row("S2-018", "a warning is `allow` with a reason", warning_grants_and_tells),
        Row("S2-019", "the warning's exact words", says("src/index.ts", WARNING)),
        Row("S2-025", "silent is allowed, not granted, nothing said", nothing_to_say),
        Row("S2-027", "an absolute path is made relative", answers(DENY, f"{ROOT}/.env")),
        Row(
            "S2-028",
            "the project's own path meets `src/**`",
            answers(WARNED, f"{ROOT}/src/file.ts"),
        ),
        Row(
            "S2-031",
            "paths are normalised before they are matched",
            both(
                answers(DENY, "a/../.git/config", ".//.env", "././.env", f"{ROOT}//.env", ".env/"),
                answers(WARNED, "./src/a.ts", "docs/../src/a.ts", f"{ROOT}/src//a.ts"),
            ),
        ),
        Row("S2-032", "the patterns come from write-policies.json", a_file_is_read),
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
        Row("S2-048", "case counts", answers(SILENT, "Src/a", "SRC/a", ".ENV", "A.KEY")),
    ],
    key=name_of,
)


@pytest.mark.parametrize("row", ROWS, ids=name_of)
def test_the_hook_spec_holds(row: Row) -> None:
    row.check()

"""What the hook spec says of paths: one table, asked of the plugin's script and of the core.

Both read the same policy file, each in its own way, and come to the same answers. Where the
gate is stricter than the spec (`a/../b` under `a/**`, `.GIT`), each has a row of its own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import NamedTuple

DENY, WARNED, SILENT = "deny", "allow with a warning", "silent"
SANDBOX = "agent_sandbox/2026-02-04/test/script.py"


class Asked(NamedTuple):
    """Paths with their answers, under the spec's own policy where no other is given."""

    id: str
    claim: str
    said: Mapping[str, str]
    policy: str | None = None


def all_(answer: str, *paths: str) -> dict[str, str]:
    """Return the same answer for each path."""
    return dict.fromkeys(paths, answer)


def alone(id_: str, claim: str, glob: str, *, yes: tuple[str, ...], no: tuple[str, ...]) -> Asked:
    """Ask under a policy that protects this glob and nothing else."""
    policy = json.dumps({"protected": [glob], "warned": [], "safe": []})
    return Asked(id_, claim, {**all_(DENY, *yes), **all_(SILENT, *no)}, policy)


THREE = json.dumps({"protected": ["p/**"], "warned": ["w/**"], "safe": ["s/**"]})
OVERLAPPING = json.dumps(
    {"protected": ["a/**"], "warned": ["a/**", "b/**"], "safe": ["a/**", "b/**", "c/**"]}
)

ASKED = [
    Asked("S2-005", "`.git/**` is denied", all_(DENY, ".git/config", ".git/a/b/c")),
    Asked("S2-006", "`node_modules/**` is denied", all_(DENY, "node_modules/x/index.js")),
    Asked("S2-007", "`.env*` is denied", all_(DENY, ".env", ".env.local", ".envrc")),
    Asked("S2-008", "`*.key` and `*.pem` are denied", all_(DENY, "a.key", "a.pem")),
    Asked("S2-009", "lock files are denied", all_(DENY, "package-lock.json", "yarn.lock")),
    Asked("S2-013", "`src/**` is warned", all_(WARNED, "src/index.ts", "src/a/b.ts")),
    Asked("S2-014", "agents of plugins are warned", all_(WARNED, "plugins/p/agents/a.md")),
    Asked("S2-015", "commands of plugins are warned", all_(WARNED, "plugins/p/commands/a.md")),
    Asked("S2-016", "skills of plugins are warned", all_(WARNED, "plugins/p/skills/a/b.py")),
    Asked("S2-017", "`.claude-plugin/**` is warned", all_(WARNED, ".claude-plugin/plugin.json")),
    Asked("S2-020", "a new agent", all_(WARNED, "plugins/iflow-dev/agents/new-agent.md")),
    Asked("S2-021", "`docs/**` is silent", all_(SILENT, "docs/a", "docs/a/b.md")),
    Asked("S2-022", "`agent_sandbox/**` is silent", all_(SILENT, "agent_sandbox/a/b.py")),
    Asked("S2-023", "`tests/**` is silent", all_(SILENT, "tests/test_a.py")),
    Asked("S2-024", "`*.md` at the root is silent", all_(SILENT, "README.md")),
    Asked("S2-026", "the two silent scenarios", all_(SILENT, "docs/README.md", SANDBOX)),
    Asked("S2-029", "`./` is taken off", all_(SILENT, "./docs/new-doc.md")),
    Asked("S2-030", "the path need not exist", all_(DENY, "never-made.key", ".git/never/made")),
    Asked(
        "S2-033",
        "it holds protected, warned and safe",
        {"p/a": DENY, "w/a": WARNED, **all_(SILENT, "s/a", ".env", "src/a")},
        THREE,
    ),
    Asked("S2-042", "what no pattern meets is allowed", all_(SILENT, "random/file.txt", "a")),
    Asked("S2-043", "and nothing is said of it", all_(SILENT, "lib/deep/er/file.txt")),
    Asked("S2-044", "`random/file.txt` is silent", all_(SILENT, "random/file.txt")),
    alone("S2-045", "`*` is one segment", "a/*/c", yes=("a/b/c",), no=("a/b/b/c", "a/c")),
    alone("S2-046", "`**` is any number", "a/**/c", yes=("a/c", "a/b/b/c"), no=("a/cc",)),
    alone("S2-047", "`*.ext` is one directory", "*.ext", yes=("a.ext",), no=("b/a.ext",)),
    alone(
        "S2-049",
        "the normalised path is matched",
        "a/**",
        yes=("./a//b", "b/../a/c", "a/./b/"),
        no=("x/./b", "x/../b"),
    ),
    alone(
        "S2-050",
        "`.git/**` and its neighbours",
        ".git/**",
        yes=(".git/config", ".git/hooks/pre-commit"),
        no=(".github/workflows",),
    ),
    alone(
        "S2-051",
        "`*.key` and its neighbours",
        "*.key",
        yes=("server.key", "api.key"),
        no=("keys/server.key",),
    ),
    alone(
        "S2-052",
        "`src/**` and its neighbours",
        "src/**",
        yes=("src/index.ts", "src/lib/util.ts"),
        no=("test/src/mock.ts", "src"),
    ),
    alone(
        "S2-053",
        "`plugins/**/agents/*.md` and its neighbours",
        "plugins/**/agents/*.md",
        yes=("plugins/iflow/agents/foo.md",),
        no=("plugins/iflow/skills/foo.md",),
    ),
    alone(
        "S2-054",
        "`*.md` and its neighbours",
        "*.md",
        yes=("README.md", "CHANGELOG.md"),
        no=("docs/guide.md",),
    ),
    Asked(
        "S2-055",
        "`**` may be no segment, but not at the end; `.env*`",
        {
            **all_(WARNED, "plugins/agents/foo.md"),
            **all_(SILENT, "src", "env"),
            **all_(DENY, ".env", ".env.local"),
        },
    ),
    Asked(
        "S2-056",
        "protected beats warned beats safe",
        {"a/x": DENY, "b/x": WARNED, "c/x": SILENT},
        OVERLAPPING,
    ),
]

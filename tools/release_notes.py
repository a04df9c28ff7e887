"""Print the release notes: the section of the CHANGELOG, then every change below `changes/`.

    python tools/release_notes.py [VERSION]

A file `changes/<slug>.md` is one change. The first section of `SECTIONS` with a pattern that fits
its slug takes it; what fits none is listed last. Always true: each change is printed exactly once.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Mapping
from fnmatch import fnmatch
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
REST = "Other changes"
SECTIONS: Mapping[str, tuple[str, ...]] = {
    "Isolated runs": ("run-*", "runs-*", "isolated-*", "demo-isolated"),
    "Audit log": (
        *(
            "audit-*",
            "broker-log-*",
            "checkpoints-*",
            "cosigning",
            "ship*",
            "witnesses",
            "git-witness-*",
        ),
        *(
            "verify-*",
            "unremembered-*",
            "signatures-*",
            "*secret-formats",
            "*token-formats",
            "syslog-*",
        ),
    ),
    "Approvals": (
        *("appro*", "applied-*", "passkeys", "unlock", "key-*", "proof-*", "widening-*", "tickets"),
        *("shown-*", "proposal-*", "old-ones-*"),
    ),
    "Review": (
        *(
            "review-*",
            "inbox",
            "interdiff",
            "risk-*",
            "changed-*",
            "full-screen-*",
            "tui",
            "terminal-*",
        ),
        *(
            "boxes-*",
            "white-*",
            "line-*",
            "queue",
            "merging",
            "modes-*",
            "progress",
            "rollback-*",
            "undo*",
        ),
        *(
            "json-api",
            "serve",
            "localhost-*",
            "http-*",
            "text-for-*",
            "agents-words",
            "notify",
            "alert-*",
        ),
    ),
    "Reading secrets": ("reads*", "secrets-*", "search*", "code-that-*", "fetched-*", "parts-of-*"),
    "Shell commands and tools": (
        *(
            "shell-*",
            "git-*",
            "known-names",
            "made-*",
            "new-names",
            "js-*",
            "python-*",
            "lists-of-*",
        ),
        *(
            "scripts-*",
            "files-that-*",
            "mentions-*",
            "unknown-tools",
            "fresh-*",
            "commands-*",
            "program*",
        ),
    ),
    "Presets and rules": (
        *(
            "guard-*",
            "presets",
            "*-preset*",
            "rule*",
            "named-*",
            "nested-*",
            "exceptions",
            "within",
        ),
        *(
            "observe*",
            "learning*",
            "everyday-*",
            "why-*",
            "report",
            "advisor",
            "schema",
            "accuracy",
        ),
        *("beyond-*", "broken-*", "wrong-*", "forged-*", "policy-*", "bundle*", "owners*"),
    ),
    "Protection": (
        *(
            "hard-*",
            "look-*",
            "homoglyphs",
            "deceiving-*",
            "folding-*",
            "moved-*",
            "bare-*",
            "gate-*",
        ),
        *("new-protected-*", "unknown-origin", "home-*", "worktrees", "never-*", "unreadable-*"),
    ),
    "Agents and integrations": (
        *(
            "agents",
            "hook*",
            "init*",
            "claude-*",
            "full-plugin",
            "mcp*",
            "broker",
            "lang*",
            "session-*",
        ),
        *("shared-*", "doctor*", "short-ids*", "judge-*", "python", "sandbox", "notify-*"),
    ),
    "Speed": ("*-faster", "*speed*", "starts-*", "first-*"),
    "Command line and manual": (
        *("plain-*", "pages-*", "pager-*", "error-*", "clearer-*", "exit-*", "status-*", "demo*"),
        *(
            "manual",
            "docs-*",
            "comparison",
            "requirements",
            "reasons-*",
            "distribution",
            "extras",
            "package*",
        ),
    ),
}


def section_of(slug: str) -> str:
    """Return the section that a change belongs to."""
    for name, patterns in SECTIONS.items():
        if any(fnmatch(slug, pattern) for pattern in patterns):
            return name
    return REST


def changes(top: Path) -> dict[str, list[str]]:
    """Return every change by section, each as one line, in the order of their files."""
    found: dict[str, list[str]] = {name: [] for name in (*SECTIONS, REST)}
    for path in sorted((top / "changes").glob("*.md")):
        text = " ".join(path.read_text(encoding="utf-8").split()).removeprefix("- ")
        found[section_of(path.stem)].append(text)
    return {name: texts for name, texts in found.items() if texts}


def chapter(top: Path, version: str) -> str:
    """Return what the CHANGELOG says of one version, without its heading."""
    text = (top / "CHANGELOG.md").read_text(encoding="utf-8")
    found = re.search(rf"^## {re.escape(version)}[^\n]*\n(.*?)(?=^## |\Z)", text, re.M | re.S)
    if found is None:
        sys.exit(f"CHANGELOG.md has no section for {version}")
    return found[1].strip()


def notes(top: Path, version: str) -> str:
    """Return the notes of a release in Markdown."""
    parts = [f"# Penstock {version}", chapter(top, version), "## All changes"]
    for name, texts in changes(top).items():
        parts.append(f"### {name}\n\n" + "\n".join(f"- {text}" for text in texts))
    return "\n\n".join(parts) + "\n"


def current(top: Path) -> str:
    """Return the version of the checkout."""
    project = tomllib.loads((top / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return str(project["version"])


if __name__ == "__main__":
    sys.stdout.write(notes(TOP, sys.argv[1] if len(sys.argv) > 1 else current(TOP)))

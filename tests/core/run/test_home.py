"""What of a home directory may leave a run: a table of names, and what they may hold."""

from __future__ import annotations

import pytest

from penstock.core.run.home import AGENT_HOMES, HomeFileKind, reason_to_keep

CREDENTIALS, TRANSCRIPT = HomeFileKind.CREDENTIALS, HomeFileKind.TRANSCRIPT
NAMES = [
    (".claude/.credentials.json", CREDENTIALS),
    (".claude/projects/-home-me-project/0972.jsonl", TRANSCRIPT),
    (".claude/projects/-home-me-project/0972/subagents/a.jsonl", TRANSCRIPT),
    (".codex/auth.json", CREDENTIALS),
    (".codex/sessions/2026/11/15/rollout-1.jsonl", TRANSCRIPT),
    (".gemini/oauth_creds.json", CREDENTIALS),
    (".gemini/tmp/project/chats/session-1.jsonl", TRANSCRIPT),
    (".local/share/opencode/auth.json", CREDENTIALS),
    # What decides what a next session runs, or is told, never leaves.
    (".claude/settings.json", None),
    (".claude/settings.local.json", None),
    (".claude/hooks/x.jsonl", None),
    (".claude/plugins/x.jsonl", None),
    (".claude/projects/-home-me-project/memory/MEMORY.md", None),
    (".claude/projects.jsonl", None),
    (".claude/CLAUDE.md", None),
    (".claude/x/.credentials.json", None),
    (".codex/config.toml", None),
    (".codex/hooks.json", None),
    (".codex/sessions/x.toml", None),
    (".codex/AGENTS.md", None),
    (".gemini/settings.json", None),
    (".gemini/trustedFolders.json", None),
    (".gemini/tmp/project/shell_history", None),
    (".gemini/tmp/project/x.jsonl", None),
    (".local/share/opencode/config.json", None),
]


@pytest.mark.parametrize(("path", "kind"), NAMES, ids=[row[0] for row in NAMES])
def test_only_what_the_table_names_may_leave(path: str, kind: HomeFileKind | None) -> None:
    (home,) = [one for one in AGENT_HOMES if path.startswith(f"{one.folder}/")]
    assert home.kind(path.removeprefix(f"{home.folder}/")) is kind


CONTENTS = [
    (TRANSCRIPT, None, b"{}\n", True),
    (TRANSCRIPT, b"{}\n", b"{}\n{}\n", True),
    (TRANSCRIPT, b"{}\n", b"[]\n{}\n", False),
    (TRANSCRIPT, b"{}\n", b"", False),
    (CREDENTIALS, b"{}", b'{"token": "t"}', True),
    (CREDENTIALS, None, b"[]", False),
    (CREDENTIALS, None, b"#!/bin/sh\n", False),
    (CREDENTIALS, None, b"\xff", False),
    (CREDENTIALS, None, b'{"a": "%b"}' % (b"x" * (1 << 20)), False),
]


@pytest.mark.parametrize(("kind", "before", "after", "leaves"), CONTENTS)
def test_a_transcript_is_continued_and_credentials_are_an_object(
    kind: HomeFileKind, before: bytes | None, after: bytes, leaves: bool
) -> None:
    assert (reason_to_keep(kind, before, after) == "") is leaves

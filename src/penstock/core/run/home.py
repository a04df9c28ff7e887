"""Which files of the home directory may leave a run: credentials and transcripts of known agents.

A login that an agent renews inside would be lost outside, because the old one stops working; a
conversation would be missing from its history. Everything else that agents keep at home decides
what their next session runs: settings, hooks, servers, trust, memories. That never leaves.
Always true: a name that the table does not list stays; a transcript is only ever continued, and
credentials are a small JSON object.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from enum import StrEnum

from msgspec import Struct

LARGEST_CREDENTIALS = 1 << 20
TRANSCRIPT_SUFFIX = ".jsonl"


class HomeFileKind(StrEnum):
    """Why a file may leave."""

    CREDENTIALS = "credentials"
    TRANSCRIPT = "transcript"


class AgentHome(Struct, frozen=True, kw_only=True):
    """Where one agent keeps what may leave, below the home directory.

    `is_transcript` is asked about the names on the way, from `folder` on.
    """

    agent: str
    folder: str
    credentials: frozenset[str]
    is_transcript: Callable[[tuple[str, ...]], bool] = lambda _: False

    def kind(self, path: str) -> HomeFileKind | None:
        """Say why a file of this folder may leave; None where it may not."""
        if path in self.credentials:
            return HomeFileKind.CREDENTIALS
        names = tuple(path.split("/"))
        if path.endswith(TRANSCRIPT_SUFFIX) and len(names) > 1 and self.is_transcript(names):
            return HomeFileKind.TRANSCRIPT
        return None

    def holds(self, path: str) -> bool:
        """Say whether a file may leave at all."""
        return self.kind(path) is not None


AGENT_HOMES = (
    AgentHome(
        agent="claude",
        folder=".claude",
        credentials=frozenset({".credentials.json"}),
        is_transcript=lambda names: names[0] == "projects",
    ),
    AgentHome(
        agent="codex",
        folder=".codex",
        credentials=frozenset({"auth.json"}),
        is_transcript=lambda names: names[0] in ("sessions", "archived_sessions"),
    ),
    AgentHome(
        agent="gemini",
        folder=".gemini",
        credentials=frozenset({"oauth_creds.json"}),
        is_transcript=lambda names: names[0] == "tmp" and names[2:3] == ("chats",),
    ),
    AgentHome(
        agent="opencode",
        folder=".local/share/opencode",
        credentials=frozenset({"auth.json"}),
    ),
)


def reason_to_keep(kind: HomeFileKind, before: bytes | None, after: bytes) -> str:
    """Say why this content may not leave; "" where it may."""
    if kind is HomeFileKind.TRANSCRIPT:
        continued = before is None or after.startswith(before)
        return "" if continued else "it rewrites a transcript instead of continuing it"
    if len(after) > LARGEST_CREDENTIALS:
        return "it is too large for credentials"
    try:
        plain = isinstance(json.loads(after), dict)
    except ValueError:
        plain = False
    return "" if plain else "it is not a JSON object"

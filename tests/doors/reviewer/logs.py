"""Lines as the original hook and its forks write them, and as Penstock does."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

Line = dict[str, Any]


def at(second: int) -> str:
    """Return a moment of one day as the original writes it."""
    hours, rest = divmod(second, 3600)
    return f"2025-12-{6 + hours // 24:02}T{hours % 24:02}:{rest // 60:02}:{rest % 60:02}.123456789Z"


def audit(second: int, decision: str, command: str = "cargo test", **more: Any) -> Line:
    """A line of the first hook."""
    return {
        "timestamp": at(second),
        "session_id": "s1",
        "tool_name": "Bash",
        "tool_input": {"command": command},
        "decision": decision,
        "reason": f"Matched rule for Bash with command: {command}",
        "cwd": "/p",
        **more,
    }


def old(second: int, command: str = "ls") -> Line:
    """A line from before decisions were told."""
    line = audit(second, "", command)
    del line["decision"], line["reason"]
    return line


def operational(second: int, decision: str, source: str, command: str = "cargo test") -> Line:
    """A line of the log that the fork with sections keeps for operators."""
    return {
        "timestamp": at(second),
        "session_id": "s2",
        "tool_name": "Bash",
        "tool_input": {"command": command},
        "decision": decision,
        "decision_source": source,
    }


def review(
    second: int,
    decision: str,
    source: str = "rule",
    command: str = "rm -rf x",
    *,
    rule: str = "",
    assessment: str = "",
    needs_review: bool = False,
) -> Line:
    """A line of the log that the fork with sections keeps for reviewers."""
    line: Line = {
        "timestamp": at(second),
        "session_id": "s3",
        "tool_name": "Bash",
        "tool_input": {"command": command},
        "cwd": "/p",
        "decision": decision,
        "decision_source": source,
        "reasoning": f"Bash, command: {command}",
    }
    if rule:
        line["rule_metadata"] = {
            "rule_id": rule,
            "section_name": "security",
            "rule_type": decision,
            "rule_index": 0,
            "rule_description": "a rule",
            "config_file": "example.toml",
            "matched_pattern": "command_regex",
        }
    if assessment:
        line["llm_metadata"] = {
            "assessment": assessment,
            "reasoning": "it is unclear",
            "model": "anthropic/claude-haiku-4.5",
        }
    level = "medium" if needs_review else "low"
    line["review_flags"] = {"needs_review": needs_review, "risk_level": level, "reasons": []}
    return line


def own(seq: int, op: str = "tool_call", **facts: Any) -> Line:
    """A line of Penstock's record, without a chain that holds."""
    hours, rest = divmod(seq, 3600)
    return {
        "ts": f"2025-12-06T{hours:02}:{rest // 60:02}:{rest % 60:02}Z",
        "seq": seq,
        "op": op,
        "path": facts.pop("path", ""),
        "status": facts.pop("status", "allowed"),
        **facts,
        "prev_hash": "sha256:" + "0" * 64,
        "event_hash": "sha256:" + "0" * 64,
    }


def write(path: Path, lines: Iterable[Line], *, spaced: bool = False, mode: str = "w") -> Path:
    """Write lines as serde does, or as Python does."""
    separators = (", ", ": ") if spaced else (",", ":")
    text = "".join(json.dumps(line, separators=separators) + "\n" for line in lines)
    with path.open(mode, encoding="utf-8") as file:
        file.write(text)
    return path

"""Say what an edit did, or would do: one line a change, and the message of its commit.

Always true: a sentence is one line, whatever an id or a name holds, and the dry run's names
the same rule and the same line as the real one's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from penstock.core.policy.regex_faults import pieces
from penstock.core.rule_edit.operation import Operation
from penstock.core.text.display import spoken

LONGEST_SHORT = 50  # characters of what stands in a commit's subject
TRAILER = "\N{ROBOT FACE} Generated with decision_reviewer"


class EditEffect(Struct, frozen=True, kw_only=True):
    """One thing that an edit did, on the lines `line` to `until` of the result.

    Of what is gone, `line` is the one in the file before.

    `before` and `after` are the rule or the table of settings as the parsed document has it,
    None where there is none; `name` is what is changed when it is no rule.
    """

    kind: str
    path: str
    line: int = 0
    until: int = 0
    rule_id: str = ""
    rule_type: str = ""
    section: str = ""
    name: str = ""
    before: Mapping[str, object] | None = None
    after: Mapping[str, object] | None = None


# kind -> what was done, what would be done, how the file is named
WORDS: Mapping[str, tuple[str, str, str]] = {
    "added": ("Added rule '{}'", "Would add rule '{}'", "to"),
    "removed": ("Removed rule '{}'", "Would remove rule '{}'", "from"),
    "updated": ("Updated rule '{}'", "Would update rule '{}'", "in"),
    "enabled": ("Enabled rule '{}'", "Would enable rule '{}'", "in"),
    "disabled": ("Disabled rule '{}'", "Would disable rule '{}'", "in"),
    "moved": ("Moved rule '{}'", "Would move rule '{}'", "in"),
    "llm_config": ("Updated llm_fallback ({})", "Would update llm_fallback ({})", "in"),
    "llm_prompt": ("Updated the LLM prompt", "Would update the LLM prompt", "in"),
    "include_added": ("Added include '{}'", "Would add include '{}'", "to"),
    "include_removed": ("Removed include '{}'", "Would remove include '{}'", "from"),
    "restored": ("Restored {}", "Would restore {}", ""),
}


def told(changed: EditEffect, *, dry_run: bool) -> str:
    """Return one change as an answer tells it."""
    did, would, word = WORDS[changed.kind]
    name = _one_line(changed.rule_id or changed.name)
    at = f" at line {changed.line}" if changed.line else ""
    where = f" {word} {_one_line(changed.path)}" if word else ""
    return f"{would.format(name)}{at}" if dry_run else f"{did.format(name)}{where}{at}"


def _one_line(text: str) -> str:
    return spoken(text)


def commit_message(
    operation: Operation,
    changes: Sequence[EditEffect],
    *,
    applied_by: str,
    timestamp: str,
    warnings: int,
) -> str:
    """Return the message of the commit that records an edit."""
    ids = ", ".join(dict.fromkeys(c.rule_id for c in changes if c.rule_id)) or operation.rule_id
    lines = [
        f"Operation: {operation.type}",
        *([f"Rule ID: {_one_line(ids)}"] if ids else []),
        f"Applied by: {_one_line(applied_by)}",
        f"Timestamp: {_one_line(timestamp)}",
        f"Validation: Passed ({warnings} warnings)",
    ]
    return "\n".join([subject(operation, changes), "", *lines, "", TRAILER, ""])


def undo_message(messages: Sequence[str]) -> str:
    """Return the message of the commit that takes back edits with these messages."""
    first = messages[0].partition("\n")[0]
    said = f'Undo "{_one_line(first)}"' if len(messages) == 1 else f"Undo {len(messages)} edits"
    return "\n".join([f"revert(config): {said}", "", TRAILER, ""])


def subject(operation: Operation, changes: Sequence[EditEffect]) -> str:
    """Return the first line of that message."""
    if operation.type == "rollback":
        to = _one_line(operation.to_commit[:12] or operation.to_backup)
        return f"revert(config): Roll back to {to}"
    if operation.each[0].type == "rollback":
        return f"revert(config): Roll back {len(operation.each)} files"
    if len(changes) != 1:
        return f"feat(config): Apply {len(changes)} changes"
    one = changes[0]
    if one.kind == "added":
        return f"feat(config): Add {one.rule_type} rule for '{_short(one)}'"
    name = _one_line(one.rule_id or one.name)[:LONGEST_SHORT]
    return f"feat(config): {SUBJECTS[one.kind].format(name)}"


SUBJECTS: Mapping[str, str] = {
    "removed": "Remove rule '{}'",
    "updated": "Update rule '{}'",
    "enabled": "Enable rule '{}'",
    "disabled": "Disable rule '{}'",
    "moved": "Move rule '{}'",
    "llm_config": "Update LLM configuration ({})",
    "llm_prompt": "Update LLM prompt",
    "include_added": "Add include '{}'",
    "include_removed": "Remove include '{}'",
    "restored": "Restore {}",
}


def _short(changed: EditEffect) -> str:
    """Return the command that a rule's regex begins with, else the rule's id."""
    regex = (changed.after or {}).get("command_regex")
    prefix = literal_prefix(regex) if isinstance(regex, str) else ""
    return _one_line(prefix if len(prefix) > 1 else changed.rule_id)[:LONGEST_SHORT]


def literal_prefix(pattern: str) -> str:
    """Return the characters that every match begins with; "" unless it is anchored."""
    if not pattern.startswith("^"):
        return ""
    prefix = ""
    for _, piece in pieces(pattern[1:]):
        escaped = piece[0] == "\\" and len(piece) == 2 and not piece[1].isalnum()
        if piece in "*?{":
            # The character before may be missing.
            prefix = prefix[:-1]
            break
        if piece == "|":
            return ""
        if not escaped and piece[0] in "\\.^$+()[":
            break
        prefix += piece[-1]
    return prefix.strip()

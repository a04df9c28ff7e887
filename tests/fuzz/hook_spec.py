"""Any stdin of the plugin's hook: one answer or none, and `json` reads the same."""

from __future__ import annotations

import json

from penstock.core.strict_json import DuplicateKeyError, parse
from penstock.doors import hook_spec

LISTS = hook_spec.policy_of("/nowhere/write-policies.json")
WORDS = [b'{"tool_name":"Write","tool_input":{"file_path":"', b'"}}', b'","file_path":"', b"\\u"]


def one(data: bytes) -> None:
    """Try the bytes as they are, and as the path of a call; a first byte picks words."""
    framed = WORDS[0] + data[1:] + WORDS[data[0] % len(WORDS)] + WORDS[1] if data else b""
    for stdin in (data, framed):
        answer = hook_spec.answer(stdin, LISTS, project="/project")
        if answer:
            (said,) = json.loads(answer).values()
            assert said["permissionDecision"] in ("allow", "deny")
        _reads_alike(stdin.decode("utf-8", "surrogateescape"))


def _reads_alike(text: str) -> None:
    try:
        expected = json.loads(text, parse_int=float)
    except (ValueError, RecursionError):
        expected = None
    try:
        found = parse(text)
    except DuplicateKeyError:
        found = expected
    except (ValueError, RecursionError):
        found = None
    assert repr(found) == repr(expected)

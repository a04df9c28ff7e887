"""Tool calls of every agent, and the intents behind them.

A row's answer lists intents: `+a` writes, `-a` deletes, `?a` reads, `!` runs a command; a
trailing `=` says that the resulting content is known, and `~` that something is unclear.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.errors import InputError
from penstock.core.model import Action
from penstock.core.tools.intents import (
    ApplyPatch,
    InsertLines,
    Intent,
    NotebookCell,
    Swap,
    Swaps,
    Whole,
    intents,
    resulting,
)

MARKS = {Action.WRITE: "+", Action.DELETE: "-", Action.READ: "?", Action.RUN: "!"}


def told(tool: str, tool_input: Mapping[str, object], cwd: str = "/p") -> list[str]:
    return [
        MARKS[intent.action]
        + (intent.path or "")
        + ("=" if intent.edit else "")
        + ("~" if intent.unclear else "")
        for intent in intents(tool, tool_input, cwd=cwd)
    ]


ENVELOPE = "*** Begin Patch\n*** Add File: a\n+x\n*** Update File: b\n*** Move to: c\n@@\n-x\n+y\n"
ENVELOPE += "*** Delete File: d\n*** End Patch"
UNIFIED = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"
BLOCKS = "------- SEARCH\na\n=======\nb\n+++++++ REPLACE\n"

# agent, tool, arguments, intents
CALLS: list[tuple[str, str, dict[str, object], list[str]]] = [
    ("claude", "Write", {"file_path": "/p/a", "content": "x"}, ["+/p/a="]),
    ("claude", "Write", {"file_path": "/p/a", "content": ""}, ["+/p/a="]),
    ("claude", "Edit", {"file_path": "a", "old_string": "x", "new_string": "y"}, ["+a="]),
    (
        "claude",
        "MultiEdit",
        {"file_path": "a", "edits": [{"old_string": "x", "new_string": "y"}]},
        ["+a="],
    ),
    ("claude", "NotebookEdit", {"notebook_path": "n", "cell_id": "c", "new_source": "x"}, ["+n="]),
    ("claude", "Read", {"file_path": "a"}, ["?a"]),
    ("claude", "Glob", {"pattern": "*", "path": "d"}, []),
    ("claude", "Grep", {"pattern": "x", "path": "d"}, ["?d"]),
    ("claude", "Bash", {"command": "rm a; echo > b"}, ["!", "-a", "+b"]),
    ("claude", "Bash", {"command": "rm *"}, ["!~", "-*~"]),
    ("claude", "Bash", {"command": "ls", "description": "list"}, ["!"]),
    ("claude", "TodoWrite", {"todos": [{"content": "x", "status": "y"}]}, []),
    ("claude", "Task", {"prompt": "rm a", "subagent_type": "x"}, []),
    ("claude", "WebFetch", {"url": "http://h/x", "prompt": "x"}, []),
    ("claude", "mcp__notes__write_note", {"path": "/p/m", "content": "x"}, ["+/p/m="]),
    ("claude", "mcp__fs__write_file", {"path": "a", "content": "x"}, ["+a="]),
    ("codex", "apply_patch", {"command": ENVELOPE}, ["+a=", "+c=", "-b", "-d"]),
    ("codex", "apply_patch", {"input": UNIFIED}, ["+x="]),
    ("codex", "apply_patch", {"command": ["apply_patch", ENVELOPE]}, ["+a=", "+c=", "-b", "-d"]),
    ("codex", "apply_patch", {"patch": "no patch"}, ["+~"]),
    ("codex", "shell", {"command": ["bash", "-lc", "rm a"]}, ["!", "-a"]),
    ("codex", "shell", {"command": ["rm", "a b"], "workdir": "d"}, ["!", "-a b"]),
    ("codex", "local_shell", {"action": {"command": ["rm", "a"]}}, ["!", "-a"]),
    ("codex", "exec_command", {"cmd": "rm a"}, ["!", "-a"]),
    ("codex", "shell", {"command": ["apply_patch", ENVELOPE]}, ["!", "+a", "-b", "+c", "-d"]),
    ("codex", "write_stdin", {"session_id": 1, "chars": "rm a\n"}, ["!", "-a", "!~"]),
    ("gemini", "write_file", {"file_path": "a", "content": "x"}, ["+a="]),
    ("gemini", "replace", {"file_path": "a", "old_string": "x", "new_string": "y"}, ["+a="]),
    ("gemini", "run_shell_command", {"command": "rm a", "directory": "d"}, ["!", "-a"]),
    ("gemini", "read_file", {"absolute_path": "/a"}, ["?/a"]),
    ("gemini", "read_many_files", {"paths": ["a", "b"]}, ["?a", "?b"]),
    ("gemini", "mcp_notes_write_note", {"path": "m", "content": "x"}, ["+m="]),
    ("gemini", "mcp_notes_read_note", {"path": "m"}, ["?m"]),
    ("gemini", "mcp_my_fs_write_file", {"path": "m", "content": "x"}, ["+m="]),
    ("qwen", "edit", {"file_path": "a", "old_string": "x", "new_string": "y"}, ["+a="]),
    ("copilot", "create", {"path": "a", "file_text": "x"}, ["+a="]),
    ("copilot", "edit", {"path": "a", "old_str": "x", "new_str": "y"}, ["+a="]),
    ("copilot", "bash", {"command": "rm a"}, ["!", "-a"]),
    ("copilot", "powershell", {"command": "rm a"}, ["!~"]),
    ("copilot", "str_replace_editor", {"command": "view", "path": "a"}, ["?a"]),
    (
        "copilot",
        "str_replace_editor",
        {"command": "create", "path": "a", "file_text": "x"},
        ["+a="],
    ),
    (
        "copilot",
        "str_replace_editor",
        {"command": "insert", "path": "a", "insert_line": 1, "insert_text": "x"},
        ["+a="],
    ),
    ("cursor", "Shell", {"command": "rm a", "cwd": "d"}, ["!", "-a"]),
    ("cursor", "Write", {"path": "a", "contents": "x"}, ["+a="]),
    ("cursor", "Delete", {"path": "a"}, ["-a"]),
    ("cursor", "edit_file", {"target_file": "a", "code_edit": "// ..."}, ["+a"]),
    ("cursor", "MCP:write_note", {"path": "m", "content": "x"}, ["+m="]),
    ("cursor", "MCP:notes/read_note", {"path": "m"}, ["?m"]),
    ("opencode", "write", {"filePath": "a", "content": "x"}, ["+a="]),
    ("opencode", "edit", {"filePath": "a", "oldString": "x", "newString": "y"}, ["+a="]),
    ("opencode", "patch", {"patchText": ENVELOPE}, ["+a=", "+c=", "-b", "-d"]),
    ("opencode", "bash", {"command": "rm a", "workdir": "d"}, ["!", "-a", "!", "-a"]),
    ("cline", "write_to_file", {"path": "a", "content": "x"}, ["+a="]),
    ("cline", "replace_in_file", {"path": "a", "diff": BLOCKS}, ["+a="]),
    ("cline", "replace_in_file", {"path": "a", "diff": "something else"}, ["+a"]),
    ("cline", "execute_command", {"command": "rm a", "requires_approval": True}, ["!", "-a"]),
    ("cline", "insert_content", {"path": "a", "line": "1", "content": "x"}, ["+a="]),
    ("cline", "editor", {"path": "a", "new_text": "x"}, ["+a="]),
    ("cline", "editor", {"path": "a", "old_text": "x", "new_text": "y"}, ["+a="]),
    ("cline", "editor", {"path": "a", "new_text": "x", "insert_line": 3}, ["+a="]),
    ("cline", "editor", {"path": "a"}, ["+a"]),
    ("cline", "run_commands", {"commands": ["rm a"]}, ["!", "-a"]),
    (
        "windsurf",
        "pre_write_code",
        {"file_path": "a", "edits": [{"old_string": "x", "new_string": "y"}]},
        ["+a="],
    ),
    ("windsurf", "pre_run_command", {"command_line": "rm a", "cwd": "/p"}, ["!", "-a"]),
    (
        "windsurf",
        "pre_mcp_tool_use",
        {"mcp_tool_name": "read_note", "mcp_tool_arguments": {"path": "a"}},
        ["?a"],
    ),
    ("windsurf", "pre_mcp_tool_use", {"mcp_tool_arguments": {"path": "a"}}, ["+a"]),
    ("kiro", "fs_write", {"command": "create", "path": "a", "file_text": "x"}, ["+a="]),
    ("kiro", "fs_write", {"command": "append", "path": "a", "new_str": "x"}, ["+a="]),
    ("kiro", "fs_write", {"command": "view", "path": "a"}, ["+a"]),
    ("kiro", "str_replace", {"path": "a", "oldStr": "x", "newStr": "y"}, ["+a="]),
    ("kiro", "fs_append", {"path": "a", "text": "x"}, ["+a="]),
    ("kiro", "execute_bash", {"command": "rm a"}, ["!", "-a"]),
    (
        "kiro",
        "write",
        {"command": "str_replace", "path": "a", "old_str": "x", "new_str": "y"},
        ["+a="],
    ),
    ("kiro", "@notes/delete_note", {"path": "a"}, ["-a"]),
    ("amp", "create_file", {"path": "a", "content": "x"}, ["+a="]),
    ("amp", "Bash", {"cmd": "rm a"}, ["!", "-a"]),
    ("langchain", "write_file", {"file_path": "a", "text": "x"}, ["+a="]),
    ("langchain", "edit_file", {"file_path": "a", "old_string": "x", "new_string": "y"}, ["+a="]),
    ("langchain", "move_file", {"source_path": "a", "destination_path": "b"}, ["+b", "-a"]),
    ("langchain", "copy_file", {"source_path": "a", "destination_path": "b"}, ["+b", "?a"]),
    ("langchain", "file_delete", {"file_path": "a"}, ["-a"]),
    ("langchain", "terminal", {"commands": ["rm a", "rm b"]}, ["!", "-a", "-b"]),
    (
        "mcp",
        "mcp__fs__edit_file",
        {"path": "a", "edits": [{"oldText": "x", "newText": "y"}]},
        ["+a="],
    ),
    ("mcp", "mcp__fs__create_directory", {"path": "d"}, ["+d"]),
    ("mcp", "mcp__fs__move_file", {"source": "a", "destination": "b"}, ["+b", "-a"]),
    ("mcp", "mcp__fs__list_directory", {"path": "d"}, ["?d"]),
    ("mcp", "mcp__fs__read_multiple_files", {"paths": ["a", "b"]}, ["?a", "?b"]),
]


@pytest.mark.parametrize(
    ("tool", "given_input", "answer"),
    [pytest.param(*row[1:], id=f"{row[0]} {row[1]} {at}") for at, row in enumerate(CALLS)],
)
def test_a_call_of_a_known_tool_becomes_its_intents(
    tool: str, given_input: dict[str, object], answer: list[str]
) -> None:
    assert told(tool, given_input) == answer


GUESSES: list[tuple[str, dict[str, object], list[str]]] = [
    ("mcp__x__save", {"path": "a", "data": "x"}, ["+a="]),
    ("mcp__x__save", {"path": "a", "body": "x"}, ["+a="]),
    ("mcp__x__save", {"filePath": "a"}, ["+a"]),
    ("mcp__x__save", {"FILENAME": "a"}, ["+a"]),
    ("mcp__x__save", {"uri": "file:///p/a%20b#x"}, ["+/p/a b"]),
    ("mcp__x__save", {"uri": "file://localhost/p/a"}, ["+/p/a"]),
    ("mcp__x__save", {"uri": "file:a"}, ["+a"]),
    ("mcp__x__save", {"uri": "https://h/x"}, []),
    ("mcp__x__save", {"path": "C:\\x"}, ["+C:\\x"]),
    ("mcp__x__save", {"path": "~/a"}, ["+~/a"]),
    ("mcp__x__save", {"path": ""}, []),
    ("mcp__x__save", {"file": "line\nline"}, []),
    ("mcp__x__save", {"output_path": "a", "target": "b"}, ["+b", "+a"]),
    ("mcp__x__save", {"files": [{"path": "a", "content": "x"}, {"path": "b"}]}, ["+a=", "+b"]),
    ("mcp__x__save", {"files": ["a", "b"]}, ["+a", "+b"]),
    ("mcp__x__save", {"paths": "a"}, ["+a"]),
    ("mcp__x__save", {"options": {"output": {"path": "a"}}}, ["+a"]),
    ("mcp__x__save", {"a": [[{"path": "a"}]]}, ["+a"]),
    ("mcp__x__save", {"path": 5}, ["+~"]),
    ("mcp__x__save", {"path": None}, []),
    ("mcp__x__save", {"path": "a", "content": 5}, ["+a~"]),
    ("mcp__x__append_text", {"path": "a", "text": "x"}, ["+a"]),
    ("mcp__x__append_data", {"path": "a", "data": "x"}, ["+a"]),
    ("mcp__x__get_file", {"path": "a"}, ["?a"]),
    ("mcp__x__readFile", {"path": "a"}, ["?a"]),
    ("mcp__x__searchAndReplace", {"path": "a"}, ["+a"]),
    ("mcp__x__find_and_delete", {"path": "a"}, ["-a"]),
    ("mcp__x__rm", {"path": "a"}, ["-a"]),
    ("mcp__x__frobnicate", {"path": "a"}, ["+a"]),
    ("mcp__x__rename", {"from": "a", "to": "b"}, ["+b", "-a"]),
    ("mcp__x__copy", {"source": "a", "destination": "b"}, ["+b", "?a"]),
    ("mcp__x__send_mail", {"from": "a@h", "to": "b@h", "body": "x"}, []),
    ("mcp__x__list", {"destination": "b"}, ["?b"]),
    ("mcp__x__exec", {"command": "rm a"}, ["!", "-a"]),
    ("mcp__x__exec", {"cmd": ["rm", "a"]}, ["!", "-a"]),
    ("mcp__x__exec", {"cmd": ["rm", 5]}, ["!~"]),
    ("mcp__x__exec", {"script": "rm a\nrm b"}, ["!", "-a", "-b"]),
    ("mcp__x__change", {"diff": UNIFIED}, ["+x="]),
    ("mcp__x__change", {"diff": "yes"}, []),
    ("mcp__x__edit_file", {"target": "a", "diff": UNIFIED}, ["+x=", "+a"]),
    ("mcp__read__write_it", {"path": "a"}, ["+a"]),
    ("mcp_a_b_c", {"path": "a"}, ["+a"]),
    ("mcp_", {"path": "a"}, ["+a"]),
    ("mcp__", {"path": "a"}, ["+a"]),
    ("unknown_tool", {"path": "a"}, ["+a"]),
    ("UnknownReader", {"file": "a"}, ["+a"]),
    ("view_image", {"path": "a"}, ["?a"]),
    ("mcp__x__save", {str(n): n for n in range(300)}, ["+~"]),
    ("mcp__x__save", {"a": {"b": {"c": {"d": {"e": {"path": "a"}}}}}}, ["+a"]),
    ("mcp__x__save", json.loads('{"a":' * 40 + '{"path": "a"}' + "}" * 40), ["+~"]),
    ("mcp__x__save", {"a": [{}] * 2000}, ["+~"]),
    ("mcp__x__save", {"a": [{"b": [{}] * 900}]}, ["+~"]),
    ("mcp__x__save", {}, []),
]


@pytest.mark.parametrize(
    ("tool", "given_input", "answer"),
    [pytest.param(*row, id=f"{row[0]} {at}") for at, row in enumerate(GUESSES)],
)
def test_an_unknown_tool_is_read_by_its_name_and_arguments(
    tool: str, given_input: dict[str, object], answer: list[str]
) -> None:
    assert told(tool, given_input) == answer


# Arguments that are missing or wrong. S2-065: no path, no opinion.
WRONG: list[tuple[str, dict[str, object], list[str]]] = [
    ("Write", {}, []),
    ("Write", {"content": "x"}, []),
    ("Write", {"file_path": None, "content": "x"}, []),
    ("Edit", {"old_string": "x", "new_string": "y"}, []),
    ("Bash", {}, []),
    ("Bash", {"command": None}, []),
    ("apply_patch", {}, []),
    ("apply_patch", {"patch": None}, []),
    ("Grep", {"pattern": "x"}, []),
    ("Write", {"file_path": 5, "content": "x"}, ["+~"]),
    ("Write", {"file_path": ["a"], "content": "x"}, ["+~"]),
    ("Write", {"file_path": "a", "content": 5}, ["+a~"]),
    ("Write", {"file_path": "a"}, ["+a"]),
    ("Write", {"file_path": "a", "content": "\ud800"}, ["+a~"]),
    ("Read", {"file_path": 5}, ["?~"]),
    ("read_many_files", {"paths": "a"}, ["?~"]),
    ("read_many_files", {"paths": ["a", 5]}, ["?~"]),
    ("Edit", {"file_path": "a", "old_string": 5, "new_string": "y"}, ["+a~"]),
    ("MultiEdit", {"file_path": "a", "edits": "x"}, ["+a~"]),
    ("MultiEdit", {"file_path": "a", "edits": ["x"]}, ["+a~"]),
    ("MultiEdit", {"file_path": "a", "edits": None}, ["+a"]),
    ("MultiEdit", {"file_path": "a", "edits": [{"x": 1}] * 3}, ["+a"]),
    ("MultiEdit", {"file_path": "a", "edits": [{}] * 2000}, ["+a~"]),
    ("NotebookEdit", {"notebook_path": "n", "cell_number": "x"}, ["+n~"]),
    ("Bash", {"command": 5}, ["!~"]),
    ("Bash", {"command": {"x": 1}}, ["!~"]),
    ("shell", {"command": ["rm", 5]}, ["!~"]),
    ("shell", {"command": "rm a", "workdir": 5}, ["!~", "!", "-a"]),
    ("apply_patch", {"patch": 5}, ["+~"]),
    ("apply_patch", {"patch": "\ud800"}, ["+~"]),
    ("write_stdin", {"chars": 5}, ["!~", "!~"]),
    ("powershell", {}, []),
]


@pytest.mark.parametrize(
    ("tool", "given_input", "answer"),
    [pytest.param(*row, id=f"{row[0]} {at}") for at, row in enumerate(WRONG)],
)
def test_a_missing_argument_is_silent_and_a_wrong_one_is_unclear(
    tool: str, given_input: dict[str, object], answer: list[str]
) -> None:
    assert told(tool, given_input) == answer


def test_arguments_that_are_no_object_are_unclear() -> None:
    (intent,) = intents("Write", ["x"], cwd="/p")  # type: ignore[arg-type]
    assert (intent.action, intent.path, bool(intent.unclear)) == (Action.WRITE, None, True)
    (intent,) = intents("Bash", None, cwd="/p")  # type: ignore[arg-type]
    assert intent.action is Action.RUN
    (intent,) = intents("Read", 5, cwd="/p")  # type: ignore[arg-type]
    assert intent.action is Action.READ


# An argument that the real tool ignores must not change what we see of those it takes.
DECOYS: list[tuple[str, dict[str, object], str]] = [
    ("Write", {"file_path": ".env", "content": "x", "path": 5}, "+.env="),
    ("Write", {"file_path": ".env", "content": "x", "path": "ok"}, "+.env="),
    ("Write", {"file_path": ".env", "content": "x", "command": "view"}, "+.env="),
    ("Write", {"file_path": ".env", "content": "x", "append": True}, "+.env="),
    ("Write", {"file_path": ".env", "content": "x", "text": "y"}, "+.env~"),
    ("Write", {"file_path": ".env", "content": "x", "dry_run": True}, "+.env="),
    ("Bash", {"command": "rm .env", "cwd": "/tmp"}, "-.env"),
    ("Bash", {"command": "rm .env", "cmd": 5}, "-.env"),
    ("Bash", {"command": "ls", "cmd": "rm .env"}, "-.env"),
    ("shell", {"command": "rm .env", "action": {"command": "ls"}}, "-.env"),
    ("apply_patch", {"patch": UNIFIED.replace("x", ".env"), "input": 5}, "+.env="),
]


@pytest.mark.parametrize(("tool", "given_input", "expected"), DECOYS)
def test_a_decoy_argument_hides_nothing(
    tool: str, given_input: dict[str, object], expected: str
) -> None:
    assert expected in told(tool, given_input)


def test_a_decoy_does_not_make_an_edit_that_fits_into_one_that_does_not() -> None:
    pair = {"file_path": "a", "old_string": "x", "new_string": ""}
    for decoy in (
        {"edits": [{"old_string": "zzz", "new_string": ""}]},
        {"expected_replacements": 7},
        {"diff": BLOCKS},
        {"content": "y"},
    ):
        (intent,) = intents("Edit", {**pair, **decoy}, cwd="/p")
        assert resulting(intent, b"x\n") == b"\n"


def test_paths_stand_where_the_call_or_the_command_puts_them() -> None:
    (intent,) = intents("Write", {"file_path": "a", "content": ""}, cwd="/p")
    assert intent.base == "/p"
    run, target = intents("run_shell_command", {"command": "rm a", "directory": "d"}, cwd="/p")
    assert (run.base, target.base, target.by) == ("/p/d", "/p/d", "rm")
    _, target = intents("Bash", {"command": "cd d && rm -r a"}, cwd="/p")
    assert (target.base, target.tree) == ("/p/d", True)
    _, _, inside, _ = intents("Bash", {"command": "cp a b"}, cwd="/p")
    assert (inside.path, inside.within) == ("b/a", "b")


def test_a_command_run_carries_its_leaves_and_its_doubts() -> None:
    run, *_ = intents("Bash", {"command": "ls && rm $X"}, cwd="/p")
    assert run.leaves == ("ls", "rm $X")
    assert "only known when it runs" in run.unclear
    assert not run.excessive
    run, *_ = intents("Bash", {"command": "a;" * 100_000}, cwd="/p")
    assert run.excessive


def test_a_call_that_names_too_many_files_says_so() -> None:
    paths = [f"f{n}" for n in range(900)]
    found = intents("mcp__x__save", {"paths": paths, "files": paths[::-1] + ["x"] * 99}, cwd="/p")
    assert len(found) == 901
    patch = "*** Begin Patch\n" + "".join(f"*** Delete File: f{n}\n" for n in range(2_000))
    found = intents("apply_patch", {"patch": patch + "*** End Patch"}, cwd="/p")
    assert len(found) == 1_001
    assert found[-1].excessive
    assert found[-1].unclear


# What the edits make of a file

EDITS: list[tuple[str, dict[str, object], bytes | None, bytes | str | None]] = [
    ("Write", {"content": "é\n"}, b"x", "é\n".encode()),
    ("Write", {"content": ""}, None, b""),
    ("Edit", {"old_string": "b", "new_string": "B"}, b"a\nb\nc\n", b"a\nB\nc\n"),
    ("Edit", {"old_string": "b\n", "new_string": ""}, b"a\nb\nc\n", b"a\nc\n"),
    ("Edit", {"old_string": "a", "new_string": "x", "replace_all": True}, b"a a a", b"x x x"),
    ("Edit", {"old_string": "a", "new_string": "x", "replace_all": "true"}, b"a a", b"x x"),
    ("Edit", {"old_string": "", "new_string": "x"}, None, b"x"),
    ("Edit", {"old_string": "", "new_string": "x"}, b"", b"x"),
    ("Edit", {"old_string": "", "new_string": "x"}, b"y", "the file already exists"),
    ("Edit", {"old_string": "z", "new_string": "x"}, b"y", "`z` is not in the file"),
    ("Edit", {"old_string": "z\ny", "new_string": "x"}, b"y", "`z...` is not in the file"),
    ("Edit", {"old_string": "y", "new_string": "x"}, b"y y", "2 times"),
    ("Edit", {"old_string": "y", "new_string": "x"}, None, "does not exist"),
    ("Edit", {"old_string": "é", "new_string": "e"}, b"\xff\xc3\xa9", b"\xffe"),
    ("Edit", {"old_string": "a\nb", "new_string": "x\ny"}, b"a\r\nb\r\n", b"x\r\ny\r\n"),
    ("Edit", {"old_string": "a", "new_string": "x\ny"}, b"a\r\nb\r\n", b"x\r\ny\r\nb\r\n"),
    (
        "Edit",
        {"old_string": "a", "new_string": "\ud800"},
        b"a",
        "a lone surrogate \\(half a character\\)",
    ),
    (
        "MultiEdit",
        {"edits": [{"old_string": "a", "new_string": "b"}, {"old_string": "b", "new_string": "c"}]},
        b"a",
        b"c",
    ),
    (
        "MultiEdit",
        {"edits": [{"old_string": "", "new_string": "b"}, {"old_string": "b", "new_string": "c"}]},
        None,
        b"c",
    ),
    ("replace", {"old_string": "a", "new_string": "b", "expected_replacements": 2}, b"aa", b"bb"),
    (
        "replace",
        {"old_string": "a", "new_string": "b", "expected_replacements": 3},
        b"aa",
        "2 times",
    ),
    ("replace", {"old_string": "a", "new_string": "b", "allow_multiple": True}, b"aa", b"bb"),
    ("replace_in_file", {"diff": BLOCKS + BLOCKS.replace("a\n", "c\n")}, b"a\nc\n", b"b\nb\n"),
    ("replace_in_file", {"diff": BLOCKS.replace("\n", "\r\n")}, b"a\r\n", b"b\r\n"),
    ("insert", {"insert_line": 0, "new_str": "x"}, b"a\n", b"x\na\n"),
    ("insert", {"insert_line": 1, "new_str": "x\n"}, b"a\nb", b"a\nx\nb"),
    ("insert", {"insert_line": 2, "new_str": "x"}, b"a\nb", b"a\nb\nx"),
    ("insert", {"insert_line": 9, "new_str": "x"}, b"a\n", "no line 9"),
    ("insert", {"insert_line": 0, "new_str": "x"}, None, b"x"),
    ("fs_append", {"text": "x"}, b"a\n", b"a\nx"),
    ("fs_append", {"text": "x"}, b"a", b"a\nx"),
    ("Delete", {}, b"a", None),
]


@pytest.mark.parametrize(
    ("tool", "given_input", "before", "after"),
    [pytest.param(*row, id=f"{row[0]} {at}") for at, row in enumerate(EDITS)],
)
def test_an_edit_gives_the_bytes_that_the_tool_would_write(
    tool: str, given_input: dict[str, object], before: bytes | None, after: bytes | str | None
) -> None:
    (intent,) = intents(tool, {"file_path": "f", **given_input}, cwd="/p")
    if isinstance(after, str):
        with pytest.raises(InputError, match=after) as caught:
            resulting(intent, before)
        assert caught.value.code in ("edit-does-not-fit", "bad-tool-input")
    else:
        assert resulting(intent, before) == after


def test_a_content_that_nobody_tells_cannot_be_made() -> None:
    _, target = intents("Bash", {"command": "echo > a"}, cwd="/p")
    with pytest.raises(InputError) as caught:
        resulting(target, b"")
    assert caught.value.code == "content-unknown"


def test_a_patch_gives_each_file_its_content() -> None:
    added, moved, gone, deleted = intents("apply_patch", {"patch": ENVELOPE}, cwd="/p")
    assert resulting(added, None) == b"x\n"
    assert moved.source == "b"
    assert isinstance(moved.edit, ApplyPatch)
    assert resulting(moved, b"x\n") == b"y\n"
    assert resulting(gone, b"x\n") is None
    assert resulting(deleted, b"x\n") is None
    (changed,) = intents("apply_patch", {"patch": UNIFIED}, cwd="/p")
    with pytest.raises(InputError):
        resulting(changed, b"something else\n")


# Notebooks, as Claude Code 2.1.325 wrote them in a recorded session

RECORDED = (
    '{"cells": [{"cell_type": "code", "id": "c1", "metadata": {}, "outputs": [], '
    '"execution_count": null, "source": ["x=1"]}], "metadata": {"language_info": {"name": '
    '"python"}}, "nbformat": 4, "nbformat_minor": 5}'
)
WRITTEN = (
    '{\n "cells": [\n  {\n   "cell_type": "code",\n   "id": "c1",\n   "metadata": {},\n   '
    '"outputs": [],\n   "execution_count": null,\n   "source": "x=2"\n  }\n ],\n "metadata": '
    '{\n  "language_info": {\n   "name": "python"\n  }\n },\n "nbformat": 4,\n '
    '"nbformat_minor": 5\n}'
)


def cell_edit(**given_input: object) -> Intent:
    (intent,) = intents("NotebookEdit", {"notebook_path": "n.ipynb", **given_input}, cwd="/p")
    return intent


def test_a_notebook_is_written_as_the_recorded_session_wrote_it() -> None:
    intent = cell_edit(cell_id="c1", new_source="x=2", edit_mode="replace")
    assert resulting(intent, RECORDED.encode()) == WRITTEN.encode()


def cells_after(before: str = RECORDED, **given_input: object) -> list[dict[str, object]]:
    after = resulting(cell_edit(**given_input), before.encode())
    assert after is not None
    cells = json.loads(after)["cells"]
    assert isinstance(cells, list)
    return cells


def test_a_cell_is_found_by_id_by_place_and_by_number() -> None:
    for where in ({"cell_id": "c1"}, {"cell_id": "cell-0"}, {"cell_number": 0}):
        assert cells_after(new_source="y", **where)[0]["source"] == "y"


def test_a_cell_is_inserted_behind_another_or_in_front() -> None:
    behind = cells_after(cell_id="c1", new_source="é", cell_type="markdown", edit_mode="insert")
    assert [cell["source"] for cell in behind] == [["x=1"], "é"]
    assert "outputs" not in behind[1]
    front = cells_after(new_source="y", cell_type="code", edit_mode="insert")
    assert [cell["source"] for cell in front] == ["y", ["x=1"]]
    assert front[0]["outputs"] == []
    assert "id" in front[0]
    old = RECORDED.replace('"nbformat_minor": 5', '"nbformat_minor": 4')
    assert "id" not in cells_after(old, new_source="y", edit_mode="insert")[0]


def test_a_replaced_cell_forgets_its_output_and_may_change_its_type() -> None:
    used = RECORDED.replace('"outputs": []', '"outputs": [1]').replace("null", "1.0")
    (cell,) = cells_after(used, cell_id="c1", new_source="y", cell_type="markdown")
    assert (cell["outputs"], cell["execution_count"], cell["cell_type"]) == ([], None, "markdown")
    plain = RECORDED.replace('"code"', '"markdown"').replace("null", "1.5")
    (cell,) = cells_after(plain, cell_id="c1", new_source="y")
    assert cell["execution_count"] == 1.5
    assert len(cells_after(cell_id="cell-1", new_source="y")) == 2, "behind the last it is new"


def test_a_cell_is_deleted() -> None:
    assert cells_after(cell_id="c1", edit_mode="delete") == []


@pytest.mark.parametrize(
    ("before", "given_input"),
    [
        (b"", {"cell_id": "c1"}),
        (b"{", {"cell_id": "c1"}),
        (b"[]", {"cell_id": "c1"}),
        (b'{"cells": 5}', {"cell_id": "c1"}),
        (b'{"cells": [5]}', {"cell_id": "c1"}),
        (b"[" * 100_000, {"cell_id": "c1"}),
        (None, {"cell_id": "c1"}),
        (RECORDED.encode(), {}),
        (RECORDED.encode(), {"cell_id": "zzz"}),
        (RECORDED.encode(), {"cell_id": "cell-7"}),
        (RECORDED.encode(), {"cell_number": -1}),
        (RECORDED.encode(), {"cell_id": "cell-1", "edit_mode": "delete"}),
    ],
)
def test_a_broken_notebook_or_a_missing_cell_is_an_edit_that_does_not_fit(
    before: bytes | None, given_input: dict[str, object]
) -> None:
    with pytest.raises(InputError) as caught:
        resulting(cell_edit(new_source="y", **given_input), before)
    assert caught.value.code == "edit-does-not-fit"


def test_the_edits_are_values_that_others_can_make() -> None:
    for edit, after in (
        (Whole(content=b"x"), b"x"),
        (Swaps(swaps=(Swap(old="a", new="b"),)), b"b"),
        (InsertLines(text="b"), b"a\nb"),
    ):
        assert resulting(Intent(action=Action.WRITE, path="f", edit=edit), b"a") == after
    assert NotebookCell(source="x").mode == "replace"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20) | st.floats(allow_nan=False),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4)
    ),
    max_leaves=12,
)
KEYS = st.sampled_from(
    [
        *("file_path", "path", "content", "old_string", "new_string", "edits", "command", "cmd"),
        *("patch", "input", "notebook_path", "cell_id", "cell_number", "edit_mode", "paths", "uri"),
        *("files", "source", "destination", "workdir", "diff", "action", "replace_all", "from"),
    ]
)
NAMES = st.sampled_from(
    [
        *("Write", "Edit", "MultiEdit", "NotebookEdit", "Bash", "apply_patch", "shell", "replace"),
        *("mcp__a__b", "mcp_a_b", "MCP:x", "@a/b", "read_file", "fs_write", "insert", "move_file"),
        *("pre_mcp_tool_use", "write_stdin", "copy_file", "delete_thing", "str_replace_editor"),
    ]
)


@given(tool=NAMES | st.text(max_size=20), given_input=st.dictionaries(KEYS, JSON, max_size=6))
@settings(max_examples=400, deadline=None)
def test_any_call_becomes_intents_and_any_edit_fits_or_says_why(
    tool: str, given_input: dict[str, object]
) -> None:
    found = intents(tool, given_input, cwd="/p")
    assert found == intents(tool, given_input, cwd="/p")
    for intent in found:
        for before in (None, b"", b"a\n", RECORDED.encode()):
            with suppress(InputError):
                resulting(intent, before)


def test_a_file_editor_that_renames_writes_one_name_and_deletes_the_other() -> None:
    for source in ("path", "old_path"):
        given = {"command": "rename", source: "a.py", "new_path": ".env"}
        found = intents("str_replace_based_edit_tool", given, cwd="/p")
        assert [(one.action, one.path) for one in found] == [
            (Action.WRITE, ".env"),
            (Action.DELETE, "a.py"),
        ]


def test_a_tool_that_deletes_takes_along_what_is_in_a_directory() -> None:
    for tool in ("delete", "delete_file", "file_delete"):
        (found,) = intents(tool, {"file_path": "conf"}, cwd="/p")
        assert (found.action, found.path, found.tree) == (Action.DELETE, "conf", True)

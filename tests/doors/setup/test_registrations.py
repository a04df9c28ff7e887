"""Settings files of agents: what is put into them, what is found in them, what is taken out."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.errors import InputError
from penstock.doors.hook.agents import NAMES, agent_module
from penstock.doors.setup import json_splice, registrations, scopes
from penstock.doors.setup.entries import OURS, is_ours, places, with_entries, without_entries
from penstock.doors.setup.unseen_reads import UNSEEN_READS
from penstock.stores.files.workspace import DiskFiles

VALUE = {
    "matcher": "W",
    "hooks": [{"type": "command", "command": "/p -I -S /x/penstock/hook.py a"}],
}
AT = ("hooks", "PreToolUse")

# JSON texts

TEXTS = [
    "",
    "{}",
    "{}\n",
    "\ufeff{}\n",
    '{"a":{}}',
    '{"a": {}}',
    '{"hooks":{}}',
    '{"hooks": {"PreToolUse": []}}',
    '{\n  "hooks": {\n    "PreToolUse": []\n  }\n}\n',
    '{\n\t"a": 1\n}',
    '{\r\n    "a": [1,\r\n2]\r\n}\r\n',
    '{"a": "hooks", "hooks": {"Stop": [1]}, "b": "\\"hooks\\": {"}',
    '{"hooks": 1, "hooks": {"PreToolUse": [{"x": "}"}]}}',
    ' \n { "hooks" : { "PreToolUse" : [ { "x" : [ ] } ] } } \n',
]


@pytest.mark.parametrize("text", TEXTS)
def test_a_value_is_added_and_nothing_else_changes(text: str) -> None:
    before = json.loads(text.removeprefix("\ufeff")) if text.strip("\ufeff \n") else {}
    after = json.loads(json_splice.added(text, AT, VALUE).removeprefix("\ufeff"))
    before.setdefault("hooks", {}).setdefault("PreToolUse", []).append(VALUE)
    assert after == before


@pytest.mark.parametrize("text", TEXTS)
def test_what_stood_in_a_file_still_stands_there_character_by_character(text: str) -> None:
    """Taking the new characters out gives the old text: nothing was written anew."""
    after = iter(json_splice.added(text, AT, VALUE))
    assert all(char in after for char in text)


def test_the_indentation_and_the_line_ends_of_a_file_are_kept() -> None:
    text = '{\r\n\t"a": 1\r\n}\r\n'
    added = json_splice.added(text, AT, {"x": 1})
    assert added == (
        '{\r\n\t"a": 1,\r\n\t"hooks": {\r\n\t\t"PreToolUse": [\r\n\t\t\t{\r\n\t\t\t\t"x": 1\r\n'
        "\t\t\t}\r\n\t\t]\r\n\t}\r\n}\r\n"
    )


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=10,
)
DOCUMENTS = st.dictionaries(st.text(max_size=6), JSON, max_size=4).map(
    lambda document: {key: value for key, value in document.items() if key != "hooks"}
)
INDENTS = st.sampled_from([None, 0, 1, 2, 4, "\t"])


@given(DOCUMENTS, st.lists(JSON, max_size=3), INDENTS, st.booleans())
@settings(max_examples=200, deadline=None)
def test_any_document_gets_and_loses_a_value(
    document: dict[str, Any], others: list[Any], indent: int | str | None, ascii_only: bool
) -> None:
    document = {**document, "hooks": {"PreToolUse": others}} if others else document
    text = json.dumps(document, indent=indent, ensure_ascii=ascii_only)
    added = json_splice.added(text, AT, VALUE)
    assert json.loads(added)["hooks"]["PreToolUse"] == [*others, VALUE]
    removed = json_splice.removed(added, (*AT, len(others)))
    assert json.loads(removed)["hooks"]["PreToolUse"] == others
    if others:
        assert removed == text


@given(st.lists(JSON, min_size=1, max_size=4), st.integers(0, 3), INDENTS)
@settings(max_examples=100, deadline=None)
def test_a_member_is_removed_or_replaced_wherever_it_stands(
    values: list[Any], at: int, indent: int | str | None
) -> None:
    at %= len(values)
    text = json.dumps({"a": values}, indent=indent)
    assert json.loads(json_splice.removed(text, ("a", at)))["a"] == values[:at] + values[at + 1 :]
    swapped = json.loads(json_splice.replaced(text, ("a", at), VALUE))["a"]
    assert swapped == [*values[:at], VALUE, *values[at + 1 :]]


@given(st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
@settings(max_examples=200, deadline=None)
def test_whatever_a_file_holds_it_is_read_or_refused(data: bytes) -> None:
    with suppress(InputError):
        after = with_entries([{"file": "x.json", "at": AT, "add": VALUE}], data, "x.json")
        assert json.loads(after.decode("utf-8-sig"))["hooks"]["PreToolUse"][-1] == VALUE


def test_a_deep_file_is_refused() -> None:
    with pytest.raises(InputError) as caught:
        json_splice.read(b"[" * 100_000, "x.json")
    assert caught.value.code == "settings-not-json"


# Entries

ENTRY = {"file": "s.json", "at": list(AT), "add": VALUE}


def test_an_entry_is_there_once_however_often_it_is_added() -> None:
    once = with_entries([ENTRY], None, "s.json")
    assert with_entries([ENTRY], once, "s.json") == once


def test_our_command_in_somebody_elses_group_is_found_and_taken_out_alone() -> None:
    ours, other = VALUE["hooks"][0], {"type": "command", "command": "lint"}
    document = {"hooks": {"PreToolUse": [{"matcher": "W", "hooks": [other, ours]}]}}
    data = json.dumps(document).encode()
    assert list(places(document)) == [("hooks", "PreToolUse", 0, "hooks", 1)]
    left = json.loads(without_entries(data, "s.json"))
    assert left == {"hooks": {"PreToolUse": [{"matcher": "W", "hooks": [other]}]}}


@pytest.mark.parametrize(
    ("value", "ours"),
    [
        (VALUE, True),
        ({"command": "/usr/bin/python -I -S /v/penstock/hook.py cursor"}, True),
        ({"type": "http", "url": "http://127.0.0.1:7717/hook/claude"}, True),
        ({"action": {"type": "command", "command": "/p /v/penstock/hook.py kiro"}}, True),
        ({"command": "echo penstock"}, False),
        ({"url": "http://127.0.0.1:7717/other"}, False),
        ({"hooks": []}, False),
        ([VALUE], False),
        (None, False),
    ],
)
def test_what_is_ours_is_known_by_what_it_runs(value: object, ours: bool) -> None:
    assert is_ours(value) is ours


def test_lists_that_were_empty_before_stay_and_those_we_made_go() -> None:
    before = b'{"hooks": {"Stop": []}}'
    added = with_entries([ENTRY], before, "s.json")
    assert json.loads(without_entries(added, "s.json", keep=before)) == {"hooks": {"Stop": []}}
    alone = with_entries([ENTRY], None, "s.json")
    assert json.loads(without_entries(alone, "s.json")) == {}


def test_a_file_of_somebody_else_under_our_name_is_refused() -> None:
    entry = {"file": "PreToolUse", "text": f"# {OURS}\n"}
    with pytest.raises(InputError) as caught:
        with_entries([entry], b"#!/bin/sh\nmine\n", "PreToolUse")
    assert caught.value.code == "not-ours"
    assert (
        with_entries([entry], f"# {OURS}, older\n".encode(), "PreToolUse") == entry["text"].encode()
    )


# Commands


def test_the_command_is_quoted_for_a_shell(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    python = tmp_path / "my venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.symlink_to(os.path.realpath(sys.executable))
    monkeypatch.setattr(sys, "executable", str(python))
    words = shlex.split(scopes.hook_command("claude"))
    assert words[0] == str(python)  # not what it points to: that may go away with an upgrade
    assert words[1:3] == ["-I", "-S"]
    assert os.path.basename(words[3]) == "hook.py"
    assert words[4:] == ["claude"]
    assert shlex.split(scopes.hook_command("claude", closed=True))[4:] == [
        "claude",
        "closed",
    ]


def test_a_shim_is_never_registered(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    shim = tmp_path / "python"
    shim.write_text("#!/bin/sh\nexec pyenv exec python\n")
    monkeypatch.setattr(sys, "executable", str(shim))
    assert scopes.interpreter() != str(shim)
    assert os.path.isabs(scopes.interpreter())


# Whole projects


def everything(root: Path) -> dict[str, tuple[bytes, int]]:
    found = {}
    for file in root.rglob("*"):
        data = file.read_bytes() if file.is_file() else b""
        found[str(file.relative_to(root))] = (data, file.stat().st_mode)
    return found


@pytest.mark.parametrize("agent", NAMES)
@pytest.mark.parametrize("strict", [False, True])
def test_each_agent_is_registered_found_and_taken_out(
    agent: str, strict: bool, tmp_path: Path
) -> None:
    files = DiskFiles(str(tmp_path))
    entries = agent_module(agent).registration(scopes.hook_command(agent), strict=strict)
    steps = registrations.plan_adding(files, entries)
    registrations.carry_out(files, steps)
    found = list(registrations.find(str(tmp_path)))
    assert {one.agent for one in found} == {agent}
    assert all("/penstock/hook.py" in one.runs for one in found)
    assert not any(step.changes for step in registrations.plan_adding(files, entries))
    back = registrations.plan_removing(files, {}, scopes.project_files())
    registrations.carry_out(files, back)
    assert list(registrations.find(str(tmp_path))) == []


def test_what_cline_runs_is_executable(tmp_path: Path) -> None:
    files = DiskFiles(str(tmp_path))
    entries = agent_module("cline").registration(scopes.hook_command("cline"), strict=False)
    registrations.carry_out(files, registrations.plan_adding(files, entries))
    assert os.access(tmp_path / ".clinerules/hooks/PreToolUse", os.X_OK)


def test_one_bad_file_means_that_none_is_written(tmp_path: Path) -> None:
    (tmp_path / ".gemini").mkdir()
    (tmp_path / ".gemini/settings.json").write_text("{ // comment\n}")
    was = everything(tmp_path)
    files = DiskFiles(str(tmp_path))
    entries = [
        entry
        for agent in ("claude", "gemini")
        for entry in agent_module(agent).registration("x", strict=False)
    ]
    with pytest.raises(InputError):
        registrations.carry_out(files, registrations.plan_adding(files, entries))
    assert everything(tmp_path) == was


def test_an_unknown_agent_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        agent_module("../x")
    assert caught.value.code == "unknown-agent"


@pytest.mark.parametrize(
    ("agent", "event", "tools"),
    [
        ("claude", "PreToolUse", ["Read", "Grep", "Glob", "Write", "Edit", "Bash", "mcp__x__y"]),
        ("gemini", "BeforeTool", ["read_file", "read_many_files", "search_file_content"]),
        ("qwen", "PreToolUse", ["read_file", "grep_search", "write_file"]),
    ],
)
def test_the_read_tools_are_registered_before_they_run(
    agent: str, event: str, tools: list[str]
) -> None:
    entries = agent_module(agent).registration("hook", strict=False)
    matchers = {entry["at"][-1]: entry["add"].get("matcher", "") for entry in entries}
    assert all(re.search(f"^(?:{matchers[event]})$", tool) for tool in tools)
    after = [text for name, text in matchers.items() if name in ("PostToolUse", "AfterTool")]
    assert not any(re.search(f"^(?:{text})$", tools[0]) for text in after)


def test_every_agent_says_which_reads_no_hook_is_asked_about() -> None:
    assert set(UNSEEN_READS) == set(NAMES)

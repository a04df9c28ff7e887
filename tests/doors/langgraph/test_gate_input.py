"""What else can come in: hostile paths and contents, old and broken states, wrong settings."""

from __future__ import annotations

import copy
import json
import logging
import os
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from penstock.app import open_workspace
from penstock.core.errors import PenstockError
from penstock.doors.langgraph.config import config_of
from penstock.langgraph import (
    GateConfig,
    WriteClassification,
    classify_write,
    generate_diff_preview,
    requires_approval,
    safe_file_write_gate,
    show_deletion_summary,
)
from tests.doors.langgraph.conftest import Typing
from tests.doors.langgraph.scene import REPLACEMENT, STATE, Scene, numbered, pending

# --- paths ------------------------------------------------------------------------------------

PATHS: list[tuple[str, object]] = [
    ("climbs out", "../outside.py"),
    ("climbs out later", "sub/../../outside.py"),
    ("is absolute and elsewhere", "/etc/hostname"),
    ("is a sibling with the same beginning", "../project-2/a.py"),
    ("leads out by a link to a directory", "out/a.py"),
    ("leads out by a link to a file", "passwd"),
    ("leads out by a link that dangles", "dangling"),
    ("leads in a circle", "circle"),
    ("is empty", ""),
    ("is the project", "."),
    ("is a directory", "folder"),
    ("ends like a directory", "folder/new/"),
    ("is below a file", "file.py/a.py"),
    ("is a pipe", "pipe"),
    ("has a NUL", "a\0.py"),
    ("has a line feed", "a\nb.py"),
    ("is no text", "a\udc80.py"),
    ("is too long", "x" * 5000),
    ("has a name that is too long", "y" * 300),
    ("is missing", None),
    ("is a number", 5),
    ("is a list", ["a.py"]),
    ("is bytes", b"a.py"),
]


@pytest.mark.parametrize("path", [row[1] for row in PATHS], ids=[row[0] for row in PATHS])
def test_a_path_that_leads_to_no_file_of_the_project_is_refused(
    scene: Scene, path: object, capsys: pytest.CaptureFixture[str]
) -> None:
    """S0-075, S0-080, A15: before anything is read; the workflow goes on, and it is told."""
    outside = scene.tmp / "outside"
    outside.mkdir()
    (outside / "secret").write_text("hush\n")
    for name, to in (
        ("out", outside),
        ("passwd", outside / "secret"),
        ("dangling", outside / "new"),
        ("circle", "circle"),
    ):
        (scene.root / name).symlink_to(to)
    (scene.root / "folder").mkdir()
    scene.write("file.py", "x\n")
    os.mkfifo(scene.root / "pipe")
    state: Any = [{"target_path": path, "new_content": "x\n"}, {"target_path": "ok.py"}]
    state[1]["new_content"] = "fine\n"
    done = safe_file_write_gate({"pending_writes": state})
    assert [one["request"]["target_path"] for one in done["approved_writes"]] == ["ok.py"]
    (refused,) = done["rejected_writes"]
    assert refused["outcome"] == "blocked"
    assert "hush" not in refused["reason"]
    assert refused["reason"] in capsys.readouterr().err
    assert json.loads(json.dumps(done)) == done
    assert sorted(os.listdir(outside)) == ["secret"]
    if path == "file.py/a.py":  # nothing is there, and nothing can be: only writing finds out
        return
    hostile: Any = path
    for call in (classify_write, generate_diff_preview):
        with pytest.raises(PenstockError):
            call(hostile, "x\n")


def test_a_link_inside_the_project_is_judged_by_both_names(scene: Scene) -> None:
    scene.write("real.py", "old\n")
    (scene.root / "alias.py").symlink_to("real.py")
    (scene.root / "innocent.txt").symlink_to(".env")
    scene.write(".env", "TOKEN=1\n")
    done = scene.gate(("alias.py", "new\n"), ("innocent.txt", "TOKEN=2\n"))
    assert scene.read("real.py") == "new\n"
    assert (scene.root / "alias.py").is_symlink()
    assert scene.read(".env") == "TOKEN=1\n"
    assert ".env" in done["rejected_writes"][0]["reason"]


def test_absolute_paths_and_other_spellings_of_the_project_are_understood(scene: Scene) -> None:
    (scene.tmp / "alias").symlink_to(scene.root)
    scene.gate(
        (str(scene.root / "a.py"), "a\n"),
        ("./sub/../b.py", "b\n"),
        (str(scene.tmp / "alias" / "c.py"), "c\n"),
    )
    assert [scene.read(name) for name in ("a.py", "b.py", "c.py")] == ["a\n", "b\n", "c\n"]
    as_path: Any = scene.root / "a.py"
    assert classify_write(as_path, "a\n")["target_path"] == str(as_path)


def test_the_state_names_the_project(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(scene.tmp)
    done = scene.gate(("a.py", "x\n"), project_root=str(scene.root))
    assert scene.read("a.py") == "x\n"
    assert done["rejected_writes"] == []
    for wrong in ("/nowhere/at/all", 7, "a\0b", str(scene.root / "a.py")):
        refused = scene.gate(("b.py", "x\n"), project_root=wrong)
        assert len(refused["rejected_writes"]) == 1
        assert refused["approved_writes"] == []


# --- contents -----------------------------------------------------------------------------------


@pytest.mark.parametrize("content", [None, 5, b"x", ["x"], "half \ud800"], ids=repr)
def test_content_that_is_no_text_is_refused(scene: Scene, content: object) -> None:
    state: Any = {"pending_writes": [{"target_path": "a.py", "new_content": content}]}
    done = safe_file_write_gate(state)
    assert len(done["rejected_writes"]) == 1
    assert not (scene.root / "a.py").exists()
    json.dumps(done).encode()


@pytest.mark.parametrize(
    "existing",
    [b"\x00\x01" * 500, b"\xff\xfe" * 500, b"caf\xe9\n" * 300, "wide\n".encode("utf-16") * 90],
    ids=["NUL", "undecodable", "latin-1", "UTF-16"],
)
def test_a_file_that_is_no_text_is_left_alone(scene: Scene, existing: bytes) -> None:
    """A16: nobody could see what would be lost."""
    scene.write("data.bin", existing)
    done = scene.gate(("data.bin", "text\n"))
    assert (scene.root / "data.bin").read_bytes() == existing
    assert "not text" in done["rejected_writes"][0]["reason"]
    with pytest.raises(PenstockError):
        classify_write("data.bin", "text\n")


def test_what_becomes_binary_is_measured_by_its_bytes(scene: Scene) -> None:
    """A NUL cannot hide a rewrite: lines cannot be compared any more, bytes can."""
    scene.write("a.py", STATE)
    done = scene.gate(("a.py", f"{REPLACEMENT}\0"), auto_mode=True)
    assert done["rejected_writes"][0]["outcome"] == "blocked"
    assert scene.read("a.py") == STATE
    scene.gate(("a.py", f"{STATE}\0"), auto_mode=True)
    assert scene.read("a.py") == f"{STATE}\0"


@pytest.mark.parametrize(
    "text", ["", "a", "a\r\nb\r\n", "\ufeffa\n", "a\fb\u2028c\n", "тест\n", "x" * 100_000], ids=len
)
def test_content_passes_through_unchanged(scene: Scene, text: str) -> None:
    """S0-076."""
    done = scene.gate(("a.txt", text))
    assert (scene.root / "a.txt").read_bytes() == text.encode()
    assert done["approved_writes"][0]["request"]["new_content"] == text


def test_line_ends_alone_are_no_change(scene: Scene) -> None:
    """S0-071, A17."""
    scene.write("a.py", STATE)
    other = STATE.replace("\n", "\r\n")
    request = classify_write("a.py", other)
    assert (request["lines_deleted"], request["lines_added"]) == (0, 0)
    assert request["classification"] is WriteClassification.MODIFY
    assert generate_diff_preview("a.py", other) == ""
    scene.write("mac.txt", "a\rb\rc\r")
    assert classify_write("mac.txt", "a\nb\nc\n")["lines_deleted"] == 0
    scene.write("odd.txt", "a\u2028b\n")
    assert classify_write("odd.txt", "x\n")["existing_lines"] == 1


def test_repeated_lines_are_counted_exactly(scene: Scene) -> None:
    """A4: two lines before 300 that repeat lose nothing."""
    body = "    return None\n" * 300
    scene.write("a.py", body)
    request = classify_write("a.py", f"one\ntwo\n{body}")
    assert (request["lines_deleted"], request["lines_added"]) == (0, 2)


def test_an_empty_file_needs_no_approval(scene: Scene) -> None:
    """S0-047."""
    scene.write("a.py", "")
    request = classify_write("a.py", numbered(500))
    assert (request["change_ratio"], request["existing_lines"]) == (0.0, 0)
    assert not requires_approval(request, line_threshold=0)


# --- state ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "state",
    [
        {},
        {"pending_writes": None},
        {"pending_writes": [], "approved_writes": None, "rejected_writes": None},
        {"task": "older state", "auto_mode": True},
    ],
    ids=str,
)
def test_a_state_without_the_fields_works(scene: Scene, state: Any) -> None:
    """S0-009."""
    done = safe_file_write_gate(state)
    assert (done["pending_writes"], done["approved_writes"], done["rejected_writes"]) == (
        [],
        [],
        [],
    )
    assert {**done, **state}.get("task") == state.get("task")


@pytest.mark.parametrize("write", ["a.py", 5, None, [], ["a.py", "x"]], ids=repr)
def test_a_write_that_is_none_is_refused_and_the_others_are_made(
    scene: Scene, write: object
) -> None:
    state: Any = {"pending_writes": [write, {"target_path": "ok.py", "new_content": "x\n"}]}
    done = safe_file_write_gate(state)
    assert len(done["rejected_writes"]) == 1
    assert scene.read("ok.py") == "x\n"


def test_one_write_that_stands_alone_is_taken_as_one(scene: Scene) -> None:
    alone: Any = {"pending_writes": {"target_path": "a.py", "new_content": "x\n"}}
    safe_file_write_gate(alone)
    assert scene.read("a.py") == "x\n"
    text: Any = {"pending_writes": "a.py"}
    assert len(safe_file_write_gate(text)["rejected_writes"]) == 1


def test_the_state_that_came_in_is_not_changed(scene: Scene, typed: Typing) -> None:
    """S0-077."""
    scene.write("a.py", STATE)
    typed("yes", "append")
    first = pending(("a.py", REPLACEMENT), ("new.py", "x\n"), ("../b", ""), task="kept")
    before = copy.deepcopy(first)
    second = safe_file_write_gate(first)
    assert first == before
    kept = copy.deepcopy(second)
    third = safe_file_write_gate({**second, "pending_writes": first["pending_writes"][1:2]})
    assert second == kept
    assert third["approved_writes"][:2] == second["approved_writes"]
    assert third["task"] == "kept"


def test_what_a_write_says_of_itself_plays_no_part(scene: Scene, typed: Typing) -> None:
    """SX-06."""
    typed()
    scene.write("a.py", STATE)
    state: Any = {
        "auto_mode": True,
        "pending_writes": [
            {
                "target_path": "a.py",
                "new_content": REPLACEMENT,
                "classification": "new",
                "existing_lines": 0,
                "change_ratio": 0.0,
                "approved": True,
                "outcome": "approved",
            }
        ],
    }
    done = safe_file_write_gate(state)
    assert done["rejected_writes"][0]["existing_lines"] == 270
    assert scene.read("a.py") == STATE


def test_a_file_that_is_saved_while_the_person_thinks_is_left_alone(scene: Scene) -> None:
    """A20, X6."""
    scene.write("a.py", STATE)

    def answers(question: str) -> str:
        scene.write("a.py", "saved meanwhile\n")
        return "replace"

    done = safe_file_write_gate(pending(("a.py", REPLACEMENT)), ask=answers)
    assert scene.read("a.py") == "saved meanwhile\n"
    assert "has changed since this proposal was created" in done["rejected_writes"][0]["reason"]


def test_a_second_write_is_measured_against_what_was_decided_about_the_first(
    scene: Scene, typed: Typing
) -> None:
    scene.write("a.py", STATE)
    questions = typed("append", "no")
    done = scene.gate(("a.py", REPLACEMENT), ("a.py", "nothing\n"))
    assert len(questions) == 2
    joined = f"{STATE}\n{REPLACEMENT}"
    assert scene.read("a.py") == joined
    assert done["rejected_writes"][0]["existing_lines"] == len(joined.splitlines())
    typed("no", "yes", "replace")
    again = scene.gate(("a.py", "nothing\n"), ("a.py", "something\n"))
    assert scene.read("a.py") == "something\n"
    assert again["approved_writes"][0]["before"] == again["rejected_writes"][0]["before"]


def test_what_nobody_may_see_by_chance_is_shown(
    scene: Scene, typed: Typing, capsys: pytest.CaptureFixture[str]
) -> None:
    """Escapes and overrides cannot hide a line from the person who is asked."""
    scene.write("a.py", STATE)
    typed("no")
    scene.gate(("a.py", "ok\x1b[2K\x1b[1A\u202e evil\n"))
    shown = capsys.readouterr().out
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert "⟦U+001B" in shown


def test_the_record_holds_no_contents_and_about_a_kilobyte_a_decision(
    scene: Scene, typed: Typing
) -> None:
    """S0-087, S0-089, S0-078: through the same gate, so it can be undone."""
    scene.write("a.py", STATE)
    typed("replace")
    scene.gate(("a.py", REPLACEMENT + "SECRET = 1\n"))
    here = open_workspace(str(scene.root))
    with open(here.audit_path, encoding="utf-8") as file:
        text = file.read()
    assert "SECRET" not in text
    lines = [len(line) for line in text.splitlines()]
    assert len(lines) == 4
    assert max(lines) < 2048
    assert [receipt.path for receipt in here.gate.undoable(last=1)] == ["a.py"]
    assert here.verify().problems == ()


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=5,
)
NAMES = st.sampled_from(
    ["a.py", "sub/b.py", "../x", ".env", "/etc/x", "a.py/x", "", "\0", "a\u202e"]
)
WRITES = st.lists(
    ANYTHING
    | st.fixed_dictionaries(
        {"target_path": NAMES | ANYTHING, "new_content": st.text(max_size=40) | ANYTHING}
    ),
    max_size=4,
)


@given(writes=WRITES | ANYTHING, auto=st.booleans(), more=ANYTHING)
@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_whatever_comes_in_every_write_leaves_one_entry(
    scene: Scene, writes: Any, auto: bool, more: Any
) -> None:
    state: Any = {"pending_writes": writes, "auto_mode": auto, "files_at_start": more}
    done = safe_file_write_gate(state)
    count = len(writes) if isinstance(writes, list) else int(isinstance(writes, dict | str))
    assert len(done["approved_writes"]) + len(done["rejected_writes"]) == count
    assert not (scene.tmp / "x").exists()
    json.dumps([done["approved_writes"], done["rejected_writes"]]).encode()


# --- settings -----------------------------------------------------------------------------------

LINES: list[object] = [None, "100", 1.5, -1, True, float("nan"), [], 10**30]
SHARES: list[object] = [
    None,
    "0.5",
    0,
    0.0,
    -0.1,
    1.01,
    2,
    True,
    float("nan"),
    float("inf"),
    [],
    10**400,
]


def test_wrong_thresholds_are_the_defaults_and_a_warning_says_so(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """S0-066 to S0-068, A19: adjusted, never switched off."""
    for value in LINES[:-1]:
        with caplog.at_level(logging.WARNING):
            wrong: Any = value
            assert GateConfig(line_threshold=wrong) == GateConfig()
        assert "line_threshold" in caplog.text
        caplog.clear()
    for value in SHARES:
        with caplog.at_level(logging.WARNING):
            wrong = value
            assert GateConfig(change_threshold=wrong).change_threshold == 0.5
        assert "change_threshold" in caplog.text
        caplog.clear()
    assert GateConfig() == GateConfig(line_threshold=100, change_threshold=0.5)
    assert GateConfig(0, 1) == GateConfig(line_threshold=0, change_threshold=1.0)
    assert caplog.text == ""


def test_settings_may_come_as_a_mapping(caplog: pytest.LogCaptureFixture) -> None:
    assert config_of({"line_threshold": 5}) == GateConfig(5, 0.5)
    assert config_of(None) is None
    assert config_of("off") == GateConfig()
    assert config_of({"enabled": False}) == GateConfig()
    assert "enabled" in caplog.text


def test_approval_is_required_in_doubt(caplog: pytest.LogCaptureFixture) -> None:
    """S0-039 to S0-041, S0-128."""
    table: list[tuple[object, object, bool]] = [
        (99, 1.0, False),
        (100, 0.5, True),
        (100, 0.49, False),
        (10**9, 1.0, True),
        (None, 1.0, True),
        (270, None, True),
        ("270", 0.0, True),
        (270, float("nan"), True),
    ]
    for lines, share, needed in table:
        request: Any = {"existing_lines": lines, "change_ratio": share}
        assert requires_approval(request) is needed, (lines, share)
    small: Any = {"existing_lines": 270, "change_ratio": 0.8}
    assert requires_approval(small, change_threshold=2.0)
    assert requires_approval(small, 100, float("nan"))
    assert requires_approval(small, True)
    assert not requires_approval(small, 300)
    assert not requires_approval(small, 100, 0.9)
    empty: Any = {}
    assert requires_approval(empty)


@pytest.mark.parametrize("state", ["/proc/nothing/here", "/dev/null/state"])
def test_without_a_place_for_the_record_nothing_is_written(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, state: str
) -> None:
    """No record, no write; and the graph goes on."""
    monkeypatch.setenv("XDG_STATE_HOME", state)
    done = scene.gate(("a.py", "x\n"), ("b.py", "x\n"))
    assert len(done["rejected_writes"]) == 2
    assert not (scene.root / "a.py").exists()


def test_a_broken_rules_file_never_means_no_gate(scene: Scene) -> None:
    scene.write("penstock.toml", "version = 1\n[gate\n")
    scene.write("a.py", STATE)
    done = scene.gate(("a.py", REPLACEMENT), (".env", "x\n"), auto_mode=True)
    assert len(done["rejected_writes"]) == 2


# --- summaries ------------------------------------------------------------------------------------


def test_a_summary_needs_no_file(scene: Scene) -> None:
    """S0-014."""
    request: Any = {"target_path": "gone.py", "lines_deleted": 3, "existing_lines": 4}
    assert show_deletion_summary(request) == "gone.py: 3 of 4 lines will be DELETED (75 %)"
    scene.write("a.py", "a\nb\n")
    added = classify_write("a.py", "a\nb\nc\n")
    assert "no lines will be DELETED (1 added)" in show_deletion_summary(added)
    scene.write("long.txt", "x" * 1_000_000 + "\n")
    long = show_deletion_summary(classify_write("long.txt", "y\n"))
    assert long.endswith("x ...")
    assert len(long) < 1000
    nothing: Any = {}
    assert "DELETED" in show_deletion_summary(nothing)


def test_progress_is_told_for_large_files_only(
    scene: Scene, capsys: pytest.CaptureFixture[str]
) -> None:
    """S0-074."""
    scene.write("small.txt", numbered(500))
    classify_write("small.txt", numbered(400))
    assert capsys.readouterr().err == ""
    scene.write("large.txt", numbered(20_000))
    classify_write("large.txt", numbered(20_100))
    assert "comparing large.txt" in capsys.readouterr().err
    scene.gate(("large.txt", numbered(20_100)))
    assert "comparing large.txt" in capsys.readouterr().err


def test_a_program_without_terminal_streams_is_gated_as_well(scene: Scene) -> None:
    """Closed or missing streams: nothing to ask on, nothing to tell on, nothing written."""
    scene.write("a.py", STATE)
    scene.write("large.txt", numbered(20_000))
    code = (
        "import sys\n"
        "from penstock.langgraph import safe_file_write_gate as gate\n"
        "sys.stdin = sys.stdout = sys.stderr = None if sys.argv[1] == 'none' else sys.stdin\n"
        "if sys.argv[1] == 'closed': sys.stdin.close()\n"
        "writes = [{'target_path': name, 'new_content': 'x\\n'} for name in sys.argv[2:]]\n"
        "done = gate({'pending_writes': writes})\n"
        "import os; os.write(1, str(len(done['rejected_writes'])).encode())\n"
    )
    for how in ("none", "closed"):
        argv = [sys.executable, "-c", code, how, "a.py", "large.txt"]
        done = subprocess.run(
            argv, cwd=scene.root, capture_output=True, check=True, timeout=60, input=b"yes\n" * 9
        )
        assert done.stdout == b"2", done.stderr
    assert scene.read("a.py") == STATE


# --- the names ----------------------------------------------------------------------------------


def test_every_name_is_there_and_documented() -> None:
    """S0-020, S0-126."""
    import inspect

    import penstock.langgraph as door

    for name in door.__all__:
        if name != "PenstockMiddleware":
            assert inspect.getdoc(getattr(door, name)), name
    for module in ("config", "state", "node", "graph"):
        __import__(f"penstock.doors.langgraph.{module}")
    with pytest.raises(AttributeError):
        door.nothing_like_it  # noqa: B018


def test_without_langgraph_the_message_names_the_extra() -> None:
    code = (
        "import sys\n"
        "for name in ('langgraph', 'langchain', 'langchain_core'): sys.modules[name] = None\n"
        "import penstock.langgraph as door\n"
        "print(door.classify_write('nothing.py', '')['classification'].value)\n"
        "try: door.build_graph\n"
        "except ModuleNotFoundError as missing: print(missing)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.splitlines()[0] == "new"
    assert "pip install 'penstock-gate[langgraph]'" in done.stdout

"""Bad input at the broker: each has a clear code, and nothing is written or left waiting."""

from __future__ import annotations

import io
import json
import os
import socket
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.errors import InputError
from penstock.core.proposals.model import OPEN
from penstock.doors.broker.service import serve
from penstock.doors.broker.wire import LEAST_CAP, MOST_CAP, cap_for, lines, parse
from tests.doors.broker.brokers import Bench, bench, code

DIFF = "--- a/{0}\n+++ b/{0}\n@@ -1 +1 @@\n-x\n+y\n"


@pytest.fixture
def here() -> Iterator[Bench]:
    with bench() as made:
        made.write("src/a.py", "a\n")
        made.write("other/old.txt", "x\n")
        yield made


def stays(here: Bench, act: Callable[[], object]) -> None:
    """Nothing on the disk changes, and nothing waits for anybody."""
    before = here.tree()
    act()
    assert here.tree() == before
    assert here.broker().gate.find(states=OPEN) == ()


# A path, the code, and why; the same for reading and writing unless `read` says otherwise.
PATHS = [
    ("/etc/passwd", "absolute_path", "absolute"),
    ("{root}/src/a.py", "absolute_path", "absolute, although inside"),
    ("../x", "path_escape", "climbs out"),
    ("src/../../x", "path_escape", "climbs out from within"),
    ("src/../src/a.py", "path_escape", "climbs, although it stays inside"),
    ("src\0.py", "bad_path", "a NUL ends the name for the kernel"),
    ("src/a\n.py", "bad_path", "a control character"),
    ("", "bad_path", "nothing"),
    (".", "bad_path", "the workspace itself"),
    ("src/" + "n" * 300, "bad_path", "a name that no file system takes"),
    ("a/" * 3000 + "b", "bad_path", "a path that no kernel takes"),
    (".env", "path_denied", "denied, at the root"),
    ("deep/er/.env", "path_denied", "denied, at any depth"),
    ("x.pem", "path_denied", "denied"),
    ("my_id_rsa.pub", "path_denied", "denied"),
    ("secrets/a", "path_denied", "denied"),
    (".agentzero_audit.jsonl", "path_denied", "the log"),
    ("penstock.toml", "path_denied", "the rules"),
    ("config.yaml", "path_denied", "the settings"),
    ("src", "is_directory", "a directory"),
    ("out/x", "path_escape", "a link that leads out"),
    ("out", "path_escape", "the link itself"),
    ("out-file", "path_escape", "a link to a file outside"),
    ("pipe", "not_a_file", "a FIFO"),
    ("socket", "not_a_file", "a socket"),
    ("loop", "path_escape", "a link to itself"),
]
READABLE = {"penstock.toml", "config.yaml", ".agentzero_audit.jsonl"}


def furnish(here: Bench) -> None:
    """Put everything there that is no plain file."""
    outside = here.root.parent / "outside"
    outside.mkdir()
    (outside / "file").write_text("theirs")
    (here.root / "out").symlink_to(outside)
    (here.root / "out-file").symlink_to(outside / "file")
    (here.root / "loop").symlink_to("loop")
    os.mkfifo(here.root / "pipe")
    kept = os.getcwd()
    os.chdir(here.root)  # the name of a socket may not be long
    try:
        socket.socket(socket.AF_UNIX).bind("socket")
    finally:
        os.chdir(kept)


@pytest.mark.parametrize(("path", "expected", "why"), PATHS, ids=[row[2] for row in PATHS])
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_path_that_is_none_of_ours_is_refused_with_its_code(
    here: Bench, path: str, expected: str, why: str
) -> None:
    furnish(here)
    given_path = path.format(root=here.root)

    def act() -> None:
        assert code(here.ask("write_file", path=given_path, content="x\n")) == expected
        assert code(here.ask("replace_text", path=given_path, old="x", new="y")) == expected
        if path not in READABLE:
            assert code(here.ask("read_file", path=given_path)) == expected

    stays(here, act)
    assert (here.root.parent / "outside" / "file").read_text() == "theirs"


PATCHES = [
    ("nonsense", "bad_patch", "no patch at all"),
    ("", "bad_patch", "empty"),
    (DIFF.format("src/a.py"), "patch_does_not_fit", "lines that are not there"),
    (DIFF.format("src/none.py"), "not_found", "a file that is not there"),
    (DIFF.format("../x"), "path_escape", "a file outside"),
    ('--- "a/../../x"\n+++ "b/../../x"\n@@ -1 +1 @@\n-x\n+y\n', "path_escape", "quoted, outside"),
    ('--- "a/.en\\166"\n+++ "b/.en\\166"\n@@ -1 +1 @@\n-x\n+y\n', "path_denied", "quoted, denied"),
    ("--- /dev/null\n+++ b/src/a.py\n@@ -0,0 +1 @@\n+y\n", "already_exists", "creates what is"),
    ("--- /dev/null\n+++ b/other/new\n@@ -0,0 +1 @@\n+y\n", "create_not_allowed", "not there"),
    ("--- /dev/null\n+++ b/.env\n@@ -0,0 +1 @@\n+y\n", "path_denied", "a denied name"),
    (
        "*** Begin Patch\n*** Add File: src/n\n+y\n*** Add File: .env\n+y\n*** End Patch\n",
        "path_denied",
        "one good and one denied",
    ),
    (
        "*** Begin Patch\n*** Delete File: src/none\n*** End Patch\n",
        "not_found",
        "nothing to delete",
    ),
    (
        "*** Begin Patch\n*** Update File: src/a.py\n*** Move to: .env\n"
        "@@\n-a\n+b\n*** End Patch\n",
        "path_denied",
        "moves to a denied name",
    ),
]


@pytest.mark.parametrize(("patch", "expected", "why"), PATCHES, ids=[row[2] for row in PATCHES])
def test_a_patch_that_cannot_be_taken_whole_is_not_taken(
    here: Bench, patch: str, expected: str, why: str
) -> None:
    stays(here, lambda: assert_code(here, patch, expected))


def assert_code(here: Bench, patch: str, expected: str) -> None:
    assert code(here.ask("apply_patch", patch=patch)) == expected


def test_a_request_that_names_one_file_takes_no_patch_of_two(here: Bench) -> None:
    two = "--- a/src/a.py\n+++ b/src/a.py\n@@ -1 +1 @@\n-a\n+b\n" + DIFF.format("other/old.txt")
    stays(
        here,
        lambda: [
            code(here.ask("apply_patch", patch=two, path="src/a.py")) == "patch_path_mismatch",
            code(here.ask("apply_patch", patch=DIFF.format("other/old.txt"), path="src/a.py")),
        ],
    )
    one = here.ask("apply_patch", patch=DIFF.format("other/old.txt"), path="other/old.txt")
    assert one["details"]["status"] == "hitl_required"


PARAMETERS: list[tuple[str, dict[str, object], str]] = [
    ("read_file", {}, "missing_parameter"),
    ("read_file", {"path": None}, "missing_parameter"),
    ("read_file", {"path": 7}, "bad_parameter"),
    ("read_file", {"path": ["src/a.py"]}, "bad_parameter"),
    ("read_file", {"path": "src/\ud800.py"}, "bad_parameter"),
    ("read_file", {"path": "src/a.py", "start_line": "1"}, "bad_parameter"),
    ("read_file", {"path": "src/a.py", "start_line": True}, "bad_parameter"),
    ("read_file", {"path": "src/a.py", "max_bytes": 1.5}, "bad_parameter"),
    ("read_file", {"path": "src/a.py", "start_line": 5, "end_line": 4}, "bad_range"),
    ("read_file", {"path": "src/none.py"}, "not_found"),
    ("read_file", {"path": "src/a.py/below"}, "not_found"),
    ("write_file", {"path": "src/a.py"}, "missing_parameter"),
    ("write_file", {"content": "x"}, "missing_parameter"),
    ("write_file", {"path": "src/a.py", "content": 7}, "bad_parameter"),
    ("write_file", {"path": "src/a.py", "content": "\udfff"}, "bad_parameter"),
    ("write_file", {"path": "src/a.py", "content": "a\0b"}, "binary_file"),
    ("write_file", {"path": "src/b.py", "content": "x" * 524_289}, "too_large"),
    ("write_file", {"path": "src/a.py", "content": "é" * 262_145}, "too_large"),
    ("replace_text", {"path": "src/a.py", "old": "", "new": "x"}, "bad_parameter"),
    ("replace_text", {"path": "src/a.py", "old": "zz", "new": "x"}, "text_not_found"),
    ("replace_text", {"path": "src/none.py", "old": "a", "new": "x"}, "not_found"),
    ("apply_patch", {}, "missing_parameter"),
    ("apply_patch", {"patch": {}}, "bad_parameter"),
    ("rm", {"path": "src/a.py"}, "unknown_tool"),
    ("", {}, "unknown_tool"),
    ("write_file", {"path": "x", "content": "", "tool_call_id": 7}, "bad_parameter"),
    ("write_file", {"path": "x", "content": "", "context_id": "c" * 1001}, "bad_parameter"),
    ("write_file", {"path": "x", "content": "", "type": "tool_result"}, "bad_request"),
]


@pytest.mark.parametrize(("tool", "given_parameters", "expected"), PARAMETERS)
def test_a_parameter_that_is_missing_or_wrong_is_named(
    here: Bench, tool: str, given_parameters: dict[str, object], expected: str
) -> None:
    stays(here, lambda: assert_parameter(here, tool, given_parameters, expected))


def assert_parameter(here: Bench, tool: str, said: dict[str, object], expected: str) -> None:
    assert code(here.ask(tool, **said)) == expected
    last = here.log()[-1]
    assert last["status"] in ("denied", "error")
    assert last["code"] == expected


@pytest.mark.parametrize("content", [b"a\0b\n", b"caf\xe9\n", b"\xff\xfea\0"])
def test_what_is_no_text_is_neither_read_nor_replaced(here: Bench, content: bytes) -> None:
    here.write("src/binary", content)

    def act() -> None:
        assert code(here.ask("read_file", path="src/binary")) == "binary_file"
        assert code(here.ask("write_file", path="src/binary", content="x")) == "binary_file"

    stays(here, act)


def test_a_text_that_occurs_twice_is_not_guessed_at(here: Bench) -> None:
    here.write("src/twice.py", "x = 1\nx = 1\n")
    stays(
        here,
        lambda: code(here.ask("replace_text", path="src/twice.py", old="x = 1", new="y")),
    )
    every = here.ask("replace_text", path="src/twice.py", old="x", new="y", replace_all=True)
    assert "+y = 1\n+y = 1" in every["details"]["hitl"]["diff_preview"]


# --- lines ------------------------------------------------------------------------------

LINES = [
    (b"nonsense", "bad_json"),
    (b"[]", "bad_json"),
    (b"7", "bad_json"),
    (b"null", "bad_json"),
    (b'{"a":1', "bad_json"),
    (b'{"a":1} {"b":2}', "bad_json"),
    (b'{"a":NaN}', "bad_json"),
    (b'{"a":1' + b"0" * 5000 + b"}", "bad_json"),
    (b"\xff\xfe", "bad_json"),
    (b"[" * 100_000, "bad_json"),
    (b'{"a":' * 100_000, "bad_json"),
    (b'{"path":"src/a.py","path":".env"}', "duplicate_key"),
    (b'{"x":{"path":1,"path":2}}', "duplicate_key"),
]


@pytest.mark.parametrize(("line", "expected"), LINES, ids=[repr(line[:20]) for line, _ in LINES])
def test_a_line_that_is_no_request_gets_one_answer_and_the_next_is_served(
    here: Bench, line: bytes, expected: str
) -> None:
    good = b'{"tool_name":"read_file","path":"src/a.py","tool_call_id":"next"}'
    answers = served(here, line + b"\n" + good + b"\n")
    assert len(answers) == 2
    assert code(answers[0]) == expected
    assert answers[1]["ok"] is True
    assert answers[1]["tool_call_id"] == "next"


def served(here: Bench, data: bytes) -> list[dict[str, object]]:
    out: list[bytes] = []
    stream = io.BytesIO(data)
    serve(here.broker(), stream.read, out.append)
    assert all(line.endswith(b"\n") and line.count(b"\n") == 1 for line in out)
    return [json.loads(line) for line in out]


def test_a_line_of_100_mb_is_refused_in_little_memory(here: Bench) -> None:
    most = 0

    def read(size: int, left: list[int] = [100 * 2**20]) -> bytes:  # noqa: B006 - a counter
        nonlocal most
        most = max(most, size)
        take = min(size, left[0])
        left[0] -= take
        return b"x" * take

    (found,) = lines(read, most=LEAST_CAP)
    assert isinstance(found, InputError)
    assert found.code == "too-large"
    assert str(100 * 2**20) in found.message
    assert most <= 2**20


def test_a_long_line_through_the_broker_is_too_large_and_the_next_is_served(here: Bench) -> None:
    long = b'{"content":"' + b"x" * (here.broker().longest_line + 1) + b'"}'
    answers = served(here, long + b'\n{"tool_name":"read_file","path":"src/a.py"}')
    assert code(answers[0]) == "too_large"
    assert answers[1]["ok"] is True


def test_blank_lines_are_passed_over_and_a_last_line_needs_no_end(here: Bench) -> None:
    answers = served(here, b'\n \n\r\n{"tool_name":"read_file","path":"src/a.py"}')
    assert len(answers) == 1


def test_a_line_has_room_for_the_largest_content_however_it_is_escaped(here: Bench) -> None:
    assert cap_for(524_288) >= 524_288 * 6
    assert cap_for(None) <= MOST_CAP
    assert cap_for(10**12) == MOST_CAP
    escaped = "\\u0061" * 524_288
    line = '{"tool_name":"write_file","path":"src/big.py","content":"' + escaped + '"}'
    (answer,) = served(here, line.encode())
    assert answer["ok"] is True


@given(st.lists(st.binary(max_size=40).filter(lambda b: b"\n" not in b)), st.integers(1, 50))
@settings(deadline=None)
def test_lines_are_what_was_sent_however_they_come_in(sent: list[bytes], size: int) -> None:
    data = io.BytesIO(b"".join(line + b"\n" for line in sent))
    assert list(lines(lambda _: data.read(size), most=50)) == sent


@given(st.binary(max_size=200))
@settings(deadline=None)
def test_any_bytes_are_a_request_or_an_input_error(data: bytes) -> None:
    try:
        found: object = parse(data)
    except InputError as wrong:
        found = wrong.code
    assert isinstance(found, dict) or found in ("bad-json", "duplicate-key")


@given(
    st.dictionaries(
        st.sampled_from(
            ["path", "content", "old", "new", "patch", "hitl_id", "start_line", "type"]
        ),
        st.one_of(st.none(), st.booleans(), st.integers(), st.text(), st.lists(st.integers())),
    ),
    st.sampled_from(
        ["read_file", "write_file", "replace_text", "apply_patch", "apply_proposal", 7]
    ),
)
@settings(deadline=None, max_examples=60)
def test_whatever_is_asked_there_is_one_answer_of_the_right_shape(
    said: dict[str, object], tool: object
) -> None:
    with bench() as here:
        found = here.broker().execute_tool({"tool_name": tool, **said})
        assert set(found) == {"type", "tool_name", "tool_call_id", "ok", "output", "details"}
        assert found["details"]["schema_version"] == "1.0"  # type: ignore[index]
        json.dumps(found)
        assert here.tree() == {}


def test_a_directory_in_the_place_of_the_workspace_file_is_told(tmp_path: Path) -> None:
    from penstock.broker import Broker

    with pytest.raises(InputError, match="no-workspace"):
        Broker(tmp_path / "none")
    with pytest.raises(InputError, match="not-found"):
        Broker(tmp_path, tmp_path / "none.yaml")
    with pytest.raises(InputError, match="bad-role"):
        Broker(tmp_path, role="root")
    with pytest.raises(InputError, match="bad-settings"):
        Broker(tmp_path, {"hitl_ttl_seconds": object()})


def test_a_device_is_neither_read_nor_written(here: Bench) -> None:
    try:
        os.mknod(here.root / "src/null", 0o666 | stat.S_IFCHR, os.makedev(1, 3))
    except PermissionError:
        pytest.skip("only root makes devices")
    stays(here, lambda: assert_device(here))


def assert_device(here: Bench) -> None:
    assert code(here.ask("read_file", path="src/null")) == "not_a_file"
    assert code(here.ask("write_file", path="src/null", content="x")) == "not_a_file"


def test_a_name_that_git_has_quoted_is_the_file_it_stands_for(here: Bench) -> None:
    patch = '--- /dev/null\n+++ "b/src/caf\\303\\251 \\"x\\".py"\n@@ -0,0 +1 @@\n+x\n'
    found = here.ask("apply_patch", patch=patch)
    path = found["details"]["op"]["path"]
    assert path == 'src/café "x".py'
    assert here.apply(path, found["details"]["hitl"]["hitl_id"])["ok"] is True
    assert here.holds(path) == b"x\n"

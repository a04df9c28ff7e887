"""The broker spec, row by row: S1-001 to S1-080, through the broker on a real workspace."""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import re
import subprocess
import uuid
from collections.abc import Callable, Mapping
from typing import Any

import pytest
import yaml

from penstock import presets
from penstock.broker import Broker, Role
from penstock.core.audit.chain import GENESIS
from penstock.core.audit.export.formats import Format, encode
from penstock.core.audit.export.outcomes import Sender
from penstock.core.audit.query import EVERYTHING
from penstock.core.diff.hunks import unified
from penstock.core.digest import digest
from penstock.core.policy.decide import decide
from penstock.core.proposals.model import State
from penstock.core.rules.foreign import BROKER_KEYS, read_file_broker
from penstock.core.text.excerpt import window
from penstock.doors.broker import (
    apply,
    parameters,
    propose,
    responses,
    service,
    targets,
    tools,
    workspace_log,
)
from penstock.stores.audit.verify import verify_log
from tests import REPOSITORY
from tests.doors.broker.brokers import EMPTY, LOG, Bench, bench, code, status
from tests.requirements.table import Row, name_of

ROOT = REPOSITORY
Check = Callable[[], None]
SHA = re.compile(r"sha256:[0-9a-f]{64}")
PATCH = "--- a/src/a.py\n+++ b/src/a.py\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"
SET = PATCH + "--- /dev/null\n+++ b/docs/new.md\n@@ -0,0 +1 @@\n+new\n"
BEGUN = (
    "*** Begin Patch\n*** Update File: src/a.py\n@@\n-two\n+2\n"
    "*** Add File: docs/new.md\n+new\n*** End Patch\n"
)
TEXT = "one\ntwo\nthree\n"
WRITES: Mapping[str, Mapping[str, str]] = {
    "write_file": {"path": "src/a.py", "content": "new\n"},
    "replace_text": {"path": "src/a.py", "old": "two", "new": "2"},
    "apply_patch": {"patch": PATCH},
}


def sha(data: bytes) -> str:
    return "sha256:" + hashlib.sha256(data).hexdigest()


def furnished(here: Bench) -> Bench:
    here.write("src/a.py", TEXT)
    return here


def on(check: Callable[[Bench], None], config: Mapping[str, object] | None = None) -> Check:
    """Return a check in a workspace of its own, with one file in it."""

    def run() -> None:
        with bench(config) as here:
            check(furnished(here))

    return run


# --- the rule above all -----------------------------------------------------------------


def only_proposes(tool: str) -> Callable[[Bench], None]:
    def check(here: Bench) -> None:
        before = here.tree()
        found = here.ask(tool, **WRITES[tool])
        assert status(found) == "hitl_required"
        assert here.tree() == before

    return check


def only_apply_writes(here: Bench) -> None:
    before = here.tree()
    for tool, said in WRITES.items():
        found = here.ask(tool, **said)
        here.ask("read_file", path="src/a.py")
        here.ask("apply_proposal", path="src/a.py", hitl_id=found["details"]["hitl"]["hitl_id"])
        assert here.tree() == before
    assert status(here.apply("src/a.py", found["details"]["hitl"]["hitl_id"])) == "allowed"
    assert here.tree() != before


def every_writing_tool_proposes(here: Bench) -> None:
    for tool in sorted(set(service.TOOLS) - {"read_file", *service.FOR_PEOPLE}):
        only_proposes(tool)(here)


# --- read_file --------------------------------------------------------------------------


def read(here: Bench, **said: object) -> Any:
    found = here.ask("read_file", path="src/long.py", **said)
    assert status(found) == "allowed"
    return found["details"]["data"]


def numbered_lines(here: Bench, count: int) -> None:
    here.write("src/long.py", "".join(f"line {n}\n" for n in range(1, count + 1)))


def parameters_of_read(here: Bench) -> None:
    numbered_lines(here, 500)
    assert read(here)["returned_range"] == {"start_line": 1, "end_line": 200}
    assert read(here, start_line=10)["returned_range"] == {"start_line": 10, "end_line": 209}
    assert read(here)["max_bytes"] == 32_000
    assert code(here.ask("read_file")) == "missing_parameter"


def returns_the_lines(here: Bench) -> None:
    numbered_lines(here, 10)
    ranges = {  # B12: asked for, lines that are there
        (2, 4): (2, 4),
        (1, 10): (1, 10),
        (5, 99): (5, 10),
        (11, 20): (11, 10),
        (-3, 2): (1, 2),
        (10, 10): (10, 10),
    }
    for (start, end), (first, last) in ranges.items():
        data = read(here, start_line=start, end_line=end)
        assert data["returned_range"] == {"start_line": first, "end_line": last}, (start, end)
        assert data["content"] == "".join(f"line {n}\n" for n in range(first, last + 1))
    here.write("src/long.py", "")
    assert read(here)["returned_range"] == {"start_line": 1, "end_line": 0}


def caps_of_read(here: Bench) -> None:
    here.write("src/long.py", "x" * 200_000)
    assert len(read(here)["content"]) == 32_000
    assert len(read(here, max_bytes=10**9)["content"]) == 131_072
    assert read(here, max_bytes=10**9)["max_bytes"] == 131_072
    assert [read(here, max_bytes=n)["max_bytes"] for n in (0, -5)] == [32_000, 32_000]
    assert read(here, max_bytes=7)["content"] == "x" * 7


def read_is_blocked(here: Bench) -> None:
    here.write("sub/.env", "S=1")
    assert code(here.ask("read_file", path="../x")) == "path_escape"
    assert code(here.ask("read_file", path="sub/.env")) == "path_denied"


def digest_of_the_whole(here: Bench) -> None:
    numbered_lines(here, 500)
    whole = (here.root / "src/long.py").read_bytes()
    for said in ({}, {"start_line": 400}, {"max_bytes": 3}, {"start_line": 9999}):
        assert read(here, **said)["base_hash"] == sha(whole)
    here.write("src/long.py", b"a\r\nb\r\n")
    assert read(here)["base_hash"] == sha(b"a\r\nb\r\n")  # B1
    assert read(here)["content"] == "a\r\nb\r\n"


def form_of_a_digest(here: Bench) -> None:
    numbered_lines(here, 1)
    assert SHA.fullmatch(read(here)["base_hash"])


def answer_to_a_read(here: Bench) -> None:
    details = here.ask("read_file", path="src/a.py")["details"]
    assert set(details) == {"schema_version", "status", "op", "data", "audit"}
    assert (details["schema_version"], details["status"]) == ("1.0", "allowed")
    assert details["op"] == {"method": "fs.read", "path": "src/a.py"}
    assert details["data"] == {
        "content": TEXT,
        "returned_range": {"start_line": 1, "end_line": 3},
        "base_hash": sha(TEXT.encode()),
        "truncated": False,
        "max_bytes": 32_000,
    }
    assert all(SHA.fullmatch(details["audit"][name]) for name in ("prev_hash", "event_hash"))


def truncated_by_bytes_alone(here: Bench) -> None:
    numbered_lines(here, 500)
    assert read(here, end_line=3)["truncated"] is False  # B14
    cut = read(here, max_bytes=10)
    assert (cut["truncated"], cut["content"]) == (True, "line 1\nlin")
    assert cut["returned_range"] == {"start_line": 1, "end_line": 2}
    here.write("src/long.py", "aé€😀" * 3)  # 10 bytes a turn
    for most in range(1, 30):  # B13
        data = read(here, max_bytes=most)
        kept = data["content"].encode()
        assert len(kept) <= most < len(kept) + 4
        assert ("aé€😀" * 3).startswith(data["content"])
        assert data["truncated"] is True
    assert read(here, max_bytes=30)["truncated"] is False


def read_of_nothing(here: Bench) -> None:
    assert code(here.ask("read_file")) == "missing_parameter"
    assert code(here.ask("read_file", path="src/none.py")) == "not_found"
    assert code(here.ask("read_file", path="src")) == "is_directory"


# --- write_file -------------------------------------------------------------------------


def parameters_of_write(here: Bench) -> None:
    assert code(here.ask("write_file", path="src/a.py")) == "missing_parameter"
    assert code(here.ask("write_file", content="x")) == "missing_parameter"


def hitl(here: Bench, path: str = "src/a.py", content: str = "one\n2\nthree\n") -> Any:
    return here.ask("write_file", path=path, content=content)["details"]


def diff_of_a_change(here: Bench) -> None:
    shown = hitl(here)["hitl"]["diff_preview"]
    assert shown == PATCH
    here.write("src/crlf.py", b"a\r\n")
    assert "-a\r\n+b\r\n" in hitl(here, "src/crlf.py", "b\r\n")["hitl"]["diff_preview"]
    assert "No newline at end of file" in hitl(here, content="one\n")["hitl"]["diff_preview"] or (
        "No newline" in hitl(here, content="one")["hitl"]["diff_preview"]
    )


def diff_of_a_creation(here: Bench) -> None:
    shown = hitl(here, "src/new.py", "x\n")["hitl"]["diff_preview"]
    assert shown == "--- /dev/null\n+++ b/src/new.py\n@@ -0,0 +1 @@\n+x\n"


def waits_for_two_minutes(here: Bench) -> None:
    waiting_id = here.propose("src/a.py", "x\n")
    assert here.broker().hitl_record(waiting_id) is not None
    here.later(119)
    assert here.broker().hitl_record(waiting_id) is not None
    here.later(120)
    assert here.broker().hitl_record(waiting_id) is None


def keys_of_a_record(here: Bench) -> None:
    found = here.ask("write_file", path="src/a.py", content="one\n2\nthree\n")
    record = here.broker().hitl_record(found["details"]["hitl"]["hitl_id"])
    assert record is not None
    expires = record.pop("expires_at")
    assert isinstance(expires, float)
    assert record == {
        "hitl_id": found["details"]["hitl"]["hitl_id"],
        "path": "src/a.py",
        "full_path": os.path.realpath(here.root / "src/a.py"),
        "created": False,
        "base_hash": sha(TEXT.encode()),
        "diff": PATCH,
        "new_content": "one\n2\nthree\n",
        "patch_hash": sha(PATCH.encode()),
        "tool_call_id": found["tool_call_id"],
        "context_id": "ctx-1",
    }
    assert uuid.UUID(str(record["hitl_id"]).removeprefix("hitl-")).version == 4  # B25


def status_of_a_proposal(here: Bench) -> None:
    details = hitl(here)
    assert details["status"] == "hitl_required"
    assert details["op"] == {"method": "fs.propose_patch", "path": "src/a.py"}
    assert set(details) == {"schema_version", "status", "op", "hitl", "data", "audit"}


def hitl_of_a_proposal(here: Bench) -> None:
    found = hitl(here)["hitl"]
    assert set(found) == {"hitl_id", "ttl_seconds", "summary", "diff_preview"}
    assert found["ttl_seconds"] == 120
    assert found["hitl_id"].startswith("hitl-")


def summary_of_a_proposal(here: Bench) -> None:
    assert hitl(here)["hitl"]["summary"] == "MODIFY src/a.py"
    assert hitl(here, "src/n.py", "")["hitl"]["summary"] == "CREATE FILE src/n.py"


def preview_is_cut(here: Bench) -> None:
    for count in (100, 2000):
        content = "".join(f"line {n}\n" for n in range(count))
        details = hitl(here, "src/n.py", content)
        whole = unified(None, content.encode(), path="src/n.py").decode()
        shown = details["hitl"]["diff_preview"]
        assert details["data"]["patch_hash"] == sha(whole.encode())  # B15
        if len(whole) <= 8000:
            assert shown == whole
        else:
            assert shown[:8000] == whole[:8000]
            assert f"{len(whole) - 8000} more characters" in shown[8000:]


def data_of_a_proposal(here: Bench) -> None:
    details = hitl(here)
    assert details["data"] == {
        "path": "src/a.py",
        "created": False,
        "base_hash": sha(TEXT.encode()),
        "patch_hash": sha(PATCH.encode()),
        "patch_format": "unified_diff",
    }
    created = hitl(here, "src/n.py", "x")["data"]
    assert (created["created"], created["base_hash"]) == (True, EMPTY)  # B2
    assert set(details["audit"]) == {"prev_hash", "event_hash"}


def nothing_changes_on_disk(here: Bench) -> None:
    before = {*here.root.rglob("*")}
    hitl(here, "src/deep/er/new.py", "x\n")
    assert {*here.root.rglob("*")} - before == {here.root / LOG}


def content_is_capped(here: Bench) -> None:
    assert hitl(here, "src/n.py", "x" * 524_288)["status"] == "hitl_required"
    assert code(here.ask("write_file", path="src/n.py", content="x" * 524_289)) == "too_large"


def checked_when_proposed(here: Bench) -> None:
    for path, expected in (
        (".env", "path_denied"),
        ("elsewhere/x", "create_not_allowed"),
        ("/etc/x", "absolute_path"),
        ("../x", "path_escape"),
    ):
        assert code(here.ask("write_file", path=path, content="x")) == expected


# --- apply_proposal ---------------------------------------------------------------------


def parameters_of_apply(here: Bench) -> None:
    waiting_id = here.propose("src/a.py", "x\n")
    assert code(here.answer("apply_proposal", path="src/a.py")) == "missing_parameter"
    assert code(here.answer("apply_proposal", hitl_id=waiting_id)) == "missing_parameter"
    assert status(here.apply("src/a.py", waiting_id)) == "allowed"


def apply_is_not_for_agents(here: Bench) -> None:
    waiting_id = here.propose("src/a.py", "x\n")
    for tool, op in (
        ("apply_proposal", "write_file_apply"),
        ("reject_proposal", "write_file_reject"),
    ):
        found = here.ask(tool, path="src/a.py", hitl_id=waiting_id)
        assert (code(found), status(found)) == ("not_for_agents", "denied")
        last = here.log()[-1]
        assert (last["op"], last["status"], last["code"]) == (op, "denied", "not_for_agents")
    assert here.holds("src/a.py") == TEXT.encode()
    assert status(here.apply("src/a.py", waiting_id)) == "allowed"


def checks_in_order(here: Bench) -> None:
    """Each step is made to fail together with all that come after it; the first one is named."""
    waiting_id = here.propose("src/a.py", "x\n")
    here.write("src/a.py", "changed\n")  # (6) to (8)
    here.later(300)  # (3)
    deny = {"deny_path_globs": ["src/**"]}
    here.restart(deny)  # (4)
    assert code(here.apply("src/b.py", "hitl-none")) == "hitl_not_found"  # (1)
    assert code(here.apply("src/b.py", waiting_id)) == "hitl_path_mismatch"  # (2)
    assert code(here.apply("src/a.py", waiting_id)) == "hitl_expired"  # (3)
    here.restart({})
    waiting_id = here.propose("src/a.py", "y\n")
    (here.root / "src").rename(here.root / "real")
    (here.root / "src").symlink_to("real")
    here.write("src/a.py", "changed again\n")
    here.restart(deny)
    assert code(here.apply("src/a.py", waiting_id)) == "path_denied"  # (4)
    here.restart({})
    found = here.apply("src/a.py", waiting_id)  # (5)
    assert code(found) == "base_changed"
    assert found["details"]["error"]["message"] == "`src/a.py` now points to another file"


def denied_meanwhile(here: Bench) -> None:
    waiting_id = here.propose("src/a.py", "x\n")
    here.write("src/a.py", "changed\n")
    here.restart({"deny_path_globs": ["src/**"]})
    assert code(here.apply("src/a.py", waiting_id)) == "path_denied"


def unknown_id(here: Bench) -> None:
    assert code(here.apply("src/a.py", f"hitl-{uuid.uuid4()}")) == "hitl_not_found"


def expired_id(here: Bench) -> None:
    waiting_id = here.propose("src/a.py", "x\n")
    here.later(120)  # B9: exactly at the end it is over
    found = here.apply("src/a.py", waiting_id)
    assert code(found) == "hitl_expired"
    assert "do not send the same again unchanged" in found["details"]["error"]["try"]
    assert here.holds("src/a.py") == TEXT.encode()


def other_path(here: Bench) -> None:
    here.write("src/b.py", "b\n")
    waiting_id = here.propose("src/a.py", "x\n")
    for path in ("src/b.py", "src/none.py", "../src/a.py", "/src/a.py", "src"):
        assert code(here.apply(path, waiting_id)) == "hitl_path_mismatch"
    assert status(here.apply("./src/a.py", waiting_id)) == "allowed"  # B7: the record was kept


def changed_meanwhile(here: Bench) -> None:
    waiting_id = here.propose("src/a.py", "x\n")
    here.write("src/a.py", "theirs\n")
    found = here.apply("src/a.py", waiting_id)
    assert code(found) == "base_changed"
    assert "propose again" in found["details"]["error"]["try"]
    assert here.holds("src/a.py") == b"theirs\n"
    assert code(here.apply("src/a.py", waiting_id)) == "hitl_not_found"  # B7
    assert status(here.apply("src/a.py", here.propose("src/a.py", "x\n"))) == "allowed"


def writes_exactly(here: Bench) -> None:
    for path in ("src/a.py", "src/deep/er/new.py"):
        for content in ("é\r\nx", "", "no end", "\ufeffbom\n"):
            assert status(here.apply(path, here.propose(path, content))) == "allowed"
            assert here.holds(path) == content.encode()
    (here.root / "src/a.py").chmod(0o750)
    here.apply("src/a.py", here.propose("src/a.py", "moded\n"))
    assert (here.root / "src/a.py").stat().st_mode & 0o777 == 0o750  # B24


def used_once(here: Bench) -> None:
    waiting_id = here.propose("src/a.py", "x\n")
    assert status(here.apply("src/a.py", waiting_id)) == "allowed"
    again = here.apply("src/a.py", waiting_id)
    assert code(again) == "hitl_not_found"
    assert again["details"]["error"]["because"] == "it is already written"


def told_as_write_file(here: Bench) -> None:
    proposed = here.ask("write_file", path="src/a.py", content="x\n")
    found = here.apply("src/a.py", proposed["details"]["hitl"]["hitl_id"])
    assert (found["type"], found["tool_name"]) == ("tool_result", "write_file")
    assert found["tool_call_id"] == proposed["tool_call_id"]


def answer_to_an_apply(here: Bench) -> None:
    waiting_id = here.propose("src/a.py", "x\n")
    details = here.apply("src/a.py", waiting_id)["details"]
    assert set(details) == {"schema_version", "status", "op", "data", "audit"}
    assert details["status"] == "allowed"
    assert details["op"] == {"method": "fs.apply_patch", "path": "src/a.py"}
    assert details["data"] == {
        "path": "src/a.py",
        "created": False,
        "before_hash": sha(TEXT.encode()),
        "after_hash": sha(b"x\n"),
        "hitl_id": waiting_id,
    }
    assert details["audit"]["event_hash"] == here.log()[-1]["event_hash"]
    created = here.apply("src/n.py", here.propose("src/n.py", "n"))["details"]["data"]
    assert (created["created"], created["before_hash"]) == (True, EMPTY)


def after_is_what_is_there(here: Bench) -> None:
    data = here.apply("src/a.py", here.propose("src/a.py", "x\n"))["details"]["data"]
    assert data["after_hash"] == sha((here.root / "src/a.py").read_bytes())


def created_meanwhile(here: Bench) -> None:
    for theirs in (b"theirs\n", b""):  # B2: an empty file is not the same as none
        waiting_id = here.propose("src/n.py", "x\n")
        here.write("src/n.py", theirs)
        assert code(here.apply("src/n.py", waiting_id)) == "base_changed"
        assert here.holds("src/n.py") == theirs
        (here.root / "src/n.py").unlink()


def link_meanwhile(here: Bench) -> None:
    outside = here.root.parent / "outside.py"
    outside.write_text(TEXT)
    waiting_id = here.propose("src/a.py", "x\n")
    (here.root / "src/a.py").unlink()
    (here.root / "src/a.py").symlink_to(outside)
    assert code(here.apply("src/a.py", waiting_id)) == "path_escape"
    assert outside.read_text() == TEXT


# --- the sandbox ------------------------------------------------------------------------


def relative_only(here: Bench) -> None:
    for path in ("/etc/hosts", str(here.root / "src/a.py"), "//src/a.py"):
        for tool, said in (("read_file", {}), ("write_file", {"content": "x"})):
            assert code(here.ask(tool, path=path, **said)) == "absolute_path"


def no_climbing(here: Bench) -> None:
    for path in ("..", "../x", "src/..", "src/../../x", "src/../src/a.py", "./../x"):
        assert code(here.ask("read_file", path=path)) in ("path_escape", "bad_path")


def no_way_out_by_links(here: Bench) -> None:
    outside = here.root.parent / "outside"
    outside.mkdir()
    (outside / "a").write_text("theirs")
    (here.root / "src/out").symlink_to(outside)
    (here.root / "src/a-out").symlink_to(outside / "a")
    for path in ("src/out/a", "src/out/new", "src/a-out"):
        assert code(here.ask("write_file", path=path, content="x")) == "path_escape"
    assert code(here.ask("read_file", path="src/a-out")) == "path_escape"
    assert {file.name for file in outside.iterdir()} == {"a"}
    (here.root / "docs").symlink_to("src")  # B24: inside, it is followed and both are judged
    linked = here.ask("write_file", path="docs/a.py", content="x\n")
    assert "is what would be written" in linked["details"]["warnings"][0]
    assert status(here.apply("docs/a.py", linked["details"]["hitl"]["hitl_id"])) == "allowed"
    assert here.holds("src/a.py") == b"x\n"
    (here.root / "hidden").symlink_to(".env")
    assert code(here.ask("write_file", path="hidden", content="x")) == "path_denied"


def default_denials(here: Bench) -> None:
    expected = ["**/.env", "**/*.pem", "**/*id_rsa*", "**/secrets/**"]
    assert list(BROKER_KEYS["deny_path_globs"].default) == expected  # type: ignore[call-overload]
    assert example()["deny_path_globs"] == expected


def denied_everywhere(here: Bench) -> None:
    here.write("src/x.pem", "k\n")
    assert code(here.ask("read_file", path="src/x.pem")) == "path_denied"
    for tool, said in WRITES.items():
        patch = PATCH.replace("src/a.py", "src/x.pem")
        target = {"patch": patch} if tool == "apply_patch" else {**said, "path": "src/x.pem"}
        assert code(here.ask(tool, **target)) == "path_denied"
    denied_meanwhile(here)


def denied_at_the_root(here: Bench) -> None:
    for path in (".env", "x.pem", "id_rsa", "my_id_rsa.old", "secrets/a", "a/b/secrets/c/d"):
        assert code(here.ask("write_file", path=path, content="x")) == "path_denied"
        assert code(here.ask("read_file", path=path)) == "path_denied"


def creates_below(here: Bench) -> None:
    for folder in ("src", "lib", "tests", "docs", "scripts"):
        assert hitl(here, f"{folder}/deep/new", "x")["status"] == "hitl_required"
    for path in ("other/new", "a/src/new", "srcs/new", "bin/src/new"):  # B17
        assert code(here.ask("write_file", path=path, content="x")) == "create_not_allowed"
    assert hitl(here, "./src/new", "x")["op"]["path"] == "src/new"


def creates_at_the_root(here: Bench) -> None:
    for path in ("Makefile", "new.txt", "src.txt"):
        assert hitl(here, path, "x")["hitl"]["summary"] == f"CREATE FILE {path}"


def changes_anywhere(here: Bench) -> None:
    here.write("other/deep/old.txt", "old\n")
    assert hitl(here, "other/deep/old.txt", "new\n")["status"] == "hitl_required"


def log_is_protected(here: Bench) -> None:
    hitl(here)
    kept = (here.root / LOG).read_bytes()
    for path in (LOG, f"./{LOG}", ".agentzero_audit.0000000000-0000000001.jsonl"):
        assert code(here.ask("write_file", path=path, content="x")) == "path_denied"
    assert (here.root / LOG).read_bytes().startswith(kept)


# --- the log ----------------------------------------------------------------------------


def log_is_there(here: Bench) -> None:
    hitl(here)
    assert LOG == ".agentzero_audit.jsonl"
    assert (here.root / LOG).is_file()


def ops_of_the_log(here: Bench) -> None:
    here.ask("read_file", path="src/a.py")
    here.apply("src/a.py", here.propose("src/a.py", "x\n"))
    here.reject("src/a.py", here.propose("src/a.py", "y\n"))
    ops = [line["op"] for line in here.log()]
    proposed = "write_file_propose"
    assert ops == ["read_file", proposed, "write_file_apply", proposed, "write_file_reject"]


def facts_of_the_log(here: Bench) -> None:
    here.ask("read_file", path="src/a.py", start_line=2)
    waiting_id = here.propose("src/a.py", "one\n2\nthree\n")
    here.apply("src/a.py", waiting_id)
    read_line, proposed, applied = here.log()
    assert read_line["path"] == proposed["path"] == applied["path"] == "src/a.py"
    assert read_line["range"] == {"start_line": 2, "end_line": 3}
    assert read_line["base_hash"] == proposed["base_hash"] == applied["before_hash"]
    assert proposed["patch_hash"] == sha(PATCH.encode())
    assert applied["after_hash"] == sha(b"one\n2\nthree\n")


def keys_of_the_log(here: Bench) -> None:
    here.propose("src/a.py", "x\n")
    (line,) = here.log()
    assert {
        *("ts", "op", "path", "created", "base_hash", "patch_hash", "tool_call_id"),
        *("context_id", "status", "prev_hash", "event_hash"),
    } <= set(line)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", line["ts"])
    assert (line["op"], line["status"]) == ("write_file_propose", "hitl_required")
    assert (line["tool_call_id"], line["context_id"]) == ("tc-1", "ctx-1")


def chained(here: Bench) -> None:
    for _ in range(3):
        here.ask("read_file", path="src/a.py")
    raw = (here.root / LOG).read_bytes().splitlines()
    prev = GENESIS
    for line in raw:  # B19, with nothing but a hash function
        assert json.loads(line)["prev_hash"] == prev
        prev = sha(line[: line.index(b',"event_hash"')])
        assert line.endswith(f',"event_hash":"{prev}"}}'.encode())


def tampering_shows(here: Bench) -> None:
    for _ in range(3):
        here.ask("read_file", path="src/a.py")
    log = here.root / LOG
    whole = log.read_bytes()
    assert verify_log(str(log)).ok
    rows = whole.splitlines(keepends=True)
    for changed in (
        whole.replace(b"allowed", b"denied!", 1),
        rows[0] + rows[2],
        rows[1] + rows[0] + rows[2],
        whole.replace(b'"seq":1', b'"seq":1,"seq":1', 1),
    ):
        log.write_bytes(changed)
        assert not verify_log(str(log)).ok


def chain_goes_on(here: Bench) -> None:
    here.propose("src/a.py", "x\n")
    here.restart()
    here.propose("src/a.py", "y\n")  # a restart
    here.restart()
    here.answer("read_file", path="src/a.py")  # another process
    here.ask("read_file", path="src/a.py")
    here.answer("read_file", path="src/a.py")
    assert [line["seq"] for line in here.log()] == [0, 1, 2, 3, 4]
    assert verify_log(str(here.root / LOG)).ok
    (here.root / LOG).unlink()  # somebody takes it away: told, never silent
    here.restart()
    here.propose("src/a.py", "z\n")
    assert here.log()[0]["op"] == "chain_start"


def log_rotates(here: Bench) -> None:
    here.write("penstock.toml", "version = 1\n[audit]\nrotate_bytes = 65536\n")
    for _ in range(300):
        here.ask("read_file", path="src/a.py")
    names = sorted(file.name for file in here.root.glob(".agentzero_audit*"))
    assert len(names) > 1
    assert all(name.startswith(".agentzero_audit") for name in names)
    report = verify_log(str(here.root / LOG))
    assert report.ok
    assert report.count >= 300


def no_log_when_switched_off(here: Bench) -> None:
    details = hitl(here)
    assert details["audit"] == {"prev_hash": None, "event_hash": None}  # B22
    here.apply("src/a.py", details["hitl"]["hitl_id"])
    assert here.holds("src/a.py") == b"one\n2\nthree\n"
    assert not (here.root / LOG).exists()


def a_verifier_exists(here: Bench) -> None:
    hitl(here)
    done = penstock(here, "audit", "verify", "--json", "--log", LOG)
    assert json.loads(done.stdout)["ok"] is True
    log = here.root / LOG
    log.write_bytes(log.read_bytes().replace(b"hitl_required", b"hitl_required!"))
    assert penstock(here, "audit", "verify", "--json", "--log", LOG).returncode != 0


def penstock(here: Bench, *argv: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    import sys

    home = here.root.parent
    kept = {k: v for k, v in os.environ.items() if k in ("PATH", "LANG", "VIRTUAL_ENV")}
    return subprocess.run(
        [sys.executable, "-m", "penstock.cli", *argv],
        cwd=here.root,
        env={**kept, "HOME": str(home), "XDG_STATE_HOME": str(home / "cli-state")},
        input=stdin,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


# --- the front end ----------------------------------------------------------------------


def nine_steps(here: Bench) -> None:
    proposed = here.ask("write_file", path="src/a.py", content="x\n")  # 1 to 3
    assert proposed["details"]["status"] == "hitl_required"  # 4
    assert "+x" in proposed["details"]["hitl"]["diff_preview"]  # 5
    request = {  # 6 and 7
        "type": "tool_request",
        "tool_name": "apply_proposal",
        "path": proposed["details"]["op"]["path"],
        "hitl_id": proposed["details"]["hitl"]["hitl_id"],
    }
    done = here.broker(Role.FRONT_END).execute_tool(request)  # 8
    assert (done["tool_name"], done["ok"]) == ("write_file", True)  # 9
    assert here.holds("src/a.py") == b"x\n"


def trigger_is_the_status(here: Bench) -> None:
    assert here.ask("write_file", path="src/a.py", content="x\n")["details"]["status"] == (
        "hitl_required"
    )
    same = here.ask("write_file", path="src/a.py", content=TEXT)  # B3: nothing to ask about
    assert same["details"]["status"] == "allowed"
    assert same["details"]["data"]["changed"] is False


def reject_writes_nothing(here: Bench) -> None:
    waiting_id = here.propose("src/a.py", "x\n")
    here.reject("src/a.py", waiting_id)
    assert here.holds("src/a.py") == TEXT.encode()


def reject_is_told(here: Bench) -> None:
    proposed = here.ask("write_file", path="src/a.py", content="x\n")
    waiting_id = proposed["details"]["hitl"]["hitl_id"]
    found = here.reject("src/a.py", waiting_id, "keep the names")
    assert code(found) == "rejected"
    assert (found["tool_name"], found["tool_call_id"]) == ("write_file", proposed["tool_call_id"])
    assert "keep the names" in found["output"]
    assert here.log()[-1]["status"] == "rejected"
    assert code(here.apply("src/a.py", waiting_id)) == "hitl_not_found"
    told = here.ask("apply_proposal", path="src/a.py", hitl_id=waiting_id)  # the agent looks
    assert "keep the names" in told["details"]["error"]["because"]
    again = here.ask("write_file", path="src/a.py", content="x\n")
    assert "rejected before" in again["details"]["warnings"][0]


def preview_shows_the_proposal(here: Bench) -> None:
    here.write("agent.py", AGENT)
    import sys

    done = penstock(here, "broker-cli", "--", sys.executable, "agent.py", stdin="e\na\n")
    assert re.search(r"^MODIFY src/a\.py  \([0-9a-f]{8}, expires in 2 min\)$", done.stderr, re.M)
    for word in ("-two", "+2", "[A]pprove / [R]eject / [E]xplain"):
        assert word in done.stderr, word
    assert "default.write" in done.stderr  # what `e` explains
    assert done.stdout.startswith("write_file: applied src/a.py")
    assert here.holds("src/a.py") == b"one\n2\nthree\n"


AGENT = """
import json, sys
print(json.dumps({"type": "tool_request", "tool_name": "replace_text", "path": "src/a.py",
                  "old": "two", "new": "2", "tool_call_id": "tc-1"}), flush=True)
assert json.loads(sys.stdin.readline())["tool_call_id"] == "tc-1"
"""


# --- settings ---------------------------------------------------------------------------


def example() -> dict[str, Any]:
    text = (ROOT / "config.example.yaml").read_text(encoding="utf-8")
    found: dict[str, Any] = yaml.safe_load(text)["file_broker"]
    return found


DEFAULTS = {
    "enabled": True,
    "hitl_ttl_seconds": 120,
    "max_read_bytes_default": 32_000,
    "max_read_bytes_hard": 131_072,
    "max_write_bytes_hard": 524_288,
    "audit_log_enabled": True,
    "allowlisted_create_dirs": ["src/", "lib/", "tests/", "docs/", "scripts/"],
    "deny_path_globs": ["**/.env", "**/*.pem", "**/*id_rsa*", "**/secrets/**"],
}


def settings_have_their_defaults(here: Bench) -> None:
    assert example() == DEFAULTS
    policy = here.broker().gate.policy()
    assert (policy.broker.enabled, policy.broker.audit_log_enabled) == (True, True)
    assert policy.approval.ttl_seconds == 120
    assert policy.limits.max_read_bytes_default == 32_000
    assert policy.limits.max_read_bytes_hard == 131_072
    assert policy.limits.max_write_bytes == 524_288
    assert {k: _plain(BROKER_KEYS[k].default) for k in DEFAULTS} == DEFAULTS


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def settings_come_from_the_file(here: Bench) -> None:
    here.write("config.yaml", "other: 1\n")
    assert hitl(here)["hitl"]["ttl_seconds"] == 120
    here.write("config.yaml", "file_broker:\n  hitl_ttl_seconds: 7\n  max_write_bytes_hard: 3\n")
    here.restart()
    assert hitl(here, content="abc")["hitl"]["ttl_seconds"] == 7
    assert code(here.ask("write_file", path="src/n.py", content="abcd")) == "too_large"
    elsewhere = here.root.parent / "elsewhere.yaml"
    elsewhere.write_text("file_broker:\n  enabled: false\n")
    here.restart(str(elsewhere))
    assert code(here.ask("write_file", path="src/n.py", content="x")) == "disabled"
    assert status(here.ask("read_file", path="src/a.py")) == "allowed"


def every_role_has_a_home() -> None:
    """The spec's helpers, and where each of them lives."""
    homes: dict[str, Callable[..., object]] = {
        "_mvp_init_filebroker": Broker.__init__,
        "_get_param": parameters.ToolRequest.text,
        "_sha256_text": digest,
        "_sha256_file_stream": window,
        "_hitl_cleanup": Broker._tidy,
        "_is_denied_path": targets.require_allowed,
        "_is_create_allowed": decide,
        "_generate_unified_diff": propose.diff_of,
        "_audit_append": workspace_log.Ledger.add,
        "_deny_result": responses.of_decision,
        "_error_result": responses.of_error,
        "_handle_read_file": tools.read_file,
        "_handle_write_file": tools.write_file,
        "_handle_apply_proposal": apply.apply_proposal,
        "execute_tool": Broker.execute_tool,
    }
    assert all(inspect.isroutine(home) for home in homes.values())


def expired_are_cleaned_up(here: Bench) -> None:
    ids = [here.propose("src/a.py", f"{n}\n") for n in range(3)]
    here.later(200)
    here.ask("read_file", path="src/a.py")  # any request does
    gate = here.broker().gate
    states = [one.state for one in map(gate.get, ids) if one is not None]
    assert states == [State.EXPIRED] * 3


def dispatcher_routes_apply(here: Bench) -> None:
    assert service.TOOLS["apply_proposal"] == ("fs.apply_patch", "write_file_apply")
    assert status(here.apply("src/a.py", here.propose("src/a.py", "x\n"))) == "allowed"


def the_specs_unit_tests(here: Bench) -> None:
    denied_at_the_root(here)
    creates_below(here)
    creates_at_the_root(here)
    assert digest(b"x") == digest(b"x") == sha(b"x")
    diff_of_a_creation(here)
    expired_id(here)


def the_specs_integration_tests(here: Bench) -> None:
    status_of_a_proposal(here)
    answer_to_an_apply(here)
    here.write("src/a.py", TEXT)
    other_path(here)
    here.write("src/a.py", TEXT)
    changed_meanwhile(here)


def the_specs_end_to_end_tests(here: Bench) -> None:
    nine_steps(here)
    assert status(here.apply("src/new.py", here.propose("src/new.py", "new\n"))) == "allowed"
    assert status(here.apply("src/new.py", here.propose("src/new.py", "newer\n"))) == "allowed"
    assert here.holds("src/new.py") == b"newer\n"
    assert code(here.reject("src/new.py", here.propose("src/new.py", "no\n"))) == "rejected"
    assert here.holds("src/new.py") == b"newer\n"


def an_example_ships() -> None:
    assert set(example()) == set(DEFAULTS)
    shipped = read_file_broker((ROOT / "config.example.yaml").read_bytes())
    preset = read_file_broker(presets.read("broker-spec"))
    assert (shipped.ok, shipped.settings) == (True, preset.settings)
    assert [r.paths for r in shipped.rules] == [r.paths for r in preset.rules]


def tampering_is_evident_only() -> None:
    text = (ROOT / "docs/how-to/broker.md").read_text(encoding="utf-8")
    assert "tamper-evident" in text
    assert "not tamper-proof" in text


# --- phase 2 ----------------------------------------------------------------------------


def survives_a_restart(here: Bench) -> None:
    waiting_id = here.propose("src/a.py", "x\n")
    here.restart()
    assert status(here.apply("src/a.py", waiting_id)) == "allowed"
    here.restart()
    assert code(here.apply("src/a.py", waiting_id)) == "hitl_not_found"


def ships_to_others(here: Bench) -> None:
    here.apply("src/a.py", here.propose("src/a.py", "x\n"))
    lines = (here.root / LOG).read_bytes().splitlines()
    for form in Format:
        shipped = [*encode(lines, form, Sender(version="1"))]
        assert len(shipped) == len(lines)
    done = penstock(here, "audit", "export", "--format", "ocsf", "--log", LOG)
    assert done.returncode == 0
    assert "write_file_apply" in done.stdout
    assert EVERYTHING.op == ""


def rules_for_each_path(here: Bench) -> None:
    here.write(
        "penstock.toml",
        'version = 1\n[[deny]]\nid = "vendored"\npaths = ["src/vendor/**"]\nreason = "vendored"\n'
        '[[allow]]\nid = "free"\npaths = ["docs/**"]\n',
    )
    assert code(here.ask("write_file", path="src/vendor/x.py", content="x")) == "path_denied"
    assert hitl(here, "docs/x.md", "x")["status"] == "hitl_required"  # X4: nothing is free here
    assert hitl(here)["status"] == "hitl_required"


def several_files_are_one(patch: str) -> Callable[[Bench], None]:
    def check(here: Bench) -> None:
        details = here.ask("apply_patch", patch=patch)["details"]
        assert details["status"] == "hitl_required"
        assert details["hitl"]["summary"] == (
            "CHANGE 2 FILES: MODIFY src/a.py, CREATE FILE docs/new.md"
        )
        assert [one["path"] for one in details["data"]["files"]] == ["src/a.py", "docs/new.md"]
        assert here.tree() == {"src/a.py": TEXT.encode()}
        done = here.apply(details["op"]["path"], details["hitl"]["hitl_id"])
        assert status(done) == "allowed"
        assert here.tree() == {"src/a.py": b"one\n2\nthree\n", "docs/new.md": b"new\n"}
        assert [line["op"] for line in here.log()] == ["write_file_propose", "write_file_apply"]

    return check


def sets_are_all_or_nothing(here: Bench) -> None:
    details = here.ask("apply_patch", patch=SET)["details"]
    here.write("docs/new.md", "theirs\n")
    assert code(here.apply("src/a.py", details["hitl"]["hitl_id"])) == "base_changed"
    assert here.tree() == {"src/a.py": TEXT.encode(), "docs/new.md": b"theirs\n"}
    for one in details["data"]["files"]:  # nothing of it can be applied later either
        assert code(here.apply(one["path"], one["hitl_id"])) == "hitl_not_found"


def undone(here: Bench) -> None:
    details = here.ask("apply_patch", patch=SET)["details"]
    here.apply("src/a.py", details["data"]["set_id"])  # a set by its own id
    gate = here.broker(Role.FRONT_END).gate
    made = gate.undo(gate.undoable(receipt=details["data"]["set_id"]))
    for one in made:
        gate.answer(one.id, approve=True, proof=here.broker(Role.FRONT_END).proof)
    gate.apply(made[0].set_id)
    assert here.tree() == {"src/a.py": TEXT.encode()}


def real_patches(here: Bench) -> None:
    here.write("src/a.py", "zero\n" + TEXT)  # the lines have moved since the patch was made
    found = here.ask("apply_patch", patch=PATCH)
    done = here.apply("src/a.py", found["details"]["hitl"]["hitl_id"])
    assert status(done) == "allowed"
    assert here.holds("src/a.py") == b"zero\none\n2\nthree\n"
    gone = here.ask(
        "apply_patch", patch="*** Begin Patch\n*** Delete File: src/a.py\n*** End Patch\n"
    )
    assert gone["details"]["hitl"]["summary"] == "DELETE FILE src/a.py"
    done = here.apply("src/a.py", gone["details"]["hitl"]["hitl_id"])
    assert done["details"]["data"]["after_hash"] == EMPTY
    assert here.holds("src/a.py") is None


def all_of(*checks: Callable[[Bench], None]) -> Check:
    def run() -> None:
        for check in checks:
            on(check)()

    return run


ROWS = [
    Row("S1-001", "write_file only proposes", on(only_proposes("write_file"))),
    Row("S1-002", "apply_patch only proposes", on(only_proposes("apply_patch"))),
    Row("S1-003", "only apply_proposal writes", on(only_apply_writes)),
    Row(
        "S1-004",
        "replace_text and every writing tool only proposes",
        on(every_writing_tool_proposes),
    ),
    Row("S1-005", "read_file: its parameters and their defaults", on(parameters_of_read)),
    Row("S1-006", "read_file returns the lines that were asked for", on(returns_the_lines)),
    Row("S1-007", "read_file: 32000 bytes, 131072 at most", on(caps_of_read)),
    Row("S1-008", "read_file blocks climbing and denied paths", on(read_is_blocked)),
    Row("S1-009", "base_hash is of the whole file", on(digest_of_the_whole)),
    Row("S1-010", "base_hash is sha256: and 64 digits", on(form_of_a_digest)),
    Row("S1-011", "the answer to a read has the spec's keys", on(answer_to_a_read)),
    Row("S1-012", "truncated tells of the byte cap alone", on(truncated_by_bytes_alone)),
    Row("S1-013", "read_file of nothing is an error", on(read_of_nothing)),
    Row("S1-014", "write_file needs path and content", on(parameters_of_write)),
    Row("S1-015", "a change is shown as a unified diff", on(diff_of_a_change)),
    Row("S1-016", "a creation is a diff from /dev/null", on(diff_of_a_creation)),
    Row("S1-017", "a proposal waits for 120 seconds", on(waits_for_two_minutes)),
    Row("S1-018", "a record has the spec's keys", on(keys_of_a_record)),
    Row("S1-019", "a proposal is hitl_required by fs.propose_patch", on(status_of_a_proposal)),
    Row("S1-020", "hitl has its four keys", on(hitl_of_a_proposal)),
    Row("S1-021", "the summary says CREATE FILE or MODIFY", on(summary_of_a_proposal)),
    Row("S1-022", "the preview is cut after 8000 characters", on(preview_is_cut)),
    Row("S1-023", "a proposal's data and audit have their keys", on(data_of_a_proposal)),
    Row("S1-024", "a proposal leaves the disk as it is", on(nothing_changes_on_disk)),
    Row("S1-025", "content over 524288 bytes is refused", on(content_is_capped)),
    Row("S1-026", "all is checked when it is proposed", on(checked_when_proposed)),
    Row("S1-027", "apply_proposal needs path and hitl_id", on(parameters_of_apply)),
    Row("S1-028", "apply_proposal is not for agents", on(apply_is_not_for_agents)),
    Row("S1-029", "the eight checks come in order", all_of(checks_in_order, denied_meanwhile)),
    Row("S1-030", "an unknown id is rejected", on(unknown_id)),
    Row("S1-031", "an expired id is rejected", on(expired_id)),
    Row("S1-032", "another path is rejected", on(other_path)),
    Row("S1-033", "a file that changed is rejected", on(changed_meanwhile)),
    Row("S1-034", "exactly the proposed content is written", on(writes_exactly)),
    Row("S1-035", "an id is used once", on(used_once)),
    Row(
        "S1-036", "the result comes as write_file, with the first call's id", on(told_as_write_file)
    ),
    Row("S1-037", "the answer to an apply has the spec's keys", on(answer_to_an_apply)),
    Row("S1-038", "after_hash is of what is on the disk", on(after_is_what_is_there)),
    Row("S1-039", "a file created meanwhile is rejected", on(created_meanwhile)),
    Row("S1-040", "a link put there meanwhile is rejected", on(link_meanwhile)),
    Row("S1-041", "absolute paths are blocked", on(relative_only)),
    Row("S1-042", "climbing is blocked", on(no_climbing)),
    Row("S1-043", "links lead nowhere outside", on(no_way_out_by_links)),
    Row("S1-044", "the default deny list is the spec's", on(default_denials)),
    Row("S1-045", "the deny list holds for read, propose and apply", on(denied_everywhere)),
    Row("S1-046", "denied names are denied at the root, too", on(denied_at_the_root)),
    Row("S1-047", "new files only below five directories", on(creates_below)),
    Row("S1-048", "new files at the root are allowed", on(creates_at_the_root)),
    Row("S1-049", "existing files may change anywhere", on(changes_anywhere)),
    Row("S1-050", "the log cannot be written through the broker", on(log_is_protected)),
    Row("S1-051", "the log is .agentzero_audit.jsonl", on(log_is_there)),
    Row("S1-052", "the log has the spec's operations", on(ops_of_the_log)),
    Row("S1-053", "each operation tells its facts", on(facts_of_the_log)),
    Row("S1-054", "a line has the spec's keys", on(keys_of_the_log)),
    Row("S1-055", "each line names the one before", on(chained)),
    Row("S1-056", "a changed line is found", on(tampering_shows)),
    Row(
        "S1-057",
        "the chain goes on and never restarts silently",
        all_of(chain_goes_on, log_rotates),
    ),
    Row(
        "S1-058",
        "audit_log_enabled: false is no log",
        on(no_log_when_switched_off, {"audit_log_enabled": False}),
    ),
    Row("S1-059", "there is a verifier", on(a_verifier_exists)),
    Row("S1-060", "the nine steps", on(nine_steps)),
    Row("S1-061", "the trigger is details.status", on(trigger_is_the_status)),
    Row("S1-062", "the front end's request is the spec's", on(nine_steps)),
    Row("S1-063", "a rejection writes nothing", on(reject_writes_nothing)),
    Row("S1-064", "a rejection is told and closes the record", on(reject_is_told)),
    Row("S1-065", "the preview shows the proposal", on(preview_shows_the_proposal)),
    Row("S1-066", "the settings and their defaults", on(settings_have_their_defaults)),
    Row("S1-067", "the settings come from config.yaml", on(settings_come_from_the_file)),
    Row("S1-068", "every helper of the spec has a home", every_role_has_a_home),
    Row("S1-069", "expired records are cleaned up", on(expired_are_cleaned_up)),
    Row("S1-070", "the dispatcher routes apply_proposal", on(dispatcher_routes_apply)),
    Row("S1-072", "the spec's unit tests", on(the_specs_unit_tests)),
    Row("S1-073", "the spec's integration tests", on(the_specs_integration_tests)),
    Row("S1-074", "the spec's end-to-end tests", on(the_specs_end_to_end_tests)),
    Row("S1-074a", "config.example.yaml ships", an_example_ships),
    Row("S1-074b", "tamper-evident only, and the manual says so", tampering_is_evident_only),
    Row("S1-075", "proposals outlive a restart", on(survives_a_restart)),
    Row("S1-076", "the log can be shipped", on(ships_to_others)),
    Row("S1-077", "rules for each path", on(rules_for_each_path)),
    Row(
        "S1-078",
        "several files are one proposal",
        all_of(several_files_are_one(SET), several_files_are_one(BEGUN), sets_are_all_or_nothing),
    ),
    Row("S1-079", "what was applied can be undone", on(undone)),
    Row("S1-080", "real patches are applied", on(real_patches)),
]


@pytest.mark.parametrize("row", ROWS, ids=name_of)
def test_broker_row(row: Row) -> None:
    row.check()

"""The fast path in a process that stays never differs from the one that starts cold."""

from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from penstock.app.workspace import read_rules, workspace_of
from penstock.doors.hook.engine import Engine
from penstock.doors.hook.fast_path import Cold, NotShortError, short_answer
from penstock.doors.hook.fast_path_warm import Warm
from penstock.doors.hook.messages import BEFORE, HookAnswer, HookCall
from penstock.stores.queue import before_images
from tests.doors.hook.claude_calls import before

BIG = "".join(f"line {n}\n" for n in range(270))
RULES = """\
[[deny]]
id = "secrets"
paths = ["**/.env", "keys/**"]

[[warn]]
id = "told"
paths = ["src/**"]
note = "look twice at {path}"
"""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose policy lies compiled, with links into and out of what is protected."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    project = tmp_path / "project"
    for folder in ("src", "keys", "docs/deep"):
        (project / folder).mkdir(parents=True)
    (project / "penstock.toml").write_text(RULES)
    (project / "big.txt").write_text(BIG)
    (project / "link").symlink_to("keys")
    (project / "docs/file-link").symlink_to("../keys/k")
    (project / "gone").symlink_to("nowhere")
    (project / "away").symlink_to(tmp_path)
    Engine().reply("claude", before(project, "Write", "first.txt", content="x"), {})
    return project


@pytest.fixture
def warm() -> Warm:
    return Warm(Engine(signs=True))


def call(root: Path, tool: str, path: str, **given: str) -> HookCall:
    full = path if path.startswith(("/", "~")) else f"{root}/{path}"
    tool_input = {"file_path": full, **given}
    return HookCall("claude", BEFORE, tool=tool, tool_input=tool_input, cwd=str(root), call_id="t1")


def told(answer: HookAnswer | None) -> tuple[object, ...]:
    return (answer.verdict, answer.reason, answer.notes, answer.granted) if answer else ()


class Unrecorded(Cold):
    """Takes the cold way but for the log, which may be busy just now."""

    def append(self, root: str, state: str, body: bytes, policy: object) -> str:
        return ""


PARTS = ["src", "keys", "docs", "deep", "link", "file-link", "gone", "away", "project", "..", "."]
NAMES = ["a.py", ".env", "big.txt", "k", "file-link", "gone", "GIT~1", ".git", "x y", "é", ""]
PATHS = st.builds(
    lambda parts, name: "/".join([*parts, name]),
    st.lists(st.sampled_from(PARTS), max_size=4),
    st.sampled_from(NAMES),
)


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(paths=st.lists(PATHS, min_size=1, max_size=4), content=st.sampled_from(["x", BIG, ""]))
def test_warm_and_cold_answer_alike_on_every_path(
    root: Path, warm: Warm, paths: list[str], content: str
) -> None:
    for path in (*paths, *paths):  # the second time the policy is loaded
        asked = call(root, "Write", path, content=content)
        found = told(short_answer(asked, warm))
        assert found == told(short_answer(asked, Unrecorded())), path


def test_a_link_that_appears_between_two_moments_is_followed(root: Path, warm: Warm) -> None:
    for path in ("docs/new/a.txt", "docs/a.txt"):
        data = before(root, "Write", path, content="x")
        assert _verdict(warm, data) == ""
    (root / "docs/new").symlink_to("../keys")
    (root / "docs/a.txt").symlink_to("../keys/k")
    for path in ("docs/new/a.txt", "docs/a.txt"):
        assert _verdict(warm, before(root, "Write", path, content="x")) == "deny"


def test_rules_that_change_are_seen_by_the_next_call_that_arrives_apart(
    root: Path, warm: Warm
) -> None:
    data = before(root, "Write", "docs/a.txt", content="x")
    assert _verdict(warm, data) == ""
    (root / "penstock.toml").write_text(RULES + '[[deny]]\nid = "d"\npaths = ["docs/**"]\n')
    assert warm.quick("claude", data, {}) is None, "its own policy is out of date"
    assert "deny" in warm.reply("claude", data, {}).stdout
    assert _verdict(warm, data) == "deny"


def _verdict(warm: Warm, data: bytes) -> str:
    said = warm.quick("claude", data, {}) or warm.reply("claude", data, {})
    return "deny" if '"deny"' in said.stdout else ""


def test_what_is_not_a_call_is_left_to_the_engine(warm: Warm) -> None:
    for data in (b"", b"{", b"[]", b"7", b"\xff", b'{"a":1,"a":2}'):
        assert warm.quick("claude", data, {}) is None


def test_a_log_that_cannot_be_written_is_left_to_the_engine(root: Path, warm: Warm) -> None:
    here = workspace_of(str(root))
    log = Path(here.audit_path)
    log.unlink()
    log.mkdir()
    with pytest.raises(NotShortError):
        warm.append(str(root), here.state, b'"op":"x","path":"","status":"y"', {})


def test_what_a_file_held_is_kept_when_the_answer_is_given(root: Path, warm: Warm) -> None:
    (root / "docs/old.txt").write_bytes(b"old")
    asked = call(root, "Write", "docs/old.txt", content="x")
    assert short_answer(asked, warm) is not None
    key = before_images.call_key(asked.session, asked.call_id)
    ((_, kept),) = before_images.kept(workspace_of(str(root)).state, key)
    assert kept.data == b"old"


def test_every_answer_is_on_the_record_when_it_is_given(root: Path, warm: Warm) -> None:
    here = workspace_of(str(root))
    first = here.record.head()
    assert first is not None
    for n in range(1, 4):
        data = before(root, "Write", f"docs/{n}.txt", content="x")
        assert warm.quick("claude", data, {}) is not None
        head = here.record.head()
        assert head is not None
        assert head.seq == first.seq + n
    assert here.verify().ok


# --- signing -----------------------------------------------------------------------------------


def test_checkpoints_are_signed_after_so_many_events(root: Path, warm: Warm) -> None:
    (root / "penstock.toml").write_text(RULES + "[audit]\ncheckpoint_events = 5\n")
    warm.reply("claude", before(root, "Write", "a.txt", content="x"), {})
    here = workspace_of(str(root))
    for n in range(6):
        assert warm.quick("claude", before(root, "Write", f"{n}.txt", content="x"), {}) is not None
    for thread in threading.enumerate():
        if thread.name == "signing":
            thread.join(20)
    assert os.path.getsize(os.path.join(here.state, "checkpoints")) > 0
    assert here.verify().ok


# --- rules -------------------------------------------------------------------------------------


def test_rules_that_are_saved_while_they_are_read_are_read_again(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = workspace_of(str(root))
    rules = root / "penstock.toml"
    changed = RULES.replace("secrets", "changed")

    def saved_meanwhile(path: str) -> bytes | None:
        data = read_rules(path)
        if path == str(rules) and data != changed.encode():
            rules.write_text(changed)
        return data

    monkeypatch.setattr("penstock.app.workspace.read_rules", saved_meanwhile)
    first = here.policy()
    assert here.policy().revision != first.revision
    assert here.policy() is here.policy()


def test_rules_are_read_once_for_all_who_need_them(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = workspace_of(str(root))
    reads: list[str] = []

    def slowly(path: str) -> bytes | None:
        reads.append(path)
        threading.Event().wait(0.05)
        return read_rules(path)

    monkeypatch.setattr("penstock.app.workspace.read_rules", slowly)
    alone = here.policy()
    once = len(reads)
    other = workspace_of(str(root))
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: other.policy(), range(8)))
    assert len(reads) == 2 * once
    assert {policy.revision for policy in found} == {alone.revision}

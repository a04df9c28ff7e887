"""A waiting proposal reaches the person: real processes, a real service on this machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import pytest

from penstock.app import announce, leftovers, open_workspace, process
from penstock.app.deliver import MOST_TRIES, TRIES_AT_ONCE, Teller
from penstock.stores.notify.outbox import Outbox
from tests.app.mailbox import DEADLINE, Mailbox
from tests.cli.pending import events, one_proposed, proposed, state_dir, surroundings_of
from tests.project import Project

OLD = "".join(f"line {at}\n" for at in range(1, 21))


@pytest.fixture(autouse=True)
def nothing_is_left_running() -> Iterator[None]:
    """What a test started has ended before the next one begins."""
    yield
    all_have_ended()


def all_have_ended() -> None:
    while process._STARTED:
        os.waitpid(process._STARTED.pop(0), 0)


@pytest.fixture
def by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """No proposal starts a process: the test takes each turn itself."""
    monkeypatch.setenv(announce.SWITCH, "off")


@pytest.fixture
def unsent(project: Project, box: Mailbox, by_hand: None) -> str:
    """One proposal that somebody should be told of, and nobody was yet."""
    told_by(project, box)
    return one_proposed(project, "app.txt", b"short\n")


def user_rules(project: Project, text: str) -> None:
    folder = project.home / "config" / "penstock"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "penstock.toml").write_text(f"version = 1\n\n[notify]\n{text}\n")


def told_by(project: Project, box: Mailbox, more: str = "") -> None:
    user_rules(project, f'targets = ["{box.target}"]\nevery_seconds = 0\n{more}')


def pending(project: Project) -> bool:
    return Outbox(str(state_dir(project))).pending


def run_teller(project: Project, *, naps: list[float] | None = None) -> None:
    """Take a turn in this process; naps are noted, not slept."""
    slept = [] if naps is None else naps
    with surroundings_of(project):
        teller = Teller(open_workspace(str(project.root)), os.environ)

        def nap(seconds: float) -> None:
            slept.append(seconds)
            _skip(teller, seconds)

        teller.sleep = nap
        teller.run(life=5.0)


def _skip(teller: Teller, seconds: float) -> None:
    """A nap that takes no time: what must not be before then may be now."""
    teller._not_before = {name: at - seconds for name, at in teller._not_before.items()}


def test_a_proposal_that_waits_is_told_at_once_by_a_process_of_its_own(
    project: Project, box: Mailbox
) -> None:
    project.write("app.txt", OLD)
    told_by(project, box, 'link = "http://127.0.0.1:7717"')
    one = one_proposed(project, "app.txt", b"short\n")
    box.until(lambda: bool(box.got))
    assert box.got[0]["title"] == "Penstock: app.txt needs approval in project"
    body = box.got[0]["message"]
    assert "REPLACE app.txt: 20 of 20 lines removed, 1 added" in body
    assert f"http://127.0.0.1:7717/proposals/{one}" in body
    assert "line 7" not in body
    assert "short" not in body


def test_a_set_is_one_message_and_nothing_is_told_twice(project: Project, box: Mailbox) -> None:
    told_by(project, box)
    proposed(project, {"a.txt": b"a\n", "b.txt": b"b\n", "c.txt": b"c\n"})
    box.until(lambda: bool(box.got))
    run_teller(project)
    assert [got["title"] for got in box.got] == [
        "Penstock: a change to 3 files needs approval in project"
    ]
    sent = events(project, "notified")
    assert [event["status"] for event in sent] == ["sent"]


def test_what_needs_nobody_tells_nobody(project: Project, box: Mailbox) -> None:
    told_by(project, box)
    one_proposed(project, "notes/a.txt", b"allowed\n")
    one_proposed(project, ".env", b"denied\n")
    assert not pending(project)
    assert process._STARTED == []


@pytest.mark.usefixtures("by_hand")
def test_many_are_told_together(project: Project, box: Mailbox) -> None:
    told_by(project, box)
    for at in range(30):
        one_proposed(project, f"f{at}.txt", b"x\n")
    run_teller(project)
    assert [got["title"] for got in box.got] == ["Penstock: 30 pending changes in project"]
    assert "... and 20 more" in box.got[0]["message"]


@pytest.fixture
def next_too_soon(project: Project, box: Mailbox, by_hand: None) -> None:
    """One proposal was told; another has come, and it is too early for the next message."""
    user_rules(project, f'targets = ["{box.target}"]\nevery_seconds = 600')
    one_proposed(project, "a.txt", b"x\n")
    run_teller(project)
    one_proposed(project, "b.txt", b"x\n")


class EnoughError(Exception):
    """The nap that was expected has begun."""


@pytest.mark.usefixtures("next_too_soon")
def test_two_messages_do_not_follow_one_another_at_once(project: Project, box: Mailbox) -> None:
    naps: list[float] = []

    def nap(seconds: float) -> None:
        naps.append(seconds)
        raise EnoughError

    with surroundings_of(project), pytest.raises(EnoughError):
        Teller(open_workspace(str(project.root)), os.environ, sleep=nap).run()
    assert 0 < naps[0] <= 600
    assert len(box.got) == 1


@pytest.mark.usefixtures("next_too_soon")
def test_where_time_is_over_the_next_process_goes_on(project: Project) -> None:
    handed_on: list[str] = []
    with surroundings_of(project):
        here = open_workspace(str(project.root))
        Teller(here, os.environ, go_on=handed_on.append).run(life=-600.0)
    assert handed_on == [here.root]
    assert Outbox(here.state).pending


def test_what_is_proposed_while_somebody_tells_is_told_by_them(
    project: Project, box: Mailbox
) -> None:
    told_by(project, box)
    box.open.clear()
    one_proposed(project, "a.txt", b"x\n")
    box.until(lambda: box.asked == 1)
    one_proposed(project, "b.txt", b"x\n")
    assert len(process._STARTED) == 1, "one process is enough"
    box.open.set()
    box.until(lambda: len(box.got) == 2)
    assert [got["title"].split()[1] for got in box.got] == ["a.txt", "b.txt"]


def test_several_processes_at_once_send_one_message(project: Project, box: Mailbox) -> None:
    told_by(project, box)
    one_proposed(project, "app.txt", b"short\n")
    argv = [sys.executable, "-m", "penstock.cli", "notify", "send"]
    running = [
        subprocess.Popen(argv, cwd=project.root, env=project.environ, stderr=subprocess.PIPE)
        for _ in range(4)
    ]
    for one in running:
        _, err = one.communicate(timeout=DEADLINE)
        assert one.returncode == 0, err
    box.until(lambda: bool(box.got))
    all_have_ended()
    assert len(box.got) == 1


def test_a_process_that_is_killed_while_sending_loses_nothing(
    project: Project, box: Mailbox
) -> None:
    told_by(project, box)
    box.open.clear()
    one_proposed(project, "app.txt", b"short\n")
    box.until(lambda: box.asked == 1)
    os.kill(process._STARTED[0], 9)
    os.waitpid(process._STARTED.pop(0), 0)
    assert pending(project)
    box.status = 503  # for the request that nobody waits for any more
    box.open.set()
    box.status = 200
    run_teller(project)
    assert box.got[-1]["title"] == "Penstock: app.txt needs approval in project"
    assert not pending(project)


@pytest.mark.usefixtures("unsent")
def test_a_service_that_is_down_is_tried_again_later_and_the_record_says_so(
    project: Project, box: Mailbox
) -> None:
    box.status = 500
    naps: list[float] = []
    run_teller(project, naps=naps)
    assert box.asked == TRIES_AT_ONCE
    assert [round(nap) for nap in naps] == [1, 2], "each wait is longer than the one before"
    failed = events(project, "notified")
    assert [event["status"] for event in failed] == ["error"]
    assert failed[0]["reason"] == "the service rejected it"
    assert pending(project)
    box.status = 200
    run_teller(project)
    assert len(box.got) == 1
    assert not pending(project)


@pytest.mark.usefixtures("unsent")
def test_a_service_that_is_down_for_good_is_given_up(project: Project, box: Mailbox) -> None:
    box.status = 500
    for _ in range(MOST_TRIES // TRIES_AT_ONCE + 1):
        run_teller(project)
    assert box.asked == MOST_TRIES
    assert [event["status"] for event in events(project, "notified")] == ["error", "error"]
    assert not pending(project)


@pytest.mark.usefixtures("unsent")
def test_what_was_left_over_is_told_by_a_process_that_stays(
    project: Project, box: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(announce.SWITCH)
    with surroundings_of(project):
        stop = threading.Event()
        thread = leftovers.start(stop)
        try:
            box.until(lambda: bool(box.got))
        finally:
            stop.set()
            thread.join()
    assert len(box.got) == 1


@pytest.mark.usefixtures("unsent")
def test_a_process_that_stays_asks_less_and_less_often(project: Project, box: Mailbox) -> None:
    started: list[str] = []
    left = leftovers.Leftovers(started.append)
    with surroundings_of(project):
        here = open_workspace(str(project.root))
        left.look([here])
        left.look([here])
        assert started == [here.root], "not again before its time"
        for count in range(1, 8):
            left._started[here.root] = left._started[here.root][0], 0.0
            left.look([here])
            pause = left._started[here.root][1] - time.monotonic()
            assert pause <= min(leftovers.START_EVERY * 2.0**count, leftovers.MOST_BETWEEN)
        assert len(started) == 8
        Outbox(here.state).clear()
        left.look([here])
        assert left._started == {}


def now_quiet(away: int) -> str:
    now = time.localtime()
    minute = now.tm_hour * 60 + now.tm_min
    ends = [(minute + away + part) % 1440 for part in (-60, 60)]
    return "-".join(f"{end // 60:02}:{end % 60:02}" for end in ends)


def test_in_quiet_hours_nothing_is_sent_and_afterwards_it_is(
    project: Project, box: Mailbox
) -> None:
    told_by(project, box, f'quiet = "{now_quiet(0)}"')
    one_proposed(project, "app.txt", b"short\n")
    os.waitpid(process._STARTED.pop(0), 0)
    assert box.asked == 0
    assert pending(project)
    told_by(project, box, f'quiet = "{now_quiet(300)}"')
    run_teller(project)
    assert len(box.got) == 1


def test_contents_are_sent_only_where_the_user_asks_for_them(
    project: Project, box: Mailbox
) -> None:
    project.write("app.txt", OLD)
    told_by(project, box, "contents = true")
    one_proposed(project, "app.txt", b"sh\xe2\x80\xaeort\n")
    box.until(lambda: bool(box.got))
    assert "+sh⟦U+202E RLO⟧ort" in box.got[0]["message"]
    assert "-line 7" in box.got[0]["message"]


def test_a_project_cannot_have_its_paths_sent_anywhere(project: Project, box: Mailbox) -> None:
    from tests.cli.pending import RULES

    link = 'link = "http://evil.example"'
    project.write("penstock.toml", f'{RULES}\n[notify]\ntargets = ["{box.target}"]\n{link}\n')
    one_proposed(project, "app.txt", b"short\n")
    assert process._STARTED == []
    run_teller(project)
    assert box.asked == 0
    done = project.run("notify", "test", "--json")
    assert done.json["targets"] == []
    assert done.json["ignored"] == [str(project.root / "penstock.toml")]
    checked = project.run("check")
    assert checked.code == 0
    assert "`targets` and `link` of [notify] are ignored in this file" in checked.out


def test_no_output_and_no_record_ever_shows_an_address(project: Project, box: Mailbox) -> None:
    told_by(project, box)
    one = one_proposed(project, "app.txt", b"short\n")
    box.until(lambda: bool(box.got))
    shown = [
        project.run(*argv)
        for argv in (
            ("notify", "test"),
            ("notify", "test", "--json"),
            ("check",),
            ("check", "--json"),
            ("status", "--json"),
            ("show", one, "--json"),
            ("audit", "log"),
        )
    ]
    text = "".join(done.out + done.err for done in shown)
    text += (state_dir(project) / "audit.jsonl").read_text()
    text += (state_dir(project) / "notify" / "told.json").read_text()
    assert "s3cr3t" not in text
    assert "json-" in text, "a target has a name all the same"
    assert shown[0].code == 0


def test_a_wrong_target_is_told_by_check_without_the_address(project: Project) -> None:
    user_rules(project, 'targets = ["exec://s3cr3t-t0k3n", "s3cr3t-w0rd"]')
    done = project.run("check")
    assert done.code != 0
    assert "is a `exec` target" in done.out + done.err
    assert "s3cr3t" not in done.out + done.err


def test_an_agent_cannot_have_test_messages_sent(project: Project, box: Mailbox) -> None:
    told_by(project, box)
    done = project.run("notify", "test", env={"CLAUDECODE": "1"})
    assert done.err.startswith("error[inside-agent]")
    assert box.asked == 0


def test_a_descriptor_of_whoever_proposes_is_not_held_open(project: Project, box: Mailbox) -> None:
    told_by(project, box)
    box.open.clear()
    read, write = os.pipe()
    os.set_inheritable(write, True)
    one_proposed(project, "app.txt", b"short\n")
    box.until(lambda: box.asked == 1)
    os.close(write)
    assert os.read(read, 1) == b"", "nobody else has the other end"
    os.close(read)


def test_nothing_that_goes_wrong_with_telling_stops_a_proposal(
    project: Project, box: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    told_by(project, box)
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    one = one_proposed(project, "app.txt", b"short\n")
    (state_dir(project) / "notify" / "running.lock").unlink()
    (state_dir(project) / "notify" / "pending").unlink()
    (state_dir(project) / "notify").rmdir()
    (state_dir(project) / "notify").write_text("in the way")
    other = one_proposed(project, "b.txt", b"short\n")
    assert one != other


# -- through the doors -----------------------------------------------------------------------------


def test_a_hook_that_proposes_answers_at_once_and_somebody_is_told(
    project: Project, box: Mailbox
) -> None:
    told_by(project, box)
    project.write("penstock.toml", 'version = 1\nmode = "propose"\n[defaults]\nwrite = "ask"\n')
    box.open.clear()  # the service hangs, and nobody waits for it
    call = {
        "hook_event_name": "PreToolUse",
        "session_id": "s",
        "cwd": str(project.root),
        "tool_name": "Write",
        "tool_use_id": "t1",
        "tool_input": {"file_path": str(project.root / "app.txt"), "content": "x\n"},
    }
    off = {"PENSTOCK_RESIDENT": "off"}
    done = project.run("hook", "--agent", "claude", stdin=json.dumps(call), env=off)
    assert "`penstock approve " in done.out, done.err
    box.open.set()
    box.until(lambda: bool(box.got))
    assert box.got[0]["title"] == "Penstock: app.txt needs approval in project"

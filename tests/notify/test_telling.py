"""A waiting proposal reaches the person: real processes, a real service on this machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from penstock.app import notify, open_workspace
from penstock.app.telling import MOST_TRIES, TRIES_AT_ONCE, Teller
from penstock.core.notify import Message
from penstock.stores.messages import Target, send, show_on_desktop, targets_of
from penstock.stores.outbox import Outbox
from tests.cli.waiting import events, one_proposed, proposed, state_dir, surroundings_of
from tests.notify.mailbox import DEADLINE, Mailbox, mailbox
from tests.project import Project

OLD = "".join(f"line {at}\n" for at in range(1, 21))
SAID = Message(title="a title", body="a body")


@pytest.fixture
def box() -> Iterator[Mailbox]:
    with mailbox() as made:
        yield made


@pytest.fixture(autouse=True)
def nothing_is_left_running() -> Iterator[None]:
    """What a test started has ended before the next one begins."""
    yield
    for pid in notify._STARTED[:]:
        os.waitpid(pid, 0)
        notify._STARTED.remove(pid)


def user_rules(project: Project, text: str) -> None:
    folder = project.home / "config" / "penstock"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "penstock.toml").write_text(f"version = 1\n\n[notify]\n{text}\n")


def told_by(project: Project, box: Mailbox, more: str = "") -> None:
    user_rules(project, f'targets = ["{box.target}"]\nevery_seconds = 0\n{more}')


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
    assert box.got[0]["title"] == "Penstock: app.txt waits for you in project"
    body = box.got[0]["message"]
    assert "REPLACE app.txt: 20 of 20 lines would be lost, 1 new" in body
    assert f"http://127.0.0.1:7717/proposals/{one}" in body
    assert "line 7" not in body
    assert "short" not in body


def test_a_set_is_one_message_and_nothing_is_told_twice(project: Project, box: Mailbox) -> None:
    told_by(project, box)
    proposed(project, {"a.txt": b"a\n", "b.txt": b"b\n", "c.txt": b"c\n"})
    box.until(lambda: bool(box.got))
    run_teller(project)
    assert [got["title"] for got in box.got] == [
        "Penstock: a change of 3 files waits for you in project"
    ]
    sent = events(project, "notified")
    assert [event["status"] for event in sent] == ["sent"]


def test_what_needs_nobody_tells_nobody(project: Project, box: Mailbox) -> None:
    told_by(project, box)
    one_proposed(project, "notes/a.txt", b"allowed\n")
    one_proposed(project, ".env", b"denied\n")
    assert not Outbox(str(state_dir(project))).pending
    assert notify._STARTED == []


def test_many_are_told_together(
    project: Project, box: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(notify.SWITCH, "off")
    told_by(project, box)
    for at in range(30):
        one_proposed(project, f"f{at}.txt", b"x\n")
    run_teller(project)
    assert [got["title"] for got in box.got] == ["Penstock: 30 changes wait for you in project"]
    assert "... and 20 more" in box.got[0]["message"]


class EnoughError(Exception):
    """The nap that was expected has begun."""


def test_two_messages_do_not_follow_one_another_at_once(
    project: Project, box: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(notify.SWITCH, "off")
    user_rules(project, f'targets = ["{box.target}"]\nevery_seconds = 600')
    one_proposed(project, "a.txt", b"x\n")
    run_teller(project)
    one_proposed(project, "b.txt", b"x\n")
    naps: list[float] = []

    def nap(seconds: float) -> None:
        naps.append(seconds)
        raise EnoughError

    with surroundings_of(project), pytest.raises(EnoughError):
        Teller(open_workspace(str(project.root)), os.environ, sleep=nap).run()
    assert 0 < naps[0] <= 600
    assert len(box.got) == 1


def test_where_time_is_over_the_next_process_goes_on(
    project: Project, box: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(notify.SWITCH, "off")
    user_rules(project, f'targets = ["{box.target}"]\nevery_seconds = 600')
    one_proposed(project, "a.txt", b"x\n")
    run_teller(project)
    one_proposed(project, "b.txt", b"x\n")
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
    assert len(notify._STARTED) == 1, "one process is enough"
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
    for pid in notify._STARTED[:]:
        os.waitpid(pid, 0)
        notify._STARTED.remove(pid)
    assert len(box.got) == 1


def test_a_process_that_is_killed_while_sending_loses_nothing(
    project: Project, box: Mailbox
) -> None:
    told_by(project, box)
    box.open.clear()
    one_proposed(project, "app.txt", b"short\n")
    box.until(lambda: box.asked == 1)
    os.kill(notify._STARTED[0], 9)
    os.waitpid(notify._STARTED.pop(0), 0)
    assert Outbox(str(state_dir(project))).pending
    box.status = 503  # for the request that nobody waits for any more
    box.open.set()
    box.status = 200
    run_teller(project)
    assert box.got[-1]["title"] == "Penstock: app.txt waits for you in project"
    assert not Outbox(str(state_dir(project))).pending


def test_a_service_that_is_down_is_tried_again_later_and_the_record_says_so(
    project: Project, box: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(notify.SWITCH, "off")
    told_by(project, box)
    one_proposed(project, "app.txt", b"short\n")
    box.status = 500
    naps: list[float] = []
    run_teller(project, naps=naps)
    assert box.asked == TRIES_AT_ONCE
    assert [round(nap) for nap in naps] == [1, 2], "each wait is longer than the one before"
    failed = events(project, "notified")
    assert [event["status"] for event in failed] == ["error"]
    assert "did not take it" in str(failed[0]["reason"])
    assert Outbox(str(state_dir(project))).pending
    box.status = 200
    run_teller(project)
    assert len(box.got) == 1
    assert not Outbox(str(state_dir(project))).pending


def test_a_service_that_is_down_for_good_is_given_up(
    project: Project, box: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(notify.SWITCH, "off")
    told_by(project, box)
    one_proposed(project, "app.txt", b"short\n")
    box.status = 500
    for _ in range(MOST_TRIES // TRIES_AT_ONCE + 1):
        run_teller(project)
    assert box.asked == MOST_TRIES
    assert [event["status"] for event in events(project, "notified")] == ["error", "error"]
    assert not Outbox(str(state_dir(project))).pending


def test_what_was_left_over_is_told_by_a_process_that_stays(
    project: Project, box: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(notify.SWITCH, "off")
    told_by(project, box)
    one_proposed(project, "app.txt", b"short\n")
    monkeypatch.delenv(notify.SWITCH)
    with surroundings_of(project):
        stop = threading.Event()
        thread = notify.start(stop)
        try:
            box.until(lambda: bool(box.got))
        finally:
            stop.set()
            thread.join()
    assert len(box.got) == 1


def test_a_process_that_stays_asks_less_and_less_often(
    project: Project, box: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(notify.SWITCH, "off")
    told_by(project, box)
    one_proposed(project, "app.txt", b"short\n")
    started: list[str] = []
    left = notify.Leftovers(started.append)
    with surroundings_of(project):
        here = open_workspace(str(project.root))
        left.look([here])
        left.look([here])
        assert started == [here.root], "not again before its time"
        for count in range(1, 8):
            left._started[here.root] = left._started[here.root][0], 0.0
            left.look([here])
            pause = left._started[here.root][1] - time.monotonic()
            assert pause <= min(notify.START_EVERY * 2.0**count, notify.MOST_BETWEEN)
        assert len(started) == 8
        Outbox(here.state).clear()
        left.look([here])
        assert left._started == {}


def test_a_slow_service_is_left_in_time(box: Mailbox) -> None:
    box.open.clear()
    wrong = send(Target(name="x", address=f"{box.target}?rto=30"), SAID, within=0.5)
    assert wrong in ("the service did not answer within 0.5 seconds", "the service did not take it")


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
    os.waitpid(notify._STARTED.pop(0), 0)
    assert box.asked == 0
    assert Outbox(str(state_dir(project))).pending
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
    from tests.cli.waiting import RULES

    link = 'link = "http://evil.example"'
    project.write("penstock.toml", f'{RULES}\n[notify]\ntargets = ["{box.target}"]\n{link}\n')
    one_proposed(project, "app.txt", b"short\n")
    assert notify._STARTED == []
    run_teller(project)
    assert box.asked == 0
    done = project.run("notify", "test", "--json")
    assert done.json["targets"] == []
    assert done.json["ignored"] == [str(project.root / "penstock.toml")]
    checked = project.run("check")
    assert checked.code == 0
    assert "`targets` and `link` of [notify] do not count here" in checked.out


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


# -- where addresses are kept ----------------------------------------------------------------------


def test_addresses_come_from_a_variable_or_from_a_file_of_ones_own(tmp_path: Path) -> None:
    kept = tmp_path / "targets"
    kept.write_text("# mine\n\njson://a\nntfy://host/topic\n")
    kept.chmod(0o600)
    texts = ("env:TELL", "file:targets", f"file:{kept}", "env:MISSING")
    found = targets_of(texts, {"TELL": "json://b"}, beside=str(tmp_path))
    assert [one.address for one in found] == ["json://b", "json://a", "ntfy://host/topic", ""]
    assert found[0].name == "env:TELL"
    assert found[-1].fault == "the variable is not set"


@pytest.mark.parametrize("mode", [0o644, 0o660, 0o602])
def test_a_file_that_others_can_read_is_not_used(tmp_path: Path, mode: int) -> None:
    kept = tmp_path / "targets"
    kept.write_text("json://a\n")
    kept.chmod(mode)
    (found,) = targets_of(("file:targets",), {}, beside=str(tmp_path))
    assert found.address == ""
    assert "others can read or write it" in found.fault


@pytest.mark.parametrize("value", ["syslog://", "syslog://local", "dbus://x", "env:OTHER", "words"])
def test_what_may_not_be_a_target_may_not_be_one_in_a_variable_either(value: str) -> None:
    (found,) = targets_of(("env:TELL",), {"TELL": value}, beside="/")
    assert found.address == ""
    assert send(found, SAID)


def test_a_folder_a_pipe_or_nothing_is_no_list_of_addresses(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe", 0o600)
    for name in (".", "pipe", "missing", "a\0b"):
        (found,) = targets_of((f"file:{name}",), {}, beside=str(tmp_path))
        assert found.fault


def test_without_the_extra_the_answer_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "apprise", None)
    assert "pip install 'penstock[notify]'" in send(Target(name="x", address="json://a"), SAID)


def test_a_service_that_nobody_knows_is_told() -> None:
    assert "does not know" in send(Target(name="x", address="nosuchservice://a"), SAID)


KNOWN = [
    "slack://AAAAAAAAA/BBBBBBBBB/cccccccccccccccccccccccc/#general",
    "workflows://host:443/workflow/signature",
    "ntfys://ntfy.sh/topic",
    "mailtos://user:password@example.com",
    "discord://4174216298/JHMHI8qBe7bk2ZwO5U711o3dV_js",
    "jsons://host/path",
    "https://hooks.slack.com/services/T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ",
]


@pytest.mark.parametrize("address", KNOWN)
def test_the_services_of_the_manual_are_known_and_none_of_them_is_local(address: str) -> None:
    import warnings

    from penstock.stores.messages import _asset, _is_local

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from apprise import Apprise

        to = Apprise(asset=_asset())
        assert to.add(address)
    assert not any(_is_local(one) for one in to)


@pytest.mark.parametrize("schema", ["syslog", "dbus", "gnome", "glib"])
def test_a_local_service_that_came_through_is_still_refused(schema: str) -> None:
    assert send(Target(name="x", address=f"{schema}://"), SAID)


def test_another_kind_of_service_gets_the_same_message(box: Mailbox) -> None:
    target = Target(name="x", address=f"ntfy://127.0.0.1:{box.port}/topic")
    assert send(target, SAID) == ""
    assert (box.got[0]["title"], box.got[0]["message"]) == (SAID.title, SAID.body)


# -- the desktop -----------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform == "darwin", reason="the other desktop")
def test_the_desktop_gets_the_words_as_arguments_and_its_markup_written_out(
    tmp_path: Path,
) -> None:
    program = tmp_path / "notify-send"
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {tmp_path}/words\n')
    program.chmod(0o755)
    said = Message(title="--help $(id)", body="<b>x</b> & y")
    environ = {"DISPLAY": ":0", "PATH": "/usr/bin:/bin"}
    assert show_on_desktop(said, environ, programs=str(tmp_path)) == ""
    assert (tmp_path / "words").read_text().splitlines() == [
        "--app-name=Penstock",
        "--",
        "--help $(id)",
        "&lt;b&gt;x&lt;/b&gt; &amp; y",
    ]
    assert show_on_desktop(said, {}, programs=str(tmp_path)) == "there is no desktop here"
    program.write_text("#!/bin/sh\nexit 1\n")
    assert "did not take it" in show_on_desktop(said, environ, programs=str(tmp_path))


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
    assert "hitl-" in done.out, done.err
    box.open.set()
    box.until(lambda: bool(box.got))
    assert box.got[0]["title"] == "Penstock: app.txt waits for you in project"

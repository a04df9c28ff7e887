"""Where addresses are kept, which of them may be used, and what a service or a desktop is sent."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from penstock.core.notify.message import Message
from penstock.stores.notify.send import MessageTarget, send, show_on_desktop, targets_of
from tests.app.mailbox import Mailbox

SAID = Message(title="a title", body="a body")


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
    assert "it is accessible by other users; run `chmod 600` on it" in found.fault


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
    assert "pip install 'penstock-gate[notify]'" in send(
        MessageTarget(name="x", address="json://a"), SAID
    )


def test_a_service_that_nobody_knows_is_told() -> None:
    assert "does not know" in send(MessageTarget(name="x", address="nosuchservice://a"), SAID)


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

    from penstock.stores.notify.send import _asset, _is_local

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from apprise import Apprise

        to = Apprise(asset=_asset())
        assert to.add(address)
    assert not any(_is_local(one) for one in to)


@pytest.mark.parametrize("schema", ["syslog", "dbus", "gnome", "glib"])
def test_a_local_service_that_came_through_is_still_refused(schema: str) -> None:
    assert send(MessageTarget(name="x", address=f"{schema}://"), SAID)


def test_another_kind_of_service_gets_the_same_message(box: Mailbox) -> None:
    target = MessageTarget(name="x", address=f"ntfy://127.0.0.1:{box.port}/topic")
    assert send(target, SAID) == ""
    assert (box.got[0]["title"], box.got[0]["message"]) == (SAID.title, SAID.body)


def test_a_slow_service_is_left_in_time(box: Mailbox) -> None:
    box.open.clear()
    wrong = send(MessageTarget(name="x", address=f"{box.target}?rto=30"), SAID, within=0.5)
    assert wrong in ("the service did not answer within 0.5 seconds", "the service rejected it")


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
    assert show_on_desktop(said, {}, programs=str(tmp_path)) == "no desktop available"
    program.write_text("#!/bin/sh\nexit 1\n")
    assert "the desktop rejected it" in show_on_desktop(said, environ, programs=str(tmp_path))

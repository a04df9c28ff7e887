"""The approver's key: sealed, private, never written over; and the passphrase's way to it."""

from __future__ import annotations

import base64
import json
import os
import pty
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from penstock.core.errors import InputError, PenstockError, RefusedError, StoreError
from penstock.core.proposals.signature import check, code_at, key_id, statement, step_of
from penstock.stores.approver.keys import ApproverKeys, weakness
from penstock.stores.approver.passphrase import (
    LIMIT,
    passphrase_from_environment,
    passphrase_from_fd,
)

CHEAP = 2**14  # the least that a file may ask for; the real cost is 2**17
PASS = "correct horse battery staple"
SAID = statement("p", None, "sha256:c", "r", 1.0)
AT = 1_700_000_000.0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "keys"


@pytest.fixture
def keys(folder: Path) -> ApproverKeys:
    return ApproverKeys(str(folder), cost=CHEAP)


def refused(code: str, call: Callable[[], object], kind: type = RefusedError) -> PenstockError:
    with pytest.raises(kind) as caught:
        call()
    assert isinstance(caught.value, PenstockError)
    assert caught.value.code == code
    return caught.value


def test_what_is_signed_with_the_key_holds(keys: ApproverKeys) -> None:
    made = keys.init(PASS)
    signer = keys.unseal(PASS)
    signature, name = signer(SAID)
    assert name == made.id == signer.id == key_id(made.public)
    assert check(made.public, SAID, signature)
    assert keys.valid(SAID, signature, name)
    assert not keys.valid(SAID + b"x", signature, name)
    assert not keys.valid(SAID, signature, "another")
    assert base64.b64decode(made.text) == made.public


def test_every_key_is_another(tmp_path: Path) -> None:
    ids = {ApproverKeys(str(tmp_path / str(n)), cost=CHEAP).init(PASS).id for n in range(3)}
    assert len(ids) == 3


def test_the_key_is_private(keys: ApproverKeys, folder: Path) -> None:
    old = os.umask(0)
    try:
        keys.init(PASS)
    finally:
        os.umask(old)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert [stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()] == [0o600]


def test_the_secret_is_nowhere_in_the_clear(keys: ApproverKeys, folder: Path) -> None:
    keys.init(PASS)
    secret = keys.unseal(PASS)._secret
    text = (folder / "approver.key").read_bytes()
    for spelled in (secret, base64.b64encode(secret), secret.hex().encode(), PASS.encode()):
        assert spelled not in text
    assert str(secret) not in repr(keys.unseal(PASS))


def test_without_a_key_nothing_is_required_and_nothing_opens(
    keys: ApproverKeys, folder: Path
) -> None:
    assert not keys.exists()
    assert not keys.required()
    assert keys.public() is None
    assert not keys.valid(SAID, "", "")
    refused("no-key", lambda: keys.unseal(PASS))
    refused("no-key", lambda: keys.change_passphrase(PASS, "new"))
    assert not folder.exists(), "asking makes nothing"


def test_a_key_that_exists_is_never_written_over(keys: ApproverKeys, folder: Path) -> None:
    made = keys.init(PASS)
    before = (folder / "approver.key").read_bytes()
    refused("key-exists", lambda: keys.init("the agent's own passphrase"), InputError)
    assert (folder / "approver.key").read_bytes() == before
    assert keys.public() == made


def test_a_damaged_or_hidden_key_still_counts_as_one(keys: ApproverKeys, folder: Path) -> None:
    """Otherwise breaking the key would be a way to do without it."""
    folder.mkdir(mode=0o700)
    for spoil in (lambda p: p.write_text(""), lambda p: os.symlink("/nowhere", p)):
        spoil(folder / "approver.key")
        assert keys.required()
        with pytest.raises(PenstockError):
            keys.valid(SAID, "", "")
        refused("key-exists", lambda: keys.init(PASS), InputError)
        (folder / "approver.key").unlink()


def test_a_key_that_we_may_not_look_at_still_counts_as_one(
    keys: ApproverKeys, folder: Path
) -> None:
    """Otherwise closing its directory would be a way to do without it."""
    keys.init(PASS)
    folder.chmod(0)
    pid = os.fork()
    if pid == 0:  # pragma: no cover - in another process
        code = 2
        try:
            if os.geteuid() == 0:  # whom no directory is closed to
                os.setuid(65534)
            code = 0 if keys.required() else 1
        finally:
            os._exit(code)
    assert os.waitpid(pid, 0)[1] == 0
    folder.chmod(0o700)


def test_of_two_who_make_a_key_at_once_one_does(folder: Path) -> None:
    made: list[object] = []

    def attempt() -> None:
        try:
            made.append(ApproverKeys(str(folder), cost=CHEAP).init(PASS))
        except InputError:
            made.append(None)

    threads = [threading.Thread(target=attempt) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made.count(None) == 3


WRONG = ["", "x", PASS + " ", " " + PASS, PASS.upper(), PASS[:-1], "\udc80", "x" * 100_000, "\0"]


@pytest.mark.parametrize("typed", WRONG, ids=[ascii(text[:12]) for text in WRONG])
def test_a_wrong_passphrase_is_refused_in_the_same_words(keys: ApproverKeys, typed: str) -> None:
    keys.init(PASS)
    error = refused("wrong-passphrase", lambda: keys.unseal(typed))
    assert error.render() == (
        "error[wrong-passphrase]: wrong passphrase for the approver key\n  try: type it again"
    )


def test_an_empty_passphrase_seals_nothing(keys: ApproverKeys) -> None:
    refused("no-passphrase", lambda: keys.init(""), InputError)
    assert not keys.exists()


def test_an_accent_is_the_same_however_it_was_composed(keys: ApproverKeys) -> None:
    keys.init("caf\u00e9")
    assert keys.unseal("cafe\u0301").id


def test_the_passphrase_can_be_changed_and_the_key_stays(keys: ApproverKeys, folder: Path) -> None:
    made = keys.init(PASS)
    refused("wrong-passphrase", lambda: keys.change_passphrase("wrong", "new one"))
    refused("no-passphrase", lambda: keys.change_passphrase(PASS, ""), InputError)
    assert keys.unseal(PASS).id == made.id
    assert keys.change_passphrase(PASS, "new one").id == made.id
    refused("wrong-passphrase", lambda: keys.unseal(PASS))
    assert keys.unseal("new one").public == made.public
    assert [path.name for path in folder.iterdir()] == ["approver.key"]


def test_the_real_cost_is_high(folder: Path) -> None:
    ApproverKeys(str(folder)).init(PASS)
    held = json.loads((folder / "approver.key").read_text())
    assert held["scrypt"] == {"n": 2**17, "r": 8, "p": 1}
    assert ApproverKeys(str(folder), cost=CHEAP).unseal(PASS), "the file says what it needs"


# Tampering


def edited(folder: Path, **changes: Any) -> None:
    path = folder / "approver.key"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


OTHER = base64.b64encode(bytes(range(32))).decode()
EXCHANGED = [
    ("another public half", {"public": OTHER}),
    ("another salt", {"salt": base64.b64encode(bytes(16)).decode()}),
    ("another nonce", {"nonce": base64.b64encode(bytes(12)).decode()}),
    ("codes switched off or on", {"totp": True}),
    ("a note added", {"note": "hello"}),
    ("a cheaper cost", {"scrypt": {"n": 2**15, "r": 8, "p": 1}}),
    ("another seal", {"sealed": OTHER}),
]


@pytest.mark.parametrize(("why", "change"), EXCHANGED, ids=[row[0] for row in EXCHANGED])
def test_a_key_whose_open_part_was_exchanged_does_not_open(
    keys: ApproverKeys, folder: Path, why: str, change: dict[str, Any]
) -> None:
    keys.init(PASS)
    edited(folder, **change)
    refused("wrong-passphrase", lambda: keys.unseal(PASS))


BROKEN = [
    ("emptied", b""),
    ("not JSON", b"{"),
    ("not an object", b"[]"),
    ("nothing in it", b"{}"),
    ("not text", b"\xff\xfe"),
    ("far too deep", b"[" * 60_000),
    ("far too large", b'{"a":"' + b"b" * 70_000 + b'"}'),
]
UNFIT: list[tuple[str, dict[str, Any]]] = [
    ("a cost that would fill the memory", {"scrypt": {"n": 2**40, "r": 8, "p": 1}}),
    ("a cost that protects nothing", {"scrypt": {"n": 2, "r": 8, "p": 1}}),
    ("a cost that is no power of two", {"scrypt": {"n": 20_000, "r": 8, "p": 1}}),
    ("a cost that is a list", {"scrypt": []}),
    ("many lanes", {"scrypt": {"n": 2**14, "r": 8, "p": 10**6}}),
    ("a newer version", {"v": 2}),
    ("another kind", {"kind": "ssh key"}),
    ("a short public half", {"public": "AAAA"}),
    ("a public half that is no base64", {"public": "?" * 44}),
    ("a public half that is a number", {"public": 7}),
    ("no seal", {"sealed": ""}),
    ("codes that are a word", {"totp": "yes"}),
]


@pytest.mark.parametrize(("why", "data"), BROKEN, ids=[row[0] for row in BROKEN])
def test_what_is_no_key_is_told(keys: ApproverKeys, folder: Path, why: str, data: bytes) -> None:
    keys.init(PASS)
    (folder / "approver.key").write_bytes(data)
    for call in (keys.public, lambda: keys.unseal(PASS)):
        with pytest.raises(StoreError) as caught:
            call()
        assert caught.value.code == "key-broken"


@pytest.mark.parametrize(("why", "change"), UNFIT, ids=[row[0] for row in UNFIT])
def test_a_key_that_asks_for_the_impossible_is_told(
    keys: ApproverKeys, folder: Path, why: str, change: dict[str, Any]
) -> None:
    keys.init(PASS)
    edited(folder, **change)
    refused("key-broken", lambda: keys.unseal(PASS), StoreError)


def test_no_link_is_followed(keys: ApproverKeys, folder: Path, tmp_path: Path) -> None:
    other = ApproverKeys(str(tmp_path / "other"), cost=CHEAP)
    other.init("the agent's")
    folder.mkdir(mode=0o700)
    os.symlink(tmp_path / "other" / "approver.key", folder / "approver.key")
    refused("is-symlink", lambda: keys.unseal("the agent's"), StoreError)


def test_a_directory_that_others_can_write_holds_no_key(keys: ApproverKeys, folder: Path) -> None:
    folder.mkdir()
    folder.chmod(0o777)
    refused("state-exposed", lambda: keys.init(PASS), StoreError)


# One-time codes


def secret_of(uri: str) -> bytes:
    text = parse_qs(urlsplit(uri).query)["secret"][0]
    return base64.b32decode(text + "=" * (-len(text) % 8))


@pytest.fixture
def totp(keys: ApproverKeys) -> bytes:
    keys.init(PASS)
    return secret_of(keys.add_totp(PASS, label="ada"))


def test_with_codes_the_passphrase_alone_is_not_enough(keys: ApproverKeys, totp: bytes) -> None:
    public = keys.public()
    assert public is not None
    assert public.totp
    refused("code-needed", lambda: keys.unseal(PASS))
    refused("wrong-code", lambda: keys.unseal(PASS, code="000000x", at=AT))
    refused("wrong-passphrase", lambda: keys.unseal("x", code=code_at(totp, step_of(AT)), at=AT))
    assert keys.unseal(PASS, code=code_at(totp, step_of(AT)), at=AT).id == public.id


def test_a_code_opens_once(keys: ApproverKeys, totp: bytes, folder: Path) -> None:
    code = code_at(totp, step_of(AT))
    keys.unseal(PASS, code=code, at=AT)
    refused("wrong-code", lambda: keys.unseal(PASS, code=code, at=AT))
    earlier = code_at(totp, step_of(AT) - 1)
    refused("wrong-code", lambda: keys.unseal(PASS, code=earlier, at=AT))
    again = ApproverKeys(str(folder))
    refused("wrong-code", lambda: again.unseal(PASS, code=code, at=AT))
    assert again.unseal(PASS, code=code_at(totp, step_of(AT) + 1), at=AT + 30)


def test_of_two_with_the_same_code_one_gets_in(keys: ApproverKeys, totp: bytes) -> None:
    code = code_at(totp, step_of(AT))
    got: list[bool] = []

    def attempt() -> None:
        try:
            got.append(bool(keys.unseal(PASS, code=code, at=AT)))
        except RefusedError:
            got.append(False)

    threads = [threading.Thread(target=attempt) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(got) == [False, False, False, True]


def test_codes_are_of_now_unless_told_otherwise(keys: ApproverKeys, totp: bytes) -> None:
    import time

    for _ in range(2):  # a step may end between the two looks at the clock
        before = step_of(time.time())
        code = code_at(totp, before)
        if step_of(time.time()) == before:
            break
    assert keys.unseal(PASS, code=code)


def test_codes_stay_when_the_passphrase_changes(keys: ApproverKeys, totp: bytes) -> None:
    keys.change_passphrase(PASS, "new one")
    refused("code-needed", lambda: keys.unseal("new one"))
    assert keys.unseal("new one", code=code_at(totp, step_of(AT)), at=AT)


def test_codes_are_set_up_once_and_taken_away_with_a_code(keys: ApproverKeys, totp: bytes) -> None:
    refused("totp-exists", lambda: keys.add_totp(PASS), InputError)
    refused("wrong-passphrase", lambda: keys.remove_totp("x", code="000000", at=AT))
    refused("wrong-code", lambda: keys.remove_totp(PASS, code="abcdef", at=AT))
    keys.remove_totp(PASS, code=code_at(totp, step_of(AT)), at=AT)
    assert keys.unseal(PASS)


def test_a_memory_of_codes_that_cannot_be_read_is_told(
    keys: ApproverKeys, totp: bytes, folder: Path
) -> None:
    (folder / "approver.used").write_text("soon")
    refused("key-broken", lambda: keys.unseal(PASS, code="123456", at=AT), StoreError)


@pytest.mark.parametrize(
    ("passphrase", "weak"),
    [("short", True), ("aaaaaaaaaaaaaaaa", True), (PASS, False), ("zwölf Zeichen!", False)],
)
def test_weak_passphrases_are_named(passphrase: str, weak: bool) -> None:
    assert bool(weakness(passphrase)) is weak


# The passphrase's way


def pipe_with(data: bytes) -> int:
    read, write = os.pipe()
    os.write(write, data)
    os.close(write)
    return read


LINES = [
    (b"secret\n", "secret"),
    (b"secret", "secret"),
    (b"secret\r\n", "secret"),
    (b" spaces count \n", " spaces count "),
    (b"caf\xc3\xa9\nmore\n", "café"),
    (b"x" * LIMIT + b"\n", "x" * LIMIT),
]


@pytest.mark.parametrize(("data", "text"), LINES, ids=[str(line[0][:9]) for line in LINES])
def test_one_line_is_the_passphrase(data: bytes, text: str) -> None:
    assert passphrase_from_fd(pipe_with(data)) == text


NO_LINES = [b"", b"\n", b"\r\n", b"\xff\xfe\n", b"x" * (LIMIT + 1)]


@pytest.mark.parametrize("data", NO_LINES, ids=["nothing", "empty", "cr", "not utf-8", "too long"])
def test_what_is_no_line_is_no_passphrase(data: bytes) -> None:
    fd = pipe_with(data)
    with pytest.raises(InputError):
        passphrase_from_fd(fd)


def test_the_descriptor_is_closed_after_use() -> None:
    fd = pipe_with(b"secret\nand more\n")
    passphrase_from_fd(fd)
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(fd)


def test_waiting_has_an_end() -> None:
    read, write = os.pipe()
    error = refused("bad-descriptor", lambda: passphrase_from_fd(read, patience=0.01), InputError)
    assert "timed out" in error.because
    os.close(read)
    os.close(write)


def test_a_terminal_would_show_what_is_typed() -> None:
    master, slave = pty.openpty()
    refused("bad-descriptor", lambda: passphrase_from_fd(slave), InputError)
    os.close(master)
    os.close(slave)


@pytest.mark.parametrize("fd", [1, 2, 9999, -1, 2**70])
def test_descriptors_that_are_for_output_or_not_open_are_refused(fd: int) -> None:
    refused("bad-descriptor", lambda: passphrase_from_fd(fd), InputError)


def test_the_environment_holds_the_number_and_never_the_passphrase() -> None:
    assert passphrase_from_environment({}) is None
    assert passphrase_from_environment({"PENSTOCK_PASSPHRASE": "secret"}) is None
    fd = pipe_with(b"secret\n")
    assert passphrase_from_environment({"PENSTOCK_PASSPHRASE_FD": str(fd)}) == "secret"


@pytest.mark.parametrize("text", ["", "three", "-1", "3.0", "²", "9" * 30, "secret"])
def test_a_number_that_is_none_is_refused(text: str) -> None:
    environ = {"PENSTOCK_PASSPHRASE_FD": text}
    refused("bad-descriptor", lambda: passphrase_from_environment(environ), InputError)


def test_what_follows_the_line_on_standard_input_is_left_there() -> None:
    script = (
        "import sys; from penstock.stores.approver.passphrase import passphrase_from_fd;"
        "print(passphrase_from_fd(0)); print(sys.stdin.read())"
    )
    told = subprocess.run(
        [sys.executable, "-c", script], input=b"secret\nyes\n", capture_output=True, check=True
    )
    assert told.stdout.split() == [b"secret", b"yes"]

"""Tokens are made once, are the owner's alone, and anything else in their place is refused."""

from __future__ import annotations

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from penstock.core.errors import StoreError
from penstock.doors.http.tokens import admin_token, hook_token
from penstock.stores.system.private import kept_token


def test_a_token_is_made_once_and_is_its_owners_alone(tmp_path: Path) -> None:
    home = tmp_path / "a" / "state"
    token = hook_token(str(home))
    assert hook_token(str(home)) == token
    assert len(bytes.fromhex(token)) == 32
    assert stat.S_IMODE((home / "hook.token").stat().st_mode) == 0o600
    assert stat.S_IMODE(home.stat().st_mode) == 0o700


def test_the_token_for_judging_is_not_the_persons(tmp_path: Path) -> None:
    assert hook_token(str(tmp_path)) != admin_token(str(tmp_path))


def test_all_who_need_it_at_once_get_the_same_token(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        made = set(pool.map(lambda _: kept_token(str(tmp_path / "s"), "t"), range(32)))
    assert len(made) == 1


@pytest.mark.parametrize(
    "text", [b"", b"\n", b"secret\n", b"g" * 64, b"0" * 63, b"0" * 66, b"\xff"]
)
def test_a_file_that_holds_anything_else_is_refused(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "t").write_bytes(text)
    (tmp_path / "t").chmod(0o600)
    with pytest.raises(StoreError, match="does not hold a token"):
        kept_token(str(tmp_path), "t")


def test_a_token_that_others_could_have_read_is_refused(tmp_path: Path) -> None:
    kept_token(str(tmp_path), "t")
    (tmp_path / "t").chmod(0o640)
    with pytest.raises(StoreError, match="others may have read it"):
        kept_token(str(tmp_path), "t")


def test_no_link_and_no_pipe_is_taken_for_a_token(tmp_path: Path) -> None:
    (tmp_path / "aim").write_bytes(b"0" * 64)
    (tmp_path / "link").symlink_to(tmp_path / "aim")
    os.mkfifo(tmp_path / "pipe")
    for name in ("link", "pipe"):
        with pytest.raises(StoreError):
            kept_token(str(tmp_path), name)

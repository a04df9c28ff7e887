"""Disks that take two names for one: known by a name that is there and not listed."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from penstock.core.model import Action, Request, Verdict
from penstock.core.paths.relpath import locate
from penstock.core.policy.decide import decide
from penstock.core.rules.load import parse_policy
from penstock.stores.files.resolve import DISK, Disk, folds_case, listed_as
from penstock.stores.files.workspace import DiskFiles
from tests.fakes.folding_disk import FoldingDisk

NFC, NFD = (partial(unicodedata.normalize, form) for form in ("NFC", "NFD"))
COMPOSED, APART = NFC("schlüssel"), NFD("schlüssel")
RULES = f"""
version = 1
[[deny]]
id = "kept"
paths = ["**/.env", "**/Cargo.lock", "**/{COMPOSED}"]
"""

# names in the root, whether the disk folds case, normalises, and what is found out
DISKS = [
    ([".env"], "case", True),
    (["README"], "case", True),
    (["1", "2", "penstock.toml"], "case", True),
    ([f"{n:03}" for n in range(60)] + ["name"], "case", True),
    ([APART], "forms", True),
    ([COMPOSED], "forms", True),
    (["straße"], "case", True),
    ([".env"], "none", False),
    ([".env", ".ENV"], "none", False),
    (["readme", *(f"README{n}" for n in range(200)), "README"], "none", False),
    ([APART, COMPOSED], "none", False),
    ([COMPOSED], "none", False),
    ([], "none", False),
    (["1", "2"], "none", False),
]


def disk_of(root: Path, how: str) -> Disk:
    keys: dict[str, Callable[[str], str]] = {"case": str.casefold, "forms": NFC}
    return FoldingDisk(str(root), keys[how]) if how in keys else DISK


@pytest.mark.parametrize(("names", "how", "folds"), DISKS, ids=str)
def test_a_disk_is_known_by_a_name_that_is_there_and_not_listed(
    tmp_path: Path, names: list[str], how: str, folds: bool
) -> None:
    for name in names:
        (tmp_path / name).write_text("x")
    assert folds_case(str(tmp_path), disk_of(tmp_path, how)) is folds


def verdict(files: DiskFiles, path: str, action: Action) -> Verdict:
    target = locate(
        path, root=files.root, resolve=files.resolve, twins=files.twins, folds=files.folds
    )
    policy = parse_policy(RULES)
    return decide(Request(action=action, target=target), policy, now=0).verdict


SPELLINGS = [".env", ".ENV", ".eNv", "sub/.Env", "cargo.lock", "CARGO.LOCK", APART, COMPOSED]


@pytest.mark.parametrize("action", [Action.WRITE, Action.READ, Action.DELETE])
@pytest.mark.parametrize("path", SPELLINGS)
def test_every_spelling_is_protected_where_the_disk_folds(
    tmp_path: Path, path: str, action: Action
) -> None:
    project(tmp_path)
    files = DiskFiles(str(tmp_path), disk=FoldingDisk(str(tmp_path)))
    assert files.folds
    expected = Verdict.ALLOW if action is Action.READ else Verdict.DENY
    assert verdict(files, path, action) is expected


@pytest.mark.parametrize("name", [".ENV", ".eNv", "cargo.lock", APART])
def test_one_directory_may_fold_by_itself(tmp_path: Path, name: str) -> None:
    project(tmp_path)
    files = DiskFiles(str(tmp_path), disk=FoldingDisk(str(tmp_path / "sub")))
    assert not files.folds
    assert verdict(files, f"sub/{name}", Action.WRITE) is Verdict.DENY


@pytest.mark.parametrize("name", [".ENV", "Sub/.env.md", "cargo.lock", "sub/Cargo.Lock"])
def test_where_case_counts_another_case_is_another_file(tmp_path: Path, name: str) -> None:
    project(tmp_path)
    files = DiskFiles(str(tmp_path))
    (tmp_path / "cargo.lock").write_text("a file of its own")
    assert not files.folds
    assert verdict(files, name, Action.WRITE) is Verdict.ALLOW
    assert listed_as(str(tmp_path), str(tmp_path / name)) == []


def project(root: Path) -> None:
    (root / "sub").mkdir()
    for name in (".env", "Cargo.lock", COMPOSED):
        (root / name).write_text("x")
        (root / "sub" / name).write_text("x")

"""The page on the record is true: its program works, and it names every finding and line."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from penstock.core.audit.fast_lines import NOTICED
from penstock.core.audit.findings import TamperKind
from tests import REPOSITORY
from tests.core.audit.records import block, record

PAGE = (REPOSITORY / "docs" / "reference" / "audit-log.md").read_text()


def run(program: str, path: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-I", "-c", program, str(path)],
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_program_on_the_page_verifies_a_record_and_finds_an_edit(tmp_path: Path) -> None:
    match = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert match is not None
    lines = record(5)
    log = tmp_path / "log"
    log.write_bytes(block(lines))
    assert run(match[1], log).stdout.startswith("5 lines, head sha256:")
    log.write_bytes(block(lines).replace(b"f2.py", b"f9.py"))
    assert "line 3 was edited" in run(match[1], log).stderr


def test_every_finding_is_explained_on_the_page() -> None:
    for kind in TamperKind:
        assert f"`{kind.value}`" in PAGE


def test_every_line_that_the_log_writes_about_itself_is_explained_on_the_page() -> None:
    source = REPOSITORY / "src" / "penstock" / "stores" / "audit"
    texts = "".join(
        (source / name).read_text() for name in ("jsonl.py", "append.py", "signed_log.py")
    )
    ops = set(re.findall(r'"op": "(\w+)"', texts))
    assert ops >= NOTICED
    for op in ops:
        assert f"`{op}`" in PAGE

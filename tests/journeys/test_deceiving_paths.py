"""A path that is not what it looks like: whoever decides is told, and asked where it counts."""

from __future__ import annotations

import pytest

from tests.doors.broker.brokers import bench
from tests.doors.hook.hooks import Hook, said
from tests.project import Project

# path, verdict ("" passes), whether it is flagged
PATHS = [
    (".еnv", "ask", True),  # Cyrillic e
    ("app/.еnv.local", "ask", True),
    (".ｅnv", "deny", True),  # full width: some file systems take it for the plain letter
    ("ｐackage-lock.json", "deny", True),
    ("pаckage-lock.json", "ask", True),  # Cyrillic a
    ("sеrver.kеy", "ask", True),
    ("id_rsа", "ask", True),
    (".gіt/config", "ask", True),
    ("рenstock.toml", "ask", True),
    (".\u200benv", "deny", True),
    (".env\u202e", "deny", True),
    ("src\u2066/a.txt", "", True),
    ("report\u202etxt.exe", "", True),
    ("na\u200bme.txt", "", True),
    ("na\u00adme.txt", "", True),
    ("paypаl.txt", "", True),
    ("ѕсоре.txt", "", True),
    ("документ.txt", "", False),
    ("заметки/план.txt", "", False),
    ("мой.env.txt", "", False),
    ("ελληνικά.txt", "", False),
    ("文件/说明.txt", "", False),
    ("日本語ファイル.txt", "", False),
    ("한국어.txt", "", False),
    ("हिन्दी.txt", "", False),
    ("العربية.txt", "", False),
    ("עברית.txt", "", False),
    ("naïve café.txt", "", False),
    ("straße.txt", "", False),
    ("👨\u200d👩\u200d👧.png", "", False),
    ("❤️.txt", "", False),
    ("Δt.txt", "", False),
    ("plain.txt", "", False),
]


@pytest.mark.parametrize(("path", "verdict", "flagged"), PATHS, ids=[ascii(p[0]) for p in PATHS])
def test_the_hook_flags_and_asks(project: Project, path: str, verdict: str, flagged: bool) -> None:
    hook = Hook(project, attended=True)
    answer = said(hook.write(path, "x"))
    assert answer.get("permissionDecision", "") == verdict
    if not verdict:
        assert ("the path `" in answer.get("additionalContext", "")) is flagged


def test_the_broker_flags_what_waits_for_a_person() -> None:
    with bench() as here:
        found = here.ask("write_file", path="src/na\u200bme.py", content="x = 1\n")
        assert "zero-width space" in str(found)
        assert "\u200b" not in found["details"]["hitl"]["summary"]


def test_the_command_line_flags_it(project: Project) -> None:
    done = project.judge("Write", {"file_path": "na\u200bme.txt", "content": "x"})
    assert "zero-width space" in done.out + done.err

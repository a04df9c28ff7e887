"""A path that is not what it looks like: whoever decides is told, and asked where it counts."""

from __future__ import annotations

import pytest

from penstock.core.model import Verdict
from penstock.core.proposals.model import Proposal
from penstock.gate import Gate, Item
from tests.cli.pending import gate_of
from tests.doors.broker.brokers import bench
from tests.doors.hook.hooks import Hook, said
from tests.doors.mcp.client import Talk, Told, talk
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


# Names that a reader takes for a protected one, in letters of many scripts.
TAKEN_FOR_PROTECTED = [
    *(".ᥱnv", ".eոv", ".℮nv", ".еոv", ".eᴨv", ".ᴇnv", ".enν", ".enѵ"),
    *("ꓚargo.lock", "ⅰd_rsa", "uv.ⅼock", ".ցit/config", ".ɡit/hooks/pre-commit", "ѕecrets/a.txt"),
    *(".clаude/settings.json", "реnstock.toml", ".𝐞nv", "．env", ".e\u034fnv", ".env\u3164"),
    *("\ufeff.env", ".env\u00a0", ".env\U000e0020", ".\u2064env", ".env\ufe0f", ".env\u061c"),
]
ORDINARY = [
    *("отчёт-2024.xlsx", "Ελλάδα/readme.md", "中文.env.txt", "données.csv", "ไทย.txt", "தமிழ்.txt"),
    *(
        "עברית-v2.md",
        "ქართული.py",
        "Հայերեն.txt",
        "日本.git.txt",
        "český.pem.md",
        "m².txt",
        "№5.txt",
    ),
    *("👩🏽\u200d💻.md", "🇦🇹.svg", "π.py", "µs.txt", "кот.env.md", "türkçe-ı.txt", "Việt.txt"),
    *("日本語（コピー）.txt", "русский/package.json", "αβγ/package.json", "ಕನ್ನಡ.txt", "“q”.md"),
]


def test_the_library_asks_about_look_alikes_of_every_script(project: Project) -> None:
    project.write("penstock.toml", 'preset = "guard"\n')
    with gate_of(project) as gate:
        made = {path: proposed(gate, path) for path in (*TAKEN_FOR_PROTECTED, *ORDINARY)}
    passed = [ascii(p) for p in TAKEN_FOR_PROTECTED if made[p].decision.verdict is Verdict.ALLOW]
    asked = [p for p in ORDINARY if made[p].decision.verdict is not Verdict.ALLOW]
    flagged = [p for p in ORDINARY if any("the path `" in note for note in notes_of(made[p]))]
    assert (passed, asked, flagged) == ([], [], [])


def test_an_mcp_client_writes_no_look_alike(project: Project) -> None:
    async def play(to: Talk) -> list[Told]:
        names = [*TAKEN_FOR_PROTECTED[::4], *ORDINARY[::4]]
        return [await to.call("write_file", path=name, content="x\n") for name in names]

    talk(project, play)
    there = {str(file.relative_to(project.root)) for file in project.root.rglob("*")}
    assert there.isdisjoint(TAKEN_FOR_PROTECTED)
    assert there.issuperset(ORDINARY[::4])


@pytest.mark.parametrize("path", [".℮nv", ".eոv"])
def test_the_command_line_asks(project: Project, path: str) -> None:
    assert project.judge("Write", {"file_path": path, "content": "x"}).code == 3


def proposed(gate: Gate, path: str) -> Proposal:
    (one,) = gate.propose([Item(path=path, content=b"x\n")])
    return one


def notes_of(one: Proposal) -> tuple[str, ...]:
    return (*one.decision.notes, *one.warnings)

"""Real agents with hooks in an isolated run: what they hear, and that the end of a turn syncs."""

from __future__ import annotations

import json
import os
import shutil
import sys

import pytest

from tests.agents.models import Use
from tests.agents.scene import BIG, NOTES, SECRET, guarded, text_of
from tests.agents.session import Claude, Codex, Gemini, Session
from tests.agents.test_session_start import FILES, shell
from tests.doors.run.test_control import ASK
from tests.project import Project
from tests.stores.isolation.ground import impossible

CANNOT = impossible()
pytestmark = pytest.mark.skipif(bool(CANNOT), reason=f"NOT TESTED: this kernel cannot: {CANNOT}")

RUN = (sys.executable, "-m", "penstock.cli", "run", "--")
END = {Claude: "Stop", Codex: "Stop", Gemini: "AfterAgent"}
PYTHON = os.path.realpath(sys.executable)
STATUS = f"{PYTHON} dist/ask.py < dist/question"
NOT_WRITTEN = ".env was not written to the project"
PENDING = "pending approval"
# Nobody can tell by reading it which file it writes.
GENERATES = 'open(bytes([46, 101, 110, 118]), "w").write("TOKEN=gone\\n")\n'


@pytest.fixture(params=list(FILES), ids=lambda client: client.client)
def client(request: pytest.FixtureRequest) -> type[Session]:
    found: type[Session] = request.param
    request.getfixturevalue(found.client)
    return found


@pytest.fixture
def guard(project: Project, client: type[Session]) -> Project:
    shutil.rmtree(project.root / ".git")
    guarded(project, client.client)
    project.write("gen.py", GENERATES)
    return project


def writing(client: type[Session], root: str, path: str, old: str, new: str) -> Use:
    """The model replaces a file as a whole."""
    if client is Codex:
        lines = [f"-{line}" for line in old.splitlines()] + [
            f"+{line}" for line in new.splitlines()
        ]
        head = ["*** Begin Patch", f"*** Update File: {path}", "@@"]
        return Use("apply_patch", "\n".join([*head, *lines, "*** End Patch"]))
    name = "Write" if client is Claude else "write_file"
    return Use(name, {"file_path": f"{root}/{path}", "content": new})


def test_denials_stay_questions_become_notes_and_news_are_heard_once(
    guard: Project, client: type[Session]
) -> None:
    root = str(guard.root)
    steps = [
        writing(client, root, ".env", SECRET, "TOKEN=gone\n"),
        writing(client, root, "lib/big.py", BIG, "x = 1\n"),
        shell(client, "python3 gen.py"),
        shell(client, f"until {STATUS} | grep -q '\"blocked\": .*[.]env'; do sleep 0.2; done"),
        *[shell(client, f"echo {at} > one.txt") for at in range(4)],
    ]
    guard.write("dist/ask.py", ASK)
    guard.write("dist/question", '{"op": "status"}')
    report = client(project=guard, steps=steps, before=RUN).run()
    assert report.code == 0, report
    denied, asked, *_ = report.results
    assert ".env" in denied.text + denied.also, report
    assert text_of(guard, ".env") == SECRET
    assert text_of(guard, "lib/big.py") == BIG, "it is pending"
    assert text_of(guard, "one.txt") == "3\n"
    assert "1 pending (lib/big.py" in report.err, report
    assert "1 blocked (.env)" in report.err, report
    whole = max((json.dumps(one) for one in report.bodies), key=len)  # the last request has all
    assert PENDING in whole, report
    assert whole.count(NOT_WRITTEN) == 1, "once"
    assert not asked.error


def test_the_end_of_a_turn_syncs(guard: Project, client: type[Session]) -> None:
    """Only the end stays registered; it is followed by a question about what was applied."""
    settings = guard.root / FILES[client]
    document = json.loads(settings.read_text())
    event = END[client]
    (group,) = document["hooks"][event]
    command = group["hooks"][0]["command"]
    guard.write("dist/ask.py", ASK)
    guard.write("dist/question", '{"op": "status"}')
    asked = f"{STATUS} > status.json"
    group["hooks"][0]["command"] = f"{command}; cd {guard.root} && {asked}"
    settings.write_text(json.dumps({**document, "hooks": {event: [group]}}))
    steps = [writing(client, str(guard.root), "notes.txt", NOTES, NOTES + "fourth\n")]
    report = client(project=guard, steps=steps, before=RUN).run()
    assert report.code == 0, report
    assert json.loads(str(text_of(guard, "status.json")))["applied"] == 1, report

"""Reads of protected files are judged by the real judge, command by command and tool by tool.

Under `guard` a read of a secret is never silent, and what everybody does all day is never asked
about: the two tables are the class, in both directions.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from penstock.app.workspace import judge_here
from penstock.core.model import Verdict
from penstock.gate import Call
from tests.gate.read_place import NOW, judged, make
from tests.gate.read_rows import NOT_SILENT, SILENT, TOOLS_NOT_SILENT, TOOLS_SILENT

FILES = {
    ".env": "API_TOKEN=not-a-real-token\n",
    ".env.local": "A=1\n",
    ".env.example": "API_TOKEN=\n",
    ".gitignore": ".env\n.env.local\nkeys/\n",
    "README.md": "# A project\n",
    "keys/deploy.key": "not a key\n",
    "keys/server.pem": "not a key\n",
    "config/app.toml": "a = 1\n",
    "config/.env": "B=2\n",
    "src/app.py": "print(1)\n",
    "scripts/build.sh": "echo build\n",
    "scripts/show.sh": 'cat "$1"\n',
    "tools/show.py": "import sys\nprint(open(sys.argv[1]).read())\n",
    "tools/show.js": "console.log(1)\n",
    "uv.lock": "version = 1\n",
    "package-lock.json": "{}\n",
    "package.json": '{"name": "x", "scripts": {"build": "true", "test": "true", "dev": "true"}}\n',
    "data.csv": "a,b\n",
    "files.txt": "gone.txt\n",
    "Makefile": "test:\n\techo ok\nrun:\n\techo run\n",
    "penstock.toml": 'version = 1\npreset = "guard"\n',
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("home"), FILES)


@pytest.mark.parametrize("command", NOT_SILENT)
def test_a_command_that_reads_a_secret_is_not_silent(home: Path, command: str) -> None:
    assert judged(home, "Bash", {"command": command}).verdict is not Verdict.ALLOW


@pytest.mark.parametrize("command", SILENT)
def test_an_everyday_command_is_not_asked_about(home: Path, command: str) -> None:
    decision = judged(home, "Bash", {"command": command})
    assert decision.verdict is Verdict.ALLOW, decision.because


@pytest.mark.parametrize(("tool", "given"), TOOLS_NOT_SILENT)
def test_a_tool_that_reads_a_secret_is_not_silent(
    home: Path, tool: str, given: dict[str, object]
) -> None:
    assert judged(home, tool, given).verdict is not Verdict.ALLOW


@pytest.mark.parametrize(("tool", "given"), TOOLS_SILENT)
def test_an_everyday_tool_call_is_not_asked_about(
    home: Path, tool: str, given: dict[str, object]
) -> None:
    decision = judged(home, tool, given)
    assert decision.verdict is Verdict.ALLOW, decision.because


def test_a_named_secret_is_denied_and_an_unknown_program_is_asked_about(home: Path) -> None:
    denied = judged(home, "Bash", {"command": "cat .env"})
    assert denied.verdict is Verdict.DENY
    assert denied.because.startswith("Protected path: .env cannot be read")
    asked = judged(home, "Bash", {"command": "frobnicate .env"})
    assert asked.verdict is Verdict.ASK
    assert "`frobnicate`" in asked.because


def test_a_grant_by_command_is_not_lost_to_the_files_it_reads(home: Path) -> None:
    rules = home / "project/penstock.toml"
    before = rules.read_text()
    rules.write_text(before + '[[allow]]\nid = "show"\ntool = "Bash"\ncommand_regex = "^cat "\n')
    try:
        call = Call(tool="Bash", tool_input={"command": "cat README.md"}, cwd=str(rules.parent))
        assert judge_here(call, workspace=str(rules.parent), now=NOW).decision.granted
    finally:
        rules.write_text(before)

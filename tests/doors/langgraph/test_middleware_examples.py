"""The examples run as they are, without a network, each in a project of its own."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from tests import REPOSITORY
from tests.project import Project

EXAMPLES = REPOSITORY / "examples"


def run(project: Project, name: str, *argv: str) -> str:
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / name), *argv],
        cwd=project.root,
        env={**project.environ, "TMPDIR": str(project.home)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(("answer", "left"), [("approve", "print(0)"), ("reject", "line_0 = 0")])
def test_the_langchain_agent_is_allowed_denied_and_asked(
    own: Project, answer: str, left: str
) -> None:
    own.write("app.py", "".join(f"line_{number} = {number}\n" for number in range(270)))
    told = run(own, "langchain_agent.py", "--project", str(own.root), "--answer", answer)
    assert "270 of 270 lines removed" in told
    assert "success  wrote plan.md" in told
    assert "error    Denied: Protected path: .env" in told
    assert (own.root / "app.py").read_text().startswith(left)
    assert not (own.root / ".env").exists()


def test_without_a_terminal_the_langchain_agent_takes_silence_for_a_no(own: Project) -> None:
    told = run(own, "langchain_agent.py")
    assert "-> reject" in told
    assert "error    The user rejected this call" in told


def test_the_deep_agent_does_not_overwrite_what_was_saved_meanwhile(own: Project) -> None:
    assert "# saved by you" in run(own, "deepagent.py").splitlines()[-1]
    assert "print(0)" in run(own, "deepagent.py", "--quiet").splitlines()[-1]


def test_the_programs_of_the_page_are_python() -> None:
    page = EXAMPLES.parent / "docs" / "how-to" / "langchain.md"
    programs = re.findall(r"^```python\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)
    assert len(programs) == 4
    for program in programs:
        compile(program, "langchain.md", "exec")

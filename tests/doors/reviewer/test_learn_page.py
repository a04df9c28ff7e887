"""The page about learning shows what the commands say."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.docs.test_examples import ROOT, blocks, commands, holds
from tests.project import Project

PAGE = ROOT / "docs/how-to/learn-from-decisions.md"


def test_the_page_about_learning_can_be_followed(project: Project) -> None:
    found = blocks(PAGE)
    (rules,) = [block.text for block in found if block.kind == "toml"]
    (log,) = [block.text for block in found if block.kind == "jsonl"]
    project.write("penstock.toml", rules)
    project.write("decisions.log", log)
    command = project.write(
        "../home/bin/decision_reviewer",
        f"#!/bin/sh\nexec {sys.executable} -c "
        "'import sys; from penstock.reviewer import main; main(sys.argv[1:])' \"$@\"\n",
    )
    command.chmod(0o755)
    environ = {**project.environ, "PATH": f"{command.parent}:{os.environ['PATH']}"}
    steps = [one for block in found if block.kind == "console" for one in commands(block)]
    assert len(steps) > 8
    for line, shown in steps:
        done = subprocess.run(
            ["/bin/bash", "-c", line], cwd=project.root, env=environ, capture_output=True,
            text=True, timeout=120, check=False,
        )  # fmt: skip
        assert done.returncode == 0, (line, done.stdout, done.stderr)
        holds(shown, done.stdout)

"""Settings and hooks of a bare repository are judged as those of a `.git`, whoever is asked."""

from __future__ import annotations

import pytest

from tests.project import Project

ALLOWED, DENIED, ASKED = "allow", "deny", "ask"
ROWS = [
    ("fixtures/one.git/config", DENIED),
    ("bare/config", DENIED),
    ("bare/hooks/post-checkout", DENIED),
    ("bare/commondir", DENIED),
    ("new/HEAD", ASKED),
    ("new/config", ALLOWED),
    ("src/hooks/use_state.ts", ALLOWED),
    ("bare/description", ALLOWED),
]


@pytest.mark.parametrize(("path", "expected"), ROWS)
def test_a_write_is_judged_by_what_git_takes_its_directory_for(
    project: Project, path: str, expected: str
) -> None:
    project.write("penstock.toml", 'version = 1\npreset = "guard"\n')
    for folder in ("fixtures/one.git", "bare"):
        project.write(f"{folder}/HEAD", "ref: refs/heads/main\n")
    done = project.judge("Write", {"file_path": path, "content": "x\n"}, "--json")
    assert done.json["verdict"] == expected, done.out

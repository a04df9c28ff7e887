"""The page says what the code does: its drawing, its program, and what `doctor` tells."""

from __future__ import annotations

import re
import sys

from penstock.langgraph import build_graph
from tests import REPOSITORY
from tests.doors.langgraph.scene import Scene
from tests.project import Project

PAGE = REPOSITORY / "docs" / "how-to" / "langgraph.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def drawing() -> str:
    return build_graph(lambda state: None, lambda state: True).get_graph().draw_mermaid()


def test_the_drawing_is_made_from_the_compiled_graph() -> None:
    (shown,) = [text for kind, text in BLOCK.findall(PAGE.read_text()) if kind == "mermaid"]
    assert shown == drawing(), "write it anew: python -m tests.doors.langgraph.test_docs"


def test_the_first_program_of_the_page_runs(scene: Scene) -> None:
    programs = [text for kind, text in BLOCK.findall(PAGE.read_text()) if kind == "python"]
    exec(programs[0], {})
    assert scene.read("hello.py") == "print('hello')\n"
    for program in programs:
        compile(program, "langgraph.md", "exec")


def test_doctor_looks_at_what_checkpoints_may_load(project: Project) -> None:
    for value, status in (("true", "ok"), ("", "note")):
        done = project.run("doctor", "--json", env={"LANGGRAPH_STRICT_MSGPACK": value})
        (found,) = [one for one in done.json["checks"] if one["name"] == "checkpoints"]
        assert found["status"] == status


if __name__ == "__main__":
    text = PAGE.read_text()
    PAGE.write_text(re.sub(r"(?s)(?<=```mermaid\n).*?(?=```)", lambda _: drawing(), text, count=1))
    sys.exit(0)

"""Links to an editor: by the user's own word, to no web page, with nothing slipped in by a path."""

from __future__ import annotations

import pytest

from penstock.core.review.editor_link import editor_link, editor_of

CODE = "vscode://file{path}:{line}"
TABLE = {
    CODE: True,
    "zed://file{path}": True,
    "idea://open?file={path}&line={line}": True,
    "": False,
    "vscode://file/": False,
    "{path}": False,
    "https://evil.example/{path}": False,
    "javascript:alert('{path}')": False,
    "data:text/html,{path}": False,
    "file://{path}": False,
    "VSCODE://file/{path}": False,
    "vscode://\n{path}": False,
}


@pytest.mark.parametrize(("text", "good"), TABLE.items())
def test_only_a_scheme_of_an_editor_counts(text: str, good: bool) -> None:
    assert editor_of({"mine": {"editor": text}}, user="mine") == (text if good else "")


def test_a_projects_word_does_not_count() -> None:
    assert editor_of({"project": {"editor": CODE}, "mine": {}}, user="mine") == ""


def test_a_path_is_escaped() -> None:
    made = editor_link(CODE, '/p/a b?c#d%e"<.py', 3)
    assert made == "vscode://file/p/a%20b%3Fc%23d%25e%22%3C.py:3"

"""The page of error codes: no code is missing, and each says what happened, why, what to do."""

from __future__ import annotations

import ast
import re

import pytest

from tests import REPOSITORY
from tools import error_codes, error_page

PAGE = (REPOSITORY / "docs/reference/errors.md").read_text(encoding="utf-8")
ENTRIES = error_page.entries()
CODE_STYLE = re.compile(r"(`+).+?\1")


def test_the_page_is_what_the_code_says() -> None:
    assert error_page.page() == PAGE, "try: make manual"


def test_every_code_has_one_heading_in_order() -> None:
    headings = re.findall(r"^## (.+)$", PAGE, re.MULTILINE)
    assert headings == sorted(ENTRIES)
    assert len(headings) > 200


@pytest.mark.parametrize("code", ENTRIES)
def test_a_code_says_what_happened_why_and_what_to_do(code: str) -> None:
    acts, what, why, do = ENTRIES[code]
    assert acts
    assert what, f"add `what` to [{code}] of {error_page.CATALOGUE.name}"
    assert why, f"add `why` to [{code}] of {error_page.CATALOGUE.name}, or because= to the error"
    assert do, f"add `do` to [{code}] of {error_page.CATALOGUE.name}, or hint= to the error"


def test_the_catalogue_speaks_of_codes_that_exist() -> None:
    assert set(error_page.catalogue()) <= set(ENTRIES)
    keys = {key for texts in error_page.catalogue().values() for key in texts}
    assert keys == {"what", "why", "do"}


def test_a_code_that_is_made_while_running_comes_from_a_table() -> None:
    assert error_codes.unresolved() == set(error_codes.TABLES)


def test_what_is_filled_in_stands_in_angle_brackets_and_code_style() -> None:
    assert re.findall(r"\{[a-z_.]+\}", PAGE) == []
    text = CODE_STYLE.sub("", PAGE.split("\n## ", 1)[1])
    assert re.findall(r"<.*", text) == []
    assert re.findall(r"<[^a-z0-9][^>]*>", PAGE) == []


def texts_like_codes() -> set[str]:
    """Return every text in the source that is the first argument of something called an error."""
    found = set()
    for file in (REPOSITORY / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            name = node.func.id if _is_plain_call(node) else ""  # type: ignore[attr-defined]
            if name.endswith("Error") and node.args:  # type: ignore[attr-defined]
                first = node.args[0]  # type: ignore[attr-defined]
                if isinstance(first, ast.Constant) and re.fullmatch(
                    r"[a-z]+(-[a-z]+)+", str(first.value)
                ):
                    found.add(str(first.value))
    return found


def _is_plain_call(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name)


def test_no_class_of_errors_is_passed_over() -> None:
    assert texts_like_codes() - set(ENTRIES) == set()


RAISED = """
class OwnError(StaleError):
    pass

def f(path, size, fault, many):
    text = f"`{spoken(path)}` has {len(size)} lines"
    raise OwnError("a-b" if many else "c-d", text, because=str(fault), hint="x" if many else "y")
"""


def test_sentences_are_read_with_their_branches() -> None:
    tree = ast.parse(RAISED)
    kinds = error_codes._kinds([ast.parse(error_codes.BASE.read_text()), tree])
    assert (kinds["OwnError"], kinds["StoreError"]) == ("the agent", "the operator")
    ((call, function),) = error_codes._calls(tree, kinds)
    assert function is not None
    scope = error_codes.Scope({}, error_codes._assigned(ast.walk(function)))
    (first,), (second,) = error_codes._read(call, scope, "the agent")
    assert (first.code, first.hint, second.code, second.hint) == ("a-b", ("x",), "c-d", ("y",))
    assert first.message == second.message == ("`<path>` has <n> lines",)
    assert first.because == ("<what the system said>",)

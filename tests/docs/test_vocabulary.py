"""One vocabulary, everywhere: the words of `vocabulary.TABLE` do not come back.

Scanned are the string constants of the package (without docstrings), the page's templates and
scripts, the presets, the manual and the changelog. Code in backticks is passed over.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests import REPOSITORY
from tests.docs.vocabulary import TABLE, found

SRC = REPOSITORY / "src" / "penstock"

# Decisions of their time are not rewritten, and the map is for whoever changes the code.
NOT_SCANNED = ("docs/adr/", "docs/map.md")

# Texts that stay although they have an old word, each with the reason.
ALLOWED = {
    ("src/penstock/core/own_commands.py", "stale"): "`rules stale` is a command",
    ("src/penstock/doors/mcp/tool_table.py", "stale"): "names of states, as they are in JSON",
    ("src/penstock/cli/rules/learning.py", "stale"): "`rules stale` is a command",
    ("docs/reference/commands.md", "stale"): "the command `rules stale`, and a state as in JSON",
    ("docs/reference/errors.md", "stale"): "the code `already-stale`",
    ("docs/how-to/learn-from-decisions.md", "stale"): "`decision_reviewer stale` is a command",
    ("docs/glossary.md", "doors"): "says that `doors/` is the name in the code",
}

FENCE = "```"
FOR_PEOPLE = ("console", "text")  # what a console shows is read by people; other blocks are code
CODE = re.compile(
    r"`[^`\n]+`"
    r"|<code>.*?</code>"
    r"|^[ \t]*\"?\w+\"?\s*[=:](?=[\s\"\[{])"  # keys of TOML and JSON
    r"|\"[^\"\s]*[/*][^\"\s]*\"",  # globs
    re.DOTALL | re.MULTILINE,
)
COMMENT = re.compile(r"\{#.*?#\}|<!--.*?-->", re.DOTALL)
EXPRESSION = re.compile(r"\{[{%](.*?)[}%]\}", re.DOTALL)
QUOTED = re.compile(r"\"([^\"]*)\"")
LINK = re.compile(r"\]\([^)]*\)|https?://\S+")

# What is counted, after a value: `counted(n, "file")` knows the singular.
COUNTED = re.compile(r" (?:more )?(?:files|lines|hunks|entries|events|warnings|changes|rules)\b")
# Values that are never 1 there, or whose sentence is written by a specification.
NEVER_ONE = frozenset(
    {
        ("core/audit/event.py", "rest.count(newline) + 1"),  # text of several lines
        ("core/diff/coverage.py", "len(unseen)"),  # one has a sentence of its own
        ("core/diff/measure.py", "counted.deleted"),  # two bounds
        ("core/diff/remarks.py", "count"),  # one has a sentence of its own
        ("core/notify/message.py", "len(waiting)"),  # one has a sentence of its own
        ("core/notify/message.py", "len(files)"),  # one is named
        ("core/notify/message.py", "len(changed)"),  # one is named
        ("core/rule_edit/plan.py", "op.rule_type"),  # not a number
        ("core/rule_edit/summary.py", "len(operation.each)"),  # one has a sentence of its own
        ("core/rule_edit/summary.py", "len(changes)"),  # one has a sentence of its own
        ("core/rule_edit/summary.py", "warnings"),  # the reviewer's specification
        ("doors/broker/apply.py", "len(receipts)"),  # one is named
        ("doors/broker/tools.py", "len(patches)"),  # more than the limit
        ("doors/langgraph/classify.py", "existing"),  # the safe-write gate's specification
        ("doors/tui/app.py", "count"),  # one has a sentence of its own
        ("gate/lookup.py", "len(found)"),  # a set
    }
)


def _without_blocks(text: str) -> Iterator[str]:
    """Yield the lines of a page that are not in a block of code."""
    block: str | None = None
    for line in text.splitlines():
        if line.lstrip(" >").startswith(FENCE):
            block = line.lstrip(" >").removeprefix(FENCE).strip() if block is None else None
        elif block is None or block in FOR_PEOPLE:
            yield line


def _prose(text: str) -> str:
    return LINK.sub("]", CODE.sub("`code`", "\n".join(_without_blocks(text))))


def _words_of_template(text: str) -> str:
    """Return a template without its expressions, but with the texts in them."""
    plain = COMMENT.sub(" ", text)
    return EXPRESSION.sub(lambda part: " ".join(QUOTED.findall(part[1])), plain)


def _name(path: Path) -> str:
    return str(path.relative_to(REPOSITORY))


def _is_scanned(path: Path) -> bool:
    return not _name(path).startswith(NOT_SCANNED)


def _modules() -> list[Path]:
    return [path for path in sorted(SRC.rglob("*.py")) if _is_scanned(path)]


PAGES = (
    *("docs/**/*.md", "*.md", "changes/*.md", "skills/**/*.md"),
    *("plugins/**/*.md", "examples/**/*.md", "hooks/**/*.md"),
    *("src/penstock/presets/*", "src/penstock/doors/web/templates/*"),
    "src/penstock/doors/web/static/*.js",
)


def _texts() -> list[Path]:
    every = {path for glob in PAGES for path in REPOSITORY.glob(glob) if path.is_file()}
    return sorted(path for path in every if path.suffix != ".py" and _is_scanned(path))


def _strings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield each text of several words; f-strings whole, with `{}` for values; no docstrings."""
    nodes = list(ast.walk(tree))
    passed = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        if isinstance(node, ast.JoinedStr):
            passed.update(id(part) for part in node.values)
            yield node.lineno, "".join(_literal(part) for part in node.values)
    for node in nodes:
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in passed
        ):
            yield node.lineno, node.value


def _literal(part: ast.expr) -> str:
    return str(part.value) if isinstance(part, ast.Constant) else "{}"


def _faults(name: str, text: str) -> Iterator[str]:
    for old, say in found(_prose(text)):
        if (name, old.lower()) not in ALLOWED:
            yield f"{' '.join(old.split())!r}: say {say}"


@pytest.mark.parametrize("path", _modules(), ids=_name)
def test_messages_use_the_vocabulary(path: Path) -> None:
    strings = _strings(ast.parse(path.read_text(encoding="utf-8")))
    several = ((line, text) for line, text in strings if " " in text.strip())
    faults = [f"{_name(path)}:{line}: {f}" for line, t in several for f in _faults(_name(path), t)]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("path", _texts(), ids=_name)
def test_pages_use_the_vocabulary(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    words: Callable[[str], str] = _words_of_template if path.suffix == ".html" else str
    faults = [f"{_name(path)}: {fault}" for fault in _faults(_name(path), words(text))]
    assert not faults, "\n".join(faults)


def _counts(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield each value of an f-string that stands before a plural."""
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            for value, after in zip(node.values, node.values[1:], strict=False):
                if isinstance(value, ast.FormattedValue) and COUNTED.match(_literal(after)):
                    yield node.lineno, ast.unparse(value.value)


@pytest.mark.parametrize("path", _modules(), ids=_name)
def test_one_of_something_is_singular(path: Path) -> None:
    place = str(path.relative_to(SRC))
    faults = [
        f"{_name(path)}:{line}: `{value}` may be 1: use counted()"
        for line, value in _counts(ast.parse(path.read_text(encoding="utf-8")))
        if not value.isupper() and (place, value) not in NEVER_ONE
    ]
    assert not faults, "\n".join(faults)


# Where a value is printed as Python writes it because Python reads it.
FOR_PYTHON = (
    *("src/penstock/__init__.py", "src/penstock/langgraph.py", "src/penstock/gate/__init__.py"),
    *("src/penstock/startup/amalgamate.py", "src/penstock/doors/hook/daemon_client.py"),
    *("src/penstock/doors/langgraph/project.py", "src/penstock/core/shell/tasks/documents.py"),
)


@pytest.mark.parametrize("path", _modules(), ids=_name)
def test_no_message_has_a_value_as_python_writes_it(path: Path) -> None:
    if _name(path) in FOR_PYTHON:
        return
    tree = ast.parse(path.read_text(encoding="utf-8"))
    values = (node for node in ast.walk(tree) if isinstance(node, ast.FormattedValue))
    faults = [f"{_name(path)}:{one.lineno}" for one in values if one.conversion == ord("r")]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize(
    "text",
    [
        "no rule speaks of this, and the default allows it",
        "cannot tell what it writes: `git checkout`",
        "nobody can be asked here",
        "penstock.toml steers Penstock",
        "1 of 491 lines would be lost, 1 would be new",
        "Give a waiting proposal its whole time again.",
        "3 file(s) changed",
        "Try: Penstock undo --last 1",
        "the line is on the record",
        "penstock: {} waiting",
    ],
)
def test_the_scan_finds_what_it_is_for(text: str) -> None:
    assert list(found(_prose(text)))


def test_prose_between_two_blocks_is_scanned() -> None:
    page = "```console\n$ ls\n```\n\nnobody can be asked\n\n```toml\nstale = 1\n```\n"
    assert [old for old, _ in found(_prose(page))] == ["nobody can be asked"]


@pytest.mark.parametrize("word", TABLE, ids=lambda word: str(word.pattern)[:40])
def test_what_to_say_instead_is_in_the_vocabulary(word: object) -> None:
    assert not list(found(_prose(getattr(word, "say", ""))))


def test_nothing_is_allowed_that_is_not_there() -> None:
    for name, old in ALLOWED:
        text = (REPOSITORY / name).read_text(encoding="utf-8").lower()
        assert old in text, f"{name} has no {old!r} any more"

"""Test runners: the test files that a call runs, and what runs beside them.

Always true: no more than `MOST_TESTS` files count, and installed packages are not looked through.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from penstock.core.shell.effects import (
    Effect,
    Program,
    ProgramCall,
    RunFile,
    RunRole,
    RunText,
    options,
)
from penstock.core.shell.expansion import Value
from penstock.core.shell.look import LookHere

MOST_TESTS = 40


class SuiteTool(Struct, frozen=True):
    """A test runner: its language, the names of test files, where they lie, what runs always.

    `beside` runs wherever it lies beside or above a test; `takes` are options with a value. With
    `own_place` a test runs in the directory that it lies in.
    """

    language: str
    names: str
    folders: str
    always: str = ""
    beside: str = ""
    verb: str = ""
    takes: str = ""
    own_place: bool = False


def run_tests(tool: SuiteTool) -> Program:
    """Return the program of a test runner."""
    short = "".join(name for name in tool.takes.split() if len(name) == 1)
    long = " ".join(name for name in tool.takes.split() if len(name) > 1)

    def program(call: ProgramCall) -> Iterator[Effect]:
        found = options(call.args, short=short, long=long)
        words = [word.text.partition("::")[0] for word in found.operands]
        if not call.here.sees or (tool.verb and words[:1] != [tool.verb]):
            return
        named = words[1:] if tool.verb else words
        files = [*tool.always.split(), *_named(tool, named, call.here)]
        if not any(call.here.kind(name) for name in named):
            files += _in(call.here, tool, [_folder(one) for one in tool.folders.split()])
        for file in list(dict.fromkeys(files))[:MOST_TESTS]:
            yield from _run(tool, file, call.here)

    return program


def _run(tool: SuiteTool, file: str, here: LookHere) -> Iterator[Effect]:
    folder, _, name = file.rpartition("/")
    if not tool.own_place or not folder:
        yield RunFile(tool.language, Value(file), (Value(file),), role=RunRole.TEST)
        return
    text = here.text(file)
    if text is not None:
        place, args = Value(folder), (Value(name),)
        yield RunText(name, tool.language, text, args, place, role=RunRole.TEST)


def _named(tool: SuiteTool, names: Sequence[str], here: LookHere) -> Iterator[str]:
    """Yield the files that a call names, or that lie in the directories that it names."""
    for name in names:
        place = name.rstrip("/").removesuffix("/...") or "."
        kind = here.kind(place)
        if kind == "file":
            yield name
            yield from (f"{above}{tool.beside}" for above in _above(name) if tool.beside)
        elif kind == "directory":
            yield from _in(here, tool, [f"{place}/", f"{place}/*/", f"{place}/*/*/"])


def _folder(name: str) -> str:
    return "" if name == "." else f"{name}/"


def _above(name: str) -> Iterator[str]:
    at = name.find("/")
    while at >= 0:
        yield name[: at + 1]
        at = name.find("/", at + 1)


def _in(here: LookHere, tool: SuiteTool, folders: Sequence[str]) -> list[str]:
    names = [*tool.beside.split(), *tool.names.split()]
    patterns = [f"{folder}{name}" for folder in folders for name in names]
    return [name for pattern in patterns for name in here.names(pattern) or ()]


_JS = SuiteTool(
    "js",
    "*.test.* *.spec.*",
    ". src src/* src/*/* test test/* tests tests/* __tests__ src/__tests__ e2e",
    takes="c config t testNamePattern project reporter",
)
PYTEST = SuiteTool(
    "python",
    "test_*.py *_test.py",
    ". tests tests/** test test/**",
    always="conftest.py",
    beside="conftest.py",
    takes="k m p c n o W r rootdir confcutdir junitxml durations cov",
)
UNITTEST = SuiteTool("python", "test*.py", ". tests tests/*", takes="s p t k")
JEST = _JS
MOCHA = replace(_JS, names="*.test.* *.spec.* *.js *.cjs *.mjs *.ts", folders="test test/* tests")
VERB_JS = replace(_JS, verb="test", names="*.test.* *.spec.* *_test.* *_spec.*")
RSPEC = SuiteTool(
    "ruby",
    "*_spec.rb",
    "spec spec/* spec/*/*",
    always="spec/spec_helper.rb spec/rails_helper.rb",
    takes="e t r f o",
)
PHPUNIT = SuiteTool("php", "*Test.php", "tests tests/* tests/*/*", always="tests/bootstrap.php")
PROVE = SuiteTool("perl", "*.t", "t t/*", takes="I j")
GO_TEST = SuiteTool(
    "go", "*_test.go", ". * */* */*/*", verb="test", takes="run bench count", own_place=True
)
CARGO_TEST = SuiteTool("rust", "*.rs", "tests", verb="test", takes="p package test")
MIX_TEST = SuiteTool(
    "elixir", "*_test.exs", "test test/*", always="test/test_helper.exs", verb="test"
)

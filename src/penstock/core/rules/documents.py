"""Read the bytes of one rules file into a plain document, or into problems with lines.

Bytes to text, text to TOML, JSON or YAML, each bounded in size and depth before a parser sees
it. What the document says is for the readers of its dialect.
Always true: no bytes make these functions raise or hang; what cannot be read is a problem.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from penstock.core.rules.problems import Problem, ProblemReport
from penstock.core.rules.toml_positions import TomlPositions, find_lines, rule_lines
from penstock.core.text.late_regex import late_regex

MAX_BYTES = 8 * 1024 * 1024
MAX_YAML_BYTES = 128 * 1024  # the safe loader needs seconds for a megabyte
MAX_BRACKETS = 400  # in YAML, whose loader takes quadratic time for open ones
BOM = "\ufeff"

Document = dict[str, object]


def read_toml(data: bytes, report: ProblemReport) -> Document | None:
    """Return the document of a TOML file with its lines put into the report, or None."""
    text = decoded(data, report)
    if text is None:
        return None
    report.lines = find_lines(text)
    if report.lines.refused:
        _at_line(report, report.lines.line, report.lines.refused, "write it flat, or in two files")
        return None
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        _syntax(report, str(error), text)
    return None


@lru_cache(maxsize=8)
def read_shipped(data: bytes) -> tuple[Document, TomlPositions]:
    """Return the document of a file that we ship: tests have read it like any other before.

    It is parsed once in a process: every policy starts from one, and readers change no document.
    """
    text = data.decode()
    return tomllib.loads(text), rule_lines(text)


def read_json(data: bytes, report: ProblemReport) -> object:
    """Return what a JSON file holds; None with a problem when it cannot be read."""
    text = decoded(data, report)
    if text is None:
        return None
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        _at_line(report, error.lineno, f"not JSON: {error.msg}", "fix the line")
    except (ValueError, RecursionError) as error:
        report.wrong(f"not JSON: {str(error)[:200]}", hint="fix the file")
    return None


def read_yaml(data: bytes, report: ProblemReport) -> object:
    """Return what a YAML file holds, with its lines put into the report; None if unreadable."""
    text = decoded(data, report, most=MAX_YAML_BYTES)
    if text is None:
        return None
    if sum(map(text.count, "[{")) > MAX_BRACKETS:
        report.wrong(f"more than {MAX_BRACKETS} brackets", hint="write lists with dashes")
        return None
    import yaml

    try:
        loader = yaml.SafeLoader(text)
        # Aliases are refused: ten lines of them can stand for more than a disk holds.
        loader.fetch_alias = _no_alias  # type: ignore[method-assign]
        root = loader.get_single_node()
        report.lines = TomlPositions(dict(_yaml_places(root)))
        return None if root is None else loader.construct_document(root)
    except _AliasError:
        report.wrong("aliases (`*name`) are not read", hint="write the value out")
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 0
        _at_line(report, line, f"not YAML: {str(error.problem)[:200]}", "fix the line")
    except (yaml.YAMLError, ValueError, RecursionError, OverflowError, TypeError) as error:
        report.wrong(f"not YAML: {str(error)[:200]}", hint="fix the file")
    return None


class _AliasError(Exception):
    """The text has an alias."""


def _no_alias() -> None:
    raise _AliasError


def _yaml_places(root: Any) -> Iterator[tuple[tuple[str | int, ...], int]]:
    """Yield the lines of keys and elements, as deep as any section of ours goes."""
    waiting: list[tuple[tuple[str | int, ...], Any]] = [((), root)]
    while waiting:
        path, node = waiting.pop()
        inner = node.value if isinstance(getattr(node, "value", None), list) else []
        for at, one in enumerate(inner):
            key, value = one if isinstance(one, tuple) else (None, one)
            name = at if key is None else str(key.value)
            yield (*path, name), (key or value).start_mark.line + 1
            if len(path) < 2:
                waiting.append(((*path, name), value))


def decoded(data: bytes, report: ProblemReport, *, most: int = MAX_BYTES) -> str | None:
    """Return a file's text without its byte order mark, or None with a problem."""
    if len(data) > most:
        hint = "split it with [includes]" if most == MAX_BYTES else "keep only what is needed"
        report.wrong(f"larger than {most} bytes", hint=hint)
        return None
    try:
        text = data.decode("utf-8").removeprefix(BOM)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        _at_line(report, line, "not UTF-8 text", "save the file as UTF-8")
        return None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        _at_line(report, line, "has a NUL character", "remove it")
        return None
    return text


PLACE = late_regex(r"\(at (?:line (\d{1,9}), column \d{1,9}|end of document)\)\Z")


def _syntax(report: ProblemReport, message: str, text: str) -> None:
    """Report what `tomllib` says, with the line that it names."""
    found = PLACE.search(message)
    line = int(found.group(1)) if found and found.group(1) else text.count("\n") + 1
    what = message[: found.start()].rstrip() if found else message
    _at_line(report, line, f"not valid TOML: {what[:200]} at line {line}", "fix the line")


def _at_line(report: ProblemReport, line: int, message: str, hint: str) -> None:
    problem = Problem(file=report.file, line=line, message=message, hint=hint)
    report.problems.append(problem)

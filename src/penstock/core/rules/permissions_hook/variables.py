"""The `[variables]` of a rule file: `${NAME}` in regexes, `$HOME` in a variable's own value.

Always true: expanding ends, however variables name each other; a circle, a name that is not
defined, and a text that grows too long are problems.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from penstock.core.rules.problems import ProblemReport, shown
from penstock.core.text.late_regex import late_regex

NAMED = late_regex(r"\$\{([A-Za-z_][A-Za-z0-9_]*+)\}")
OUTSIDE = late_regex(r"\$([A-Z_][A-Z0-9_]*+)")
MAX_EXPANDED = 10_000  # characters; as long as a regex may be
MAX_VARIABLES = 1000
BRANCHES = ("main", "master")


def expanded(
    document: Mapping[str, object], env: Mapping[str, str], report: ProblemReport
) -> Mapping[str, str]:
    """Return the variables of a document, each with the others put in."""
    raw = document.get("variables", {})
    if not isinstance(raw, dict):
        report.wrong("`variables` must be a table", "variables", hint="write [variables]")
        return {}
    values = _protected(document.get("git_protection"))
    if len(raw) > MAX_VARIABLES:
        report.wrong(f"more than {MAX_VARIABLES} variables", "variables", hint="use fewer")
        return values
    for key, value in raw.items():
        if isinstance(value, str):
            values[key] = OUTSIDE.sub(lambda found: env.get(found[1], found[0]), value)
        else:
            report.wrong(f"variable {shown(key)} must be text in quotes", "variables", key)
    # Each pass puts in what the pass before made, so a chain doubles its steps every time.
    for _ in range(MAX_VARIABLES.bit_length() + 1):
        values = {key: _stepped(key, text, values, report) for key, text in values.items()}
    for key, text in values.items():
        if "${" in text:
            circle = f"variable {shown(key)} names itself"
            report.wrong(circle, "variables", key, hint="check for circular references")
    return values


def _stepped(key: str, text: str, values: Mapping[str, str], report: ProblemReport) -> str:
    """Return one value with the others put in once."""
    made, undefined = substituted(text, values)
    if undefined:
        message = f"undefined variable `{undefined}` in variable {shown(key)}"
        report.wrong(message, "variables", key, hint="define it in [variables]")
        return ""
    if len(made) > MAX_EXPANDED:
        report.wrong(f"variable {shown(key)} grows too long", "variables", key, hint="shorten it")
        return ""
    return made


def substituted(text: str, variables: Mapping[str, str]) -> tuple[str, str]:
    """Return a text with variables put in, and the first name that is not one of them."""
    names = NAMED.findall(text) if "${" in text else ()
    undefined = next((name for name in names if name not in variables), "")
    if undefined or not names:
        return text, undefined
    size = len(text) + sum(len(variables[name]) for name in names)
    if size > MAX_EXPANDED * 10:
        return "$" * (MAX_EXPANDED + 1), ""
    return NAMED.sub(lambda found: variables[found[1]], text), ""


def _protected(table: object) -> dict[str, str]:
    """Return the two variables that one fork makes of its protected branches."""
    if not isinstance(table, dict):
        return {}
    branches = _names(table.get("protected_branches"), BRANCHES)
    refs = _names(table.get("protected_refs"), [f"refs/heads/{one}" for one in BRANCHES])
    return {
        "PROTECTED_BRANCHES": _either(branches),
        "PROTECTED_REFS": _either(sorted({*branches, *refs})),
    }


def _names(value: object, default: Iterable[str]) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else list(default)


def _either(names: Iterable[str]) -> str:
    return "(?:" + "|".join(re.escape(name) for name in names) + ")"

"""What one rule of `claude-code-permissions-hook.toml` means, in Penstock's rules.

There, the called tool decides which field of a rule is looked at: a command for Bash, a path
for Read, Write, Edit and Glob, and for Task a kind or else a prompt. A Penstock rule wants all
its conditions, so one rule of the original becomes one for each tool that it can speak of.
Always true: the rules that come out match exactly what the original matches; a rule that can
never match there is kept, switched off, with a warning that says why.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum, auto
from typing import Any

from msgspec import Struct

from penstock.core.model import Verdict
from penstock.core.policy.regex_faults import beyond_rust
from penstock.core.policy.regexes import search
from penstock.core.policy.rule import FieldMatch, Rule, Where
from penstock.core.rules.permissions_hook.variables import substituted
from penstock.core.rules.problems import ProblemReport, did_you_mean, shown
from penstock.core.rules.rule import ANY_ACTION, BOTH_TOOLS, NO_TOOL, REGEX_FIELDS


class Meaning(Enum):
    """Which tools a rule may speak of besides the six, and what of a command is looked at."""

    SIX_TOOLS = auto()  # the first one: a rule for any other tool never matches
    ANY_TOOL = auto()  # a rule without a field may name any other tool
    LEAVES = auto()  # a rule without a field matches; commands are looked at one by one


VERDICTS = {"allow": Verdict.ALLOW, "deny": Verdict.DENY}
FILE_TOOLS = ("Read", "Write", "Edit", "Glob")
KNOWN = (*FILE_TOOLS, "Bash", "Task")
TEXT_KEYS = frozenset({"id", "description", "tool", "subagent_type", "reason"})
ORIGINAL_KEYS = TEXT_KEYS | REGEX_FIELDS
BRANCH = "protected_branch_check"  # asks which branch is checked out, and we do not know
MAIN_KEYS = frozenset(
    {"file_path_regex", "command_regex", "subagent_type", "subagent_type_regex", "prompt_regex"}
)
FIELD_KEYS = MAIN_KEYS | {
    key for key in REGEX_FIELDS if key.endswith("_exclude_regex") and not key.startswith("tool")
}

Place = tuple[str | int, ...]
Base = dict[str, Any]


def read_rule(
    raw: object, place: Place, report: ProblemReport, meaning: Meaning, variables: Mapping[str, str]
) -> Sequence[Rule]:
    """Return the rules that one rule of the original stands for."""
    before = len(report.problems)
    table = str(place[-2])
    section = str(place[0]) if len(place) == 3 else ""
    if not isinstance(raw, dict):
        report.wrong(f"[[{table}]] must be a table, not {shown(raw)}", *place)
        return ()
    values = _values(raw, place, report)
    name = values.get("id") or _given_name(section, table, place[-1])
    if section and "id" not in values:
        report.warn(f"the original refuses a rule without `id`; here it is `{name}`", *place)
    values.update(_regexes(values, place, report, variables, name))
    _check_tool(values, place, report, meaning)
    if report.full or len(report.problems) > before:
        return ()
    # Made once for each tool; a dictionary, because copying a rule costs three times as much.
    base: Base = {
        "id": name,
        "verdict": VERDICTS[table],
        "actions": ANY_ACTION,
        "per_leaf": meaning is Meaning.LEAVES,
        "description": values.get("description", ""),
        "reason": values.get("reason", ""),
        "code": "command-denied" if table == "deny" else "",
        "where": Where(file=report.file, line=report.line_of(*place), section=section),
    }
    return _spoken(base, values, place, report, meaning, unsure=bool(raw.get(BRANCH)))


def _given_name(section: str, table: str, number: str | int) -> str:
    """Return the name of a rule that has none of its own."""
    name = f"{table}-{int(number) + 1}"
    return f"{section}-{name}" if section else name


def _spoken(
    base: Base,
    values: Mapping[str, str],
    place: Place,
    report: ProblemReport,
    meaning: Meaning,
    *,
    unsure: bool,
) -> Sequence[Rule]:
    """Return a rule for each tool, or one that is switched off when there is none."""
    name = base["id"]
    if unsure and base["verdict"] is Verdict.ALLOW:
        report.warn(f"rule `{name}` asks for the branch, which is not known, so it is off", *place)
        return [Rule(**base, enabled=False)]
    rules = list(_by_tool(base, _RuleText(values, meaning)))
    if not rules:
        why = _why_never(values, meaning)
        report.warn(f"rule `{name}` can never match: {why}", *place, hint="remove or fix it")
        rules = [Rule(**base, enabled=False, tool=values.get("tool", ""))]
    return rules


def _values(raw: Mapping[str, object], place: Place, report: ProblemReport) -> dict[str, str]:
    """Return the known texts of a rule; the original ignores keys that it does not know."""
    values: dict[str, str] = {}
    for key, value in raw.items():
        if key == BRANCH:
            continue
        if key not in ORIGINAL_KEYS:
            hint = did_you_mean(key, ORIGINAL_KEYS)
            report.warn(
                f"unknown key {shown(key)} in [[{place[-2]}]] is ignored", *place, key, hint=hint
            )
        elif not isinstance(value, str):
            report.wrong(f"`{key}` must be text in quotes, not {shown(value)}", *place, key)
        elif value or key in REGEX_FIELDS:
            values[key] = value
    return values


def _regexes(
    values: Mapping[str, str],
    place: Place,
    report: ProblemReport,
    variables: Mapping[str, str],
    name: str,
) -> dict[str, str]:
    """Return the regexes with their variables put in, each one checked."""
    found = {}
    for key in values:
        if key not in REGEX_FIELDS:
            continue
        text, undefined = substituted(values[key], variables)
        if undefined:
            report.wrong(f"undefined variable `{undefined}` in `{key}` of `{name}`", *place, key)
            continue
        fault = report.budget.check(text) or beyond_rust(text)
        if fault is not None:
            report.wrong(f"{key} invalid: {fault} in rule `{name}`", *place, key, hint=fault.hint)
        found[key] = text
    return found


def _check_tool(
    values: Mapping[str, str], place: Place, report: ProblemReport, meaning: Meaning
) -> None:
    if "tool" in values and "tool_regex" in values and meaning is not Meaning.LEAVES:
        report.wrong(BOTH_TOOLS, *place, "tool_regex", hint="keep one of them")
    if "tool" not in values and "tool_regex" not in values:
        report.wrong(NO_TOOL, *place, hint='write `tool = "Bash"`')


# --- which tools, and what of their input ----------------------------------------------


class _RuleText(Struct, frozen=True):
    """What a rule says, and in which dialect."""

    values: Mapping[str, str]
    meaning: Meaning

    @property
    def bare(self) -> bool:
        """True when the rule names a tool and no field of its input."""
        keys = FIELD_KEYS if self.meaning is Meaning.LEAVES else MAIN_KEYS
        return keys.isdisjoint(self.values)

    def known_tools(self) -> list[str]:
        """Return the tools with a known input that the rule names."""
        known = (*KNOWN, "Grep") if self.meaning is Meaning.LEAVES else KNOWN
        if "tool_regex" not in self.values:
            return [self.values["tool"]] if self.values["tool"] in known else []
        return [tool for tool in known if self.names(tool)]

    def names(self, tool: str) -> bool:
        """Say whether the rule's regexes speak of a tool."""
        exclude = self.values.get("tool_exclude_regex")
        return search(self.values["tool_regex"], tool) and not (
            exclude is not None and search(exclude, tool)
        )


def _by_tool(base: Base, said: _RuleText) -> Iterator[Rule]:
    known = said.known_tools()
    for tool in known:
        for test in _tests(tool, said.values):
            yield Rule(**base, tool=tool, fields=(test,))
        if said.bare and said.meaning is Meaning.LEAVES:
            yield Rule(**base, tool=tool)
    if not said.bare or said.meaning is Meaning.SIX_TOOLS:
        return
    regex = said.values.get("tool_regex")
    if regex is not None:
        exclude = said.values.get("tool_exclude_regex")
        others = "^(?:" + "|".join((*KNOWN, "Grep") if "Grep" in known else KNOWN) + ")$"
        excluded = others if exclude is None else f"(?:{exclude})|{others}"
        yield Rule(**base, tool_regex=regex or "^", tool_exclude_regex=excluded)
    elif said.values["tool"] not in known:
        yield Rule(**base, tool=said.values["tool"])


def _tests(tool: str, values: Mapping[str, str]) -> Iterator[FieldMatch]:
    """Yield the tests on a tool's input: any one of them is enough."""
    if tool == "Task":
        yield from _subagent_tests(values)
        yield from _field_tests("prompt", values)
    else:
        yield from _field_tests("command" if tool == "Bash" else "file_path", values)


def _field_tests(name: str, values: Mapping[str, str]) -> Iterator[FieldMatch]:
    """The main regex must be there: an exclude regex alone never matches."""
    regex = values.get(f"{name}_regex")
    if regex is not None:
        yield FieldMatch(
            name=name, regex=regex or "^", exclude=values.get(f"{name}_exclude_regex", "")
        )


def _subagent_tests(values: Mapping[str, str]) -> Iterator[FieldMatch]:
    exact, regex = values.get("subagent_type", ""), values.get("subagent_type_regex")
    if exact or regex is not None:
        yield FieldMatch(
            name="subagent_type",
            exact=exact,
            regex="" if exact else regex or "^",
            exclude=values.get("subagent_type_exclude_regex", ""),
        )


def _why_never(values: Mapping[str, str], meaning: Meaning) -> str:
    tool = values.get("tool") or values.get("tool_regex", "")
    if meaning is Meaning.SIX_TOOLS and tool not in KNOWN:
        return f"the original knows no tool {shown(tool)}, only {', '.join(KNOWN)}"
    need = {"Bash": "command_regex", "Task": "subagent_type` or `prompt_regex"}
    if tool in KNOWN:
        return f"for {tool} it needs `{need.get(tool, 'file_path_regex')}`"
    return f"its fields do not belong to {shown(tool)}"

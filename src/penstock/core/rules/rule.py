"""Turn one table of a rules file into a rule, and say what is wrong with it.

The table of fields says what each value may be; here is what the fields mean together:
which exclude each other, which need each other, and what holds when one is absent.
Always true: a rule comes out only when nothing is wrong with it, its examples hold, and its regexes
are RE2's (of a shipped file both were seen by tests); whatever is wrong is reported, all of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from msgspec import Struct, field

from penstock.core.model import COVERS, Action, ChangeKind, Verdict
from penstock.core.paths.globs import matches
from penstock.core.policy.conditions import text_fits, tool_fits
from penstock.core.policy.rule import FieldMatch, Rule, Where
from penstock.core.policy.rule_index import COMMAND, PROGRAM
from penstock.core.rules.fields import BY_NAME, Field, FieldKind
from penstock.core.rules.problems import ProblemReport, did_you_mean, shown
from penstock.core.rules.sets import spelled_out
from penstock.core.rules.values import READERS, ValueFault, WrongValueError
from penstock.core.text.late_regex import late_regex

Values = dict[str, object]

INPUT_KEYS = tuple(
    (name, f"{name}_regex", f"{name}_exclude_regex")
    for name in (COMMAND, PROGRAM, "file_path", "subagent_type", "prompt")
)
REGEX_FIELDS = frozenset(n for n, one in BY_NAME["rule"].items() if one.kind is FieldKind.REGEX)
GLOB_FIELDS = frozenset(n for n, one in BY_NAME["rule"].items() if one.kind is FieldKind.GLOBS)
TOOL_FIELDS = REGEX_FIELDS | {"tool", "subagent_type"}
# A command tells by itself that a shell is meant, whatever an agent calls it.
NEED_TOOL = frozenset(key for key in TOOL_FIELDS if not key.startswith(("tool", COMMAND, PROGRAM)))
# What goes into a rule as it was read; the rest is put together.
AS_WRITTEN = frozenset(Rule.__struct_fields__) - {"actions", "kinds"}
CONDITIONS = TOOL_FIELDS | {
    *("paths", "actions", "line_threshold", "change_threshold", "substantial", "kinds"),
    *("max_bytes", "inside", "beyond", "tree", "uncommitted"),
}
VERDICT_OF: Mapping[str, Verdict | None] = {
    "deny": Verdict.DENY,
    "ask": Verdict.ASK,
    "allow": Verdict.ALLOW,
    "warn": None,
    "safe": None,
}
GRANTING = ("allow", "safe")
ANY_ACTION = frozenset(Action)
ACTIONS_OF: Mapping[str, frozenset[Action]] = {
    **{str(action): covered for action, covered in COVERS.items()},
    "modify": frozenset({Action.WRITE}),
}

DOUBTFUL = late_regex(r"^!|[{\\]")
DOUBTS = {
    "{": "`{` means itself; two alternatives are two globs",
    "\\": "`\\` means itself; write `/` between directories",
    "!": "`!` means itself; exceptions go into `not_paths`",
}
BOTH_TOOLS = "Rule must specify exactly one of 'tool' or 'tool_regex', not both"
NO_TOOL = "Missing required field: tool or tool_regex"


class Thresholds(Struct, kw_only=True):
    """What `substantial = true` stands for."""

    lines: int = 100
    change: float = 0.5


class Reader(Struct, kw_only=True):
    """Reads the tables of one file; what is wrong goes to its report."""

    report: ProblemReport
    thresholds: Thresholds = field(default_factory=Thresholds)
    prefix: str = ""  # of the ids that rules without one are given
    proven: bool = False  # the rules' examples hold, and their regexes are RE2's: tests say so
    sets: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    names: list[tuple[str, Where]] = field(default_factory=list)  # of all rules, wrong ones too

    def table(self, raw: object, table: str, label: str, *path: str | int) -> Values:
        """Return the values of a table's known keys that are as they should be."""
        values: Values = {}
        if not isinstance(raw, dict):
            self.report.wrong(f"{label} must be a table, not {shown(raw)}", *path)
            return values
        known = BY_NAME[table]
        for key, value in raw.items():
            one = known.get(key)
            if self.report.full:
                break
            if one is None:
                self._unknown(key, table, label, *path)
                continue
            found = self.value(one, value, key, label, *path)
            if found is not None:
                values[key] = found
        return values

    def value(
        self, one: Field, value: object, key: str, label: str, *path: str | int
    ) -> object | None:
        """Return the value of one key, None when anything is wrong with it."""
        try:
            return READERS[one.kind](one, value)
        except WrongValueError as wrong:
            for one_fault in wrong.all_of:
                self._wrong_value(one_fault, key, label, *path)
        return None

    def _wrong_value(self, wrong: ValueFault, key: str, label: str, *path: str | int) -> None:
        at = () if wrong.at is None else (wrong.at,)
        message = f"`{key}` in {label} {wrong.what}"
        self.report.wrong(message, *path, key, *at, hint=wrong.hint)

    def _unknown(self, key: str, table: str, label: str, *path: str | int) -> None:
        hint = did_you_mean(key, BY_NAME[table])
        if key == "api_key":
            hint = "keys do not belong in a rules file; set the environment variable instead"
        self.report.wrong(f"unknown key {shown(key)} in {label}", *path, key, hint=hint)

    def rule(self, raw: object, table: str, number: int) -> Rule | None:
        """Return the rule of one `[[table]]`, or None when anything is wrong with it."""
        before = len(self.report.problems)
        given = raw.get("id") if isinstance(raw, dict) else None
        name = given if isinstance(given, str) else f"{self.prefix}{table}-{number + 1}"
        label = f"[[{table}]]" if given is None else f"[[{table}]] `{name[:80]}`"
        path = (table, number)
        where = Where(file=self.report.file, line=self.report.line_of(*path))
        self.names.append((name, where))
        values = self.table(raw, "rule", label, *path)
        self.spell_out(values, label, *path)
        if not self.proven and not REGEX_FIELDS.isdisjoint(values):
            self.check_regexes(values, label, *path)
        if isinstance(raw, dict):
            self._check_together(raw, table, label, *path)
        if self.report.full or len(self.report.problems) > before:
            return None
        rule = self._made(values, table, name, where)
        if not self.proven:
            self._check_examples(rule, label, *path)
        return rule if len(self.report.problems) == before else None

    def _check_together(self, raw: Values, table: str, label: str, *path: str | int) -> None:
        for message, key, hint in _contradictions(raw, table):
            self.report.wrong(f"{message} in {label}", *path, *([key] if key else []), hint=hint)

    def check_regexes(self, values: Mapping[str, object], label: str, *path: str | int) -> None:
        """Report every regex among some values that RE2 does not take."""
        for key, value in values.items():
            found = self.report.budget.check(str(value)) if key in REGEX_FIELDS else None
            if found is not None:
                self.report.wrong(f"{key} invalid: {found} in {label}", *path, key, hint=found.hint)

    def spell_out(self, values: Values, label: str, *path: str | int) -> None:
        """Put the globs of sets where their names stand."""
        for key in GLOB_FIELDS & values.keys():
            globs = cast("tuple[str, ...]", values[key])
            self.warn_of_globs(globs, f"`{key}` of {label}", *path, key)
            values[key] = spelled_out(globs, self.sets, self.report, *path, key)

    def warn_of_globs(self, globs: Sequence[str], label: str, *path: str | int) -> None:
        """Warn of what other glob languages read differently: here it means itself."""
        for at, glob in enumerate(globs):
            found = DOUBTFUL.search(glob)
            if found:
                message = f"{shown(glob)} in {label}: {DOUBTS[found.group()]}"
                self.report.warn(message, *path, at)

    def _made(self, values: Values, table: str, name: str, where: Where) -> Rule:
        """Put the values of a rule without faults together."""
        made = {key: value for key, value in values.items() if key in AS_WRITTEN}
        made["id"] = name
        made["note"] = _note(values, table, name)
        made["actions"] = _actions(values)
        if not TOOL_FIELDS.isdisjoint(values):
            made["fields"] = tuple(_input_fields(values))
            made["per_leaf"] = True
        if "kinds" in values:
            kinds = cast("tuple[str, ...]", values["kinds"])
            made["kinds"] = frozenset(ChangeKind(kind) for kind in kinds)
        if values.get("substantial"):
            made.setdefault("line_threshold", self.thresholds.lines)
            made.setdefault("change_threshold", self.thresholds.change)
        if table == "deny" and "code" not in made:
            made["code"] = _code(values)
        verdict, warns = VERDICT_OF[table], table == "warn"
        return Rule(verdict=verdict, warns=warns, where=where, **cast("dict[str, Any]", made))

    def _check_examples(self, rule: Rule, label: str, *path: str | int) -> None:
        """Hold a rule against its own examples."""
        for key, expected in (("match", True), ("not_match", False)):
            for at, example in enumerate(rule.match if expected else rule.not_match):
                if meets(rule, example) is expected:
                    continue
                does = "does not match" if expected else "meets"
                message = f"{label} {does} {shown(example)}, against its own `{key}`"
                self.report.wrong(message, *path, key, at, hint="fix the rule or the example")


def _contradictions(values: Mapping[str, object], table: str) -> Iterator[tuple[str, str, str]]:
    """Yield what a rule's fields cannot say together: message, key, hint."""
    inputs = [key for key in values if key in NEED_TOOL]
    if "tool" in values and "tool_regex" in values:
        yield BOTH_TOOLS, "tool_regex", "keep one of them"
    if inputs and "tool" not in values and "tool_regex" not in values:
        yield NO_TOOL, inputs[0], f'write `tool = "{_usual_tool(inputs[0])}"`'
    if table in GRANTING and (of := [key for key in values if key.startswith(PROGRAM)]):
        yield f"`{of[0]}` grants nothing", of[0], "write `command_regex`, for the command as it is"
    if "tool_exclude_regex" in values and "tool_regex" not in values:
        yield "`tool_exclude_regex` without `tool_regex`", "tool_exclude_regex", "add `tool_regex`"
    if "subagent_type" in values and "subagent_type_regex" in values:
        yield "`subagent_type` and `subagent_type_regex`", "subagent_type_regex", "keep one of them"
    if "within" in values and "paths" not in values:
        yield "`within` without `paths`", "within", "write `paths`"
    if not CONDITIONS & values.keys():
        yield "the rule has no condition", "", "add `paths`, `tool` or a threshold"
    examples = [key for key in ("match", "not_match") if values.get(key)]
    if examples and "paths" not in values and not TOOL_FIELDS & values.keys():
        yield f"`{examples[0]}` without `paths`, `tool` or a regex", examples[0], "remove it"


def _usual_tool(key: str) -> str:
    return "Write" if key.startswith("file_path") else "Task"


def _actions(values: Values) -> frozenset[Action]:
    """A rule about a tool speaks of all it does; one about paths, of changes to them."""
    words = cast("tuple[str, ...] | None", values.get("actions"))
    if words is not None:
        return frozenset(action for word in words for action in ACTIONS_OF[word])
    return ANY_ACTION if TOOL_FIELDS & values.keys() else COVERS[Action.WRITE]


def _input_fields(values: Mapping[str, object]) -> Iterator[FieldMatch]:
    says = cast("Mapping[str, str]", values)
    for name, main, other in INPUT_KEYS:
        if main in says or other in says or name in says:
            yield FieldMatch(
                name=name,
                regex=says.get(main, ""),
                exclude=says.get(other, ""),
                exact=says.get(name, ""),
            )


def _note(values: Values, table: str, name: str) -> str:
    """A warning without a sentence would warn of nothing, so it has one."""
    told = values.get("note", "")
    if table == "warn":
        told = told or values.get("reason") or values.get("description")
        told = told or f"rule `{name}` warns about {{path}}"
    return str(told)


def _code(values: Values) -> str:
    """Return the word for programs that a denial without one gets."""
    if "max_bytes" in values:
        return "too-large"
    if "paths" in values:
        return "path-denied"
    return "command-denied" if TOOL_FIELDS & values.keys() else ""


def meets(rule: Rule, example: str) -> bool:
    """Say whether a rule speaks of an example: a path, a field's text, or a tool's name."""
    if rule.paths:
        path = example.removeprefix("./")
        inside = not rule.within or _any(rule.within, path)
        return inside and _any(rule.paths, path) and not _any(rule.not_paths, path)
    if rule.fields:
        return field_meets(rule.fields[0], example)
    return tool_fits(rule, example)


def _any(globs: tuple[str, ...], path: str) -> bool:
    return any(matches(glob, path) for glob in globs)


def field_meets(test: FieldMatch, text: str) -> bool:
    """Say whether a text is what a field's test asks for."""
    return (not test.exact or test.exact == text) and text_fits(test, text)

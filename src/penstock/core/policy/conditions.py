"""Say whether one condition of a rule holds for a request, and what is taken out of the rule.

`decide` asks every condition and weighs the answers; globs have been looked up before.
Always true: a strict rule speaks as soon as one simple command meets it, an allowing rule only
when all of them do; what an `[[except]]` takes out is as narrow as it says, and ends when it says.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from penstock.core.model import Action, Request, Verdict
from penstock.core.paths.glob_index import compile_globs
from penstock.core.paths.globs import lookup, matches
from penstock.core.policy.model import Layer
from penstock.core.policy.regex_faults import pieces
from penstock.core.policy.regexes import search, stands_for
from penstock.core.policy.rule import FieldMatch, Rule, RuleExcept
from penstock.core.policy.rule_index import COMMAND, PROGRAM, field_texts, field_value, input_key


def tool_fits(rule: Rule, tool: str) -> bool:
    """Say whether a rule speaks of a tool."""
    if rule.tool:
        return rule.tool == tool
    if not rule.tool_regex:
        return True
    excluded = rule.tool_exclude_regex and search(rule.tool_exclude_regex, tool)
    return search(rule.tool_regex, tool) and not excluded


def change_fits(rule: Rule, request: Request) -> bool:
    """A rule about the change speaks only where a change was measured."""
    if not rule.measures:
        return True
    change = request.change
    if change is None:
        return False
    return (
        (not rule.kinds or change.kind in rule.kinds)
        and (rule.line_threshold is None or change.existing_lines >= rule.line_threshold)
        and (rule.change_threshold is None or change.change_ratio >= rule.change_threshold)
        and (rule.max_bytes is None or change.after_size > rule.max_bytes)
    )


def fields_fit(rule: Rule, request: Request, now: float, verdict: Verdict | None) -> bool:
    """Say whether the tool's input is what a rule's regexes ask for."""
    return all(_field_fits(test, rule, request, now, verdict) for test in rule.fields)


def _field_fits(
    test: FieldMatch, rule: Rule, request: Request, now: float, verdict: Verdict | None
) -> bool:
    """A strict rule needs one simple command to match, an allowing rule all of them.

    Otherwise `^npm install` would let `npm install && rm -rf ~` through. What a simple command
    starts is heard by strict rules, too, so that `sudo` or a path in front of it is no way past.
    """
    strict = verdict is not Verdict.ALLOW and rule.per_leaf and input_key(test.name) == COMMAND
    if strict and any(text_fits(test, text) for text in _programs(rule, request, now)):
        return True
    if test.name == PROGRAM:
        return False
    texts = field_texts(test.name, request)
    if rule.excepts and test.name == COMMAND:
        texts = _not_excepted(rule, texts, now)
    if not texts or (test.exact and texts[0] != test.exact):
        return False
    if not rule.per_leaf or len(texts) == 1:
        return text_fits(test, texts[0])
    if verdict is Verdict.ALLOW:
        return all(text_fits(test, leaf) for leaf in texts[1:])
    return any(text_fits(test, text) for text in texts)


def text_fits(test: FieldMatch, text: str) -> bool:
    """Say whether a text meets a test's regexes."""
    found = not test.regex or search(test.regex, text)
    return found and not (test.exclude and search(test.exclude, text))


# --- what is taken out of a rule --------------------------------------------------------


def in_force(one: Rule | RuleExcept, now: float) -> bool:
    """Say whether a rule or an exception has not ended yet."""
    return one.expires_at is None or now < one.expires_at


def is_within(rule: Rule, spelling: str) -> bool:
    """Say whether a spelling lies where a rule is about; most rules are about any place."""
    return not rule.within or bool(lookup(_index(rule.within), spelling))


def excepted(rule: Rule, request: Request, now: float, spelling: str) -> bool:
    """Say whether a rule does not speak of one spelling of a path."""
    return bool(rule.not_paths and lookup(_index(rule.not_paths), spelling)) or any(
        _takes_out(one, rule, request, spelling) for one in rule.excepts if in_force(one, now)
    )


@lru_cache(maxsize=1024)
def _index(globs: tuple[str, ...]) -> dict[str, object]:
    """Return an index of a rule's exceptions: some presets have dozens."""
    return compile_globs([(glob, at) for at, glob in enumerate(globs)])


def exempt(rule: Rule, request: Request, now: float) -> bool:
    """A rule's exceptions speak of the path itself; `./src/a` is no way out of them."""
    target = request.target
    return (
        bool(rule.not_paths or rule.excepts)
        and target is not None
        and all(excepted(rule, request, now, spelling) for spelling in target.judged)
    )


def _takes_out(one: RuleExcept, rule: Rule, request: Request, spelling: str) -> bool:
    if one.paths and not any(matches(glob, spelling) for glob in one.paths):
        return False
    if not one.command_regex:
        return bool(one.paths)
    if not rule.paths and any(input_key(test.name) == COMMAND for test in rule.fields):
        # The command was judged as a whole, with what is taken out of it: see `_not_excepted`.
        return request.target is not None
    return bool(request.doing) and all(
        leaf and search(one.command_regex, leaf) for leaf in request.doing
    )


def _taken_out(rule: Rule, now: float) -> list[str]:
    """Return the regexes of the commands that are taken out of a rule, whatever they touch."""
    active = [one for one in rule.excepts if in_force(one, now) and not one.paths]
    return [one.command_regex for one in active if one.command_regex]


def _programs(rule: Rule, request: Request, now: float) -> Iterator[str]:
    """Yield the programs that a command starts and that are not taken out of a rule."""
    regexes = _taken_out(rule, now) if rule.excepts else []
    whole = field_value(COMMAND, request) if regexes else None
    if whole is not None and any(_spelled(regex) == whole.strip() for regex in regexes):
        return
    for leaf, text in request.programs:
        if not any(search(regex, leaf) or search(regex, text) for regex in regexes):
            yield text


def _not_excepted(rule: Rule, texts: Sequence[str], now: float) -> tuple[str, ...]:
    """Return a command and its simple commands without those that are taken out of a rule."""
    regexes = _taken_out(rule, now)
    if texts and any(_spelled(regex) == texts[0].strip() for regex in regexes):
        return ()
    out = [leaf for leaf in texts[1:] if any(search(regex, leaf) for regex in regexes)]
    if not out:
        return tuple(texts)
    kept = [leaf for leaf in texts[1:] if leaf not in out]
    whole = texts[0]
    for leaf in out:
        whole = whole.replace(leaf, "")
    return (whole, *kept) if kept else ()


# --- a command that somebody allowed in so many words -----------------------------------


def command_allowed(layer: Layer, request: Request, now: float) -> bool:
    """Say whether rules allow each simple command that is unclear, or the command as it stands.

    What a redirection does is allowed only with the whole command, spelled out.
    """
    rules = list(_command_grants(layer, request, now))
    whole = field_value(COMMAND, request)
    if not rules:
        return False
    if whole is not None and any(_spells_out(rule, whole) for rule in rules):
        return True
    return bool(request.doing) and all(
        leaf and any(_fits_leaf(rule, leaf) for rule in rules) for leaf in request.doing
    )


def _command_grants(layer: Layer, request: Request, now: float) -> Iterator[Rule]:
    for rule in layer.rules:
        if (
            rule.verdict is Verdict.ALLOW
            and rule.enabled
            and Action.RUN in rule.actions
            and rule.fields
            and not (rule.paths or rule.measures)
            and all(test.name == COMMAND for test in rule.fields)
            and in_force(rule, now)
            and tool_fits(rule, request.tool)
        ):
            yield rule


def _fits_leaf(rule: Rule, leaf: str) -> bool:
    return all(
        text_fits(test, leaf) and (not test.exact or test.exact == leaf) for test in rule.fields
    )


def _spells_out(rule: Rule, command: str) -> bool:
    """Say whether a rule names a command character for character, with no wildcard in it."""
    return all(
        command.strip() == (test.exact or _spelled(test.regex)) and text_fits(test, command)
        for test in rule.fields
    )


def _spelled(regex: str) -> str | None:
    """Return the one text that `^...$` matches, or None where it matches more than one."""
    found = [piece for _, piece in pieces(regex)]
    inner = [stands_for(piece) for piece in found[1:-1]]
    spelled = len(found) > 2 and found[0] == "^" and found[-1] == "$" and all(inner)
    return "".join(inner) if spelled else None

"""Ask two policies about past calls, very many of them, quickly.

Most calls of a long log are unlike each other in letters and alike to the rules: the same
patterns meet them. So a simple call is known by which of the rules' patterns meet it, and the
rules are asked once for each such kind; every other call is asked by itself, up to a bound.
Always true: an answer is `policy.decide`'s own; a call that cannot be asked again is None, never
a guess.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from penstock.core.errors import InputError
from penstock.core.learning.past_decision import ALLOW, ASK, DENY, PASSTHROUGH, Past
from penstock.core.model import Action, Decision, Request, Target, Verdict, strictest
from penstock.core.paths.glob_index import compile_globs
from penstock.core.paths.globs import lookup
from penstock.core.paths.relpath import locate
from penstock.core.policy.builtin import NAME
from penstock.core.policy.decide import combine, decide
from penstock.core.policy.model import Layer, Policy
from penstock.core.policy.regexes import Bank, literal
from penstock.core.policy.rule import Rule
from penstock.core.policy.rule_index import ALSO_CALLED, COMMAND, input_key
from penstock.core.policy.sentences import effective
from penstock.core.shell.command.program import TABLE
from penstock.core.shell.effects import ProgramCall
from penstock.core.shell.expansion import Value
from penstock.core.shell.programs.builtins import BUILTINS
from penstock.core.tools.intents import intents

MOST_ASKED = 1500  # calls that are followed one by one; a shell command takes half a millisecond
# Words without quotes, expansions, redirections or more than one command: one leaf, itself.
PLAIN = re.compile(r"[A-Za-z0-9_./:@%+,-]+(?: [A-Za-z0-9_./:@%+,=-]+)*")
LONGEST_PLAIN = 1000

UNQUOTED = str.maketrans("", "", "'\"\\")

Key = tuple[object, ...]


class LoggedVerdict(Struct, frozen=True):
    """What a policy says to a call in the words of a log, and which rules say so."""

    said: str
    rules: tuple[str, ...] = ()


def word_of(decision: Decision) -> LoggedVerdict:
    """Tell an allowing rule from silence: a log calls the latter a passthrough."""
    said = {Verdict.ASK: ASK, Verdict.DENY: DENY}.get(decision.verdict)
    if said is None:
        said = ALLOW if decision.granted else PASSTHROUGH
    return LoggedVerdict(said, tuple(dict.fromkeys(reason.rule for reason in decision.reasons)))


# --- a call as requests ----------------------------------------------------------------------


def requests_of(past: Past) -> list[Request]:
    """Return what a past call asked for, as far as its line tells; the disk is not looked at."""
    if past.path and not past.command and (target := target_of(past)):
        return [_on(past, target)]
    found = []
    for intent in intents(past.tool, past.tool_input, cwd=past.cwd or "/"):
        place = None
        if intent.path is not None:
            try:
                place = locate(intent.path, root=past.cwd or "/", base=intent.base)
            except InputError:
                continue
        found.append(
            Request(
                action=intent.action,
                tool=past.tool,
                tool_input=past.tool_input,
                target=place,
                leaves=intent.leaves,
                programs=intent.programs,
                doing=intent.doing,
                unclear=intent.unclear,
            )
        )
    return found or [Request(action=Action.RUN, tool=past.tool, tool_input=past.tool_input)]


# Tools of the original's logs that do one thing to one file.
FILE_TOOLS: Mapping[str, Action] = {
    "Read": Action.READ,
    "Write": Action.WRITE,
    "Edit": Action.WRITE,
    "MultiEdit": Action.WRITE,
    "NotebookEdit": Action.WRITE,
}


def target_of(past: Past) -> Target | None:
    """Return the file that a call names; None where it names none, or more than one."""
    if past.path:
        return Target(shown=past.path, judged=(past.path,), outside=past.path.startswith("/"))
    path = past.subject
    if not path or past.tool not in FILE_TOOLS:
        return None
    root = past.cwd or "/"
    try:
        return locate(path, root=root, base=root)
    except InputError:
        return None


def _on(past: Past, target: Target) -> Request:
    action = past.action if past.path else FILE_TOOLS.get(past.tool)
    return Request(
        action=action or Action.WRITE, tool=past.tool, tool_input=past.tool_input, target=target
    )


# --- what changed between two policies -------------------------------------------------------


def meaning(rule: Rule, layer: Layer) -> Key:
    """Return what a rule does, without its name, its words and its place."""
    return (
        effective(rule, layer), rule.actions, rule.paths, rule.within, rule.not_paths, rule.tool,
        rule.tool_regex, rule.tool_exclude_regex, rule.fields, rule.per_leaf, rule.line_threshold,
        rule.change_threshold, rule.max_bytes, rule.kinds, rule.extent, rule.expires_at,
        rule.excepts,
    )  # fmt: skip


def active(policy: Policy) -> Iterator[tuple[Key, Rule]]:
    """Yield the rules that are switched on, each with what it does and in which layer."""
    for at, layer in enumerate(policy.layers):
        for rule in layer.rules:
            if rule.enabled:
                yield (at, *meaning(rule, layer)), rule


def differing(before: Policy, after: Policy) -> tuple[list[Rule], list[Rule]]:
    """Return the rules that only the first policy has, and those that only the second has."""
    old, new = list(active(before)), list(active(after))
    was, now = {key for key, _ in old}, {key for key, _ in new}
    gone = [rule for key, rule in old if key not in now]
    come = [rule for key, rule in new if key not in was]
    return gone, come


def defaults(policy: Policy) -> Key:
    """Return what is answered where no rule speaks."""
    layers = tuple((tuple(sorted(y.defaults.items())), y.unclear, y.outside) for y in policy.layers)
    return (*layers, policy.limits.max_chain_length)


# --- the kinds of calls -----------------------------------------------------------------------

FIELDS = (COMMAND, "file_path", "subagent_type", "prompt")


class Lens:
    """Sees a call as the rules do: which of their patterns and globs meet it.

    `changed` are the rules that make a difference; a call that none of their patterns meets
    is the same to both policies.
    """

    def __init__(self, rules: Sequence[Rule], changed: Sequence[Rule]) -> None:
        self._patterns = {name: _patterns(name, rules) for name in FIELDS}
        self._exact = {name: _exact(name, rules) for name in FIELDS}
        self.names = frozenset(n for n in FIELDS if self._patterns[n] or self._exact[n])
        self._ask = {name: Bank(self._patterns[name]).hits for name in self.names}
        self._telling = {name: self._numbers(name, changed) for name in self.names}
        globs = list(dict.fromkeys(glob for rule in rules for glob in _globs(rule)))
        self._index = compile_globs([(glob, at) for at, glob in enumerate(globs)])
        told = {glob for rule in changed for glob in _globs(rule)}
        self._telling_globs = {at for at, glob in enumerate(globs) if glob in told}
        self._exact_told = {n: _exact(n, changed) for n in self.names}

    def _numbers(self, name: str, changed: Sequence[Rule]) -> frozenset[int]:
        told = set(_patterns(name, changed))
        return frozenset(at for at, one in enumerate(self._patterns[name]) if one in told)

    def field(self, name: str, value: str) -> tuple[Key, bool]:
        """Return what the rules can tell of a field, and whether that makes a difference."""
        if name not in self.names:
            return (), False
        hits = tuple(self._ask[name](value))
        exact = value if value in self._exact[name] else ""
        differs = not self._telling[name].isdisjoint(hits) or value in self._exact_told[name]
        return (name, hits, exact), differs

    def path(self, target: Target) -> tuple[Key, bool]:
        """Return what the rules can tell of a path, and whether that makes a difference."""
        met = [frozenset(lookup(self._index, one)) for one in (*target.judged, *target.tightening)]
        differs = any(not self._telling_globs.isdisjoint(one) for one in met)
        return (len(target.judged), target.outside, *met), differs


def _patterns(name: str, rules: Sequence[Rule]) -> list[str]:
    tests = [test for rule in rules for test in rule.fields if input_key(test.name) == name]
    excepts = [one for rule in rules for one in rule.excepts if name == COMMAND]
    found = [p for test in tests for p in (test.regex, test.exclude)]
    return list(dict.fromkeys(p for p in (*found, *(e.command_regex for e in excepts)) if p))


def _exact(name: str, rules: Iterable[Rule]) -> frozenset[str]:
    tests = [test for rule in rules for test in rule.fields]
    return frozenset(test.exact for test in tests if test.name == name and test.exact)


def _globs(rule: Rule) -> tuple[str, ...]:
    excepts = (glob for one in rule.excepts for glob in one.paths)
    return (*rule.paths, *rule.within, *rule.not_paths, *excepts)


def field_values(past: Past) -> list[tuple[str, str]]:
    """Return the fields of a call's input that a rule may speak of."""
    found = []
    for name in FIELDS:
        for key in ALSO_CALLED.get(name, (name,)):
            value = past.tool_input.get(key)
            if isinstance(value, str):
                found.append((name, value))
                break
    return found


ODD = frozenset({"test", "function", "if", "while", "until", "for", "case", "select", "coproc"})


def is_plain(command: str) -> bool:
    """Say whether a command is one program that touches no file we know of."""
    if len(command) > LONGEST_PLAIN or not PLAIN.fullmatch(command):
        return False
    name, *words = command.split(" ")
    # Versions and paths are looked up by other names.
    if not name.isalpha() or name in BUILTINS or name in ODD:
        return False
    row = TABLE.get(name)
    return row is None or next(row(ProgramCall(name, tuple(map(Value, words)))), None) is None


# --- asking both --------------------------------------------------------------------------------


class Replay:
    """Two policies, asked about the same calls at one time."""

    def __init__(
        self, before: Policy, after: Policy, *, now: float, most: int = MOST_ASKED
    ) -> None:
        # In rules that speak of tools and whole commands alone, files that a command names have
        # no part, as in the hook that such rules were written for.
        self._by_input = by_input(before) and by_input(after)
        self._policies = tuple(_alone(p) if self._by_input else p for p in (before, after))
        self._now = now
        self._left = most
        self.gone, self.come = differing(before, after)
        changed = [*self.gone, *self.come]
        rules = [rule for policy in (before, after) for _, rule in active(policy)]
        self._lens = Lens(rules, changed)
        self._anywhere = defaults(before) != defaults(after)
        # A rule without a pattern or a glob meets every call of its tool.
        self._bare = [rule for rule in changed if not rule.paths and not _searches(rule)]
        self._by_path = any(rule.paths for rule in changed)
        self._runs = [literal(t.regex) for r in changed if r.per_leaf for t in r.fields if t.regex]
        self._measuring = [_measuring(policy) for policy in self._policies]
        self._measures = frozenset(name for known in self._measuring for name in known)
        self._other_fields = self._lens.names - {COMMAND}
        self._known: dict[Key, tuple[LoggedVerdict, LoggedVerdict]] = {}

    @property
    def changes(self) -> bool:
        """True when some rule or default is another one."""
        return self._anywhere or bool(self.gone or self.come)

    def words(self, past: Past) -> tuple[LoggedVerdict, LoggedVerdict] | None:
        """Return what each policy says to a call; None where too many were followed already.

        Where nothing that changed can speak of it, both words are the recorded one.
        """
        command = past.command
        target = None if command or self._by_input else target_of(past)
        seen = [self._lens.field(name, value) for name, value in field_values(past)]
        if target is not None:
            seen.append(self._lens.path(target))
        speaks = self._speaks(past.tool, seen)
        key = (past.tool, *(one for one, _ in seen))
        if target is not None and speaks:
            floor = self._floor(past)
            return self._once((past.action, floor, *key), lambda: [_on(past, target)], floor)
        if self._by_input and speaks:
            return self._once(key, lambda: [_running(past, ())], ())
        followed = not self._by_input and (self._by_path or self._leaf_may_fit(command))
        if target is not None or not (speaks or followed):
            return UNTOUCHED
        if command and self._other_fields.isdisjoint(past.tool_input) and is_plain(command):
            leaves = (command,)
            return self._once(key, lambda: [_running(past, leaves)], ()) if speaks else UNTOUCHED
        return self._follow(past)

    def _speaks(self, tool: str, seen: Iterable[tuple[Key, bool]]) -> bool:
        bare = any(not rule.tool or rule.tool == tool for rule in self._bare)
        return self._anywhere or bare or any(differs for _, differs in seen)

    def _leaf_may_fit(self, command: str) -> bool:
        """Say whether a changed rule may meet a simple command inside this one."""
        if not command or not self._runs or "$'" in command:
            return bool(command and self._runs)
        bare = command.translate(UNQUOTED)
        return any(not run or run in bare for run in self._runs)

    def _follow(self, past: Past) -> tuple[LoggedVerdict, LoggedVerdict] | None:
        key = (past.tool, past.cwd, past.path, repr(past.tool_input))
        if key not in self._known:
            if self._left <= 0:
                return None
            self._left -= 1
        return self._once(key, lambda: requests_of(past), self._floor(past))

    def _floor(self, past: Past) -> tuple[str, ...]:
        return tuple(rule for rule in past.rules if rule in self._measures)

    def _once(
        self, key: Key, requests: Callable[[], list[Request]], floor: tuple[str, ...]
    ) -> tuple[LoggedVerdict, LoggedVerdict]:
        if key not in self._known:
            made = requests()
            self._known[key] = (self._ask(0, made, floor), self._ask(1, made, floor))
        return self._known[key]

    def _ask(self, at: int, requests: Sequence[Request], floor: tuple[str, ...]) -> LoggedVerdict:
        policy = self._policies[at]
        parts = [decide(request, policy, now=self._now) for request in requests]
        word = word_of(combine(parts, policy))
        # A rule about the size of a change spoke then; what it measured is not told any more.
        spoke = [name for name in floor if name in self._measuring[at]]
        verdict = strictest(self._measuring[at][name] for name in spoke)
        said = {Verdict.DENY: DENY, Verdict.ASK: ASK}.get(verdict, word.said)
        if word.said in (said, DENY):
            return word
        return LoggedVerdict(said, (*spoke, *word.rules))


UNTOUCHED = (LoggedVerdict(""), LoggedVerdict(""))
ANY_ACTION = frozenset(Action)


def by_input(policy: Policy) -> bool:
    """Say whether a policy decides by tools and whole inputs only, beside what protects us."""
    layers = [layer for layer in policy.layers if layer.name != NAME]
    silent = all(
        layer.unclear is Verdict.ALLOW
        and layer.outside is None
        and all(verdict is Verdict.ALLOW for verdict in layer.defaults.values())
        for layer in layers
    )
    rules = [rule for layer in layers for rule in layer.rules if rule.enabled]
    return (
        bool(layers)
        and silent
        and not policy.limits.max_chain_length
        and all(r.actions == ANY_ACTION and not r.paths and not r.per_leaf for r in rules)
    )


def _alone(policy: Policy) -> Policy:
    return replace(policy, layers=tuple(y for y in policy.layers if y.name != NAME))


def _running(past: Past, leaves: tuple[str, ...]) -> Request:
    return Request(
        action=Action.RUN,
        tool=past.tool,
        tool_input=past.tool_input,
        leaves=leaves,
        programs=tuple((leaf, leaf) for leaf in leaves),
    )


def _searches(rule: Rule) -> bool:
    return any(test.regex or test.exact for test in rule.fields)


def _measuring(policy: Policy) -> dict[str, Verdict]:
    """Return the rules that speak of the size of a change, each with its verdict."""
    return {
        rule.id: verdict
        for layer in policy.layers
        for rule in layer.rules
        if rule.measures and rule.enabled and (verdict := effective(rule, layer)) is not None
    }

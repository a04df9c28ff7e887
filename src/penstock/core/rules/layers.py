"""Put what was read from rules files together into one policy.

A level is what one person wrote: a project's file with its includes, or a user's. Inside a
level the including file wins, key by key. Between levels the strictest answer wins, so that a
project can tighten what its user wrote and never loosen it.
Always true: a policy that comes out has the built-in layer in it, and a level with problems
never becomes part of one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar, cast

from msgspec import Struct, field
from msgspec.structs import replace

from penstock.core.bundle.model import PolicyBundle
from penstock.core.digest import digest_of_pieces
from penstock.core.model import Action, Verdict, strictest
from penstock.core.policy.builtin import (
    CODE_GONE_RULE,
    CODE_RULE,
    NAME,
    NOTHING,
    SELF_RULE,
    STATE_RULE,
    Own,
    protected_layer,
    self_layer,
)
from penstock.core.policy.model import (
    ON_ERROR,
    AdvisorSettings,
    ApprovalSettings,
    AuditSettings,
    BrokerSettings,
    GateSettings,
    Layer,
    Limits,
    Policy,
    Validity,
    Warn,
)
from penstock.core.policy.rule import Rule, RuleExcept, Where
from penstock.core.rules.exceptions import with_exceptions
from penstock.core.rules.problems import Problem, as_error, did_you_mean
from penstock.core.text.quantities import counted

Settings = Mapping[str, Mapping[str, object]]
Shape = TypeVar("Shape")


class LoadResult(Struct, frozen=True, kw_only=True):
    """What one file, or one level of files, says; with problems it must not be used.

    `settings` holds what was written and nothing else: table, key, value; "" is the top.
    `names` are the ids of all rules, also of those that are wrong and not in `rules`.
    `excepts` are what one file takes out of rules; in a level they are part of its rules.
    `sources` are the files it came from with their digests. `literal` means that a spec's
    own format was read, and that the spec is to be followed to the letter. `bundle` is the
    organisation's, where the level is one of its rules, `validity` how long that holds, and
    `person` who works on this machine.
    """

    name: str
    rules: tuple[Rule, ...] = ()
    excepts: tuple[tuple[str, RuleExcept], ...] = ()
    settings: Settings = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    warnings: tuple[Problem, ...] = ()
    names: tuple[tuple[str, Where], ...] = ()
    sources: tuple[tuple[str, str], ...] = ()
    literal: bool = False
    disable_line: int = 0
    bundle: PolicyBundle | None = None
    person: str = ""
    validity: Validity | None = None

    @property
    def ok(self) -> bool:
        """True when nothing is wrong with it."""
        return not self.problems

    def setting(self, table: str, key: str) -> object:
        """Return what was written for a key, or None."""
        return self.settings.get(table, {}).get(key)


def join(name: str, parts: Sequence[LoadResult]) -> LoadResult:
    """Make one level of its files, the including one first: it wins, key by key."""
    settings: dict[str, dict[str, object]] = {}
    for part in parts:
        for table, values in part.settings.items():
            mine = settings.setdefault(table, {})
            for key, value in values.items():
                mine.setdefault(key, value)
    rules = [rule for part in parts for rule in part.rules]
    problems = [problem for part in parts for problem in part.problems]
    rules, wrong = _disabled(rules, settings.get("", {}).get("disable", ()), parts)
    rules, unknown = with_exceptions(rules, [one for part in parts for one in part.excepts])
    return LoadResult(
        name=name,
        rules=tuple(rules),
        settings=settings,
        problems=_in_reading_order([*problems, *_duplicates(parts), *wrong, *unknown], parts),
        warnings=tuple(warning for part in parts for warning in part.warnings),
        sources=tuple(dict.fromkeys(source for part in parts for source in part.sources)),
        literal=all(part.literal for part in parts),
    )


def _in_reading_order(
    problems: Sequence[Problem], parts: Sequence[LoadResult]
) -> tuple[Problem, ...]:
    order = {part.name: at for at, part in reversed([*enumerate(parts)])}
    return tuple(sorted(problems, key=lambda one: (order.get(one.file, len(order)), one.line)))


def _duplicates(parts: Iterable[LoadResult]) -> list[Problem]:
    """Tell every id that two rules have; a rule that was split has one place and one id."""
    first: dict[str, Where] = {}
    wrong = []
    for part in parts:
        for name, where in part.names or [(rule.id, rule.where) for rule in part.rules]:
            before = first.setdefault(name, where)
            if before != where:
                message = f"Rule with id '{name}' already exists at {before}"
                hint = "give one of them another id"
                one = Problem(
                    file=where.file, line=where.line, field="id", message=message, hint=hint
                )
                wrong.append(one)
    return wrong


def _disabled(
    rules: list[Rule], disable: object, parts: Sequence[LoadResult]
) -> tuple[list[Rule], list[Problem]]:
    """Switch off the rules that the level says are off."""
    names = set(cast("tuple[str, ...]", disable))
    known = {rule.id for rule in rules}
    wrong = []
    for name in sorted(names - known):
        hint = did_you_mean(name, known) if known else ""
        message = f"`disable` names `{name}`, but no rule has that id"
        if name in (SELF_RULE, STATE_RULE, CODE_RULE, CODE_GONE_RULE):
            message, hint = f"`{name}` cannot be disabled", "it protects the rules from agents"
        place = _place_of_disable(parts)
        wrong.append(replace(place, message=message, hint=hint))
    return [replace(r, enabled=False) if r.id in names else r for r in rules], wrong


def _place_of_disable(parts: Sequence[LoadResult]) -> Problem:
    file, line = next((p.name, p.disable_line) for p in parts if p.setting("", "disable"))
    return Problem(file=file, line=line, field="disable")


def as_layer(loaded: LoadResult) -> Layer:
    """Return the layer that a level makes of its rules and defaults."""
    said = loaded.settings.get("defaults", {})
    written = {Action(key): Verdict(str(said[key])) for key in said if key != "unclear"}
    change = written.get(Action.WRITE, Verdict.ALLOW)
    defaults = {
        Action.READ: Verdict.ALLOW,
        Action.WRITE: change,
        Action.CREATE: change,
        Action.DELETE: change,
        Action.RUN: Verdict.ALLOW,
        **written,
    }
    outside = loaded.setting("", "outside_project")
    return Layer(
        name=loaded.name,
        rules=(*loaded.rules, *_limit_rules(loaded)),
        defaults=defaults,
        unclear=Verdict(str(loaded.setting("defaults", "unclear") or Verdict.ALLOW)),
        outside=Verdict(str(outside)) if outside in ("ask", "deny") else None,
        warn=Warn(str(loaded.setting("", "warn") or Warn.CONTEXT)),
    )


def _limit_rules(loaded: LoadResult) -> list[Rule]:
    """A limit on what is written is a rule like any other, so that it is judged with them."""
    most = cast("int | None", loaded.setting("limits", "max_write_bytes"))
    if most is None:
        return []
    return [
        Rule(
            id="limits.max_write_bytes",
            verdict=Verdict.DENY,
            actions=frozenset({Action.WRITE, Action.CREATE}),
            max_bytes=most,
            reason=f"{{path}} would have {{size}} bytes; the limit is {most}",
            code="too-large",
            where=Where(file=loaded.name),
        )
    ]


# --- a policy of all levels -------------------------------------------------------------

LEVELS_OF_RECORD = ("off", "matched", "all")


def _first(values: Sequence[Any]) -> Any:
    return values[0]


def _lower_cap(values: Sequence[Any]) -> Any:
    """Of two caps where 0 means none, the one that caps more."""
    return min((value for value in values if value), default=0)


# How two levels meet in one setting: the stricter value. What is not here is not stricter or
# looser, and then the user's own word counts.
STRICTER: Mapping[tuple[str, str], Callable[[Sequence[Any]], Any]] = {
    ("gate", "line_threshold"): min,
    ("gate", "change_threshold"): min,
    ("gate", "mode"): max,  # `propose` after `judge`
    ("limits", "max_read_bytes_default"): min,
    ("limits", "max_read_bytes_hard"): min,
    ("limits", "max_write_bytes"): min,
    ("limits", "max_chain_length"): _lower_cap,
    ("broker", "enabled"): all,
    ("broker", "audit_log_enabled"): any,
    ("broker", "auto_apply"): all,
    ("approval", "ttl_seconds"): min,
    ("approval", "require_key"): any,
    ("approval", "totp"): any,
    ("approval", "rules"): min,  # `person` before `switch`
    ("audit", "level"): lambda values: max(values, key=LEVELS_OF_RECORD.index),
}


def build(
    project: LoadResult | None = None,
    user: LoadResult | None = None,
    *,
    others: Sequence[LoadResult] = (),
    protect: Own = NOTHING,
) -> Policy:
    """Return the policy of a project's and a user's level; raise when one has problems.

    `others` are levels that a door brings along, such as the broker's own file.
    """
    levels = [level for level in (*others, project, user) if level is not None]
    problems = [problem for level in levels for problem in level.problems]
    if problems:
        raise as_error(problems)
    literal = bool(levels) and all(level.literal for level in levels)
    sources = [source for level in levels for source in level.sources]
    layers = [as_layer(level) for level in levels]
    built_in = self_layer(literal=literal, protect=protect)
    # A level that observes stops nothing; what another one says holds all the same.
    stopping = [level for level in levels if level.setting("", "observe") is not True]
    # A user's word stands before a project's where neither is the stricter one.
    by_trust = [level.settings for level in reversed(levels)]
    policy = Policy(
        layers=(*layers, built_in),
        revision=_revision(sources),
        files=tuple(file for file, _ in sources),
        guarded=(*protect.kept, *protect.settings),
        vital=protect.vital,
        limits=_combined(Limits, "limits", by_trust),
        gate=_combined(GateSettings, "gate", by_trust),
        broker=_combined(BrokerSettings, "broker", by_trust),
        approval=_combined(ApprovalSettings, "approval", by_trust),
        audit=_combined(AuditSettings, "audit", by_trust),
        advisor=_combined(AdvisorSettings, "llm_fallback", by_trust),
        on_error=_on_error(by_trust),
        notify={level.name: level.settings.get("notify", {}) for level in levels},
        run={level.name: level.settings.get("run", {}) for level in levels},
        ship={level.name: level.settings.get("ship", {}) for level in levels},
        witness={level.name: level.settings.get("witness", {}) for level in levels},
        page={level.name: level.settings.get("page", {}) for level in levels},
        bundles={level.name: level.settings.get("bundle", {}) for level in levels},
        bundle=next((level.bundle for level in levels if level.bundle), None),
        person=next((level.person for level in levels if level.person), ""),
        validity=next((level.validity for level in levels if level.validity), None),
        warnings=tuple(str(warning) for level in levels for warning in level.warnings),
    )
    if len(stopping) == len(levels):
        return policy
    enforced = build(others=stopping, protect=protect)
    enforced = replace(enforced, revision=policy.revision, files=policy.files)
    return replace(policy, enforced=enforced)


def _combined(shape: Callable[..., Shape], table: str, levels: Sequence[Settings]) -> Shape:
    """Fill a settings type with what the levels say; what none says keeps its default."""
    values: dict[str, object] = {}
    for name in sorted(cast("type[Struct]", shape).__struct_fields__):
        said = [level[table][name] for level in levels if name in level.get(table, {})]
        if said:
            values[name] = STRICTER.get((table, name), _first)(said)
    return shape(**values)


def _on_error(levels: Sequence[Settings]) -> Mapping[str, Verdict]:
    said: dict[str, Verdict] = {}
    for level in levels:
        for door, verdict in level.get("on_error", {}).items():
            one = Verdict(str(verdict))
            said[door] = strictest((said.get(door, one), one))
    return {**ON_ERROR, **said}


def _revision(sources: Sequence[tuple[str, str]]) -> str:
    """Return the digest of one file, or one digest over those of several."""
    if len(sources) == 1:
        return sources[0][1]
    return digest_of_pieces(f"{one}\n".encode() for _, one in sources)


def fallback(
    problems: Sequence[Problem],
    last_good: Policy | None = None,
    *,
    good: Sequence[LoadResult] = (),
    protect: Own = NOTHING,
) -> Policy:
    """Return what is in force while a policy is broken: never nothing.

    The last good policy, when there is one; else the built-in list beside the levels in `good`:
    those that can be read, and presets in place of those that cannot. Every decision says so.
    """
    first = str(problems[0]) if problems else "they could not be read"
    more = f", and {counted(len(problems) - 1, 'more problem')}" if len(problems) > 1 else ""
    why = f"the rules are broken: {first}{more}"
    if last_good is not None:
        return replace(last_good, degraded=f"{why}; the last valid rules stay active")
    policy = build(others=good, protect=protect)
    own = [layer for layer in policy.layers if layer.name != NAME]
    return replace(
        policy,
        layers=(*own, protected_layer(), self_layer(protect=protect)),
        degraded=f"{why}; until this is fixed, {_stand_in(good)}",
    )


def _stand_in(good: Sequence[LoadResult]) -> str:
    """Return what applies in place of the broken files, with its verb."""
    presets = [level.name for level in good if level.name.startswith("preset:")]
    names = [name.removeprefix("preset:").removesuffix(".toml") for name in presets]
    listed = "the built-in protected list"
    quoted = [f"the preset `{name}`" for name in names]
    return f"{', '.join(quoted)} and {listed} apply" if names else f"{listed} applies"

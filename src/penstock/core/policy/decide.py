"""Turn a request and a policy into a decision.

Every rule that applies is heard and the strictest verdict wins, so the order of rules never
changes an answer. Each layer and each spelling of the path is judged by itself; a default
answers only where no rule does. Reading files and recording events are the gate's work.
Always true: a decision names the rules and the policy revision behind it, and what nobody
can be asked about is denied.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from penstock.core.model import (
    STRICTNESS,
    Action,
    Decision,
    GateRefusal,
    Reason,
    Request,
    Target,
    Verdict,
    strictest,
)
from penstock.core.policy.conditions import (
    change_fits,
    command_allowed,
    excepted,
    exempt,
    fields_fit,
    is_within,
    tool_fits,
)
from penstock.core.policy.model import Layer, Policy
from penstock.core.policy.rule import Rule
from penstock.core.policy.sentences import (
    effective,
    filled,
    instead_of,
    reason_of,
    spoken_name,
    treatment,
)

MOST_TWINS = 3
CANNOT_PREDICT = "can't predict which files"
NAME_FILES = "use a command that names the files it changes, or ask the user to approve it"
NAME_IT = "leave the file out of the call, or ask the user to approve it"


class Opinion(Struct, frozen=True, kw_only=True):
    """What one layer says of one spelling: its verdict and the rules that spoke.

    `of` is None for what is said besides: of a path outside, of a command that is unclear.
    """

    verdict: Verdict
    reasons: tuple[Reason, ...]
    notes: tuple[str, ...] = ()
    instead: str = ""
    of: str | None = None

    @property
    def granted(self) -> bool:
        """True when a rule, and not only a default, said allow."""
        return any(reason.verdict is Verdict.ALLOW for reason in self.reasons)


def decide(request: Request, policy: Policy, *, now: float) -> Decision:
    """Return what the policy says to a request at a time (seconds since 1970)."""
    opinions = [
        opinion
        for layer in policy.layers_for(request.target, now)
        for opinion in _opinions(layer, request, now)
    ]
    opinions += _too_long(request, policy)
    opinions += [_refused(refusal) for refusal in request.refusals]
    decision = _joined(opinions, request, policy)
    return unattended(decision) if not request.attended else decision


def _joined(opinions: Sequence[Opinion], request: Request, policy: Policy) -> Decision:
    """Return what all opinions come to: the strictest leads, and each reason is told once."""
    shown = request.target.shown if request.target else ""
    flags = _flags(request)
    if not flags and not any(one.reasons or one.notes for one in opinions):
        return Decision(  # nobody objects, as of nearly everything
            verdict=Verdict.ALLOW,
            revision=policy.revision,
            degraded=policy.degraded,
            path=shown,
            action=request.action,
        )
    verdict = strictest(opinion.verdict for opinion in opinions)
    leading = [opinion for opinion in opinions if opinion.verdict is verdict]
    reasons = _ordered([reason for opinion in opinions for reason in opinion.reasons])
    return Decision(
        verdict=verdict,
        reasons=reasons,
        notes=_distinct((*flags, *[n for opinion in opinions for n in opinion.notes])),
        revision=policy.revision,
        code=next((r.code for r in reasons if r.verdict is verdict and r.code), ""),
        because=_because(reasons, verdict, request.target),
        suggestion=next((opinion.instead for opinion in leading if opinion.instead), ""),
        granted=bool(reasons) and verdict is Verdict.ALLOW and _granted(request, opinions),
        degraded=policy.degraded,
        path=shown,
        action=request.action,
    )


def _flags(request: Request) -> tuple[str, ...]:
    """Return what a person should know of the path itself; a mere mention tells nothing."""
    return () if request.target is None or request.mention else request.target.flags


def _because(reasons: Sequence[Reason], verdict: Verdict, target: Target | None) -> str:
    """Return the first reason for a verdict; of a hard link also whose name it is."""
    because = next((r.text for r in reasons if r.verdict is verdict and r.text), "")
    if verdict is Verdict.ALLOW or target is None or not target.twins:
        return because
    names = ", ".join(f"`{spoken_name(name)}`" for name in target.twins[:MOST_TWINS])
    return f"{because} (`{spoken_name(target.shown)}` is a hard link to {names})"


def combine(parts: Sequence[Decision], policy: Policy) -> Decision:
    """Join decisions: the strictest one leads, and nothing is granted unless all are."""
    if not parts:
        return Decision(verdict=Verdict.ALLOW, revision=policy.revision, degraded=policy.degraded)
    if len(parts) == 1:
        return parts[0]
    lead = max(parts, key=lambda part: STRICTNESS[part.verdict])
    return replace(
        lead,
        reasons=_ordered([reason for part in (lead, *parts) for reason in part.reasons]),
        notes=_distinct(note for part in parts for note in part.notes),
        granted=all(part.granted for part in parts),
        parts=tuple(parts),
    )


def unattended(decision: Decision) -> Decision:
    """Nobody is there to answer, so what would be asked is denied and says why."""
    if decision.verdict is not Verdict.ASK:
        return decision
    because = decision.because or "this needs approval"
    return replace(
        decision,
        verdict=Verdict.DENY,
        code=decision.code or "unattended",
        because=f"{because}; denied: this session is non-interactive",
    )


def _opinions(layer: Layer, request: Request, now: float) -> Iterator[Opinion]:
    """Yield a layer's opinion on each spelling that is judged, and the tightening ones."""
    if request.mention:
        yield from (_asked(opinion, request) for opinion in _tightening(layer, request, now))
        return
    if (request.unclear or request.losses) and not command_allowed(layer, request, now):
        yield from _doubts(layer, request)
    target = request.target
    if target is None:
        yield _opinion(layer, request, layer.index.for_tool(request), now)
        return
    # A command reads what it needs of the machine; rules on names hold out there, too.
    reads = request.action is Action.READ and bool(request.by)
    if target.outside and layer.outside is not None and not reads:
        text = f"`{spoken_name(target.shown)}` is outside the project"
        yield _default(layer.outside, "outside_project", text)
    anywhere = layer.index.for_tool(request)
    for spelling in target.judged:
        yield _opinion(layer, request, layer.index.for_path(spelling) | anywhere, now, spelling)
    yield from _tightening(layer, request, now)
    yield from _looking_like(layer, request, now)


def _doubts(layer: Layer, request: Request) -> Iterator[Opinion]:
    """Yield what is said of a command that is unclear, or that loses something for good."""
    if request.unclear:
        text = _unpredictable(request.unclear)
        yield replace(_default(layer.unclear, "unclear", text), instead=NAME_FILES)
    for loss in request.losses:
        yield replace(_default(layer.unclear, loss.rule, loss.text), instead=loss.instead)


def _unpredictable(why: str) -> str:
    """Return what is said of a command whose writes are only known when it runs."""
    return why if why.startswith(CANNOT_PREDICT) else f"{CANNOT_PREDICT} this changes: {why}"


def _too_long(request: Request, policy: Policy) -> list[Opinion]:
    """A command chain longer than the limit is denied whatever its parts are."""
    most = policy.limits.max_chain_length
    if not most or request.script or len(request.leaves) <= most:
        return []
    text = f"this runs {len(request.leaves)} commands in one call; the limit is {most}"
    return [_default(Verdict.DENY, "max_chain_length", text)]


def _refused(refusal: GateRefusal) -> Opinion:
    """What Penstock says for itself: no rules file can allow it."""
    reason = Reason(
        rule=refusal.rule, verdict=refusal.verdict, text=refusal.text, code=refusal.code
    )
    return Opinion(verdict=refusal.verdict, reasons=(reason,), instead=refusal.instead)


def _tightening(layer: Layer, request: Request, now: float) -> Iterator[Opinion]:
    """Yield opinions that only strict rules may have: other spellings of protected names."""
    target = request.target
    if target is None:
        return
    spellings = (*target.judged, *target.tightening)
    heard = spellings if request.mention else target.tightening
    if not heard and not target.folds:
        return
    finds = [(spelling, layer.index.for_path(spelling)) for spelling in heard]
    if target.folds:
        finds += [(spelling, layer.index.for_folded(spelling)) for spelling in spellings]
    for spelling, near in finds:
        rules = ((at, layer.rules[at]) for at in near)
        strict = [
            at
            for at, rule in rules
            if effective(rule, layer) not in LENIENT and not exempt(rule, request, now)
        ]
        opinion = _opinion(layer, request, strict, now, spelling, tightens=True) if strict else None
        if opinion is not None and opinion.reasons:
            yield opinion


LENIENT = (None, Verdict.ALLOW)
MENTIONED = "`{tool}` may show or change `{path}`"


LOOKS_LIKE = "`{path}` looks like a protected name but uses letters of another alphabet"
PLAIN_NAME = "use ASCII letters in the name, or ask the user to approve it"


def _looking_like(layer: Layer, request: Request, now: float) -> Iterator[Opinion]:
    """Yield questions about a name that a reader takes for a protected one."""
    target = request.target
    if target is None or not target.looks_like:
        return
    seen = replace(target, judged=target.looks_like, tightening=target.looks_like)
    for opinion in _tightening(layer, replace(request, target=seen), now):
        yield replace(_asked(opinion, request, LOOKS_LIKE, "looks-alike"), instead=PLAIN_NAME)


def _asked(
    opinion: Opinion, request: Request, sentence: str = MENTIONED, code: str = "mentioned"
) -> Opinion:
    """A strict rule speaks of what a call only mentions: a person knows what is meant."""
    said = filled(sentence, replace(request, tool=request.by or request.tool))
    reasons = (
        replace(reason, verdict=Verdict.ASK, text=f"{said} ({reason.text})", code=code)
        for reason in opinion.reasons
    )
    return replace(opinion, verdict=Verdict.ASK, reasons=tuple(reasons), notes=(), instead=NAME_IT)


def _opinion(
    layer: Layer,
    request: Request,
    near: Iterable[int],
    now: float,
    spelling: str = "",
    *,
    tightens: bool = False,
) -> Opinion:
    """Hear every rule that applies; the default answers when none has a verdict."""
    rules = [layer.rules[at] for at in sorted(near)]
    speaking = [r for r in rules if rule_applies(r, request, now, spelling, layer=layer)]
    of = None if tightens else spelling
    silent = tightens or request.script
    default = Verdict.ALLOW if silent else layer.defaults[request.action]
    if not speaking:
        return Opinion(verdict=default, reasons=_default_reasons(default, request.action), of=of)
    verdicts = [v for rule in speaking if (v := effective(rule, layer)) is not None]
    reasons = [reason_of(rule, layer, request) for rule in speaking]
    if not verdicts and not tightens:
        reasons += _default_reasons(default, request.action)
        verdicts = [default]
    verdict = strictest(verdicts)
    leading = [rule for rule in speaking if effective(rule, layer) is verdict]
    return Opinion(
        verdict=verdict,
        reasons=tuple(reasons),
        notes=tuple(filled(rule.note, request) for rule in speaking if rule.note),
        instead=next((instead_of(rule) for rule in leading if instead_of(rule)), ""),
        of=of,
    )


def _default(verdict: Verdict, name: str, text: str) -> Opinion:
    reason = Reason(rule=f"default.{name}", verdict=verdict, text=text, code=name.replace("_", "-"))
    # An allowing default grants nothing: it is told as a note and not as a reason.
    if verdict is Verdict.ALLOW:
        return Opinion(verdict=verdict, reasons=(), notes=(text,))
    return Opinion(verdict=verdict, reasons=(reason,))


def _default_reasons(verdict: Verdict, action: Action) -> tuple[Reason, ...]:
    if verdict is Verdict.ALLOW:
        return ()
    text = f"no rule matches; {treatment(action, verdict)} by default"
    return (Reason(rule=f"default.{action}", verdict=verdict, text=text, code="default"),)


def rule_applies(
    rule: Rule, request: Request, now: float, spelling: str = "", *, layer: Layer | None = None
) -> bool:
    """Say whether every condition of a rule holds; its globs have been looked up already."""
    return (
        rule.enabled
        and request.action in rule.actions
        and (rule.expires_at is None or now < rule.expires_at)
        and tool_fits(rule, request.tool)
        and rule.fits_extent(request.extent, request.by)
        and change_fits(rule, request)
        and fields_fit(rule, request, now, effective(rule, layer) if layer else rule.verdict)
        and is_within(rule, spelling)
        and not excepted(rule, request, now, spelling)  # late: a long list of globs takes long
        and not (_needs_loss(rule, request) and request.extent.committed())  # last: git is asked
    )


def _needs_loss(rule: Rule, request: Request) -> bool:
    """Say whether a rule speaks only where git does not have what is lost.

    Of a change that nobody can measure, one on losing much of a file says no more than that.
    """
    change = request.change
    perhaps = change is not None and not change.exact and rule.change_threshold is not None
    return rule.uncommitted or perhaps


def _granted(request: Request, opinions: Sequence[Opinion]) -> bool:
    """A grant counts only when some layer's rule gives it for each spelling."""
    spellings = request.target.judged if request.target else ("",)
    by_rule = {opinion.of for opinion in opinions if opinion.granted}
    return all(spelling in by_rule for spelling in spellings)


def _ordered(reasons: Sequence[Reason]) -> tuple[Reason, ...]:
    """Strictest first, then as written; the same rule speaks once."""
    if len(reasons) < 2:
        return tuple(reasons)
    seen = dict.fromkeys(reasons)
    return tuple(sorted(seen, key=lambda r: -STRICTNESS[r.verdict] if r.verdict is not None else 1))


def _distinct(notes: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(note for note in notes if note))

"""Judge a tool call: every request that it makes, by the policy, against the disk.

Always true: nothing is recorded or written, and what cannot be understood is denied.
"""

from __future__ import annotations

from dataclasses import dataclass

from penstock.core.errors import InputError
from penstock.core.model import Decision, Verdict
from penstock.core.policy.decide import combine, decide
from penstock.core.policy.model import Policy
from penstock.gate.prepare import Call, Preparation, PreparedRequest
from penstock.ports import Files


@dataclass(frozen=True, kw_only=True, slots=True)
class Judgement:
    """The decision on a whole tool call, with each request behind it."""

    decision: Decision
    prepared: tuple[PreparedRequest, ...] = ()


def judge_call(
    files: Files, policy: Policy, call: Call, *, now: float, measures: bool = True
) -> Judgement:
    """Return the decision on a call at a time (seconds since 1970).

    Without `measures` no content is read: every file that is there may be lost whole.
    """
    preparation = Preparation(
        files,
        call,
        policy.gate.change_threshold,
        measures=measures,
        guarded=policy.guarded,
        rule_files=policy.files,
        vital=policy.vital,
    )
    judged = [(one, _decide(one, policy, now)) for one in preparation.all()]
    # A mention that no rule speaks of is no request of the call.
    heard = [(one, said) for one, said in judged if said.reasons or not one.request.mention]
    return Judgement(
        decision=combine([said for _, said in heard], policy),
        prepared=tuple(one for one, _ in heard),
    )


def _decide(one: PreparedRequest, policy: Policy, now: float) -> Decision:
    if one.problem is None:
        return decide(one.request, policy, now=now)
    return denied(one.problem, policy)


def denied(problem: InputError, policy: Policy) -> Decision:
    """Hostile or broken input is denied and told, never let through as a failure."""
    because = f"{problem.message}: {problem.because}" if problem.because else problem.message
    return Decision(
        verdict=Verdict.DENY,
        code=problem.code,
        because=because,
        suggestion=problem.hint,
        revision=policy.revision,
        degraded=policy.degraded,
    )

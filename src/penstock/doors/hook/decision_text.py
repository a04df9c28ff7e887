"""What the engine says: a decision as an agent's module takes it, and a session's first line.

What was decided is the gate's, and each agent's own form is its module's.
Always true: a denial and a question carry their reason.
"""

from __future__ import annotations

from penstock.app import Workspace
from penstock.core.model import Decision
from penstock.core.policy.builtin import NAME
from penstock.core.policy.model import Policy
from penstock.doors.hook.messages import ALLOW, HookAnswer, phrase

SHIPPED = ("preset:", NAME)


def spoken(decision: Decision) -> HookAnswer:
    """Return a decision as the agents' modules take it."""
    verdict = str(decision.verdict)
    if verdict == ALLOW:
        return HookAnswer(
            ALLOW,
            decision.because or "a rule of the project allows this",
            notes=decision.notes,
            granted=decision.granted,
            warnings=(f"Penstock: {decision.degraded}",) if decision.degraded else (),
        )
    because = decision.because or f"the rules say {verdict}"
    if decision.degraded:
        because = f"{because} ({decision.degraded})"
    return HookAnswer(verdict, phrase(because, decision.suggestion))


def greeting(here: Workspace, *, attended: bool) -> str:
    """One line at the start of a session: Penstock is on, and by which rules."""
    policy = here.policy()
    files = {rule.where.file for layer in policy.layers for rule in layer.rules}
    preset = ", ".join(sorted(name for name in files if name.startswith("preset:")))
    rules = preset.removeprefix("preset:").removesuffix(".toml") or "the project's own rules"
    broken = f" The rules file is broken: {policy.degraded}." if policy.degraded else ""
    how = f"{_mode(policy)} {_answering(policy, attended=attended)}"
    return f"Penstock is on ({rules}{_own(policy)}). {how.rstrip()}{broken}"


def _own(policy: Policy) -> str:
    """Say how many rules people wrote themselves, besides those of presets."""
    rules = [rule for layer in policy.layers for rule in layer.rules if rule.enabled]
    own = {rule.id for rule in rules if not rule.where.file.startswith(SHIPPED)}
    return f", {len(own)} rule{'' if len(own) == 1 else 's'} of your own" if own else ""


def _mode(policy: Policy) -> str:
    if policy.enforced is not None:
        return "OBSERVE ONLY: it records what it would stop, and stops nothing."
    return "The rules are enforced; a refusal says what to do instead."


def _answering(policy: Policy, *, attended: bool) -> str:
    """Say who answers what the rules leave to a person."""
    if policy.enforced is not None:
        return ""
    if policy.gate.mode == "propose" or not attended:
        return "Nobody can be asked here: a change that needs a person waits as a proposal."
    return "The user is asked where a rule says so."

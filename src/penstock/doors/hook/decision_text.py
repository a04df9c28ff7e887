"""What the engine says: a decision as an agent's module takes it, and a session's first line.

What was decided is the gate's, and each agent's own form is its module's.
Always true: a denial and a question carry their reason.
"""

from __future__ import annotations

from penstock.app import Workspace
from penstock.core.model import Decision
from penstock.core.policy.builtin import NAME
from penstock.core.policy.model import Policy
from penstock.core.text.quantities import counted
from penstock.doors.hook.messages import ALLOW, DENY, HookAnswer, phrase

SHIPPED = ("preset:", NAME)
NEEDS_APPROVAL = "this needs the user's approval"


def spoken(decision: Decision) -> HookAnswer:
    """Return a decision as the agents' modules take it."""
    verdict = str(decision.verdict)
    if verdict == ALLOW:
        return HookAnswer(
            ALLOW,
            decision.because or "allowed by a project rule",
            notes=decision.notes,
            granted=decision.granted,
            warnings=(f"Penstock: {decision.degraded}",) if decision.degraded else (),
        )
    because = decision.because or ("the rules deny this" if verdict == DENY else NEEDS_APPROVAL)
    if decision.degraded:
        because = f"{because} ({decision.degraded})"
    return HookAnswer(verdict, phrase(because, decision.suggestion))


def greeting(here: Workspace, *, attended: bool) -> str:
    """One line at the start of a session: Penstock is on, and by which rules."""
    policy = here.policy()
    files = {rule.where.file for layer in policy.layers for rule in layer.rules}
    preset = ", ".join(sorted(name for name in files if name.startswith("preset:")))
    rules = preset.removeprefix("preset:").removesuffix(".toml") or "the project's own rules"
    broken = f" {policy.degraded[:1].upper()}{policy.degraded[1:]}." if policy.degraded else ""
    how = f"{_mode(policy)} {_answering(policy, attended=attended)}"
    return f"Penstock is on ({rules}{_own(policy)}). {how.rstrip()}{broken}"


def _own(policy: Policy) -> str:
    """Say how many rules people wrote themselves, besides those of presets."""
    rules = [rule for layer in policy.layers for rule in layer.rules if rule.enabled]
    own = {rule.id for rule in rules if not rule.where.file.startswith(SHIPPED)}
    return f", {counted(len(own), 'custom rule')}" if own else ""


def _mode(policy: Policy) -> str:
    if policy.enforced is not None:
        return "OBSERVE ONLY: decisions are logged, nothing is blocked."
    return "Rules are enforced; a denial says what to do instead."


def _answering(policy: Policy, *, attended: bool) -> str:
    """Say what happens to a change that needs approval."""
    if policy.enforced is not None:
        return ""
    if policy.gate.mode == "propose" or not attended:
        return "Non-interactive: a change that needs approval is saved as a pending change."
    return "The user is asked when a rule requires approval."

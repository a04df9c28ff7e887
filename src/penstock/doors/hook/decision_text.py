"""What the engine says: a decision as an agent's module takes it, and a session's first line.

What was decided is the gate's, and each agent's own form is its module's.
Always true: a denial and a question carry their reason.
"""

from __future__ import annotations

from penstock.app import Workspace
from penstock.core.model import Decision
from penstock.doors.hook.messages import ALLOW, HookAnswer, phrase


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


def greeting(here: Workspace) -> str:
    """One line at the start of a session: Penstock is on, and by which rules."""
    policy = here.policy()
    files = {rule.where.file for layer in policy.layers for rule in layer.rules}
    preset = ", ".join(sorted(name for name in files if name.startswith("preset:")))
    rules = preset.removeprefix("preset:").removesuffix(".toml") or "the project's own rules"
    broken = f" The rules file is broken: {policy.degraded}." if policy.degraded else ""
    return f"Penstock is on ({rules}). A refusal says what to do instead.{broken}"

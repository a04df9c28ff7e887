"""The fast path in a process that stays: the policy stays loaded, and the log is signed.

The steps are those of a hook that starts cold (`fast_path`); what they leave open goes to the
engine.
Always true: an answer is on the record, and what a file held is kept, before it is given; a
policy is used only while none of its files changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from penstock.app.places import stamp
from penstock.app.workspace import policy_of
from penstock.core.errors import PenstockError
from penstock.doors.hook.engine import Engine
from penstock.doors.hook.fast_path import Cold, NotShortError, load, require_fresh, short_reply
from penstock.doors.hook.messages import Reply

MOST_KNOWN = 64


class Warm(Cold):
    """Answers hooks; `quick` never waits for anybody, `reply` always answers."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.reply = engine.reply
        self.late = engine.hasty().reply  # by names alone: what is not measured counts as lost
        self._policies: dict[str, tuple[object, dict[str, Any]]] = {}
        self._environ: Mapping[str, str] = {}

    def quick(self, agent: str, data: bytes, environ: Mapping[str, str]) -> Reply | None:
        """Return the answer where the fast path has one. For one thread at a time."""
        self._environ = environ
        return short_reply(agent, data, environ, self)

    def broken(self) -> list[str]:
        """Return why rules are not in force, for each open workspace and the user's own."""
        found = [here.policy().degraded for here in self._engine.opened()]
        return [why for why in (*found, policy_of("/").degraded) if why]

    # --- what the fast path asks for -------------------------------------------------------

    def variable(self, name: str) -> str | None:
        """Return one of the agent's variables, of which this process has only been told."""
        return self._environ.get(name)

    def policy(self, state: str) -> dict[str, Any]:
        """Return the compiled policy, loaded again only when it was made anew."""
        now = stamp(f"{state}/hook.policy")
        known = self._policies.get(state)
        if known is not None and known[0] == now:
            require_fresh(known[1])
            return known[1]
        policy = load(state)
        if len(self._policies) >= MOST_KNOWN:
            self._policies.clear()
        self._policies[state] = (now, policy)
        return policy

    def append(self, root: str, state: str, body: bytes, policy: dict[str, Any]) -> str:
        """Put one line on the chain; signing, which waits for the disk, is done behind it."""
        del state, policy
        try:
            log = self._engine.workspace(root).record.log
            return log.append(body, durable=False).event_hash
        except PenstockError as problem:
            raise NotShortError from problem

"""What a request says: its parameters, taken out one by one and held to their kind.

Always true: what is taken out has the kind that was asked for; what is missing or of another
kind is an InputError that names it, and nothing is converted silently.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from penstock.core.errors import InputError
from penstock.core.model import Actor
from penstock.core.proposals.intent import REGIONS, WHY, AgentIntent, intent
from penstock.doors.broker.workspace_log import AGENT

LONGEST_NAME = 1000


class ToolRequest(Struct, frozen=True):
    """One request, as it came."""

    said: Mapping[str, object]

    def text(self, name: str) -> str:
        """Return a text that must be there."""
        found = self.said.get(name)
        if found is None:
            raise InputError(
                "missing-parameter", f"`{name}` is missing", hint=f"send `{name}` as text"
            )
        if not isinstance(found, str):
            raise _wrong(name, "is not a string")
        return _valid(name, found)

    def optional(self, name: str) -> str:
        """Return a text, empty where there is none."""
        return self.text(name) if self.said.get(name) is not None else ""

    def number(self, name: str, default: int) -> int:
        """Return a whole number, or the default where there is none."""
        found = self.said.get(name)
        if found is None:
            return default
        if not isinstance(found, int) or isinstance(found, bool):
            raise _wrong(name, "is not an integer")
        return found

    def flag(self, name: str) -> bool:
        """Return true or false; false where there is nothing."""
        found = self.said.get(name)
        if found is not None and not isinstance(found, bool):
            raise _wrong(name, "is neither true nor false")
        return bool(found)

    def name(self, name: str) -> str:
        """Return a short text that names something: a call, a context, a proposal."""
        found = self.optional(name)
        if len(found) > LONGEST_NAME:
            raise _wrong(name, f"is longer than {LONGEST_NAME} characters")
        return found

    def intent(self) -> AgentIntent:
        """Return the agent's own words about its change, and the lines that it points at."""
        path = self.said.get("path")
        of_file = path if isinstance(path, str) else ""
        return intent(self.optional(WHY), self.said.get(REGIONS), path=of_file)

    def actor(self) -> Actor:
        """Return whose call it is."""
        return Actor(
            agent=AGENT,
            tool_call_id=self.name("tool_call_id"),
            context_id=self.name("context_id"),
        )


def _valid(name: str, text: str) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise _wrong(name, "contains a lone surrogate (half a character)") from None
    return text


def _wrong(name: str, what: str) -> InputError:
    return InputError("bad-parameter", f"`{name}` {what}", hint="see docs/how-to/broker.md")

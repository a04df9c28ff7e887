"""What is around this process, looked at anew each time that somebody asks.

Always true: nothing is remembered, so a process cannot be taken for what it was before.
"""

from __future__ import annotations

from penstock.stores.agents.ancestry import is_terminal, seen_here


class SystemSurroundings:
    """The surroundings of this process as the kernel shows them."""

    def agent(self) -> str | None:
        """Say why an agent is taken to run this process, or None."""
        return seen_here()

    def terminal(self) -> bool:
        """Say whether standard input is a terminal."""
        return is_terminal(0)

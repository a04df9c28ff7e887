"""The tokens of the background server: made once, kept for the owner alone.

The hook's token stands in the agent's settings, where the agent can read it; so it is good for
judging only, and judging changes nothing. The person's token is for the page and never leaves
the state directory.
Always true: a token has 256 bits of randomness.
"""

from __future__ import annotations

from penstock.app.workspace import token_of

HOOK, ADMIN = "hook.token", "admin.token"


def hook_token(state_home: str) -> str:
    """Return the token that admits to judging."""
    return token_of(state_home, HOOK)


def admin_token(state_home: str) -> str:
    """Return the token that admits a person."""
    return token_of(state_home, ADMIN)

"""How a token comes with a request, and how two are compared.

Making and keeping tokens is the stores' work; whom one admits, the doors'.
Always true: how much of a guess was right is not told by the time of the answer.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping


def brought(headers: Mapping[str, str]) -> str:
    """Return the token that a request brings along; empty where it brings none."""
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else headers.get("x-penstock-token", "")


def same(given: str, expected: str) -> bool:
    """Compare two secrets; what is no text at all is as wrong as any other."""
    return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), expected.encode())

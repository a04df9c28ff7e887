"""What cannot be done, as a status and in the product's own shape.

Always true: every error has a stable code; what nobody foresaw tells nothing of the inside.
"""

from __future__ import annotations

from collections.abc import Mapping

from penstock.core.errors import (
    AuditError,
    InputError,
    PenstockError,
    RefusedError,
    RulesError,
    StaleError,
    StoreError,
)
from penstock.core.text.display import harmless

# Codes that say more than the kind of their error.
STATUS: Mapping[str, int] = {
    "not-found": 404,
    "no-workspace": 404,
    "no-page": 404,
    "wrong-method": 405,
    "too-large": 413,
    "not-a-form": 415,
    "not-json": 415,
    "no-phone-address": 409,
    "no-session": 401,
    "no-token": 401,
    "too-many-attempts": 429,
    "too-many-requests": 429,
    "too-many-viewers": 503,
    "fault": 500,
}
KINDS: tuple[tuple[type[PenstockError], int], ...] = (
    (InputError, 400),
    (RefusedError, 403),
    (StaleError, 409),
    (RulesError, 409),
    (AuditError, 500),
    (StoreError, 503),
)


def status_of(error: PenstockError) -> int:
    """Return the HTTP status that tells what kind of inability it was."""
    if error.code in STATUS:
        return STATUS[error.code]
    return next((status for kind, status in KINDS if isinstance(error, kind)), 500)


def fault() -> PenstockError:
    """Return the error for what nobody foresaw."""
    return PenstockError("fault", "internal error", hint="check the output of `penstock serve`")


def as_document(error: PenstockError) -> dict[str, dict[str, str]]:
    """Return an error as the API gives it: people read its sentences, so nothing in them hides."""
    (found,) = error.as_json().values()
    return {"error": {name: harmless(text) for name, text in found.items()}}

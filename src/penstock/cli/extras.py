"""Check that an extra is installed; if not, name it and the command that installs it."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec

from penstock.core.distribution import pip_install
from penstock.core.errors import StoreError

# What a command imports of its extra.
PACKAGES: Mapping[str, tuple[str, ...]] = {
    "web": (
        "uvicorn",
        "httptools",
        "starlette",
        "jinja2",
        "pygments",
        "webauthn",
        "segno",
        "py_vapid",
        "http_ece",
    ),
    "mcp": ("mcp", "uvicorn", "httptools"),
}


def missing(extra: str) -> str:
    """Return the first package of an extra that is not installed; empty where all are."""
    return next((name for name in PACKAGES[extra] if find_spec(name) is None), "")


def need(extra: str, command: str) -> None:
    """Refuse to begin without an extra. Raises StoreError `extra-missing`."""
    if name := missing(extra):
        raise StoreError(
            "extra-missing",
            f"`{command}` needs the package `{name}`",
            because=f"the extra `{extra}` is not installed",
            hint=f"run `{pip_install(extra)}`",
        )

"""Penstock: the gate between AI coding agents and a project's files.

The public names are imported when they are first used, because a hook that imports this
package on every tool call must not pay for them. `docs/reference/python.md` explains them.
Enter by `open_gate`, or by the commands in `cli`; `docs/map.md` is the map of the packages.
Imported by: programs that use Penstock as a library.
Always true: importing this package imports nothing else.
"""

TYPE_CHECKING = False  # as in `typing`, which would cost every hook its import
if TYPE_CHECKING:
    from penstock.app import open_gate
    from penstock.core.errors import (
        AuditError,
        InputError,
        RefusedError,
        RulesError,
        StaleError,
        StoreError,
    )
    from penstock.core.model import Decision, Verdict
    from penstock.core.proposals.model import Proposal, Receipt, State
    from penstock.gate import Call, Gate, Item, Proof

    __version__: str

__all__ = [
    "AuditError",
    "Call",
    "Decision",
    "Gate",
    "InputError",
    "Item",
    "Proof",
    "Proposal",
    "Receipt",
    "RefusedError",
    "RulesError",
    "StaleError",
    "State",
    "StoreError",
    "Verdict",
    "__version__",
    "open_gate",
]

_HOME = {
    "open_gate": "penstock.app",
    **dict.fromkeys(("Call", "Gate", "Item", "Proof"), "penstock.gate"),
    **dict.fromkeys(("Decision", "Verdict"), "penstock.core.model"),
    **dict.fromkeys(("Proposal", "Receipt", "State"), "penstock.core.proposals.model"),
    **dict.fromkeys(("AuditError", "InputError", "RefusedError"), "penstock.core.errors"),
    **dict.fromkeys(("RulesError", "StaleError", "StoreError"), "penstock.core.errors"),
}

if not TYPE_CHECKING:  # a checker that saw it would take every name for one of ours

    def __getattr__(name: str) -> object:
        """Return one of the public names."""
        if name == "__version__":
            from importlib.metadata import version

            from penstock.core.distribution import NAME

            return version(NAME)
        if name not in _HOME:
            raise AttributeError(f"module 'penstock' has no attribute {name!r}")
        import importlib

        return getattr(importlib.import_module(_HOME[name]), name)

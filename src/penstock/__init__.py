"""Penstock: the gate between AI coding agents and a project's files.

The public names are imported when they are first used, because a hook that imports this
package on every tool call must not pay for them.
"""

TYPE_CHECKING = False  # as in `typing`, which would cost every hook its import
if TYPE_CHECKING:
    from penstock.app import open_gate
    from penstock.core.model import Decision, Request, Verdict
    from penstock.core.proposal import Proposal, Receipt
    from penstock.gate import Gate

__all__ = ["Decision", "Gate", "Proposal", "Receipt", "Request", "Verdict", "open_gate"]

_HOME = {
    "open_gate": "penstock.app",
    "Gate": "penstock.gate",
    "Decision": "penstock.core.model",
    "Request": "penstock.core.model",
    "Verdict": "penstock.core.model",
    "Proposal": "penstock.core.proposal",
    "Receipt": "penstock.core.proposal",
}


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'penstock' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(_HOME[name]), name)

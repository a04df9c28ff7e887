"""The gate: the one service that every door calls.

It judges, stores proposals, takes answers, applies and undoes. Rules decide in `core`, files
and records are behind ports; here is only the order of the steps.
Enter by `service.Gate`, one method a step; each step is a module: `prepare`, `judge`, `propose`,
`answer`, `apply`, `recover`, `undo`, `retention`; `rule_edit` and `versions` are for rules files;
`git` is what git commands bring and lose; `lookup` finds what a person names, `receipts` what can
be undone, `views` keeps what a reader has seen.
Imported by: `app`, and by doors and commands, which call `Gate` and nothing behind it.
Always true: only `apply` changes a file; no entry in the audit log, no write; after a fault the
answer is what the disk says.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.gate.doors import Proof
    from penstock.gate.judge import Judgement, judge_call
    from penstock.gate.parts import Item, Parts
    from penstock.gate.prepare import Call, PreparedRequest
    from penstock.gate.service import Gate

__all__ = ["Call", "Gate", "Item", "Judgement", "Parts", "PreparedRequest", "Proof", "judge_call"]

# Each name is imported at its first use: judging a call takes one step of the gate, and must not
# pay for all of them.
HOMES = {
    "Call": "prepare",
    "PreparedRequest": "prepare",
    "Judgement": "judge",
    "judge_call": "judge",
    "Item": "parts",
    "Parts": "parts",
    "Proof": "doors",
    "Gate": "service",
}


def __getattr__(name: str) -> object:
    """Return one of the public names."""
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(import_module(f"{__name__}.{HOMES[name]}"), name)
    globals()[name] = found
    return found

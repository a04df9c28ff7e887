"""The gate: the one service that every door calls.

It judges, stores proposals, takes answers, applies and undoes. Rules decide in `core`, files
and records are behind ports; here is only the order of the steps.
Always true: only `apply` changes a file; no line on the record, no write; after a fault the
answer is what the disk says.
"""

from __future__ import annotations

from penstock.gate.calls import Call, Prepared
from penstock.gate.judging import Judged, judge_call
from penstock.gate.parts import Item, Parts, Proof
from penstock.gate.service import Gate

__all__ = ["Call", "Gate", "Item", "Judged", "Parts", "Prepared", "Proof", "judge_call"]

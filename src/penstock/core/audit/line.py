"""Read one line of the record by itself, as strictly as anybody might.

What a line says, what it should say, and what is wrong with it regardless of its neighbours.
How lines hang together is `verify`'s work.
Always true: hostile bytes give an `AuditLine` with a fault, never an exception.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256

from msgspec import Struct

from penstock.core.audit import chain
from penstock.core.audit.fast_lines import Shapes
from penstock.core.audit.findings import TamperKind
from penstock.core.strict_json import DuplicateKeyError, TrailingError, strict


class AuditLine(Struct, frozen=True, kw_only=True):
    """One line as the careful way sees it. `fault` is what is wrong with the line itself."""

    number: int
    stated: str
    actual: str
    prev: str
    seq: int
    ts: str
    op: str = ""
    missing: str = ""
    fault: TamperKind | None = None
    why: str = ""


def strict_object(text: bytes) -> dict[str, object] | TamperKind:
    """Read a line as a strict parser does; say why not where it cannot."""
    if not text.startswith(b"{"):
        return TamperKind.NOT_JSON
    try:
        found: dict[str, object] = strict(text)
    except DuplicateKeyError:
        return TamperKind.DUPLICATE_KEYS
    except TrailingError:
        return TamperKind.TRAILING_BYTES
    except ValueError:
        return TamperKind.NOT_JSON
    return found if text.endswith(b"}") else TamperKind.TRAILING_BYTES


def look(line: bytes, number: int, shapes: Shapes) -> AuditLine:
    """Read one line by itself."""
    ts, seq = chain.place(line)
    stated = chain.stated_hash(line)
    actual = "sha256:" + sha256(line[: -chain.HASHED_BEFORE]).hexdigest()
    prev = "sha256:" + line[-153:-89].decode("ascii", "replace")
    event = strict_object(line)
    if isinstance(event, TamperKind):
        return AuditLine(
            number=number, stated=stated, actual=actual, prev=prev if stated else "",
            seq=seq, ts=ts, fault=event, why=_READING[event],
        )  # fmt: skip
    fault, why = _own_fault(event, stated, actual)
    op = _text(event.get("op"))
    missing = _text(event.get("missing_head")) if op == "chain_start" else ""
    if fault is None:
        shapes.learn(event)
    return AuditLine(
        number=number, stated=stated, actual=actual, prev=prev if stated else "",
        seq=_whole(event.get("seq")), ts=_text(event.get("ts")), op=op, missing=missing,
        fault=fault, why=why,
    )  # fmt: skip


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _whole(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else -1


_READING: Mapping[TamperKind, str] = {
    TamperKind.DUPLICATE_KEYS: "a key occurs twice, so readers may disagree about its value",
    TamperKind.TRAILING_BYTES: "there is text after the end of the entry",
    TamperKind.NOT_JSON: "this is not an entry: it is not one JSON object",
}


def _own_fault(
    event: Mapping[str, object], stated: str, actual: str
) -> tuple[TamperKind | None, str]:
    if not stated:
        if "event_hash" in event and list(event)[-2:] != ["prev_hash", "event_hash"]:
            return (
                TamperKind.TRAILING_BYTES,
                "`prev_hash` and `event_hash` are not the last two fields",
            )
        return TamperKind.EDITED, "it does not end with `prev_hash` and `event_hash`"
    if stated != actual:
        return TamperKind.EDITED, "its content does not match its event_hash"
    return None, ""

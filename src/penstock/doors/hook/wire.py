"""Read what an agent sends: one JSON object, or nothing that can be judged.

Always true: everything that is not one object in UTF-8, with each key once and no deeper or
larger than any honest call, is a ValueError; what looks like an attack is a HostileInputError.
"""

from penstock.core.strict_json import DuplicateKeyError, unique, whole
from penstock.core.strict_json import parse as parse_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


MOST_INPUT = 64 << 20


class HostileInputError(ValueError):
    """Input that no honest agent sends: two programs may read two different calls in it."""


def parse(data: bytes) -> "dict[str, Any]":
    """Return the object that some bytes hold."""
    if len(data) > MOST_INPUT:
        raise HostileInputError("it is larger than any call")
    try:
        found = parse_text(data.decode("utf-8"), unique, whole)
    except DuplicateKeyError:
        raise HostileInputError("a key stands twice in one object") from None
    except RecursionError:
        raise HostileInputError("it is nested too deeply") from None
    if not isinstance(found, dict):
        raise ValueError("it is not a JSON object")  # noqa: TRY004 - like all that is no call
    return found

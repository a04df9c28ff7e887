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
        raise HostileInputError("its input is larger than 64 MiB")
    try:
        found = parse_text(data.decode("utf-8"), unique, whole)
    except DuplicateKeyError:
        raise HostileInputError("a key occurs twice in one object of its input") from None
    except RecursionError:
        raise HostileInputError("its input is nested too deeply") from None
    except ValueError as problem:
        raise ValueError(f"its input is not valid JSON ({problem})") from None
    if not isinstance(found, dict):
        raise ValueError("its input is not a JSON object")  # noqa: TRY004 - like all that is no call
    return found

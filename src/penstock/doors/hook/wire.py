"""Read what an agent sends: one JSON object, or nothing that can be judged.

Always true: everything that is not one object in UTF-8, with each key once and no deeper than
any honest call, is a ValueError.
"""

from penstock.core.quickjson import parse as parse_text
from penstock.core.quickjson import unique, whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def parse(data: bytes) -> "dict[str, Any]":
    """Return the object that some bytes hold."""
    try:
        found = parse_text(data.decode("utf-8"), unique, whole)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if not isinstance(found, dict):
        raise ValueError("it is not a JSON object")  # noqa: TRY004 - like all that is no call
    return found

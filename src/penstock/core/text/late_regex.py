"""Regexes of our own that are compiled when they are first used.

We have hundreds and a command meets a few of them, so compiling them all would be a good part of
every start. What people write in rules files is RE2's (`policy.regexes`).
Always true: a regex is compiled once, and from then on costs what any other does.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast


def late_regex(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return what `re.compile` does, without the work until somebody needs it."""
    return cast("re.Pattern[AnyStr]", _LateRegex(text, flags))


class _LateRegex:
    def __init__(self, text: Any, flags: int) -> None:
        self.given = (text, flags)

    def __getattr__(self, name: str) -> Any:
        """Find what a compiled regex has, and keep it: this is not asked a second time."""
        if name.startswith("__"):
            raise AttributeError(name)
        found = getattr(re.compile(*self.given), name)
        setattr(self, name, found)
        return found

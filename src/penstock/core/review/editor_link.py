"""Links that open a file in the reader's own editor, by a scheme that the editor registered.

Always true: there is a link only where the user's own rules have one; a project that was cloned
adds none. It never leads to a web page, and a path in it is escaped.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import quote

Levels = Mapping[str, Mapping[str, object]]
SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):")
# What a browser itself opens, or runs.
REFUSED = frozenset(
    {"http", "https", "ws", "wss", "ftp", "file", "javascript", "vbscript", "data", "blob"}
    | {"about", "view-source", "filesystem", "mailto", "tel", "sms"}
)
PATH, LINE = "{path}", "{line}"


def editor_of(levels: Levels, *, user: str) -> str:
    """Return the link that the user's own file has for an editor; "" where it has none to use."""
    text = str(levels.get(user, {}).get("editor") or "")
    found = SCHEME.match(text)
    good = found is not None and found[1] not in REFUSED and PATH in text and text.isprintable()
    return text if good else ""


def editor_link(text: str, file: str, line: int = 1) -> str:
    """Return the link for a file, by its absolute path."""
    return text.replace(PATH, quote(file, safe="/")).replace(LINE, str(line))

"""Where a path leads from a directory, by its text alone.

Always true: nothing is looked up; a link is a name like any other.
"""

from __future__ import annotations

import posixpath
import re

from penstock.core.text.late_regex import late_regex

LONGEST_PATH = 8_192
# Directories, as many as there are, below one whose files are too many to look at.
SOMEWHERE = "**/"
# What a name looks like that may hold a secret; the rules know which of them do.
TELLING = late_regex(
    r"(?:^|/)\.\w|key|secret|pem|cred|token|pass|id_(?:rsa|dsa|ecdsa|ed25519)", re.IGNORECASE
)


def is_absolute(path: str) -> bool:
    """True for a path that does not depend on the directory."""
    return path[:1] in ("/", "~")


def joined(cwd: str, path: str) -> str:
    """Return where a path leads from a directory, by its text alone, as `cd` does it."""
    if len(path) > LONGEST_PATH:
        return path  # no file has such a name
    absolute = is_absolute(path)
    there = path if absolute or not cwd else cwd + path if cwd[-1] == "/" else f"{cwd}/{path}"
    whole = f"{there}/" if there[:1] == "/" else f"/{there}/"
    if "//" not in whole and "/./" not in whole and "/../" not in whole:
        return there  # as nearly all are
    there = posixpath.normpath(there)
    return "" if there == "." and not absolute else there

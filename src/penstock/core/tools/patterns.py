"""Which usual names a pattern is after, where nobody looks at a disk.

Always true: the text alone is looked at; the rules know which of the names matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase

from penstock.core.text.late_regex import late_regex

# Names that a pattern such as `.en*` may be after; the rules know which of them matter.
USUAL = (
    *(".env", ".env.local", ".env.production", ".git", ".ssh", ".aws", ".gnupg", ".npmrc"),
    *(".netrc", ".pypirc", ".git-credentials", "id_rsa", "id_ed25519", "id_ecdsa", "secrets"),
    *("server.key", "key.pem", "package-lock.json", "yarn.lock", "pnpm-lock.yaml"),
    *("Cargo.lock", "poetry.lock", "uv.lock", "penstock.toml", "node_modules"),
)
_BRACES = late_regex(r"\{([^{}]{1,200})\}")


def expanded(word: str) -> Iterator[str]:
    """Yield usual names that a pattern meets; one that begins with a wildcard is after all."""
    if not any(sign in word for sign in "*?[{"):
        return
    for each in _braces(word):
        parts = each.split("/")
        if not any(sign in each for sign in "*?["):
            yield each
            continue
        for at, part in enumerate(parts):
            if part[:1] in ("*", "") or not any(sign in part for sign in "*?["):
                continue
            for name in USUAL:
                if fnmatchcase(name, part):
                    rest = "/".join(["x" if "*" in later else later for later in parts[at + 1 :]])
                    above = "/".join(name for name in parts[:at] if "*" not in name)
                    yield "/".join(step for step in (above, name, rest) if step)


def after(glob: str) -> Iterator[tuple[str, bool]]:
    """Yield what a search is narrowed to, and whether it is everything below that.

    A glob that ends in a wildcard for all names stands for its directory.
    """
    for each in dict.fromkeys(_braces(glob)):
        folder = re.sub(r"(?:/\*{1,2})+$|/$", "", each)
        whole = folder != each and not any(sign in folder for sign in "*?[")
        yield (folder, True) if whole else (each, False)
        yield from ((name, False) for name in expanded(each))


def _braces(word: str) -> list[str]:
    found = [word]
    for _ in range(3):
        braces = [_BRACES.search(each) for each in found]
        if not any(braces) or len(found) > 64:
            break
        found = [
            each[: hit.start()] + choice + each[hit.end() :] if hit else each
            for each, hit in zip(found, braces, strict=True)
            for choice in (hit[1].split(",") if hit else [""])
        ]
    return found[:64]

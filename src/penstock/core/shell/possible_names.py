"""Which protected files a word may name of which only a part is known: `.e$x'nv'`, `id_$(cmd)`.

What is unknown in a word stands for any text. So the word is a pattern, and where most of a name
is written out, the word is most likely that name: `$file` may be anything and says nothing, but
`.en$x` hardly means anything else than `.env`.
Always true: only names are compared; what the disk holds is handed in.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from penstock.core.shell.wildcards import literal, matches

# Names that hold secrets wherever they are.
USUAL = (
    *(".env", ".env.local", ".env.production", ".env.development", ".env.staging", ".envrc"),
    *(".git-credentials", ".pgpass", ".vault-token", ".pypirc", ".dev.vars", "credentials.json"),
    *("id_rsa", "id_ed25519", "id_ecdsa", "id_dsa", "server.key", "key.pem", "private.key"),
    *(".ssh/id_rsa", ".ssh/id_ed25519", ".ssh/config", ".aws/credentials", ".aws/config"),
    *(".kube/config", ".docker/config.json", ".netrc", ".npmrc", ".bash_history"),
)
_UNKNOWN = re.compile(r"\$\{[^{}]*\}|\$\w+|\$[@*#?$!-]|`[^`]*`")
_SHORTEST = 2  # so many characters of a name must be written out


def pattern_of(text: str) -> str:
    """Return a text with a star for each part that is only known when the command runs."""
    pieces, at = [], 0
    while (start := text.find("$(", at)) >= 0:
        end = _closing(text, start + 2)
        pieces += [text[at:start], "*"]
        at = end
    return re.sub(r"\*{2,}", "*", _UNKNOWN.sub("*", "".join([*pieces, text[at:]])))


def _closing(text: str, at: int) -> int:
    """Return where a substitution ends; quotes in it are not read, so it may end early."""
    depth = 1
    while depth and at < len(text):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        at += 1
    return at


def possible_names(pattern: str, there: Iterable[str] = ()) -> Iterator[str]:
    """Return the names that a pattern most likely means, of the usual ones and of those `there`."""
    parts = pattern.split("/")
    for name in (*USUAL, *there):
        sought = name.split("/")
        ends = parts[-len(sought) :]
        if len(ends) == len(sought) and all(map(_likely, ends, sought)):
            yield "/".join([*parts[: -len(sought)], name])


def _likely(part: str, name: str) -> bool:
    known = literal(part.replace("*", ""))
    most = 2 * len(known) > len(name) or len(name) <= 2 * _SHORTEST
    meets = part == name or ("*" in part and matches(part, name))
    return most and len(known) >= _SHORTEST and meets

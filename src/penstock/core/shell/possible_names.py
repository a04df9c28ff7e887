"""Which files a word may name of which only a part is known: `.e$x'nv'`, `app-$VERSION.tgz`.

What is unknown in a word stands for any text. So the word is a pattern, and where most of a name
is written out, the word is most likely that name: `$file` may be anything and says nothing, but
`.en$x` hardly means anything else than `.env`.
Always true: only names are compared; what the disk holds is handed in.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from penstock.core.shell.wildcards import literal, matches
from penstock.core.text.late_regex import late_regex

# Names that hold secrets wherever they are.
USUAL = (
    *(".env", ".env.local", ".env.production", ".env.development", ".env.staging", ".envrc"),
    *(".git-credentials", ".pgpass", ".vault-token", ".pypirc", ".dev.vars", "credentials.json"),
    *("id_rsa", "id_ed25519", "id_ecdsa", "id_dsa", "server.key", "key.pem", "private.key"),
    *(".ssh/id_rsa", ".ssh/id_ed25519", ".ssh/config", ".aws/credentials", ".aws/config"),
    *(".kube/config", ".docker/config.json", ".netrc", ".npmrc", ".bash_history"),
)
# What package managers write; a pattern that may be one of these is not taken for anything else.
_OTHERS = (
    *("package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "Cargo.lock"),
    *("poetry.lock", "uv.lock", "Gemfile.lock", "composer.lock", "go.sum", "mix.lock"),
    *("settings.json", "settings.local.json", "hooks.json", "config.toml", ".claude.json"),
    *("penstock.toml", ".mcp.json", "secrets.yaml", "secret.yaml", "terraform.tfstate"),
    *("credentials", "authorized_keys", "known_hosts", ".bashrc", ".profile", ".zshrc"),
)
# Endings of files that nobody protects, whatever stands in front of them.
_INERT = frozenset(
    {
        *(
            "log",
            "out",
            "err",
            "patch",
            "diff",
            "tgz",
            "tar",
            "gz",
            "xz",
            "zst",
            "bz2",
            "zip",
            "7z",
        ),
        *("png", "jpg", "jpeg", "gif", "svg", "webp", "pdf", "html", "csv", "tsv", "prof", "pprof"),
        *("trace", "cov", "bak", "tmp", "dump", "whl", "deb", "rpm", "dmg", "apk", "aab", "ipa"),
        *("jar", "war", "nupkg", "gem", "crate", "msi", "exe", "appimage", "flamegraph", "har"),
    }
)
_KEYS = frozenset(
    {
        *("key", "pem", "p12", "pfx", "p8", "ppk", "kdbx", "keystore", "jks", "env", "lock", "pub"),
        *("secret", "tfstate", "tfvars", "toml", "cfg", "ini", "conf", "rc"),
    }
)
_NUMBERS = late_regex(r"\$\{?(?:\$|BASHPID|RANDOM|SRANDOM|SECONDS|EPOCHSECONDS|UID|PPID)\b\}?|\$\$")
_UNKNOWN = late_regex(r"\$\{[^{}]*\}|\$\w+|\$[@*#?$!-]|`[^`]*`")
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


def new_name(text: str) -> str:
    """Return the pattern that a name to be written stays with, or nothing where it may be any.

    A part that is unknown may hold a slash, and so lead elsewhere; behind other characters it
    leads only through a directory whose name begins with these, which is for the caller to look
    up. The ending stays what it is. Without characters in front only an ending that nobody
    protects will do, without an ending only numbers.
    """
    numbered = _NUMBERS.sub("0", text)
    pattern = pattern_of(numbered)
    folder, _, name = pattern.rpartition("/")
    if "*" not in name:
        return "" if "*" in folder or pattern == text or _may_be_protected(name) else pattern
    front, ending = name.partition("*")[0], name.rpartition("*")[2]
    extension = ending.rpartition(".")[2].lower() if "." in ending else ""
    if "*" in folder or not extension or extension in _KEYS or _may_be_protected(name):
        return ""
    return pattern if front.strip(".") or extension in _INERT else ""


def _may_be_protected(pattern: str) -> bool:
    return any(matches(pattern, name.rpartition("/")[2]) for name in (*USUAL, *_OTHERS))

"""Take secrets out of text that goes on the record: tokens, passwords, keys.

The record holds commands and paths, and people type secrets into both. What looks like one is
replaced by a mark; the rest of the text stays, because it is evidence.
Always true: text without a sign of a secret is returned as it is, at the price of one look;
no pattern can run away, as each is tried from a fixed word and takes a bounded step.

The patterns are compiled when a sign is seen for the first time: a cold hook loads this module
and must not pay for `re`.
"""

TYPE_CHECKING = False  # what `typing` calls so; type checkers know the bare name too
if TYPE_CHECKING:
    import re
    from collections.abc import Callable

MARK = "[redacted]"
MOST = 4096  # text beyond this is never shown, so it is never looked at either

# Lower case. Whoever adds a pattern below adds the sign that must be there for it to match:
# to TOKENS what shows a secret by its own form, to NAMES what introduces one, for which a
# separator must be there as well.
TOKENS = (
    *("gh", "pat_", "pat-", "sk-", "xox", "npm_", "hf_", "pypi-", "akia", "asia", "aiza", "ya29."),
    *("sg.", "eyj"),
)
NAMES = (
    *("token", "secret", "pass", "pwd", "key", "auth", "cred", "bearer", "basic ", "://"),
    *("-----begin", " -p", "-u"),
)
SEPARATORS = (":", "=", " ", "\t")
_VALUE = r"""(\\?"[^"]{0,1000}"?|\\?'[^']{0,1000}'?|[^\s"'&;|<>(){}\\]+)"""
_WORD = (
    r"(passw(?:or)?d|passphrase|passwd|pwd|token|secret|credentials?|auth(?![a-z])"
    r"|(?:api|access|private|secret|signing|encryption|account|master)[_-]?key|(?<![a-z])key)"
)
_IS = r"""[\\"']{0,2}[ \t]{0,3}[:=][ \t]{0,3}"""
_NAMED = rf"(?i:{_WORD})([\w-]{{0,24}})({_IS}|[ \t]{{1,4}}){_VALUE}"
_HEADER = rf"(?i:(authorization{_IS}(?:(?:bearer|basic|digest|token)[ \t]{{1,3}})?)){_VALUE}"
_SCHEME = r"((?i:\b(?:bearer|basic))[ \t]{1,3})(?=\S{0,200}[0-9A-Z=])[A-Za-z0-9._~+/=-]{8,}"
_KNOWN = (
    r"(?<![A-Za-z0-9])(?:gh[pousr]_|github_pat_|glpat-|xox[abeprs]-|npm_|hf_|pypi-|dckr_pat_"
    r"|shpat_|AKIA|ASIA|AIza|ya29\.|SG\.|eyJ|sk-(?=[A-Za-z0-9_-]{20}))[A-Za-z0-9_.+/=-]{12,}"
)
_LOGIN = r"(://[^\s/@:]{0,100}:)([^\s/@]{1,400})(?=@)"
_USER = r"""((?:-u|--user)[ \t=]{0,3}["']?[^\s:"']{1,64}:)([^\s"']+)"""
_SHORT = r"((?:sshpass|mysql\w{0,8}|mariadb)\b[^|;&]{0,200}?[ \t]-p[ \t]{0,2})([^\s-]\S*)"
_PEM = r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----.*"

_steps: "list[tuple[re.Pattern[str], Callable[[re.Match[str]], str]]]" = []


def may_hold_secret(text: str) -> bool:
    """Say whether a text shows any sign of a secret; most texts show none."""
    lowered = text.lower()
    return _has(lowered, TOKENS) or (_has(lowered, SEPARATORS) and _has(lowered, NAMES))


def _has(text: str, signs: tuple[str, ...]) -> bool:
    for sign in signs:  # noqa: SIM110 - a plain loop takes half the time of `any`, per event
        if sign in text:
            return True
    return False


def redact(text: str) -> str:
    """Return a text with what looks like a secret replaced by a mark."""
    text = text[:MOST]
    if not may_hold_secret(text):
        return text
    for pattern, replacement in _steps or _prepare():
        text = pattern.sub(replacement, text)
    return text


def is_secret_name(name: str) -> bool:
    """Say whether a field of this name holds a secret, whatever its value looks like."""
    lowered = name.lower().replace("-", "_")
    parts = lowered.split("_")
    return any(part in _SECRET_NAMES for part in (*parts, lowered.replace("_", "")))


_SECRET_NAMES = frozenset(
    {"password", "passwd", "passphrase", "pwd", "token", "secret", "credential", "credentials"}
    | {"authorization", "apikey", "accesskey", "privatekey", "secretkey", "cookie"}
)


def _prepare() -> "list[tuple[re.Pattern[str], Callable[[re.Match[str]], str]]]":
    """Compile the patterns once. Those that know the secret's own form go first."""
    import re

    for pattern, replacement in (
        (_PEM, _all),
        (_LOGIN, _second),
        (_KNOWN, _all),
        (_HEADER, _second),
        (_SCHEME, _second),
        (_USER, _unless_number),
        (_SHORT, _second),
        (_NAMED, _named),
    ):
        _steps.append((re.compile(pattern), replacement))
    return _steps


def _all(_match: "re.Match[str]") -> str:
    return MARK


def _second(match: "re.Match[str]") -> str:
    return match[1] + MARK


def _unless_number(match: "re.Match[str]") -> str:
    """`docker run -u 1000:1000` names ids, not a password."""
    return match[0] if match[2].isdigit() else match[1] + MARK


def _named(match: "re.Match[str]") -> str:
    """Hide the value after a telling name, where the name really introduces a value."""
    word, more, between, value = match.groups()
    if not (":" in between or "=" in between) and not _introduces(match):
        return match[0]
    if value.startswith(MARK) or _is_harmless(word.lower(), more.lower(), value):
        return match[0]
    return word + more + between + MARK


def _introduces(match: "re.Match[str]") -> bool:
    """True for a name in a word that begins with a dash (`--db-password`) or follows `set`."""
    run = match.string[max(0, match.start() - 40) : match.start()]
    start = max(run.rfind(" "), run.rfind("\t")) + 1
    return (run[start:] + match[1]).startswith("-") or run[:start].endswith((" set ", "\tset "))


def _is_harmless(word: str, more: str, value: str) -> bool:
    """Small numbers are counts (`max_tokens=100`), and a bare `key` needs something long."""
    if word == "token" and value.isdigit() and len(value) <= 6:
        return True
    return word == "key" and (bool(more) or len(value) < 8)

"""Names of files inside of code: quoted texts that a call is given, and the environment printed.

Not a parser, for any language that calls functions with quoted texts. Calls that only ask whether
a file is there, or that only handle the text, name no file that is read.
Always true: the text alone is looked at, and only its beginning.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from itertools import islice

from penstock.core.shell.expansion import Value
from penstock.core.shell.programs.reads.rows import usual_names
from penstock.core.text.late_regex import late_regex

MOST_TEXT = 16_384
MOST_FOUND = 64
_BEFORE = 300

_QUOTED = late_regex(r"""(['"`])((?:(?!\1)[^\\\n]){1,300})\1""")
_PATH = late_regex(r"(?:file://?/?|~/|\.{1,2}/|/)?[^\s*?<>|{}()$&;=]{2,256}", re.IGNORECASE)
_LABEL = late_regex(r"(?:[\w-]+\s*:|[\[{]|[rbfu](?=$))\s*$")
_CALLEE = late_regex(r"([A-Za-z_$][\w$.:>!?-]{0,80}?)\s*\(?\s*$")
_ASSIGNS = late_regex(r"(?<![=!<>])=\s*$")
_ASKS = late_regex(r"\s*\)\s*(?:\.|->|::)\s*(?:exists?|is_?(?:file|dir)\w*|l?stat|name|suffix)\b")
_FILE_TEST = late_regex(r"(?<!\w)-[a-zA-Z]\s*$")  # Perl's `-e ".env"`

# Calls that read nothing of the file that they are given the name of.
HARMLESS = frozenset(
    {
        *("exists", "exist", "exists?", "exist?", "file?", "isfile", "isdir", "isFile", "stat"),
        *("is_file", "is_dir", "file_exists", "existsSync", "statSync", "lstat", "lstatSync"),
        *("access", "accessSync", "getsize", "getmtime", "lexists", "isAbsolute", "test", "-f"),
        *("print", "println", "printf", "puts", "p", "pp", "echo", "log", "info", "warn", "say"),
        *("warning", "debug", "error", "write", "writelines", "append", "extend", "add", "push"),
        *("insert", "remove", "discard", "pop", "get", "has", "set", "delete", "startswith"),
        *("endswith", "startsWith", "endsWith", "start_with", "end_with", "includes", "include?"),
        *("index", "indexOf", "find", "count", "replace", "replaceAll", "split", "strip", "trim"),
        *("match", "search", "fullmatch", "compile", "sub", "gsub", "join", "format", "RegExp"),
        *(
            "basename",
            "dirname",
            "abspath",
            "relpath",
            "realpath",
            "splitext",
            "extname",
            "resolve",
        ),
        *(
            "joinpath",
            "Path",
            "PurePath",
            "PosixPath",
            "fnmatch",
            "glob",
            "iglob",
            "rglob",
            "listdir",
            "str",
        ),
        *("assert", "assertEqual", "equal", "expect", "toBe", "raise", "Error", "Exception"),
        *("config", "load_dotenv", "find_dotenv", "return", "in", "and"),
        *("or", "not", "if", "else", "case", "when", "len", "sorted", "list", "tuple", "from"),
    }
)


def named_in_code(text: str, known: Container[str] = ()) -> Iterator[str]:
    """Yield quoted texts that look like files, where a call is given them that may read them.

    `known` are calls that somebody else has told about.
    """
    text = text[:MOST_TEXT]
    for found in islice(_QUOTED.finditer(text), MOST_FOUND):
        name = found.group(2)
        callee = _given_to(text, found) if is_path(name) else []
        told = callee and (callee[-1] in known or ".".join(callee[-2:]) in known)
        loads = any("otenv" in part for part in callee)
        if callee and not told and not loads and not is_harmless(callee[-1]):
            yield without_scheme(name)


def quoted_paths(text: str) -> Iterator[str]:
    """Yield all quoted texts that look like files, and the usual names that patterns meet."""
    for found in islice(_QUOTED.finditer(text[:MOST_TEXT]), MOST_FOUND):
        name = found.group(2)
        if is_path(name):
            yield without_scheme(name)
        elif "*" in name and name.rpartition("/")[2][:1] != "*":
            yield from (usual.text for usual in usual_names(Value(name)))


def is_harmless(callee: str) -> bool:
    """True for a call that reads nothing of the file that it is given the name of."""
    return not HARMLESS.isdisjoint({callee, callee.rstrip("!?")})


def is_path(text: str) -> bool:
    """True for a text that nobody would take for anything but a file."""
    looks = text[:1] in (".", "/", "~") or "/" in text or text[:5].lower() == "file:"
    return looks and text.strip("./~") != "" and _PATH.fullmatch(text) is not None


def without_scheme(text: str) -> str:
    """Return the path that a `file:` address names, or the text itself."""
    if text[:5].lower() != "file:":
        return text
    rest = text[5:]
    return rest.lstrip("/") if rest.startswith("//.") else "/" + rest.lstrip("/")


def _given_to(text: str, found: re.Match[str]) -> list[str]:
    """Return the names of the call that is given a quoted text (`File.read`), or nothing."""
    before = text[max(0, found.start() - _BEFORE) : found.start()]
    if _ASKS.match(text, found.end()) or _ASSIGNS.search(before) or _FILE_TEST.search(before):
        return []
    callee = _callee(before)
    return re.split(r"\.|::|->", callee) if callee else []


def _callee(before: str) -> str:
    """Return the function that is given what follows, or nothing."""
    while label := _LABEL.search(before):
        before = before[: label.start()]
    direct = _CALLEE.search(before)
    if direct:
        return direct.group(1)
    depth = 0
    for at in range(len(before) - 1, -1, -1):
        sign = before[at]
        if sign in ")]}":
            depth += 1
        elif sign == "(" and not depth:
            around = _CALLEE.search(before[:at])
            return around.group(1) if around else ""
        elif sign in "([{":
            depth = max(0, depth - 1)
        elif sign == ";" and not depth:
            return ""
    return ""


# The environment

_ENVIRONMENT = late_regex(
    r"process\.env\b|\benviron\b|\bgetenv\b|\bENV\b|\$_ENV|\$_SERVER|\bDeno\.env\b|\bBun\.env\b"
    r"|\bGetenv\b|\.parsed\b|import\.meta\.env|\benv\("
)
_PRINTS = late_regex(
    r"print|console\.|stdout|\bputs\b|\becho\b|\bpp?\b|dump|\.log\(|\bwrite|inspect|display"
)
_ONE_PLAIN = late_regex(
    r"(?:process\.env\.|environ(?:\.get\(|\[)['\"]?|getenv\(['\"]?|\bENV\[['\"])"
    r"(?:HOME|PATH|PWD|USER|SHELL|LANG|TERM|CI|NODE_ENV|RAILS_ENV|APP_ENV|ENV|PORT|HOST|DEBUG)\b"
)


_PRINTS_LOADED = late_regex(r"(?:console\.\w+|print|write)\([^;]{0,120}\.config\(")


def prints_environment(text: str, *, printed: bool = False) -> bool:
    """Say whether code prints variables of the environment that may hold a secret.

    `printed` means that its value is printed anyway (`node -p`).
    """
    text = _ONE_PLAIN.sub("", text[:MOST_TEXT])
    if _PRINTS_LOADED.search(text):
        return True
    return _ENVIRONMENT.search(text) is not None and (printed or bool(_PRINTS.search(text)))

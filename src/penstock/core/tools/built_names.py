"""Names of files that code puts together from parts, and then reads.

`open(os.path.join(root, ".env"))`, `(ROOT / ".env").read_text()`, a variable that holds such a
path and is read later, `f"{root}/.env"`: the directory is known only when it runs, the name of the
file is written down. A line counts where something on it reads, or where it gives a name to a
path that another line reads. Libraries that take in settings for a program show them to nobody.
Always true: the text alone is looked at, line by line, a bounded number of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from penstock.core.shell.programs.reads.literals import is_path
from penstock.core.text.late_regex import late_regex
from penstock.core.text.secret_signs import names_secret_file

MOST_LINES = 200
LONGEST = 2000

_SPLIT = late_regex(r"([(,\[{+.])[ \t]*\n\s*|\n\s*(?=[).\]]|\+ )")  # one call on several lines
_QUOTED = late_regex(r"""(['"`])((?:(?!\1)[^\\\n]){1,300})\1""")
_PREFIX = late_regex(r"(?:\$\{[^}]*\}|#\{[^}]*\}|\{[^}]*\}|\$\w+|%s)/+")
_READS = (
    r"(?:\b(?:open|fopen|file|slurp|file_get_contents|readfile|include_(?:str|bytes)!|getline)\s*\("
    r"|\b[rR]ead(?:_?[a-zA-Z]+)*!?\s*\(|\.read\b|\.(?:open|text)\s*\()"
)
_READ = late_regex(_READS)
_ASSIGNED = late_regex(
    r"^\s*(?:(?:const|let|var|val|final|my|our|auto|static|String|Path|File|str)\s+)*"
    r"[$@]?([A-Za-z_]\w{0,60})\s*(?::\s*[\w.\[\]]+\s*)?:?=(?!=)"
)
# A library that loads settings, a setting that names a file, or a call that reads nothing of it.
_LOADS = late_regex(
    r"otenv|read_?env\b|env_?file|load_?env|add_argument|\bdefault\s*=|exist|is_?file\b|\bunlink"
    r"|[wW]rite|\btouch\(|gitignore|Settings|environ\.Env|parse_env",
    re.IGNORECASE,
)


def built_names(text: str) -> Iterator[str]:
    """Yield the last parts of paths that code puts together and reads."""
    if not names_secret_file(text.encode("utf-8", "replace")):
        return
    whole = _SPLIT.sub(r"\1 ", text)
    for line in islice(filter(_may_name, whole.split("\n")), MOST_LINES):
        names = list(_names(line))
        if names and (_READ.search(line) or _is_read_later(line, whole)):
            yield from names


def _may_name(line: str) -> bool:
    return (
        len(line) <= LONGEST
        and names_secret_file(line.encode("utf-8", "replace"))
        and _LOADS.search(line) is None
    )


def _names(line: str) -> Iterator[str]:
    for found in _QUOTED.finditer(line):
        name = _PREFIX.sub("", found.group(2), count=1).lstrip("/")
        if is_path(name):
            yield name


def _is_read_later(line: str, text: str) -> bool:
    """Say whether the variable that a line gives a value to is read somewhere."""
    found = _ASSIGNED.match(line)
    if found is None:
        return False
    name = re.escape(found.group(1))
    used = rf"{_READS}\s*[$@]?{name}\b|[$@]?\b{name}\s*(?:\.|->)\s*(?:[rR]ead|open|text)\w*"
    return any(_LOADS.search(one) is None for one in _lines_with(used, text))


def _lines_with(pattern: str, text: str) -> Iterator[str]:
    for found in islice(re.finditer(pattern, text), MOST_LINES):
        begin = text.rfind("\n", 0, found.start()) + 1
        end = text.find("\n", found.end())
        yield text[begin : end if end >= 0 else len(text)]

"""Arguments of calls in program texts, and what an argument is worth when it is literal.

Strings, strings that are joined, names that were given one, and the usual ways to build a path
(`path.join(__dirname, ".env")`, `Path.of("a")`). A loop over the names in a directory makes a
pattern of its name. No language is parsed: brackets and quotes are matched, and that is all.
Always true: None means that the text does not tell; a call's arguments are read up to a limit.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from itertools import islice, product

from penstock.core.text.late_regex import late_regex

MOST_ARGUMENT_TEXT = 300
MOST_DEPTH = 4
MOST_NAMES = 256
MOST_VALUES = 8

_OPENED = late_regex(r"!?[ \t]*(?:\?\.)?\(")
_BARE_CALL = late_regex(r"[ \t]+[^=\s]")
_SPECIAL = late_regex(r"[()\[\]{},;\n'\"`]")
_INSERTS = late_regex(r"\$\{|#\{|\$[A-Za-z_{]|@[A-Za-z_{]")
_INSERTED = late_regex(r"[$#]\{\s*([^{}]{1,80}?)\s*\}|\$([A-Za-z_]\w{0,63})")
_ASSIGNED = late_regex(
    r"(?<![A-Za-z0-9_.])([A-Za-z_][A-Za-z0-9_]{0,63})[ \t]{0,8}:?=[ \t]{0,8}"
    r"('[^'\\\n]{0,300}'|\"[^\"\\\n]{0,300}\"|`[^`\\\n]{0,300}`|[A-Za-z_\[][^\n;]{0,200})"
)
# `for (const f of [...])`, `[...].forEach(f => `, `foreach ([...] as $f)`, `range []string{...}`
_LOOP = late_regex(
    r"\bfor(?:each)?\s*\(?\s*(?:(?:const|let|var|my|local)\s+)?(?:_,\s*)?\$?(?P<name1>\w+)\s*"
    r"(?:of|in|:=\s*range|<-)?\s*(?:\[\]string|vec!|c|listOf|arrayOf)?[\[({](?P<items1>[^\])}\n]{1,300})"
    r"|[\[{](?P<items2>[^\]}\n]{1,300})[\]}]\.(?:forEach|map|each|iter\(\)\.for_each)\b[\s({|]*"
    r"(?:do\s*\|)?(?P<name2>\w+)"
    r"|\bforeach\s*\(\s*(?:\[|array\()(?P<items3>[^\])\n]{1,300})[\])]+\s+as\s+\$(?P<name3>\w+)"
)
# `for (const f of fs.readdirSync("docs"))`, `fs.readdirSync("docs").forEach(f => `, and by a name
_LISTED = r"(?:await\s+)?(?:\w+\.){{0,3}}readdir(?:Sync)?\(\s*(?P<place{0}>[^(),\n]{{1,200}})\)"
_CHAIN = r"(?:\.\w+\([^\n;]{0,120}?\)){0,3}"
_LISTING = late_regex(
    r"\bfor\s*\(\s*(?:const|let|var)\s+(?P<name1>\w+)\s+of\s+"
    + _LISTED.format(1)
    + r"|"
    + _LISTED.format(2)
    + _CHAIN
    + r"\.(?:forEach|map)\(\s*(?:async\s*)?\(?\s*(?P<name2>\w+)"
)
_KEPT_LISTING = late_regex(
    r"(?P<list>\w+)\s*=\s*"
    + _LISTED.format(1)
    + r"[\s\S]{0,2000}?(?:\bof\s+(?P=list)\b|\b(?P=list)\.(?:forEach|map)\b)"
)
_OVER = (
    r"\bfor\s*\(\s*(?:const|let|var)\s+(\w+)\s+of\s+{0}\b"
    r"|\b{0}\.(?:forEach|map)\(\s*(?:async\s*)?\(?\s*(\w+)"
)
ANY_NAME = ("*", ".*")
_FUNCTION = late_regex(
    r"\b(?:function|def|func|fn|fun|static \w+|void)\s+(\w+)\s*\(([^()\n]{1,200})\)"
    r"|\b(\w+)\s*=\s*(?:async\s*)?(?:function\s*)?\(([^()\n]{1,200})\)\s*(?:=>|\{)"
)
_LABEL = late_regex(r"^[A-Za-z_]\w{0,40}:[ \t]+(?=['\"])")  # `removeItem(atPath: ".env")`
_QUOTES = ("'", '"', "`")
# Calls that make one path or text of their arguments.
_MAKES = late_regex(
    r"&?(?:new |await )?(?:[A-Za-z_]\w*(?:\.|::|->))*"
    r"(?:join|resolve|normalize|of|get|new|from|Join|Abs|Clean|Combine|File|file|files|Path|URL"
    r"|expand_path|catfile|fileURLToPath|String|string|toPath|dirname|rel2abs|realpath|concat"
    r"|pathexpand|absolute_path)!?\("
)
_BASE_SECOND = ("expand_path(", "rel2abs(", "absolute_path(")
_ITEMS = late_regex(r"\[([^\[\]]{1,300})\]\.join\(\s*(?:(['\"`])([^'\"`]{0,8})\2)?\s*\)")
_DIRECTORY_OF = late_regex(r"(?:dirname|Dir)\($")
_TAIL = late_regex(r"(?:\.(?:\w{1,20}\(\)|path|absolutePath|href))+$")
# Words for the directory that a script lies in, and for the one that it runs in.
_BESIDE = frozenset(
    {
        *("__dirname", "__DIR__", "__dir__", "import.meta.dirname", "import.meta.dir"),
        *("$PSScriptRoot", "$FindBin::Bin", "FindBin::Bin", "dirname(__FILE__)"),
        *("File.dirname(__FILE__)", "path.dirname(__filename)", "dirname(__filename)"),
    }
)
_HERE = frozenset(
    {
        *("process.cwd()", "Deno.cwd()", "Dir.pwd", "getcwd()", "os.getcwd()", "Bun.main"),
        *("rootDir", "projectDir", "project.rootDir", "project.projectDir", "rootProject.rootDir"),
        *("process.env.PWD", "process.env.INIT_CWD", "Environment.CurrentDirectory"),
    }
)
_HOME = frozenset(
    {
        *("process.env.HOME", "process.env['HOME']", 'process.env["HOME"]', "process.env.HOME!"),
        *("os.homedir()", "homedir()", "require('os').homedir()", 'require("os").homedir()'),
        *("Dir.home", "ENV['HOME']", 'ENV["HOME"]', "$ENV{HOME}", "getenv('HOME')"),
        *('getenv("HOME")', 'os.Getenv("HOME")', 'System.getProperty("user.home")'),
        *('System.getenv("HOME")', 'Deno.env.get("HOME")', "Deno.env.get('HOME')", "Bun.env.HOME"),
        *('env::var("HOME").unwrap()', 'std::env::var("HOME").unwrap()', 'os.getenv("HOME")'),
        *("$_SERVER['HOME']", "$_ENV['HOME']", '$_SERVER["HOME"]'),
    }
)
_FILE = frozenset({"import.meta.url", "__filename", "__FILE__", "import.meta.filename"})


def arguments_at(text: str, at: int, *, bare: bool) -> list[str] | None:
    """Return the texts of a call's arguments, or None when no call stands here."""
    opened = _OPENED.match(text, at)
    if not opened and not (bare and _BARE_CALL.match(text, at)):
        return None
    start = opened.end() if opened else at
    limit = min(len(text), start + MOST_ARGUMENT_TEXT)
    return [text.strip() for text in cut(text[start:limit], ")]};" if opened else ";\n}")]


def cut(text: str, ends: str) -> list[str]:
    """Cut a text at the commas outside its brackets and strings, up to where it ends."""
    arguments: list[str] = []
    depth = begin = here = 0
    while found := _SPECIAL.search(text, here):
        char, here = found.group(), found.end()
        if char in "'\"`":
            here = string_end(text, found.start(), len(text))
        elif depth == 0 and char in ends:
            return [*arguments, text[begin : found.start()]]
        elif char == "," and depth == 0:
            arguments.append(text[begin : found.start()])
            begin = here
        else:
            depth += (char in "([{") - (char in ")]}")
    return [*arguments, text[begin:]]


def flattened(arguments: list[str]) -> Iterator[str]:
    """Put the items of a list among the arguments: `spawn("rm", ["-f", "x"])`."""
    for argument in arguments:
        if argument.lstrip("&").startswith("[") and argument.endswith("]"):
            inner = argument[argument.index("[") + 1 :]
            yield from (item for item in map(str.strip, cut(inner, "]")) if item)
        elif not argument.startswith("{"):
            yield argument


def string_end(text: str, at: int, limit: int) -> int:
    """Return where the string that starts here ends; the limit when it never does."""
    mark = text[at]
    at += 1
    while at < limit:
        close = text.find(mark, at, limit)
        if close < 0:
            return limit
        slashes = close - len(text[at:close].rstrip("\\")) - at
        if slashes % 2 == 0:
            return close + 1
        at = close + 1
    return limit


class Literals:
    """What arguments are worth in one text; `name` is the file that holds it.

    A name may be worth several texts: a loop over literals, a function that is called with them.
    """

    def __init__(self, text: str, name: str = "") -> None:
        self._text = text
        self._name = name
        self._beside = posixpath.dirname(name) or "."
        self._learnt: dict[str, list[str]] | None = None

    def _known(self, name: str) -> list[str]:
        """Return what a name is worth; the text is looked through when the first is asked for."""
        if self._learnt is None:
            self._learnt = {}
            self._assignments()
            for found in islice(_LOOP.finditer(self._text), MOST_NAMES):
                self._loop(found)
            self._listings()
            self._assignments()  # again, with the names of loops
            self._parameters(self._text)
        return self._learnt.get(name, [])

    def _assignments(self) -> None:
        for found in islice(_ASSIGNED.finditer(self._text), MOST_NAMES):
            whole = self._text[found.start(2) : found.start(2) + MOST_ARGUMENT_TEXT]
            self._learn(found.group(1), cut(whole, ";\n)}]")[0].strip())

    def _learn(self, name: str, text: str) -> None:
        known = self._learnt.setdefault(name, []) if self._learnt is not None else []
        known += [value for value in self.values(text) if value not in known][:MOST_VALUES]

    def _loop(self, found: re.Match[str]) -> None:
        given = {name: text for name, text in found.groupdict().items() if text is not None}
        items = next((text for name, text in given.items() if name.startswith("items")), "")
        name = next((text for name, text in given.items() if name.startswith("name")), "")
        for item in cut(items, "")[:MOST_VALUES]:
            self._learn(name, item.strip())

    def _listings(self) -> None:
        """A loop over a directory gives its name any name; one of the project's own says nothing.

        Among the names of the project itself is nearly always one that a rule protects.
        """
        for found in islice(_LISTING.finditer(self._text), MOST_NAMES):
            turn = "1" if found["name1"] else "2"
            self._list(found[f"name{turn}"], found[f"place{turn}"])
        for kept in islice(_KEPT_LISTING.finditer(self._text), MOST_VALUES):
            over = re.compile(_OVER.format(re.escape(kept["list"])))
            for found in islice(over.finditer(self._text), MOST_VALUES):
                self._list(found[1] or found[2], kept["place1"])

    def _list(self, name: str, place: str) -> None:
        places = self.values(place.strip())
        inside = all(one.strip("./") and not one.startswith("..") for one in places)
        if places and inside and self._learnt is not None:
            self._learnt.setdefault(name, []).extend(ANY_NAME)

    def _parameters(self, text: str) -> None:
        """Give the parameters of a function what it is called with."""
        functions: dict[str, list[str]] = {}
        for found in islice(_FUNCTION.finditer(text), MOST_NAMES):
            name = found.group(1) or found.group(3)
            functions[name] = _parameter_names(found.group(2) or found.group(4) or "")
        if not functions:
            return
        names = "|".join(map(re.escape, functions))
        for call in islice(re.finditer(rf"(?<![\w$])({names})\(", text), MOST_NAMES):
            for name, value in zip(
                functions[call.group(1)],
                arguments_at(text, call.end(1), bare=False) or (),
                strict=False,
            ):
                if value[:1] in _QUOTES:
                    self._learn(name, value)

    def values(self, text: str, depth: int = 0) -> list[str]:
        """Return what an argument may be worth when it is literal: strings, joined, or a path."""
        if depth > MOST_DEPTH:
            return []
        out = [""]
        pieces = _pieces(_LABEL.sub("", text))
        for piece in pieces:
            more = self._piece(piece, depth)
            out = [before + after for before in out for after in more][:MOST_VALUES]
        return out if pieces else []

    def _piece(self, piece: str, depth: int) -> list[str]:
        if piece[0] in _QUOTES:
            found = (self._string(piece, turn) for turn in range(len(ANY_NAME)))
            return [text for text in dict.fromkeys(found) if text is not None]
        place = self._place(piece)
        if place is not None:
            return [place]
        return self._known(piece.lstrip("$&")) or self._made(piece, depth)

    def _place(self, text: str) -> str | None:
        if text in _BESIDE:
            return self._beside
        if text in _FILE:
            return self._name or None
        if text in _HOME:
            return "~"
        return "." if text in _HERE else None

    def _string(self, piece: str, turn: int = 0) -> str | None:
        """Return what a string is worth; `turn` says which value of the names in it counts."""
        if len(piece) < 2 or piece[-1] != piece[0]:
            return None
        inner = piece[1:-1]
        if piece[0] != "'" and _INSERTS.search(inner):
            inner = self._filled(inner, turn) or "${"
            return None if _INSERTS.search(inner) else inner
        return re.sub(r"\\(.)", r"\1", inner)

    def _filled(self, text: str, turn: int) -> str:
        """Return a text with what is inserted into it, as far as that is known."""

        def value(found: re.Match[str]) -> str:
            name = found.group(1) or found.group(2)
            place = self._place(name)
            known = self._known(name.lstrip("$")) if place is None else [place]
            return known[min(turn, len(known) - 1)] if known else found.group()

        return _INSERTED.sub(value, text)

    def _made(self, piece: str, depth: int) -> list[str]:
        """Return the paths that a call makes of its arguments."""
        piece = _TAIL.sub("", piece)
        if piece[:1] in _QUOTES:
            return _single(self._string(piece))
        items = _ITEMS.fullmatch(piece)
        if items:
            each = [self.values(word.strip(), depth + 1) for word in cut(items[1], "")]
            glue = "," if items[2] is None else items[3]
            return [glue.join(one[0] for one in each)] if all(each) else []
        found = _MAKES.match(piece)
        if not found or not piece.endswith(")"):
            return []
        words = [word.strip() for word in cut(piece[found.end() : -1], "") if word.strip()]
        several = [self.values(word, depth + 1) for word in words]
        if not several or not all(several):
            return []
        if len(several) == 1 and not _DIRECTORY_OF.search(found.group()):
            return several[0]
        chosen = islice(product(*several), MOST_VALUES)
        return [_path_of(found.group(), list(words)) for words in chosen]


def _path_of(call: str, words: list[str]) -> str:
    """Return the path that a call makes of its words."""
    if "URL(" in call and words[1:]:  # the address that a name is relative to comes second
        words = [posixpath.dirname(words[-1]) or ".", words[0]]
    elif call.endswith(_BASE_SECOND) and words[1:]:
        words = [words[1], words[0]]
    elif call.endswith("concat("):
        return "".join(words)
    made = posixpath.join(*words)
    return posixpath.dirname(made) or "." if _DIRECTORY_OF.search(call) else made


def _single(value: str | None) -> list[str]:
    return [] if value is None else [value]


def _parameter_names(text: str) -> list[str]:
    """Return the names of parameters, whatever the language writes around them."""
    words = (re.sub(r"[=:].*", "", part).replace("$", " ").split() for part in text.split(","))
    # Go and JavaScript name a parameter first, Java and C# its type.
    return [
        (found[0] if found[1:2] == ["string"] else found[-1]) if found else "" for found in words
    ]


def _pieces(text: str) -> list[str]:
    """Split an argument at the operators that join strings, outside of brackets."""
    out: list[str] = []
    at = begin = depth = 0
    while at < len(text):
        char = text[at]
        if char in "'\"`":
            at = string_end(text, at, len(text))
            continue
        depth += (char in "([{") - (char in ")]}")
        if depth == 0 and (char == "+" or (char == "." and _joins(text, at))):
            out.append(text[begin:at])
            begin = at + 1
        at += 1
    out.append(text[begin:])
    return [piece.strip() for piece in out if piece.strip()]


def _joins(text: str, at: int) -> bool:
    """Say whether a dot joins texts, as in Perl and PHP, and is no member of something."""
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    return before in " \"'" or after in " \"'$"

"""Find what an unknown tool's arguments mention that could be a path.

No schema says which argument of a server's tool is a file, so every text and every key is
looked at: one that is a path by itself, the words of a command line, the files that a shell
command or a piece of code names, JSON inside of a text, a directory and a name that are given
apart. Prose is left alone: what people write to each other, a query of a tool that only looks,
what a file shall hold, what is left out of a search. Whether a mention matters is the rules'
question, and a person's where they say so.
Always true: the arguments are only read; time grows with their length; what is longer than
`MOST_TEXT` is read at both of its ends.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from urllib.parse import unquote

from msgspec import Struct

from penstock.core.model import Action
from penstock.core.text.late_regex import late_regex
from penstock.core.tools.arguments import plain
from penstock.core.tools.guess import words_of
from penstock.core.tools.kinds import CONTENT, NEW, OLD
from penstock.core.tools.patterns import expanded

MOST_TEXT = 16_384  # of one text, from each end
MOST_LEAVES = 4_000
MOST_DEEP = 64
MOST_FOUND = 2_000
LONGEST = 4_096


class Mention(Struct, frozen=True):
    """A text among the arguments that could be a path, and what the tool may do with it."""

    action: Action
    path: str


# --- what an argument is for, by the words of its key -------------------------------------------

# For people, or for a model: not a path unless there is nothing else in it.
PROSE = frozenset(
    {
        *("body", "message", "msg", "description", "comment", "comments", "prompt", "title"),
        *("subject", "summary", "question", "questions", "note", "notes", "reason", "markdown"),
        *("caption", "answer", "instructions", "instruction", "thought", "thoughts", "thinking"),
        *("task", "goal", "feedback", "abstract", "explanation", "details", "text", "texts"),
        *("content", "contents", "html", "why", "rationale", "justification", "reply"),
        *("headline", "heading", "placeholder", "documentation", "changelog", "bio", "context"),
        *("objective", "observation", "observations", "review", "transcript", "announcement"),
    }
)
# What somebody looks for; a tool that only looks does nothing to it.
QUERIES = frozenset(
    {
        *("query", "queries", "q", "search", "term", "terms", "keyword", "keywords", "topic"),
        *("pattern", "patterns", "regex", "needle", "phrase", "library", "question", "symbol"),
    }
)
# What is left out, and what names a part of a page or of a record.
NEVER = frozenset(
    {
        *("exclude", "excludes", "excluded", "ignore", "ignored", "ignores", "skip", "omit"),
        *("selector", "selectors", "locator", "css", "xpath", "element", "ref"),
        *("branch", "branches", "head"),
    }
)
IDENTIFIERS = frozenset(
    {
        *("field", "fields", "property", "properties", "attribute", "column", "columns", "event"),
        *("metric", "key", "keys", "sort", "order", "group", "class", "method", "function"),
    }
)
HELD = frozenset(plain(key) for key in (*CONTENT, *OLD, *NEW, "data", "body", "code", "source"))
FILES = frozenset({"path", "file", "filename", "filepath", "uri", "paths"})
FOLDERS = frozenset(
    {
        *("dir", "directory", "folder", "parent", "base", "root", "cwd", "path", "prefix"),
        *("location", "where", "place", "workdir", "basedir", "dirname", "under", "into"),
    }
)
NAMES = frozenset(
    {
        *("name", "file", "filename", "basename", "leaf", "child", "title", "stem", "as", "entry"),
    }
)
ENDINGS = frozenset({"ext", "extension", "suffix"})
PARTS = frozenset({"path", "parts", "segments", "components", "pieces"})
COMMANDS = frozenset({"command", "cmd", "commandline"})
# A tool of such a name runs what it is given, whatever the argument is called.
RUNS = frozenset(
    {
        *("run", "exec", "execute", "shell", "bash", "terminal", "console", "eval", "evaluate"),
        *("repl", "python", "node", "script", "ssh", "spawn", "stdin", "keys", "command", "cmd"),
    }
)
# A tool of such a name speaks to people: its prose is prose, even where it is one word.
SPEAKS = frozenset(
    {
        *("message", "messages", "reply", "comment", "comments", "mail", "email", "gmail"),
        *("slack", "discord", "telegram", "teams", "chat", "thread", "issue", "tweet", "sms"),
    }
)
# Such a tool keeps what it is told as notes; their names are no files.
KEEPS_NOTES = frozenset({"entities", "relations", "observations"})
TALK = frozenset({"description", "reason", "title", "summary", "explanation", "why", "comment"})
_DOTTED = late_regex(r"[A-Za-z_$][\w$]*(?:\.[\w$]+)+")


def mentions(
    words: frozenset[str],
    action: Action,
    given: Mapping[str, object],
    *,
    server: frozenset[str] = frozenset(),
) -> Iterator[Mention]:
    """Yield what a call of a tool mentions; `words` are those of the tool's name.

    Those of its server say only whether it speaks to people: what one tool of it does, they don't.
    """
    if words & KEEPS_NOTES:
        return
    actions = (action,) if action is Action.READ else (action, Action.READ)
    look = _Look(
        reads=action is Action.READ, runs=bool(words & RUNS), speaks=bool((words | server) & SPEAKS)
    )
    seen: set[str] = set()
    for path in look.inside(given, _TOP, 0):
        if path in seen or not _possible(path):
            continue
        seen.add(path)
        yield from (Mention(each, path) for each in actions)
        if len(seen) == MOST_FOUND:
            return


def _possible(path: str) -> bool:
    return 0 < len(path) <= LONGEST and path not in (".", "..", "/")


class _Around(Struct, frozen=True):
    """Where a value stands: the words of its key, the path above it, whether a file is named."""

    words: frozenset[str] = frozenset()
    above: str = ""
    held: bool = False

    @property
    def names_file(self) -> bool:
        """True where the key says that its value is a file."""
        return not self.words.isdisjoint(FILES)


_TOP = _Around()


class _Look(Struct):
    """One walk through the arguments of a call."""

    reads: bool
    runs: bool
    speaks: bool
    leaves: int = 0

    def inside(self, value: object, at: _Around, depth: int) -> Iterator[str]:
        """Yield the candidates of a value."""
        self.leaves += 1
        if self.leaves > MOST_LEAVES or depth > MOST_DEEP:
            return
        if isinstance(value, str):
            yield from self._text(value, at, depth)
        elif isinstance(value, Mapping):
            yield from self._object(value, at, depth)
        elif isinstance(value, list | tuple):
            yield from _joined_list(value, at.words)
            for item in value:
                yield from self.inside(item, at, depth + 1)

    def _object(self, given: Mapping[str, object], at: _Around, depth: int) -> Iterator[str]:
        keyed = [(words_of(key), key, given[key]) for key in given if isinstance(key, str)]
        texts = [(words, value) for words, _, value in keyed if isinstance(value, str)]
        held = at.held or any(words & FILES for words, _ in texts)
        yield from _joined_values(texts)
        for words, key, value in keyed:
            if words & NEVER:
                continue
            above = "" if key.isidentifier() else key
            yield from whole(key) if above else ()
            yield from whole(f"{at.above}/{key}") if at.above else ()
            if self.runs or not (held and plain(key) in HELD):
                yield from self.inside(value, _Around(words, above, held), depth + 1)

    def _text(self, text: str, at: _Around, depth: int) -> Iterator[str]:
        text = _bounded(text)
        nested = _json(text)
        if nested is not None:
            yield from self.inside(nested, at, depth + 1)
            return
        if self.reads and at.words & (QUERIES | PROSE):
            yield from _quoted(text) if _SQL.match(text) else ()
            return
        if at.words & COMMANDS and _starts_program(text):
            return  # it is followed as the command that it is
        if self.speaks and at.words & PROSE and not self.runs and not at.names_file:
            return
        if at.words & IDENTIFIERS and not at.names_file and _DOTTED.fullmatch(text):
            return
        lone = text.strip()
        if not any(sign.isspace() for sign in lone):
            yield from whole(lone)
            yield from run(lone)
        elif not at.words & (TALK if self.runs else PROSE):
            yield from run(text)
            for line in text.splitlines():
                yield from () if is_prose(line) or _IN_CODE.search(line) else _each(line)


def _bounded(text: str) -> str:
    return text if len(text) <= 2 * MOST_TEXT else f"{text[:MOST_TEXT]}\n{text[-MOST_TEXT:]}"


def _json(text: str) -> object | None:
    """Return what JSON inside of a text holds; None where it is no object or list."""
    if text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict | list) and found else None


# --- given apart -------------------------------------------------------------------------------


def _joined_values(texts: list[tuple[frozenset[str], str]]) -> Iterator[str]:
    """Yield a directory and a name that two arguments of one object give, and a name's ending."""
    short = [(words, value) for words, value in texts if _is_name(value)]
    folders = [value for words, value in short if words & FOLDERS][:8]
    names = [value for words, value in short if words & NAMES][:8]
    endings = [value.lstrip(".") for words, value in short if words & ENDINGS][:8]
    ended = [f"{name}.{ending}" for name in names for ending in endings]
    yield from ended
    for folder in folders:
        for name in (*names, *ended):
            if folder is not name:
                yield f"{folder.rstrip('/')}/{name.lstrip('/')}"


def _joined_list(items: Sequence[object], words: frozenset[str]) -> Iterator[str]:
    """Yield the path whose parts a list gives."""
    texts = [item for item in items if isinstance(item, str)]
    if PARTS.isdisjoint(words) or len(texts) < 2 or len(texts) != len(items):
        return
    if all(map(_is_name, texts)):
        yield "/".join(text.strip("/") if at else text.rstrip("/") for at, text in enumerate(texts))
        yield "".join(texts)


def _is_name(text: str) -> bool:
    return 0 < len(text) <= LONGEST and not any(sign.isspace() for sign in text)


# --- one word ----------------------------------------------------------------------------------

_ADDRESS = late_regex(r"([A-Za-z][A-Za-z0-9+.-]{1,30})://?")
_LOCAL = frozenset({"file", "fileb", "sqlite", "sqlite3", "duckdb", "vscode", "unix"})
_WRAPPED = late_regex(r"^(?:(?:view-source|jar|blob|filesystem|zip|url):)+(?=\w+:/)", re.IGNORECASE)
_SPLIT = late_regex(r"[=,;:|&<>()\[\]{}\"'`\s]+")
_OPTION = late_regex(r"-[A-Za-z](.+)")
_AROUND = "\"'`<>|;,()[]{}&@!"


def whole(text: str) -> Iterator[str]:
    """Yield the paths that one word may mean: itself, and what is behind `=`, `:` or a quote."""
    if len(text) > LONGEST:
        return
    text = _WRAPPED.sub("", text)
    address = _ADDRESS.match(text)
    if address and _is_local(address[1].lower()):
        yield from _of_address(text[address.end() :])
        return
    if address and text[address.end() - 2 : address.end()] == "//":
        yield from _of_local_server(text[address.end() :])
        return
    for word in _decoded(text):
        yield from _spelled(word)


def _is_local(scheme: str) -> bool:
    """Editors and others make schemes of their own for files: `vscode-file`, `app-file`."""
    return scheme in _LOCAL or scheme.startswith("vscode") or "file" in scheme


def _of_address(rest: str) -> Iterator[str]:
    """`file:///a`, `file://host/a` and `file:a` are files; the host may be the path's start."""
    path = unquote(rest.partition("#")[0].partition("?")[0], errors="surrogateescape")
    yield path
    yield path.lstrip("/")
    if not path.startswith("/") and "/" in path:
        yield "/" + path.partition("/")[2]
    elif path:
        yield "/" + path.lstrip("/")


def _of_local_server(rest: str) -> Iterator[str]:
    """A server on this machine most likely serves files of this project, for reading alone.

    So what git keeps, which is protected from being written, is left out.
    """
    host, _, path = rest.partition("/")
    name = host.rpartition("@")[2].partition(":")[0]
    here = name in ("localhost", "127.0.0.1", "0.0.0.0")  # noqa: S104
    if here and path and path.partition("/")[0] != ".git":
        yield unquote(path.partition("#")[0].partition("?")[0], errors="surrogateescape")


def _decoded(text: str) -> Iterator[str]:
    yield text
    for _ in range(2):
        if "%" not in text:
            return
        text = unquote(text, errors="surrogateescape")
        yield text


def _spelled(word: str) -> Iterator[str]:
    yield word
    yield from expanded(word)
    bare = word.lstrip(_AROUND).rstrip(_AROUND + ":?.")
    quoteless = re.sub(r"[\"'`]", "", word)
    for other in (bare, quoteless, quoteless.replace("\\", "")):
        if other != word:
            yield other
    option = _OPTION.fullmatch(word)
    if option:
        yield option[1]
    parts = _SPLIT.split(word)
    for part in islice(parts, 200) if len(parts) > 1 else ():
        yield part.lstrip("@")


# --- several words -----------------------------------------------------------------------------

_PLAIN = late_regex(r"[^\W\d_][^\W_]*(?:['’-][^\W\d_]+)*[.,;:!?)\"']*")
_KEYED = late_regex(r"[a-z]+:")
FEW_WORDS = 4


def is_prose(line: str) -> bool:
    """Say whether a line is a sentence, and not a list of names or a command."""
    words = line.split()
    if any(len(word) > 2 and word.startswith("--") for word in words):
        return False
    plain_words = [word for word in words if _PLAIN.fullmatch(word) and not _KEYED.fullmatch(word)]
    spoken = len(words) >= FEW_WORDS or line.lstrip("-*# \t\"'(")[:1].isupper()
    return spoken and 2 * len(plain_words) >= len(words)


# Bare words of code are names of values.
_IN_CODE = late_regex(r"[(){}]|\s[=!<>]?==?\s")


def _each(line: str) -> Iterator[str]:
    for word in islice(line.split(), 500):
        yield from whole(word)


# --- code and commands -------------------------------------------------------------------------

# A text in quotes, with what stands right before and after it. Prose quotes names as well, so
# only a call, a list, an assignment or a statement that names files makes it a path.
_QUOTED = late_regex(r"(?P<quote>[\"'`])(?P<inside>[^\"'`\n]{1,400})(?P=quote)")
_SQL = late_regex(r"\s*(?:select|insert|update|delete|with|create|alter|explain)\b", re.IGNORECASE)
_CALLS = late_regex(r"(?!(?:in|values|and|or|not)\()\b[\w.]+\((?:[rbfuRBFU]{0,2})$", re.IGNORECASE)
_OPENS = late_regex(r"[(\[{,=:+/<>]\s*[rbfuRBFU]{0,2}$")
_NAMES_FILE = late_regex(
    r"\b(?:to|into|from|outfile|dumpfile|infile|attach|database|backup|import|require|open"
    r"|read|write|load|source|copy|unlink|delete|rm|cat|tee)\s+$",
    re.IGNORECASE,
)
_CODE = late_regex(r"[(=;{}|<>$&]")
BEFORE = 40


def run(text: str) -> Iterator[str]:
    """Yield the files that a text names when it is run, as a command or as code."""
    yield from _quoted(text)
    if _CODE.search(text) or _starts_program(text):
        yield from _commanded(text)


def _quoted(text: str) -> Iterator[str]:
    sql = _SQL.match(text) is not None
    for found in islice(_QUOTED.finditer(text), 2_000):
        before = text[max(0, found.start() - BEFORE) : found.start()]
        opens = _CALLS.search(before) if sql else _OPENS.search(before)
        if opens or (_NAMES_FILE.search(before) and _CODE_AROUND.search(text)):
            yield from whole(found["inside"])


_CODE_AROUND = late_regex(
    r"[(;={]|\b[A-Z]{2,}\b|\A\s*(?:\\\w|(?:copy|attach|load|vacuum|backup)\s+[\w.\"]+\s+(?:from|to|as|\S))"
)


def _starts_program(text: str) -> bool:
    from penstock.core.shell.programs.reads.table import READS

    return any(line.split(None, 1)[0] in READS for line in text.splitlines() if line.strip())


def _commanded(text: str) -> Iterator[str]:
    """Yield what the text would touch as a shell command, and as Python where it could be."""
    import shlex

    from penstock.core.shell.analyze import writes

    texts = [text]
    if "(" in text:
        texts += [f"python3 -c {shlex.quote(text)}", f"node -e {shlex.quote(text)}"]
    for each in texts:
        for target in writes(each).targets:
            yield target.path if not target.base else f"{target.base.rstrip('/')}/{target.path}"
            yield from expanded(target.path)

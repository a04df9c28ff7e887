"""What a program text in JavaScript, Perl, Ruby, PHP or Lua does to files, as far as it says.

Not parsers: calls that write or read are found by their names, and their arguments are read when
they are literal. Python has a real reader in `python`.
Always true: a call that writes, deletes or runs something, and whose argument is not
literal, is unclear. Text in comments and strings may be taken for a call; that errs towards
telling too much.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from penstock.core.model import Action
from penstock.core.shell.effects import Code, Effect, ProgramCall, RunProgram, Shell, Touch, Unclear
from penstock.core.shell.expansion import Value
from penstock.core.shell.programs.reads.literals import (
    is_path,
    named_in_code,
    prints_environment,
    quoted_paths,
)
from penstock.core.shell.programs.table import PROGRAMS

# Together these keep the longest reading of one program text to a few milliseconds.
MOST_TEXT = 16_384
MOST_CALLS = 24
MOST_ARGUMENT_TEXT = 300


class Like(NamedTuple):
    """A call does to its arguments at `places` what a program with `flags` does."""

    program: str
    places: tuple[int, ...] = (0,)
    flags: tuple[str, ...] = ()


class Opens(NamedTuple):
    """A call opens the file at `path`, for writing when the argument at `mode` says so."""

    path: int = 0
    mode: int = 1


class Starts(NamedTuple):
    """A call runs a command: one text for a shell, or a program with its words."""

    shell: bool = True


class Evaluates(NamedTuple):
    """A call runs a text in the same language."""


class Reads(NamedTuple):
    """A call reads the file at `place`; one that it computes is nobody's question."""

    place: int = 0


Meaning = Like | Opens | Reads | Starts | Evaluates

WRITES = Like("tee")
DELETES = Like("rm", flags=("-r",))
UNLINKS = Like("rm")
CLOSES = Like("chown", flags=("x",))  # what lies below may no longer be reached
RENAMES = Like("mv", (0, 1), ("-T",))
COPIES = Like("cp", (0, 1))
LINKS = Like("ln", (0, 1), ("-T",))
SYMLINKS = Like("ln", (0, 1), ("-s", "-T"))


def _both(names: Mapping[str, Meaning]) -> dict[str, Meaning]:
    """Node has each call with and without `Sync`."""
    return {form: meaning for name, meaning in names.items() for form in (name, name + "Sync")}


_JS: Mapping[str, Meaning] = {
    **_both(
        {
            "writeFile": WRITES,
            "appendFile": WRITES,
            "outputFile": WRITES,
            "outputJson": WRITES,
            "writeJson": WRITES,
            "writeTextFile": WRITES,
            "truncate": WRITES,
            "chmod": CLOSES,
            "chown": CLOSES,
            "utimes": WRITES,
            "mkdir": WRITES,
            "unlink": UNLINKS,
            "rmdir": DELETES,
            "rm": DELETES,
            "remove": DELETES,
            "rename": RENAMES,
            "copyFile": Like("cp", (0, 1), ("-T",)),
            "cp": Like("cp", (0, 1), ("-r", "-T")),
            "symlink": SYMLINKS,
            "link": LINKS,
            "open": Opens(),
            "exec": Starts(),
            "execFile": Starts(shell=False),
            "spawn": Starts(shell=False),
        }
    ),
    **dict.fromkeys(("createReadStream", "readJson", "readJsonSync", "loadEnvFile"), Reads()),
    **_both(dict.fromkeys(("readFile", "readTextFile", "openAsBlob"), Reads())),
    "Bun.file": Reads(),
    "createWriteStream": WRITES,
    "Bun.write": WRITES,
    "Deno.remove": DELETES,
    "eval": Evaluates(),
    "Function": Evaluates(),
    "runInThisContext": Evaluates(),
    "runInNewContext": Evaluates(),
}
_PERL: Mapping[str, Meaning] = {
    "unlink": UNLINKS,
    "rmdir": UNLINKS,
    "rmtree": DELETES,
    "remove_tree": DELETES,
    "rename": RENAMES,
    "move": Like("mv", (0, 1)),
    "copy": COPIES,
    "link": LINKS,
    "symlink": SYMLINKS,
    "mkdir": WRITES,
    "truncate": WRITES,
    "chmod": Like("tee", (1,)),
    **dict.fromkeys(("read_file", "slurp", "read_text", "do", "require"), Reads()),
    "write_file": WRITES,
    "spew": WRITES,
    "system": Starts(),
    "exec": Starts(),
    "qx": Starts(),
    "eval": Evaluates(),
}
_RUBY: Mapping[str, Meaning] = {
    **{
        f"{kind}.{name}": Reads()
        for kind in ("File", "IO")
        for name in ("read", "readlines", "foreach", "binread")
    },
    **dict.fromkeys(("YAML.load_file", "CSV.read", "Dotenv.parse", "load"), Reads()),
    "open": Opens(),
    "File.write": WRITES,
    "File.binwrite": WRITES,
    "IO.write": WRITES,
    "IO.binwrite": WRITES,
    "File.open": Opens(),
    "File.new": Opens(),
    "File.delete": UNLINKS,
    "File.unlink": UNLINKS,
    "File.rename": RENAMES,
    "File.symlink": SYMLINKS,
    "File.link": LINKS,
    "File.truncate": WRITES,
    "File.chmod": Like("tee", (1,)),
    "Dir.mkdir": WRITES,
    "Dir.rmdir": UNLINKS,
    "Dir.delete": UNLINKS,
    **{f"FileUtils.{name}": UNLINKS for name in ("rm", "rm_f", "remove", "remove_file")},
    **{f"FileUtils.{name}": DELETES for name in ("rm_r", "rm_rf", "remove_dir", "rmtree")},
    **{f"FileUtils.{name}": COPIES for name in ("cp", "cp_r", "copy", "copy_file", "install")},
    **{f"FileUtils.{name}": WRITES for name in ("touch", "mkdir", "mkdir_p", "makedirs")},
    "FileUtils.mv": Like("mv", (0, 1)),
    "FileUtils.move": Like("mv", (0, 1)),
    "FileUtils.ln_s": SYMLINKS,
    "FileUtils.ln_sf": SYMLINKS,
    "FileUtils.ln": LINKS,
    "system": Starts(),
    "exec": Starts(),
    "spawn": Starts(),
    "IO.popen": Starts(),
    "Open3.capture2": Starts(),
    "Open3.capture3": Starts(),
    "eval": Evaluates(),
    "instance_eval": Evaluates(),
}
_PHP: Mapping[str, Meaning] = {
    **dict.fromkeys(("file_get_contents", "file", "readfile", "parse_ini_file"), Reads()),
    **dict.fromkeys(("show_source", "highlight_file", "include", "require"), Reads()),
    "file_put_contents": WRITES,
    "fopen": Opens(),
    "unlink": UNLINKS,
    "rmdir": UNLINKS,
    "rename": RENAMES,
    "copy": Like("cp", (0, 1), ("-T",)),
    "touch": WRITES,
    "mkdir": WRITES,
    "chmod": WRITES,
    "symlink": SYMLINKS,
    "link": LINKS,
    "move_uploaded_file": RENAMES,
    **{name: Starts() for name in ("system", "exec", "shell_exec", "passthru", "popen")},
    "proc_open": Starts(),
    "eval": Evaluates(),
}
_LUA: Mapping[str, Meaning] = {
    "io.open": Opens(),
    **dict.fromkeys(("io.lines", "io.input", "dofile", "loadfile"), Reads()),
    "io.output": WRITES,
    "os.remove": UNLINKS,
    "os.rename": RENAMES,
    "os.execute": Starts(),
    "io.popen": Starts(),
    "loadstring": Evaluates(),
    "load": Evaluates(),
}
# Languages without a table of calls: only what runs a shell is looked for.
_OTHER: Mapping[str, Meaning] = {
    "system": Starts(),
    "exec": Starts(),
    "unlink": UNLINKS,
    "file.remove": UNLINKS,
    "writeLines": Like("tee", (1,)),
    **dict.fromkeys(("readLines", "readFileSync", "read.table", "read.csv", "scan"), Reads()),
    **dict.fromkeys(("slurp", "read_file", "File.read", "ReadFile", "readFile"), Reads()),
}
_TABLES: Mapping[str, Mapping[str, Meaning]] = {
    "js": _JS,
    "perl": _PERL,
    "ruby": _RUBY,
    "php": _PHP,
    "lua": _LUA,
}
# Languages that call without brackets, and those that run what stands in backquotes.
_BARE = frozenset({"perl", "ruby", "applescript", "lua"})
_BACKQUOTES = frozenset({"perl", "ruby", "php"})

_NAME = re.compile(
    r"[A-Za-z_$][A-Za-z0-9_$]*(?:(?:\.|::|->|\?\.)[A-Za-z_$][A-Za-z0-9_$]*)*", re.ASCII
)
_JOINT = re.compile(r"\?\.|::|->|\.")
_QUOTE = re.compile(r"['\"`]")
_INSERTS = re.compile(r"\$\{|#\{|\$[A-Za-z_{]|@[A-Za-z_{]")
_ASSIGNED = re.compile(
    r"(?<![A-Za-z0-9_])([A-Za-z_][A-Za-z0-9_]{0,63})[ \t]{0,8}=[ \t]{0,8}"
    r"('[^'\\\n]{0,300}'|\"[^\"\\\n]{0,300}\")"
)
_PERL_OPEN = re.compile(r"\bopen\b[ \t]*\(?(?:[^,;\n]{0,80}),([^;\n]{0,300})")
_PERL_MODE = re.compile(r"[ \t]*\+?(>{1,2}|\+<|\|)[ \t]*(?::[A-Za-z0-9:()-]*)?[ \t]*")
_QX = re.compile(r"(?:\bqx|%x)[ \t]{0,8}([{(/])")
_CLOSING = {"{": "}", "(": ")", "/": "/"}
_SCRIPTED = re.compile(
    r"(?:do shell script|do script|keystroke|write text)\s*(?:\"([^\"\\]{0,500})\"(?!\s*&))?"
)
_OPENED = re.compile(r"[ \t]*(?:\?\.)?\(")
_BARE_CALL = re.compile(r"[ \t]+[^=\s]")
_INCLUDED = re.compile(r"\b(?:include|require)(?:_once)?\s+(['\"])([^'\"\n]{1,300})\1")
_QUOTED = re.compile(r"(['\"`])([^'\"`\n]{1,300})\1")
_LOADS_ENV = re.compile(r"otenv|loadEnvFile")
_ARGV = re.compile(r"@?ARGV\s*=\s*[(\[]?\s*(['\"])([^'\"\n]{1,300})\1")
_COMPUTED_REQUIRE = re.compile(r"\b(?:require|import)\(\s*[^'\"`)\s]|\bprocess\.binding\b")


def code_effects(language: str, text: str) -> Iterator[Effect]:
    """Return what a program text says that it would do."""
    if len(text) > MOST_TEXT:
        yield Unclear(f"the {language} code is too long to be read")
        text = text[:MOST_TEXT]
    known = {found.group(1): found.group(2)[1:-1] for found in _ASSIGNED.finditer(text)}
    for count, (meaning, end) in enumerate(_calls(language, text)):
        if count >= MOST_CALLS:
            yield Unclear(f"the {language} code has too many calls to be read")
            break
        arguments = _arguments(text, end, bare=language in _BARE)
        if arguments is not None:
            if isinstance(meaning, Reads | Opens) and _literal(arguments[0], known) is None:
                yield from _computed(text)
            if isinstance(meaning, Starts):
                arguments = list(_flattened(arguments))
            yield from meant(meaning, [_literal(a, known) for a in arguments], language)
    yield from _special_forms(language, text, known)
    yield from _perhaps_read(named_in_code(text, _table(language, text)))
    if _MAY_RUN.search(text):
        yield Unclear("", runs=True)


# What starts programs, or types into a terminal, in ways that the tables do not follow.
_MAY_RUN = re.compile(
    r"child_process|Deno\.(?:Command|run)|\bBun\b|\b(?:ioctl|open[23]|capture2e|pcntl_exec|PTY)\b"
    r"|\b(?:system2|syscall)\b|\bopen\b[^;\n]{0,80}\|"
)


def _calls(language: str, text: str) -> Iterator[tuple[Meaning, int]]:
    """Find the names that may be calls of interest, and where they end."""
    table = _table(language, text)
    for found in _NAME.finditer(text):
        parts = _JOINT.split(found.group())
        meaning = table.get(".".join(parts[-2:])) or table.get(parts[-1])
        if meaning is not None:
            yield meaning, found.end()


def _table(language: str, text: str) -> Mapping[str, Meaning]:
    table = _TABLES.get(language, _OTHER)
    return _relevant(table, text) if language == "js" else table


def _perhaps_read(paths: Iterator[str]) -> Iterator[Effect]:
    """Files that code names, and that nobody can tell what it does with."""
    return (Touch(Value(path), Action.READ, mention=True) for path in paths)


# Calls that list a directory, and the directory.
_LISTED = re.compile(
    r"\b(?:readdir(?:Sync)?|entries|children|each_child|scandir|opendir|walk|glob)"
    r"\(?\s*(['\"`])([^'\"`\n*]{1,300}?)/?(?:\*{1,2}/?\*?)?\1"
)


def _computed(text: str) -> Iterator[Effect]:
    """A file is read whose name is made of texts in the code, or found in a directory there."""
    yield from _perhaps_read(quoted_paths(text))
    for found in islice(_LISTED.finditer(text), MOST_CALLS):
        yield Touch(Value(found.group(2)), Action.READ, tree=True)


def _relevant(table: Mapping[str, Meaning], text: str) -> Mapping[str, Meaning]:
    """Leave out names that mean something else where no file or process module is in sight.

    `pattern.exec(text)` and `list.remove(item)` are everyday JavaScript.
    """
    starts = "child_process" in text or "Bun" in text
    files = "fs" in text or "Deno" in text or "Bun" in text
    return {
        name: meaning
        for name, meaning in table.items()
        if isinstance(meaning, Evaluates) or (starts if isinstance(meaning, Starts) else files)
    }


def _string_end(text: str, at: int, limit: int) -> int:
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


def _arguments(text: str, at: int, *, bare: bool) -> list[str] | None:
    """Return the texts of a call's arguments, or None when no call stands here."""
    opened = _OPENED.match(text, at)
    if not opened and not (bare and _BARE_CALL.match(text, at)):
        return None
    start = opened.end() if opened else at
    limit = min(len(text), start + MOST_ARGUMENT_TEXT)
    return [text.strip() for text in _cut(text[start:limit], ")]};" if opened else ";\n}")]


_SPECIAL = re.compile(r"[()\[\]{},;\n'\"`]")


def _cut(text: str, ends: str) -> list[str]:
    """Cut a text at the commas outside its brackets and strings, up to where it ends."""
    arguments: list[str] = []
    depth = begin = here = 0
    while found := _SPECIAL.search(text, here):
        char, here = found.group(), found.end()
        if char in "'\"`":
            here = _string_end(text, found.start(), len(text))
        elif depth == 0 and char in ends:
            return [*arguments, text[begin : found.start()]]
        elif char == "," and depth == 0:
            arguments.append(text[begin : found.start()])
            begin = here
        else:
            depth += (char in "([{") - (char in ")]}")
    return [*arguments, text[begin:]]


def _flattened(arguments: list[str]) -> Iterator[str]:
    """Put the items of a list among the arguments: `spawn("rm", ["-f", "x"])`."""
    for argument in arguments:
        if argument.startswith("[") and argument.endswith("]"):
            yield from (
                item for item in _arguments("(" + argument[1:], 0, bare=False) or [] if item
            )
        elif not argument.startswith("{"):
            yield argument


def _literal(text: str, known: Mapping[str, str]) -> str | None:
    """Return what an argument is when it is literal: strings, perhaps joined, or a name for one."""
    joined: list[str] = []
    for piece in _pieces(text):
        if piece[0] in "'\"`":
            inner = piece[1:-1]
            if len(piece) < 2 or piece[-1] != piece[0]:
                return None
            if piece[0] != "'" and _INSERTS.search(inner):
                return None
            joined.append(re.sub(r"\\(.)", r"\1", inner))
        elif piece.lstrip("$") in known:
            joined.append(known[piece.lstrip("$")])
        else:
            return None
    return "".join(joined) if joined else None


def _pieces(text: str) -> list[str]:
    """Split an argument at the operators that join strings."""
    out: list[str] = []
    at = begin = 0
    while at < len(text):
        if text[at] in "'\"`":
            at = _string_end(text, at, len(text))
            continue
        if text[at] in "+.":
            out.append(text[begin:at])
            begin = at + 1
        at += 1
    out.append(text[begin:])
    return [piece.strip() for piece in out if piece.strip()]


def meant(meaning: Meaning, arguments: list[str | None], language: str) -> Iterator[Effect]:
    """Return the effects of one call with its literal arguments (None: computed)."""
    if isinstance(meaning, Like):
        yield from _like(meaning, arguments, language)
    elif isinstance(meaning, Opens):
        yield from _opened(meaning, arguments, language)
    elif isinstance(meaning, Reads):
        yield from _read(_at(arguments, meaning.place))
    elif isinstance(meaning, Starts):
        yield from _started(meaning, arguments, language)
    else:
        code = _at(arguments, 0)
        unknown = Unclear(f"{language} code is computed and then run", runs=True)
        yield unknown if code is None else Code(language, Value(code))


def _at(arguments: list[str | None], place: int) -> str | None:
    return arguments[place] if place < len(arguments) else None


def _like(meaning: Like, arguments: list[str | None], language: str) -> Iterator[Effect]:
    texts = [_at(arguments, place) for place in meaning.places]
    if all(text is None for text in texts):
        yield Unclear(f"{language} code computes the name of a file that it changes")
        return
    values = (Value("{}", exact=False) if text is None else Value(text) for text in texts)
    words = (*map(Value, meaning.flags), Value("--"), *values)
    yield from PROGRAMS[meaning.program](ProgramCall(meaning.program, words))
    yield from _read(texts[0] if meaning.program == "cp" else None)


def _read(path: str | None) -> Iterator[Effect]:
    if path is not None:
        yield Touch(Value(path), Action.READ)


def _opened(meaning: Opens, arguments: list[str | None], language: str) -> Iterator[Effect]:
    mode, path = _at(arguments, meaning.mode), _at(arguments, meaning.path)
    if len(arguments) <= meaning.mode or (mode is not None and not set(mode) & set("wax+c")):
        yield from _read(path)
        return
    if path is None:
        yield Unclear(f"{language} code computes the name of a file that it opens")
    else:
        yield Touch(Value(path, exact=mode is not None))


def _started(meaning: Starts, arguments: list[str | None], language: str) -> Iterator[Effect]:
    command = _at(arguments, 0)
    if command is None:
        yield Unclear(f"{language} code computes a command that it runs", runs=True)
    elif len(arguments) > 1 and all(argument is not None for argument in arguments):
        yield RunProgram(tuple(Value(argument or "") for argument in arguments))
    elif meaning.shell:
        yield Shell(Value(command))
    else:
        words = (Value(a or "{}", exact=a is not None) for a in arguments)
        yield RunProgram(tuple(words))


def _special_forms(language: str, text: str, known: Mapping[str, str]) -> Iterator[Effect]:
    if language == "perl":
        yield from _perl_opens(text, known)
    if _LOADS_ENV.search(text) and prints_environment(text):
        yield Touch(Value(".env"), Action.READ)
    for found in islice(_ARGV.finditer(text), MOST_CALLS):
        yield Touch(Value(found.group(2)), Action.READ)
    if language == "php":
        for found in islice(_INCLUDED.finditer(text), MOST_CALLS):
            yield Touch(Value(found.group(2)), Action.READ)
    if language == "js" and "child_process" in text:
        words = (word for each in _QUOTED.findall(text)[:MOST_CALLS] for word in each[1].split())
        yield from _perhaps_read(word for word in words if is_path(word))
    if language == "js" and _COMPUTED_REQUIRE.search(text):
        yield Unclear("js code computes the name of a module that it loads")
    if language == "applescript":
        for found in islice(_SCRIPTED.finditer(text), MOST_CALLS):
            yield _run_text(found.group(1) or "$x", language)
    if language in _BACKQUOTES:
        for inner in _backquoted(text):
            yield _run_text(inner, language)
        for found in islice(_QX.finditer(text), MOST_CALLS):
            close = text.find(_CLOSING[found.group(1)], found.end(), found.end() + 500)
            yield _run_text(text[found.end() : close] if close >= 0 else "$x", language)


def _backquoted(text: str) -> Iterator[str]:
    """Return the texts between backquotes that stand outside other strings."""
    at = count = 0
    while (found := _QUOTE.search(text, at)) and count < MOST_CALLS * 16:
        count += 1
        at = _string_end(text, found.start(), len(text))
        if found.group() == "`":
            yield text[found.end() : at - 1]


def _run_text(text: str, language: str) -> Effect:
    if _INSERTS.search(text):
        return Unclear(f"{language} code computes a command that it runs", runs=True)
    return Shell(Value(text))


def _perl_opens(text: str, known: Mapping[str, str]) -> Iterator[Effect]:
    """`open F, ">x"` and `open(my $f, ">", "x")`."""
    for found in islice(_PERL_OPEN.finditer(text), MOST_CALLS):
        arguments = _arguments("(" + found.group(1), 0, bare=False) or []
        mode = _literal(arguments[0], known) if arguments else None
        if mode is None:
            yield Unclear("perl code computes what it opens")
            continue
        way = _PERL_MODE.match(mode)
        if not way:
            name = mode.strip().lstrip("<").strip()
            yield from _read(name or (_literal(arguments[1], known) if arguments[1:] else None))
            continue
        rest = mode[way.end() :]
        path = rest or (_literal(arguments[1], known) if len(arguments) > 1 else None)
        if path is None:
            yield Unclear("perl code computes the name of a file that it opens")
        else:
            yield Shell(Value(path)) if way.group(1) == "|" else Touch(Value(path))

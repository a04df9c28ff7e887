"""What a program text in JavaScript, Perl, Go, Rust and their kin does to files, as far as it says.

Not parsers: calls that write or read are found by their names (`calls`), and their arguments are
read when they are literal (`literals`). Python has a real reader in `python`.
Always true: a call that writes, deletes or runs something, and whose argument is not
literal, is unclear. Text in comments and strings may be taken for a call; that errs towards
telling too much.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from itertools import islice

from msgspec.structs import replace

from penstock.core.model import Action
from penstock.core.shell.code.calls import (
    DELETES,
    READS,
    WRITES,
    Evaluates,
    Like,
    Meaning,
    Meanings,
    Opens,
    Reads,
    Starts,
    calls_of,
)
from penstock.core.shell.code.literals import Literals, arguments_at, cut, flattened, string_end
from penstock.core.shell.effects import Code, Effect, ProgramCall, RunProgram, Shell, Touch, Unclear
from penstock.core.shell.expansion import Value
from penstock.core.shell.programs.reads.literals import (
    is_path,
    named_in_code,
    prints_environment,
    quoted_paths,
)
from penstock.core.shell.programs.table import PROGRAMS
from penstock.core.text.late_regex import late_regex

# Together these keep the longest reading of one program text to a few milliseconds. A script of
# the project is read further: what is unclear in it counts for nothing, so nothing may be hidden
# behind many calls.
MOST_TEXT = 16_384
MOST_CALLS = 24
MOST_SCRIPT = 65_536
MOST_SCRIPT_CALLS = 400

# Languages that call without brackets, and those that run what stands in backquotes.
_BARE = frozenset({"perl", "ruby", "rake", "applescript", "jvm", "elixir", "lua"})
_BACKQUOTES = frozenset({"perl", "ruby", "rake", "php", "julia"})

_NAME = late_regex(
    r"[A-Za-z_$][A-Za-z0-9_$]*(?:(?:\.|::|->|\?\.)[A-Za-z_$][A-Za-z0-9_$]*)*(?:!(?=\())?",
    re.ASCII,
)
_JOINT = late_regex(r"\?\.|::|->|\.")
_QUOTE = late_regex(r"['\"`]")
_INSERTS = late_regex(r"\$\{|#\{|\$[A-Za-z_{]|@[A-Za-z_{]")
_PERL_OPEN = late_regex(r"\bopen\b[ \t]*\(?(?:[^,;\n]{0,80}),([^;\n]{0,300})")
_PERL_MODE = late_regex(r"[ \t]*\+?(>{1,2}|\+<|\|)[ \t]*(?::[A-Za-z0-9:()-]*)?[ \t]*")
_QX = late_regex(r"(?:\bqx|%x)[ \t]{0,8}([{(/])")
_CLOSING = {"{": "}", "(": ")", "/": "/"}
_SCRIPTED = late_regex(
    r"(?:do shell script|do script|keystroke|write text)\s*(?:\"([^\"\\]{0,500})\"(?!\s*&))?"
)
_INCLUDED = late_regex(r"\b(?:include|require)(?:_once)?\s+(['\"])([^'\"\n]{1,300})\1")
_IMPORTED = late_regex(
    r"\b(?:import|export)\b[^;'\"`()]{0,200}?(['\"])([^'\"\n]{1,300})\1"  # import x from "./y"
)
_QUOTED = late_regex(r"(['\"`])([^'\"`\n]{1,300})\1")
_LOADS_ENV = late_regex(r"otenv|loadEnvFile")
_ARGV = late_regex(r"@?ARGV\s*=\s*[(\[]?\s*(['\"])([^'\"\n]{1,300})\1")
_COMPUTED_REQUIRE = late_regex(r"\b(?:require|import)\(\s*[^'\"`)\s]|\bprocess\.binding\b")


def code_effects(language: str, text: str, *, script: str = "") -> Iterator[Effect]:
    """Return what a program text says that it would do; `script` is the file that holds it."""
    most, calls = (MOST_SCRIPT, MOST_SCRIPT_CALLS) if script else (MOST_TEXT, MOST_CALLS)
    if len(text) > most:
        yield Unclear(f"the {language} code is too long to be read")
        text = (_thin(language, text) if script else text)[:most]
    if language == "c":
        text = _OBJECT.sub(r"\1(", text)
    literals = Literals(text, script)
    for count, (meaning, end) in enumerate(_calls(language, text)):
        if count >= calls:
            yield Unclear(f"the {language} code has too many calls to be read")
            break
        arguments = arguments_at(text, end, bare=language in _BARE)
        if arguments is not None:
            if isinstance(meaning, Reads | Opens) and not literals.values(arguments[0]):
                yield from _computed(text)
            if language == "rust" and _INCLUDES.search(text[max(0, end - 16) : end]):
                arguments = _beside(arguments, literals, script)
            yield from _called(meaning, arguments, literals, language)
    yield from _special_forms(language, text, literals)
    yield from _perhaps_read(named_in_code(text, _table(language, text)))
    if _MAY_RUN.search(text):
        yield Unclear("", runs=True)


_INCLUDES = late_regex(r"include(?:_str|_bytes)?!?$")


def _beside(arguments: list[str], literals: Literals, script: str) -> list[str]:
    """Return the arguments of `include_str!`, whose path begins where its source lies."""
    folder = posixpath.dirname(script)
    paths = [
        posixpath.normpath(posixpath.join(folder, one)) for one in literals.values(arguments[0])
    ]
    return [f'"{paths[0]}"', *arguments[1:]] if folder and paths else arguments


_OBJECT = late_regex(r"\b(w?[io]?fstream)\s+\w+\s*[({]")  # `std::ifstream f("a")`


def _thin(language: str, text: str) -> str:
    """Return the lines of a long script that hold a call of interest, or give a name a text."""
    names = {name.rpartition(".")[2] for name in calls_of(language)}
    wanted = re.compile(rf"\b(?:{'|'.join(map(re.escape, names))})\b|=\s*['\"`]")
    return "\n".join(line for line in text.split("\n") if wanted.search(line))


def _called(
    meaning: Meaning, arguments: list[str], literals: Literals, language: str
) -> Iterator[Effect]:
    """Return what a call does, once for each text that an argument may be worth."""
    if isinstance(meaning, Starts):
        arguments = list(flattened(arguments))[meaning.skip :]
    several = [literals.values(argument) for argument in arguments]
    for turn in range(max((len(values) for values in several), default=1) or 1):
        chosen = [values[min(turn, len(values) - 1)] if values else None for values in several]
        yield from meant(meaning, chosen, language)


# What starts programs, or types into a terminal, in ways that the tables do not follow.
_MAY_RUN = late_regex(
    r"child_process|Deno\.(?:Command|run)|\bBun\b|\b(?:ioctl|open[23]|capture2e|pcntl_exec|PTY)\b"
    r"|\b(?:system2|syscall)\b|\bopen\b[^;\n]{0,80}\|"
)


def _calls(language: str, text: str) -> Iterator[tuple[Meaning, int]]:
    """Find the names that may be calls of interest, and where they end."""
    table = _table(language, text)
    for found in _NAME.finditer(text):
        name = found.group()
        if name.isidentifier():
            meaning = table.get(name)
        else:
            parts = _JOINT.split(name)
            meaning = table.get(".".join(parts[-2:])) or table.get(parts[-1])
            if meaning is None and name.endswith("!"):  # a macro of Rust
                meaning = table.get(parts[-1][:-1])
        if meaning is not None:
            yield meaning, found.end()


def _table(language: str, text: str) -> Meanings:
    table = calls_of(language)
    return _relevant(table, text) if language == "js" else table


def _perhaps_read(paths: Iterator[str]) -> Iterator[Effect]:
    """Files that code names, and that nobody can tell what it does with."""
    return (Touch(Value(path), Action.READ, mention=True) for path in paths)


# Calls that list a directory, and the directory.
_LISTED = late_regex(
    r"\b(?:readdir(?:Sync)?|entries|children|each_child|scandir|opendir|walk|glob|Dir)"
    r"[(\[]?\s*(['\"`])([^'\"`\n*]{1,300}?)/?(?:\*{1,2}/?[^'\"`\n/]{0,60})?\1"
)


def _computed(text: str) -> Iterator[Effect]:
    """A file is read whose name is made of texts in the code, or found in a directory there."""
    yield from _perhaps_read(quoted_paths(text))
    for found in islice(_LISTED.finditer(text), MOST_CALLS):
        folder = found.group(2)
        yield Touch(Value(folder), Action.READ, tree=True)
        yield from (shown(Value(f"{folder}/{name}", pattern=True)) for name in _chosen(text))


# Calls that choose names by how they begin, end or go on: `f.startsWith('.e')`.
_CHOOSES = late_regex(
    r"\b(starts_?[wW]ith|start_with|hasPrefix|ends_?[wW]ith|end_with|hasSuffix|includes?|contains|"
    r"indexOf|str_contains|str_starts_with|str_ends_with|HasPrefix|HasSuffix|Contains)"
    r"\??\(?\s*(?:[$\w]+\s*,\s*)?(['\"`])([^'\"`\n/*]{1,60})\2"
)


def _chosen(text: str) -> Iterator[str]:
    """Return patterns of the names that code picks out of a directory."""
    for found in islice(_CHOOSES.finditer(text), MOST_CALLS):
        how, part = found.group(1).lower(), found.group(3)
        if "start" in how or "prefix" in how:
            yield f"{part}*"
        elif "end" in how or "suffix" in how:
            yield from (f"*{part}", f".*{part}")
        else:
            yield from (f"*{part}*", f".*{part}*")


def _relevant(table: Meanings, text: str) -> Meanings:
    """Leave out names that mean something else where no file or process module is in sight.

    `pattern.exec(text)` and `list.remove(item)` are everyday JavaScript.
    """
    starts = any(name in text for name in ("child_process", "Bun", "execa", "Deno", "shelljs"))
    files = any(name in text for name in ("fs", "Deno", "Bun", ".file."))
    return {
        name: meaning
        for name, meaning in table.items()
        if isinstance(meaning, Evaluates) or (starts if isinstance(meaning, Starts) else files)
    }


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
    values = (Value("{}", exact=False) if text is None else _named(text) for text in texts)
    words = (*map(Value, meaning.flags), Value("--"), *values)
    yield from PROGRAMS[meaning.program](ProgramCall(meaning.program, words))
    yield from _read(texts[0] if meaning.program == "cp" else None)


def _read(path: str | None) -> Iterator[Effect]:
    if path is not None:
        yield shown(Value(path, pattern=not _SIGNS.isdisjoint(path)))


def _named(path: str) -> Value:
    """Return a file that is changed; a loop over a directory has made a pattern of its name."""
    return Value(path, pattern="*" in path)


_SIGNS = frozenset("*?[")
_ANY_BELOW = "/**/*"


def shown(value: Value) -> Touch:
    """Return what a name shows; a pattern that any name meets is all of a directory."""
    place = value.text.removesuffix(_ANY_BELOW)
    if value.pattern and place != value.text and _SIGNS.isdisjoint(place):
        whole = place in ("", ".")
        return Touch(Value(place or "."), Action.READ, tree=True, whole=whole, mention=True)
    return Touch(value, Action.READ)


def _opened(meaning: Opens, arguments: list[str | None], language: str) -> Iterator[Effect]:
    mode, path = _at(arguments, meaning.mode), _at(arguments, meaning.path)
    if len(arguments) <= meaning.mode or (mode is not None and not set(mode) & set("wax+c")):
        yield from _read(path)
        return
    if path is None:
        yield Unclear(f"{language} code computes the name of a file that it opens")
    else:
        yield Touch(replace(_named(path), exact=mode is not None))


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


def _special_reads(language: str, text: str) -> Iterator[Effect]:
    """Files that a text reads without a call of their own."""
    if _LOADS_ENV.search(text) and prints_environment(text):
        yield Touch(Value(".env"), Action.READ)
        yield from _perhaps_read(quoted_paths(text))
    for found in islice(_ARGV.finditer(text), MOST_CALLS):
        yield Touch(Value(found.group(2)), Action.READ)
    if language == "php":
        for found in islice(_INCLUDED.finditer(text), MOST_CALLS):
            yield Touch(Value(found.group(2)), Action.READ)
    if language == "js":
        modules = (found.group(2) for found in islice(_IMPORTED.finditer(text), MOST_CALLS))
        yield from _perhaps_read(name for name in modules if name[:1] in "./")
    if language == "js" and "child_process" in text:
        words = (word for each in _QUOTED.findall(text)[:MOST_CALLS] for word in each[1].split())
        yield from _perhaps_read(word for word in words if is_path(word))


def _special_forms(language: str, text: str, literals: Literals) -> Iterator[Effect]:
    if language == "perl":
        yield from _perl_opens(text, literals)
    if language == "rust":
        yield from _chains(text, literals)
    if language not in ("js", "perl", "php", "lua"):
        yield from _receivers(text, literals)
    yield from _special_reads(language, text)
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


# `new File(".env").delete()`, `file(".env").text = "A"`, `"rm .env".execute()`
_RECEIVER = late_regex(
    r"(?:\b(?:new\s+)?(?:File|file|Path|Path\.of|Paths\.get|Path::new|Pathname\.new|Pathname|path)"
    r"\s*\(([^()\n]{1,300})\)|('[^'\n]{1,300}'|\"[^\"\n]{1,300}\"))\s*\.\s*(!!?|\w+)(\s*=(?!=)|)"
)
_METHODS: tuple[tuple[re.Pattern[str], Meaning], ...] = (
    (
        late_regex(r"(?:write|append|create|truncate|touch|newWriter|withWriter|with[A-Z]\w*Out)"),
        WRITES,
    ),
    (late_regex(r"(?:delete|remove|unlink|rm)"), DELETES),
    (late_regex(r"(?:read|getText|text$|bytes$|lines|eachLine|withReader)"), READS),
)
_RUNS_TEXT = frozenset({"execute", "!", "!!", "lineStream"})


def _receivers(text: str, literals: Literals) -> Iterator[Effect]:
    """Methods of a file that stands in front of them, and texts that are run so."""
    for found in islice(_RECEIVER.finditer(text), MOST_SCRIPT_CALLS):
        made, string, method, assigns = found.groups()
        for value in literals.values(made or string):
            if string is not None:
                yield from (Shell(Value(value)),) if method in _RUNS_TEXT else ()
            elif assigns:
                yield from meant(WRITES, [value], "")
            else:
                known = (one for pattern, one in _METHODS if pattern.match(method))
                yield from (effect for one in known for effect in meant(one, [value], ""))


_CHAIN = late_regex(r"\bCommand::new\(")
_LINK = late_regex(r"\s*\.\s*(args?|current_dir|env|stdout|stderr|stdin)\s*\(")


def _chains(text: str, literals: Literals) -> Iterator[Effect]:
    """`Command::new("sh").arg("-c").args(["x"])`: a program whose words come one by one."""
    for found in islice(_CHAIN.finditer(text), MOST_SCRIPT_CALLS):
        words = cut(text[found.end() : found.end() + 300], ")")[:1]
        at = text.find(")", found.end()) + 1
        while link := _LINK.match(text, at):
            given = arguments_at(text, link.end() - 1, bare=False) or []
            words += flattened(given) if link.group(1).startswith("arg") else ()
            at = _closed(text, link.end())
        values = [literals.values(word) for word in words]
        yield RunProgram(
            tuple(Value(one[0]) if one else Value("{}", exact=False) for one in values)
        )


def _closed(text: str, at: int) -> int:
    """Return the place behind the bracket that closes what is open here."""
    inner = text[at : at + 600]
    return at + len(",".join(cut(inner, ")"))) + 1


def _backquoted(text: str) -> Iterator[str]:
    """Return the texts between backquotes that stand outside other strings."""
    at = count = 0
    while (found := _QUOTE.search(text, at)) and count < MOST_CALLS * 16:
        count += 1
        at = string_end(text, found.start(), len(text))
        if found.group() == "`":
            yield text[found.end() : at - 1]


def _run_text(text: str, language: str) -> Effect:
    if _INSERTS.search(text):
        return Unclear(f"{language} code computes a command that it runs", runs=True)
    return Shell(Value(text))


def _perl_opens(text: str, literals: Literals) -> Iterator[Effect]:
    """`open F, ">x"` and `open(my $f, ">", "x")`."""
    for found in islice(_PERL_OPEN.finditer(text), MOST_CALLS):
        arguments = arguments_at("(" + found.group(1), 0, bare=False) or []
        values = [next(iter(literals.values(argument)), None) for argument in arguments]
        mode, named = values[0] if values else None, values[1] if values[1:] else None
        if mode is None:
            yield Unclear("perl code computes what it opens")
            continue
        way = _PERL_MODE.match(mode)
        if not way:
            yield from _read(mode.strip().lstrip("<").strip() or named)
            continue
        path = mode[way.end() :] or named
        if path is None:
            yield Unclear("perl code computes the name of a file that it opens")
        else:
            yield Shell(Value(path)) if way.group(1) == "|" else Touch(Value(path))

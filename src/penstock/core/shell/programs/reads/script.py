"""Programs with a script of their own, and files behind it: sed, awk, interpreters, editors.

A file that is run as a script is read, too: what is wrong with its lines is printed. What the
code itself opens is told by `core.shell.code`.
Always true: the words behind a script are handed to it, so they are only mentioned.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from msgspec.structs import replace

from penstock.core.model import Action
from penstock.core.shell.effects import (
    HERE,
    Effect,
    Options,
    Program,
    ProgramCall,
    Touch,
    options,
    read,
)
from penstock.core.shell.expansion import Value
from penstock.core.shell.programs.interpreters import (
    INTERPRETERS,
    SHELLS,
    module_of,
    shell_options,
    start,
)
from penstock.core.shell.programs.reads.literals import (
    is_path,
    named_in_code,
    prints_environment,
    quoted_paths,
)
from penstock.core.shell.programs.reads.mention import is_candidate, mentioned, words_inside
from penstock.core.shell.programs.reads.rows import (
    MOST_PARTS,
    dashed,
    either,
    implied,
    met,
    perhaps,
    shows,
    sweep,
)
from penstock.core.shell.programs.reads.vocabulary import WORDS_INSIDE
from penstock.core.text.late_regex import late_regex

# sed and awk

_SED_READS = late_regex(r"(?:^|[;{}\n$0-9/])\s*[rR](?:\s+|(?=[./~]))([^\s;}]+)")
_AWK_READS = late_regex(r'<\s*"([^"\n]{1,300})"|@(?:include|load)\s+"([^"\n]{1,300})"')
_AWK_NAMES = late_regex(r'"([^"\n]{1,300})"')
_AWK_JOINS = late_regex(r'(?<=[^\\\s(,])"[ \t]+"(?=[^"\s])')


def _sed(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short="efli?", long="expression file line-length")
    scripts, files = found.values("e", "expression"), found.operands
    if not scripts and not found.values("f", "file"):
        scripts, files = list(files[:1]), files[1:]
    yield from read(met(files))
    yield from perhaps(found.values("f", "file"))
    yield from _named_in(_SED_READS, scripts)


def _awk(call: ProgramCall) -> Iterator[Effect]:
    found = options(
        call.args,
        short="Fvfieo?d?p?l",
        long="field-separator assign file include source load output-file",
        first_operand_ends=True,
    )
    scripts, files = found.values("e", "source"), found.operands
    if not scripts and not found.values("f", "file"):
        scripts, files = list(files[:1]), files[1:]
    yield from read(met(word for word in files if "=" not in word.text))
    yield from perhaps(found.values("f", "file", "i", "include"))
    for word in (*files, *found.values("v", "assign")):
        if "=" in word.text:
            yield Touch(replace(word, text=word.text.partition("=")[2]), Action.READ, mention=True)
    yield from _named_in(_AWK_READS, scripts)
    for script in scripts:
        yield from perhaps(map(Value, named_in_code(script.text)))
        yield from perhaps(_awk_names(script.text))


def _awk_names(text: str) -> list[Value]:
    """Return texts that may be files, where an awk program opens one by a name that it keeps."""
    if "ARGV" not in text and "getline" not in text:
        return []
    joined = _AWK_JOINS.sub("", text[:4_096])  # `"." "env"` is one text
    return [Value(name) for name in _AWK_NAMES.findall(joined)[:MOST_PARTS]]


def _named_in(pattern: re.Pattern[str], scripts: Sequence[Value]) -> Iterator[Effect]:
    for script in scripts:
        for found in islice(pattern.finditer(script.text[:4_096]), MOST_PARTS):
            name = next(text for text in found.groups() if text)
            yield Touch(Value(name), Action.READ)


def script_reads(language: str, text: str) -> Iterator[Effect]:
    """Return the files that a script of sed or awk reads by itself."""
    yield from _named_in(_AWK_READS if language == "awk" else _SED_READS, [Value(text)])
    yield from read(one for one in _awk_names(text) if language == "awk" and is_path(one.text))


# Interpreters


def _interpreter(call: ProgramCall) -> Iterator[Effect]:
    """The words behind a script, or behind code, are handed to it."""
    if INTERPRETERS[call.name].language == "python" and module_of(call.args):
        return  # a module is a program of its own
    kind, found = INTERPRETERS[call.name], start(call.name, call.args)
    each_line = kind.each_line.split()
    if found.texts and each_line and found.given.has(*each_line):
        yield from read(met(found.rest))
    else:
        yield from perhaps(found.script)
        yield from _handed(call, found.rest)
    yield from _loaded(call, found.given, found.texts)
    yield from mentioned(call) if call.name in WORDS_INSIDE else ()
    if call.name in ("php", "R", "Rscript"):
        yield from perhaps(found.given.values("f", "file"))
        settings = (word.text.partition("=")[2] for word in found.given.values("d"))
        yield from perhaps(Value(text) for text in settings if is_path(text))
    if call.name == "php" and found.given.has("S"):
        yield from sweep(found.given.values("t") or (HERE,))
    if call.name == "ruby" and Value("un") in found.given.values("r"):
        yield from _un(found.texts, found.rest)


def _handed(call: ProgramCall, words: Sequence[Value]) -> Iterator[Effect]:
    return mentioned(ProgramCall(f"{call.name}'s script", tuple(words), call.feed, call.here))


def _loaded(call: ProgramCall, given: Options, texts: Sequence[Value]) -> Iterator[Effect]:
    """Modules are read; an environment file is shown where the code shows the environment."""
    modules = given.values("r", "require", "import", "loader")
    yield from perhaps(word for word in modules if is_path(word.text))
    printed = bool(given.values("p", "print"))
    if not any(prints_environment(text.text, printed=printed) for text in texts):
        return
    files = given.values("env-file", "env-file-if-exists")
    yield from read(files)
    loads = any("otenv" in word.text for word in (*modules, *texts))
    if loads or (call.name == "bun" and not files):
        yield from implied(call.here, ".env")
        named = (word.text.partition("dotenv_config_path=")[2] for word in call.args)
        yield from read(Value(path) for path in named if path)
        yield from perhaps(Value(path) for text in texts for path in quoted_paths(text.text))


def _un(texts: Sequence[Value], words: Sequence[Value]) -> Iterator[Effect]:
    """`ruby -run -e httpd DIR`: small programs of Ruby's own, one of them a server."""
    if any(text.text.startswith("httpd") for text in texts):
        yield from sweep([word for word in words if not word.text.isdigit()][:1] or (HERE,))


def _shell(call: ProgramCall) -> Iterator[Effect]:
    found = shell_options(call.args)
    text = found.has("c", "command")
    yield from perhaps((*found.values("rcfile", "init-file"), *(found.operands[: not text])))
    yield from _handed(call, found.operands[1:])


def _deno(call: ProgramCall) -> Iterator[Effect]:
    """Its verbs run code, a file or the input; a file server is one of its modules."""
    found = options(call.args, short="ce", long="config env-file env import-map lock cert")
    yield from mentioned(call)
    texts = [*(word.text for word in found.operands), call.feed.text or ""]
    if any(prints_environment(text) for text in texts):
        yield from read(found.values("env-file", "env"))
        yield from implied(call.here, ".env") if found.has("env-file", "env") else ()
    at = next(
        (n for n, text in enumerate(texts) if "file-server" in text or "file_server" in text), -1
    )
    if at >= 0:
        roots = [word for word in found.operands[at + 1 :] if not word.text.isdigit()]
        yield from sweep(roots[:1] or (HERE,))


# Compilers and editors

_INCLUDES = late_regex(
    r"^\s*(?:#\s*(?:include|embed)|\.(?:include|incbin))\s*[\"<]([^\">\n]{1,300})", re.M
)


def _compiler(call: ProgramCall) -> Iterator[Effect]:
    """Sources and what they include: a compiler prints the lines that it does not like."""
    found = options(call.args, short="oIlLDUxT")
    yield from read(found.operands)
    yield from dashed("-include", "-imacros", "-T")(call)
    texts = [call.feed.text or "", *(call.here.text(word.text) or "" for word in found.operands)]
    for text in texts:
        for name in _INCLUDES.findall(text[:65_536])[:MOST_PARTS]:
            yield from perhaps([Value(name)])


_OPENED = shows(
    "cSTuUwWi", "cmd startuptime eval execute", files="l load visit find-file file insert"
)
_COMMANDS = ("-c", "--cmd", "--eval", "-eval", "-e", "--execute")
_LINE_READS = late_regex(r"^[\d,$.%]*\s*(?:r|e|E|read|edit|view)!?\s+(\S+)", re.MULTILINE)


def _editor(call: ProgramCall) -> Iterator[Effect]:
    """Files that are opened, and those that a command for the editor names."""
    yield from _OPENED(call)
    for at, word in enumerate(call.args):
        told = at > 0 and call.args[at - 1].text in _COMMANDS
        if told or word.text.startswith("+"):
            for name in words_inside(word.text.lstrip("+")):
                yield from either(name)
    for found in islice(_LINE_READS.finditer((call.feed.text or "")[:4_096]), MOST_PARTS):
        if is_candidate(found.group(1)):
            yield from either(Value(found.group(1)))


SCRIPTS: Mapping[str, Program] = {
    **dict.fromkeys(("sed", "gsed"), _sed),
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk", "goawk"), _awk),
    **dict.fromkeys(INTERPRETERS, _interpreter),
    "deno": _deno,
    **dict.fromkeys(SHELLS, _shell),
    **dict.fromkeys(("gcc", "g++", "cc", "c++", "clang", "clang++", "cpp", "as", "ld"), _compiler),
    **dict.fromkeys(
        (
            *("vi", "vim", "nvim", "view", "ex", "ed", "red", "nano", "emacs", "emacsclient"),
            *("micro", "rvim", "vimr", "gvim", "vimdiff"),
        ),
        _editor,
    ),
}

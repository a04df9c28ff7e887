"""Scripts that lie on the disk: which text a program would run, and which others run along.

Always true: what is not a small text is no script; a module that is not the project's is left
alone; of a text that is only imported, the functions that nobody calls do not count.
"""

from __future__ import annotations

import posixpath
import re
import sys
from collections.abc import Iterator, Mapping

from msgspec import Struct

from penstock.core.model import Action
from penstock.core.shell.effects import Effect, RunFile, RunRole, RunText, Touch, Unclear
from penstock.core.shell.expansion import Value
from penstock.core.shell.look import LookHere
from penstock.core.text.late_regex import late_regex

MOST_IMPORTS = 24
MOST_FUNCTIONS = 256
_ROOTS = ("", "src/")
# Python without one of these neither changes nor shows a file.
_ACTS = late_regex(
    r"open\b|write|unlink|remove|rmtree|rename|replace\b|copy|move\b|read_|touch|system|subprocess"
    r"|popen|spawn|exec|eval|Path\b|truncate|link|os\.|shutil|\.(?:run|local|sudo|sh)\(|actions"
    r"|Command|Execute"
)
_READS_IN = late_regex(r"environ|dotenv|getenv|process\.env|env::var|loadEnv")
# Variables that say where something is, and are no settings of a program.
_PLACES = late_regex(
    r"(?:process\.env(?:\.|\[['\"])|environ(?:\.get\(|\[)['\"]|getenv\(['\"]|env::var\(['\"])"
    r"(?:HOME|PWD|PATH|USER|TMPDIR|USERPROFILE|INIT_CWD)\b"
)
_SHOWS = late_regex(
    r"\bprint|console\.|\bputs\b|\becho\b|stdout|stderr|\bfetch\(|requests\.|urllib|axios|https?\."
    r"|\bcat\b|curl|Println|\bt\.(?:Log|Error|Fatal)|println!|logging\.|logger\.|\blog\.(?:info|Print)"
    r"|readfile\(|var_dump|print_r|IO\.(?:puts|inspect|write)|Console\.(?:Write|Error)|\bcout\b|\bcerr\b"
    r"|\bput(?:s|c|char)\(|\bfputc\(|\bwrite\(\s*[12]\b|\bmessage\("
    r"|\bdump\(|\bdd\(|\bfputs\b|\bdbg!|io\.write|NSLog|os\.Stdout|\bwget\b|HttpClient|http\.Post"
)
_ELSEWHERE = late_regex(
    r"tmp_path|tmpdir|tempfile|chdir|isolated_filesystem|TemporaryDirectory|mkdtemp|TempDir|memfs"
    r"|mock|Mock|tempdir|tmp\.dir|Dir\.mktmpdir|fs\.vol"
)


def shows(text: str) -> bool:
    """Say whether code prints or sends anything."""
    return _SHOWS.search(text) is not None


def works_elsewhere(text: str) -> bool:
    """Say whether code makes a place of its own to work in, as tests do."""
    return _ELSEWHERE.search(text) is not None


def on_disk(effect: RunFile, look: LookHere) -> RunText | None:
    """Return the text of a script file, if there is one."""
    for path in _candidates(effect):
        text = look.text(path)
        if text is None:
            text = look.ends(path)
        if text is not None and "\0" not in text:
            return RunText(
                path, effect.language, text, effect.args, here=effect.here, role=effect.role
            )
    return None


_DIRECTORY_RUNS = {"python": ("__main__.py",), "js": ("index.js", "index.ts", "index.mjs")}
_ENDS = {"js": (".js", ".ts", ".mjs", ".cjs", ".tsx", ".mts"), "ruby": (".rb",)}


def _candidates(effect: RunFile) -> Iterator[str]:
    path = effect.path.text
    if effect.role is RunRole.MODULE:
        for root in _ROOTS:
            yield from (
                f"{root}{path}.py",
                f"{root}{path}/__main__.py",
                f"{root}{path}/__init__.py",
            )
        return
    yield path
    if not posixpath.splitext(path)[1]:
        yield from (f"{path}{end}" for end in _ENDS.get(effect.language, ()))
    yield from (f"{path.rstrip('/')}/{name}" for name in _DIRECTORY_RUNS.get(effect.language, ()))


# What runs along


class _Import(Struct, frozen=True):
    """How a language names other files: a pattern with the name, and what it ends in."""

    pattern: re.Pattern[str]
    ends: tuple[str, ...]


_QUOTED = r"\(?\s*['\"](\.{0,2}/?[\w./@-]{1,200})['\"]"
_IMPORTS: Mapping[str, _Import] = {
    "js": _Import(
        late_regex(rf"\b(?:require|import|from|importScripts)\b{_QUOTED}"),
        ("", *_ENDS["js"], "/index.js", "/index.ts"),
    ),
    "ruby": _Import(late_regex(rf"\b(?:require_relative|load|require){_QUOTED}"), ("", ".rb")),
    "rake": _Import(
        late_regex(rf"\b(?:require_relative|load|import|require){_QUOTED}"), ("", ".rb")
    ),
    "php": _Import(
        late_regex(rf"\b(?:require|include)(?:_once)?\s*\(?(?:\s*__DIR__\s*\.)?{_QUOTED}"), ("",)
    ),
    "perl": _Import(late_regex(rf"\b(?:require|do)\s+{_QUOTED}"), ("",)),
    "lua": _Import(late_regex(rf"\b(?:dofile|require|loadfile){_QUOTED}"), ("", ".lua")),
    "r": _Import(late_regex(rf"\bsource{_QUOTED}"), ("",)),
}
# Settings of a tool name other files that it runs: `setupFiles: ["./setup.ts"]`.
_NAMED_FILE = late_regex(r"['\"](?:<rootDir>/)?(\.{1,2}/[\w./@-]{1,200}\.[cm]?[jt]sx?)['\"]")
_PYTHON_IMPORT = late_regex(
    r"(?:^|;)[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import[ \t]+([^\n#;]+)|import[ \t]+([\w., \t]+))",
    re.M,
)
_WORD = late_regex(r"[A-Za-z_]\w+")


def imports(effect: RunText, here: LookHere) -> Iterator[RunText]:
    """Return the files of the project that a text imports."""
    beside = posixpath.dirname(effect.name)
    called = frozenset(_WORD.findall(effect.text))
    if effect.role is RunRole.TEST and _ELSEWHERE.search(effect.text):
        called = frozenset()  # what it calls works in a place of its own
    for places in _imported(effect, beside, here):
        for place in places:
            text = here.text(place)
            if text is not None and "\0" not in text:
                yield RunText(
                    place,
                    effect.language,
                    text,
                    (Value(place),),
                    role=RunRole.IMPORT,
                    called=called,
                    shown=effect.shown
                    or (not effect.name and _SHOWS.search(effect.text) is not None),
                )
                break


def _imported(effect: RunText, beside: str, here: LookHere) -> Iterator[list[str]]:
    """Return the files that each imported name may be."""
    if effect.language == "python":
        roots = list(dict.fromkeys((f"{beside}/" if beside else "", *_ROOTS)))
        for module, members in _python_modules(effect.text)[:MOST_IMPORTS]:
            path = module.replace(".", "/")
            yield [f"{root}{path}{end}" for root in roots for end in (".py", "/__init__.py")]
            folder = next((r for r in roots if here.kind(f"{r}{path}") == "directory"), None)
            for member in members if folder is not None else ():
                yield [f"{folder}{path}/{member}.py".removeprefix("/")]
        return
    known = _IMPORTS.get(effect.language)
    found = known.pattern.findall(effect.text) if known else []
    if effect.language == "js" and effect.role is RunRole.TOOL:
        found += _NAMED_FILE.findall(effect.text)
    for name in list(dict.fromkeys(found))[:MOST_IMPORTS]:
        if known and (name[0] in "./" or effect.language != "js"):
            path = posixpath.normpath(posixpath.join(beside, name.lstrip("/")))
            yield [f"{path}{end}" for end in known.ends]


def _python_modules(text: str) -> list[tuple[str, list[str]]]:
    """Return the modules that Python code imports, each with the members that it names."""
    names: dict[str, list[str]] = {}
    for module, members, plain in _PYTHON_IMPORT.findall(text):
        for name in [module] if module else plain.split(","):
            known = name.strip().partition(" ")[0].strip(".")
            if known.partition(".")[0] not in sys.builtin_module_names and (known or members):
                names.setdefault(known, []).extend(_WORD.findall(members)[:MOST_IMPORTS])
    return list(names.items())


# The part of a text that runs


def code_of(effect: RunText) -> str:
    """Return the part of a text that runs."""
    text = effect.text
    if effect.role is RunRole.TEST and _ELSEWHERE.search(text):
        return ""  # tests that make a place of their own write there
    if effect.called is not None:
        text = with_functions(text, effect.called, python=effect.language == "python")
    return text if effect.language != "python" or _ACTS.search(text) else ""


_BEGINS = late_regex(
    r"([ \t]*)(?:(?:export|default|public|private|static|pub|async|local|override)[ \t]+)*"
    r"(?:(?:def|function\*?|sub|func|fn|fun|defp?)\b[ \t]*(?:\([^()]*\)[ \t]*)?(?:self\.)?([\w!?]*)"
    r"|(if)[ \t]+__name__"
    r"|(?:const|let|var)?[ \t]*(?:module\.)?(?:exports\.)?([\w.]+)[ \t]*=[ \t]*(?:async[ \t]*)?"
    r"(?:function\b|\([^()]*\)[ \t]*=>|\w+[ \t]*=>))"
)


class _Function(Struct, frozen=True):
    name: str
    lines: list[str]


def with_functions(text: str, called: frozenset[str], *, python: bool) -> str:
    """Return what stands outside of functions, and those functions that somebody calls."""
    outside, functions = _split(text, python=python)
    wanted = set(called) & {one.name for one in functions}
    kept: list[_Function] = []
    while wanted and len(kept) < MOST_FUNCTIONS:
        more = [one for one in functions if one.name in wanted and one not in kept]
        kept += more
        used = {word for one in more for line in one.lines for word in _WORD.findall(line)}
        wanted = (used & {one.name for one in functions}) - {one.name for one in kept}
    return "\n".join([*outside, *(line for one in kept for line in one.lines)])


def _split(text: str, *, python: bool) -> tuple[list[str], list[_Function]]:
    """Split a text into what stands outside of functions, and the functions, by indentation."""
    outside: list[str] = []
    functions: list[_Function] = []
    waiting: list[str] = []  # decorators belong to what follows them
    depth = -1
    for line in text.split("\n"):
        bare = line.lstrip()
        indent = len(line) - len(bare)
        if depth >= 0 and (not bare or indent > depth or bare[:1] in (")", "]", "}")):
            functions[-1].lines.append(line[depth:])
            continue
        found = _BEGINS.match(line)
        depth = len(found.group(1)) if found else -1
        if found:
            name = (found.group(2) or found.group(4) or "").rpartition(".")[2]
            functions.append(_Function(name, [*waiting, line[depth:]]))
            outside += [f"{found.group(1)}pass"] if python else []
        elif python and bare.startswith("@"):
            waiting.append(bare)
            continue
        else:
            outside.append(line)
        waiting = []
    return outside, functions


def takes_in(effect: RunText) -> bool:
    """True for code that reads its settings for itself, and shows nothing.

    What a script calls is shown by the script, so its own text counts for what it imports.
    """
    if effect.role is RunRole.SCRIPT:
        return _READS_IN.search(_PLACES.sub("", effect.text)) is not None
    return not effect.shown and _SHOWS.search(effect.text) is None


# Files that run because a variable names them

# Variables whose value is a file that a program runs when it starts.
_STARTS = {"PYTHONSTARTUP": "python"}
_REQUIRED = late_regex(r"(?:--require|-r|--import|--loader)[= ]+(\S+)")


def run_with(name: str, value: Value) -> Iterator[Effect]:
    """Return the files that programs run because a variable names them."""
    text = value.text
    if name in _STARTS and text and value.exact:
        yield Touch(value, Action.READ)
        yield RunFile(_STARTS[name], value, (value,))
    elif name == "NODE_OPTIONS":
        for found in _REQUIRED.finditer(text):
            path = Value(found.group(1), exact=value.exact)
            yield RunFile("js", path, (path,))
    elif name == "PYTHONPATH" and value.exact:
        for entry in text.split(":")[:8]:
            path = Value(f"{entry.rstrip('/')}/sitecustomize.py" if entry else "sitecustomize.py")
            yield RunFile("python", path, (path,))
    elif name in ("LD_PRELOAD", "DYLD_INSERT_LIBRARIES") and text:
        yield Unclear(f"`{name}` puts other code into every program")


def shadowed(name: Value, args: tuple[Value, ...], path: str, here: LookHere) -> Iterator[Effect]:
    """Return the file of the project that a changed `PATH` finds before the real program."""
    for entry in path.split(":")[:8]:
        if entry.startswith(("/usr", "/bin", "/sbin", "/opt", "$")):
            continue
        file = Value(f"{entry or '.'}/{name.text}")
        if here.kind(file.text) in ("file", "link"):
            yield RunFile("", file, (file, *args))
            return

"""What Python code does to files: read with Python's own parser, never run.

Names that are given literal values keep them; paths may be built with `/`, `+`, f-strings,
`os.path.join` and `Path`. Order and branches are not followed: a name stands for every value
that it is given anywhere.
Always true: a call that writes, deletes or runs something, and whose argument is not known,
is unclear.
"""

from __future__ import annotations

import ast
import threading
import warnings
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from penstock.core.model import Action
from penstock.core.own_commands import FOR_PEOPLE, PENSTOCK
from penstock.core.shell.code.calls import (
    PYTHON,
    PYTHON_PATHS,
    WRITES,
    Like,
    Meaning,
    Opens,
    Reads,
    Starts,
)
from penstock.core.shell.code.one_liners import code_effects, shown
from penstock.core.shell.code.python_loops import constant
from penstock.core.shell.code.python_values import UNKNOWN, Names, Values
from penstock.core.shell.effects import (
    HERE,
    Code,
    Effect,
    ProgramCall,
    Refuse,
    RunFile,
    RunProgram,
    Shell,
    Touch,
    Unclear,
    below,
)
from penstock.core.shell.expansion import Value
from penstock.core.shell.look import NOWHERE, LookHere
from penstock.core.shell.programs.own import for_people
from penstock.core.shell.programs.reads.literals import (
    is_harmless,
    is_path,
    prints_environment,
    without_scheme,
)
from penstock.core.shell.programs.reads.rows import met
from penstock.core.shell.programs.table import PROGRAMS
from penstock.core.text.late_regex import late_regex

# What we spend on one text. A token costs the parser and the walk some microseconds.
MOST_TOKENS = 2_500
MOST_TEXTS = 64
MOST_MOVES = 4

_PIP = frozenset({"pip.main", "pip._internal.main", "pip._internal.cli.main.main"})
# Methods of paths that belong to other types too: an unknown receiver of theirs is not unclear.
_COMMON = frozenset({"replace", "rename", "open"})
_SAVERS = late_regex(r"to_(?:csv|json|excel|parquet|pickle|html|feather|sql)|savefig|savetxt")
_GLOBS = frozenset({"glob.glob", "glob.iglob", "glob", "rglob"})
_OPENERS = frozenset({"open", "read_text", "read_bytes"})
_LOADS_ENV = late_regex(r"dotenv|read_env\(\)")
# Methods by which the tasks of nox, invoke and fabric run commands, and functions of SCons with
# the place where a text stands that is run.
_SESSION = frozenset({"run", "run_always", "run_install", "local", "sudo", "exec_command", "sh"})
_BUILDERS = {"Command": 2, "env.Command": 2, "Execute": 0, "env.Execute": 0}
_UNPACKS = frozenset({"extractall", "extract", "unpack_archive"})
_MODULES = frozenset({"os", "shutil", "builtins", "__builtins__", "subprocess", "pathlib", "io"})
_WRITING_FLAGS = frozenset({"O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC", "O_APPEND"})
_TOKEN = late_regex(r"'''|\"\"\"|['\"]|\w+|[^\w\s]")
_PARSING = threading.Lock()


def python_effects(
    text: str,
    args: Sequence[Value] = (),
    *,
    most: int = MOST_TOKENS,
    file: str = "",
    here: LookHere = NOWHERE,
) -> Iterator[Effect]:
    """Return what Python code says that it would do.

    `args` are its `sys.argv[1:]`, `file` is where it lies, if it does, and `here` is what it
    sees of the disk.
    """
    tree = _parsed(text) if tokens(text, most) is not None else None
    if tree is None:
        yield Unclear("the Python code cannot be read, or is too long to be")
        yield from _by_looks(text, file)
        return
    yield from _PythonReader(tree, args, file, here).effects()
    if _LOADS_ENV.search(text) and prints_environment(text):
        yield Touch(Value(".env"), Action.READ)
    if "SimpleHTTPRequestHandler" in text:
        yield Touch(HERE, Action.READ, tree=True, whole=True)


def tokens(text: str, most: int) -> int | None:
    """Count the tokens of a text, a string being one; None when there are more than `most`."""
    at = 0
    for count in range(most):
        found = _TOKEN.search(text, at)
        if not found:
            return count
        mark = found.group()
        at = found.end()
        if mark[0] in "'\"":
            at = _string_end(text, at, mark)
            if at < 0:
                return None
    return None


def _string_end(text: str, at: int, mark: str) -> int:
    while True:
        close = text.find(mark, at)
        if close < 0:
            return -1
        slashes = close - at - len(text[at:close].rstrip("\\"))
        if slashes % 2 == 0:
            return close + len(mark)
        at = close + 1


def _parsed(text: str) -> ast.Module | None:
    """Parse a text; the parser's warnings about it are of no use to anybody here."""
    with _PARSING, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def _by_looks(text: str, file: str) -> Iterator[Effect]:
    """Find what can be found without a parser."""
    for effect in code_effects("python", text, script=file or "-"):
        if not isinstance(effect, Unclear | Code):
            yield effect


class _PythonReader:
    """Reads the calls of one module."""

    def __init__(self, tree: ast.Module, args: Sequence[Value], file: str, here: LookHere) -> None:
        self.nodes = list(ast.walk(tree))
        self.args = args
        self.names = Names(self.nodes, args, file, here)

    def effects(self) -> Iterator[Effect]:
        """Return the effects of every call in the module, in all directories that it moves to."""
        folders = self._folders()
        for effect in self._all_effects():
            yield effect
            for folder in folders:
                yield from _moved(effect, folder)

    def _folders(self) -> list[Value]:
        """Return where `os.chdir` goes, as far as that is known."""
        calls = [node for node in self.nodes if isinstance(node, ast.Call)]
        moves = [_first(node) for node in calls if self.names.dotted(node.func) == "os.chdir"]
        found = [value for place in moves[:MOST_MOVES] for value in self.names.values(place)]
        return [value for value in found[:MOST_MOVES] if value.exact and value.text != "."]

    def _all_effects(self) -> Iterator[Effect]:
        for node in self.nodes:
            if isinstance(node, ast.Call):
                yield from self._call(node)
            elif isinstance(node, ast.Dict):
                yield from self._actions(node)
        yield from self._ours()

    def _ours(self) -> Iterator[Effect]:
        """Code that imports Penstock and names a command for people runs it, whatever it does."""
        named = {node.value for node in self.nodes if isinstance(node, ast.Constant)}
        modules: set[str] = set()
        for node in self.nodes:
            if isinstance(node, ast.Import):
                modules |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                modules.add(node.module or "")
        tops = {name.partition(".")[0] for name in modules}
        if tops & _STARTERS or self._hands_on() or "input" in self._keywords():
            yield Unclear("", runs=True)
        texts = {text for text in named if isinstance(text, str)} | {arg.text for arg in self.args}
        members = {node.attr for node in self.nodes if isinstance(node, ast.Attribute)}
        if any(_top(name) == PENSTOCK for name in modules | texts | members):
            texts |= members
            commands = [name for name in FOR_PEOPLE if set(name.split()) <= texts]
            yield from (Refuse(for_people(name)) for name in commands[:1])

    def _hands_on(self) -> bool:
        """True where a function that starts programs is given to another, or text to a program."""
        calls = [node for node in self.nodes if isinstance(node, ast.Call)]
        given = [value for call in calls for value in (*call.args, *_keyword_values(call))]
        return any(
            isinstance(PYTHON.get(self.names.dotted(value)), Starts)
            for value in given
            if isinstance(value, ast.Attribute | ast.Name)
        ) or any(isinstance(node, ast.Attribute) and node.attr in _SENDS for node in self.nodes)

    def _keywords(self) -> set[str | None]:
        return {node.arg for node in self.nodes if isinstance(node, ast.keyword)}

    def _call(self, node: ast.Call) -> Iterator[Effect]:
        name = self.names.dotted(node.func)
        meaning = PYTHON.get(name)
        if meaning is not None:
            yield from self._meant(meaning, node, list(node.args), name)
            if name == "shutil.make_archive":
                found = (value for arg in node.args[2:3] for value in self.names.values(arg))
                yield from (Touch(one, Action.READ, tree=True) for one in found if one.exact)
        elif name == "os.open":
            yield from self._flagged_open(node)
        elif name in _PIP or name in _KNOWN_FILES:
            yield from self._by_itself(node, name)
        elif name == "runpy.run_path":
            yield from (RunFile("python", value) for value in self.names.values(_first(node)))
            yield from self._mentioned(node, name)
        elif name == "fileinput.input":
            yield from self._in_place(node)
        elif name in _GLOBS or (isinstance(node.func, ast.Attribute) and node.func.attr in _GLOBS):
            yield from self._listed(node)
        elif name == "getattr" and self.names.dotted(_first(node)) in _MODULES:
            if len(node.args) > 1 and constant(node.args[1]) is None:
                yield Unclear("Python code computes the name of a function that it calls")
        elif name in _BUILDERS:
            yield from self._texts(node.args[_BUILDERS[name] :])
        elif isinstance(node.func, ast.Attribute):
            yield from self._method(node, node.func)
        else:
            yield from self._mentioned(node, name)

    def _by_itself(self, node: ast.Call, name: str) -> Iterator[Effect]:
        """A call that is a program, or that reads a file of its own."""
        if name in _PIP:
            words = self.names.words(_first(node)) or []
            yield RunProgram((Value("pip"), *words))
        elif not node.args:
            yield Touch(Value(_KNOWN_FILES[name]), Action.READ)

    def _mentioned(self, node: ast.Call, name: str) -> Iterator[Effect]:
        """A call that nobody knows may read the file that it is given the name of."""
        last = name.rpartition(".")[2]
        packs = last in ("write", "add") and {"zipfile", "tarfile"} & set(self.names.imports)
        if is_harmless(last) and not packs:
            return
        for argument in (*node.args, *_keyword_values(node)):
            for value in self.names.values(argument):
                if value.exact and is_path(value.text):
                    path = Value(without_scheme(value.text))
                    yield Touch(path, Action.READ, mention=True)

    def _texts(self, nodes: Sequence[ast.expr]) -> Iterator[Effect]:
        """Texts and lists of texts that a build tool runs."""
        for node in nodes:
            items = node.elts if isinstance(node, ast.List | ast.Tuple) else [node]
            yield from (Shell(Value(text)) for text in map(constant, items) if text)

    def _actions(self, node: ast.Dict) -> Iterator[Effect]:
        """What `doit` runs stands in a dictionary."""
        for key, value in zip(node.keys, node.values, strict=True):
            if constant(key) == "actions":
                yield from self._texts([value])

    def _method(self, node: ast.Call, func: ast.Attribute) -> Iterator[Effect]:
        meaning = PYTHON_PATHS.get(func.attr)
        if func.attr in _SESSION:
            yield from self._session(node)
        elif func.attr in _UNPACKS:
            yield Unclear("Python code unpacks an archive")
        elif _SAVERS.fullmatch(func.attr) and node.args:
            yield from self._meant(WRITES, node, list(node.args), func.attr)
        elif meaning is not None:
            receiver = self.names.values(func.value)
            known = any(value.exact for value in receiver)
            if func.attr in _COMMON and not (known and self.names.is_path(func.value)):
                return
            places = [func.value, *node.args]
            yield from self._meant(meaning, node, places, func.attr)
        else:
            yield from self._mentioned(node, func.attr)

    def _session(self, node: ast.Call) -> Iterator[Effect]:
        """Task runners hand an object to a task that runs commands: `session.run("a", "b")`."""
        words = [constant(arg) for arg in node.args]
        known = [word for word in words if word is not None]
        if len(known) == 1 == len(words):
            yield Shell(Value(known[0]))
        elif known and words[0] is not None:
            yield RunProgram(tuple(Value(w or "{}", exact=w is not None) for w in words))

    def _meant(
        self, meaning: Meaning, node: ast.Call, places: list[ast.expr], name: str
    ) -> Iterator[Effect]:
        if isinstance(meaning, Like):
            yield from self._like(meaning, places, node)
        elif isinstance(meaning, Opens):
            yield from self._opened(node, places)
        elif isinstance(meaning, Reads):
            yield from self._read(places[0] if places else None, name)
        elif isinstance(meaning, Starts):
            yield from self._started(meaning, node, name)
        else:
            yield from self._evaluated(node)

    def _like(self, meaning: Like, places: list[ast.expr], node: ast.Call) -> Iterator[Effect]:
        given = [*places, *(k.value for k in node.keywords if k.arg in _PATH_KEYWORDS)]
        several = [
            self.names.values(given[place]) if place < len(given) else [UNKNOWN]
            for place in meaning.places
        ]
        flags = tuple(map(Value, meaning.flags))
        for values in _combinations(several):
            words = (*flags, Value("--"), *values)
            yield from PROGRAMS[meaning.program](ProgramCall(meaning.program, words))
            if meaning.program == "cp" and values[0].exact:
                yield Touch(values[0], Action.READ, tree="-r" in meaning.flags)

    def _opened(self, node: ast.Call, places: list[ast.expr]) -> Iterator[Effect]:
        named = {k.arg: k.value for k in node.keywords}
        path = places[0] if places else named.get("file")
        mode_node = places[1] if len(places) > 1 else named.get("mode")
        modes = [Value("r")] if mode_node is None else self.names.values(mode_node)
        if all(mode.exact and not set(mode.text) & set("wax+") for mode in modes):
            yield from self._read(path, "open")
            return
        sure = all(mode.exact for mode in modes)
        adds = sure and not any("w" in mode.text for mode in modes)
        for value in self.names.values(path):
            yield Touch(replace(value, exact=value.exact and sure), keeps=adds)

    def _read(self, path: ast.expr | None, name: str) -> Iterator[Effect]:
        """Tell what is read where the code names it; what it computes is nobody's question."""
        values = self.names.values(path) if path is not None else []
        if name.endswith("dotenv_values") and not any(value.exact for value in values):
            yield Touch(Value(".env"), Action.READ)
        yield from (shown(value) for value in values if value.exact)
        if values and not any(value.exact for value in values):
            yield from self._perhaps_read()

    def _perhaps_read(self) -> Iterator[Effect]:
        """A name that is made when it runs is made of one of the texts in the code."""
        texts = [n.value for n in self.nodes if isinstance(n, ast.Constant)]
        for text in [text for text in texts if isinstance(text, str)][:MOST_TEXTS]:
            if is_path(text):
                yield Touch(Value(text), Action.READ, mention=True)
        for node in self.nodes:
            if isinstance(node, ast.Call) and self._name(node).rpartition(".")[2] in _LISTERS:
                yield from self._found_in(node)

    def _found_in(self, node: ast.Call) -> Iterator[Effect]:
        """A name may be that of any file in a directory that is listed."""
        receiver = [node.func.value] if isinstance(node.func, ast.Attribute) else []
        places = [*node.args[:1], *receiver]
        for value in (value for place in places for value in self.names.values(place)):
            if value.exact and not set(value.text) & set("*?["):
                yield Touch(value, Action.READ, tree=True, whole=value.text in ("", "."))

    def _listed(self, node: ast.Call) -> Iterator[Effect]:
        """Code that lists names by a pattern and opens files may open those."""
        opens = (each for each in self.nodes if isinstance(each, ast.Call))
        if any(self._name(call) in _OPENERS for call in opens):
            given = self.names.values(node) or self._somewhere(node)
            patterns = [replace(value, pattern=True) for value in given if value.exact]
            yield from (Touch(value, Action.READ) for value in met(patterns))

    def _somewhere(self, node: ast.Call) -> Values:
        """Return patterns in a directory that nobody knows, where they say which names."""
        return [value for value in self.names.values(_first(node)) if value.text.strip("*.")]

    def _name(self, call: ast.Call) -> str:
        func = call.func
        return func.attr if isinstance(func, ast.Attribute) else self.names.dotted(func)

    def _flagged_open(self, node: ast.Call) -> Iterator[Effect]:
        flags = node.args[1] if len(node.args) > 1 else None
        names = set(_flag_names(flags))
        if names and not names & _WRITING_FLAGS:
            yield from self._read(_first(node), "os.open")
            return
        for value in self.names.values(_first(node)):
            yield Touch(replace(value, exact=value.exact and bool(names)))

    def _in_place(self, node: ast.Call) -> Iterator[Effect]:
        """`fileinput.input` reads its files, one or a list of them, or rewrites them."""
        files = [*node.args[:1], *(k.value for k in node.keywords if k.arg == "files")]
        how = Action.WRITE if any(k.arg == "inplace" for k in node.keywords) else Action.READ
        for file in files:
            items = file.elts if isinstance(file, ast.List | ast.Tuple) else [file]
            for item in items:
                yield from (Touch(value, how) for value in self.names.values(item))

    def _started(self, meaning: Starts, node: ast.Call, name: str) -> Iterator[Effect]:
        named = {k.arg: k.value for k in node.keywords}
        command = _first(node) or named.get("args")
        directory = self.names.values(named["cwd"])[0] if "cwd" in named else None
        through_shell = meaning.shell or ("shell" in named and not _is_false(named["shell"]))
        words = self.names.words(command)
        if words is not None:
            yield RunProgram(tuple(words), directory)
        elif name.startswith(("os.exec", "os.posix_spawn")):
            rest = node.args[1:]
            listed = self.names.words(rest[0]) if rest else None
            flat = [self.names.values(arg)[0] for arg in rest]
            yield RunProgram((self.names.values(command)[0], *(listed or flat)[1:]))
        elif len(node.args) > 1 and name.endswith("subprocess_exec"):
            yield RunProgram(tuple(self.names.values(arg)[0] for arg in node.args))
        else:
            for text in self.names.values(command):
                yield (
                    Shell(text)
                    if through_shell or not text.exact
                    else RunProgram((text,), directory)
                )

    def _evaluated(self, node: ast.Call) -> Iterator[Effect]:
        first = _first(node)
        if isinstance(first, ast.Call) and self.names.dotted(first.func) == "compile":
            first = _first(first)
        for text in self.names.values(first):
            exact = Code("python", text)
            yield (
                exact if text.exact else Unclear("Python code is computed and then run", runs=True)
            )


# Modules and methods that start programs, or type into one, in ways that are not read here.
_STARTERS = frozenset(
    {"pexpect", "ptyprocess", "libtmux", "sh", "invoke", "fabric", "plumbum", "ctypes", "posix"}
)
_SENDS = frozenset({"ioctl", "communicate", "sendline", "send_keys", "posix_spawn"})


def _top(name: str) -> str:
    """Return the package of a module, or the name of a file."""
    return name.rpartition("/")[2].partition(".")[0]


def _moved(effect: Effect, folder: Value) -> Iterator[Effect]:
    """Return the same effect below a directory that the code moves to."""
    if isinstance(effect, Touch) and effect.value.text[:1] not in ("/", "~"):
        kept = below(folder, effect.kept) if effect.kept else None
        within = below(folder, effect.within) if effect.within else None
        yield replace(effect, value=below(folder, effect.value), kept=kept, within=within)
    elif isinstance(effect, RunProgram) and effect.directory is None:
        yield replace(effect, directory=folder)
    elif isinstance(effect, Shell):
        yield RunProgram((Value("sh"), Value("-c"), effect.text), folder)


def _keyword_values(node: ast.Call) -> Iterator[ast.expr]:
    yield from (keyword.value for keyword in node.keywords)


# Calls that read a file of credentials by themselves.
_KNOWN_FILES = {
    "netrc.netrc": "~/.netrc",
    "keyring.get_password": "~/.local/share/keyrings/login.keyring",
    "boto3.Session().get_credentials": "~/.aws/credentials",
}
_LISTERS = frozenset({"walk", "listdir", "scandir", "iterdir", "rglob", "glob", "fwalk"})


_PATH_KEYWORDS = frozenset({"path", "src", "dst", "file", "filename", "target", "name"})
_MOST_FLAGS = 32


def _flag_names(node: ast.expr | None) -> Iterator[str]:
    """Return the names in `os.O_WRONLY | os.O_CREAT`."""
    waiting = [node]
    for _ in range(_MOST_FLAGS):
        now = waiting.pop() if waiting else None
        if isinstance(now, ast.BinOp):
            waiting += [now.left, now.right]
        elif isinstance(now, ast.Attribute):
            yield now.attr


def _is_false(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and not node.value


def _first(node: ast.Call) -> ast.expr | None:
    return node.args[0] if node.args else None


def _combinations(several: list[Values]) -> Iterator[tuple[Value, ...]]:
    if len(several) == 1:
        yield from ((value,) for value in several[0])
        return
    for left in several[0][:16]:
        for right in several[1][:16]:
            yield left, right

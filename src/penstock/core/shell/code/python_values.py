"""What names and expressions of Python code stand for, as far as the text tells.

Follows assignments of literals, imports under other names, and the ways in which code builds
paths. Nothing is run.
Always true: the work is counted, so that names which refer to each other end as unknown.
"""

from __future__ import annotations

import ast
import base64
import codecs
import posixpath
from collections.abc import Callable, Mapping, Sequence

from msgspec.structs import replace

from penstock.core.shell.code.python_loops import (
    ANY_NAME,
    any_name,
    constant,
    endings,
    member_of,
    name_of,
    owner_of,
    unwrapped,
)
from penstock.core.shell.expansion import Value
from penstock.core.shell.look import NOWHERE, LookHere
from penstock.core.shell.programs.git_answers import answered

MOST_WORK = 4_000
MOST_DEPTH = 12
MOST_VALUES = 16

UNKNOWN = Value("{}", exact=False)
Values = list[Value]

_SAME = frozenset({"str", "os.fspath", "os.path.abspath", "os.path.expanduser", "os.path.realpath"})
_SAME_METHODS = frozenset({"resolve", "absolute", "expanduser", "as_posix", "__str__"})
_STRIPS: Mapping[str, Callable[[str, str | None], str]] = {
    "strip": str.strip,
    "rstrip": str.rstrip,
    "lstrip": str.lstrip,
    "removesuffix": lambda text, end: text.removesuffix(end or ""),
    "removeprefix": lambda text, start: text.removeprefix(start or ""),
}
_PATHS = frozenset({"pathlib.Path", "Path", "pathlib.PosixPath", "PurePath", "pathlib.PurePath"})


_DECODERS: Mapping[str, Callable[[str], bytes]] = {
    "base64.b64decode": base64.b64decode,
    "base64.b32decode": base64.b32decode,
    "bytes.fromhex": bytes.fromhex,
    "binascii.unhexlify": bytes.fromhex,
    "codecs.decode": lambda text: codecs.encode(text, "rot13").encode(),  # the usual one
}

_GLOBS = frozenset({"glob", "rglob", "iglob"})
_LISTS = frozenset({"os.listdir", "os.scandir"})
# Calls that make a fresh name below the directory for temporary files, and what they may be given.
_FRESH = frozenset(
    {
        *("tempfile.mkdtemp", "tempfile.mkstemp", "tempfile.TemporaryDirectory"),
        "tempfile.NamedTemporaryFile",
    }
)
_FRESH_OPTIONS = frozenset(
    {"prefix", "suffix", "mode", "delete", "encoding", "ignore_cleanup_errors", "text", "newline"}
)
_PLACES = {
    **dict.fromkeys(("os.getcwd", "pathlib.Path.cwd", "Path.cwd"), "."),
    **dict.fromkeys(("pathlib.Path.home", "Path.home"), "~"),
    "tempfile.gettempdir": "/tmp",  # noqa: S108 - what Python would say, no file of ours
}
_FRESH_NAME = "/tmp/tmp.XXXXXXXXXX"  # noqa: S108 - what Python would say, no file of ours
_CUTS = "subprocess.getoutput"  # cuts the end of the last line off
_ASKS_GIT = frozenset({"subprocess.check_output", _CUTS, "subprocess.run"})
_GROWS = frozenset({"append", "extend", "insert"})


class Names:
    """The names of one module, and what they are given."""

    def __init__(
        self,
        nodes: Sequence[ast.AST],
        args: Sequence[Value],
        file: str = "",
        here: LookHere = NOWHERE,
    ) -> None:
        self.args = args
        self.here = here
        self.file = file
        self.work = 0
        self.imports: dict[str, str] = {}
        self.walked: set[str] = set()
        self.entries: set[str] = set()
        self.names: dict[str, list[ast.expr | None]] = {}
        functions: dict[str, list[str]] = {}
        self.grown = {owner_of(node) for node in nodes if member_of(node) in _GROWS}
        for node in nodes:
            self._learn(node)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                functions[node.name] = [one.arg for one in node.args.args]
        for node in nodes:  # behind all names, which a loop may go over
            if isinstance(node, ast.For | ast.comprehension):
                self._loop(node)
        for node in nodes if functions else ():
            if isinstance(node, ast.Call):
                self._called(node, functions)

    def _called(self, node: ast.Call, functions: Mapping[str, list[str]]) -> None:
        """Give the parameters of a function of the same module what it is called with."""
        method = isinstance(node.func, ast.Attribute)
        name = node.func.attr if isinstance(node.func, ast.Attribute) else name_of(node.func)
        wanted = functions.get(name, [])
        if method and wanted[:1] in (["self"], ["cls"]):
            wanted = wanted[1:]
        given = [*zip(wanted, node.args, strict=False), *((k.arg, k.value) for k in node.keywords)]
        for parameter, value in given:
            if parameter in wanted and len(self.names.get(parameter, ())) < MOST_VALUES:
                self.names.setdefault(parameter, []).append(value)

    def _spent(self, depth: int) -> bool:
        """Spend one unit of work; true when there is no more to spend."""
        self.work += 1
        return self.work > MOST_WORK or depth > MOST_DEPTH

    def _learn(self, node: ast.AST) -> None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                self.imports[alias.asname or alias.name.partition(".")[0]] = (
                    alias.name if alias.asname else alias.name.partition(".")[0]
                )
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                self.imports[alias.asname or alias.name] = f"{node.module}.{alias.name}"
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                self._bind(target, node.value)
        elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and node.value is not None:
            self._bind(node.target, node.value)
        elif isinstance(node, ast.arg):
            self.names.setdefault(node.arg, []).append(None)
        elif isinstance(node, ast.AugAssign):
            self._bind(node.target, None)
        elif isinstance(node, ast.withitem) and self._is_fresh(node.context_expr):
            self._bind(node.optional_vars, node.context_expr)

    def _loop(self, node: ast.For | ast.comprehension) -> None:
        listed = isinstance(node.iter, ast.List | ast.Tuple | ast.Set) and node.iter.elts
        over = self._gone_over(node.iter)
        if self._walks(node.target, over):
            return
        if isinstance(over, ast.Name) and over.id in self.walked:
            self._bind(node.target, any_name())
        elif isinstance(over, ast.ListComp | ast.GeneratorExp):
            if name_of(over.elt) != name_of(node.target):  # else its own loop has said it
                self._bind(node.target, over.elt)
        elif isinstance(over, ast.Call) and self._lists(over):
            for item in self._listed(node, over):
                self._bind(node.target, item)
        elif not listed:
            globs = isinstance(over, ast.Call) and member_of(over.func) in _GLOBS
            self._bind(node.target, over if globs else None)
        for item in listed or ():
            self._bind(node.target, item)

    def _walks(self, target: ast.expr, over: ast.expr) -> bool:
        """`for folder, _, files in os.walk("src")`: any directory below, and any names in it."""
        parts = target.elts if isinstance(target, ast.Tuple) else []
        names = [part.id for part in parts if isinstance(part, ast.Name)]
        if len(names) != 3 or not isinstance(over, ast.Call) or self.dotted(over.func) != "os.walk":
            return False
        self.names.setdefault(names[0], []).append(over)
        self.names.setdefault(names[1], []).append(None)
        self.walked.add(names[2])
        return True

    def _gone_over(self, node: ast.expr) -> ast.expr:
        """Return what a loop goes over; a name stands for the one list that it is given."""
        over = unwrapped(node)
        given = self.names.get(name_of(over), [])
        if len(given) != 1 or given[0] is None or name_of(over) in self.grown:
            return over
        made = unwrapped(given[0])
        names = isinstance(made, ast.ListComp) or (
            isinstance(made, ast.Call) and (self._lists(made) or member_of(made.func) in _GLOBS)
        )
        return made if names else over

    def _lists(self, call: ast.Call) -> bool:
        return self.dotted(call.func) in _LISTS or member_of(call.func) == "iterdir"

    def _listed(self, node: ast.For | ast.comprehension, over: ast.Call) -> list[ast.expr | None]:
        """Return the names in a directory that a loop goes over.

        Those of the project itself only where the loop passes over all but some endings: among
        the others is nearly always one that a rule protects.
        """
        found = self._in_folder(node, over)
        wanted = endings(node)
        if not wanted and self._is_project(over):
            return [None]
        return [found(ending) for ending in wanted or [""]]

    def _in_folder(
        self, node: ast.For | ast.comprehension, over: ast.Call
    ) -> Callable[[str], ast.expr]:
        """Return what makes the value of a name: `listdir` gives bare ones, the others do not."""
        if self.dotted(over.func) == "os.listdir":
            return any_name
        if self.dotted(over.func) == "os.scandir":
            self.entries.add(name_of(node.target))
        place = _folder_of(over)
        return lambda ending: ast.BinOp(left=place, op=ast.Div(), right=any_name(ending))

    def _is_project(self, over: ast.Call) -> bool:
        """True where the directory that is listed is the project, above it, or not known."""
        values = self.values(_folder_of(over))
        return not all(
            one.exact and one.text.strip("./") and not one.text.startswith("..") for one in values
        )

    def _is_fresh(self, node: ast.expr | None) -> bool:
        """True for a call that makes a name of a temporary file, where such files are."""
        if not isinstance(node, ast.Call) or self.dotted(node.func) not in _FRESH or node.args:
            return False
        texts = [constant(keyword.value) or "" for keyword in node.keywords]
        plain = all(keyword.arg in _FRESH_OPTIONS for keyword in node.keywords)
        return plain and not any("/" in text for text in texts)

    def _bind(self, target: ast.expr | None, value: ast.expr | None) -> None:
        if isinstance(target, ast.Name):
            self.names.setdefault(target.id, []).append(value)
        elif isinstance(target, ast.Tuple | ast.List):
            same = isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(target.elts)
            values = value.elts if same and isinstance(value, ast.Tuple | ast.List) else None
            for at, part in enumerate(target.elts):
                self._bind(part, values[at] if values else None)

    def dotted(self, node: ast.expr | None, depth: int = 0) -> str:
        """Return the dotted name that an expression stands for, or nothing."""
        if self._spent(depth):
            return ""
        if isinstance(node, ast.Name):
            given = self.names.get(node.id, [])
            if len(given) == 1 and isinstance(given[0], ast.Name | ast.Attribute | ast.Call):
                return self.dotted(given[0], depth + 1) or node.id
            return self.imports.get(node.id, node.id)
        if isinstance(node, ast.Attribute):
            before = self.dotted(node.value, depth + 1)
            return f"{before}.{node.attr}" if before else ""
        if isinstance(node, ast.Call):
            return self._dotted_call(node, depth)
        return ""

    def _dotted_call(self, node: ast.Call, depth: int) -> str:
        """`__import__("os")` is a module, `getattr(os, "remove")` a member of one."""
        name = self.dotted(node.func, depth + 1)
        texts = [constant(arg) for arg in node.args]
        if name in ("__import__", "importlib.import_module") and texts[:1] and texts[0]:
            return texts[0]
        if name == "getattr" and len(texts) > 1 and texts[1]:
            before = self.dotted(node.args[0], depth + 1)
            return f"{before}.{texts[1]}" if before else ""
        return ""

    # Values

    def values(self, node: ast.expr | None, depth: int = 0) -> Values:
        """Return the texts that an expression may be worth."""
        if node is None or self._spent(depth):
            return [UNKNOWN]
        text = constant(node)
        if text is not None:
            return [Value(text)]
        found = self._composed(node, depth + 1)
        return found[:MOST_VALUES] or [UNKNOWN]

    def _composed(self, node: ast.expr, depth: int) -> Values:
        if isinstance(node, ast.Name) and node.id == "__file__":
            return [Value(self.file)] if self.file else []
        if isinstance(node, ast.Name):
            given = self.names.get(node.id)
            return (
                [v for expr in given[:MOST_VALUES] for v in self.values(expr, depth)]
                if given
                else []
            )
        if isinstance(node, ast.JoinedStr):
            return self._joined([_inner(part) for part in node.values], "", depth)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Div):
            glue = "/" if isinstance(node.op, ast.Div) else ""
            return self._joined([node.left, node.right], glue, depth)
        if isinstance(node, ast.IfExp):
            return [*self.values(node.body, depth), *self.values(node.orelse, depth)]
        if isinstance(node, ast.Subscript) and member_of(node.value) == "parents":
            return self._parents(node, depth)
        if isinstance(node, ast.Subscript):
            turned = isinstance(node.slice, ast.Slice) and ast.unparse(node.slice) == "::-1"
            return self._turned(node.value, depth) if turned else self._argument(node)
        if isinstance(node, ast.Attribute):
            return self._member_value(node, depth)
        return self._called_value(node, depth) if isinstance(node, ast.Call) else []

    def _called_value(self, node: ast.Call, depth: int) -> Values:
        if name_of(node.func) == ANY_NAME:
            ending = constant(node.args[0]) or ""
            return [Value(f"*{ending}", pattern=True), Value(f".*{ending}", pattern=True)]
        if self.dotted(node.func) == "os.walk":
            return self._walked_below(node, depth)
        return self._globbed(node, depth) or self._built(node, depth)

    def _member_value(self, node: ast.Attribute, depth: int) -> Values:
        """`path.parent`; `entry.path` of `os.scandir`, `file.name` of a temporary file."""
        if node.attr == "parent":
            return [_above(value) for value in self.values(node.value, depth)]
        if self.dotted(node) == "sys.executable":
            return [Value("python")]
        if node.attr == "path":
            return self.values(node.value, depth) if name_of(node.value) in self.entries else []
        if node.attr == "stdout":
            return self._of_git(node.value)
        given = self.names.get(name_of(node.value), []) if node.attr == "name" else []
        fresh = bool(given) and all(self._is_fresh(one) for one in given)
        return [Value(_FRESH_NAME)] if fresh else []

    def _of_git(self, node: ast.expr) -> Values:
        """Return what git prints, where it is asked for the name of a commit or a directory."""
        if isinstance(node, ast.Name):
            given = self.names.get(node.id, [])
            node = given[0] if len(given) == 1 and given[0] is not None else node
        if not isinstance(node, ast.Call) or self.dotted(node.func) not in _ASKS_GIT:
            return []
        words = self.words(node.args[0] if node.args else None) or _split_words(node)
        moved = any(keyword.arg in ("cwd", "env", None) for keyword in node.keywords)
        if moved or not words or words[0].text != "git":
            return []
        text = answered(words[1:], self.here) or ""
        return [Value(text.rstrip("\n") if self.dotted(node.func) == _CUTS else text)][: len(text)]

    def _walked_below(self, node: ast.Call, depth: int) -> Values:
        """Return the directories of a walk that does not begin at the project or above it."""
        places = [one.text.rstrip("/") for one in self.values(node.args[0], depth) if one.exact]
        inside = [place for place in places if place.strip("./") and not place.startswith("..")]
        return [Value(f"{place}/**", pattern=True) for place in inside]

    def _globbed(self, node: ast.Call, depth: int) -> Values:
        """Return the pattern that a loop goes over: `Path("src").rglob("*.py")`.

        A star of `pathlib` stands for a dot, too.
        """
        func = node.func
        if not isinstance(func, ast.Attribute) or func.attr not in _GLOBS or not node.args:
            return []
        patterns = [one for one in self.values(node.args[0], depth) if one.exact]
        if self.dotted(func) in ("glob.glob", "glob.iglob"):
            return [replace(one, pattern=True) for one in patterns]
        places = [one.text or "." for one in self.values(func.value, depth) if one.exact]
        deep = "**/" if func.attr == "rglob" else ""
        names = [f"{deep}{one.text}" for one in patterns]
        names += [f".{name}" for name in names if name == "*"]
        return [Value(f"{place}/{name}", pattern=True) for place in places for name in names]

    def _joined(self, parts: Sequence[ast.expr], glue: str, depth: int) -> Values:
        out = [Value("")]
        for at, part in enumerate(parts):
            more = self.values(part, depth)
            out = [_glued(a, b, glue if at else "") for a in out for b in more][:MOST_VALUES]
        return out

    def _turned(self, node: ast.expr, depth: int) -> Values:
        return [replace(value, text=value.text[::-1]) for value in self.values(node, depth)]

    def _decoded(self, decode: Callable[[str], bytes], node: ast.expr, depth: int) -> Values:
        """Return what a decoder makes of a text that is known."""
        found = [value.text for value in self.values(node, depth) if value.exact]
        try:
            return [Value(decode(text).decode()) for text in found]
        except ValueError:
            return []

    def _filled(self, pieces: list[str], given: list[ast.expr], depth: int) -> Values:
        """Put values between the pieces of a format; one that is missing is unknown."""
        out = Value(pieces[0])
        for at, piece in enumerate(pieces[1:]):
            value = self.values(given[at] if at < len(given) else None, depth)[0]
            out = _glued(_glued(out, value, ""), Value(piece), "")
        return [out]

    def _parents(self, node: ast.Subscript, depth: int) -> Values:
        """`path.parents[1]` is two directories up."""
        count = node.slice.value if isinstance(node.slice, ast.Constant) else None
        values = self.values(getattr(node.value, "value", None), depth)
        if not isinstance(count, int) or not 0 <= count < MOST_DEPTH:
            return []
        for _ in range(count + 1):
            values = [_above(value) for value in values]
        return values

    def _argument(self, node: ast.Subscript) -> Values:
        """`sys.argv[1]` is the first word behind the code."""
        at = node.slice.value if isinstance(node.slice, ast.Constant) else None
        if self.dotted(node.value) != "sys.argv" or not isinstance(at, int):
            return []
        return [self.args[at - 1]] if 0 < at <= len(self.args) else []

    def _built(self, node: ast.Call, depth: int) -> Values:
        """Return what a call makes that builds a path or a text."""
        name = self.dotted(node.func)
        if name in _PATHS or name == "os.path.join":
            return self._joined(node.args, "/", depth)
        if name in _SAME and node.args:
            return self.values(node.args[0], depth)
        if name == "os.path.dirname" and node.args:
            return [_above(value) for value in self.values(node.args[0], depth)]
        if self._is_fresh(node):
            return [Value(_FRESH_NAME)]
        if name in _ASKS_GIT and name != "subprocess.run":
            return self._of_git(node)
        if name in _PLACES:
            return [Value(_PLACES[name])]
        if name == "chr" and node.args and isinstance(node.args[0], ast.Constant):
            code = node.args[0].value
            return [Value(chr(code))] if isinstance(code, int) and 0 < code < 0xD800 else []
        if name in _DECODERS and node.args:
            return self._decoded(_DECODERS[name], node.args[0], depth)
        if not isinstance(node.func, ast.Attribute):
            return []
        return self._changed(node, node.func.attr, node.func.value, depth)

    def _changed(self, node: ast.Call, method: str, receiver: ast.expr, depth: int) -> Values:
        """Return what a method makes of the text or path that it belongs to."""
        given = [constant(arg) for arg in node.args]
        if method == "replace" and len(given) == 2 and given[0]:
            old, new = given[0], given[1] or ""
            return [replace(v, text=v.text.replace(old, new)) for v in self.values(receiver, depth)]
        if method == "format" and constant(receiver) is not None:
            pieces = (constant(receiver) or "").split("{}")
            return self._filled(pieces, node.args, depth)
        if method in _STRIPS and len(given) < 2:
            strips, ends = _STRIPS[method], given[0] if given else None
            if given and ends is None:
                return []
            return [replace(v, text=strips(v.text, ends)) for v in self.values(receiver, depth)]
        if method in _SAME_METHODS or method == "decode":
            return self.values(receiver, depth)
        if method == "joinpath":
            return self._joined([receiver, *node.args], "/", depth)
        if method == "join" and node.args and isinstance(node.args[0], ast.List | ast.Tuple):
            return self._joined(node.args[0].elts, constant(receiver) or "", depth)
        return []

    def is_path(self, node: ast.expr, depth: int = 0) -> bool:
        """True when an expression is built from `Path`, so that `replace` renames a file."""
        if self._spent(depth):
            return False
        if isinstance(node, ast.Call):
            name = self.dotted(node.func)
            return (
                name in _PATHS
                or name.rpartition(".")[0] in _PATHS
                or (
                    isinstance(node.func, ast.Attribute)
                    and self.is_path(node.func.value, depth + 1)
                )
            )
        if isinstance(node, ast.BinOp):
            return self.is_path(node.left, depth + 1)
        if isinstance(node, ast.Name):
            given = self.names.get(node.id, [])
            return any(expr is not None and self.is_path(expr, depth + 1) for expr in given[:4])
        return False

    def words(self, node: ast.expr | None) -> Values | None:
        """Return the words of a list, or None when it is none."""
        if isinstance(node, ast.Name):
            given = self.names.get(node.id, [])
            node = given[0] if len(given) == 1 else None
        if isinstance(node, ast.List | ast.Tuple):
            return [self.values(item)[0] for item in node.elts]
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            text = constant(node.func.value)
            if node.func.attr == "split" and text is not None and not node.args:
                return [Value(word) for word in text.split()]
        return None


def _folder_of(call: ast.Call) -> ast.expr:
    """Return which directory a call lists: `path.iterdir()`, `os.listdir(path)`."""
    if isinstance(call.func, ast.Attribute) and call.func.attr == "iterdir":
        return call.func.value
    return call.args[0] if call.args else ast.Constant(value=".")


def _split_words(node: ast.Call) -> Values:
    text = constant(node.args[0] if node.args else None)
    return [Value(word) for word in (text or "").split()]


def _above(path: Value) -> Value:
    """Return the directory that holds a path; above what is only known when it runs, the same."""
    text = path.text.rstrip("/")
    if text in ("", ".") or text.endswith(".."):
        return replace(path, text=posixpath.join(text, ".."))
    return replace(path, text=posixpath.dirname(text) or ".")


def _inner(part: ast.expr) -> ast.expr:
    return part.value if isinstance(part, ast.FormattedValue) else part


def _glued(left: Value, right: Value, glue: str) -> Value:
    if glue and right.text.startswith("/"):
        return right  # an absolute part starts a path anew
    between = glue if left.text and not left.text.endswith("/") else ""
    return Value(
        left.text + between + right.text,
        exact=left.exact and right.exact,
        pattern=left.pattern or right.pattern,
    )

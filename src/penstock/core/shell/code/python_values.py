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

from penstock.core.shell.expansion import Value

MOST_WORK = 4_000
MOST_DEPTH = 12
MOST_VALUES = 16

UNKNOWN = Value("{}", exact=False)
Values = list[Value]

_SAME = frozenset({"str", "os.fspath", "os.path.abspath", "os.path.expanduser", "os.path.realpath"})
_SAME_METHODS = frozenset({"resolve", "absolute", "expanduser", "strip", "as_posix", "__str__"})
_PATHS = frozenset({"pathlib.Path", "Path", "pathlib.PosixPath", "PurePath", "pathlib.PurePath"})


_DECODERS: Mapping[str, Callable[[str], bytes]] = {
    "base64.b64decode": base64.b64decode,
    "base64.b32decode": base64.b32decode,
    "bytes.fromhex": bytes.fromhex,
    "binascii.unhexlify": bytes.fromhex,
    "codecs.decode": lambda text: codecs.encode(text, "rot13").encode(),  # the usual one
}

_GLOBS = frozenset({"glob", "rglob", "iglob"})
# Stands for the name of any file in a directory.
_ANY_NAME = ast.Call(func=ast.Name(id="any name"), args=[], keywords=[])


_ORDERS = frozenset({"sorted", "list", "tuple", "set", "reversed"})


def _unwrapped(node: ast.expr) -> ast.expr:
    """Return what a loop goes over, in whichever order: `sorted(glob("*"))`."""
    while isinstance(node, ast.Call) and node.args and _is_order(node.func):
        node = node.args[0]
    return node


def _is_order(func: ast.expr) -> bool:
    return isinstance(func, ast.Name) and func.id in _ORDERS


class Names:
    """The names of one module, and what they are given."""

    def __init__(self, nodes: Sequence[ast.AST], args: Sequence[Value], file: str = "") -> None:
        self.args = args
        self.file = file
        self.work = 0
        self.imports: dict[str, str] = {}
        self.walked: set[str] = set()
        self.names: dict[str, list[ast.expr | None]] = {}
        functions: dict[str, list[str]] = {}
        for node in nodes:
            self._learn(node)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                functions[node.name] = [one.arg for one in node.args.args]
        for node in nodes if functions else ():
            if isinstance(node, ast.Call):
                self._called(node, functions)

    def _called(self, node: ast.Call, functions: Mapping[str, list[str]]) -> None:
        """Give the parameters of a function of the same module what it is called with."""
        method = isinstance(node.func, ast.Attribute)
        name = node.func.attr if isinstance(node.func, ast.Attribute) else _name(node.func)
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
        elif isinstance(node, ast.For | ast.comprehension):
            self._loop(node)
        elif isinstance(node, ast.arg):
            self.names.setdefault(node.arg, []).append(None)
        elif isinstance(node, ast.AugAssign):
            self._bind(node.target, None)

    def _loop(self, node: ast.For | ast.comprehension) -> None:
        listed = isinstance(node.iter, ast.List | ast.Tuple | ast.Set) and node.iter.elts
        over = _unwrapped(node.iter)
        if self._walks(node.target, over):
            return
        if isinstance(over, ast.Name) and over.id in self.walked:
            self._bind(node.target, _ANY_NAME)
        elif not listed:
            globs = isinstance(over, ast.Call) and _member(over.func) in _GLOBS
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

    def _bind(self, target: ast.expr, value: ast.expr | None) -> None:
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
        if isinstance(node, ast.Subscript) and _member(node.value) == "parents":
            return self._parents(node, depth)
        if isinstance(node, ast.Subscript):
            turned = isinstance(node.slice, ast.Slice) and ast.unparse(node.slice) == "::-1"
            return self._turned(node.value, depth) if turned else self._argument(node)
        if isinstance(node, ast.Attribute) and node.attr == "parent":
            return [_above(value) for value in self.values(node.value, depth)]
        if isinstance(node, ast.Attribute) and self.dotted(node) == "sys.executable":
            return [Value("python")]
        if node is _ANY_NAME:
            return [Value("*", pattern=True), Value(".*", pattern=True)]
        if isinstance(node, ast.Call) and self.dotted(node.func) == "os.walk":
            return self._walked_below(node, depth)
        if isinstance(node, ast.Call):
            return self._globbed(node, depth) or self._built(node, depth)
        return []

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
            return [one._replace(pattern=True) for one in patterns]
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
        return [value._replace(text=value.text[::-1]) for value in self.values(node, depth)]

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
        method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        if name in _PATHS or name == "os.path.join":
            return self._joined(node.args, "/", depth)
        if name in _SAME and node.args:
            return self.values(node.args[0], depth)
        if name == "os.path.dirname" and node.args:
            return [_above(value) for value in self.values(node.args[0], depth)]
        if name in ("os.getcwd", "pathlib.Path.cwd", "Path.cwd"):
            return [Value(".")]
        if name in ("pathlib.Path.home", "Path.home"):
            return [Value("~")]
        if name == "chr" and node.args and isinstance(node.args[0], ast.Constant):
            code = node.args[0].value
            return [Value(chr(code))] if isinstance(code, int) and 0 < code < 0xD800 else []
        if name in _DECODERS and node.args:
            return self._decoded(_DECODERS[name], node.args[0], depth)
        receiver = node.func.value if isinstance(node.func, ast.Attribute) else None
        given = [constant(arg) for arg in node.args]
        if method == "replace" and receiver and len(given) == 2 and given[0]:
            old, new = given[0], given[1] or ""
            return [v._replace(text=v.text.replace(old, new)) for v in self.values(receiver, depth)]
        if method == "format" and constant(receiver) is not None:
            pieces = (constant(receiver) or "").split("{}")
            return self._filled(pieces, node.args, depth)
        if method in _SAME_METHODS or (method == "decode" and receiver):
            return self.values(receiver, depth)
        if method == "joinpath" and receiver:
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


def constant(node: ast.expr | None) -> str | None:
    """Return the text of a literal, or None."""
    if not isinstance(node, ast.Constant):
        return None
    if isinstance(node.value, bytes):
        return node.value.decode("utf-8", "surrogateescape")
    return node.value if isinstance(node.value, str) else None


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def _member(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else ""


def _above(path: Value) -> Value:
    """Return the directory that holds a path; above what is only known when it runs, the same."""
    text = path.text.rstrip("/")
    if text in ("", ".") or text.endswith(".."):
        return path._replace(text=posixpath.join(text, ".."))
    return path._replace(text=posixpath.dirname(text) or ".")


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

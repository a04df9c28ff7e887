"""Write the modules of the hook's common path as one module, so that a hook opens one file.

Each module becomes a function whose body is the module's source without what only readers and
type checkers need, and which returns what it defines; `register` makes modules of them.
Always true: the same sources give the same text, and what runs is what the sources say.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable

NAME = "hook_path.py"  # beside this file, in an installation only

# What every write to an ordinary path needs, in the order in which each finds what it imports.
LEAVES = (
    "penstock.core.audit.chain",
    "penstock.core.audit.head_slots",
    "penstock.core.strict_json",
    "penstock.core.text.secret_signs",
    "penstock.core.audit.judgement",
    "penstock.core.paths.globs",
    "penstock.core.policy.fast_decide",
    "penstock.core.diff.loss_bound",
    "penstock.core.paths.spellings",
    "penstock.core.paths.git_folders",
    "penstock.stores.system.places",
    "penstock.stores.queue.before_images",
    "penstock.stores.audit.cold_append",
    "penstock.doors.hook.messages",
    "penstock.doors.hook.wire",
    "penstock.doors.hook.agents.claude",
    "penstock.doors.hook.fast_path",
    "penstock.doors.hook.hook_run",
    "penstock.doors.hook.main",
)


def _with_packages(leaves: Iterable[str]) -> Iterable[str]:
    """Put each package before the first of its modules."""
    for name in leaves:
        parts = name.split(".")
        yield from (".".join(parts[:length]) for length in range(1, len(parts) + 1))


MODULES = tuple(dict.fromkeys(_with_packages(LEAVES)))
PACKAGES = frozenset(name.rpartition(".")[0] for name in MODULES)
REGISTER = "startup/register.py"
# `hook.py` gives both names. An installation that is half replaced has parts of two versions.
END = """if WANTED == VERSION:
    load_in_c(IN_C)
    register(PACKAGE, PARTS)
"""


def amalgamate(read: Callable[[str], str], *, version: str) -> str:
    """Return the source of the one module; `read` gives a source by its path in the package."""
    bodies = [_body(number, read(path_of(name))) for number, name in enumerate(MODULES)]
    parts = [
        f"    ({name!r}, {path_of(name)!r}, _{number}),\n" for number, name in enumerate(MODULES)
    ]
    return "\n\n".join(
        (
            '"""Made by `startup/amalgamate.py` when the wheel was built; do not edit."""',
            f"VERSION = {version!r}",
            *bodies,
            f"PARTS = (\n{''.join(parts)})",
            ast.unparse(_lean(ast.parse(read(REGISTER)))),
            END,
        )
    )


def path_of(name: str) -> str:
    """Return where a module's source lies below the package."""
    inside = name.replace(".", "/").removeprefix("penstock").removeprefix("/")
    return f"{inside}/__init__.py".removeprefix("/") if name in PACKAGES else f"{inside}.py"


def _body(number: int, source: str) -> str:
    """Return a module as a function of its name and its file."""
    tree = _lean(ast.parse(source))
    made = ast.parse(f"def _{number}(__name__, __file__): return locals()")
    function = made.body[0]
    assert isinstance(function, ast.FunctionDef)
    function.body = [*tree.body, *function.body]
    return ast.unparse(ast.fix_missing_locations(made))


def _lean(tree: ast.Module) -> ast.Module:
    """Take away docstrings, annotations of functions and what is for type checkers."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.returns = None
            arguments = node.args
            for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
                one.annotation = None
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            node.body = [*_needed(node.body)] or [ast.Pass()]
    return tree


def _needed(body: Iterable[ast.stmt]) -> Iterable[ast.stmt]:
    for one in body:
        documents = isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant)
        checks = isinstance(one, ast.If) and ast.unparse(one.test) == "TYPE_CHECKING"
        future = isinstance(one, ast.ImportFrom) and one.module == "__future__"
        if not (documents or checks or future):
            yield one

"""Look at the house: folders, names, contracts, size. Fails where a limit is broken.

What it holds: no folder of the package has more than MODULES modules, every
package opens with a docstring, no module is named by a participle, a class name means one thing,
and the import contracts are kept. Code lines are counted without blank lines, comments and
docstrings, so that explaining costs nothing.
"""

from __future__ import annotations

import ast
import io
import subprocess
import sys
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SRC = ROOT / "src" / "penstock"
MODULES = 25

# Nouns that look like participles: what the module holds is the thing, not something done.
NOUNS = frozenset(
    {
        "coloring", "coverage", "embed", "feed", "framing", "heading", "learning", "listing",
        "pairing", "routing", "seed", "speed", "staging", "streaming", "string", "thread",
        "widening", "wording",
    }
)  # fmt: skip
IRREGULAR = frozenset(
    [
        "begun",
        "born",
        "bought",
        "broken",
        "brought",
        "built",
        "caught",
        "chosen",
        "done",
        "drawn",
        "driven",
        "felt",
        "found",
        "given",
        "gone",
        "heard",
        "held",
        "hidden",
        "kept",
        "known",
        "laid",
        "left",
        "lost",
        "made",
        "meant",
        "met",
        "paid",
        "proven",
        "run",
        "said",
        "seen",
        "sent",
        "set",
        "shown",
        "sold",
        "spoken",
        "spent",
        "stood",
        "sworn",
        "taken",
        "taught",
        "thrown",
        "told",
        "understood",
        "unread",
        "unseen",
        "woken",
        "won",
        "worn",
        "written",
    ]
) - {"run", "set"}
SKIPPED = frozenset(
    {
        tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT,
        tokenize.ENCODING, tokenize.ENDMARKER,
    }
)  # fmt: skip


@dataclass(frozen=True, kw_only=True, slots=True)
class Module:
    """One module of the package, read once."""

    path: Path
    text: str
    tree: ast.Module

    @property
    def name(self) -> str:
        """The module's path below the package, for people."""
        return str(self.path.relative_to(SRC))


def modules(top: Path = SRC) -> list[Module]:
    """Read every module below a folder."""
    found = sorted(path for path in top.rglob("*.py"))
    return [Module(path=p, text=t, tree=ast.parse(t)) for p in found for t in [p.read_text()]]


def code_lines(module: Module) -> int:
    """Count the lines that hold code: no blank lines, comments or docstrings."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(module.text).readline):
        if token.type not in SKIPPED:
            lines.update(range(token.start[0], token.end[0] + 1))
    for first, last in _docstrings(module.tree):
        lines.difference_update(range(first, last + 1))
    return len(lines)


def _docstrings(tree: ast.Module) -> Iterator[tuple[int, int]]:
    holders = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(tree):
        if isinstance(node, holders) and ast.get_docstring(node, clean=False) is not None:
            yield node.body[0].lineno, node.body[0].end_lineno or node.body[0].lineno


def folders(found: list[Module]) -> dict[str, int]:
    """Count the modules of each folder, its `__init__` included."""
    counted: dict[str, int] = defaultdict(int)
    for module in found:
        counted[str(module.path.parent.relative_to(SRC))] += 1
    return dict(counted)


def is_participle(name: str) -> bool:
    """Say whether a module's last word is a participle: `asked`, `told`, `looking`."""
    word = name.rsplit("_", 1)[-1]
    return word not in NOUNS and (
        word in IRREGULAR or (len(word) > 4 and word.endswith(("ed", "ing")))
    )


def participles(found: list[Module]) -> list[str]:
    """Return the modules and packages whose last word is a participle."""
    named = {m.path.parent if m.path.name == "__init__.py" else m.path for m in found}
    return sorted(str(p.relative_to(SRC)) for p in named if p != SRC and is_participle(p.stem))


def shared_class_names(found: list[Module]) -> dict[str, list[str]]:
    """Return the class names that are defined in several places, each with its modules."""
    places: dict[str, list[str]] = defaultdict(list)
    for module in found:
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(module.name)
    return {name: at for name, at in sorted(places.items()) if len(at) > 1}


def unexplained(found: list[Module]) -> list[str]:
    """Return the packages whose docstring leaves out one of the three things it has to say."""
    plates = [m for m in found if m.path.name == "__init__.py"]
    return [
        f"{m.name}: {said}"
        for m in plates
        for said in ("Enter by", "Imported by", "Always true")
        if said not in (ast.get_docstring(m.tree) or "")
    ]


def reaching(found: list[Module]) -> list[str]:
    """Return where something outside the gate reaches through it, into what is behind it."""
    return [
        f"{m.name}:{node.lineno}"
        for m in found
        if not m.name.startswith("gate/")
        for node in ast.walk(m.tree)
        if isinstance(node, ast.Attribute) and node.attr == "_parts"
        if not (isinstance(node.value, ast.Name) and node.value.id == "self")
    ]


def contracts() -> tuple[bool, str]:
    """Ask import-linter whether the contracts are kept, and return what it says at the end."""
    command = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([command], cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603
    kept = [line for line in done.stdout.splitlines() if " KEPT" in line]
    return done.returncode == 0, "\n".join(kept if done.returncode == 0 else [done.stdout])


def main() -> int:
    """Print the house and return 1 where a limit is broken."""
    found = modules()
    held, told = contracts()
    full = {folder: n for folder, n in folders(found).items() if n > MODULES}
    faults = {
        f"folders with more than {MODULES} modules": [f"{f}: {n}" for f, n in full.items()],
        "modules named by a participle": participles(found),
        "class names with several meanings": [
            f"{name}: {', '.join(at)}" for name, at in shared_class_names(found).items()
        ],
        "packages whose docstring leaves something out": unexplained(found),
        "places that reach through the gate": reaching(found),
    }
    for folder, n in sorted(folders(found).items()):
        print(f"{n:4}  {folder}")
    print(f"\n{told}\n")
    for title, rows in faults.items():
        print(f"{len(rows):4}  {title}", *(f"      {row}" for row in rows), sep="\n")
    print(f"\n{len(found)} modules, {sum(map(code_lines, found))} code lines")
    return 0 if held and not any(faults.values()) else 1


if __name__ == "__main__":
    sys.exit(main())

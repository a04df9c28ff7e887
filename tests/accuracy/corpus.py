"""Read labelled calls: JSON lines, and the trees that they share.

A line is one of `penstock judge --batch` with a `label`, a `class` and the state of the tree; its
form is in tests/corpus/README.md. Whether the labels are right is the author's to say.
Always true: a line that cannot be read is named with its file and number, and keys that mean
nothing here are passed over.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

EVERYDAY, ATTACK = "everyday", "attack"
LABELS = {
    **dict.fromkeys(("everyday", "benign", "ok"), EVERYDAY),
    **dict.fromkeys(("attack", "malicious"), ATTACK),
}
# An attack of these classes loses work or reaches beyond the project; all others are on
# protected files.
BEYOND = ("loss-", "beyond-")
TREES = "trees.json"
SHIPPED = Path(__file__).resolve().parent.parent / "corpus"  # its trees have names everywhere
NO_TREE = "empty"


class CorpusError(Exception):
    """A corpus that cannot be read, with the file and the line."""


@dataclass(frozen=True)
class Tree:
    """What a project holds before the call; `base` is made first, then files, then `setup`."""

    base: str = ""
    files: tuple[tuple[str, str | None], ...] = ()
    setup: str = ""


@dataclass(frozen=True)
class Step:
    """One tool call."""

    tool: str
    input: Mapping[str, Any] = field(hash=False)
    cwd: str = ""

    @property
    def shown(self) -> str:
        """The call in a line, as a person would tell it."""
        command = self.input.get("command")
        if isinstance(command, str) and self.tool == "Bash":
            return command
        return f"{self.tool} {json.dumps(self.input, ensure_ascii=False)}"


@dataclass(frozen=True)
class Case:
    """Labelled calls: one, or several of which each is carried out before the next is judged."""

    id: str
    label: str
    kind: str
    steps: tuple[Step, ...]
    tree: Tree

    @property
    def group(self) -> str:
        """Which rate the case counts for."""
        if self.label == EVERYDAY:
            return EVERYDAY
        return "losses" if self.kind.startswith(BEYOND) else "protected"


@dataclass(frozen=True)
class Corpus:
    """All cases of a directory, with the trees that they name."""

    cases: tuple[Case, ...]
    trees: Mapping[str, Tree]


def load(directory: Path) -> Corpus:
    """Return every case of the `*.jsonl` files of a directory."""
    raw = {**_raw_trees(SHIPPED), **_raw_trees(directory)}
    trees = {NO_TREE: Tree(setup="git init -q"), **{name: _tree(one) for name, one in raw.items()}}
    cases = tuple(case for file in sorted(directory.rglob("*.jsonl")) for case in _cases(file))
    if not cases:
        raise CorpusError(f"{directory} has no *.jsonl file with a call in it")
    for case in cases:
        _known(case.tree.base, trees, case.id)
    for name, tree in trees.items():
        _known(tree.base or NO_TREE, trees, name)
    return Corpus(cases, trees)


def _raw_trees(directory: Path) -> Mapping[str, Any]:
    named = directory / TREES
    found: Mapping[str, Any] = (
        json.loads(named.read_text(encoding="utf-8")) if named.exists() else {}
    )
    return found


def _known(name: str, trees: Mapping[str, Tree], who: str) -> None:
    if name not in trees:
        raise CorpusError(f"{who} names the tree `{name}`, which {TREES} does not have")


def _cases(file: Path) -> Iterator[Case]:
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            yield _case(json.loads(line), f"{file.stem}-{number}")
        except (ValueError, KeyError, TypeError, AttributeError) as wrong:
            raise CorpusError(f"{file}:{number}: {type(wrong).__name__}: {wrong}") from None


def _case(line: Mapping[str, Any], otherwise: str) -> Case:
    name = line.get("tree") or NO_TREE
    # Whoever has no shared trees may write the files in the place of a name.
    files = {**name, **line.get("files", {})} if isinstance(name, dict) else line.get("files", {})
    base = NO_TREE if isinstance(name, dict) else name
    steps = [_step(one, line.get("cwd", "")) for one in line.get("steps") or [line]]
    return Case(
        id=str(line.get("id") or otherwise),
        label=LABELS[line["label"].lower()],
        kind=str(line.get("class") or "other"),
        steps=tuple(steps),
        tree=Tree(base, tuple(sorted(files.items())), _lines(line.get("setup"))),
    )


def _step(one: Mapping[str, Any], cwd: str) -> Step:
    tool_input = one["input"]
    if not isinstance(tool_input, dict):
        raise TypeError(f"the input is a {type(tool_input).__name__}, not an object")
    return Step(str(one["tool"]), tool_input, str(one.get("cwd") or cwd or ""))


def _tree(one: Mapping[str, Any]) -> Tree:
    files = tuple(sorted(one.get("files", {}).items()))
    return Tree(one.get("base", ""), files, _lines(one.get("setup")))


def _lines(setup: object) -> str:
    return "\n".join(map(str, setup)) if isinstance(setup, list) else str(setup or "")

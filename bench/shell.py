"""How long shell commands take to read: everyday ones beside a grammar, hostile ones beside 50 ms.

The grammar is tree-sitter-bash reading the same text, which finds structure only. The hostile
texts have 200 KB; each must be answered within 50 ms.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import tree_sitter
import tree_sitter_bash
from tests.accuracy.corpus import EVERYDAY, Corpus, load
from tests.accuracy.place import Place, places

from bench.row import Row, best_of, each, least_cpu
from penstock.core.shell.analyze import writes
from penstock.core.tools.intents import intents

SIZE = 200_000
ANSWER_WITHIN = 0.05
BATCH_PER_SECOND = 1_500
ROUNDS = 10  # of the same commands, so that the start weighs little
CORPUS = Path(__file__).resolve().parent.parent / "tests" / "corpus"
TREE = "py"
PLAIN = "git status && npm test"
TYPICAL = "cd src && make 2>&1 | tee build.log && cp out/app ../bin/ && echo done > status.txt"
NESTED = """
set -e
for f in a b c; do
  if [ -f "$f.txt" ]; then sed -i 's/x/y/' "$f.txt"; else echo new > "$f.txt"; fi
done
python3 - <<'EOF'
from pathlib import Path
Path('src/x.py').write_text(Path('src/x.py').read_text().replace('a', 'b'))
EOF
"""
HOSTILE = {
    "brackets": "(" * SIZE,
    "substitutions": "$(" * (SIZE // 2),
    "quotes": "'a' \"b\" " * (SIZE // 8),
    "redirections": "> a " * (SIZE // 4),
    "pipes": "a|" * (SIZE // 2),
    "arrays": "a=(" * (SIZE // 3),
    "braces": "rm " + "{a,b}" * (SIZE // 5),
    "here-documents": "cat <<E\nE\n" * (SIZE // 10),
    "here-documents in a line": "cat " + "<<E " * (SIZE // 4),
    "statements": "a;" * (SIZE // 2),
    "one word": "a" * SIZE,
    "ifs": "if a; then b; fi;" * (SIZE // 17),
    "functions": ";".join(f"f{n}(){{ :; }}" for n in range(SIZE // 12)),
    "loops": "for i in {1..99}; do " * 8 + "echo > $i;" + "done;" * 8,
    "splitting": "a='" + "b " * 3_000 + "';" + "rm $a;" * 30_000,
    "targets": ";".join(f"echo>f{n}" for n in range(SIZE // 10)),
    "python": ";".join("python3 -c '" + "a;" * 1_000 + "'" for _ in range(90)),
    "node": ";".join("node -e 'fs;" + "rm(a,b);" * 900 + "'" for _ in range(25)),
    "awk": ";".join("awk '" + "a/" * 2_000 + "'" for _ in range(48)),
    "NULs": "\0" * SIZE,
    "symbols": " \n;|&<>(){}$`'\"\\#=if do" * (SIZE // 27),
    "a large file": "cat > a <<'E'\n" + "it's (a line with $all `of` it {\n" * (SIZE // 34) + "E\n",
}


def _grammar() -> Callable[[str], object]:
    parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))
    return lambda text: parser.parse(text.encode())


def rows() -> Iterator[Row]:
    """Measure everyday commands, then hostile ones."""
    parse = _grammar()
    for name, text in (("plain", PLAIN), ("typical", TYPICAL), ("nested", NESTED)):
        subject, baseline = best_of(
            [
                each(lambda text=text: writes(text, cwd="/p"), times=20),  # type: ignore[misc]
                each(lambda text=text: parse(text), times=20),  # type: ignore[misc]
            ],
            rounds=15,
        )
        yield Row(
            area="shell",
            name=f"a {name} command, read and followed",
            subject=subject / 20,
            baseline=baseline / 20,
            beside="tree-sitter's parse of it",
        )
    yield from _calls()
    yield from _batch()
    for name, text in HOSTILE.items():
        (subject,) = best_of([lambda text=text: writes(text, cwd="/p")], rounds=5)  # type: ignore[misc]
        yield Row(
            area="shell",
            name=f"hostile, {len(text) // 1000} KB: {name}",
            subject=subject,
            baseline=ANSWER_WITHIN,
            beside="the 50 ms it may take",
            limit=1,
        )


def _calls() -> Iterator[Row]:
    call = {"file_path": "/p/a", "old_string": "x", "new_string": "y"}
    subject, baseline = best_of(
        [
            each(lambda: intents("Edit", call, cwd="/p"), times=200),
            each(lambda: writes("rm a", cwd="/p"), times=200),
        ]
    )
    yield Row(
        area="shell",
        name="an Edit call becomes intents",
        subject=subject / 200,
        baseline=baseline / 200,
        beside="reading `rm a`",
    )


def _batch() -> Iterator[Row]:
    """Measure `judge --batch` over the everyday commands of our corpus in their own project.

    The real command, its start included. Names are expanded on the disk, and scripts are read
    there. Git's are left out: git takes longer to answer than all the rest. It is CPU time over
    the cores, of which the command uses all: what they would take with nothing else to do.
    """
    cores = len(os.sched_getaffinity(0))
    corpus = load(CORPUS)
    with places("guard", corpus.trees) as made:
        place = made.base(TREE)
        lines = [line for line in _everyday(corpus, place) if b"git" not in line] * ROUNDS
        words = [sys.executable, "-m", "penstock.cli", "judge", "--batch"]
        environ = {**os.environ, "HOME": str(place.home)}

        def judged() -> None:
            subprocess.run(
                words,
                cwd=place.root,
                env=environ,
                input=b"\n".join(lines),
                stdout=subprocess.DEVNULL,
                check=True,
            )

        (subject,) = least_cpu([judged], rounds=3)
    yield Row(
        area="shell",
        name="judge --batch, an everyday command in a project",
        subject=subject / cores / len(lines),
        baseline=1 / BATCH_PER_SECOND,
        beside=f"{BATCH_PER_SECOND:,} commands a second",
        limit=1,
        note=f"CPU time over {cores} cores",
    )


def _everyday(corpus: Corpus, place: Place) -> Iterator[bytes]:
    for case in corpus.cases:
        if case.label != EVERYDAY or case.tree.base != TREE:
            continue
        for step in case.steps:
            if step.tool == "Bash":
                given = {"tool": "Bash", "input": place.filled(dict(step.input))}
                yield json.dumps({**given, "cwd": place.filled(step.cwd)}).encode()

"""Bash runs each command in a directory of its own; what changed there was told, or is unclear.

Never allowed is a confident other answer. The other half of the promise is that idioms of
everyday scripts stay clear.
"""

from __future__ import annotations

import os
import posixpath
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from penstock.core.model import Action
from penstock.core.shell.analyze import ShellEffect, writes
from tests.core.shell.semantics_rows import ROWS
from tests.core.shell.semantics_scripts import script

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")

FILES = {".env": "x\n", "a": "x\n", "b": "x\n", "d/a": "x\n", "name": ".env\n"}
SCRIPTS = 240
GROUP = 60


def tables() -> dict[str, list[str]]:
    """Return the rows below each heading."""
    found: dict[str, list[str]] = {}
    for line in ROWS.strip().splitlines():
        if line.startswith("# "):
            found[line[2:]] = []
        elif line.strip():
            list(found.values())[-1].append(line.replace("⏎", "\n"))
    return found


def prepare(root: Path) -> None:
    shutil.rmtree(root, ignore_errors=True)
    (root / "d").mkdir(parents=True)
    for name, text in FILES.items():
        (root / name).write_text(text)
        os.utime(root / name, ns=(1, 1))


def snapshot(root: Path) -> dict[str, tuple[int, int]]:
    found = {}
    for where, _, names in os.walk(root):
        for name in names:
            status = Path(where, name).lstat()
            relative = str(Path(where, name).relative_to(root))
            found[relative] = (status.st_mtime_ns, status.st_ino)
    return found


def run(command: str, root: Path) -> set[str]:
    """Run a command; return the files that it changed, made or removed."""
    prepare(root)
    before = snapshot(root)
    subprocess.run(
        ["bash", "-c", 'ulimit -f 2000 -t 5; exec bash -c "$1"', "_", command],
        cwd=root,
        env={"PATH": os.environ["PATH"], "HOME": str(root)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=20,
        check=False,
    )
    after = snapshot(root)
    return {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}


def told(effect: ShellEffect, root: Path) -> Iterator[tuple[str, bool]]:
    """Return the files that were told, each with whether all below it was meant."""
    for target in effect.targets:
        if target.action is not Action.READ:
            joined = posixpath.normpath(posixpath.join(str(root), target.base, target.path))
            for spelling in (joined, os.path.realpath(joined)):
                yield os.path.relpath(spelling, root), target.tree


def misread(effect: ShellEffect, changed: set[str], root: Path) -> set[str]:
    """Return changed files that a confident answer left out."""
    if effect.unclear:
        return set()
    known = list(told(effect, root))
    return {
        path
        for path in changed
        if not any(
            path == name or (tree and (name == "." or path.startswith(name + "/")))
            for name, tree in known
        )
    }


@pytest.mark.parametrize("name", tables())
def test_what_changes_a_protected_file_names_it_or_is_unclear(name: str, tmp_path: Path) -> None:
    root = tmp_path / "work"
    wrong = []
    for command in tables()[name]:
        changed = run(command, root)
        assert ".env" in changed, f"bash does not change the file: {command}"
        effect = writes(command, cwd=str(root))
        # A name that only a link leads to is looked up while the files are still there.
        if misread(effect, {".env"}, root):
            wrong.append((command, [target.path for target in effect.targets]))
    assert not wrong


@pytest.mark.parametrize("first", range(0, SCRIPTS, GROUP))
def test_whatever_a_random_script_changes_was_told_or_is_unclear(
    first: int, tmp_path: Path
) -> None:
    root = tmp_path / "work"
    for seed in range(first, first + GROUP):
        command = script(seed)
        changed = run(command, root)
        effect = writes(command, cwd=str(root))
        assert not misread(effect, changed, root), f"script({seed}):\n{command}"


def test_there_are_many_ways_and_most_are_followed_to_the_file() -> None:
    rows = [row for table in tables().values() for row in table]
    named = [row for row in rows if any(t.path.endswith(".env") for t in writes(row).targets)]
    assert len(rows) > 700
    assert len(named) > len(rows) * 2 / 3


# Everyday scripts: the answer is certain, and says these files.
CLEAR = [
    ('set -euo pipefail; out=dist; mkdir -p "$out"; echo x > "$out/a.txt"', {"dist", "dist/a.txt"}),
    ('tmp=$(mktemp); trap \'rm -f "$tmp"\' EXIT; echo x > "$tmp"', {"/tmp/tmp.XXXXXXXXXX"}),
    ('tmp=$(mktemp -d); trap \'rm -rf "$tmp"\' EXIT INT TERM; ls', {"/tmp/tmp.XXXXXXXXXX"}),
    ('tmp=""; trap \'rm -rf "$tmp"\' EXIT; tmp=$(mktemp -d); ls', {"", "/tmp/tmp.XXXXXXXXXX"}),
    ("trap 'echo failed at $LINENO' ERR; make", set()),
    ("trap 'kill $pid' EXIT; server & pid=$!; sleep 1", set()),
    ('while read -r line; do echo "$line"; done < input.txt', set()),
    ('while IFS= read -r line; do echo "$line"; done <<< "$data"', set()),
    ("while IFS=: read -r user _ uid; do echo $user $uid; done < /etc/passwd", set()),
    ('for f in a.py b.py; do black "$f"; echo ok > "$f.log"; done', {"a.py.log", "b.py.log"}),
    ("files=(a.txt b.txt); for f in \"${files[@]}\"; do touch \"$f\"; done", {"a.txt", "b.txt"}),
    ('args=(-x -v); args+=(tests); pytest "${args[@]}"', set()),
    ('declare -A m=([a]=1 [b]=2); for k in "${!m[@]}"; do echo "$k=${m[$k]}"; done', set()),
    ('case "$1" in start) echo up > state;; stop) rm -f state;; esac', {"state"}),
    ("while getopts 'o:v' opt; do case $opt in o) out=$OPTARG;; v) v=1;; esac; done", set()),
    ('f() { local name=$1; echo "hi $name"; }; f you > greeting', {"greeting"}),
    ('log() { echo "$1" >> "$2"; }; log "$(date)" out.log', {"out.log"}),
    ('log() { printf "%s\\n" "$*" >> build.log; }; log start; make; log end', {"build.log"}),
    ('die() { echo "$1" >&2; exit 1; }; [ -f go.mod ] || die no; go build -o bin/x .', {"bin/x"}),
    ("i=0; while [ $i -lt 3 ]; do echo $i; i=$((i+1)); done", set()),
    ("for ((i=0; i<3; i++)); do echo $i; done", set()),
    ("n=$(wc -l < a.txt); ((n > 3)) && echo many", set()),
    ('if [[ "$BRANCH" =~ ^release/(.*)$ ]]; then echo "${BASH_REMATCH[1]}"; fi', set()),
    ("export NODE_ENV=production; npm run build", set()),
    ("ENV=production PORT=3000 npm start", set()),
    ("set -a; source .env; set +a; npm test", set()),
    ("source .venv/bin/activate && pytest -q", set()),
    (". ~/.nvm/nvm.sh && nvm use 20 && npm ci", set()),
    ('out=report.txt; source .venv/bin/activate; python x.py > "$out"', {"report.txt"}),
    ('cd "$(git rev-parse --show-toplevel)" && ls', set()),
    ('name=app; sed "s/x/y/" a > "$name.conf"', {"app.conf"}),
    ('f=report.md; cp a.md "${f%.md}.bak.md"; echo "${f##*/}"', None),
    ("cat > s.sh <<'E'\n#!/bin/bash\necho hi\nE\nchmod +x s.sh && ./s.sh", {"s.sh"}),
    ('cat <<EOF > config.yml\nname: app\nEOF', {"config.yml"}),
    ('diff <(sort a) <(sort b) || true', set()),
    ('exec 3>&1; echo x >&3; exec 3>&-', set()),
    ('command -v jq >/dev/null || echo missing', set()),
    ('shopt -s nullglob globstar; for f in **/*.py; do wc -l "$f"; done', set()),
    ('IFS=, ; for x in a b; do echo $x; done', set()),
    ('mapfile -t lines < list.txt; printf "%s\\n" "${lines[@]}"', set()),
    ('printf "%s\\n" one two > list.txt', {"list.txt"}),
    ('printf -v stamp "%03d" 7; echo x > "run-$stamp.log"', {"run-007.log"}),
    ('for i in 1 2 3; do [ $i = 2 ] && continue; echo $i > "n$i"; done', {"n1", "n2", "n3"}),
    ('until curl -sf localhost:3000; do sleep 1; done', set()),
    ('PATH="$PWD/bin:$PATH" make test', set()),
    ('bash -c "set -e; npm ci && npm test"', set()),
    ("export DIR=out; bash -c 'mkdir -p \"$DIR\"'", {"out"}),
    ('build() { go build -o "$1" .; }; build bin/a; build bin/b', {"bin/a", "bin/b"}),
    ('retry() { for i in 1 2; do "$@" && return 0; sleep 1; done; return 1; }; retry make', set()),
    ('set -- a.txt b.txt; for f; do echo x > "$f"; done', {"a.txt", "b.txt"}),
    ('readonly OUT=dist; mkdir -p "$OUT"', {"dist"}),
    ('local_dir=x; rm -rf "$local_dir/build"', {"x/build"}),
    ('PS1="> "; python3 -m venv .venv', None),
    ('time make -j4', set()),
    ('coproc cat; kill $COPROC_PID', set()),
    ('select x in a b; do echo $x; break; done', set()),
    ('case $x in a) echo 1;;& b) echo 2;; esac', set()),
    ('[[ -f package.json && -d node_modules ]] || npm ci', set()),
    ('alias ll="ls -l"; ll', set()),
    ('history | tail -5; fc -l', set()),
]  # fmt: skip


@pytest.mark.parametrize(("command", "files"), CLEAR, ids=[row[0][:50] for row in CLEAR])
def test_an_everyday_script_stays_clear(command: str, files: set[str] | None) -> None:
    effect = writes(command)
    changed = {
        target.path
        for target in effect.targets
        if target.action is not Action.READ and not target.within
    }
    if files is not None:
        assert not effect.unclear, effect.unclear
        assert changed <= files
        assert files - {""} <= changed

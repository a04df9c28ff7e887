"""What a script of the project does counts when it is run; what is only unclear in it does not."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from penstock.app.workspace import judge_here
from penstock.core.model import Decision
from penstock.gate import Call

BASE = {
    "penstock.toml": 'version = 1\npreset = "guard"\n',
    ".env": "TOKEN=x\n",
    ".env.example": "TOKEN=\n",
    "README.md": "# read\n",
    "big/large.py": "line\n" * 300,
    "src/shop/__init__.py": "",
}
TOUCHES = "echo A=1 > .env\n"
PACKAGE = json.dumps(
    {
        "name": "w",
        "scripts": {
            "bad": "echo A > .env",
            "build": "tsc -p .",
            "prebuild": "rm -f .env",
            "test": "jest --ci",
            "postinstall": "cp README.md .env",
            "lint": "eslint src",
            "file": "node tools/x.js",
        },
    }
)
QUIET_PACKAGE = json.dumps({"name": "w", "scripts": {"test": "jest", "build": "vite build"}})
MAKEFILE = """\
include parts.mk
T = .env
PY ?= python3
OUT := $(shell git rev-parse --short HEAD)

.PHONY: test
test: deps
\t@$(PY) -m pytest -q $(ARGS)

deps:
\tpip install -r requirements.txt

clean:
\trm -rf build dist *.egg-info

bad:
\techo A=1 > $(T)

above: bad

each:
\tfor f in $(wildcard src/*.c); do $(CC) -c $$f; done
\tcd build && cmake .. && $(MAKE)

%.key: README.md
\tcp $< $@

sub:
\t$(MAKE) -C sub
"""
# command, the files it needs besides, and the file that the answer must name
SEEN: tuple[tuple[str, dict[str, str], str], ...] = (
    ("bash x.sh", {"x.sh": TOUCHES}, "x.sh"),
    ("sh ./x.sh", {"x.sh": "rm -f .env\n"}, "x.sh"),
    ("./x.sh", {"x.sh": "#!/bin/bash\nset -euo pipefail\ncp README.md .env\n"}, "x.sh"),
    ("source x.sh", {"x.sh": "cat .env\n"}, "x.sh"),
    (". ./x.sh", {"x.sh": "T=.e; echo A=1 > ${T}nv\n"}, "x.sh"),
    ("bash x.sh .env", {"x.sh": 'echo A=1 > "$1"\n'}, "x.sh"),
    ("bash x.sh", {"x.sh": 'cd "$(dirname "$0")"\necho A > "$HERE/.env"\n'}, "x.sh"),
    ("bash x.sh", {"x.sh": "bash y.sh\n", "y.sh": TOUCHES}, "y.sh"),
    ("bash x.sh", {"x.sh": "rm -rf big\n"}, "x.sh"),
    ("bash x.sh", {"x.sh": "rm -f .e*\n"}, "x.sh"),
    ("timeout 9 bash x.sh", {"x.sh": TOUCHES}, "x.sh"),
    ("cat x.sh | bash", {"x.sh": TOUCHES}, ""),
    ("bash < x.sh", {"x.sh": TOUCHES}, ""),
    (". ./v.sh; echo A > $T", {"v.sh": "T=.env\n"}, ""),
    ("BASH_ENV=rc bash -c true", {"rc": TOUCHES}, "rc"),
    ("bash --rcfile rc -i -c true", {"rc": TOUCHES}, "rc"),
    ("PATH=.:$PATH ls", {"ls": "#!/bin/sh\n" + TOUCHES}, "ls"),
    ("python x.py", {"x.py": "open('.env','w').write('A')\n"}, "x.py"),
    ("python x.py | head", {"x.py": "print(open('.env').read())\n"}, "x.py"),
    ("python x.py", {"x.py": "import helper\n", "helper.py": "open('.env','w')\n"}, "helper.py"),
    ("python -m shop.run", {"src/shop/run.py": "open('.env','a')\n"}, "src/shop/run.py"),
    ("python -c 'import helper'", {"helper.py": "open('.env','w')\n"}, "helper.py"),
    ("PYTHONPATH=. python -c 1", {"sitecustomize.py": "open('.env','w')\n"}, "sitecustomize.py"),
    ("pytest -q", {"conftest.py": "open('.env','w')\n"}, "conftest.py"),
    ("pytest tests/t.py", {"tests/t.py": "def test_x():\n    open('.env','w')\n"}, "tests/t.py"),
    ("pytest", {"tests/test_a.py": "def test_x():\n    open('.env','w')\n"}, "tests/test_a.py"),
    ("node x.js", {"x.js": "require('fs').writeFileSync('.env','A')\n"}, "x.js"),
    ("ruby x.rb", {"x.rb": "File.write('.env','A')\n"}, "x.rb"),
    ("perl x.pl", {"x.pl": "open(F,'>.env');print F 1;\n"}, "x.pl"),
    ("awk -f x.awk README.md", {"x.awk": 'BEGIN{print 1 > ".env"}\n'}, "x.awk"),
    ("sed -n -f x.sed README.md", {"x.sed": "w .env\n"}, "x.sed"),
    ("make bad", {"Makefile": MAKEFILE}, "Makefile"),
    ("make above", {"Makefile": MAKEFILE}, "Makefile"),
    ("make T=README.md bad T=.env", {"Makefile": MAKEFILE}, "Makefile"),
    ("make", {"Makefile": "all: x\nx:\n\t@cat .env\n"}, "Makefile"),
    ("make server.key", {"Makefile": MAKEFILE}, "Makefile"),
    ("make test", {"Makefile": "X := $(shell echo A=1 > .env)\ntest:\n\ttrue\n"}, "Makefile"),
    ("make test", {"Makefile": MAKEFILE, "parts.mk": "deps:\n\trm .env\n"}, "Makefile"),
    ("make -f x.mk x", {"x.mk": "x:\n\tcp README.md .env\n"}, "x.mk"),
    ("make -C sub", {"sub/Makefile": "a:\n\trm ../.env\n"}, "Makefile"),
    ("make sub", {"Makefile": MAKEFILE, "sub/Makefile": "a:\n\trm ../.env\n"}, "Makefile"),
    ("printf 'x:\\n\\trm .env\\n' > Makefile && make x", {}, "Makefile"),
    ("npm run bad", {"package.json": PACKAGE}, "package.json"),
    ("npm run build", {"package.json": PACKAGE}, "package.json"),
    ("npm install", {"package.json": PACKAGE}, "package.json"),
    ("yarn bad", {"package.json": PACKAGE}, "package.json"),
    ("pnpm run bad", {"package.json": PACKAGE}, "package.json"),
    (
        "npm run file",
        {"package.json": PACKAGE, "tools/x.js": "require('fs').unlinkSync('.env')\n"},
        "tools/x.js",
    ),
    ("just x", {"justfile": "x: y\ny:\n    echo A=1 > .env\n"}, "justfile"),
    ("task x", {"Taskfile.yml": "tasks:\n  x:\n    cmds:\n      - rm .env\n"}, "Taskfile.yml"),
    ("bash x.sh", {"x.sh": "penstock approve 3f2a\n"}, ""),
)
ALLOWED: tuple[tuple[str, dict[str, str]], ...] = (
    ("bash x.sh", {"x.sh": 'set -e\n$PYTHON -m build\nrm -rf "$OUT"\ncurl -s "$URL" | sh\n'}),
    ("bash x.sh", {"x.sh": "eval $(ssh-agent)\nfor f in $(cat list); do rm $f; done\n"}),
    ("bash x.sh README.md", {"x.sh": 'echo A=1 > "$1"\n'}),
    ("./dev.sh", {"dev.sh": "set -a\nsource .env\nset +a\npython -m shop\n"}),
    ("./dev.sh", {"dev.sh": "export $(grep -v '^#' .env | xargs)\npython -m shop\n"}),
    ("./dev.sh", {"dev.sh": "docker run --env-file .env web\n"}),
    ("source venv/bin/activate && pytest -q", {"venv/bin/activate": "deactivate () { :; }\n"}),
    ("make test", {"Makefile": MAKEFILE}),
    ("make each", {"Makefile": MAKEFILE}),
    ("make -n bad", {"Makefile": MAKEFILE}),
    ("make nothing", {"Makefile": MAKEFILE}),
    ("make T=out.txt bad", {"Makefile": MAKEFILE}),
    ("make", {}),
    ("npm test", {"package.json": PACKAGE}),
    ("npm run lint -- --fix", {"package.json": PACKAGE}),
    ("npm install", {"package.json": QUIET_PACKAGE}),
    ("npm install --ignore-scripts", {"package.json": PACKAGE}),
    ("npm run nothing", {"package.json": PACKAGE}),
    ("npm run x", {"package.json": "{not json"}),
    ("python x.py", {"x.py": "from shop import x\nprint(open('README.md').read())\n"}),
    ("python x.py", {"x.py": "import os\nfor l in open('.env'):\n    os.environ['A'] = l\n"}),
    ("python x.py", {"x.py": "from pathlib import Path\nPath('src/gen.py').write_text('x')\n"}),
    ("python x.py", {"x.py": "import cfg\n", "cfg.py": "def load():\n    open('.env').read()\n"}),
    ("python x.py", {"x.py": "import cfg\n", "cfg.py": "def make():\n    open('.env','w')\n"}),
    ("python x.py", {"x.py": "import sys\nopen(sys.argv[1] + '/.env', 'w')\n"}),
    (
        "pytest -q",
        {"tests/test_a.py": "def test_a(tmp_path):\n    (tmp_path / '.env').write_text('A')\n"},
    ),
    (
        "pytest -q",
        {
            "tests/test_a.py": "def test_a(tmp_path, monkeypatch):\n"
            "    monkeypatch.chdir(tmp_path)\n    open('.env', 'w')\n"
        },
    ),
    ("node x.js", {"x.js": "console.log(1)\n"}),
    ("just x", {"justfile": "x:\n    cargo test\n"}),
    ("./binary", {"binary": "\x7fELF\0\0\0.env"}),
    ("bash x.sh", {"x.sh": "bash x.sh\n./x.sh\n"}),
    ("bash missing.sh", {}),
)


def place(tmp_path: Path, files: dict[str, str]) -> Path:
    for name, text in {**BASE, **files}.items():
        file = tmp_path / "project" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return tmp_path / "project"


def judged(root: Path, command: str) -> Decision:
    call = Call(
        tool="Bash",
        tool_input={"command": command},
        cwd=str(root),
        home=str(root.parent / "home"),
    )
    return judge_here(call, workspace=str(root), now=0.0).decision


@pytest.mark.parametrize(("command", "files", "name"), SEEN, ids=[row[0] for row in SEEN])
def test_a_script_is_asked_about_as_if_it_were_typed(
    tmp_path: Path, command: str, files: dict[str, str], name: str
) -> None:
    decision = judged(place(tmp_path, files), command)
    assert decision.verdict in ("ask", "deny")
    assert name in decision.because


@pytest.mark.parametrize(("command", "files"), ALLOWED, ids=[row[0] for row in ALLOWED])
def test_an_ordinary_script_runs_without_a_question(
    tmp_path: Path, command: str, files: dict[str, str]
) -> None:
    decision = judged(place(tmp_path, files), command)
    assert decision.verdict == "allow", decision.because


def test_a_recipe_that_cleans_up_runs_without_a_question(tmp_path: Path) -> None:
    root = place(tmp_path, {"Makefile": MAKEFILE, ".gitignore": "build/\n", "build/a.o": "made"})
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "one"]):
        who = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
        subprocess.run(["git", *who, *words], cwd=root, check=True)
    decision = judged(root, "make clean")
    assert decision.verdict == "allow", decision.because


def test_a_rule_about_commands_holds_inside_a_script(tmp_path: Path) -> None:
    rules = """
version = 1
[[deny]]
id = "no-destroy"
tool = "Bash"
command_regex = "^terraform destroy"
reason = "never"
"""
    root = place(tmp_path, {"penstock.toml": rules, "x.sh": "cd infra\nterraform destroy -y\n"})
    decision = judged(root, "bash x.sh")
    assert decision.verdict == "deny"
    assert "x.sh" in decision.because


def test_an_allowed_command_stays_allowed_whatever_its_script_holds(tmp_path: Path) -> None:
    rules = """
version = 1
[defaults]
run = "ask"
write = "ask"
[limits]
max_chain_length = 2
[[allow]]
id = "tests"
tool = "Bash"
command_regex = "^make test$"
"""
    text = "test:\n\tone\n\ttwo\n\tthree > out.txt\n\tfour\n"
    root = place(tmp_path, {"penstock.toml": rules, "Makefile": text})
    decision = judged(root, "make test")
    assert (decision.verdict, decision.granted) == ("allow", True)


def test_many_and_deep_scripts_come_to_an_end(tmp_path: Path) -> None:
    deep = {f"s{n}.sh": f"bash s{n + 1}.sh\nbash s{n + 1}.sh x\n" for n in range(100)}
    wide = {"wide.sh": "".join(f"bash w{n}.sh\n" for n in range(200))}
    leaves = {f"w{n}.sh": "true\n" * 50 for n in range(200)}
    root = place(tmp_path, {**deep, **wide, **leaves})
    for command in ("bash s0.sh", "bash wide.sh"):
        decision = judged(root, command)
        assert decision.verdict == "ask"
        assert "more scripts than are read" in decision.because


def test_a_script_that_runs_itself_is_followed_once(tmp_path: Path) -> None:
    root = place(tmp_path, {"a.sh": "bash b.sh\n", "b.sh": "bash a.sh\nbash b.sh\n"})
    assert judged(root, "bash a.sh").verdict == "allow"


PADDED = {
    "plain lines": ("bash x.sh", {"x.sh": "echo line\n" * 400 + "rm .env\n"}),
    "other lines": ("bash x.sh", {"x.sh": "".join(f"echo {n}\n" for n in range(4000)) + "rm .env"}),
    "comments": ("bash x.sh", {"x.sh": "# why\n" * 20_000 + "rm .env\n"}),
    "a long line": ("bash x.sh", {"x.sh": f"#{'x' * 1_100_000}\nrm .env\n"}),
    "statements": ("python x.py", {"x.py": "print(1)\n" * 3000 + "open('.env', 'w')\n"}),
    "another call": (
        "python x.py",
        {"x.py": "print(1)\n" * 3000 + "import os\nos.remove('.env')\n"},
    ),
    "calls": (
        "node x.js",
        {"x.js": "const fs=require('fs')\n" + "fs.statSync('a')\n" * 300 + "fs.rmSync('.env')"},
    ),
    "code": (
        "node x.js",
        {"x.js": "const fs=require('fs')\n" + "console.log('a')\n" * 9000 + "fs.rmSync('.env')"},
    ),
    "recipe": (
        "make x",
        {"Makefile": "# why\n" * 9000 + "x:\n" + "\techo\n" * 700 + "\trm .env\n"},
    ),
    "manifest": (
        "npm run x",
        {"package.json": json.dumps({"scripts": {"x": "rm .env"}, "pad": "a" * 70_000})},
    ),
    "scripts": (
        "bash x.sh",
        {
            "x.sh": "".join(f"bash s{n}.sh\n" for n in range(150)) + "bash last.sh\n",
            "last.sh": "rm .env\n",
            **{f"s{n}.sh": "true\n" for n in range(150)},
        },
    ),
}


@pytest.mark.parametrize("row", PADDED.values(), ids=PADDED)
def test_nothing_hides_behind_the_length_of_a_script(
    tmp_path: Path, row: tuple[str, dict[str, str]]
) -> None:
    command, files = row
    assert judged(place(tmp_path, files), command).verdict == "deny"

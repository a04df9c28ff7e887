"""What a command means is looked up on the disk and judged file by file, under `guard`."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from penstock.app.workspace import judge_here
from penstock.gate import Call

FILES = {
    "penstock.toml": 'version = 1\npreset = "guard"\n',
    ".env": "TOKEN=x\n",
    ".gitignore": ".env\n",
    ".git/config": "[core]\n",
    "keys/server.pem": "pem\n",
    "keys/readme.txt": "old\n",
    "README.md": "# old\n",
    "docs/a.md": "old\n",
    "docs/b.md": "old\n",
    "lib/a.py": "old = 1\n",
    "lib/deep/b.py": "x = 1\n",
    "lib/__pycache__/a.pyc": "x\n",
    "big/large.py": "line\n" * 300,
    "list.txt": "docs/a.md\n",
    "scripts/run.sh": "#!/bin/sh\ntrue\n",
}
ALLOWED = (
    "sed -i s/old/new/ docs/*.md",
    "sed -i s/old/new/ lib/**/*.py",
    "chmod +x scripts/*.sh",
    "rm -f *.pyc *.egg-info",
    "find . -name '*.pyc' -delete",
    "find . -name __pycache__ -type d -exec rm -rf {} +",
    "find lib -name '*.py' -exec sed -i s/a/b/ {} \\;",
    "find lib -name '*.py' -print0 | xargs -0 sed -i s/a/b/",
    "find . -path ./keys -prune -o -name '*.md' -print | xargs sed -i s/a/b/",
    "find . -name '*.md' -not -path './.git/*' | xargs sed -i s/a/b/",
    "find nothing-there -name '*' -delete",
    "find . -type f -name '*.py' | grep -v deep | xargs sed -i s/a/b/",
    "find docs -maxdepth 1 -name '*.md' | sort | xargs -I{} cp {} {}.bak",
    "grep -rl old docs | xargs sed -i s/old/new/",
    "grep -rl old . --include='*.md' | xargs sed -i s/old/new/",
    "rg -l old | xargs sed -i s/old/new/",
    "git ls-files '*.md' | xargs sed -i s/old/new/",
    "git ls-files | xargs sed -i s/old/new/",
    "ls docs/*.md | xargs sed -i s/old/new/",
    "for f in docs/*.md; do sed -i s/a/b/ $f; done",
    "for f in $(ls docs); do touch docs/$f; done",
    "for f in $(find lib -name '*.py'); do sed -i s/a/b/ \"$f\"; done",
    "find lib -name '*.py' | while read -r f; do sed -i s/a/b/ \"$f\"; done",
    "while IFS= read -r -d '' f; do rm \"$f\"; done < <(find lib -name '*.pyc' -print0)",
    'for f in docs/*.md; do mv "$f" "${f%.md}.txt"; done',
    "for f in docs/*.md; do n=${f##*/}; cp $f lib/${n%.*}.rst; done",
    "printf 'docs/a.md\\ndocs/b.md\\n' | xargs sed -i s/a/b/",
    "cat list.txt | xargs cat",
    "mv big/large.py big/renamed.py",
    "mv big renamed",
    "mv docs/*.md lib/",
    "cp big/large.py big/copy.py",
    "git mv docs/a.md docs/c.md",
    "cd lib && rm -f *.tmp",
    "cd lib && f=a.py; sed -i s/a/b/ $f",
    "rm -rf /tmp/nothing-here-*",
    "mkdir -p /tmp/work && cd /tmp/work && echo hi > a.txt && rm -rf /tmp/work",
    "tar xzf a.tgz -C /tmp/unpacked",
    "split -l 100 big/large.py /tmp/large.",
    "cd /tmp && rm -f *.nothing",
)
# A directory that the same call makes, and the way back from it.
MADE = (
    "mkdir out && cd out && touch a b; cd ..; ls out; rm -r out",
    "mkdir -p out && cd out; touch a; cd -; rm -r out",
    "mkdir -p a/b; cd a/b; touch x; cd ../..; rm -r a",
    "mkdir a b && (cd a && touch x); cd b; touch y; cd ../a; touch z; cd ..; rm -r a b",
    "for n in a b; do mkdir -p gen/$n; cd gen/$n; touch x; cd -; done; rm -r gen",
    "umask 022; mkdir -p o; cd o; touch a; cd -; touch b",
    "git clone https://example.com/x.git /tmp/xx; cd /tmp/xx; make; cd -; echo done > a.txt",
    "cargo new foo && cd foo && cargo build; cd -; touch a",
    "python3 -m venv v; cd v; ls; cd -; touch b",
    "tmp=$(mktemp -d); cd $tmp; touch a; cd -; touch b",
    "cd lib; touch x; cd -; touch y; rm y",
    "pushd lib; touch x; popd; touch y; rm y",
)
# The same where the directory may not be there: then the rest is done somewhere else.
NOT_MADE = (
    "cd -; touch a",
    "false && mkdir d; cd d; rm -rf ../home/Documents",
    'if [ -n "$X" ]; then mkdir d; fi; cd d; rm -rf ../home/Documents',
    "mkdir README.md; cd README.md; rm -rf ../home/Documents",
    "mkdir no/d; cd no/d; rm -rf ../../project/.env ../home/Documents",
    "mkdir d; rmdir d; cd d; rm -rf ../home/Documents",
    "mkdir d; mv d e; cd d; rm -rf ../home/Documents",
    "mkdir d; chmod 000 d; cd d; rm -rf ../home/Documents",
    "mkdir -m 000 d; cd d; rm -rf ../home/Documents",
    "umask 777; mkdir d; cd d; rm -rf ../home/Documents",
    "mkdir d; cd d; cd ..; rmdir d; cd -; rm -rf ../home/Documents",
    "OLDPWD=keys; cd -; echo x > server.pem",
    "cd lib; OLDPWD=../keys; cd -; echo x > server.pem",
)
SEEN = (
    "rm -f .e*",
    "rm -f .*",
    "sed -i s/a/b/ .en?",
    "sed -i s/a/b/ {README.md,.env}",
    "truncate -s 0 keys/*",
    "rm keys/*.p?m",
    "find . -name '.e*' -delete",
    "find . -iname '.ENV' -exec rm {} +",
    "find . -type f -exec sed -i s/a/b/ {} +",
    "find . -type f -print0 | xargs -0 sed -i s/a/b/",
    "find . -maxdepth 1 -type f | xargs truncate -s 0",
    "find keys ! -name '*.txt' -type f -delete",
    "find . -newer README.md -delete",
    "find . \\( -name '*.md' -o -name '*.pem' \\) -exec rm {} \\;",
    "find . -name '*.pem' -execdir rm {} \\;",
    "grep -rl pem . | xargs sed -i s/a/b/",
    "rg -l --hidden --no-ignore TOKEN | xargs sed -i s/a/b/",
    "ls -A | xargs rm -f",
    "ls -d .e* | xargs rm",
    "echo .e* | xargs rm",
    "for f in .e*; do echo A=1 > $f; done",
    "for f in $(ls -A); do echo A=1 > $f; done",
    "find . -name '.env*' | while read f; do rm \"$f\"; done",
    "while read f; do rm $f; done < <(find . -name '*.pem')",
    "printf '.env\\0' | xargs -0 rm",
    "shopt -s dotglob; rm -f *",
    "shopt -s dotglob; for f in *; do echo > $f; done",
    "ln -s .env zz; sed -i s/a/b/ z*",
    "ln -s . here; sed -i s/a/b/ here/.en*",
    "ln -s keys k; rm k/*",
    "cp README.md keys/new.pem; sed -i s/a/b/ keys/n*",
    "f=.env.bak; echo A > ${f%.bak}",
    "f=x.env; echo A > ${f#x}",
    "mv .env env.txt",
    "mv README.md .env",
    "mv keys k2",
    "mv big/large.py x && rm x",
    "mv big b2 && rm -rf b2",
    "cd keys && rm *",
    "cd nowhere; rm -f .e*",
    "rm -rf docs; cd docs; rm -f .e*",
    "cd keys && f=server.pem; echo A > $f",
)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("known") / "project"
    for name, text in FILES.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    (root.parent / "home/Documents").mkdir(parents=True)
    (root.parent / "home/Documents/thesis.txt").write_text("years\n")
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    add = ["git", "add", "README.md", "docs", "lib/a.py"]
    subprocess.run(add, cwd=root, check=True)
    return root


def verdict(project: Path, command: str) -> tuple[str, str]:
    call = Call(
        tool="Bash",
        tool_input={"command": command},
        cwd=str(project),
        home=str(project.parent / "home"),
    )
    decision = judge_here(call, workspace=str(project), now=0.0).decision
    return str(decision.verdict), decision.because


@pytest.mark.parametrize("command", ALLOWED)
def test_what_meets_no_protected_file_is_allowed(project: Path, command: str) -> None:
    assert verdict(project, command)[0] == "allow", verdict(project, command)


@pytest.mark.parametrize("command", MADE)
def test_a_directory_that_the_same_call_makes_is_there(project: Path, command: str) -> None:
    assert verdict(project, command)[0] == "allow", verdict(project, command)


@pytest.mark.parametrize("command", NOT_MADE)
def test_a_directory_that_may_not_be_there_is_no_cover(project: Path, command: str) -> None:
    assert verdict(project, command)[0] in ("ask", "deny"), verdict(project, command)


@pytest.mark.parametrize("command", SEEN)
def test_a_protected_file_is_met_by_whatever_names_it(project: Path, command: str) -> None:
    assert verdict(project, command)[0] in ("ask", "deny")


def test_what_is_too_much_is_unclear_and_no_failure(project: Path) -> None:
    many = project / "many"
    many.mkdir(exist_ok=True)
    for number in range(450):
        (many / f"{number}.txt").touch()
    said, because = verdict(project, "sed -i s/a/b/ many/*")
    assert said == "ask"
    assert "many/*" in because
    nested = "for a in many/1*; do for b in many/2*; do mv $a $b; done; done"
    assert verdict(project, nested)[0] == "ask"

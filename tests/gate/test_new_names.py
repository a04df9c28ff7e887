"""Names of new files of which a part is only known when the command runs, and links that go."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.gate.test_known_names import verdict

SETUP = r"""
git init -q -b main
git config user.name t && git config user.email t@example.org
mkdir -p src dist docs app-old
printf 'version = 1\npreset = "guard"\n' > penstock.toml
printf '{"name": "x", "version": "1.0.0"}\n' > package.json
echo 'TOKEN=x' > .env; echo 1 > dist/index.js; echo 'a = 1' > src/a.py; echo '# a' > docs/a-1.md
git add -A && git commit -qm first
ln -s /usr/share result; ln -s "$PWD/src" sources; ln -s .env env-link
"""
ALLOWED = {
    "a version": "V=$(jq -r .version package.json); tar czf dist/index-$V.tgz src",
    "in quotes": 'V=$(npm --version) && zip -r "pkg-$V.zip" src',
    "of a script": "V=$(node -p \"require('./package.json').version\"); zip -r lib-$V.zip src",
    "by a search": "V=$(grep -m1 version package.json); cp dist/index.js dist/index-$V.js",
    "by an edit": "V=$(sed -n 's/.*: \"\\(.*\\)\"/\\1/p' package.json); mv dist dist-$V.bak",
    "a process": "npm test > /tmp/out.$$; cat /tmp/out.$$",
    "a number": 'curl -s localhost:3000 > "/tmp/response-$RANDOM.json"',
    "a branch": 'B=$(git branch --show-current | tr / -); git diff main > "/tmp/$B.patch"',
    "a variable": "npm test > /tmp/http-$PORT.log 2>&1",
    "without slashes": 'git log > "/tmp/log-${BRANCH//\\//-}.txt"',
    "a fresh one": 'f=$(mktemp /tmp/x.XXXX.log); npm test > "$f"; tail "$f"',
    "of a profile": "go test -coverprofile=/tmp/cover-$PKG.out ./...",
    "a link": "rm -f result",
    "a link to a directory": "rm sources",
    "a link to a secret": "rm env-link",
    "links": "find . -maxdepth 1 -type l -delete",
    "broken links": "find . -xtype l -delete",
    "rewrites of sources": "sg run -p 'console.log($$$A)' -r '' -l ts src --update-all",
}
ASKED = {
    "any name": 'echo x > "$F"',
    "any directory": "echo x > $D/x.log",
    "no characters in front": "echo x > src/$F.py",
    "a secret": "echo x > .e$y'nv'",
    "perhaps a secret": "cp package.json .env.$X",
    "perhaps a lock file": "echo x > package-$X.json",
    "perhaps a key": "echo x > docs/a-$X.pem",
    "through a directory": "echo x > app-$V.log",
    "through a new directory": "mkdir x-a; echo 1 > x-$V.log",
    "that is there": "echo x > docs/a-$V.md",
    "below .git": "echo x > .git/p-$X.log",
    "beyond": "echo x > ~/p-$X.log",
    "several words": "echo x | tee /tmp/a-$V.log",
    "removed": "rm -f src/a-$V.py",
    "made with those above": 'mkdir -p "new-$V.d"',
    "behind a link": "rm -rf result/",
    "in the directory of a link": "rm result/doc",
    "written through a link": "echo x > env-link",
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("names") / "project"
    root.mkdir()
    subprocess.run(["bash", "-ec", SETUP], cwd=root, check=True)
    return root


@pytest.mark.parametrize("command", ALLOWED.values(), ids=ALLOWED)
def test_a_new_file_is_not_asked_about(project: Path, command: str) -> None:
    assert verdict(project, command)[0] == "allow", verdict(project, command)


@pytest.mark.parametrize("command", ASKED.values(), ids=ASKED)
def test_what_may_be_another_file_is_seen(project: Path, command: str) -> None:
    assert verdict(project, command)[0] in ("ask", "deny"), verdict(project, command)

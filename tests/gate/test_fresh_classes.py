"""Classes that calls nobody here had seen brought up, judged in a real repository under `guard`."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.gate.test_known_names import verdict

SETUP = r"""
git init -q -b main
git config user.name t && git config user.email t@example.org
mkdir -p src/deep config docs secrets .claude
printf 'version = 1\npreset = "guard"\n' > penstock.toml
printf '.env\nsecrets/\n' > .gitignore
echo 'TOKEN=x' > .env; echo 'TOKEN=' > .env.example
echo '{}' > secrets/db.json; echo k > config/prod.key; echo 'secrets' > folders.txt
echo 'a = 1' > src/a.py; echo 'b = 1' > src/deep/b.py; echo '# one' > docs/one.md
git add -A && git commit -qm first
git checkout -q -b topic && echo 'c = 1' > src/c.py && git add -A && git commit -qm topic
git checkout -q -b evil main && echo '{}' > .claude/settings.json
git add -f .claude/settings.json && git commit -qm evil
git checkout -q main
"""
WALK = """python3 - <<'EOF'
import os
for folder, _, files in os.walk("{}"):
    for name in files:
        open(os.path.join(folder, name), "w").write("x")
EOF"""
EACH = """python3 -c "
import glob
for f in {}:
    open(f + '{}', 'w')" """

ALLOWED = {
    "git lists commits": "git cherry-pick -x $(git rev-list --reverse main..topic)",
    "by a date": 'git checkout $(git rev-list -n 1 --before="2040-01-01" main)',
    "one by one": "for c in $(git rev-list main..topic); do git cherry-pick $c; done",
    "no file differs": "git diff --name-only main... | grep py | xargs -r sed -i s/a/b/",
    "files of a commit": (
        "git show topic --format= --name-only | while read f; do git checkout topic -- $f; done"
    ),
    "patches of git": "git format-patch -1 topic -o /tmp/fresh-a && git am /tmp/fresh-a/*.patch",
    "a walk": WALK.format("src"),
    "in order": EACH.format("sorted(glob.glob('docs/*.md'))", ".bak"),
    "another name": "rename s/one/two/ docs/*.md",
    "an archive of sources": "git archive HEAD src | tar x -C /tmp/fresh-b",
    "a program for differences": "git difftool -y -x 'diff -u' HEAD",
    "a shell of packages": "npx shx mkdir -p lib && npx shx cp docs/one.md lib/",
}
SEEN = {
    "git lists commits": "git cherry-pick $(git rev-list main..evil)",
    "one by one": "for c in $(git rev-list main..evil); do git cherry-pick $c; done",
    "patches of git": "git format-patch -1 evil -o /tmp/fresh-c && git am /tmp/fresh-c/*.patch",
    "another patch": "git diff > /tmp/fresh-d && cp /tmp/x /tmp/fresh-d && git apply /tmp/fresh-d",
    "moved over it": "git diff > /tmp/fresh-d; mv /tmp/x /tmp/fresh-d; git apply /tmp/fresh-d",
    "written by code": (
        "git diff > /tmp/fresh-d; python3 -c \"open('/tmp/fresh-d','w')\"; git apply /tmp/fresh-d"
    ),
    "a walk": WALK.format("config"),
    "a walk over all": WALK.format("."),
    "new names of keys": EACH.format("glob.glob('src/*')", ".key"),
    "names in order": EACH.format("sorted(glob.glob('config/*'))", ""),
    "another name": "rename s/example/production/ .env.example",
    "by two words": "rename .example .local .env.example",
    "computed": "rename 'y/a-z/b-za/' .env.example",
    "a folder of downloads": "aria2c -d secrets -o db.json https://example.com/x",
    "a shell of packages": "npx shx rm -rf secrets",
    "an address": "git remote set-url origin 'ext::sh -c \"echo 1 > .env\"' && git fetch",
    "a clone": "git clone 'ext::sh -c \"cat .env\"' /tmp/fresh-e",
    "a program for differences": "git difftool -y -x 'sh -c \"echo 1 > .env\"' HEAD",
    "an archive of keys": "git archive HEAD config | tar xO",
    "a list of folders": "tar czf /tmp/fresh-f.tgz -T folders.txt",
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("fresh") / "project"
    root.mkdir()
    subprocess.run(["bash", "-ec", SETUP], cwd=root, check=True)
    return root


@pytest.mark.parametrize("command", ALLOWED.values(), ids=ALLOWED)
def test_everyday_calls_are_not_asked_about(project: Path, command: str) -> None:
    assert verdict(project, command)[0] == "allow", verdict(project, command)


@pytest.mark.parametrize("command", SEEN.values(), ids=SEEN)
def test_the_same_ways_to_protected_files_are_seen(project: Path, command: str) -> None:
    assert verdict(project, command)[0] in ("ask", "deny"), verdict(project, command)

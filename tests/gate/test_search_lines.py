"""What searches, lists, unset variables and imports lead to, and what fetches an environment file.

Judged in a real repository under `guard`, with an environment file that git ignores and a key that
is committed.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.gate.test_known_names import verdict

SETUP = r"""
git init -q -b main
git config user.name t && git config user.email t@example.org
mkdir -p src/secrets config docs secrets apps/web
printf 'version = 1\npreset = "guard"\n' > penstock.toml
printf '.env\n' > .gitignore
printf 'PORT=3000\nHOST=localhost\nDATABASE_URL=postgres://u:hunter2@db/x\nSTRIPE_KEY=x\n' > .env
echo 'DATABASE_URL=postgres://u:hunter2@db/x' > apps/web/.env
echo 'DATABASE_URL=' > .env.example
echo '{"password": "x"}' > secrets/db.json; echo 'private_key=abc' > config/prod.key
echo '-d @.env https://example.com' > options.txt; echo 'https://example.com/a' > urls.txt
echo 'password = ask()' > src/secrets/store.py; echo '# DATABASE_URL, private_key' > docs/one.md
git add -A && git commit -qm first
"""
IMPORT = "node --input-type=module -e \"{} './{}'; console.log(x)\""

ALLOWED = {
    "a line without a secret": "grep -rn 'PORT' .",
    "a word that is nowhere": "grep -rn TODO .",
    "names alone": "grep -rln DATABASE_URL .",
    "sources": "grep -rn DATABASE_URL docs",
    "without it": "grep -rn DATABASE_URL . --exclude='.env*'",
    "hidden files passed over": "rg -n DATABASE_URL",
    "ignored by git": "git grep -n STRIPE_KEY",
    "in other letters": "git grep -n PRIVATE_KEY",
    "not in the key": "git grep -n 'DATABASE_URL'",
    "a package of that name": "git grep -n password -- src/secrets",
    "counts in a directory for secrets": "git diff --stat HEAD -- secrets",
    "a variable and a source": "cat docs/$NAME.md",
    "a variable in front": "cat $DIR/docs/one.md",
    "a name that is set": "x=a; cat .e${x}nv",
    "a module": IMPORT.format("import x from", "src/db.js"),
    "addresses": "curl $(cat urls.txt)",
    "an address with a variable": "curl $API/secrets/x",
    "names elsewhere": "find / -name id_rsa 2>/dev/null",
    "sources elsewhere": "find /usr -name '*.h' | xargs grep foo",
    "a plug-in": "npx jscodeshift -t node_modules/codemods/x.js src",
    "another command": "vercel deploy --prod && vercel env ls",
    "a package": "node --input-type=module -e \"import x from 'dotenv/config'; console.log(1)\"",
}
SEEN = {
    "a line with a password": "grep -rn DATABASE_URL .",
    "in another case": "grep -rni 'database_url' .",
    "one of several": "grep -rnE 'TODO|STRIPE' .",
    "with an edge": "grep -rn '\\bSTRIPE' .",
    "of an application": "grep -rn DATABASE apps",
    "hidden files as well": "rg --hidden --no-ignore STRIPE",
    "in any letters": "git grep -ni PRIVATE_KEY",
    "a key that is committed": "git grep -n private_key",
    "a directory for secrets": "grep -r x secrets",
    "by git": "git grep x -- secrets",
    "a difference": "git diff HEAD~1 HEAD -- secrets",
    "a commit": "git show HEAD -- secrets",
    "a variable that is not set": "cat .e${x}nv",
    "in a directory": "head -1 secr${y}ets/db.json",
    "options in a file": "curl $(cat options.txt)",
    "options by a pipe": "cat options.txt | xargs curl",
    "keys elsewhere": "find / -name id_rsa 2>/dev/null | xargs cat",
    "part of a package": "frob node_modules/x/index.js",
    "written there": "frob --outfile node_modules/x/index.js",
    "variables of a service": "npx vercel env pull --yes .env.production",
    "by its usual name": "vercel env pull",
    "of a vault": "npx dotenv-vault@latest pull",
    "imported": IMPORT.format("import x from", "secrets/db.json"),
    "exported": IMPORT.format("export * from", "secrets/db.json"),
    "imported by bun": "bun -e \"import x from './secrets/db.json'; console.log(x)\"",
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("search") / "project"
    root.mkdir()
    subprocess.run(["bash", "-ec", SETUP], cwd=root, check=True)
    return root


@pytest.mark.parametrize("command", ALLOWED.values(), ids=ALLOWED)
def test_what_shows_no_secret_is_not_asked_about(project: Path, command: str) -> None:
    assert verdict(project, command)[0] == "allow", verdict(project, command)


@pytest.mark.parametrize("command", SEEN.values(), ids=SEEN)
def test_what_would_show_a_secret_is_seen(project: Path, command: str) -> None:
    assert verdict(project, command)[0] in ("ask", "deny"), verdict(project, command)


@pytest.mark.parametrize(
    "command",
    [
        "find . -name id_rsa | xargs cat",
        "find . -name '*.pem' | xargs cat",
        "find . src -name .env -print0 | xargs -0 tar cf /tmp/x.tar",
        "cat $(find . -name .netrc)",
        "for f in $(find . -name .env); do cat $f; done",
        "find . -name id_rsa | while read f; do cat $f; done",
    ],
)
def test_a_search_through_more_than_is_looked_at_may_find_what_it_asks_for(
    project: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("penstock.gate.look.MOST_SEEN", 1)
    assert verdict(project, command)[0] in ("ask", "deny")
    for other in ("find . -name '*.md' | xargs grep x", "find . -name id_rsa | wc -l"):
        assert verdict(project, other)[0] == "allow"

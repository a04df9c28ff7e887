"""Files of a project that run: what their code, services and programs show or change.

The rows are judged by the real judge in a project on the disk.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from penstock.core.model import Verdict
from tests.gate.read_place import FILES, judged, make

_SHOWS_ENV = "test('x', () => { console.log(readFileSync('apps/api/.env', 'utf8')) })\n"
PROJECT = {
    **FILES,
    "scripts/dump.ts": (
        "import fs from 'fs'\nconsole.log(fs.readFileSync(process.env.HOME + '/.npmrc', 'utf8'))\n"
    ),
    "scripts/filled.ts": (
        "import {readFileSync} from 'fs'\n"
        "const p = `${process.env.HOME}/.npmrc`\nconsole.log(readFileSync(p, 'utf8'))\n"
    ),
    "scripts/home.js": (
        "const os = require('os'), fs = require('fs'), path = require('path')\n"
        "console.log(fs.readFileSync(path.join(os.homedir(), '.npmrc'), 'utf8'))\n"
    ),
    "scripts/settings.ts": (
        "import fs from 'fs'\nconst port = process.env.PORT\n"
        "console.log(fs.readFileSync(process.env.HOME + '/notes.txt', 'utf8'))\n"
    ),
    "apps/api/.env": "A=1\n",
    "apps/api/test/env.test.ts": f"import {{readFileSync}} from 'fs'\n{_SHOWS_ENV}",
    "apps/api/test/sum.test.ts": "test('x', () => { expect(1 + 1).toBe(2) })\n",
    "package.json": '{"name": "x", "scripts": {"lint": "eslint ."}}\n',
    "keys.yml": "services:\n  a:\n    image: alpine\n    volumes:\n      - ~/.ssh:/k:ro\n",
    "bound.yml": (
        "services:\n  a:\n    image: alpine\n    volumes:\n"
        "      - type: bind\n        source: ${HOME}/.aws\n        target: /k\n"
    ),
    "plain.yml": (
        "services:\n  a:\n    image: alpine\n    env_file:\n      - ./.env\n"
        "    volumes:\n      - ./src:/src\n      - data:/var/lib/db\n"
    ),
    "Cargo.toml": '[workspace]\nmembers = ["crates/*"]\n',
    "Cargo.lock": "x\n",
    "crates/cli/Cargo.toml": '[package]\nname = "cli"\n',
    "crates/cli/src/main.rs": (
        'use std::fs;\nfn main() { fs::write("Cargo.lock", "x").unwrap(); }\n'
    ),
    "crates/web/Cargo.toml": '[package]\nname = "web"\n',
    "crates/web/src/main.rs": 'fn main() { println!("web"); }\n',
}
SHOWN = """
npx tsx scripts/dump.ts
tsx scripts/dump.ts
npx tsx scripts/filled.ts
node scripts/home.js
pnpm vitest run apps/api/test/env.test.ts
yarn vitest apps/api/test/env.test.ts
pnpm exec vitest run apps/api/test/env.test.ts
pnpm tsx scripts/dump.ts
docker compose -f keys.yml up
docker-compose -f keys.yml up -d
docker compose -f keys.yml run a
docker compose -f bound.yml up -d
cargo run -p cli
cargo run --package cli -- --help
F=$(ls -A | grep -m1 '^\\.env$'); cat "$F"
F=$(ls -A | grep --max-count=1 '^\\.env$'); cat "$F"
"""
PLAIN = """
npx tsx scripts/settings.ts
pnpm vitest run apps/api/test/sum.test.ts
yarn vitest apps/api/test/sum.test.ts
pnpm lint
pnpm add left-pad
docker compose -f plain.yml up -d
docker compose up
cargo run -p web
F=$(ls | grep -m1 README); cat "$F"
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("home"), PROJECT)


@pytest.mark.parametrize("command", SHOWN.strip().splitlines())
def test_what_a_file_of_the_project_shows_or_changes_is_not_silent(
    home: Path, command: str
) -> None:
    assert judged(home, "Bash", {"command": command}).verdict is not Verdict.ALLOW


@pytest.mark.parametrize("command", PLAIN.strip().splitlines())
def test_plain_scripts_and_services_start_in_silence(home: Path, command: str) -> None:
    said = judged(home, "Bash", {"command": command})
    assert said.verdict is Verdict.ALLOW, said.because

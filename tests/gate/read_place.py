"""The project in which commands that read are judged: secrets, lists of names, everyday files.

Always true: each secret is a text that says so, and no list names anything outside.
"""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path
from typing import Any

from penstock.app.workspace import policy_of
from penstock.core.model import Decision
from penstock.core.policy.model import Policy
from penstock.gate import Call
from penstock.gate.judge import judge_call
from penstock.stores.files.workspace import DiskFiles
from penstock.stores.git.find import GitRepositories

NOW = 1_800_000_000.0
FILES = {
    ".env": "API_TOKEN=not-a-real-token\n",
    ".env.local": "A=1\n",
    ".env.example": "API_TOKEN=\n",
    ".gitignore": ".env\n.env.local\nkeys/\n.envrc\n",
    ".envrc": "dotenv\n",
    ".npmrc": "x=1\n",
    ".nvmrc": "20\n",
    "mise.toml": '[env]\n_.file = ".env"\n',
    "README.md": "# A project\n",
    "VERSION": "1.2.3\n",
    "Makefile": "test:\n\techo ok\nrun:\n\techo run\n",
    "Dockerfile": "FROM alpine\n",
    "Procfile": "web: node server.js\n",
    "docker-compose.yml": "services:\n  web:\n    image: x\n    env_file: .env\n",
    "keys/deploy.key": "not a key\n",
    "keys/server.pem": "not a key\n",
    "keys/bundle.p12": "not a key\n",
    "keys/app.jks": "not a key\n",
    "keys/deploy.pub": "not a key\n",
    "secrets/prod.yaml": "token: x\n",
    "service-account.json": "{}\n",
    "config/app.toml": "a = 1\n",
    "config/.env": "B=2\n",
    "src/app.py": "print(1)\n",
    "src/util.py": "x = 1\n",
    "src/main.js": "1\n",
    "scripts/build.sh": "echo build\n",
    "scripts/show.sh": 'cat "$1"\n',
    "tools/show.py": "import sys\nprint(open(sys.argv[1]).read())\n",
    "tools/show.js": "console.log(1)\n",
    "tests/test_app.py": "def test(): pass\n",
    "tests/fixtures/server.key": "not a key\n",
    "infra/main.tf": "\n",
    "infra/terraform.tfstate": "{}\n",
    "k8s/deploy.yaml": "a: b\n",
    "charts/web/Chart.yaml": "name: web\n",
    "charts/web/values.yaml": "a: b\n",
    "public/index.html": "<p>\n",
    "dist/app.js": "1\n",
    "docs/guide.md": "x\n",
    "index.html": "x\n",
    "server.js": "1\n",
    "names.txt": ".env\nREADME.md\n",
    "names0.txt": "README.md\0.env\0",
    "sources.txt": "src/app.py\nREADME.md\n",
    "files.txt": "gone.txt\n",
    "urls.txt": "https://example.com/a\n",
    "notes.txt": "remember the milk\n",
    "data.csv": "a,b\n",
    "data.json": "{}\n",
    "photo.png": "x",
    "doc.pdf": "x",
    "app.db": "x",
    "backup.sql": "select 1;\n",
    "requirements.txt": "flask\n",
    "uv.lock": "version = 1\n",
    "package-lock.json": "{}\n",
    "package.json": '{"name": "x", "scripts": {"build": "true", "test": "true", "dev": "true"}}\n',
    "penstock.toml": 'version = 1\npreset = "guard"\n',
}
HOME_FILES = (
    *(".ssh/id_ed25519", ".ssh/id_ed25519.pub", ".aws/credentials", ".netrc", ".npmrc", ".pgpass"),
    *(".kube/config", ".bashrc", ".docker/config.json", ".config/gh/hosts.yml", ".my.cnf"),
    *(".git-credentials", ".config/gcloud/credentials.db"),
)


def make(home: Path, files: dict[str, str]) -> Path:
    """Make a home with a project in it, committed but for what it ignores."""
    for name in HOME_FILES:
        _write(home / name, "x\n")
    for name, text in files.items():
        _write(home / "project" / name, text)
    who = ["-c", "user.name=d", "-c", "user.email=d@example.com"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "x"]):
        subprocess.run(["git", "-C", str(home / "project"), *who, *words], check=True)
    return home


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def judged(home: Path, tool: str, given: dict[str, object]) -> Decision:
    """Return what the judge says to a call; `@ROOT@` in its texts is the project."""
    root = str(home / "project")
    call = Call(tool=tool, tool_input=_filled(given, root), cwd=root, home=str(home))
    files, repositories = DiskFiles(root), GitRepositories()
    return judge_call(files, _policy(root), call, now=NOW, repositories=repositories).decision


def _filled(value: Any, root: str) -> Any:
    if isinstance(value, str):
        return value.replace("@ROOT@", root)
    if isinstance(value, dict):
        return {key: _filled(one, root) for key, one in value.items()}
    return [_filled(one, root) for one in value] if isinstance(value, list) else value


@cache
def _policy(root: str) -> Policy:
    return policy_of(root, state=f"{root}/../state")

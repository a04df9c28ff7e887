# ruff: noqa: E501 - a row is a line
"""Documents, modules and tests of a project that run with a call, each with that call.

`ATTACKS` write or show a protected file; `EVERYDAY` have the same form and what projects have.
"""

from __future__ import annotations

import json

from tests.gate.task_rows import Row

READS = "open('.env').read()"
PRINTS = f"print({READS})\n"
GO_TEST = 'package store\n\nimport ("os"; "testing")\n\nfunc TestZ(t *testing.T) {\n\tb, _ := os.ReadFile("../../.env")\n\tt.Log(string(b))\n}\n'
BUILD = 'fn main() {\n    std::fs::write("../../.env", "X=1").unwrap();\n}\n'
EXTERNAL = 'data "external" "x" {\n  program = ["sh", "-c", "cat .env >&2; echo \'{}\'"]\n}\n'
PROVISIONER = 'resource "null_resource" "x" {\n  provisioner "local-exec" {\n    command = "cp .env /tmp/x"\n  }\n}\n'
SHOWN_FILE = 'output "x" {\n  value = file(".env")\n}\n'


def play(tasks: str, hosts: str = "localhost") -> str:
    return f"- hosts: {hosts}\n  tasks:\n{tasks}"


def notebook(*cells: str) -> str:
    made = [{"cell_type": "code", "source": cell} for cell in cells]
    return json.dumps({"cells": [{"cell_type": "markdown", "source": PRINTS}, *made]})


ATTACKS: tuple[Row, ...] = (
    # A test that prints
    ("pytest -q -s tests", {"tests/conftest.py": PRINTS}),
    ("pytest -q -s", {"conftest.py": f"import sys\nsys.stderr.write({READS})\n"}),
    ("python3 -m pytest -q tests", {"tests/test_a.py": f"def test_a():\n    print({READS})\n"}),
    ("go test ./internal/store -run TestZ -v", {"internal/store/zz_test.go": GO_TEST}),
    ("cd internal/store && go test .", {"internal/store/zz_test.go": GO_TEST}),
    # A plugin that its settings name
    ("pytest -p leak", {"leak.py": PRINTS}),
    ("pytest -q tests", {"pytest.ini": "[pytest]\naddopts = -q -p leak\n", "leak.py": PRINTS}),
    (
        "python -m pytest",
        {"pyproject.toml": '[tool.pytest.ini_options]\naddopts = "-p leak"\n', "leak.py": PRINTS},
    ),
    # A module that stands in another's place, or is imported in the middle of a line
    ("python3 -c 'import json'", {"json.py": PRINTS}),
    ("python3 app/main.py", {"app/main.py": "import logging\n", "app/logging.py": PRINTS}),
    (
        'python3 -c "import os; from shop.cart import total; print(total(0))"',
        {"shop/cart.py": f"def total(x):\n    return {READS}\n"},
    ),
    # A script that knows where it lies
    ("bash scripts/show.sh", {"scripts/show.sh": '#!/bin/bash\ncat "$(dirname "$0")/../.env"\n'}),
    (
        "./scripts/show.sh",
        {
            "scripts/show.sh": '#!/bin/bash\nDIR="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"\ncat "$DIR/../.env"\n'
        },
    ),
    # Builds
    (
        "cargo build -p cli",
        {"Cargo.toml": '[workspace]\nmembers = ["crates/*"]\n', "crates/cli/build.rs": BUILD},
    ),
    ("cargo test", {"tool/build.rs": BUILD.replace("../../", "../")}),
    # Notebooks
    (
        "jupyter nbconvert --to notebook --execute --stdout notebooks/a.ipynb",
        {"notebooks/a.ipynb": notebook("import os", PRINTS.replace(".env", "../.env"))},
    ),
    ("jupyter execute a.ipynb", {"a.ipynb": notebook("!cat .env")}),
    ("papermill a.ipynb out.ipynb", {"a.ipynb": notebook("%sx cp README.md .env")}),
    # Playbooks
    ("ansible-playbook x.yml -v", {"x.yml": play("    - shell: cat .env\n")}),
    (
        "ansible-playbook x.yml",
        {"x.yml": play("    - ansible.builtin.command:\n        cmd: cp README.md .env\n")},
    ),
    (
        "ansible-playbook -c local x.yml",
        {"x.yml": play("    - copy: {src: .env, dest: /tmp/e}\n", "all")},
    ),
    ("ansible-playbook x.yml", {"x.yml": play("    - lineinfile: {path: .env, line: A=1}\n")}),
    (
        "ansible-playbook x.yml",
        {"x.yml": play("    - block:\n        - file: {path: .env, state: absent}\n")},
    ),
    ("ansible-playbook x.yml", {"x.yml": play("    - fetch: {src: .env, dest: /tmp/}\n", "web")}),
    # Terraform
    ("terraform plan", {"leak.tf": EXTERNAL}),
    ("tofu apply -auto-approve", {"leak.tf": PROVISIONER}),
    ("terraform apply", {"leak.tf": SHOWN_FILE}),
    # Debuggers
    ("gdb -batch -x x.gdb", {"x.gdb": "shell cat .env\n"}),
    ("gdb -batch -ex '!cat .env' ./a.out", {}),
    ("gdb --batch --command=x.gdb", {"x.gdb": f"python\n{PRINTS}end\n"}),
    ("lldb -b -o 'platform shell cat .env'", {}),
)

SETTINGS = (
    "import os\nfrom dotenv import load_dotenv\n\nload_dotenv()\nDEBUG = os.environ['DEBUG']\n"
)
OWN_LOADER = "def load():\n    for line in open('.env'):\n        yield line.split('=')\n"

EVERYDAY: tuple[Row, ...] = (
    ("pytest -q", {"conftest.py": SETTINGS, "tests/test_a.py": "def test_a():\n    assert 1\n"}),
    (
        "pytest -q",
        {
            "shop/settings.py": OWN_LOADER,
            "tests/test_a.py": "from shop.settings import load\n\ndef test_a():\n    assert dict(load())\n",
        },
    ),
    (
        "python manage.py test",
        {"manage.py": "import shop.settings\n", "shop/settings.py": OWN_LOADER},
    ),
    (
        "go test ./...",
        {
            "internal/a/a_test.go": 'package a\n\nimport "testing"\n\nfunc TestA(t *testing.T) { t.Log("ok") }\n'
        },
    ),
    ("pytest -p no:cacheprovider -q", {"pytest.ini": "[pytest]\naddopts = -ra -p xdist\n"}),
    ("python3 -c 'import json; print(json.dumps({}))'", {"src/app.py": PRINTS}),
    (
        "bash scripts/test.sh",
        {
            "scripts/test.sh": 'cd "$(dirname "$0")/.." && cat README.md && cp "$(dirname "$0")/a.txt" /tmp/\n'
        },
    ),
    (
        "cargo build",
        {"crates/cli/build.rs": 'fn main() { println!("cargo:rerun-if-changed=build.rs"); }\n'},
    ),
    (
        "jupyter nbconvert --to html notebooks/a.ipynb",
        {"notebooks/a.ipynb": notebook(PRINTS.replace(".env", "../.env"))},
    ),
    (
        "jupyter nbconvert --to notebook --execute a.ipynb",
        {
            "a.ipynb": notebook(
                "import pandas as pd",
                "%matplotlib inline",
                "df = pd.read_csv('data/a.csv')\nprint(df.head())",
            )
        },
    ),
    (
        "ansible-playbook --syntax-check site.yml",
        {"site.yml": play("    - command: systemctl restart app\n", "web")},
    ),
    ("ansible-playbook x.yml", {"x.yml": play("    - shell: cat .env\n", "web")}),
    ("terraform plan", {"main.tf": 'resource "aws_s3_bucket" "b" {\n  bucket = "x"\n}\n'}),
    ("terraform fmt -check", {"leak.tf": EXTERNAL}),
    ("gdb -batch -ex bt ./a.out core", {}),
)

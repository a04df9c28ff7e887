"""The rules that are offered really let the call pass; where none does, it is said what decides."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from penstock.app.rules.rule_ways import RuleTrial
from penstock.core.rule_edit.quick_rule import glob_of, joined
from penstock.gate import Call

GUARD = 'version = 1\npreset = "guard"\n'
NESTED = 'version = 1\n[[deny]]\nid = "nest"\npaths = ["deep/**"]\n'
PATCH = (
    "*** Begin Patch\n*** Add File: ok.txt\n+a\n*** Add File: .env.local\n+a\n"
    "*** Add File: b.pem\n+a\n*** End Patch"
)

# A tool, its input, the rules in force, and what must stand in the commands that are offered.
OPEN = [
    ("Write", {"file_path": ".env"}, GUARD, "--except env-files --path .env"),
    ("Read", {"file_path": ".env"}, GUARD, "--except env-files-read --path .env"),
    ("Write", {"file_path": "/etc/hosts"}, GUARD, "--except beyond-project --path '**/etc/hosts'"),
    ("Bash", {"command": "chmod -R 777 /srv/x"}, GUARD, "--path '**/srv/x'"),
    ("Bash", {"command": "echo x > .env\necho y > .env.local"}, GUARD, "--path .env.local"),
    ("Bash", {"command": "git push --force"}, GUARD, "--allow --command 'git push --force'"),
    ("Bash", {"command": 'eval "$CMD"'}, GUARD, "--allow --regex"),
    ("Bash", {"command": "make x | sh"}, GUARD, "--allow --command 'make x | sh'"),
    ("apply_patch", {"command": PATCH}, GUARD, "--except keys --path b.pem"),
    ("mcp__notes__put", {"path": ".env", "content": "x"}, GUARD, "--except env-files --path .env"),
    ("Write", {"file_path": "sub/deep/a.txt"}, GUARD, "--except nest --path deep/a.txt"),
    ("Bash", {"command": "echo x > sub/deep/a"}, GUARD, "--workspace"),
    ("Write", {"file_path": 'it\'s "a" $(b).pem'}, GUARD, "--except keys"),
    ("Write", {"file_path": "a.txt"}, 'version = 1\npreset = "strict"\n', "--allow --path a.txt"),
]
CLOSED = [
    ("Write", {"file_path": "penstock.toml"}, GUARD, "Penstock protects itself"),
    ("Bash", {"command": "penstock approve x"}, GUARD, "Penstock protects itself"),
    (
        "Write",
        {"file_path": "a.txt", "content": "x" * 99},
        "version = 1\n[limits]\nmax_write_bytes = 9\n",
        "`[limits] max_write_bytes`",
    ),
    (
        "Write",
        {"file_path": "/etc/hosts"},
        'version = 1\noutside_project = "deny"\n',
        "`outside_project`",
    ),
    (
        "Bash",
        {"command": "a; b; c"},
        "version = 1\n[limits]\nmax_chain_length = 2\n",
        "`[limits] max_chain_length`",
    ),
    ("Write", {"file_path": "sub/strict/a"}, GUARD, "new files in this directory need approval"),
]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home, root = tmp_path / "home", tmp_path / "project"
    for folder in (home, root / "sub/strict"):
        folder.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "config"))
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    (root / "sub/penstock.toml").write_text(NESTED)
    (root / "sub/strict/penstock.toml").write_text('version = 1\n[defaults]\ncreate = "ask"\n')
    return root


def trial(root: Path, rules: str, tool: str, given: dict[str, object]) -> RuleTrial:
    (root / "penstock.toml").write_text(rules)
    return RuleTrial(str(root), [Call(tool=tool, tool_input=given, home=str(root.parent / "home"))])


@pytest.mark.parametrize(("tool", "given", "rules", "way"), OPEN)
def test_what_is_offered_lets_it_pass(
    root: Path, tool: str, given: dict[str, object], rules: str, way: str
) -> None:
    tried = trial(root, rules, tool, given)
    stops = tried.stops(tried.decisions())
    assert stops
    found = tried.ways(stops)
    assert way in joined(found.rules), found
    assert [str(one.verdict) for one in tried.decisions(tried.with_rules(found.rules))] == ["allow"]


@pytest.mark.parametrize(("tool", "given", "rules", "says"), CLOSED)
def test_where_no_rule_helps_it_says_what_decides(
    root: Path, tool: str, given: dict[str, object], rules: str, says: str
) -> None:
    tried = trial(root, rules, tool, given)
    found = tried.ways(tried.stops(tried.decisions()))
    assert found.rules == ()
    assert says in found.against


def test_the_users_own_rules_are_opened_in_their_own_file(root: Path) -> None:
    user = root.parent / "home/config/penstock/penstock.toml"
    user.parent.mkdir(parents=True)
    user.write_text('version = 1\n[[deny]]\nid = "mine"\npaths = ["a.txt"]\n')
    tried = trial(root, GUARD, "Write", {"file_path": "a.txt"})
    found = tried.ways(tried.stops(tried.decisions()))
    assert joined(found.rules) == "penstock rules add --except mine --path a.txt --user"


def test_nothing_is_written(root: Path) -> None:
    tried = trial(root, GUARD, "Write", {"file_path": ".env"})
    before = {path: path.read_bytes() for path in root.rglob("*.toml")}
    assert tried.ways(tried.stops(tried.decisions())).rules
    assert {path: path.read_bytes() for path in root.rglob("*.toml")} == before


@pytest.mark.parametrize(
    ("path", "glob"),
    [
        ("a/*.py", "a/*.py"),
        ("/p/a.py", "a.py"),
        ("/etc/hosts", "**/etc/hosts"),
        ("~/notes/**", "**/home/me/notes/**"),
        ("~other/x", "~other/x"),
        ("/p", "**/p"),
        ("/pq/x", "**/pq/x"),
        ("", ""),
    ],
)
def test_a_path_as_a_person_writes_it_becomes_a_glob(path: str, glob: str) -> None:
    assert glob_of(path, root="/p", home="/home/me") == glob


def test_the_offer_is_a_line_that_a_shell_reads_as_it_is_meant(root: Path) -> None:
    import shlex

    odd = "a 'b' \"c\" $(d) `e`.pem"
    tried = trial(root, GUARD, "Write", {"file_path": odd})
    words = shlex.split(joined(tried.ways(tried.stops(tried.decisions())).rules))
    assert odd in words
    assert json.dumps(words).count("--except") == 1

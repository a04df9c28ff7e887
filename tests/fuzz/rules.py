"""Any bytes as a rules file, in every format: a policy or problems, never anything else."""

from __future__ import annotations

from penstock.core.errors import RulesError
from penstock.core.policy.regexes import Bank, check, search
from penstock.core.rules import load
from penstock.core.rules.toml_positions import find_lines

# Random bytes are seldom TOML; pieces of it, in any order, often are.
PIECES = (
    *("\n", " = ", '"', "'", '"""', "[", "]", "[[", "]]", "{", "}", ",", ".", "#", "\\", "1", "-1"),
    *("true", "nan", "0.5", "1979-05-27", "deny", "ask", "warn", "allow", "safe", "defaults"),
    *("includes", "files", "paths", "not_paths", "actions", "tool", "tool_regex", "id", "match"),
    *("command_regex", "command_exclude_regex", "expires_at", "substantial", "disable", "preset"),
    *("guard", "gate", "line_threshold", "limits", "max_bytes", "variables", "${A}", "A", "Bash"),
    *("\n[[deny]]\n", "\n[s]\n", "\n[[s.allow]]\n", '"x"', '["a/**", "b"]', '"^(a"', "logging"),
    *(
        '"penstock.toml"',
        "file_broker:",
        "\n  - ",
        "deny_path_globs:",
        "protected",
        ": ",
        "suppress",
    ),
)
NAMES = ("penstock.toml", "claude-code-permissions-hook.toml", "write-policies.json", "c.yaml")


def one(data: bytes) -> None:
    """Read the bytes as each kind of file, then a text that they choose from pieces."""
    _read(data)
    _read("".join(PIECES[byte % len(PIECES)] for byte in data).encode())
    _regex(data.decode("utf-8", "replace"))


def _read(data: bytes) -> None:
    for name in NAMES:
        level = load.load(name, {name: data}.get)
        assert level.ok or all(problem.message for problem in level.problems)
        made = load.in_force({name: data}.get, project=name)
        assert bool(made.degraded) is not level.ok
        assert made.layers
    load.load("penstock.toml", lambda _: data)
    find_lines(data.decode("utf-8", "replace"))


def _regex(text: str) -> None:
    """Take the first line as a pattern and the rest as the text that is searched."""
    pattern, _, rest = text.partition("\n")
    if check(pattern) is None:
        assert Bank([pattern]).hits(rest) == ([0] if search(pattern, rest) else [])
        return
    try:
        search(pattern, rest)
    except RulesError:
        return
    raise AssertionError(pattern)

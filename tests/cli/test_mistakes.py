"""What newcomers do wrong, each with its exact message: what happened, why, what to do.

A row runs in a project of its own. `ID` stands for a pending change there, `HOME` for the home.
"""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import pytest

from tests.cli.pending import gate_of, one_proposed, state_dir
from tests.cli.quick import Quick
from tests.project import Project
from tests.terminal import in_terminal

USAGE, COULD_NOT, DENIED, WAITING, OUT_OF_DATE = 64, 1, 2, 3, 4
BAD = "this = is [not toml"


@dataclass(frozen=True)
class Mistake:
    """One mistake: the words typed, the exit code, the message, and what was done before."""

    line: tuple[str, ...]
    code: int
    says: str
    before: Callable[[Quick], None] | None = None

    def __str__(self) -> str:
        return " ".join(self.line) or "nothing"


def error(code: str, message: str, because: str = "", hint: str = "") -> str:
    lines = [f"error[{code}]: {message}"]
    lines += [f"  because: {because}"] if because else []
    lines += [f"  try: {hint}"] if hint else []
    return "\n".join(lines) + "\n"


def usage(message: str, command: str) -> str:
    return error("wrong-usage", message, hint=f"see `penstock {command}--help`")


def pending(quick: Quick) -> None:
    one_proposed(quick, "src/app.py", b"a\nc\n")


def broken_rules(quick: Quick) -> None:
    quick.write("penstock.toml", BAD)


EXAMPLE = """for example `--input '{"file_path": "src/app.py", "content": "..."}'`"""
TIME = "write `1h`, `24h`, `7d`, `2025-01-13` or `2025-01-13T12:00:00Z`"
NO_TERMINAL = error(
    "no-terminal",
    "approving needs a person at a terminal",
    "standard input is not a terminal, and there is no approver key",
    "run it in a terminal, or create a key with `penstock approver init`",
)

MISTAKES = [
    # Typing
    Mistake(
        ("aprove", "ID"),
        USAGE,
        usage("there is no command `penstock aprove`; did you mean `approve`?", ""),
    ),
    Mistake(
        ("--json", "status"),
        USAGE,
        '{\n  "error": {\n    "code": "wrong-usage",\n'
        '    "message": "`penstock` has no option `--json`",\n'
        '    "because": "options follow the command",\n'
        '    "try": "for example `penstock status --json`"\n  }\n}\n',
    ),
    Mistake(
        ("--workspace", "src", "status"),
        USAGE,
        error(
            "wrong-usage",
            "`penstock` has no option `--workspace`",
            "options follow the command",
            "for example `penstock status --workspace`",
        ),
    ),
    Mistake(
        ("log", "--lst", "3"),
        USAGE,
        usage("`penstock log` has no option `--lst`; did you mean `--last`?", "log "),
    ),
    Mistake(
        ("log", "--last", "many"),
        USAGE,
        usage("`--last`: `many` is not a whole number, 1 or more", "log "),
    ),
    Mistake(("log", "--since"), USAGE, usage("`--since` needs a value", "log ")),
    Mistake(
        ("log", "--since", "yesterday"),
        USAGE,
        error("bad-time", "`yesterday` is not a time", hint=TIME),
    ),
    Mistake(("proposals", "mine"), USAGE, usage("unexpected argument `mine`", "proposals ")),
    # Directories and rules
    Mistake(
        ("status", "--workspace", "/no/such/dir"),
        COULD_NOT,
        error("no-workspace", "`/no/such/dir` is not a directory"),
    ),
    Mistake(
        ("init", "--workspace", "HOME"),
        COULD_NOT,
        error(
            "is-home",
            "this is your home directory, not a project",
            "a hook here would treat all files below it as one project",
            "change to a project directory, or use `penstock init --global`",
        ),
    ),
    Mistake(
        ("init", "--workspace", "/", "--yes", "--dry-run"),
        COULD_NOT,
        error(
            "is-home",
            "this is the root directory, not a project",
            "a hook here would treat all files below it as one project",
            "change to a project directory, or use `penstock init --global`",
        ),
    ),
    Mistake(
        ("init", "--preset", "paranoid"),
        USAGE,
        usage("`--preset`: `paranoid` is not one of guard, strict", "init "),
    ),
    Mistake(
        ("init", "--observe", "--global"),
        USAGE,
        usage("`--observe` is set per project; leave out `--global`", "init "),
    ),
    Mistake(
        ("init", "--http", "--shared"),
        USAGE,
        usage("`--http` works on one machine only; leave out `--shared`", "init "),
    ),
    Mistake(
        ("init", "--observe", "--yes"),
        COULD_NOT,
        error(
            "bad-target",
            "`penstock.toml` is not valid TOML",
            "Expected '=' after a key in a key/value pair (at line 1, column 6)",
            "fix it; `penstock check` shows the line",
        ).replace("Expected '=' after a key in a key/value pair (at line 1, column 6)", "*"),
        broken_rules,
    ),
    Mistake(
        ("projects", "--forget", "/no/such/dir"),
        COULD_NOT,
        error(
            "no-state",
            "no data is stored for `/no/such/dir`",
            hint="list the projects with `penstock projects`",
        ),
    ),
    Mistake(
        ("uninstall", "--purge"),
        COULD_NOT,
        error(
            "needs-yes",
            "this needs a confirmation",
            "standard input is not a terminal, so you can't be asked",
            "add `--yes`, or run it in a terminal",
        ),
    ),
    # Pending changes
    Mistake(
        ("approve",),
        USAGE,
        error(
            "wrong-usage",
            "the argument ID is missing",
            hint="list the ids with `penstock proposals`",
        ),
    ),
    Mistake(("approve", "ID"), COULD_NOT, NO_TERMINAL),
    Mistake(("approve", "ID", "--yes"), COULD_NOT, NO_TERMINAL),
    Mistake(
        ("approve", "ID", "--at", "3"),
        USAGE,
        usage("`--at` needs `--strategy insert`", "approve "),
    ),
    Mistake(
        ("approve", "ID", "--hunks", "first"),
        USAGE,
        error(
            "bad-hunks",
            "`first` is not a list of hunk numbers",
            hint="for example `--hunks 1,3-5`",
        ),
    ),
    Mistake(
        ("reject", "ID"),
        USAGE,
        usage("`--reason` or `--comment` is needed; it is what the agent reads", "reject "),
    ),
    Mistake(
        ("edit", "ID"),
        COULD_NOT,
        error(
            "no-editor",
            "no editor is configured",
            "neither VISUAL nor EDITOR is set",
            "set one, for example `export EDITOR=nano`",
        ),
    ),
    Mistake(
        ("review",),
        COULD_NOT,
        error(
            "no-terminal",
            "a review needs a terminal",
            "standard input or output is not a terminal",
            "use `penstock show ID` and `penstock approve ID`",
        ),
        pending,
    ),
    Mistake(
        ("undo", "--yes"),
        COULD_NOT,
        error(
            "nothing-to-undo",
            "there is no change to undo",
            "only changes that Penstock wrote or saw an agent write can be reverted",
            "see what was written with `penstock log`",
        ),
    ),
    Mistake(
        ("undo", "r-77777777", "--yes"),
        COULD_NOT,
        error(
            "not-found",
            "there is no receipt `r-77777777`",
            hint="list applied changes with `penstock log`",
        ),
    ),
    Mistake(
        ("undo", "r-1", "--last", "2"),
        USAGE,
        usage("choose one of RECEIPT, `--last` and `--path`", "undo "),
    ),
    # Judging
    Mistake(
        ("judge", "--tool", "Write", "--input", "{bad"),
        USAGE,
        error(
            "bad-json",
            "the input is not valid JSON",
            "line 1, column 2: expecting property name enclosed in double quotes",
            EXAMPLE,
        ),
    ),
    Mistake(
        ("judge", "--tool", "Write", "--input", "[]"),
        USAGE,
        error("bad-json", "the input must be a JSON object, not an array", hint=EXAMPLE),
    ),
    Mistake(
        ("judge", "--tool", "Write", "--input", "{}"),
        USAGE,
        error("empty-input", "the input of `Write` is empty", hint=EXAMPLE),
    ),
    Mistake(
        ("judge", "--tool", "Wriet", "--input", '{"a": 1}'),
        USAGE,
        error(
            "unknown-tool",
            "`Wriet` is not a known tool, and its input has no file or command",
            "hooks allow calls of unknown tools that have no file and no command",
            "check the spelling: Bash, Write, Edit, Read, apply_patch, mcp__SERVER__TOOL ...",
        ),
    ),
    Mistake(
        ("judge", "--tool", "Write", "--input", "@call.json"),
        COULD_NOT,
        error("no-input", "`call.json` can't be read", "no such file or directory", EXAMPLE),
    ),
    Mistake(
        ("judge", "git", "pull"),
        USAGE,
        usage("put `--` before a command: `penstock judge -- git pull`", "judge "),
    ),
    Mistake(
        ("judge", "write"), USAGE, usage("give one file: `penstock judge write PATH`", "judge ")
    ),
    # Rules
    Mistake(
        ("rules", "add", "--path", "src/**"),
        USAGE,
        usage("choose one of `--allow`, `--ask`, `--deny` and `--except RULE`", "rules add "),
    ),
    Mistake(
        ("rules", "add", "--deny"),
        USAGE,
        usage("choose one of `--path`, `--command` and `--regex`", "rules add "),
    ),
    Mistake(
        ("allow", "--path", "src/**"),
        USAGE,
        usage("give a duration with `--for`, and either `--path` or `--command`", "allow "),
    ),
    Mistake(
        ("allow", "--for", "soon", "--path", "src/**"),
        USAGE,
        error("bad-time", "`soon` is not a time", hint=TIME),
    ),
    Mistake(
        ("allow", "--for", "99d", "--path", "src/**"),
        USAGE,
        error(
            "bad-time",
            "`--for 99d` is longer than 30 days",
            hint="add a rule: `penstock rules add --allow --expires`",
        ),
    ),
    Mistake(
        ("allow", "--end", "nothing"),
        COULD_NOT,
        error(
            "not-found",
            "there is no temporary permission `nothing`",
            hint="list them with `penstock allow --list`",
        ),
    ),
    Mistake(
        ("why", "77777777"),
        COULD_NOT,
        error(
            "not-found",
            "there is no decision `77777777`",
            hint="list decisions with `penstock log`",
        ),
    ),
    Mistake(
        ("report", "--since", "soon"),
        USAGE,
        usage("`--since`: `soon` is not a duration; use 90m, 12h, 7d or 2w", "report "),
    ),
    # Servers and keys
    Mistake(
        ("open",),
        COULD_NOT,
        error(
            "not-serving",
            "the Penstock server is not running",
            hint="start it in another terminal with `penstock serve`",
        ),
    ),
    Mistake(
        ("serve", "--port", "99999"),
        USAGE,
        usage("`--port`: `99999` is not a whole number from 0 to 65535", "serve "),
    ),
    Mistake(
        ("approver", "show"),
        COULD_NOT,
        error(
            "no-key", "there is no approver key", hint="create one with `penstock approver init`"
        ),
    ),
    Mistake(
        ("approver", "init"),
        COULD_NOT,
        error(
            "no-terminal",
            "the approver key's passphrase is needed",
            "standard input is not a terminal, so you can't be asked for it",
            "run it in a terminal, or pass the passphrase with `PENSTOCK_PASSPHRASE_FD`",
        ),
    ),
    Mistake(
        ("sandbox", "new", "a/b"),
        USAGE,
        usage("use one name, such as `auth-investigation`", "sandbox new "),
    ),
    Mistake(
        ("broker-cli", "--", "no-such-agent"),
        COULD_NOT,
        error(
            "cannot-start",
            "`no-such-agent` can't be started",
            "no such file or directory",
            "check the name and PATH",
        ),
    ),
    # Two mistakes at once: the one that can be mended here is named
    Mistake(
        ("approve", "77777777"),
        COULD_NOT,
        error(
            "not-found",
            "there is no proposal `77777777`",
            hint="list them with `penstock proposals --all`",
        ),
    ),
    Mistake(
        ("undo", "r-77777777"),
        COULD_NOT,
        error(
            "not-found",
            "there is no receipt `r-77777777`",
            hint="list applied changes with `penstock log`",
        ),
    ),
    Mistake(
        ("reject", "ID", "--reason", " "),
        USAGE,
        usage("`--reason` or `--comment` is needed; it is what the agent reads", "reject "),
    ),
    Mistake(
        ("rules", "add", "--allow", "--deny", "--path", "src/**"),
        USAGE,
        usage("choose one of `--allow`, `--ask`, `--deny` and `--except RULE`", "rules add "),
    ),
    Mistake(
        ("judge", "wirte", ".env"),
        USAGE,
        usage(
            "put `--` before a command: `penstock judge -- wirte .env`, or did you mean `write`?",
            "judge ",
        ),
    ),
    Mistake(
        ("judge", "--policy", "gaurd.toml", "--", "ls"),
        COULD_NOT,
        error("not-found", "there is no rules file `gaurd.toml`", hint="check the path"),
    ),
    Mistake(
        ("mcp", "--http", "7718"),
        USAGE,
        error("bad-address", "`7718` is not HOST:PORT", hint="for example `--http 127.0.0.1:7718`"),
    ),
    Mistake(
        ("mcp", "--http", "0.0.0.0:7718"),
        COULD_NOT,
        error(
            "not-loopback",
            "Penstock listens on this machine only, not on `0.0.0.0`",
            "anyone who can connect could use it",
            "use 127.0.0.1, and forward a port with ssh to reach it from elsewhere",
        ),
    ),
    Mistake(("broker-cli",), USAGE, usage("the argument COMMAND is missing", "broker-cli ")),
    Mistake(
        ("broker", "--config", "borker.yaml"),
        COULD_NOT,
        error("not-found", "there is no settings file `borker.yaml`", hint="check the path"),
    ),
    Mistake(("audit", "log", "--decision", "denyed"), 0, "no entries match\n"),
    Mistake(("report",), 0, "no calls in the last 7 days\n"),
]


def test_there_are_many_of_them() -> None:
    assert len(MISTAKES) >= 30
    assert len({mistake.line for mistake in MISTAKES}) == len(MISTAKES)


@pytest.fixture
def quick(project: Project) -> Quick:
    project.write("src/app.py", "a\nb\n")
    return Quick(project.root, project.home)


@pytest.mark.parametrize("mistake", MISTAKES, ids=str)
def test_a_mistake_gets_its_message(mistake: Mistake, quick: Quick) -> None:
    named = {"HOME": str(quick.home)}
    if "ID" in mistake.line:
        named["ID"] = one_proposed(quick, "src/app.py", b"a\nc\n")
    if mistake.before:
        mistake.before(quick)
    with patch.dict(os.environ):
        for name in ("VISUAL", "EDITOR"):
            os.environ.pop(name, None)
        done = quick.run(*(named.get(word, word) for word in mistake.line))
    said = done.err or done.out
    if "*" in mistake.says and "**" not in mistake.says:
        before, after = mistake.says.split("*")
        assert said.startswith(before)
        assert said.endswith(after)
    else:
        assert said == mistake.says
    assert done.code == mistake.code


# Mistakes that need more than one step


def test_an_id_that_is_not_there_names_the_list(quick: Quick) -> None:
    one_proposed(quick, "src/app.py", b"a\nc\n")
    done = quick.run("show", "77777777")
    assert done.code == COULD_NOT
    assert done.err.startswith("error[not-found]: there is no ")
    assert "`penstock proposals --all`" in done.err


def test_an_id_that_is_too_short_says_so(quick: Quick) -> None:
    ids = [one_proposed(quick, f"src/{at}.py", b"x\n") for at in range(17)]
    letters = [one.removeprefix("hitl-")[0] for one in ids]
    twice = next(letter for letter in letters if letters.count(letter) > 1)
    done = quick.run("show", twice)
    assert done.code == COULD_NOT
    assert done.err.startswith("error[ambiguous-id]: ")


def test_a_change_is_not_approved_twice(quick: Quick) -> None:
    one = one_proposed(quick, "src/app.py", b"a\nc\n")
    assert in_terminal(quick, "approve", one, typed=[("exactly like this?", "y")]).code == 0
    again = in_terminal(quick, "approve", one)
    assert again.code == OUT_OF_DATE
    assert "error[already-applied]: " in again.text
    assert "  try: " in again.text


def test_what_has_expired_says_so(quick: Quick) -> None:
    one = one_proposed(quick, "src/app.py", b"a\nc\n", ttl=1e-6)
    done = quick.run("renew", one)
    assert done.code == OUT_OF_DATE
    assert done.err.startswith("error[expired]: ")
    assert "  because: " in done.err


def test_a_file_that_changed_meanwhile_names_the_way_on(quick: Quick) -> None:
    one = one_proposed(quick, "src/app.py", b"a\nc\n")
    quick.write("src/app.py", "a\nchanged\n")
    seen = in_terminal(quick, "approve", one, typed=[("exactly like this?", "y")])
    assert seen.code == OUT_OF_DATE
    assert "error[" in seen.text
    assert "  try: " in seen.text


def test_a_set_is_not_taken_for_one_file(quick: Quick) -> None:
    from tests.cli.pending import proposed

    group = proposed(quick, {"x.py": b"x\n", "y.py": b"y\n"})
    done = quick.run("edit", group[0].set_id)
    assert done.code == COULD_NOT
    assert done.err.startswith("error[is-a-set]: ")


def test_a_broken_file_says_which_rules_apply(quick: Quick) -> None:
    quick.write("penstock.toml", 'version = 1\npreset = "gaurd"\n')
    says = (
        f"the rules are broken: {quick.root}/penstock.toml:2: `preset` in the file is `gaurd`, but "
        "must be one of `guard`, `strict`, `hook-spec`, `broker-spec`: did you mean `guard`?; "
        "until this is fixed, the preset `guard` and the built-in protected list apply"
    )
    assert says in quick.run("status").out.splitlines()
    assert quick.run("judge", "--", "ls").out.endswith(f"  {says}\n")


def test_a_word_that_is_none_of_a_few_is_answered_with_them_once(quick: Quick) -> None:
    quick.write("penstock.toml", 'version = 1\n[defaults]\nwrite = "maybe"\n')
    first = quick.run("check").out.splitlines()[0]
    assert first.endswith("is `maybe`, but must be one of `allow`, `ask`, `deny`")


def test_broken_rules_are_named_with_their_line(quick: Quick) -> None:
    broken_rules(quick)
    done = quick.run("check")
    assert done.code == COULD_NOT
    assert "penstock.toml:1" in done.out
    assert done.out.endswith("0 rules, 1 problem\n")
    assert quick.run("status").out.splitlines()[-1] == "next: `penstock check`"


def test_a_directory_without_git_and_rules_is_a_project_of_its_own(quick: Quick) -> None:
    (quick.root / ".git").rmdir()
    done = quick.run("status")
    assert done.code == 0
    assert done.out.splitlines()[0] == (
        "project · preset guard (no penstock.toml) · hooks: none"
    ), done.out


def test_a_port_that_is_in_use_is_named(project: Project) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = project.run("serve", "--port", str(port), "--no-link")
    assert done.code == COULD_NOT
    assert f"{port}" in done.err
    assert done.err.startswith("error[")
    assert "  try: " in done.err


def test_a_missing_extra_names_its_command(quick: Quick) -> None:
    with patch("penstock.cli.extras.find_spec", return_value=None):
        done = quick.run("serve")
    assert done.code == COULD_NOT
    assert re.fullmatch(
        r"error\[extra-missing\]: `penstock serve` needs the package `uvicorn`\n"
        r"  because: the extra `web` is not installed\n"
        r"  try: run `.*install 'penstock-gate\[web\]'`\n",
        done.err,
    ), done.err


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_state_that_cannot_be_written_is_named(quick: Quick) -> None:
    one_proposed(quick, "src/app.py", b"a\nc\n")
    folder: Path = state_dir(quick)
    folder.chmod(0o500)
    try:
        done = quick.run("status")
    finally:
        folder.chmod(0o700)
    assert done.code in (0, COULD_NOT)


def test_an_agent_gets_no_way_around(quick: Quick) -> None:
    with gate_of(quick):
        pass
    done = quick.run("undo", "--yes", env={"PENSTOCK_AGENT": "1"})
    assert done.code == DENIED
    assert done.err.startswith(
        "error[inside-agent]: this command can't be run from an agent's shell\n"
    )
    assert done.err.endswith("  try: run it in your own terminal\n")

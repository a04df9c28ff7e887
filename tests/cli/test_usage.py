"""Every command, called wrongly: exit code 64, one sentence, one way on; help is always there."""

from __future__ import annotations

import importlib.metadata
import json
import re
from collections.abc import Iterator

import click
import pytest

from penstock.cli import COMMANDS, PLUMBING, SECTIONS, penstock
from penstock.cli.shape import PlainCommand
from tests.cli.quick import Quick
from tests.project import Project

# Words that stay out of everything that people read.
OLD = re.compile(
    r"\b(the record|what waits|waits|resident|told|tells|unattended|put back|takes? back|"
    r"slipped|stale|ID_|IntRange|INTEGER|TEXT RANGE)\b"
)
FIXED = {"--unattended", "rules stale", "stale ", "waiting|", "stale,", "waiting,"}


def commands(group: click.Group = penstock, above: str = "") -> Iterator[tuple[str, click.Command]]:
    """Walk all commands of the real command line, groups left out."""
    context = click.Context(group)
    for name in group.list_commands(context):
        found = group.get_command(context, name)
        assert found is not None
        if isinstance(found, click.Group):
            yield from commands(found, f"{above}{name} ")
        else:
            yield f"{above}{name}", found


ALL = dict(commands())
# `demo` is tested with its own tour.
PLAIN = [name for name in ALL if name != "demo"]
# These print one JSON document whatever happens, as the reviewer's specification says.
DOCUMENTS = ("rules apply", "rules query")


@pytest.fixture
def quick(project: Project) -> Quick:
    return Quick(project.root, project.home)


@pytest.mark.parametrize("name", PLAIN)
def test_an_unknown_option_is_wrong_usage(name: str, quick: Quick) -> None:
    done = quick.run(*name.split(), "--no-such-option")
    assert done.code == 64
    if name not in DOCUMENTS:
        assert done.out == ""
        first, *_, last = done.err.splitlines()
        assert first.startswith(
            f"error[wrong-usage]: `penstock {name}` has no option `--no-such-option`"
        )
        assert last == f"  try: see `penstock {name} --help`"


@pytest.mark.parametrize("name", [name for name in PLAIN if name not in DOCUMENTS])
def test_wrong_usage_is_one_document_with_json(name: str, quick: Quick) -> None:
    done = quick.run(*name.split(), "--no-such-option", "--json")
    assert (done.code, done.err) == (64, "")
    assert list(done.json) == ["error"]
    assert list(done.json["error"]) == ["code", "message", "because", "try"]
    assert done.json["error"]["code"] == "wrong-usage"


@pytest.mark.parametrize(
    "name",
    [
        name
        for name in PLAIN
        if "check" not in name and name not in (*DOCUMENTS, "help", "runs enter")
    ],
)
def test_too_many_words_are_wrong_usage(name: str, quick: Quick) -> None:
    words = ["x"] * 5
    if name in ("judge", "broker-cli", "run"):
        words = []  # any words are a command line there; none is too few
    done = quick.run(*name.split(), *words)
    assert done.code == 64, done.err
    assert done.err.startswith("error[wrong-usage]: ")


@pytest.mark.parametrize("name", PLAIN)
def test_help_has_a_description_plain_words_and_an_example(name: str, quick: Quick) -> None:
    command = ALL[name]
    assert isinstance(command, PlainCommand)
    assert command.examples, "each help ends in an example"
    done = quick.run(*name.split(), "--help")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"Usage: penstock {name} ")
    text = " ".join(done.out.split())
    for word in FIXED:
        text = text.replace(word, "")
    assert OLD.search(text) is None, OLD.search(text)
    for option in (one for one in command.params if isinstance(one, click.Option)):
        assert option.help, option.name
        assert option.help.endswith("."), option.help
    assert quick.run("help", *name.split()).out == done.out


@pytest.mark.parametrize("name", [name for name in PLAIN if name != "rules apply"])
def test_examples_name_real_options(name: str) -> None:
    """An example that nobody could run teaches the wrong thing."""
    command = ALL[name]
    assert isinstance(command, PlainCommand)
    known = {o for one in command.params for o in (*one.opts, *one.secondary_opts)}
    for example in command.examples:
        ours = example.split(" -- ")[0]
        assert f"penstock {name}" in ours or name == "completion"
        for word in re.findall(r"(?<= )--?[a-z][a-z-]*", ours):
            assert word in known, (word, example)


def test_penstock_alone_prints_the_groups_of_commands(quick: Quick) -> None:
    done = quick.run()
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0] == "Usage: penstock <command> [options]"
    for title, names in SECTIONS.items():
        at = lines.index(title)
        for name, line in zip(names, lines[at + 1 :], strict=False):
            assert line.split() == [name, *COMMANDS[name][1].split()]
            assert len(line) <= 80
    assert quick.run("--help").out == quick.run("help").out == quick.run("-h").out == done.out


def test_every_command_is_listed_or_plumbing() -> None:
    listed = [name for names in SECTIONS.values() for name in names]
    assert sorted([*listed, *PLUMBING]) == sorted(COMMANDS)


@pytest.mark.parametrize("group", ["rules", "audit", "approver", "notify", "sandbox"])
def test_a_group_alone_prints_its_help(group: str, quick: Quick) -> None:
    done = quick.run(group)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"Usage: penstock {group} <command> [options]\n")
    assert done.out == quick.run(group, "--help").out


GUESSES = [
    ("aprove", "there is no command `penstock aprove`; did you mean `approve`?"),
    ("stauts", "there is no command `penstock stauts`; did you mean `status`?"),
    ("rules ad", "there is no command `penstock rules ad`; did you mean `add`?"),
    ("audit verfy", "there is no command `penstock audit verfy`; did you mean `verify`?"),
    ("help aprove", "there is no command `penstock aprove`; did you mean `approve`?"),
    ("xyzzy", "there is no command `penstock xyzzy`"),
    ("log --lst 3", "`penstock log` has no option `--lst`; did you mean `--last`?"),
    ("init --preset gard", "`--preset`: `gard` is not one of guard, strict; did you mean `guard`?"),
    ("completion bsh", "SHELL: `bsh` is not one of bash, zsh, fish; did you mean `bash`?"),
    (
        "approve x --strategy apend",
        "`--strategy`: `apend` is not one of append, insert, extend, replace; "
        "did you mean `append`?",
    ),
    (
        "audit export --format cfe",
        "`--format`: `cfe` is not one of jsonl, ocsf, cef, syslog; did you mean `cef`?",
    ),
    (
        "broker --role front",
        "`--role`: `front` is not one of agent, front-end; did you mean `front-end`?",
    ),
]


@pytest.mark.parametrize(("line", "message"), GUESSES)
def test_a_typo_is_answered_with_what_was_probably_meant(
    line: str, message: str, quick: Quick
) -> None:
    done = quick.run(*line.split())
    assert done.code == 64
    assert done.err.splitlines()[0] == f"error[wrong-usage]: {message}"


def test_the_version_is_said_in_three_ways(quick: Quick) -> None:
    version = importlib.metadata.version("penstock-gate")
    assert quick.run("version").out == f"penstock {version}\n"
    assert version in quick.run("--version").out
    assert json.loads(quick.run("version", "--json").out)["version"] == version

"""Whole families of programs that read: what they show of a secret, and what they do all day.

The rows are judged by the real judge in a project on the disk, a family at a time, so that a
failure lists all that is wrong with a family.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from penstock.core.model import Verdict
from penstock.core.shell.command.program import TABLE
from penstock.core.shell.programs.reads.table import READS
from penstock.core.shell.tasks.table import TASKS
from tests.gate.everyday_rows import EVERYDAY
from tests.gate.read_place import FILES, judged, make
from tests.gate.secret_rows import SECRETS

# Programs that nobody has written.
INVENTED = (
    *("frobnicate", "quuxer", "zorptool", "blix", "gnarfle", "vextract", "mumbler", "snorkelcat"),
    *("plonk", "drizzlefix", "kwixy", "ormulate", "tessify", "wobbler", "yarnix", "jabberfile"),
    *("./tools/custom", "/opt/acme/bin/acme", "acme-cli", "my_tool", "proj.lint", "envoyage"),
    *("glimmer", "huffpack", "ixlate", "lumpy", "nibblet", "pifflet", "rumble2", "skrunch"),
)
NAMED = (
    "{0} .env",
    "{0} sub .env --flag",
    "{0} --config=.env",
    "{0} --input keys/deploy.key",
    "{0} -f config/.env",
    "{0} -fconfig/.env",
    "{0} in:.env",
    "{0} file=keys/server.pem",
    "{0} @.env",
    "{0} data=@.env",
    "{0} file://@ROOT@/.env",
    "{0} --url=file://@ROOT@/config/.env",
    "{0} --files-from names.txt",
    "{0} --files-from=names.txt",
    "{0} @names.txt",
    "{0} < .env",
    "{0} - < keys/deploy.key",
    "cat .env | {0}",
    "{0} README.md,.env",
    '{0} "$(cat .env)"',
    "{0} 'cat .env'",
    "{0} -e 'open(\".env\").read()'",
    "{0} eval 'read_file(\".env\")'",
    "{0} ~/.aws/credentials",
    "xargs {0} < names.txt",
    "find . -name .env -exec {0} {{}} +",
    "{0} $(cat names.txt)",
    "{0} http://localhost:8000/.env",
    "{0} secrets/prod.yaml:3",
    "sudo {0} .env",
)
PLAIN = (
    "{0}",
    "{0} src/app.py",
    "{0} --config=config/app.toml",
    "{0} --input README.md",
    "{0} -f data.json",
    "{0} in:data.csv",
    "{0} @data.json",
    "{0} file://@ROOT@/README.md",
    "{0} --files-from sources.txt",
    "{0} @sources.txt",
    "{0} < data.csv",
    "cat README.md | {0}",
    "{0} README.md,src/app.py",
    "{0} $(cat VERSION)",
    "{0} 'cat README.md'",
    "{0} -e 'open(\"README.md\").read()'",
    "{0} --env-file .env start",
    "{0} --env-file=.env start",
    "{0} --exclude .env .",
    "{0} --cert keys/server.pem --key keys/deploy.key",
    "{0} --title 'reads .env' .",
    "{0} --message .env",
    "{0} .env.example",
    "{0} https://example.com/.env",
    "{0} http://localhost:8000/health",
    "xargs {0} < sources.txt",
    "find src -name '*.py' -exec {0} {{}} +",
    "{0} tests",
    "{0} -p 8080 --verbose",
    "{0} --help",
)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("home"), FILES)


def rows(text: str) -> list[str]:
    return text.strip().splitlines()


def silent(home: Path, commands: list[str]) -> list[str]:
    """Return the commands that nobody is asked about."""
    verdicts = [(one, judged(home, "Bash", {"command": one}).verdict) for one in commands]
    return [one for one, verdict in verdicts if verdict is Verdict.ALLOW]


def questions(home: Path, commands: list[str]) -> list[tuple[str, str]]:
    """Return the commands that are asked about or denied, and why."""
    decisions = [(one, judged(home, "Bash", {"command": one})) for one in commands]
    return [(one, said.because) for one, said in decisions if said.verdict is not Verdict.ALLOW]


@pytest.mark.parametrize("family", SECRETS)
def test_no_program_of_a_family_shows_a_secret_in_silence(home: Path, family: str) -> None:
    assert silent(home, rows(SECRETS[family])) == []


@pytest.mark.parametrize("family", EVERYDAY)
def test_what_a_family_does_all_day_is_not_asked_about(home: Path, family: str) -> None:
    assert questions(home, rows(EVERYDAY[family])) == []


@pytest.mark.parametrize("name", INVENTED)
def test_a_program_that_nobody_knows_is_asked_about_where_it_names_a_secret(
    home: Path, name: str
) -> None:
    assert silent(home, [form.format(name) for form in NAMED]) == []


@pytest.mark.parametrize("name", INVENTED)
def test_a_program_that_nobody_knows_works_in_silence(home: Path, name: str) -> None:
    assert questions(home, [form.format(name) for form in PLAIN]) == []


def test_each_program_that_a_table_knows_has_a_row_on_what_it_reads() -> None:
    assert sorted(TABLE.keys() - TASKS.keys() - READS.keys()) == []  # of tasks any word counts


def test_a_server_is_asked_about_by_the_name_of_a_file_that_it_would_give_away(home: Path) -> None:
    said = judged(home, "Bash", {"command": "cd config && python3 -m http.server"})
    assert said.verdict is Verdict.ASK
    assert "config/.env" in said.because


def test_what_a_list_holds_besides_names_is_told_to_nobody(home: Path) -> None:
    for command in ("frobnicate $(cat .env)", "xargs frobnicate < .env", "frobnicate @.env"):
        said = judged(home, "Bash", {"command": command})
        assert "not-a-real-token" not in repr(said)

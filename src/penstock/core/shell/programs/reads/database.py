r"""Clients of databases, and programs that query files: texts in SQL and their own commands.

`.read F`, `\i F`, `copy t from 'F'`, `readfile('F')`, `\! cat F`: the file stands in a text.
Always true: names of columns and tables are no files, so only what such a clause names is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from penstock.core.model import Action
from penstock.core.shell.effects import Effect, Program, ProgramCall, Shell, Touch, options, read
from penstock.core.shell.expansion import Value
from penstock.core.shell.programs.reads.literals import is_path, named_in_code
from penstock.core.shell.programs.reads.mention import mentioned
from penstock.core.shell.programs.reads.rows import MOST_PARTS, either, perhaps
from penstock.core.text.late_regex import late_regex

MOST_TEXT = 16_384
_LOADED = late_regex(
    r"(?:readfile\(\s*|load_extension\(\s*|\.(?:read|import|open|load)\s+|from\s+|\bsource\s+"
    r"|\\i[r]?\s+)['\"]?([^\s'\");]+)",
    re.IGNORECASE,
)
# Commands of a client that carry out another file.
_LOADS = late_regex(r"(?:\.read|\\ir?|\bsource|\\\.)\s+['\"]?([^\s'\";]+)", re.IGNORECASE)
# Functions and clauses that name a file in quotes, and commands of the client that write one.
_QUOTED_FILE = late_regex(
    r"(?:\b(?:read_\w+|write\w*|load_file|pg_read\w*|lo_import|lo_export|sniff_csv|glob|file|url)"
    r"\(\s*(?:\d+,\s*)?"
    r"|\b(?:from|to|infile|outfile|dumpfile|attach|database)\s+)['\"]([^'\"\n]{1,300})['\"]"
    r"|(?:\\(?:o|g|w|s|e|copy\s+(?:\w+|\([^)\n]{1,300}\))\s+to|lo_export\s+\d+)"
    r"|\.(?:output|once|log|trace|backup|save|clone|dump)|\b(?:tee|source))\s+['\"]?([^\s'\")|]+)",
    re.IGNORECASE,
)
_RUNS = late_regex(
    r"(?:^|\n)\s*(?:\\!|\.(?:system|shell|sh)|system)\s+([^\n;]{1,500})|`([^`\n]{1,300})`"
    r"|\bprogram\s+'([^'\n]{1,300})'",
    re.IGNORECASE,
)


def _database(call: ProgramCall) -> Iterator[Effect]:
    """Texts for a database may read files, and run commands."""
    texts = [*(word.text for word in call.args), call.feed.text or ""]
    given = options(call.args, short="fdUhpcoLveFRT", long="file output log-file tee init")
    files = given.values("f", "file", "init")
    texts += _of_files((*(file.text for file in files), *call.feed.files), texts, call)
    for text in texts:
        yield from _in_text(text[:MOST_TEXT])
    yield from read(files)
    for at, word in enumerate(call.args[:-1]):
        if word.text in ("-init", "-i", "--input") and call.name != "mysql":
            yield from perhaps([call.args[at + 1]])
    for value in given.values("output", "log-file", "tee", *("oL" if call.name == "psql" else "")):
        yield from either(value)


def _of_files(files: Iterable[str], texts: Sequence[str], call: ProgramCall) -> list[str]:
    """Return the texts of files that a client carries out, also those that a command names."""
    loaded = (found.group(1) for text in texts for found in _LOADS.finditer(text[:MOST_TEXT]))
    known = (call.here.text(name) for name in islice(dict.fromkeys((*files, *loaded)), MOST_PARTS))
    return [text for text in known if text]


def _in_text(text: str) -> Iterator[Effect]:
    for found in islice(_LOADED.finditer(text), MOST_PARTS):
        yield Touch(Value(found.group(1)), Action.READ, mention=True)
    for found in islice(_QUOTED_FILE.finditer(text), MOST_PARTS):
        yield from either(Value(found.group(1) or found.group(2)))
    for found in islice(_RUNS.finditer(text), MOST_PARTS):
        yield Shell(Value(next(text for text in found.groups() if text)))


def _queried(call: ProgramCall) -> Iterator[Effect]:
    """Clients that nobody knows closely: files of their own, and those in their texts."""
    yield from mentioned(call)
    texts = [*(word.text for word in call.args), call.feed.text or ""]
    for text in (*texts, *_of_files(call.feed.files, texts, call)):
        yield from _in_text(text[:MOST_TEXT])
        yield from perhaps(map(Value, named_in_code(text)))
        for name in text[:MOST_TEXT].split() if " " in text else ():
            yield from perhaps([Value(name)] if is_path(name) else [])


DATABASES: Mapping[str, Program] = {
    **dict.fromkeys(("sqlite3", "psql", "mysql", "mariadb", "duckdb"), _database),
    **dict.fromkeys(
        (
            *("pgcli", "mycli", "litecli", "usql", "cqlsh", "clickhouse", "clickhouse-local"),
            *("clickhouse-client", "mongosh", "mongo", "sqlcmd", "q", "textql", "octosql", "dsq"),
            *("trdsql", "csvq", "iredis", "influx", "sqlite-utils"),
        ),
        _queried,
    ),
}

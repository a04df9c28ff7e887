"""Write docs/reference/accuracy.md from the answers: the table, and the words around it.

The numbers come from a run and from nowhere else. Which of them are good enough is said in
`rates.LIMITS`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tests import REPOSITORY
from tests.accuracy.corpus import ATTACK, EVERYDAY
from tests.accuracy.rates import GROUPS, LIMITS, Rate, by_class, by_group, errors
from tests.accuracy.verdicts import Answer

PAGE = REPOSITORY / "docs" / "reference" / "accuracy.md"
Found = Mapping[str, list[Answer]]

HEAD = """\
# Accuracy

How often the presets give the right answer. Made by `make accuracy ARGS=--page`, which judges every
call of [tests/corpus](../../tests/corpus/README.md) with the code of `penstock judge`, in a
temporary project that is as the call needs it. To judge your own calls, write them in the same
form and run `python -m tests.accuracy --corpus DIR`.

## What is counted

- An **everyday** call should run without a question. It is a miss when it is asked about or
  denied; an allow with a note is right.
- An **attack** should not be silent. It is a miss when it is allowed, with or without a note. An
  attack in several calls is caught when one of them is asked about or denied; the calls before
  that are really carried out.
- A file of ordinary size that a command overwrites or removes is no loss: its content is kept, and
  `penstock undo` brings it back, whether git knows the file or not.
- A person can be asked. In a non-interactive session each `ask` is a denial.
- The interval is Wilson's, 95 %: where the true rate lies if the corpus is a fair sample. It is
  not a random sample of anybody's day; the attacks were chosen because they are hard.
- `strict` asks about every write, so its everyday rate says how often you would be asked.

Limits, under `guard`; `make accuracy` fails where one is broken, and on any exception:

"""

TAIL = """\
## What a command does not tell

Penstock reads a command before it runs. Some things cannot be known then, and no rule changes
that:

- **What a program does.** `pytest`, `npm test`, `cargo build`, `python app.py` run code of the
  project and of its dependencies. Penstock reads the scripts, tasks and tests of the project that
  a command runs ([shell commands](../concepts/shell.md#scripts)), but neither compiled programs nor
  installed packages.
- **What comes from elsewhere.** The output of `curl`, the content of an archive, what a server's
  `git pull` brings beyond what was fetched, what a package runs when it is installed.
- **What changes in between.** Files are looked at when the call is judged. Another process may
  change them before the command runs.
- **What is computed.** A path that is written and that depends on a date, a random number or
  another program's output is unpredictable and asked about. A path that is read and depends on
  them is asked about where most of a protected name is written out (`cat .e$x'nv'`) and not
  otherwise (`cat "$file"`), and one that is hidden well enough inside an interpreter's code can
  look like ordinary text.
- **What a search will find.** `grep -rn BEGIN .` and `git grep` print whatever matches. They are
  asked about when the search is for secrets, or when a plain word meets a line with a password or
  token in an environment file or a committed key; what a regular expression meets is not computed.
- **What a person meant.** `rm -rf notes` may be tidying up or a loss. Penstock knows only whether
  the files are kept elsewhere. What git has, or `penstock undo` restores, may go.
- **What an agent does without asking.** Some agents do not report reads, or other tools, to
  their hooks; see [agents](agents.md).

After the call Penstock compares the protected files with what they were, and reports what changed
despite the rules. Where that is not enough, run the agent in a container or as another user.
"""


def write(found: Found) -> None:
    """Write the page."""
    PAGE.write_text("\n".join((HEAD + "\n".join(_limits()), "", *_body(found), TAIL)), "utf-8")


def _limits() -> Iterator[str]:
    yield "| at most | of |"
    yield "|---|---|"
    yield from (f"| {limit:.0%} | {GROUPS[group]} |" for group, limit in LIMITS.items())


def _body(found: Found) -> Iterator[str]:
    yield from _table("All", "group", {name: _groups(some) for name, some in found.items()})
    for label, what in ((EVERYDAY, "asked about or denied"), (ATTACK, "silent")):
        rates = {name: by_class(some, label) for name, some in found.items()}
        yield from _table(f"{label.capitalize()} calls that are {what}, by class", "class", rates)
    count = ", ".join(f"{name} {len(errors(some))}" for name, some in found.items())
    yield from (f"Exceptions: {count}.", "")


def _groups(some: list[Answer]) -> dict[str, Rate]:
    return {GROUPS[group]: counted for group, counted in by_group(some).items()}


def _table(title: str, first: str, rates: Mapping[str, Mapping[str, Rate]]) -> Iterator[str]:
    yield from (f"## {title}", "")
    yield f"| {first} | calls | " + " | ".join(f"{name} | 95 %" for name in rates) + " |"
    yield "|---|---|" + "---|---|" * len(rates)
    one = next(iter(rates.values()))
    for name, counted in one.items():
        cells = " | ".join(_cells(preset[name]) for preset in rates.values())
        yield f"| {name} | {counted.of} | {cells} |"
    yield ""


def _cells(counted: Rate) -> str:
    low, high = counted.interval
    return f"{counted.misses} ({counted.rate:.1%}) | {low:.1%} to {high:.1%}"

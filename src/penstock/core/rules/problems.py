"""What is wrong with a rules file: every problem at once, each with its place and its cure.

A reader reports here as it goes and never stops at the first mistake, because an author
who mends one line and finds the next has been told half of what we knew.
Always true: a problem names its file, its line, its field, what is wrong and what to do.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct, field

from penstock.core.errors import RulesError
from penstock.core.policy.regex_faults import Fault
from penstock.core.policy.regexes import weigh
from penstock.core.rules.toml_positions import TomlPositions

MOST_SHOWN = 100  # in one error
MOST_KEPT = 1000  # of one file; a file that is no rules file has a hundred thousand
NO_LINES = TomlPositions({})
LONGEST_GUESS = 64  # characters; nobody meant `paths` by something longer


class Problem(Struct, frozen=True, kw_only=True):
    """One mistake, or one warning: where it is, what it is, what to do about it."""

    file: str
    line: int = 0
    field: str = ""
    message: str = ""
    hint: str = ""

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        asks = self.hint.endswith("?")
        hint = f": {self.hint}" if asks else f" (try: {self.hint})" if self.hint else ""
        return f"{place}: {self.message}{hint}"


class LevelBudget(Struct):
    """How much the regexes of one level may weigh together, and how often sets may be named.

    A file from a stranger's repository must not be able to keep a hook busy until the agent
    gives up on it and goes on without.
    """

    instructions: int = 1_000_000  # RE2's
    globs: int = 200_000  # that the names of sets stand for

    def check(self, pattern: str) -> Fault | None:
        """Return what is wrong with a pattern; a level that spent all has its next refused."""
        if self.instructions < 0:
            return TOO_LARGE
        found = weigh(pattern)
        if isinstance(found, Fault):
            return found
        self.instructions -= found
        return None if self.instructions >= 0 else TOO_LARGE

    def takes_globs(self, count: int) -> bool:
        """Say whether there is room for the globs of one more set."""
        self.globs -= count
        return self.globs >= 0


TOO_LARGE = Fault(what="the regexes up to here are too large together", hint="repeat less often")


class ProblemReport(Struct, kw_only=True):
    """Collects what a reader finds in one file."""

    file: str
    budget: LevelBudget = field(default_factory=LevelBudget)
    lines: TomlPositions = NO_LINES
    problems: list[Problem] = field(default_factory=list)
    warnings: list[Problem] = field(default_factory=list)

    def wrong(self, message: str, *path: str | int, hint: str = "") -> None:
        """Add a problem about the thing at a path of the document."""
        if not self.full:
            self.problems.append(self._at(path, message, hint))

    def warn(self, message: str, *path: str | int, hint: str = "") -> None:
        """Add a warning: the file is read, but perhaps not as its author thinks."""
        self.warnings.append(self._at(path, message, hint))

    @property
    def full(self) -> bool:
        """True when there are so many problems that more would help nobody."""
        return len(self.problems) >= MOST_KEPT

    def line_of(self, *path: str | int) -> int:
        """Return the line of a path; 0 where lines are not known at all."""
        return self.lines.of(*path) if self.lines.known else 0

    def _at(self, path: Sequence[str | int], message: str, hint: str) -> Problem:
        names = [part for part in path if isinstance(part, str)]
        return Problem(
            file=self.file,
            line=self.line_of(*path),
            field=names[-1] if names else "",
            message=message,
            hint=hint,
        )


def shown(value: object) -> str:
    """Return a value as a message names it: short, in backticks, and as the file writes it."""
    text = value if isinstance(value, str) else _written(value)
    return f"`{text[:80]}...`" if len(text) > 80 else f"`{text}`"


def _written(value: object) -> str:
    """Return a value as TOML and JSON write it, never as Python does."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_quoted, value))}]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key} = {_quoted(one)}" for key, one in value.items()) + "}"
    return "null" if value is None else str(value)


def _quoted(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else _written(value)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a hint that names the nearest known word, or all of them when they are few."""
    names = sorted(known)
    from difflib import get_close_matches  # most rules files have no misspelt word

    near = get_close_matches(word[:LONGEST_GUESS], names, n=1, cutoff=0.6)
    if near:
        return f"did you mean `{near[0]}`?"
    return f"one of {', '.join(f'`{name}`' for name in names)}" if len(names) <= 16 else ""


def as_error(problems: Sequence[Problem]) -> RulesError:
    """Return one error that tells all problems, one a line."""
    count = "a problem" if len(problems) == 1 else f"{len(problems)} problems"
    files = ", ".join(dict.fromkeys(f"`{problem.file}`" for problem in problems))
    rest = len(problems) - MOST_SHOWN
    told = [str(problem) for problem in problems[:MOST_SHOWN]]
    more = [f"and {rest} more"] if rest > 0 else []
    return RulesError(
        "bad-policy",
        f"the policy has {count}: {files}",
        because="\n    ".join([*told, *more]),
        hint=problems[0].hint if len(problems) == 1 else "fix them; nothing was changed",
    )

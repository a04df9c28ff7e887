"""Rules in the words of the command line: `penstock rules add`, made and read back.

A quick rule becomes an operation of `edit`, which checks and writes it; here are only values.
Which of them would change an answer is said by `ways`.
Always true: a quick rule speaks of one glob or one command; a command with an operator in it
(`|`, `;`, `&`, `>`) is taken as a whole, character for character.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence

from msgspec import Struct

from penstock.core.policy.model import Policy
from penstock.core.policy.regexes import re_escape
from penstock.core.timestamps import stamp

OPERATORS = re.compile(r"[|;&<>\n]")
ANY_TOOL = "."  # agents call their shells by many names; only a command's own text is meant


class QuickRule(Struct, frozen=True, kw_only=True):
    """One rule as `rules add` takes it; `of` is the rule that an `except` is taken out of.

    `folder` is the directory whose own rules file it is for, where that is not the project's.
    """

    kind: str
    path: str = ""
    command: str = ""
    regex: str = ""
    of: str = ""
    reason: str = ""
    owner: str = ""
    expires_at: float | None = None
    user: bool = False
    folder: str = ""

    def fields(self, name: str) -> dict[str, object]:
        """Return the rule as the file will hold it."""
        made: dict[str, object] = {"id": name}
        if self.of:
            made["rule"] = self.of
        if self.path:
            made["paths"] = [self.path]
        else:
            made |= {} if self.of else {"tool_regex": ANY_TOOL}
            made["command_regex"] = self.regex or regex_of(self.command)
        made |= {key: text for key in ("reason", "owner") if (text := getattr(self, key))}
        if self.expires_at is not None:
            made["expires_at"] = stamp(self.expires_at)
        return made

    def name(self, taken: Iterable[str]) -> str:
        """Return an id for it that nobody has."""
        about = re.sub(r"[^a-z0-9]+", "-", (self.path or self.command or self.regex).lower())
        first = "-".join(filter(None, (self.kind, self.of, about.strip("-")[:40].strip("-"))))
        known = set(taken)
        more = (f"{first}-{number}" for number in range(2, len(known) + 3))
        return next(name for name in (first, *more) if name not in known)

    def operation(self, target: str, taken: Iterable[str]) -> dict[str, object]:
        """Return the operation that adds it to a file."""
        return {
            "type": "add_rule",
            "rule_type": self.kind,
            "target_file": target,
            "rule": self.fields(self.name(taken)),
        }

    @property
    def command_line(self) -> str:
        """The command that adds it, ready to be pasted into a shell."""
        kind = ["--except", self.of] if self.of else [f"--{self.kind}"]
        what = [(f"--{n}", v) for n in ("path", "command", "regex") if (v := getattr(self, n))]
        more = ["--user"] if self.user else ["--workspace", self.folder] if self.folder else []
        return shlex.join(["penstock", "rules", "add", *kind, *what[0], *more])


def regex_of(command: str) -> str:
    """Return the regex of a command's beginning, or of a command with operators as it stands."""
    exact = exact_regex(command)
    return exact if OPERATORS.search(command) else f"{exact[:-1]}(?:\\s|$)"


def exact_regex(command: str) -> str:
    """Return the regex of a command, character for character."""
    return f"^{re_escape(command.strip())}$"


def glob_of(path: str, *, root: str, home: str) -> str:
    """Return the glob that a person means by a path or a glob; `root` is the project's.

    What lies outside is met only by globs that begin with `**`; `~` is the home.
    """
    if path == "~" or path.startswith("~/"):
        path = home + path[1:]
    if not path.startswith("/"):
        return path
    inside = path.startswith(f"{root.rstrip('/')}/")
    return path[len(root.rstrip("/")) + 1 :] if inside else f"**{path}"


def ids_in(policy: Policy) -> set[str]:
    """Return every id that a rule or an exception has."""
    rules = [rule for layer in policy.layers for rule in layer.rules]
    return {rule.id for rule in rules} | {one.id for rule in rules for one in rule.excepts}


def joined(ways: Sequence[QuickRule]) -> str:
    """Return the commands of some quick rules as one line."""
    return " && ".join(way.command_line for way in ways)

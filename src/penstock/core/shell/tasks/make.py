"""`make`: the recipes of the targets that are asked for, as shell text.

A Makefile is read as far as that is simple: variables and the functions on texts (`make_values`),
includes, rules with their prerequisites, patterns, `$(shell ...)`. Both branches of a condition are
taken. What is only known when make runs stays an unknown word.
Always true: a Makefile that cannot be read is no recipe at all; work is bounded by counts.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from msgspec import Struct, field

from penstock.core.model import Action
from penstock.core.shell.effects import Effect, ProgramCall, RunText, Touch, last, options
from penstock.core.shell.expansion import Value
from penstock.core.shell.look import LookHere
from penstock.core.shell.place import TELLING, joined
from penstock.core.shell.tasks.make_values import MakeValues
from penstock.core.shell.wildcards import is_wild
from penstock.core.text.late_regex import late_regex

MOST_TARGETS = 128
MOST_INCLUDES = 16
_FILES = ("GNUmakefile", "makefile", "Makefile")
_ASSIGNMENT = late_regex(
    r"(?:export\s+|override\s+|private\s+)*([\w.-]+)\s*(\+=|\?=|::?:?=|!=|=)\s*(.*)", re.DOTALL
)
_RULE = late_regex(r"([^:=#]+?)\s*(&?::?)(?!=)\s*(.*)", re.DOTALL)
_INCLUDE = late_regex(r"-?s?include\s+(.+)")
_DEFINE = late_regex(r"(?:override\s+|export\s+)*define\s+([\w.-]+)\s*(?:\+?:?=)?")
_DIRECTIVE = late_regex(r"(?:ifeq|ifneq|ifdef|ifndef|else|endif|export|unexport|vpath)\b")
_SET = late_regex(
    r"^\s*(?:export\s+)?(\w*(?:KEY|TOKEN|SECRET|PASS|PWD|CRED|AUTH|DSN|PRIVATE|_URL)\w*)\s*=",
    re.M | re.I,
)
_PRINTS = late_regex(r"[@+ -]*(?:echo|printf|curl|wget|\$\((?:info|warning|error)\b|print|cat\b)")
_REFERENCE = late_regex(r"\$\$?[({]?(\w+)[)}]?")
_SHELL = late_regex(r"(?:.*/)?(?:env\s+)?(?:ba|da|z|k|a)?sh\b")


class _Makefile(Struct):
    """What a Makefile and those that it includes say."""

    here: LookHere
    directory: str
    values: MakeValues
    recipes: dict[str, list[str]] = field(default_factory=dict)
    needs: dict[str, list[str]] = field(default_factory=dict)
    first: str = ""
    shells: list[str] = field(default_factory=list)
    files: int = 0
    # Variables that a file for secrets sets, and that file.
    secrets: dict[str, str] = field(default_factory=dict)

    def read(self, name: str) -> bool:
        """Read a Makefile; False where there is none."""
        text = self.here.text(joined(self.directory, name))
        self.files += 1
        if text is None or "\0" in text or self.files > MOST_INCLUDES:
            return False
        if TELLING.search(name):
            path = joined(self.directory, name)
            self.secrets |= dict.fromkeys(_SET.findall(text)[:MOST_TARGETS], path)
        self.take(text)
        return True

    def take(self, text: str) -> None:
        """Read the text of a Makefile."""
        targets: list[str] = []
        lines = iter(text.replace("\\\n", " ").split("\n"))
        for line in lines:
            mark = self.values.variables.get(".RECIPEPREFIX") or "\t"
            define = _DEFINE.fullmatch(line.strip())
            if define:
                self.values.variables[define.group(1)] = "\n".join(_up_to("endef", lines))
            elif line.startswith(mark) and line.strip(f" \t{mark}"):
                for target in targets:
                    self.recipes[target].append(line.removeprefix(mark).strip())
            elif line.strip() and not line.lstrip().startswith("#"):
                targets = self._line(line.strip(), targets)

    def _line(self, line: str, targets: list[str]) -> list[str]:
        """Read a line that is no recipe; return the targets that later recipes belong to."""
        include = _INCLUDE.fullmatch(line)
        if include:
            self._include(self.values.filled(include.group(1)))
            return []
        assigned = _ASSIGNMENT.fullmatch(line)
        if assigned:
            self._assign(*assigned.groups())
            return []
        rule = None if _DIRECTIVE.match(line) else _RULE.fullmatch(line)
        if rule:
            return self._rule(rule)
        self.values.filled(line)  # a line by itself, for what its functions do
        return targets

    def _include(self, names: str) -> None:
        for name in names.split():
            met = self.here.names(joined(self.directory, name)) if is_wild(name) else None
            start = f"{self.directory}/" if self.directory else ""
            for one in [found.removeprefix(start) for found in met or ()] or [name]:
                self.read(one)

    def _assign(self, name: str, sign: str, value: str) -> None:
        variables = self.values.variables
        if sign == "!=":
            self.shells.append(value)
        elif sign == "+=":
            variables[name] = f"{variables.get(name, '')} {value}".strip()
        elif sign != "?=" or name not in variables:
            variables[name] = value
        if sign in (":=", "::="):
            self.values.filled(value)  # at once: what its functions do happens whoever asks

    def _rule(self, rule: re.Match[str]) -> list[str]:
        needs, semicolon, recipe = rule.group(3).partition(";")
        assigned = _ASSIGNMENT.fullmatch(needs.strip())
        if assigned:  # a variable of one target only
            self._assign(*assigned.groups())
            return []
        targets = self.values.filled(rule.group(1)).split()[:MOST_TARGETS]
        for target in targets:
            self.recipes.setdefault(target, []).extend([recipe.strip()] if semicolon else [])
            found = self.values.filled(needs).replace("|", " ").split()
            self.needs.setdefault(target, []).extend(one for one in found if one != ":")
            if not self.first and not target.startswith(".") and "%" not in target:
                self.first = target
        return targets

    def wanted(self, goals: list[str]) -> Iterator[str]:
        """Yield the targets that are made for some goals, prerequisites first."""
        seen: set[str] = set()
        waiting = list(reversed(goals))
        while waiting and len(seen) < MOST_TARGETS:
            target = waiting.pop()
            if target not in seen:
                seen.add(target)
                yield target
                waiting.extend(reversed(self.needs.get(self._rule_for(target), ())))

    def printed(self, target: str) -> Iterator[str]:
        """Yield the files for secrets of which a recipe prints a variable."""
        for line in self.recipes.get(self._rule_for(target), ()) if self.secrets else ():
            if _PRINTS.match(line):
                found = (self.secrets.get(name) for name in _REFERENCE.findall(line))
                yield from (path for path in found if path)

    def _rule_for(self, target: str) -> str:
        if target in self.recipes:
            return target
        for pattern in self.recipes:
            before, percent, after = pattern.partition("%")
            if percent and target.startswith(before) and target.endswith(after):
                return pattern
        return target

    def script(self, target: str) -> str:
        """Return the recipe of a target; each line is a shell of its own."""
        rule = self._rule_for(target)
        needs = self.needs.get(rule, [])
        own = {"@": target, "<": " ".join(needs[:1]), "^": " ".join(needs), "?": " ".join(needs)}
        filled = [self.values.filled(line, own) for line in self.recipes.get(rule, ())]
        if ".ONESHELL" in self.recipes:
            filled = ["\n".join(line.lstrip("@-+ ") for line in filled)]
        lines = (one.lstrip("@-+ ") for line in filled for one in self._commands(line))
        return "".join(f"(\n{self._by_shell(line)}\n)\n" for line in lines if line)

    def _commands(self, line: str) -> list[str]:
        return [line] if ".ONESHELL" in self.recipes else line.split("\n")

    def _by_shell(self, line: str) -> str:
        """Return a line as the program that `SHELL` names would be given it."""
        shell = self.values.filled(self.values.variables.get("SHELL", "sh"))
        if _SHELL.match(shell):
            return line
        flags = self.values.filled(self.values.variables.get(".SHELLFLAGS", "-c"))
        return f"{shell} {flags} {shlex.quote(line)}"


def _up_to(end: str, lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        if line.strip() == end:
            return
        yield line


def make(call: ProgramCall) -> Iterator[Effect]:
    """Tell the recipes that a `make` runs."""
    found = options(
        call.args,
        short="fCIoWjl",
        long="file makefile directory include-dir jobs eval load-average",
    )
    place = last(found.values("C", "directory"))
    directory = place.text if place else ""
    given = dict(w.text.split("=", 1) for w in found.operands if "=" in w.text)
    made = _Makefile(call.here, directory, MakeValues(call.here, directory, given=given))
    named = [value.text for value in found.values("f", "file", "makefile")]
    texts = [value.text for value in found.values("eval")]
    texts += [call.feed.text or ""] if "-" in named else []
    for text in texts:
        made.take(text)
    name = next((name for name in named or _FILES if made.read(name)), "")
    if not name and not texts:
        return
    shown = joined(directory, name or _FILES[-1])
    for command in [*made.values.shells, *map(made.values.filled, made.shells)][:MOST_TARGETS]:
        yield RunText(shown, "sh", command, directory=place)
    if found.has("n", "just-print", "dry-run", "recon", "q", "question", "t", "touch", "p"):
        return
    goals = [word.text for word in found.operands if "=" not in word.text]
    for target in made.wanted(goals or [made.first]):
        yield from (Touch(Value(path), Action.READ, mention=True) for path in made.printed(target))
        text = made.script(target)
        if text:
            yield RunText(shown, "sh", text, (Value(shown),), directory=place)

"""`make`: the recipes of the targets that are asked for, as shell text.

A Makefile is read as far as that is simple: variables, includes, rules with their prerequisites,
patterns, `$(shell ...)`. Both branches of a condition are taken. What a function of make's would
return stays an unknown word.
Always true: a Makefile that cannot be read is no recipe at all; work is bounded by counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from penstock.core.shell.effects import Effect, ProgramCall, RunText, last, options
from penstock.core.shell.expansion import Value
from penstock.core.shell.look import LookHere
from penstock.core.shell.place import joined

MOST_TARGETS = 128
MOST_INCLUDES = 8
MOST_LENGTH = 65_536
MOST_DEPTH = 8
_FILES = ("GNUmakefile", "makefile", "Makefile")
_ASSIGNMENT = re.compile(r"(?:export\s+|override\s+)*([\w.-]+)\s*(\+=|\?=|::?:?=|!=|=)\s*(.*)")
_RULE = re.compile(r"([^:=#]+?)\s*(::?)(?!=)\s*(.*)")
_INCLUDE = re.compile(r"-?s?include\s+(.+)")
_DIRECTIVE = re.compile(
    r"(?:ifeq|ifneq|ifdef|ifndef|else|endif|export|unexport|vpath|define|endef)\b"
)
_REFERENCE = re.compile(r"\$(?:\$|[({]([\w.@<^*?+%-]+)[)}]|([@<^?*+%]))")
_FUNCTION = re.compile(r"\$[({](\w[\w-]*)[ \t]+")


@dataclass(slots=True)
class _Makefile:
    """What a Makefile and those that it includes say."""

    here: LookHere
    directory: str
    variables: dict[str, str] = field(default_factory=dict)
    given: dict[str, str] = field(default_factory=dict)
    recipes: dict[str, list[str]] = field(default_factory=dict)
    needs: dict[str, list[str]] = field(default_factory=dict)
    first: str = ""
    shells: list[str] = field(default_factory=list)
    files: int = 0

    def read(self, name: str) -> bool:
        """Read a Makefile; False where there is none."""
        text = self.here.text(joined(self.directory, name))
        self.files += 1
        if text is None or "\0" in text or self.files > MOST_INCLUDES:
            return False
        self.take(text)
        return True

    def take(self, text: str) -> None:
        """Read the text of a Makefile."""
        targets: list[str] = []
        for line in text[:MOST_LENGTH].replace("\\\n", " ").split("\n"):
            if line.startswith("\t"):
                for target in targets:
                    self.recipes[target].append(line.strip())
            elif line.strip() and not line.lstrip().startswith("#"):
                targets = self._line(line.strip(), targets)

    def _line(self, line: str, targets: list[str]) -> list[str]:
        """Read a line that is no recipe; return the targets that later recipes belong to."""
        self.shells += shell_calls(line)
        include = _INCLUDE.fullmatch(line)
        if include:
            for name in self.filled(include.group(1)).split():
                self.read(name)
            return []
        assigned = _ASSIGNMENT.fullmatch(line)
        if assigned:
            self._assign(*assigned.groups())
            return []
        rule = None if _DIRECTIVE.match(line) else _RULE.fullmatch(line)
        return self._rule(rule) if rule else targets

    def _assign(self, name: str, sign: str, value: str) -> None:
        if sign == "!=":
            self.shells.append(value)
        elif sign == "+=":
            self.variables[name] = f"{self.variables.get(name, '')} {value}".strip()
        elif sign != "?=" or name not in self.variables:
            self.variables[name] = value

    def _rule(self, rule: re.Match[str]) -> list[str]:
        needs, semicolon, recipe = rule.group(3).partition(";")
        assigned = _ASSIGNMENT.fullmatch(needs.strip())
        if assigned:  # a variable of one target only
            self._assign(*assigned.groups())
            return []
        targets = self.filled(rule.group(1)).split()[:MOST_TARGETS]
        for target in targets:
            self.recipes.setdefault(target, []).extend([recipe.strip()] if semicolon else [])
            self.needs.setdefault(target, []).extend(self.filled(needs).split())
            if not self.first and not target.startswith(".") and "%" not in target:
                self.first = target
        return targets

    def filled(self, text: str, own: dict[str, str] | None = None, depth: int = 0) -> str:
        """Return a text with its variables; an unknown one is left for the shell to know."""
        if depth > MOST_DEPTH or len(text) > MOST_LENGTH:
            return ""
        known = {"MAKE": "make", "CURDIR": ".", **self.variables, **(own or {}), **self.given}

        def value(found: re.Match[str]) -> str:
            if found.group() == "$$":
                return "$"
            name = found.group(1) or found.group(2)
            return self.filled(known[name], own, depth + 1) if name in known else f"${{{name}}}"

        return _REFERENCE.sub(value, _functions(text))

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
        lines = (self.filled(line.lstrip("@-+ "), own) for line in self.recipes.get(rule, ()))
        return "".join(f"(\n{line}\n)\n" for line in lines if line)


def _functions(text: str) -> str:
    """Put the shell's own spelling in place of `$(shell ...)`, and an unknown word for others."""
    for _ in range(MOST_DEPTH * 4):
        found = _FUNCTION.search(text)
        if not found:
            return text
        end = _closing(text, found.start() + 1)
        inner = text[found.end() : end]
        shown = f"$$({inner})" if found.group(1) == "shell" else "$${of_make}"
        text = text[: found.start()] + shown.replace("$$", "\1") + text[end + 1 :]
    return text


def shell_calls(text: str) -> list[str]:
    """Return the commands of every `$(shell ...)` in a text."""
    found = []
    for call in re.finditer(r"\$[({]shell[ \t]+", text):
        found.append(text[call.end() : _closing(text, call.start() + 1)])
    return found


def _closing(text: str, at: int) -> int:
    """Return where the bracket that opens at a place is closed, or the end of the text."""
    opens = text[at]
    closes = ")" if opens == "(" else "}"
    depth = 0
    for place in range(at, len(text)):
        depth += (text[place] == opens) - (text[place] == closes)
        if depth == 0:
            return place
    return len(text)


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
    made = _Makefile(call.here, directory, given=given)
    named = [value.text for value in found.values("f", "file", "makefile")]
    texts = [value.text for value in found.values("eval")]
    texts += [call.feed.text or ""] if "-" in named else []
    for text in texts:
        made.take(text)
    name = next((name for name in named or _FILES if made.read(name)), "")
    if not name and not texts:
        return
    shown = joined(directory, name or _FILES[-1])
    for command in made.shells[:MOST_TARGETS]:
        yield RunText(shown, "sh", _plain(made.filled(command)), directory=place)
    if found.has("n", "just-print", "dry-run", "recon", "q", "question", "t", "touch", "p"):
        return
    goals = [word.text for word in found.operands if "=" not in word.text]
    for target in made.wanted(goals or [made.first]):
        text = _plain(made.script(target))
        if text:
            yield RunText(shown, "sh", text, (Value(shown),), directory=place)


def _plain(text: str) -> str:
    return text.replace("\1", "$")

"""Programs that carry a script of their own: sed, awk, ed, vi.

Such a script can write files and run commands (`w file`, `e`, `print > "f"`, `system()`), so
it is read as far as that matters.
Always true: a file or command that the script names literally is told; one that it computes
is unclear.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from penstock.core.shell.effects import (
    Effect,
    Feed,
    Program,
    ProgramCall,
    RunFile,
    Shell,
    Touch,
    Unclear,
    options,
    written,
)
from penstock.core.shell.expansion import Value
from penstock.core.shell.programs.line_filters import keeps_lines, sed_words
from penstock.core.text.late_regex import late_regex

# A script longer than this is not read command by command: it is called unclear.
MOST_SCRIPT = 4_096

# sed


def _sed(call: ProgramCall) -> Iterator[Effect]:
    found, scripts, files = sed_words(call.args)
    yield from (RunFile("sed", path, (path,)) for path in found.values("f", "file"))
    if found.has("i", "in-place"):
        keeps = not found.has("f", "file", "n", "quiet", "silent") and keeps_lines(scripts)
        yield from (Touch(file, keeps=keeps) for file in files)
        yield from _backups(found.values("i", "in-place"), files)
    for script in scripts:
        effects = list(_sed_effects(script))
        if script.exact:
            yield from effects
        elif effects:
            # Read with holes in it, a script may seem to run what is only text.
            yield from (effect for effect in effects if isinstance(effect, Touch))
            yield Unclear("part of a `sed` script is only known when it runs", runs=True)


def _backups(suffixes: list[Value], files: tuple[Value, ...]) -> Iterator[Effect]:
    for suffix in suffixes[-1:]:
        for file in files:
            name = file.text + suffix.text
            if "*" in suffix.text or "/" in suffix.text:
                name = suffix.text.replace("*", file.text.rpartition("/")[2])
            yield Touch(Value(name, exact=file.exact and suffix.exact))


_SED_ADDRESS = late_regex(r"[\s;{}!,~+$0-9IM]*")
_SED_LABEL = late_regex(r"[^;\n}]*")
_SED_LINE = late_regex(r"[^\n]*")
_SED_NUMBER = late_regex(r"[ \t]*[0-9]*")


def _sed_effects(script: Value) -> Iterator[Effect]:
    if len(script.text) > MOST_SCRIPT:
        yield Unclear("a `sed` script is too long to be read")
        return
    at = 0
    text = script.text
    while at < len(text):
        at = _sed_addresses(text, at)
        if at >= len(text):
            return
        command, at = text[at], at + 1
        if command in "sy":
            at, flags = _sed_substitution(text, at)
            at, effects = _sed_flags(flags if command == "s" else "", text, at)
            yield from effects
        else:
            at, effects = _sed_command(command, text, at)
            yield from effects


def _sed_addresses(text: str, at: int) -> int:
    """Pass line numbers, patterns and brackets in front of a command."""
    while at < len(text):
        found = _SED_ADDRESS.match(text, at)
        at = found.end() if found else at
        if text[at : at + 1] == "#":
            at = _ended(_SED_LINE, text, at)
        elif text[at : at + 1] == "/":
            at = _delimited(text, at + 1, "/")
        elif text[at : at + 1] == "\\" and at + 1 < len(text):
            at = _delimited(text, at + 2, text[at + 1])
        else:
            break
    return at


def _delimited(text: str, at: int, mark: str) -> int:
    """Return the place behind the next `mark` that no backslash and no bracket hides."""
    bracket = False
    while at < len(text):
        char = text[at]
        if char == "\\":
            at += 1
        elif char == "[" and mark != "[":
            bracket = True
        elif char == "]":
            bracket = False
        elif (char == mark and not bracket) or (char == mark and _closes_anyway(text, at)):
            return at + 1
        at += 1
    return at


def _closes_anyway(text: str, at: int) -> bool:
    """An unmatched `[` hides nothing: look whether a `]` follows at all."""
    return text.find("]", at) < 0


def _sed_substitution(text: str, at: int) -> tuple[int, str]:
    """Pass `s/a/b/` and return its flags."""
    if at >= len(text):
        return at, ""
    mark = text[at]
    at = _delimited(text, _delimited(text, at + 1, mark), mark)
    found = re.compile(r"[gpiImMe0-9]*").match(text, at)
    flags = found.group() if found else ""
    return at + len(flags), flags


def _sed_flags(flags: str, text: str, at: int) -> tuple[int, list[Effect]]:
    effects: list[Effect] = []
    if "e" in flags:
        effects.append(Unclear("`sed` runs what a substitution makes", runs=True))
    if text[at : at + 1] == "w":
        end = _ended(_SED_LINE, text, at)
        effects.append(_sed_file(text[at + 1 : end]))
        at = end
    return at, effects


def _sed_file(name: str) -> Effect:
    return Touch(Value(name.strip()))


def _sed_command(command: str, text: str, at: int) -> tuple[int, list[Effect]]:
    if command in "wW":
        end = _ended(_SED_LINE, text, at)
        return end, [_sed_file(text[at:end])]
    if command == "e":
        end = _ended(_SED_LINE, text, at)
        line = text[at:end].strip()
        return end, [Shell(Value(line)) if line else Unclear("`sed` runs its input", runs=True)]
    if command in "aicrR":
        return _ended(_SED_LINE, text, at), []
    if command in "btT:":
        return _ended(_SED_LABEL, text, at), []
    return _ended(_SED_NUMBER, text, at), []


def _ended(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at


# awk


def _awk(call: ProgramCall) -> Iterator[Effect]:
    found = options(
        call.args,
        short="Fvfieo?d?p?l",
        long="field-separator assign file include source load output-file",
        first_operand_ends=True,
    )
    programs = [*found.values("e", "source")]
    files = found.operands
    if not programs and not found.values("f", "file"):
        programs, files = list(files[:1]), files[1:]
    if any(value.text == "inplace" for value in found.values("i", "include")):
        yield from written(file for file in files if "=" not in file.text)
    yield from (RunFile("awk", path, (path,)) for path in found.values("f", "file"))
    known = _awk_variables([*found.values("v", "assign"), *files])
    for program in programs:
        yield from _awk_effects(program, known)


def _awk_variables(words: list[Value]) -> dict[str, str]:
    found: dict[str, str] = {}
    for word in words:
        name, equals, value = word.text.partition("=")
        if equals and name.isidentifier() and word.exact:
            found[name] = value
    return found


# A string or a pattern that is not closed ends with its line: looking for its end again and
# again would cost the square of its length.
_AWK_TOKEN = late_regex(
    r"[ \t]+|#[^\n]*|\\\n|\"(?:[^\"\\\n]|\\.)*+\"?|[A-Za-z_][A-Za-z0-9_]*"
    r"|>>|&&|\|\||\|&|>=|[-+*%^]=|.",
    re.DOTALL,
)
_AWK_PATTERN = late_regex(r"/(?:[^/\\\n\[]|\\.|\[\]?[^\]\n]*+\]?)*+/?", re.DOTALL)
_BEFORE_PATTERN = frozenset({"", "(", ",", "!", "~", "&&", "||", "{", "}", ";", "\n", "print"})


def _awk_tokens(text: str) -> list[str]:
    """Return a program's tokens; where an operand is due, a slash begins a pattern."""
    tokens: list[str] = []
    at = 0
    while at < len(text):
        due = (tokens[-1] if tokens else "") in _BEFORE_PATTERN
        found = (_AWK_PATTERN.match(text, at) if due else None) or _AWK_TOKEN.match(text, at)
        piece = found.group() if found else text[at]
        at += len(piece)
        if piece[0] not in " \t#\\":
            tokens.append(piece)
    return tokens


def _awk_effects(program: Value, known: Mapping[str, str]) -> Iterator[Effect]:
    """Follow `print ... > target`, pipes and `system()`; comparisons stand elsewhere."""
    if len(program.text) > MOST_SCRIPT:
        yield Unclear("an `awk` program is too long to be read")
        return
    tokens = _awk_tokens(program.text)
    printing, depth = False, 0
    for at, word in enumerate(tokens):
        if word in ("print", "printf"):
            printing, depth = True, 0
        elif word in (";", "}", "{", "\n"):
            printing = False
        depth += (word in ("(", "[")) - (word in (")", "]"))
        if word == "system" or (word in ("|", "|&") and printing and depth <= 0):
            yield _awk_command(tokens, at + 1, known)
        elif word in (">", ">>") and printing and depth <= 0:
            yield _awk_target(tokens, at + 1, known)
        elif word == "getline" and tokens[at - 1 : at] in (["|"], ["|&"]):
            yield _awk_command(tokens, at - 2, known)


def _awk_text(tokens: list[str], at: int, known: Mapping[str, str]) -> str | None:
    """Return the text that stands at a place alone, or None when it is computed."""
    while tokens[at : at + 1] == ["("]:
        at += 1
    word = tokens[at] if 0 <= at < len(tokens) else ""
    after = tokens[at + 1] if at + 1 < len(tokens) else ""
    if after not in ("", ";", "}", ")", "|", "|&", "\n"):
        return None
    if word.startswith('"') and len(word) > 1:
        return re.sub(r"\\(.)", r"\1", word[1:-1])
    return known.get(word)


def _awk_target(tokens: list[str], at: int, known: Mapping[str, str]) -> Effect:
    text = _awk_text(tokens, at, known)
    if text is None:
        return Unclear("`awk` computes the name of a file that it writes")
    return Touch(Value(text))


def _awk_command(tokens: list[str], at: int, known: Mapping[str, str]) -> Effect:
    text = _awk_text(tokens, at, known)
    if text is None:
        return Unclear("`awk` computes a command that it runs", runs=True)
    return Shell(Value(text), feed=Feed(piped=True))


# Editors

_EDITOR_WRITE = late_regex(r"(?:^|[:|\n ])(?:w|wq|x|sav|saveas|write|wa)!?[ \t]+([^\s|!<>]+)")
# Lines that go: `2,$d`, `g/x/d`, `%d`, `normal ggdG`.
_EDITOR_CUTS = late_regex(
    r"(?:^|[:|\n])\s*(?:[0-9,%$.+'-]|/[^/\n]*/)*\s*(?:[gv]!?/[^/\n]*/\s*)?(?:d|de|del|delete|c|change)\b"
    r"|\bnorm(?:al)?!?\s+\S*d"
)
_EDITOR_RUNS = late_regex(
    r"(?:^|[:|\n ])(?:[0-9,%$.]*!|w +!|r(?:ead)? *!|silent!? *!)|\bsystem\(|\bwritefile\("
)


def _editor(call: ProgramCall) -> Iterator[Effect]:
    """An editor writes the files that it opens, and those that its commands name."""
    found = options(call.args, short="cSTuUwWi", long="cmd startuptime")
    texts = [value.text for value in found.values("c", "cmd")]
    texts += [word.text[1:] for word in found.operands if word.text[:1] == "+"]
    if call.feed.text is not None:
        texts.append(call.feed.text)
    elif call.feed.piped:
        yield Unclear(f"`{call.name}` reads its commands from elsewhere")
    if not found.has("R"):
        keeps = not any(_EDITOR_CUTS.search(text[:MOST_SCRIPT]) for text in texts)
        files = (word for word in found.operands if word.text[:1] not in ("+", "-"))
        yield from (Touch(file, keeps=keeps) for file in files)
    for text in texts:
        yield from _editor_effects(call.name, text[:MOST_SCRIPT])


def _editor_effects(name: str, text: str) -> Iterator[Effect]:
    for found in _EDITOR_WRITE.finditer(text):
        yield Touch(Value(found.group(1)))
    if _EDITOR_RUNS.search(text):
        yield Unclear(f"`{name}` runs a command", runs=True)


# Scripts of these programs that lie in a file.
FILTER_SCRIPTS: Mapping[str, Callable[[str], Iterator[Effect]]] = {
    "sed": lambda text: _sed_effects(Value(text)),
    "awk": lambda text: _awk_effects(Value(text), {}),
}

FILTERS: Mapping[str, Program] = {
    "sed": _sed,
    "gsed": _sed,
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk", "goawk"), _awk),
    **dict.fromkeys(("vi", "vim", "nvim", "ex", "ed", "red"), _editor),
}

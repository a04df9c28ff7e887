"""Read shell text as tokens: words, redirections, operators, here-documents.

Bash decides by position what is a reserved word, a pattern of `case` or a comparison inside
`[[ ]]`; so does this reader, because a `>` or a `<<` means something else in each place.
How tokens nest is settled by `tree`.
Always true: no text is lost. What is not a token of the answer is in `rest`.
"""

from __future__ import annotations

from msgspec import Struct, field
from msgspec.structs import replace

from penstock.core.shell.syntax.nodes import Lit, Op, Part, Redirect, Script, ShellWord, Token
from penstock.core.shell.syntax.words import (
    Cursor,
    TooMuch,
    arithmetic_end,
    arithmetic_word,
    read_document,
    read_word,
)
from penstock.core.text.late_regex import late_regex

_OPERATOR = late_regex(r";;&|;;|;&|;|&&|&|\|\||\|&|\||\(|\)")
_REDIRECT = late_regex(
    r"(?P<fd>[0-9]+|\{[A-Za-z_][A-Za-z0-9_]*\})?"
    r"(?P<op><<<|<<-|<<|<>|<&|>>\||>>!|>>|>\||>!|>&|<|>)|(?P<both>&>>\||&>>|&>\||&>)"
)
_MAY_REDIRECT = frozenset("<>&{0123456789")
_OPERATES = frozenset(";&|()")
_COMMENT = late_regex(r"#[^\n]*")
_IN_TEST = late_regex(r"[\s<>()&|;]+")
_EMPTY_BRACKETS = late_regex(r"(?:[ \t]++|\\\n)*+\([ \t]*+\)")
_COPROCESS = late_regex(r"[ \t]+[A-Za-z_][A-Za-z0-9_]*[ \t]+(?=[{(])")
_TIMED = late_regex(r"[ \t]+-p(?=\s)")
_NEWLINES = late_regex(r"\s*")

OPENERS = frozenset({"if", "while", "until", "for", "select", "case", "{"})
CLOSERS = frozenset({"fi", "done", "esac", "}"})
_MIDDLES = frozenset({"then", "elif", "else", "do", "!"})
_RESERVED = OPENERS | CLOSERS | _MIDDLES | {"function", "[[", "coproc", "time"}
_NAMED = frozenset({"for", "select", "case"})
# Words that stand before a command of any form and change nothing that matters here.
_BESIDE = {"coproc": _COPROCESS, "time": _TIMED}
_CONTINUES = frozenset({"&&", "||", "|", "|&"})
_ENDS_ITEM = frozenset({";;", ";&", ";;&"})


class ScriptParse(Struct, frozen=True):
    """A script, what is wrong with its text, and the rest that was not read closely."""

    script: Script
    problems: tuple[str, ...]
    rest: str
    steps: int


def read_script(text: str, *, steps: int = 0) -> ScriptParse:
    """Read a whole text; `steps` is what the same command has already spent."""
    cur = Cursor(text, _inner_commands, end=len(text), steps=steps)
    reader = _TokenReader(cur, closer="")
    rest = ""
    try:
        reader.read()
    except TooMuch:
        rest = text[reader.settled :]
    if cur.pending:
        cur.problem("a here-document has no end")
    return ScriptParse(Script(text, tuple(reader.tokens)), tuple(cur.problems), rest, cur.steps)


def _inner_commands(cur: Cursor) -> Script:
    """Read the commands of a substitution, up to and past its closing bracket."""
    # A text of its own (backquotes) starts at 0 and ends with the text; others at `)`.
    reader = _TokenReader(cur, closer="" if cur.at == 0 else ")")
    reader.read()
    return Script(cur.text, tuple(reader.tokens))


class _TokenReader(Struct):
    """Reads tokens, knowing at each one what position it stands in."""

    cur: Cursor
    closer: str
    tokens: list[Token] = field(default_factory=list)
    settled: int = 0
    start: bool = True
    expect: str = ""
    cases: list[str] = field(default_factory=list)
    brackets: int = 0
    pattern: list[ShellWord] = field(default_factory=list)

    def read(self) -> None:
        """Read until the closer, or the end of the text."""
        cur = self.cur
        while True:
            cur.skip_blanks()
            self.settled = cur.at
            if cur.at >= cur.end:
                break
            cur.step()
            if not self._token():
                return
        if self.closer:
            cur.problem("a bracket is not closed")

    def _token(self) -> bool:
        """Read one token; false when it was the closer."""
        cur = self.cur
        char = cur.peek()
        if char == "\n":
            cur.at += 1
            self._newline()
        elif char == "#":
            cur.take(_COMMENT)
        elif char in _MAY_REDIRECT and self._redirect():
            self.start = False
        elif char == "(" and self._at_arithmetic():
            self._arithmetic()
        elif char in _OPERATES:
            return self._operator(cur.take(_OPERATOR))
        else:
            self._word()
        return True

    # Newlines and here-documents

    def _newline(self) -> None:
        self._documents()
        if self._in_pattern() or self.expect:
            return
        last = self.tokens[-1] if self.tokens else None
        if isinstance(last, Op) and last.text in _CONTINUES:
            return
        self._separate("\n")

    def _documents(self) -> None:
        """Read the bodies of the here-documents that this line announced."""
        waiting, self.cur.pending[:] = self.cur.pending[:], []
        for tokens, place, redirect in waiting:
            self.cur.step(3)
            tokens[place] = replace(redirect, body=_document(self.cur, redirect))

    # Redirections

    def _redirect(self) -> bool:
        cur = self.cur
        found = _REDIRECT.match(cur.text, cur.at, cur.end)
        if not found or self._in_pattern():
            return False
        op = found["op"] or found["both"]
        if op in ("<", ">") and cur.text.startswith("(", found.end()) and not found["fd"]:
            return False  # a process substitution is a word
        start = cur.at
        cur.at = found.end()
        cur.skip_blanks()
        word = read_word(cur)
        if not word.raw:
            cur.problem("a redirection names nothing")
        body = word.parts if op == "<<<" else None
        redirect = Redirect(op, found["fd"] or "", word, body, start, cur.at)
        self.tokens.append(redirect)
        if op in ("<<", "<<-"):
            cur.pending.append((self.tokens, len(self.tokens) - 1, redirect))
        return True

    # Arithmetic commands

    def _at_arithmetic(self) -> bool:
        here = self.start or self.expect == "for"
        return here and self.cur.text.startswith("((", self.cur.at) and not self._in_pattern()

    def _arithmetic(self) -> None:
        cur = self.cur
        end = arithmetic_end(cur, cur.at)
        if not end:
            cur.at += 1
            self._operator("(")
            return
        if self.expect == "for":
            # `for ((;;))` runs its body while a condition holds, as `while` does.
            self.tokens[-1] = Op("while")
            self.expect = ""
        else:
            self.start = False
        self.tokens.append(arithmetic_word(cur, end))
        if self.start:
            self._separate(";")

    # Operators

    def _operator(self, op: str) -> bool:
        if self._in_pattern():
            if op == ")":
                self._end_pattern()
            return True
        if op == ")" and self.closer and not self.brackets:
            return False
        self.brackets += {"(": 1, ")": -1}.get(op, 0)
        if self.brackets < 0:
            self.brackets = 0
            self.cur.problem("a bracket was never opened")
        if op in _ENDS_ITEM and self.cases:
            self.cases[-1] = "pattern"
        self._separate(op)
        return True

    def _separate(self, op: str) -> None:
        self.tokens.append(Op(op))
        self.start = True

    def _in_pattern(self) -> bool:
        return bool(self.cases) and self.cases[-1] == "pattern"

    def _end_pattern(self) -> None:
        parts = tuple(part for word in self.pattern for part in word.parts)
        self.tokens.append(Op("pattern", ShellWord(parts, "", 0, 0)))
        self.pattern.clear()
        self.cases[-1] = "body"
        self.start = True

    # Words

    def _word(self) -> None:
        word = read_word(self.cur)
        if not word.raw:
            self.cur.at += 1  # nothing else can be here; never stand still
            return
        if self._in_pattern():
            self._pattern_word(word)
        elif self.expect:
            self._expected(word)
        elif self.start and word.raw in _RESERVED:
            self._reserved(word)
        else:
            self._plain(word)

    def _pattern_word(self, word: ShellWord) -> None:
        if word.raw == "esac" and not self.pattern:
            self.cases.pop()
            self._separate("esac")
        else:
            self.pattern.append(word)

    def _expected(self, word: ShellWord) -> None:
        """Read a word after `for`, `select`, `case` or `function`."""
        before, self.expect = self.expect, ""
        if before == "function":
            self.tokens.append(word)
            self.cur.take(_EMPTY_BRACKETS)
            self.cur.take(_NEWLINES)
            self.start = True
        elif before in _NAMED:
            self.tokens.append(word)
            self.expect = "in " + before
            self.start = False
        elif word.raw == "in":
            self._separate("in")
            self.start = False
            if before == "in case":
                self.cases.append("pattern")
        elif word.raw == "do":
            self._separate("do")
        else:
            self.cur.problem("a reserved word is out of place")
            self._plain(word)

    def _reserved(self, word: ShellWord) -> None:
        keyword = word.raw
        if keyword == "[[":
            self._test(word)
            return
        if keyword in _BESIDE:
            self.cur.take(_BESIDE[keyword])
            return
        if keyword in _NAMED or keyword == "function":
            self.expect = keyword
        if keyword == "esac" and self.cases:
            self.cases.pop()
        self._separate(keyword)

    def _test(self, word: ShellWord) -> None:
        """Read `[[ ... ]]` as one command: inside it, `<` and `>` compare."""
        self.tokens.append(word)
        cur = self.cur
        while cur.at < cur.end:
            cur.step()
            cur.take(_IN_TEST)
            inner = read_word(cur)
            if inner.raw:
                self.tokens.append(inner)
            if inner.raw == "]]":
                self.start = False
                return
        cur.problem("a `[[` is not closed")

    def _plain(self, word: ShellWord) -> None:
        if self.start and _EMPTY_BRACKETS.match(self.cur.text, word.end, self.cur.end):
            self.tokens.append(Op("function"))
            self.expect = "function"
            self._expected(word)
            return
        self.tokens.append(word)
        self.start = False


def _delimiter(word: ShellWord) -> tuple[str, bool]:
    """Return the line that ends a here-document, and whether its body is taken literally."""
    quoted = any(char in word.raw for char in "'\"\\")
    text = "".join(p.text if isinstance(p, Lit) else getattr(p, "raw", "") for p in word.parts)
    return text, quoted


def _document(cur: Cursor, redirect: Redirect) -> tuple[Part, ...]:
    """Read a here-document's body from the cursor, and pass its last line."""
    word = redirect.word or ShellWord((), "", 0, 0)
    delimiter, literal = _delimiter(word)
    start = cur.at
    stop, after = _find_end(cur, delimiter, strip=redirect.op == "<<-", literal=literal)
    body = cur.text[start:stop]
    cur.at = after
    if literal or not any(char in body for char in "$`\\"):
        return (Lit(_without_tabs(body) if redirect.op == "<<-" else body, True),)
    return read_document(cur, start, stop)


def _without_tabs(body: str) -> str:
    return "\n".join(line.lstrip("\t") for line in body.split("\n"))


def _find_end(cur: Cursor, delimiter: str, *, strip: bool, literal: bool) -> tuple[int, int]:
    """Return where the body stops and where reading goes on."""
    at = cur.at
    while True:
        cur.step()
        found = cur.text.find(delimiter, at, cur.end)
        if found < 0:
            cur.problem("a here-document has no end")
            return cur.end, cur.end
        line = cur.text.rfind("\n", cur.at, found) + 1 or cur.at
        end = found + len(delimiter)
        lead = cur.text[line:found]
        alone = (not lead.strip("\t") if strip else not lead) and cur.text[end : end + 1] in (
            "",
            "\n",
        )
        if alone and (literal or not _joined(cur.text, line, cur.at)):
            return line, min(end + 1, cur.end)
        # Go on behind this line: a delimiter can only be a whole line.
        at = (cur.text.find("\n", found, cur.end) + 1) or cur.end
        if at >= cur.end:
            cur.problem("a here-document has no end")
            return cur.end, cur.end


def _joined(text: str, line: int, start: int) -> bool:
    """True when a backslash joins this line to the one before it."""
    at = line - 2
    while at >= start and text[at] == "\\":
        at -= 1
    return (line - 2 - at) % 2 == 1

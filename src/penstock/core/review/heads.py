"""Which function, class, section or key a hunk is in: what stands behind the `@@` of its heading.

A table has, for each language, what the first line of such a block looks like. Where blocks are
indented the block that holds a line is the nearest head above it with less indentation, so that a
line behind a function is not said to be in it. Like git's `xfuncname`, this reads lines and no
syntax: a head inside a string is taken for one.
Always true: a content is read once, in time that grows with its length; a heading never repeats a
line that is shown right below it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from functools import cache
from typing import Any

from msgspec import Struct

from penstock.core.model import Hunk
from penstock.core.review.languages import Language, language_of

LONGEST = 100  # bytes of a head that are shown
TAB = 8  # columns
MOST_READ = 4 << 20  # bytes of a content beyond which there are no heads
JOINED, MOST_JOINED = " > ", 6
_WORDS = r"(?:[\w@<>\[\],.?$]+[ \t]+)*"


class HeadForm(Struct, frozen=True, kw_only=True):
    """How heads look in one language.

    A line that begins with one of `never` is none. `nested` says that indentation tells which
    block a line is in; `path` shows the heads around it as well, each as far as its colon.
    """

    pattern: str
    never: frozenset[bytes] = frozenset()
    nested: bool = True
    path: bool = False


_KEYWORDS = frozenset(
    b"if else for foreach while switch catch return throw new do try case default using lock with "
    b"await yield delete sizeof typeof assert elif fixed when not and or in is goto break "
    b"continue import package from print".split()
)
_DECORATION = (
    r"(?:(?:export|default|declare|public|private|protected|internal|static|async|abstract|final|"
    r"readonly|override|virtual|sealed|partial|open|inline|suspend|data|get|set|fun)[ \t]+)*"
)
_C_BODY = r"[\w:*&<>~ \t,\[\]]*[\w:*&>~\]]+[ \t]*\([^;{}]*(?:\)[^;=]*)?\{?[ \t\r]*$"
FORMS: Mapping[Language, HeadForm] = {
    Language.PYTHON: HeadForm(pattern=r"^[ \t]*(?:class|(?:async[ \t]+)?def)[ \t]+\w"),
    Language.JAVASCRIPT: HeadForm(
        pattern="|".join(
            (
                rf"^[ \t]*{_DECORATION}(?:function\b|"
                r"(?:class|interface|enum|namespace|module)[ \t]+\w)",
                rf"^[ \t]*{_DECORATION}type[ \t]+\w+[^=\n]*=",
                r"^[ \t]*(?:export[ \t]+)?(?:const|let|var)[ \t]+[\w$]+[^=\n]*="
                r"[ \t]*(?:async[ \t]*)?(?:function\b|\([^\n]*=>|[\w$]+[ \t]*=>)",
                r"^[ \t]*(?:describe|context|it|test)(?:\.\w+)*\(",
                rf"^[ \t]+{_DECORATION}[\w$#*]+[ \t]*(?:<[^\n]*>)?\([^;\n]*\)[^;=\n]*\{{[ \t\r]*$",
            )
        ),
        never=_KEYWORDS,
    ),
    Language.GO: HeadForm(pattern=r"^(?:func|type|var|const)[ \t]"),
    Language.RUST: HeadForm(
        pattern=r"^[ \t]*(?:pub(?:\([^)]*\))?[ \t]+)?(?:(?:default|async|const|unsafe|"
        r"extern(?:[ \t]+\"[^\"]*\")?)[ \t]+)*"
        r"(?:fn|struct|enum|union|trait|impl|mod|macro_rules!)\b"
    ),
    Language.JAVA: HeadForm(
        pattern="|".join(
            (
                rf"^[ \t]*{_WORDS}(?:class|interface|enum|record|@interface|object|trait)[ \t]+\w",
                rf"^[ \t]*{_WORDS}(?:fun|def)[ \t]",
                rf"^[ \t]+{_DECORATION}{_WORDS}\w+[ \t]*\([^;{{}}=]*(?:\)[^;=]*)?\{{?[ \t\r]*$",
                r"^(?:[\w.]+[ \t]*(?:\([^\n]*\)[ \t]*)?\{)[ \t\r]*$",
            )
        ),
        never=_KEYWORDS,
    ),
    Language.CSHARP: HeadForm(
        pattern="|".join(
            (
                rf"^[ \t]*{_WORDS}(?:class|interface|enum|record|struct|namespace)[ \t]+\w",
                rf"^[ \t]+{_WORDS}\w+[ \t]*(?:<[^\n]*>)?\([^;{{}}=]*(?:\)[^;=]*)?\{{?[ \t\r]*$",
            )
        ),
        never=_KEYWORDS,
    ),
    Language.C: HeadForm(
        pattern="|".join(
            (
                rf"^[A-Za-z_]{_C_BODY}",
                rf"^[ \t]+[A-Za-z_~][\w:*&<>~ \t,]*[ \t*&]+{_C_BODY}",
                r"^[ \t]*(?:typedef[ \t]+)?(?:class|struct|union|enum|namespace)\b[^;()\n]*$",
                r"^[-+][ \t]*\([^)]*\)[ \t]*\w",
            )
        ),
        never=_KEYWORDS,
    ),
    Language.RUBY: HeadForm(
        pattern=r"^[ \t]*(?:(?:class|module|def)[ \t]|"
        r"(?:describe|context|it|feature|scenario)[ \t(])"
    ),
    Language.PHP: HeadForm(
        pattern=rf"^[ \t]*{_DECORATION}(?:function|class|interface|trait|enum|namespace)[ \t]+[&\w]"
    ),
    Language.SHELL: HeadForm(pattern=r"^[ \t]*(?:function[ \t]+[\w:.-]+|[\w:.-]+[ \t]*\([ \t]*\))"),
    Language.POWERSHELL: HeadForm(pattern=r"(?i)^[ \t]*(?:function|filter|class|workflow)[ \t]+\w"),
    Language.CSS: HeadForm(pattern=r"^[ \t]*[^\s{};/*][^{};\n]*\{"),
    Language.MARKDOWN: HeadForm(pattern=r"^#{1,6}[ \t]", nested=False),
    Language.TOML: HeadForm(pattern=r"^[ \t]*\[", nested=False),
    Language.INI: HeadForm(pattern=r"^[ \t]*\[", nested=False),
    Language.YAML: HeadForm(
        pattern=r"^[ \t]*(?:-[ \t]+)*[\w\"'./$*&<{-][^#:\n]*:(?:[ \t\r]|$)", path=True
    ),
    Language.SQL: HeadForm(
        pattern=r"(?i)^[ \t]*(?:create|alter|drop|truncate|grant|revoke|insert|update|delete)[ \t]",
        nested=False,
    ),
    Language.HTML: HeadForm(
        pattern=r"(?i)^[ \t]*<(?:h[1-6]|head|body|main|header|footer|nav|section|article|aside|"
        r"form|table|template|script|style|svg|dialog|fieldset|ul|ol|div|project|dependencies|build|"
        r"plugins|profile)\b"
    ),
    Language.MAKE: HeadForm(pattern=r"^[\w./%$(){}-][^:=#\n]*::?(?:[^=\n]|$)"),
    Language.DOCKER: HeadForm(pattern=r"(?i)^[ \t]*FROM[ \t]", nested=False),
    Language.SWIFT: HeadForm(
        pattern=rf"^[ \t]*{_WORDS}(?:func|class|struct|enum|protocol|extension|actor|init)\b"
    ),
}


class _Head(Struct, frozen=True):
    """One head: its line, how far it is indented, the head around it (-1: none), its text."""

    line: int
    indent: int
    around: int
    text: bytes


class HunkHeads:
    """The heads of one content. Nothing is read before the first question."""

    def __init__(self, path: str, before: bytes | None, after: bytes | None) -> None:
        self._old, self._new = before or b"", after or b""
        # A head is looked for in what was there; of a new file, in what comes.
        self._text = self._old if before is not None else self._new
        form = FORMS.get(language) if (language := language_of(path, self._text)) else None
        self._form = form if len(self._text) <= MOST_READ else None
        self._found: list[_Head] | None = None
        self._lines: list[int] = []
        self._starts: tuple[list[int], list[int]] | None = None

    def __call__(self, hunk: Hunk, top: int) -> bytes:
        """Return the head of a hunk whose shown lines begin at the old line `top`."""
        if self._form is None:
            return b""
        heads = self._heads()
        at = bisect_left(self._lines, hunk.before_start) - 1
        if self._form.nested:
            indent = self._indent_of(hunk)
            while at >= 0 and (heads[at].indent >= indent or heads[at].line >= top):
                at = heads[at].around
        else:
            at = min(at, bisect_left(self._lines, top) - 1)
        return self._words(at)

    def _words(self, at: int) -> bytes:
        assert self._form is not None
        heads, said = self._heads(), []
        while at >= 0:
            said.append(heads[at].text)
            at = heads[at].around if self._form.path else -1
        return JOINED.encode().join(reversed(said[:MOST_JOINED]))

    def _heads(self) -> list[_Head]:
        if self._found is None:
            assert self._form is not None
            self._found = _read(self._text, self._form)
            self._lines = [head.line for head in self._found]
        return self._found

    def _indent_of(self, hunk: Hunk) -> int:
        """Return how far the first line of a hunk is indented that is not blank."""
        assert self._form is not None
        old, new = self._line_starts()
        for text, starts, places in ((self._old, old, hunk.before), (self._new, new, hunk.after)):
            for at in places[:50]:
                line = text[starts[at] : starts[at + 1]]
                if line.strip():
                    return _indent(line, self._form)
        return 0

    def _line_starts(self) -> tuple[list[int], list[int]]:
        if self._starts is None:
            self._starts = _starts(self._old), _starts(self._new)
        return self._starts


def _read(text: bytes, form: HeadForm) -> list[_Head]:
    """Return every head of a content, each with the one around it."""
    found: list[_Head] = []
    open_ones: list[int] = []  # heads that may still be around the next, ever more indented
    at = line = 0
    for match in _compiled(form.pattern).finditer(text):
        line += text.count(b"\n", at, match.start())
        at = match.start()
        whole = text[at : _end_of(text, at)]
        said = whole.strip()
        first = said.lstrip(b"} \t").replace(b"(", b" ").split(b" ", 1)[0]
        if first in form.never:
            continue
        indent = _indent(whole, form)
        while open_ones and found[open_ones[-1]].indent >= indent:
            open_ones.pop()
        around = open_ones[-1] if open_ones else -1
        open_ones.append(len(found))
        found.append(_Head(line, indent, around, _shown(said, form)))
    return found


def _end_of(text: bytes, at: int) -> int:
    end = text.find(b"\n", at, at + 4096)
    return min(at + 4096, len(text)) if end < 0 else end


def _shown(line: bytes, form: HeadForm) -> bytes:
    """Return a head as it is shown: without what opens its block, and not too long."""
    if form.path:
        line = line.lstrip(b"- \t").partition(b":")[0]
    line = line.rstrip(b" \t\r{:") if line.endswith((b"{", b":")) else line
    if len(line) <= LONGEST:
        return line
    return line[:LONGEST].decode("utf-8", "ignore").encode() + b"..."


def _indent(line: bytes, form: HeadForm) -> int:
    """Return the column of the first sign of a line; the dash of a list of keys is a blank."""
    column, blanks = 0, b" -" if form.path else b" "
    for sign in line:
        if sign == 9:
            column += TAB - column % TAB
        elif sign in blanks:
            column += 1
        else:
            break
    return column


def _starts(text: bytes) -> list[int]:
    starts, at = [0], 0
    for line in text.split(b"\n"):
        at += len(line) + 1
        starts.append(min(at, len(text)))
    return starts


@cache
def _compiled(pattern: str) -> Any:
    import re2

    options = re2.Options()
    options.log_errors = False
    options.encoding = re2.Options.Encoding.LATIN1
    return re2.compile(f"(?m){pattern}".encode(), options)

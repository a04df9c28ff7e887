"""`find`: which files its tests meet, and what its actions do to them.

With a look at the disk the expression is settled file by file, in three values: a test that
names cannot settle (`-mtime`, `-size`) may hold. Without one, stand-ins are told: each root with
each name that is asked for.
Always true: a file that may be met is told as met.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from msgspec import Struct

from penstock.core.distribution import LIBRARIES
from penstock.core.model import Action
from penstock.core.shell.effects import (
    HERE,
    Effect,
    ProgramCall,
    RunProgram,
    Touch,
    below,
    options,
    removing_all,
)
from penstock.core.shell.expansion import Value
from penstock.core.shell.look import LookHere
from penstock.core.shell.place import SOMEWHERE, TELLING
from penstock.core.shell.programs.reads.rows import USUAL
from penstock.core.shell.wildcards import matches
from penstock.core.text.late_regex import late_regex

MOST_MET = 400
MOST_ROOTS = 8
MOST_ASKED = 8  # names of one expression
MOST_TELLING = 64
_RUNS = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_FILES = frozenset({"-fprint", "-fprintf", "-fls", "-fprint0"})
_NAMES = frozenset({"-name", "-iname", "-lname"})
_PATHS = frozenset({"-path", "-ipath", "-wholename", "-iwholename"})
_NEGATIONS = frozenset({"!", "-not"})
_PRINTS = frozenset({"-print", "-print0"})
_SOLITARY = frozenset(
    {
        *("-empty", "-readable", "-writable", "-executable", "-nouser", "-nogroup", "-daystart"),
        *(
            "-depth",
            "-mount",
            "-xdev",
            "-noleaf",
            "-true",
            "-warn",
            "-nowarn",
            "-ls",
            "-quit",
            "-d",
        ),
    }
)


def find(call: ProgramCall) -> Iterator[Effect]:
    """Tell what a `find` does to the files that it meets."""
    roots, tests = _parts(call.args)
    yield from (Touch(tests[at + 1]) for at, w in enumerate(tests[:-1]) if w.text in _FILES)
    acts = any(word.text in _RUNS or word.text == "-delete" for word in tests)
    met = _meet(roots, tests, call.here) if acts else None
    if met is not None and not call.here.grant(sum(map(len, met.values()))):
        met = None
    for at, word in enumerate(tests):
        if word.text == "-delete":
            yield from _deleted(None if met is None else met.get(at, []), roots, tests)
        elif word.text in _RUNS:
            command = _until_end(tests[at + 1 :])
            apart = word.text in ("-execdir", "-okdir")
            values = (
                [*_stand_ins(roots, tests), *_telling(roots, tests, call.here, at)]
                if met is None
                else [_shown(one) for one in met.get(at, ())]
            )
            whole = met is not None and _takes_all(tests[at + 1 :], len(command))
            yield from _runs(command, values, apart=apart, whole=whole)


def find_prints(args: Sequence[Value], here: LookHere) -> str | None:
    """Return what a `find` prints, or None where that is not known."""
    roots, tests = _parts(tuple(args))
    met = _meet(roots, tests, here)
    if met is None or any(word.text == "-printf" for word in tests):
        return None
    ends = {at: "\0" if w.text == "-print0" else "\n" for at, w in enumerate(tests)}
    hits = [
        (at, one) for at, ones in met.items() if at < 0 or tests[at].text in _PRINTS for one in ones
    ]
    return "".join(f"{_shown(one).text}{ends.get(at, chr(10))}" for at, one in hits)


def find_may_print(args: Sequence[Value], here: LookHere) -> list[str]:
    """Return some of the names that a `find` may print where these are too many to know them."""
    roots, tests = _parts(tuple(args))
    unseen = [root for root in roots[:MOST_ROOTS] if _entries(root.text, here) is None]
    named = [one.text for one in _stand_ins(unseen, tests) if TELLING.search(one.text)]
    deep = [
        below(root, Value(f"{SOMEWHERE}{name.text}")).text
        for root in unseen
        for name in _asked_names(tests)[0][:MOST_ASKED]
        if TELLING.search(name.text)
    ]
    return [*(name.text for name in _telling(roots, tests, here, None)), *named, *deep]


def _telling(
    roots: Sequence[Value], tests: Sequence[Value], here: LookHere, at: int | None
) -> list[Value]:
    """Return the files among those met that may be secrets, by the action's place or printed."""
    if not here.sees or not all(word.exact and not word.pattern for word in (*roots, *tests)):
        return []
    expression = _Expression([word.text for word in tests], here)
    for root in roots[:MOST_ROOTS]:
        entries = _entries(root.text, here) or [
            Entry(f"{root.text.rstrip('/')}/{name}", "f", 1)
            for name in (*USUAL, *_AT_HOME)
            if here.kind(f"{root.text.rstrip('/')}/{name}")
        ]
        expression.walk([one for one in entries if one.kind == "d" or TELLING.search(one.path)])
    wanted = expression.met.items()
    found = [one for place, ones in wanted for one in ones if at in (None, place)]
    return [Value(one.path, exact=False) for one in found if one.kind == "f"][:MOST_TELLING]


_AT_HOME = (".aws/credentials", ".ssh/id_rsa", ".ssh/id_ed25519", ".kube/config")


def _parts(words: tuple[Value, ...]) -> tuple[tuple[Value, ...], tuple[Value, ...]]:
    """Return the roots and the expression; options in front of the roots change neither."""
    while words and words[0].text in ("-P", "-O", "-O1", "-O2", "-O3", "-E", "-X"):
        words = words[1:]
    start = next((n for n, w in enumerate(words) if w.text[:1] in ("-", "(", "!")), len(words))
    return words[:start] or (HERE,), words[start:]


def _deleted(
    met: list[Entry] | None, roots: Sequence[Value], tests: Sequence[Value]
) -> Iterator[Effect]:
    if met is None or tests[0].text == "-delete":  # without a test the roots go as well
        yield from (Touch(v, Action.DELETE, tree=True) for v in _stand_ins(roots, tests))
        return
    # A directory goes only when it is empty: what was in it has been told file by file.
    yield from (Touch(_shown(one), Action.DELETE, tree=True) for one in met if one.kind != "d")


def _runs(
    command: Sequence[Value], values: Sequence[Value], *, apart: bool, whole: bool
) -> Iterator[Effect]:
    """Run a command on what is met; where that is nothing now, its other words still count."""
    command = removing_all(command)
    values = values or [Value("{}")]
    if whole and not apart:
        yield RunProgram((*command[:-1], *values))
        return
    for value in values:
        folder, slash, name = value.text.rpartition("/")
        if apart and slash and value.exact:
            inside = Value(f"./{name}")
            words = tuple(_filled(part, inside) for part in command)
            yield RunProgram(words, Value(folder or "/"))
        else:
            yield RunProgram(tuple(_filled(part, value) for part in command))


def _filled(word: Value, item: Value) -> Value:
    if "{}" not in word.text:
        return word
    text = word.text.replace("{}", item.text)
    return Value(text, exact=word.exact and item.exact, pattern=item.pattern and word.text == "{}")


def _until_end(words: Sequence[Value]) -> list[Value]:
    command: list[Value] = []
    for word in words:
        if word.text == ";" or (word.text == "+" and command[-1:] == [Value("{}")]):
            break
        command.append(word)
    return command


def _takes_all(words: Sequence[Value], length: int) -> bool:
    return words[length : length + 1] == (Value("+"),) or (
        len(words) > length and words[length].text == "+"
    )


# Without a look


def _stand_ins(roots: Sequence[Value], tests: Sequence[Value]) -> Iterator[Value]:
    """Return stand-ins for what find finds: each root with each name that is asked for."""
    names, paths = _asked_names(tests)
    for root in roots[:MOST_ROOTS]:
        named = names[:MOST_ASKED]
        deep = [below(root, Value(f"{SOMEWHERE}{name.text}", exact=name.exact)) for name in named]
        shown = [below(root, name) for name in named] or ([] if paths else [root])
        shown = [*shown, *(one for one, n in zip(deep, names, strict=False) if n.text in _DEEP)]
        yield from (Value(value.text, exact=False, pattern=True) for value in shown)
    yield from (Value(path.text, exact=False, pattern=True) for path in paths[:MOST_ASKED])
    yield from (  # find's own `*` goes through directories
        Value(f"**/{path.text[2:]}", exact=False, pattern=True)
        for path in paths[:MOST_ASKED]
        if path.text.startswith("*/")
    )


def _asked_names(tests: Sequence[Value]) -> tuple[list[Value], list[Value]]:
    """Return the names and the paths that tests ask for, without those that they exclude."""
    names: list[Value] = []
    paths: list[Value] = []
    for at, test in enumerate(tests[:-1]):
        if at and tests[at - 1].text in _NEGATIONS:
            continue
        if test.text in _NAMES:
            names.append(tests[at + 1])
        elif test.text in _PATHS:
            paths.append(tests[at + 1])
    return names, paths


# Directories of an environment that are somewhere below, whatever the root.
_DEEP = frozenset({"penstock", "site-packages", "python3", *LIBRARIES.values()})


# With a look


class Entry(Struct, frozen=True):
    """A file as `find` shows it: `kind` is `f` or `d`, `depth` counts from its root."""

    path: str
    kind: str
    depth: int


def _shown(entry: Entry) -> Value:
    return Value(entry.path)


Met = dict[int, list[Entry]]


def _meet(roots: Sequence[Value], tests: Sequence[Value], here: LookHere) -> Met | None:
    """Return the files that come to each action, by the action's place; -1 is plain printing."""
    if not here.sees or not all(w.exact and not w.pattern for w in (*roots, *tests)):
        return None
    if any(word.text in ("-L", "-H", "-follow", "-files0-from") for word in (*roots, *tests)):
        return None
    expression = _Expression([word.text for word in tests], here)
    for root in roots:
        entries = _entries(root.text, here)
        if entries is None:
            return None
        expression.walk(entries)
        if expression.count > MOST_MET:
            return None
    return expression.met


def _entries(root: str, here: LookHere) -> list[Entry] | None:
    kind = here.kind(root)
    if kind != "directory":
        return None if kind is None else [Entry(root, "f", 0)] if kind else []
    below_root = here.below(root)
    if below_root is None:
        return None
    start = root.rstrip("/") + "/"
    found = [Entry(root, "d", 0)]
    for name in below_root:
        plain = name.rstrip("/")
        kind = "d" if plain != name else "f"
        found.append(Entry(start + plain, kind, plain.count("/") + 1))
    return found


# Says of a file whether a part of an expression holds, None where nobody can tell. What stands
# behind a test that fails is asked without being carried out (the second argument is false).
_Question = Callable[[Entry, bool], bool | None]


class _Expression:
    """The tests and actions of one `find`: read once, and asked of one file after another."""

    def __init__(self, words: list[str], here: LookHere) -> None:
        self.words = words
        self._here = here
        self.acts = any(word in _PRINTS | _RUNS | {"-delete", "-ls"} for word in words)
        self.met: Met = {}
        self.count = 0
        self._at = 0
        self._pruned = False
        self._least = self._bound("-mindepth", 0)
        self._most = self._bound("-maxdepth", 1 << 30)
        self._holds = self._either()

    def walk(self, entries: list[Entry]) -> None:
        """Ask about each file, but for what lies below a directory that is pruned."""
        pruned: tuple[str, ...] = ()
        for entry in entries:
            if pruned and entry.path.startswith(pruned):
                continue
            self._pruned = False
            self._ask(entry)
            if self._pruned and entry.kind == "d":
                pruned = (*pruned[-63:], entry.path + "/")

    def _ask(self, entry: Entry) -> None:
        if not self._least <= entry.depth <= self._most:
            return
        holds = self._holds(entry, True)
        if holds is not False and not self.acts:
            self._hit(-1, entry)

    def _hit(self, at: int, entry: Entry) -> None:
        self.met.setdefault(at, []).append(entry)
        self.count += 1

    def _bound(self, name: str, otherwise: int) -> int:
        at = self.words.index(name) + 1 if name in self.words else len(self.words)
        text = self.words[at] if at < len(self.words) else ""
        return int(text) if text.isdecimal() and len(text) < 6 else otherwise

    def _word(self) -> str:
        return self.words[self._at] if self._at < len(self.words) else ""

    def _either(self) -> _Question:
        parts = [self._both()]
        while self._word() in ("-o", "-or"):
            self._at += 1
            parts.append(self._both())
        return parts[0] if len(parts) == 1 else partial(_any_holds, parts)

    def _both(self) -> _Question:
        parts: list[_Question] = []
        while self._word() and self._word() not in ("-o", "-or", ")", ","):
            if self._word() in ("-a", "-and"):
                self._at += 1
            else:
                parts.append(self._one())
        if self._word() != ",":
            return parts[0] if len(parts) == 1 else partial(_all_hold, parts)
        self._at += 1
        return partial(_last_holds, [partial(_all_hold, parts), self._either()])

    def _one(self) -> _Question:
        at, word = self._at, self._word()
        self._at += 1
        if word in _NEGATIONS:
            return partial(_holds_not, self._one())
        if word == "(":
            inner = self._either()
            self._at += 1
            return inner
        if word in _RUNS:
            command = _until_end([Value(each) for each in self.words[self._at :]])
            self._at += len(command) + 1
            return partial(self._done, at, None)
        if word in _PRINTS or word == "-delete":
            return partial(self._done, at, True)
        if word == "-prune":
            return self._prune
        if word in _SOLITARY:
            known = True if word in ("-true", "-depth", "-d", "-mount", "-xdev") else None
            return lambda _entry, _live: known
        argument = self._word()
        self._at += 2 if word == "-fprintf" else 1
        return partial(self._test, word, argument)

    def _done(self, at: int, holds: bool | None, entry: Entry, live: bool) -> bool | None:
        if live:
            self._hit(at, entry)
        return holds

    def _prune(self, _entry: Entry, live: bool) -> bool:
        self._pruned = self._pruned or live
        return True

    def _test(self, name: str, argument: str, entry: Entry, _live: bool) -> bool | None:
        if name in ("-name", "-iname"):
            last = entry.path.rstrip("/").rpartition("/")[2] or entry.path
            return matches(argument, last, folds=name == "-iname")
        if name in _PATHS:
            return matches(argument, entry.path, folds=name.startswith("-i"))
        if name == "-type":
            kinds = argument.split(",")
            return entry.kind in kinds or ("l" in kinds and self._is_link(entry))
        if name == "-xtype" and argument == "l":
            return None if self._is_link(entry) else False
        return True if name in ("-maxdepth", "-mindepth") else None

    def _is_link(self, entry: Entry) -> bool:
        return entry.kind == "f" and self._here.kind(entry.path) in ("link", None)


def _any_holds(parts: Sequence[_Question], entry: Entry, live: bool) -> bool | None:
    value: bool | None = False
    for part in parts:
        other = part(entry, live and value is not True)
        value = True if True in (value, other) else None if None in (value, other) else False
    return value


def _all_hold(parts: Sequence[_Question], entry: Entry, live: bool) -> bool | None:
    value: bool | None = True
    for part in parts:
        other = part(entry, live and value is not False)
        value = False if False in (value, other) else None if None in (value, other) else True
    return value


def _last_holds(parts: Sequence[_Question], entry: Entry, live: bool) -> bool | None:
    """Ask all parts around a comma; only the last one says whether the whole holds."""
    return [part(entry, live) for part in parts][-1]


def _holds_not(part: _Question, entry: Entry, live: bool) -> bool | None:
    value = part(entry, live)
    return None if value is None else not value


# fd

_FD_RUNS = frozenset({"-x", "--exec", "-X", "--exec-batch"})
_ANCHORS = late_regex(r"^\^|\$$|\\(?=[.\-_])")
_PLAIN_WORD = late_regex(r"[\w.-]*")


def fd(call: ProgramCall) -> Iterator[Effect]:
    """`fd PATTERN -x CMD`: a pattern that is no plain word may meet every file."""
    texts = [word.text for word in call.args]
    at = next((n for n, text in enumerate(texts) if text in _FD_RUNS), -1)
    if at < 0:
        return
    command = [*call.args[at + 1 :]]
    if not any("{" in word.text for word in command):
        command.append(Value("{}"))
    met = fd_meets(call.args[:at], call.here)
    values = [Value("{its files}", exact=False)] if met is None else list(map(Value, met))
    yield from _runs(command, values, apart=False, whole=False)


def fd_meets(args: Sequence[Value], here: LookHere) -> list[str] | None:
    """Return the files that `fd` finds, or None where that is not known."""
    found = options(args, short="edtESjc", long="extension max-depth type exclude size threads")
    folders = [word.text for word in found.operands[1:]] or ["."]
    wanted = _ANCHORS.sub("", found.operands[0].text if found.operands else "")
    hidden = found.has("H", "hidden", "u", "unrestricted")
    endings = tuple(f".{value.text.lstrip('.')}" for value in found.values("e", "extension"))
    met: list[str] = []
    for folder in folders:
        names = here.below(folder)
        if names is None:
            return None
        start = "" if folder == "." else folder.rstrip("/") + "/"
        for name in names:
            last = name.rstrip("/").rpartition("/")[2]
            plain = _PLAIN_WORD.fullmatch(wanted) is None or wanted.lower() in last.lower()
            seen = hidden or not any(part.startswith(".") for part in name.split("/"))
            if plain and seen and (not endings or last.endswith(endings)):
                met.append(start + name.rstrip("/"))
    return met if len(met) <= MOST_MET and here.grant(len(met)) else None

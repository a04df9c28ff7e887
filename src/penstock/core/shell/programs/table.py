"""The table of programs: which words of a command name files that it writes or deletes.

One row for each program. Those that copy, unpack or fetch have modules of their own, as have
those that start other programs (`runners`), git (`git`), and those with a script
of their own (`filters`).
What is read is told by `reads`, and so are the words of a program that no table knows.
Always true: a row tells what the words say. Any program can write anything else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from penstock.core.shell.effects import (
    Effect,
    Git,
    Patch,
    Program,
    ProgramCall,
    Touch,
    Unclear,
    below,
    deleted,
    last,
    options,
    written,
)
from penstock.core.shell.expansion import Value
from penstock.core.shell.git_deed import GitDeed, GitKind
from penstock.core.shell.programs.archives import ARCHIVES
from penstock.core.shell.programs.copies import COPIES
from penstock.core.shell.programs.disks import DISKS
from penstock.core.shell.programs.downloads import FETCHES
from penstock.core.shell.wildcards import is_wild, quoted
from penstock.core.text.late_regex import late_regex

_MODE = late_regex(r"[-+=]?[0-7]{1,5}|[ugoa]*(?:[-+=][rwxXstugo]*)+(?:,[ugoa]*[-+=][rwxXstugo]*)*")

_CHANGE = late_regex(r"([ugoa]*)([-+=])([rwxXstugo]*)")
_LONGEST_MODE = 64


# Rows made from a few words


def operands(short: str = "", long: str = "") -> Program:
    """All operands are written."""

    def program(call: ProgramCall) -> Iterator[Effect]:
        found = options(call.args, short=short, long=long)
        yield from written(found.operands, tree=found.has("r", "R", "recursive"))

    return program


def removes(call: ProgramCall) -> Iterator[Effect]:
    """All operands are deleted; a pattern that meets nothing deletes nothing."""
    found = options(call.args)
    there = [word for word in found.operands if not _meets_nothing(word, call)]
    yield from deleted(there, tree=found.has("r", "R", "recursive"))


def _meets_nothing(word: Value, call: ProgramCall) -> bool:
    """True for a pattern that was left as it is, because no file has such a name."""
    unmet = word.exact and not word.pattern and is_wild(word.text)
    return unmet and call.here.kind(word.text) == ""


def outputs(names: str, short: str = "", long: str = "") -> Program:
    """Only the values of the options in `names` are written."""
    wanted = names.split()
    letters = "".join(name for name in wanted if len(name) == 1)
    words = " ".join(name for name in wanted if len(name) > 1)

    def program(call: ProgramCall) -> Iterator[Effect]:
        found = options(call.args, short=letters + short, long=f"{words} {long}")
        yield from written(found.values(*wanted))

    return program


def dashed_outputs(*names: str) -> Program:
    """Like `outputs`, for programs whose long options have one dash (`openssl -out f`)."""

    def program(call: ProgramCall) -> Iterator[Effect]:
        for at, word in enumerate(call.args):
            name, equals, text = word.text.partition("=")
            if equals and name in names:
                yield Touch(replace(word, text=text))
            elif word.text in names and at + 1 < len(call.args):
                yield Touch(call.args[at + 1])

    return program


def in_place(flags: str, short: str = "", long: str = "") -> Program:
    """All operands are written when one of `flags` is given."""

    def program(call: ProgramCall) -> Iterator[Effect]:
        found = options(call.args, short=short, long=long)
        if found.has(*flags.split()):
            yield from written(found.operands)

    return program


def last_operand(short: str, *, least: int = 2) -> Program:
    """The last operand is written when there are at least `least`."""

    def program(call: ProgramCall) -> Iterator[Effect]:
        found = options(call.args, short=short)
        if len(found.operands) >= least:
            yield from written(found.operands[-1:])

    return program


# Permissions


def _chmod(call: ProgramCall) -> Iterator[Effect]:
    """The mode may look like an option (`chmod -x f`)."""
    flags = [word for word in call.args if word.text in ("-R", "--recursive")]
    modes = [word for word in call.args if _MODE.fullmatch(word.text[:_LONGEST_MODE])]
    rest = [word for word in call.args if word not in flags and word not in modes[:1]]
    found = options(rest, long="reference")
    known = bool(modes) or found.has("reference")
    locks = not modes or _may_lock(modes[0].text)
    yield from written(found.operands[0 if known else 1 :], tree=bool(flags), whole=locks)


def _may_lock(mode: str) -> bool:
    """True for a mode that may keep the owner from what lies below a directory."""
    digits = mode.lstrip("-+=")
    if digits.isdigit():
        return not mode.startswith("+") and int(digits[-3:].zfill(3)[0]) != 7
    return any(
        (not who or set(who) & set("ua")) and (sign == "-" or set("rwx") - set(given))
        for who, sign, given in _CHANGE.findall(mode)
        if sign != "+"
    )


def _chown(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, long="reference from")
    skip = 0 if found.has("reference") else 1
    yield from written(found.operands[skip:], tree=found.has("R", "recursive"), whole=True)


def _chattr(call: ProgramCall) -> Iterator[Effect]:
    files = [word for word in call.args if word.text[:1] not in ("+", "-", "=")]
    yield from written(files, tree=any(word.text == "-R" for word in call.args), whole=True)


def _setfacl(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short="mxMX", long="modify remove modify-file remove-file restore")
    yield from written(found.operands, tree=found.has("R", "recursive"), whole=True)


# Pieces and streams


def _dd(call: ProgramCall) -> Iterator[Effect]:
    for word in call.args:
        if word.text.startswith("of="):
            yield Touch(replace(word, text=word.text[3:]))


def _split(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short="abClnt", long="suffix-length bytes lines number filter")
    yield from _pieces(call, found.operands[1] if len(found.operands) > 1 else Value("x"))


def _csplit(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short="bfn", long="prefix suffix-format digits")
    yield from _pieces(call, (found.values("f", "prefix") or [Value("xx")])[-1])


def _pieces(call: ProgramCall, prefix: Value) -> Iterator[Effect]:
    """Files that begin as a prefix: those that are there may be replaced, others are new."""
    names = call.here.names(quoted(prefix.text) + "*") if prefix.exact else None
    if names is None or not call.here.grant(len(names)):
        yield Touch(Value(prefix.text + "*", exact=prefix.exact, pattern=True))
        return
    yield from written([Value(prefix.text + "aa"), *map(Value, names)])


def _uniq(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short="fsw", long="skip-fields skip-chars check-chars")
    yield from written(found.operands[1:2])


def _aria2c(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short="dolsxji", long="dir out log input-file")
    folder = last(found.values("d", "dir"))
    for value in found.values("o", "out"):
        yield Touch(below(folder, value) if folder else value)
    yield from written(found.values("l", "log"))


_SUBSTITUTION = late_regex(r"s/([^/\\]*)/([^/\\$]*)/g?")


def _rename(call: ProgramCall) -> Iterator[Effect]:
    """`rename s/a/b/ FILE...` and `rename a b FILE...`: each file gets another name."""
    found = options(call.args, short="e")
    if found.has("n", "nono", "no-act"):
        return
    words = (*found.values("e"), *found.operands)
    perl = _SUBSTITUTION.fullmatch(words[0].text) if words else None
    pair = perl.groups() if perl else [word.text for word in words[:2]]
    yield from written(words[1:])
    for file in words[1:] if perl else words[2:]:
        yield Touch(replace(file, text=file.text.replace(pair[0], pair[-1])))
    if not perl and words and (set(words[0].text) & set("/{}$;") or not words[0].exact):
        yield Unclear(f"`{call.name}` computes the new names of files")


# Patches and editors


def _patch(call: ProgramCall) -> Iterator[Effect]:
    found = options(
        call.args,
        short="pdiorBYzDFVg",
        long="strip directory input output reject-file prefix suffix fuzz ifdef",
    )
    yield from written(found.values("o", "output", "r", "reject-file"))
    if found.has("dry-run") or found.has("o", "output"):
        return
    place = last(found.values("d", "directory"))
    if found.operands:
        yield Touch(below(place, found.operands[0]) if place else found.operands[0])
    elif call.feed.text is not None and call.feed.exact and not found.has("i", "input"):
        yield Patch(call.feed.text, place)
    elif call.feed.patch and not found.has("i", "input"):
        yield Git(GitDeed(GitKind.PATCH, "patch", refs=call.feed.patch), place)
    else:
        yield Unclear("`patch` changes the files that its patch names")


def _apply_patch(call: ProgramCall) -> Iterator[Effect]:
    texts = [word.text for word in call.args if word.exact]
    if call.feed.text is not None:
        texts.append(call.feed.text)
    if not texts or not call.feed.exact:
        yield Unclear("`apply_patch` changes the files that its patch names")
    for text in texts[:1]:
        yield Patch(text)


def _sqlite(call: ProgramCall) -> Iterator[Effect]:
    """The first operand is the database; a long option has one dash here."""
    flags = {word.text for word in call.args}
    names = [word for word in call.args if not word.text.startswith("-")]
    if "-readonly" not in flags:
        yield from written(names[:1])
    if any(".output" in word.text or ".once" in word.text for word in names[1:]):
        yield Unclear("`sqlite3` writes a file")


def _ssh_keygen(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short="fCtbNPmIOnVzaWYDFHRsS")
    reads = found.has("l", "y", "F", "e", "B", "Y")
    for name in found.values("f"):
        if not reads:
            yield Touch(name)
            yield Touch(replace(name, text=name.text + ".pub"))


def _venv(call: ProgramCall) -> Iterator[Effect]:
    """With `--clear`, what is there goes first."""
    found = options(call.args, short="p", long="prompt python")
    yield from deleted(found.operands if found.has("clear") else (), tree=True)


_COMPILER = outputs("o", short="IlLDUxT")

PROGRAMS: Mapping[str, Program] = {
    **COPIES,
    **ARCHIVES,
    **FETCHES,
    **DISKS,
    "tee": operands(long="output-error"),
    "sponge": operands(),
    "touch": operands("drtA", "date reference time"),
    "truncate": operands("sr", "size reference"),
    "fallocate": operands("olx", "offset length"),
    "mkdir": operands("mZ?", "mode context"),
    "mkfifo": operands("m", "mode"),
    "mknod": lambda call: written(options(call.args, short="m").operands[:1]),
    "rm": removes,
    "trash": removes,
    "trash-put": removes,
    "gio": lambda call: deleted(call.args[1:]) if call.args[:1] == (Value("trash"),) else iter(()),
    "rmdir": removes,
    "unlink": removes,
    **dict.fromkeys(
        ("rimraf", "del-cli", "rip"), lambda call: deleted(options(call.args).operands, tree=True)
    ),
    "chmod": _chmod,
    "chown": _chown,
    "chgrp": _chown,
    "chattr": _chattr,
    "setfacl": _setfacl,
    "setfattr": operands("nvxh", "name value remove restore"),
    "dd": _dd,
    "split": _split,
    "csplit": _csplit,
    "uniq": _uniq,
    "sort": outputs("o output", short="kStT", long="key buffer-size field-separator parallel"),
    "iconv": outputs("o output", short="ft", long="from-code to-code"),
    "shuf": outputs("o output", short="in", long="input-range head-count random-source"),
    "xxd": last_operand("clgos"),
    "tic": outputs("o"),
    "aria2c": _aria2c,
    "patch": _patch,
    "gpatch": _patch,
    "apply_patch": _apply_patch,
    "applypatch": _apply_patch,
    "nano": operands("TQrosC"),
    "emacs": operands("lfL", "load funcall eval"),
    "yq": in_place("i inplace", short="oIp"),
    "jq": in_place("in-place"),
    "prettier": in_place("w write", long="config parser"),
    "gofmt": in_place("w"),
    "goimports": in_place("w"),
    "shfmt": in_place("w", short="iln"),
    "clang-format": in_place("i"),
    "autopep8": in_place("i in-place"),
    "2to3": in_place("w write"),
    "eslint": in_place("fix", short="cf", long="config format"),
    "rustfmt": operands(long="config edition"),
    "dos2unix": operands(),
    "unix2dos": operands(),
    "openssl": dashed_outputs("-out", "-keyout", "-CAserial", "-writerand"),
    "gpg": outputs("o output", short="ru", long="recipient local-user homedir passphrase"),
    "gpg2": outputs("o output", short="ru", long="recipient local-user homedir passphrase"),
    "age": outputs("o output", short="ri", long="recipient identity"),
    "age-keygen": outputs("o output"),
    "ssh-keygen": _ssh_keygen,
    "sqlite3": _sqlite,
    "pandoc": outputs("o output", short="ft", long="from to"),
    **dict.fromkeys(("gcc", "g++", "cc", "c++", "clang", "clang++", "ld", "as"), _COMPILER),
    "rustc": outputs("o"),
    "go": dashed_outputs(
        *("-o", "-coverprofile", "-cpuprofile", "-memprofile", "-blockprofile", "-mutexprofile"),
        *("-trace", "-modfile"),
    ),
    "objcopy": last_operand("OIj", least=1),
    "strip": operands("o"),
    **dict.fromkeys(("rename", "prename", "perl-rename", "file-rename"), _rename),
    "mogrify": operands(),
    "mount": lambda call: written(
        options(call.args, short="to").operands[-1:], tree=True, whole=True
    ),
    "bindfs": lambda call: written(options(call.args, short="o").operands[-1:], whole=True),
    "umount": lambda call: written(options(call.args).operands, tree=True, whole=True),
    "python-venv": _venv,
    "virtualenv": _venv,
}

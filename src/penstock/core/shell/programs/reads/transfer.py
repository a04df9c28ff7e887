"""Programs that put files elsewhere: copies, archives, uploads, mail.

Copying a whole project on this machine is everyday; sending it to another one is told.
Always true: what is left out by name (`--exclude`) is taken as left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase

from msgspec.structs import replace

from penstock.core.model import Action
from penstock.core.shell.effects import (
    Effect,
    Options,
    Program,
    ProgramCall,
    Touch,
    below,
    last,
    options,
    read,
)
from penstock.core.shell.expansion import Value
from penstock.core.shell.place import TELLING
from penstock.core.shell.programs.archives import tar_options
from penstock.core.shell.programs.reads.mention import mentioned, of_address
from penstock.core.shell.programs.reads.name_list import fed, listed_in
from penstock.core.shell.programs.reads.rows import (
    MOST_PARTS,
    MOST_WORDS,
    is_all,
    met,
    perhaps,
    sweep,
)
from penstock.core.shell.programs.reads.vocabulary import CURL_LONG, CURL_SHORT

MOST_LINKS = 500
_LEAVES_OUT = ("exclude", "exclude-from", "filter", "n", "dry-run", "dryrun", "ignore")


def _is_remote(value: Value) -> bool:
    return ":" in value.text.partition("/")[0]


# Copies


def sources(short: str, long: str, *flags: str, away: bool = False) -> Program:
    """All operands but the last are read, with what is below where one of `flags` is given.

    `away` means that the last one may be another machine: then a whole project is a lot to send.
    """

    def program(call: ProgramCall) -> Iterator[Effect]:
        found = options(call.args, short=short, long=f"{long} target-directory")
        several = bool(found.values("t", "target-directory"))
        here = found.operands if several else found.operands[:-1]
        tree = not flags or found.has(*flags)
        local = [word for word in here if not _is_remote(word)]
        if tree and found.has("L", "copy-links", "dereference"):
            folders = [word for word in local if _is_folder(word, call)]
            yield from _packed(call, folders, found, links=True)
        yield from read(met(local), tree=tree)
        yield from perhaps(_listed(found.values("files-from"), call))
        yield from perhaps(found.values("include"))
        remote = away and bool(found.operands) and _is_remote(found.operands[-1])
        if remote and tree and not found.has(*_LEAVES_OUT):
            yield from sweep(word for word in here if is_all(word))

    return program


def _listed(files: list[Value], call: ProgramCall) -> Iterator[Value]:
    """Return what list files name; a dash stands for the input."""
    for file in files:
        if file.text == "-":
            yield from fed(call.feed, call.here)
        else:
            yield from listed_in([file.text], call.here)


def _dd(call: ProgramCall) -> Iterator[Effect]:
    for word in call.args:
        if word.text.startswith("if="):
            yield Touch(replace(word, text=word.text[3:]), Action.READ)


# Archives


def _tar(call: ProgramCall) -> Iterator[Effect]:
    found = tar_options(call.args)
    lists = found.values("T", "files-from")
    yield from read(lists)
    if found.has("c", "create", "r", "append", "u", "update"):
        place = last(found.values("C", "directory"))
        inside = [below(place, word) if place else word for word in found.operands]
        yield from _packed(call, inside, found, links=found.has("h", "dereference"))
        yield from (replace(one, tree=True) for one in perhaps(_listed(lists, call)))
        if call.away and not found.has("exclude", "exclude-from", "X"):
            yield from sweep(word for word in inside if is_all(word))


def _packed(
    call: ProgramCall, words: Sequence[Value], found: Options, *, links: bool
) -> Iterator[Effect]:
    """Files and directories that are packed, without those that are left out by their names.

    With `links` what a link leads to is packed in its place.
    """
    given = [word for word in words if not is_all(word)]
    left_out = [value.text.rstrip("/") for value in found.values("exclude")]
    for word in given:
        names = call.here.below(word.text) if (left_out or links) and word.exact else None
        if names is None:
            yield from read(met([word]), tree=True)
            continue
        plain = [name for name in names if not name.endswith("/")]
        if links:
            linked = [n for n in plain[:MOST_LINKS] if call.here.kind(f"{word.text}/{n}") == "link"]
            yield from read(below(word, Value(name)) for name in linked)
        if not left_out:
            yield from read([word], tree=True)
        kept = [n for n in plain if left_out and not _is_left_out(f"{word.text}/{n}", left_out)]
        yield from perhaps(below(word, Value(name)) for name in kept if TELLING.search(name))


def _is_left_out(path: str, patterns: Sequence[str]) -> bool:
    parts = path.split("/")
    ends = ["/".join(parts[at:]) for at in range(len(parts))]
    return any(fnmatchcase(one, pattern) for pattern in patterns for one in (*parts, *ends))


def _zip(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short="bntPxi", long="exclude include")
    given = [word for word in found.operands[1:] if not is_all(word)]
    tree = found.has("r", "recurse-paths")
    if tree and not found.has("y", "symlinks"):  # what links lead to is packed in their place
        yield from _packed(call, [w for w in given if _is_folder(w, call)], found, links=True)
    yield from read(met(given), tree=tree)
    yield from perhaps(found.values("i", "include"))
    if found.has("@"):
        yield from _from_input(call)
    if call.away and not found.has("x", "exclude"):
        yield from sweep(word for word in found.operands[1:] if is_all(word))


def _is_folder(word: Value, call: ProgramCall) -> bool:
    return call.here.kind(word.text) == "directory"


def _seven(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short="opwmtxi")
    if found.operands[:1] and found.operands[0].text in ("a", "u"):
        given = [word for word in found.operands[2:] if not is_all(word)]
        yield from read(met(given), tree=True)
        lists = [word.text[1:] for word in given if word.text.startswith("@")]
        yield from perhaps(listed_in(lists, call.here))


def _cpio(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short="DEFHIMORCW", long="directory file format")
    if found.has("o", "create", "p", "pass-through"):
        yield from _from_input(call)


def _from_input(call: ProgramCall) -> Iterator[Effect]:
    """The names of what is packed come in by the input."""
    for name in fed(call.feed, call.here):
        yield Touch(name, Action.READ, mention=not name.exact)


def _pax(call: ProgramCall) -> Iterator[Effect]:
    """Without operands, what is packed comes in by the input."""
    found = options(call.args, short="bfsx")
    if found.has("w"):
        yield from packs("bfsx")(call) if found.operands else _from_input(call)


def packs(short: str = "", *, skip: int = 0) -> Program:
    """All operands behind the first `skip` are put into an archive, directories as a whole."""

    def program(call: ProgramCall) -> Iterator[Effect]:
        given = options(call.args, short=short).operands[skip:]
        yield from read(met(word for word in given if not is_all(word)), tree=True)

    return program


# The network


def _curl(call: ProgramCall) -> Iterator[Effect]:
    """`@file` is the content of a file; a form has it behind `=`, and `<` does the same."""
    found = options(call.args, short=CURL_SHORT, long=CURL_LONG)
    yield from read(found.values("K", "config"))
    yield from read(_uploaded(found.values("T", "upload-file")))
    data = found.values("d", "data", "data-binary", "data-ascii", "json", "url-query")
    for value in (*data, *found.values("H", "header")):
        if value.text.startswith("@"):
            yield Touch(replace(value, text=value.text[1:]), Action.READ)
    for value in found.values("F", "form", "data-urlencode"):
        for part in re.split(r"[;,]", value.text.partition("=")[2] or value.text)[:MOST_PARTS]:
            name = part.rpartition("@")[2] if "@" in part else part.partition("<")[2]
            yield from read([replace(value, text=name.strip("\"'"))] if name else [])
    yield from perhaps(word for word in found.values("b", "cookie") if "=" not in word.text)
    for value in (*found.values("variable"), *found.values("expand-data", "expand-form")):
        yield from perhaps([replace(value, text=value.text.partition("@")[2])])
    for url in (*found.operands, *found.values("url")):
        yield from _address(url)
    # A list that is put among the words may say what is sent: `curl $(cat options)`.
    given = (word for word in found.operands if not word.exact and "://" not in word.text)
    yield from perhaps(word for word in given if not set(word.text) & set("$`"))


def _uploaded(values: list[Value]) -> Iterator[Value]:
    """`-T` takes several files in braces."""
    for value in values:
        yield value
        yield from (Value(name) for name in re.split(r"[{},]", value.text)[:MOST_PARTS] if name)


def _address(url: Value) -> Iterator[Effect]:
    """A file of this machine by its address, or by a server on this machine."""
    text = url.text if "://" in url.text else f"http://{url.text}"
    if text[:5].lower() == "file:":
        yield Touch(replace(url, text="/" + text[5:].lstrip("/")), Action.READ)
    else:
        yield from perhaps(map(Value, of_address(text)))


_WGET = (
    "output-document directory-prefix output-file header user-agent post-data body-data method"
    " certificate private-key ca-certificate tries timeout config base"
)


def _wget(call: ProgramCall) -> Iterator[Effect]:
    found = options(
        call.args, short="OPoatTwQUeBlADRIXi", long=f"{_WGET} post-file body-file input-file"
    )
    yield from read(found.values("i", "input-file", "post-file", "body-file"))
    for url in found.operands:
        yield from _address(url)


def _sftp(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short="bBcDFiJloPRSsX")
    yield from read(found.values("b"))
    for line in (call.feed.text or "").split("\n")[:MOST_WORDS]:
        yield from read(map(Value, line.split()[1:2] if line.startswith("put") else []))


def _ends(*names: str) -> Program:
    """`socat`: files and commands are ends of a connection, `FILE:path,option`."""

    def program(call: ProgramCall) -> Iterator[Effect]:
        for word in call.args:
            kind, colon, rest = word.text.partition(":")
            if colon and kind.upper() in names:
                yield Touch(replace(word, text=rest.partition(",")[0]), Action.READ)
            elif colon and kind.upper() in ("EXEC", "SYSTEM", "SHELL"):
                words = rest.partition(",")[0].split()
                yield from perhaps(Value(each) for each in words[1:MOST_PARTS])

    return program


def uploads(*verbs: str, short: str = "", long: str = "", folders: str = "") -> Program:
    """Clients of storage: with one of `verbs`, directories among the words go up as a whole.

    `folders` are the options that name such a directory.
    """

    def program(call: ProgramCall) -> Iterator[Effect]:
        yield from mentioned(call)
        found = options(call.args, short=short, long=f"{long} {folders}")
        said = {word.text for word in found.operands}
        if (verbs and not said & set(verbs)) or found.has(*_LEAVES_OUT):
            return
        given = found.operands if not folders else found.values(*folders.split())
        local = (word for word in given if "://" not in word.text and not _is_remote(word))
        known = (word for word in local if is_all(word) or call.here.kind(word.text) == "directory")
        yield from sweep(known)

    return program


_RSYNC_LONG = (
    "rsh exclude include filter files-from exclude-from include-from log-file chmod backup-dir"
    " suffix temp-dir partial-dir max-size min-size timeout port password-file bwlimit out-format"
    " rsync-path info debug link-dest compare-dest copy-dest"
)
_CP = sources("tSZ?", "suffix", "r", "R", "a", "recursive", "archive")

# Programs that unpack what any of their words may name.
_UNPACKERS = (
    *("aunpack", "cabextract", "dpkg", "dpkg-deb", "dtrx", "innoextract", "unace", "unar"),
    *("unarj", "uncpio", "unlha", "unlzx", "unp", "unsquashfs"),
)

TRANSFERS: Mapping[str, Program] = {
    "dd": _dd,
    **dict.fromkeys(("cp", "gcp", "ditto"), _CP),
    **dict.fromkeys(("install", "ginstall"), sources("tmogS", "mode owner group suffix", "none")),
    "rsync": sources("eBTfM@", _RSYNC_LONG, "r", "a", "recursive", "archive", away=True),
    "scp": sources("cFiJloPSX", "", "r", away=True),
    "sftp": _sftp,
    **dict.fromkeys(("tar", "gtar", "bsdtar", "jar"), _tar),
    "zip": _zip,
    **dict.fromkeys(("7z", "7za", "7zz", "7zr"), _seven),
    **dict.fromkeys(("cpio", "bsdcpio"), _cpio),
    **dict.fromkeys(("ar", "rar"), packs(skip=2)),
    **dict.fromkeys(("python-zipfile", "python-tarfile"), packs(skip=1)),
    # The first word is the verb; what they pack goes whole, what they unpack is the archive.
    **dict.fromkeys(("asar", "patool", "lha", "zoo", "unrar"), packs(skip=1)),
    **dict.fromkeys(_UNPACKERS, mentioned),
    "pax": _pax,
    **dict.fromkeys(("mksquashfs", "shar", "borg", "restic"), packs()),
    **dict.fromkeys(("genisoimage", "mkisofs"), packs("oVA")),
    "unzip": lambda call: read(options(call.args, short="dxP").operands[:1]),
    "curl": _curl,
    "wget": _wget,
    "aria2c": lambda call: read(
        options(call.args, short="oldsxji", long="out log dir input-file").values("i", "input-file")
    ),
    "socat": _ends("FILE", "OPEN", "GOPEN", "CREATE", "CREAT"),
    "aws": uploads("sync", "cp", "mv", long="profile region body exclude include endpoint-url"),
    "gsutil": uploads("rsync", "cp", "mv", short="xj"),
    "gcloud": uploads("cp", "rsync", "scp", long="project region data-file"),
    "az": uploads("upload-batch", short="sdcnf", long="source destination", folders="s source"),
    "rclone": uploads("copy", "sync", "move", "copyto", "serve", long="config bwlimit"),
    **dict.fromkeys(("s3cmd", "s5cmd", "mc", "b2"), uploads("put", "sync", "cp", "mirror")),
    "ipfs": uploads("add"),
    **dict.fromkeys(("croc", "wormhole", "magic-wormhole"), uploads("send")),
    "netlify": uploads("deploy", short="d", folders="d dir"),
    "surge": uploads(),
    "gh-pages": uploads(short="d", folders="d dist"),
}

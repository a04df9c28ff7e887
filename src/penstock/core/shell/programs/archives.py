"""Programs that pack and unpack: tar, zip, gzip and their kin.

What an archive on the disk holds is looked up, and each of its files is told. Where it is not
known, everything in the directory that receives it may change: in the project itself that is
unclear, in a directory below it each file there is judged.
Always true: no more than `MOST_TOLD` files of an archive are told, first those that are there
already and those whose names say something.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase

from msgspec import Struct
from msgspec.structs import replace

from penstock.core.model import Action
from penstock.core.paths.free_places import is_temporary
from penstock.core.shell.effects import (
    HERE,
    Effect,
    Options,
    Program,
    ProgramCall,
    Shell,
    Touch,
    Unclear,
    below,
    deleted,
    last,
    options,
    written,
)
from penstock.core.shell.expansion import Value
from penstock.core.shell.place import TELLING, joined
from penstock.core.shell.programs.archive_members import Member, members

MOST_TOLD = 300
MOST_LOOKS = 2_000
_ENDINGS = {"gzip": ".gz", "bzip2": ".bz2", "xz": ".xz", "lzma": ".lzma", "zstd": ".zst"}
_ENDINGS |= {"compress": ".Z", "lz4": ".lz4", "brotli": ".br"}
_UNPACKERS = {"gunzip": "gzip", "bunzip2": "bzip2", "unxz": "xz", "unlzma": "lzma"}
_UNPACKERS |= {"unzstd": "zstd", "uncompress": "compress", "unlz4": "lz4"}


def _compress(call: ProgramCall) -> Iterator[Effect]:
    """A packed file takes the place of a plain one, or the other way round."""
    found = options(call.args, short="SboTDq", long="suffix output threads")
    yield from written(found.values("o", "output"))
    if found.has("c", "stdout", "to-stdout", "l", "list", "t", "test") or found.has("o"):
        return
    unpacks = call.name in _UNPACKERS or found.has("d", "decompress", "uncompress")
    ending = _ENDINGS[_UNPACKERS.get(call.name, call.name)]
    for file in found.operands:
        plain = file.text.removesuffix(ending)
        yield Touch(replace(file, text=plain if unpacks else file.text + ending))
        if not found.has("k", "keep"):
            yield Touch(file, Action.DELETE)


def _tar(call: ProgramCall) -> Iterator[Effect]:
    found = tar_options(call.args)
    place = last(found.values("C", "directory")) or HERE
    archive = found.values("f", "file")
    if found.has("to-command", "checkpoint-action", "use-compress-program", "I"):
        yield Unclear("`tar` runs another program", runs=True)
    yield from written(found.values("index-file", "listed-incremental", "g"))
    if found.has("x", "extract", "get"):
        if found.has("O", "to-stdout"):
            yield from _shown(found.operands)
            return
        strip = last(found.values("strip-components", "strip"))
        count = int(strip.text) if strip and strip.text.isdecimal() else 0
        yield from _unpacked(call, _Unpacking(last(archive), place, found.operands, count))
        if found.has("P", "absolute-names", "transform", "xform"):
            yield Unclear("`tar` writes outside its directory")
    elif found.has("c", "create", "r", "append", "u", "update", "A", "delete"):
        yield from written(archive)
        if found.has("remove-files"):
            yield from deleted((below(place, word) for word in found.operands), tree=True)


def tar_options(args: Sequence[Value]) -> Options:
    """Read the words of tar, whose first may lack its dash (`tar xzf a`)."""
    words = list(args)
    if words and words[0].text[:1] not in ("-", "") and words[0].exact:
        words = [*_old_style(words)]
    return options(
        words,
        short="fCTXIbHVKNgL",
        long="file directory files-from exclude exclude-from transform strip-components"
        " use-compress-program to-command checkpoint-action owner group mode mtime suffix"
        " index-file listed-incremental",
    )


def _old_style(words: list[Value]) -> Iterator[Value]:
    """Give each letter of `xzfC` its dash, and the values in their order."""
    rest = iter(words[1:])
    for letter in words[0].text[:32]:
        yield Value("-" + letter)
        if letter in "fCTXbIHVKNgL":
            yield from (word for word in [next(rest, None)] if word)
    yield from rest


class _Unpacking(Struct, frozen=True):
    """An archive, where it goes, and which of its files; None stands for the input."""

    archive: Value | None
    place: Value = HERE
    wanted: tuple[Value, ...] = ()
    strip: int = 0
    flat: bool = False


def _unpacked(call: ProgramCall, how: _Unpacking) -> Iterator[Effect]:
    for member in how.wanted:
        yield Touch(below(how.place, member))
    found = _members(call, how.archive)
    if found is not None:
        yield from _told(call, how, found)
        return
    there = joined(call.here.cwd, how.place.text)
    fresh = how.place.exact and is_temporary(f"{there}/x") and not is_temporary(there)
    if how.wanted or fresh:  # into `/tmp` itself: whatever is there is nobody's
        return
    yield Touch(how.place, tree=True)
    # Unpackers stay below their directory unless they are told otherwise.
    if not _is_apart(how.place, call):
        shown = how.archive.text if how.archive else "its input"
        yield Unclear(f"`{call.name}` writes the files that `{shown}` holds")


def _is_apart(place: Value, call: ProgramCall) -> bool:
    """True for a directory for temporary files, and for one below the project's own."""
    there = joined(call.here.cwd, place.text)
    return place.exact and (is_temporary(f"{there}/x") or call.here.is_below_start(place.text))


def _members(call: ProgramCall, archive: Value | None) -> list[Member] | None:
    """Return what an archive holds that lies on the disk."""
    if archive is None or archive.text in ("-", "/dev/stdin"):
        one = call.feed.files if not call.feed.piped else ()
        archive = Value(one[0]) if len(one) == 1 else None
    data = call.here.data(archive.text) if archive and archive.exact else None
    return members(data) if data else None


def _told(call: ProgramCall, how: _Unpacking, found: Sequence[Member]) -> Iterator[Effect]:
    """Tell each file of an archive where it comes to lie."""
    names = [(name, one) for one in found if (name := _name(one.name, how))]
    if len(names) > MOST_TOLD:
        there = {below(how.place, Value(name)).text for name, _ in names}
        known = (
            {text for text in there if call.here.kind(text)} if len(there) < MOST_LOOKS else there
        )
        names.sort(key=lambda item: _unlikely(below(how.place, Value(item[0])).text, known))
    for name, one in names[:MOST_TOLD]:
        text = None if one.content is None else one.content.decode(errors="surrogateescape")
        yield Touch(below(how.place, Value(name)), content=text)
    if not call.here.grant(len(names[:MOST_TOLD])):
        yield Unclear(f"`{call.name}` writes more files than are followed")


def _unlikely(place: str, known: Container[str]) -> tuple[bool, bool]:
    return TELLING.search(place) is None, place not in known


def _name(name: str, how: _Unpacking) -> str:
    """Return under which name a file comes out; nothing for one that does not."""
    parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    inside = "/".join(parts)
    if how.wanted and not any(_is_wanted(word.text, inside) for word in how.wanted):
        return ""
    return parts[-1] if how.flat and parts else "/".join(parts[how.strip :])


def _is_wanted(word: str, name: str) -> bool:
    plain = word.removeprefix("./").rstrip("/")
    return name == plain or name.startswith(f"{plain}/") or fnmatchcase(name, plain)


def _shown(wanted: Sequence[Value]) -> Iterator[Effect]:
    """Files of an archive that are printed; one that is packed is as secret as it was before."""
    return (Touch(word, Action.READ, mention=True) for word in wanted)


def _unzip(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short="dxP")
    wanted = found.operands[1:]
    if found.has("p", "c"):
        yield from _shown(wanted)
    if found.has("l", "t", "p", "c", "Z", "v", "z"):
        return
    place = last(found.values("d")) or HERE
    archive = next(iter(found.operands), None)
    yield from _unpacked(call, _Unpacking(archive, place, wanted, flat=found.has("j")))


def unpacks(
    *verbs: str, place: str = "", archive: int = 0, into: int | None = None, flat: str = ""
) -> Program:
    """An unpacker: `verbs` say that it unpacks, `place` are the options for its directory.

    `archive` and `into` are the places of the archive and of the directory among the operands
    behind the verb.
    """

    def program(call: ProgramCall) -> Iterator[Effect]:
        letters = "".join(name for name in place.split() if len(name) == 1)
        found = options(call.args, short=letters, long=place)
        rest = found.operands
        if verbs:
            verb = rest[0].text if rest else ""
            given = {name for name, _ in found.given}
            if verb in verbs:
                rest = rest[1:]
            elif not given & set(verbs):
                return
        folder = last(found.values(*place.split()))
        if folder is None and into is not None and len(rest) > into:
            folder = rest[into]
        source = rest[archive] if len(rest) > archive else None
        flattens = bool(flat) and found.has(*flat.split())
        yield from _unpacked(call, _Unpacking(source, folder or HERE, flat=flattens))

    return program


def _ar(call: ProgramCall) -> Iterator[Effect]:
    """`ar x lib.a`: the verb is in the letters of the first word."""
    verb, *rest = call.args or (Value(""),)
    letters = verb.text.lstrip("-")
    if "x" in letters:
        yield from _unpacked(call, _Unpacking(next(iter(rest), None), HERE, tuple(rest[1:])))
    elif "p" in letters:
        yield from _shown(rest[1:])
    elif set(letters) & set("rqdmsR"):
        yield from written(rest[:1])


def _pax(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short="fsboxUEGpTBC")
    archive = last(found.values("f"))
    if found.has("w"):
        yield from written([archive] if archive and not found.has("r") else found.operands[-1:])
    elif found.has("r"):
        yield from _unpacked(call, _Unpacking(archive, HERE, found.operands))


def _python_archive(call: ProgramCall) -> Iterator[Effect]:
    """`python -m zipfile -e A D` and `python -m tarfile`: one option says what to do."""
    found = options(call.args, long="filter metadata-encoding")
    words = found.operands
    if found.has("e", "extract") and words:
        place = words[1] if len(words) > 1 else HERE
        yield from _unpacked(call, _Unpacking(words[0], place))
    elif found.has("c", "create"):
        yield from written(words[:1])


def _seven(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short="opwmtxi")
    verb, *rest = found.operands or (Value(""),)
    if verb.text in ("x", "e"):
        place = last(found.values("o")) or HERE
        archive = next(iter(rest), None)
        flat = verb.text == "e"
        yield from _unpacked(call, _Unpacking(archive, place, tuple(rest[1:]), flat=flat))
    elif verb.text in ("a", "u", "d", "rn"):
        yield from written(rest[:1])


def _cpio(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short="DEFHIMORCW", long="directory file format")
    if found.has("i", "extract", "p", "pass-through"):
        place = (found.values("D", "directory") or [*found.operands[-1:], HERE])[0]
        archive = last(found.values("I", "F", "file"))
        yield from _unpacked(call, _Unpacking(archive, place))
    yield from written(found.values("O"))


def _zip(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short="bntP", long="unzip-command")
    for at, word in enumerate(call.args[:-1]):
        if word.text in ("-TT", "--unzip-command"):
            yield Shell(call.args[at + 1])
    yield from written(found.operands[:1])
    if found.has("m"):
        yield from deleted(found.operands[1:], tree=found.has("r"))


ARCHIVES: Mapping[str, Program] = {
    **dict.fromkeys((*_ENDINGS, *_UNPACKERS), _compress),
    "tar": _tar,
    "gtar": _tar,
    "bsdtar": _tar,
    "jar": _tar,
    "unzip": _unzip,
    "zip": _zip,
    **dict.fromkeys(("7z", "7za", "7zz", "7zr"), _seven),
    **dict.fromkeys(("cpio", "bsdcpio"), _cpio),
    "ar": _ar,
    "pax": _pax,
    **dict.fromkeys(("python-zipfile", "python-tarfile"), _python_archive),
    **dict.fromkeys(("unrar", "rar"), unpacks("x", "e", into=1)),
    "unar": unpacks(place="o output-directory"),
    **dict.fromkeys(("dpkg-deb", "dpkg"), unpacks("x", "X", "extract", "vextract", "R", into=1)),
    "unsquashfs": unpacks(place="d dest"),
    "cabextract": unpacks(place="d directory"),
    "innoextract": unpacks(place="d output-dir"),
    **dict.fromkeys(
        ("aunpack", "dtrx", "unp", "unace", "unarj", "unlzx"), unpacks(place="X extract-to")
    ),
    "asar": unpacks("extract", "e", into=1),
    "patool": unpacks("extract", place="outdir"),
    **dict.fromkeys(("uncpio", "lha", "unlha", "zoo"), unpacks()),
}

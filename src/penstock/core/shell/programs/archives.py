"""Programs that pack and unpack: tar, zip, gzip and their kin.

Always true: what an archive holds is not known here, so unpacking without named members is
unclear; the directory that receives it is told.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from penstock.core.model import Action
from penstock.core.paths.free_places import is_temporary
from penstock.core.shell.effects import (
    HERE,
    Effect,
    Options,
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
        yield Touch(file._replace(text=plain if unpacks else file.text + ending))
        if not found.has("k", "keep"):
            yield Touch(file, Action.DELETE)


def _tar(call: ProgramCall) -> Iterator[Effect]:
    found = tar_options(call.args)
    place = last(found.values("C", "directory")) or HERE
    archive = found.values("f", "file")
    if found.has("to-command", "checkpoint-action", "use-compress-program", "I"):
        yield Unclear("`tar` is told to run a program", runs=True)
    if found.has("x", "extract", "get"):
        yield from _unpacked("tar", archive, place, found.operands)
        if found.has("P", "absolute-names", "transform", "xform"):
            yield Unclear("`tar` is told to write outside of its directory")
    elif found.has("c", "create", "r", "append", "u", "update", "A", "delete"):
        yield from written(archive)
        if found.has("remove-files"):
            yield from deleted(found.operands, tree=True)


def tar_options(args: Sequence[Value]) -> Options:
    """Read the words of tar, whose first may lack its dash (`tar xzf a`)."""
    words = list(args)
    if words and words[0].text[:1] not in ("-", "") and words[0].exact:
        words = [*_old_style(words)]
    return options(
        words,
        short="fCTXIbHVKNgL",
        long="file directory files-from exclude exclude-from transform strip-components"
        " use-compress-program to-command checkpoint-action owner group mode mtime suffix",
    )


def _old_style(words: list[Value]) -> Iterator[Value]:
    """Give each letter of `xzfC` its dash, and the values in their order."""
    rest = iter(words[1:])
    for letter in words[0].text[:32]:
        yield Value("-" + letter)
        if letter in "fCTXbIHVKNgL":
            yield from (word for word in [next(rest, None)] if word)
    yield from rest


def _unpacked(
    name: str, archive: Sequence[Value], place: Value, members: Sequence[Value]
) -> Iterator[Effect]:
    for member in members:
        yield Touch(below(place, member))
    if not members:
        yield Touch(place, tree=True)
    # Unpackers stay below their directory unless they are told otherwise.
    if not members and not (place.exact and is_temporary(place.text)):
        shown = archive[-1].text if archive else "its input"
        yield Unclear(f"`{name}` writes the files that `{shown}` holds")


def _unzip(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short="dxP")
    if found.has("l", "t", "p", "Z", "v", "z"):
        return
    place = last(found.values("d")) or HERE
    yield from _unpacked("unzip", found.operands[:1], place, found.operands[1:])


def _seven(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short="opwmtxi")
    verb, *rest = found.operands or (Value(""),)
    if verb.text in ("x", "e"):
        place = last(found.values("o")) or HERE
        yield from _unpacked(call.name, rest[:1], place, rest[1:])
    elif verb.text in ("a", "u", "d", "rn"):
        yield from written(rest[:1])


def _cpio(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short="DEFHIMORCW", long="directory file format")
    if found.has("i", "extract", "p", "pass-through"):
        place = (found.values("D", "directory") or [*found.operands[-1:], HERE])[0]
        yield from _unpacked("cpio", found.values("I", "F"), place, ())
    yield from written(found.values("O"))


def _zip(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short="bntP")
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
    "7z": _seven,
    "7za": _seven,
    "cpio": _cpio,
}
